"""Requests to an API server: what is to be tried again, and what is an answer. There is no other verb than GET."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from virtcatalog.errors import VirtcatalogError
from virtcatalog.live.client.credentials import Credentials
from virtcatalog.live.client.kubeconfig import Access, ClusterError
from virtcatalog.network import AGAIN, pause, proxy_of_environment, split_proxy

if TYPE_CHECKING:
    import urllib3

TRIES: Final = 6
_SECONDS: Final = 60.0


class StatusError(ClusterError):
    """An answer of the API server that is no success."""

    def __init__(self, code: int, message: str) -> None:
        self.code, self.message = code, message
        super().__init__(f"{message} ({code})")


class Api:
    """An API server; it is asked by several threads at once. `wait` passes the time between two tries."""

    def __init__(self, access: Access, wait: Callable[[float], None] = time.sleep) -> None:
        self.name, self._access, self._wait = access.name, access, wait
        self._credentials = Credentials(access)
        self._pool = self._connect()

    def get(self, path: str, query: Mapping[str, str] | None = None) -> bytes:
        """Return the answer to GET; StatusError for one that is no success, ClusterError when there is none."""
        return self._request("GET", path, query)

    def _request(
        self, verb: str, path: str, query: Mapping[str, str] | None, body: bytes | None = None, kind: str = ""
    ) -> bytes:
        """Ask until there is an answer: what is overloaded is asked again, and expired credentials are renewed once."""
        import urllib3

        renewed = False
        trouble = ""
        for number in range(TRIES):
            age, pool = self._credentials.age, self._pool
            headers = {"Accept": "application/json", "User-Agent": "virtcatalog", **self._credentials.headers}
            if kind:
                headers["Content-Type"] = kind
            try:
                answer = pool.request(
                    verb,
                    self._access.server + path,
                    fields=query if body is None else None,
                    body=body,
                    headers=headers,
                )
            except urllib3.exceptions.SSLError as error:
                raise ClusterError(f"{self._access.server} is not trusted, or does not trust us: {error}") from error
            except urllib3.exceptions.HTTPError as error:
                trouble, wait = str(error), pause({}, number)
            else:
                if answer.status < 300:
                    return bytes(answer.data)
                if answer.status == 401 and not renewed and self._credentials.renew(age):
                    renewed, self._pool = True, self._connect()
                    continue
                if answer.status not in AGAIN:
                    raise StatusError(answer.status, _message(answer.data, answer.status))
                trouble = f"{_message(answer.data, answer.status)} ({answer.status})"
                wait = pause(answer.headers, number)
            if number + 1 < TRIES:
                self._wait(wait)
        raise ClusterError(f"{self._access.server} gave no answer to {verb} {path} in {TRIES} tries: {trouble}")

    def _connect(self) -> urllib3.PoolManager:
        try:
            import urllib3
        except ImportError as error:
            raise VirtcatalogError("reading a cluster needs the extra: pip install 'virtcatalog[cluster]'") from error
        access = self._access
        proxy, login = proxy_of(access)
        options: dict[str, Any] = {
            "retries": False,
            "timeout": urllib3.Timeout(connect=10, read=_SECONDS),
            "maxsize": 8,
        }
        if access.server.startswith("https://"):
            options["ssl_context"] = self._credentials.context()
            if access.server_name:
                options |= {"server_hostname": access.server_name, "assert_hostname": access.server_name}
            if access.insecure:
                options |= {"cert_reqs": "CERT_NONE", "assert_hostname": False}
                urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)  # the kubeconfig asks for it
        if not proxy:
            return urllib3.PoolManager(**options)
        headers = urllib3.make_headers(proxy_basic_auth=login) if login else None
        return urllib3.ProxyManager(proxy, proxy_headers=headers, **options)


def proxy_of(access: Access) -> tuple[str, str]:
    """Return the URL of the proxy, "" for none, and `USER:PASSWORD` for it; ClusterError for one that is of no use."""
    url = access.proxy or proxy_of_environment(access.server)
    if not url:
        return "", ""
    try:
        return split_proxy(url)
    except ValueError as error:
        raise ClusterError(f"the proxy of context {access.name!r}: {error}") from None


def _message(body: bytes, code: int) -> str:
    """What the server says of it: a Status has a sentence."""
    try:
        status = json.loads(body)
    except (ValueError, RecursionError):
        status = None
    message = status.get("message") if isinstance(status, dict) else None
    return str(message) if message else f"the API server answers with status {code}"
