"""What makes an object this object: its kind, namespace and name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Data = dict[str, Any]
"""A manifest as plain data."""

Identity = tuple[str, str, str]
"""Kind, namespace and name; the namespace is "" where the manifest has none."""


def identity(manifest: Mapping[str, Any]) -> Identity:
    """Return what makes an object this object."""
    metadata = manifest.get("metadata") or {}
    return str(manifest.get("kind")), metadata.get("namespace") or "", metadata.get("name") or ""


def namespace_of(manifest: Mapping[str, Any]) -> str:
    """Return the namespace that a namespaced object is in; without one of its own it is in `default`."""
    metadata = manifest.get("metadata")
    return str((metadata.get("namespace") if isinstance(metadata, dict) else None) or "default")
