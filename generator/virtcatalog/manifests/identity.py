"""What makes an object this object: its kind, namespace and name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from virtcatalog.api.names import namespace_or_default

Data = dict[str, Any]
"""A manifest as plain data."""

Identity = tuple[str, str, str]
"""Kind, namespace and name; the namespace is "" where the manifest has none."""


def identity(manifest: Mapping[str, Any]) -> Identity:
    """Return what makes an object this object, whatever its fields are."""
    metadata = manifest.get("metadata")
    fields = metadata if isinstance(metadata, dict) else {}
    return str(manifest.get("kind")), str(fields.get("namespace") or ""), str(fields.get("name") or "")


def listed(data: Any) -> list[Any] | None:
    """Return the items of a list as kubectl prints it, with what a list of one kind says for all of them; else None."""
    kind, items = (data.get("kind"), data.get("items", ...)) if isinstance(data, dict) else (None, None)
    if not isinstance(kind, str) or not kind.endswith("List") or not isinstance(items, list | None):
        return None
    implied = {"apiVersion": data.get("apiVersion"), "kind": kind.removesuffix("List")} if kind != "List" else {}
    return [as_item(item, implied) if isinstance(item, dict) else item for item in items or ()]


def as_item(item: Data, implied: Mapping[str, Any]) -> Data:
    """Return an item of a list with what the list says of it, which holds where the item says nothing of its kind."""
    return item if item.get("apiVersion") or item.get("kind") else {**item, **implied}


def full_name(manifest: Mapping[str, Any]) -> str:
    """Return what people call a namespaced object: `namespace/name`."""
    metadata = manifest.get("metadata") or {}
    return f"{namespace_of(manifest)}/{metadata.get('name') or metadata.get('generateName')}"


def without_metadata(manifest: Data, key: str) -> Data:
    """Return an object without a key of its metadata."""
    return {**manifest, "metadata": {name: value for name, value in manifest["metadata"].items() if name != key}}


def namespace_of(manifest: Mapping[str, Any]) -> str:
    """Return the namespace that a namespaced object is in; without one of its own it is in `default`."""
    metadata = manifest.get("metadata")
    return namespace_or_default(metadata.get("namespace") if isinstance(metadata, dict) else None)
