"""A Kubernetes API by plain HTTPS and JSON."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping
from functools import cached_property
from http.client import HTTPException, HTTPSConnection
from threading import local
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

Manifest = dict[str, Any]

_DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_APPLY, _MERGE = "application/apply-patch+yaml", "application/merge-patch+json"


class ApiError(Exception):
    """What the API server answers when it does not do what it is asked: a `Status`."""

    def __init__(self, status: Manifest) -> None:
        super().__init__(status.get("message") or str(status))
        self.status = status
        self.code: int = status.get("code", 0)
        self.causes: list[Manifest] = (status.get("details") or {}).get("causes") or []


class Resource(NamedTuple):
    """What a kind is called in a path, and whether its objects are in namespaces."""

    plural: str
    namespaced: bool


class Api:
    """An API server, as the user of the headers sees it; several threads may ask at once."""

    def __init__(self, url: str, tls: ssl.SSLContext, headers: Mapping[str, str]) -> None:
        self._url, self._tls, self._headers = urlsplit(url), tls, headers
        self._own = local()

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        content: str = "application/json",
        accept: str = "application/json",
        **query: str,
    ) -> Manifest:
        """Return what the API server answers; ApiError when that is a refusal."""
        if query:
            path = f"{path}?{urlencode(query)}"
        headers = {**self._headers, "Accept": accept, "Content-Type": content}
        text = None if body is None else json.dumps(body)
        code, answer = self._exchange(method, path, text, headers)
        try:
            data: Manifest = json.loads(answer)
        except ValueError:
            data = {"code": code, "message": answer.decode(errors="replace")}
        if code >= 400:
            raise ApiError(data)
        return data

    def _exchange(self, method: str, path: str, text: str | None, headers: dict[str, str]) -> tuple[int, bytes]:
        connection: HTTPSConnection | None = getattr(self._own, "connection", None)
        fresh = connection is None
        if connection is None:
            connection = self._own.connection = HTTPSConnection(self._url.netloc, context=self._tls, timeout=60)
        try:
            connection.request(method, self._url.path.rstrip("/") + path, text, headers)
            response = connection.getresponse()
            return response.status, response.read()
        except (HTTPException, OSError):
            self._own.connection = None
            connection.close()
            if fresh:
                raise
            return self._exchange(method, path, text, headers)  # the server may close what was idle

    @cached_property
    def _resources(self) -> dict[tuple[str, str], Resource]:
        resources = {}
        for path in ("/api", "/apis"):
            for group in self.ask("GET", path, accept=_DISCOVERY)["items"]:
                name = group["metadata"].get("name", "")
                for version in group["versions"]:
                    api_version = f"{name}/{version['version']}" if name else version["version"]
                    for resource in version["resources"]:
                        kind = resource["responseKind"]["kind"]
                        resources[api_version, kind] = Resource(resource["resource"], resource["scope"] == "Namespaced")
        return resources

    def forget_kinds(self) -> None:
        """Look again which kinds are served when one is asked for."""
        self.__dict__.pop("_resources", None)

    def path(self, api_version: str, kind: str, namespace: str | None = None, name: str | None = None) -> str:
        """Return the path of a kind, of its objects in a namespace, or of one object; KeyError if it is not served."""
        plural, namespaced = self._resources[api_version, kind]
        parts = ["apis" if "/" in api_version else "api", api_version]
        if namespaced and namespace is not None:
            parts += ["namespaces", quote(namespace or "default", safe="")]
        parts.append(plural)
        if name is not None:
            parts.append(quote(name, safe=""))
        return "/" + "/".join(parts)

    def path_of(self, manifest: Manifest) -> str:
        """Return the path of the object that a manifest names."""
        metadata = manifest["metadata"]
        namespace = metadata.get("namespace", "default")
        return self.path(manifest["apiVersion"], manifest["kind"], namespace, metadata["name"])

    def apply(
        self,
        manifest: Manifest,
        *,
        manager: str = "virtcatalog",
        force: bool = True,
        dry_run: bool = False,
        validation: str = "Strict",
    ) -> Manifest:
        """Apply a manifest by server-side apply, and return the object as it is stored."""
        query = {"fieldManager": manager, "force": str(force).lower(), "fieldValidation": validation}
        query |= {"dryRun": "All"} if dry_run else {}
        return self.ask("PATCH", self.path_of(manifest), manifest, content=_APPLY, **query)

    def create(self, manifest: Manifest, *, dry_run: bool = False, validation: str = "Strict") -> Manifest:
        """Create an object, and return it as it is stored."""
        query = {"fieldValidation": validation} | ({"dryRun": "All"} if dry_run else {})
        return self.ask("POST", self.path_of(manifest).rpartition("/")[0], manifest, **query)

    def replace(self, manifest: Manifest, *, validation: str = "Strict") -> Manifest:
        """Put a manifest in the place of an object, and return it as it is stored."""
        return self.ask("PUT", self.path_of(manifest), manifest, fieldValidation=validation)

    def merge(self, manifest: Manifest, changes: Manifest, subresource: str = "") -> Manifest:
        """Change some fields of an object, or of its status, by a merge patch."""
        return self.ask("PATCH", self.path_of(manifest) + subresource, changes, content=_MERGE)

    def get(self, api_version: str, kind: str, namespace: str | None, name: str) -> Manifest | None:
        """Return an object, None when there is none."""
        metadata = {"name": name} if namespace is None else {"name": name, "namespace": namespace}
        return self.stored({"apiVersion": api_version, "kind": kind, "metadata": metadata})

    def stored(self, manifest: Manifest) -> Manifest | None:
        """Return the object that a manifest names, as it is stored, None when there is none."""
        try:
            return self.ask("GET", self.path_of(manifest))
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def items(self, api_version: str, kind: str, namespace: str | None = None, **query: str) -> Iterator[Manifest]:
        """Yield the objects of a kind, page by page."""
        path, more = self.path(api_version, kind, namespace), ""
        while True:
            page = self.ask("GET", path, **query, limit="500", **({"continue": more} if more else {}))
            for item in page["items"]:
                yield {"apiVersion": api_version, "kind": kind, **item}
            more = page["metadata"].get("continue", "")
            if not more:
                return

    def delete(self, manifest: Manifest) -> None:
        """Delete an object."""
        self.ask("DELETE", self.path_of(manifest))
