"""The one request that is not GET: a server-side apply that the API server throws away (`dryRun=All`)."""

from __future__ import annotations

import json

from virtcatalog.live.client.api import Api, StatusError
from virtcatalog.manifests.identity import Data, namespace_of

_QUERY = "dryRun=All&fieldManager=virtcatalog-verify&force=true"
_REFUSED = frozenset({400, 403, 409, 422})


class DryRun(Api):
    """An API server that is asked what it would say to a VM."""

    def refusal(self, vm: Data) -> str:
        """Return why the server refuses a VM, "" where it takes it; ClusterError when there is no answer."""
        namespace, name = namespace_of(vm), vm["metadata"]["name"]
        path = f"/apis/kubevirt.io/v1/namespaces/{namespace}/virtualmachines/{name}?{_QUERY}"
        body = json.dumps({**vm, "metadata": {**vm["metadata"], "namespace": namespace}}).encode()
        try:
            self._request("PATCH", path, None, body, "application/apply-patch+yaml")
        except StatusError as error:
            if error.code in _REFUSED:
                return error.message
            raise
        return ""
