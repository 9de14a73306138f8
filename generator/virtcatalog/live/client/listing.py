"""A cluster's objects, listed page by page, several kinds at once; what may not be listed is named."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

import msgspec

from virtcatalog.limits import YAML_LEVELS
from virtcatalog.live.client.api import Api, StatusError
from virtcatalog.live.client.kubeconfig import ClusterError
from virtcatalog.live.resources import OPTIONAL, Resource
from virtcatalog.live.snapshot import Gap, Snapshot
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.plainjson import is_too_deep
from virtcatalog.progress import tracked

PAGE: Final = 250
_AT_ONCE: Final = 3
_RESTARTS: Final = 3


class _Page(msgspec.Struct):
    """A page of a list, as the API server gives it."""

    items: list[msgspec.Raw]
    metadata: dict[str, Any] = {}


_decode = msgspec.json.Decoder(_Page).decode
_decode_object = msgspec.json.Decoder(dict[str, Any]).decode


def read_cluster(api: Api, resources: Sequence[Resource]) -> Snapshot:
    """Return what a cluster has of some kinds; ClusterError when it does not answer.

    A kind that may not be listed, or that is not served, is among the gaps.
    """
    taken = datetime.now(tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    snapshot = Snapshot(api.name, taken=taken, complete=True)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        try:
            lists = [pool.submit(_read, api, resource, snapshot) for resource in resources]
            for reading in tracked(lists, len(lists), "kinds of objects"):
                gap = reading.result()
                if gap is not None:
                    snapshot.gaps.append(gap)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return snapshot


def _read(api: Api, resource: Resource, snapshot: Snapshot) -> Gap | None:
    """Read all objects of a kind; when a list expires while it is read, it is begun again."""
    for _ in range(_RESTARTS):
        snapshot.forget(resource.kind)
        try:
            _list(api, resource, snapshot)
        except StatusError as error:
            if error.code == 410:
                continue
            snapshot.forget(resource.kind)
            return _gap(error, resource)
        return None
    raise ClusterError(f"the list of {resource.plural} expired {_RESTARTS} times before it was read to its end")


def _list(api: Api, resource: Resource, snapshot: Snapshot) -> None:
    first_query = {"limit": str(PAGE), **({"labelSelector": resource.selector} if resource.selector else {})}
    # Items of lists do not say themselves what they are.
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    query = first_query
    while True:
        content = api.get(resource.path, query)
        try:
            page = _decode(content)
            for item in page.items:
                text = bytes(item)
                again = partial(zlib.decompress, zlib.compress(text, 1))
                if not snapshot.add_text(text, again, api.name, kind):
                    snapshot.add({**_object(text), **kind})
        except (ValueError, RecursionError) as error:  # of msgspec
            raise ClusterError(f"the API server's list of {resource.plural} cannot be read: {error}") from error
        further = page.metadata.get("continue")
        if not further:
            return
        query = {**first_query, "continue": str(further)}


def _object(text: bytes) -> Data:
    data = _decode_object(text)
    if is_too_deep(text):
        raise ValueError(f"is nested more than {YAML_LEVELS} levels deep")
    return data


def _gap(error: StatusError, resource: Resource) -> Gap | None:
    if error.code == 404 and resource.kind in OPTIONAL:
        return None
    if error.code == 403:
        group = f" of {resource.group}" if resource.group else ""
        return Gap(resource.kind, f"no right to list {resource.plural}{group} in all namespaces ({error.code})")
    if error.code == 404:
        return Gap(resource.kind, f"the API server does not serve {resource.api_version} {resource.plural}")
    raise ClusterError(f"{resource.plural} cannot be listed: {error}") from error
