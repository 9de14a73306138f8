"""Whether an object has those parts that are looked at as the API server makes them: dumps come from anywhere."""

from __future__ import annotations

import msgspec

from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.plainjson import is_too_deep


class _Metadata(msgspec.Struct, rename="camel"):
    name: str
    namespace: str | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    owner_references: list[msgspec.Raw] | None = None
    managed_fields: list[msgspec.Raw] | None = None


class _Status(msgspec.Struct):
    conditions: list[msgspec.Raw] | None = None


class Plain(msgspec.Struct, rename="camel"):
    """An object in JSON that is sound by all that `is_sound` looks at, of which little has to be read."""

    metadata: _Metadata
    api_version: str = ""
    kind: str = ""
    spec: dict[str, msgspec.Raw] | None = None
    data: dict[str, msgspec.Raw] | None = None
    status: _Status | None = None


_decode = msgspec.json.Decoder(Plain).decode


def plain(text: bytes) -> Plain | None:
    """Return what has to be read of an object's JSON, None for one that is not sound, or not plain JSON."""
    try:
        obj = _decode(text)
        return None if is_too_deep(text) else obj
    except (ValueError, RecursionError):
        return None


def is_sound(manifest: Data) -> bool:
    """Whether the parts of an object that are looked at are what the API server makes them."""
    metadata, status = manifest["metadata"], {} if manifest.get("status") is None else manifest["status"]
    maps = (*(metadata.get(key) for key in ("labels", "annotations")), *map(manifest.get, ("spec", "data")), status)
    if not all(part is None or isinstance(part, dict) for part in maps):
        return False
    lists = (metadata.get("ownerReferences"), metadata.get("managedFields"), status.get("conditions"))
    texts = (text for key in ("labels", "annotations") for text in (metadata.get(key) or {}).values())
    return (
        all(part is None or isinstance(part, list) for part in lists)
        and all(isinstance(text, str) for text in texts)
        and isinstance(metadata.get("namespace"), str | None)
    )
