"""A repository of a registry, asked by HTTP: the OCI distribution API, with docker's tokens.

Source: the OCI distribution specification 1.1, and distribution/distribution, docs/spec/auth/token.
"""

from __future__ import annotations

import json
import re
import ssl
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote, urlencode, urljoin, urlsplit

from virtcatalog.limits import ARTIFACT_MANIFEST_BYTES, REGISTRY_ANSWER_BYTES
from virtcatalog.network import AGAIN, pause, proxy_of_environment, split_proxy
from virtcatalog.oci.credentials import login
from virtcatalog.oci.image import INDEX, MANIFEST, Blob, digest_of
from virtcatalog.oci.reference import OciError, Reference, content_of, need

if TYPE_CHECKING:
    import urllib3

TRIES: Final = 4
_REDIRECTS: Final = 5
_HOSTS: Final = {"docker.io": "registry-1.docker.io"}
_PARAMETER: Final = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_ACCEPTED: Final = {"Accept": f"{MANIFEST}, {INDEX}"}


class Answer(NamedTuple):
    """What a registry answers; the names of headers are not told apart by case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Registry:
    """One repository of a registry. `wait` passes the time between two tries."""

    def __init__(
        self,
        reference: Reference,
        *,
        plain_http: bool = False,
        authority: str | None = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """`authority` is a file with the certificates that sign the registry's; without it the system's do."""
        need("urllib3")
        scheme = "http" if plain_http else "https"
        self.place = reference.place
        self._root = f"{scheme}://{_HOSTS.get(reference.host, reference.host)}"
        self._path = f"/v2/{reference.repository}"
        self._repository, self._authority, self._wait = reference.repository, authority, wait
        self._login = login(reference.host)
        self._authorization = ""
        self._pools: dict[str, urllib3.PoolManager] = {}

    def manifest(self, name: str) -> bytes | None:
        """Return the manifest of a tag or digest, None when there is none."""
        answer = self._ask("GET", f"{self._path}/manifests/{name}", headers=_ACCEPTED, most=ARTIFACT_MANIFEST_BYTES)
        if answer.status == 404:
            return None
        self._expect(answer, 200, f"the manifest {name}")
        if ":" in name and digest_of(answer.content) != name:
            raise OciError(f"{self.place}@{name}: the registry gave a manifest of {digest_of(answer.content)}")
        return answer.content

    def blob(self, digest: str, size: int) -> bytes:
        """Return a blob; OciError where it is not there, or is another."""
        answer = self._ask("GET", f"{self._path}/blobs/{digest}", most=size)
        self._expect(answer, 200, f"the blob {digest}")
        if len(answer.content) != size or digest_of(answer.content) != digest:
            raise OciError(
                f"{self.place}: the blob {digest} of {size} bytes arrived as {digest_of(answer.content)} of "
                f"{len(answer.content)}"
            )
        return answer.content

    def put_blob(self, blob: Blob) -> None:
        """Upload a blob, unless the repository has it."""
        digest = digest_of(blob.content)
        if self._ask("HEAD", f"{self._path}/blobs/{digest}").status == 200:
            return
        started = self._ask("POST", f"{self._path}/blobs/uploads/", b"")
        self._expect(started, 202, f"the blob {digest}")
        place = urlsplit(self._led(self._root + self._path, started.headers.get("Location", "")))
        query = f"{place.query}&" if place.query else ""
        url = place._replace(query=f"{query}digest={quote(digest, safe='')}").geturl()
        headers = {"Content-Type": "application/octet-stream"}
        self._expect(self._ask("PUT", url, blob.content, headers, once=True), 201, f"the blob {digest}")

    def put_manifest(self, name: str, content: bytes, media_type: str = MANIFEST) -> bool:
        """Store a manifest under a tag or its digest; whether the registry lists it with what it is about."""
        headers = {"Content-Type": media_type}
        answer = self._ask("PUT", f"{self._path}/manifests/{name}", content, headers)
        self._expect(answer, 201, f"the manifest {name}")
        return bool(answer.headers.get("OCI-Subject"))

    def _expect(self, answer: Answer, status: int, content: str) -> None:
        if answer.status != status:
            hint = f"; log in again: docker login {urlsplit(self._root).netloc}" if answer.status == 401 else ""
            raise OciError(f"{self.place}: {content}: {_message(answer)}{hint}")

    def _ask(
        self,
        verb: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        most: int = REGISTRY_ANSWER_BYTES,
        once: bool = False,
    ) -> Answer:
        """Ask; once more with credentials where the registry wants them."""
        url, tries = urljoin(self._root, path), 1 if once else TRIES
        answer = self._answer(verb, url, body, self._own(url, headers), most, tries)
        if answer.status != 401:
            return answer
        self._authorization = self._authorized(answer.headers.get("WWW-Authenticate", ""), verb)
        return self._answer(verb, url, body, self._own(url, headers), most, tries)

    def _own(self, url: str, headers: Mapping[str, str] | None) -> dict[str, str]:
        """The headers of a request: those for the registry itself have the credentials."""
        own = dict(headers or {})
        if self._authorization and urlsplit(url).netloc == urlsplit(self._root).netloc:
            own["Authorization"] = self._authorization
        return own

    def _answer(
        self, verb: str, url: str, body: bytes | None, headers: dict[str, str], most: int, tries: int = TRIES
    ) -> Answer:
        """Send a request until there is an answer to it; OciError where there is none."""
        trouble = ""
        for number in range(1, tries + 1):
            try:
                answer = self._send(verb, url, body, {**headers, "User-Agent": "virtcatalog"}, most)
            except _TransportError as error:
                trouble, wait = str(error), pause({}, number)
            else:
                if answer.status not in AGAIN:
                    return answer
                trouble, wait = _message(answer), pause(answer.headers, number)
            if number < tries:
                self._wait(wait)
        asked = urlsplit(url).path if url.startswith(f"{self._root}/") else url.partition("?")[0]
        raise OciError(f"{self.place}: no answer to {verb} {asked}: {trouble}")

    def _send(self, verb: str, url: str, body: bytes | None, headers: dict[str, str], most: int) -> Answer:
        """Send one request, and follow redirects of what is read; credentials go to no other host."""
        import urllib3

        for _ in range(_REDIRECTS):
            if urlsplit(url).scheme != urlsplit(self._root).scheme and not url.startswith("https://"):
                raise OciError(f"{self.place}: the registry leads to {url.partition('?')[0]}, which is not https")
            try:
                answer = self._pool(url).request(
                    verb, url, body=body, headers=headers, redirect=False, retries=False, preload_content=False
                )
                with answer:
                    # Of one that ends early urllib3 says so, as what is wanted is more than there may be.
                    content = b"" if verb == "HEAD" else answer.read(most + 1)
            except urllib3.exceptions.HTTPError as error:
                if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in error.args):
                    raise OciError(
                        f"{self.place}: the registry is not trusted: {error}; --ca-file names who signs its certificate"
                    ) from None
                raise _TransportError(str(error)) from None
            if len(content) > most:
                raise OciError(f"{self.place}: {urlsplit(url).path} has more than {most:,} bytes")
            location = answer.headers.get("Location")
            if verb not in ("GET", "HEAD") or answer.status not in (301, 302, 303, 307, 308) or not location:
                return Answer(answer.status, answer.headers, content)
            host, url = urlsplit(url).netloc, self._led(url, location)
            if urlsplit(url).netloc != host:
                headers = {name: value for name, value in headers.items() if name != "Authorization"}
        raise OciError(f"{self.place}: the registry redirects more than {_REDIRECTS} times")

    def _led(self, url: str, place: str) -> str:
        """Return where the answer to a URL leads; OciError where that is no URL."""
        try:
            url = urljoin(url, place)
            _ = urlsplit(url).port
        except ValueError:
            raise OciError(f"{self.place}: the registry leads to {place!r}, which is no URL") from None
        return url

    def _authorized(self, challenge: str, verb: str) -> str:
        """Return the header that answers a challenge; OciError where there are no credentials for it."""
        scheme, _, rest = challenge.partition(" ")
        parameters = dict(_PARAMETER.findall(rest))
        if scheme.lower() == "basic":
            if not self._login.basic:
                raise OciError(f"{self.place}: the registry wants a login: docker login {urlsplit(self._root).netloc}")
            return self._login.basic
        if scheme.lower() != "bearer" or not parameters.get("realm"):
            raise OciError(f"{self.place}: the registry wants credentials of a kind that is not known: {challenge!r}")
        return f"Bearer {self._token(parameters, 'pull' if verb in ('GET', 'HEAD') else 'pull,push')}"

    def _token(self, parameters: Mapping[str, str], actions: str) -> str:
        scope = parameters.get("scope") or f"repository:{self._repository}:{actions}"
        query = {"service": parameters.get("service", ""), "scope": scope}
        realm, user = self._led(self._root, parameters["realm"]), self._login
        if user.identity:
            form = {**query, "grant_type": "refresh_token", "refresh_token": user.identity, "client_id": "virtcatalog"}
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            answer = self._answer("POST", realm, urlencode(form).encode(), headers, REGISTRY_ANSWER_BYTES)
        else:
            url = f"{realm}{'&' if '?' in realm else '?'}{urlencode(query)}"
            headers = {"Authorization": user.basic} if user.basic else {}
            answer = self._answer("GET", url, None, headers, REGISTRY_ANSWER_BYTES)
        self._expect(answer, 200, "a token")
        try:
            grant = json.loads(answer.content)
            return str(grant.get("token") or grant["access_token"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise OciError(f"{self.place}: {realm} gave no token") from None

    def _pool(self, url: str) -> urllib3.PoolManager:
        """Return what connects to a URL: by the environment's proxy, if any."""
        proxy = proxy_of_environment(url)
        if proxy not in self._pools:
            self._pools[proxy] = self._connect(proxy)
        return self._pools[proxy]

    def _certificates(self) -> str | None:
        """The text of the certificates that are trusted, None for the system's."""
        if self._authority is None:
            return None
        return content_of(self._authority).decode("ascii", "ignore") or "nothing"  # "" would be the system's, too

    def _connect(self, proxy: str) -> urllib3.PoolManager:
        import urllib3

        try:
            context = ssl.create_default_context(cadata=self._certificates())
        except ssl.SSLError as error:
            raise OciError(f"{self._authority}: holds no certificates that can be used: {error}") from None
        options: dict[str, Any] = {"timeout": urllib3.Timeout(connect=10, read=60), "ssl_context": context}
        if not proxy:
            return urllib3.PoolManager(**options)
        try:
            address, user = split_proxy(proxy)
        except ValueError as error:
            raise OciError(f"the proxy of the environment: {error}") from None
        headers = urllib3.make_headers(proxy_basic_auth=user) if user else None
        return urllib3.ProxyManager(address, proxy_headers=headers, **options)


class _TransportError(Exception):
    """A request that got no whole answer; it can be sent again."""


def _message(answer: Answer) -> str:
    """What a registry says of a fault: its errors have sentences."""
    try:
        errors = json.loads(answer.content)["errors"]
        reasons = "; ".join(f"{error.get('code', '')} {error.get('message', '')}".strip() for error in errors)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        reasons = ""
    return f"{reasons} ({answer.status})" if reasons else f"the registry answers with status {answer.status}"
