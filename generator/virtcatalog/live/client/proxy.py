"""Which proxy leads to an API server: the kubeconfig's, else that of the environment."""

from __future__ import annotations

from virtcatalog.live.client.kubeconfig import Access, ClusterError
from virtcatalog.network import proxy_of_environment, split_proxy


def proxy_of(access: Access) -> tuple[str, str]:
    """Return the URL of the proxy, "" for none, and `USER:PASSWORD` for it; ClusterError for one that is of no use."""
    url = access.proxy or proxy_of_environment(access.server)
    if not url:
        return "", ""
    try:
        return split_proxy(url)
    except ValueError as error:
        raise ClusterError(f"the proxy of context {access.name!r}: {error}") from None
