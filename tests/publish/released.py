"""Catalogs in memory, of which another state is released."""

from __future__ import annotations

from collections.abc import Mapping

from virtcatalog import load_catalog
from virtcatalog.catalog.lock import write_lock
from virtcatalog.catalog.model import Catalog

BASE = {
    "catalog.yaml": "name: test\nkubevirt: v1.9.0\nvendor: example.org\n",
    "instancetypes/z.yaml": "class: z\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}, large: {vcpus: 4}}\n",
    "preferences/linux.yaml": "preferences: {linux.one: {displayName: One}}\n",
}


def sizes(text: str) -> dict[str, str]:
    """Return the file of the class with these sizes."""
    return {"instancetypes/z.yaml": f"class: z\nmemoryPerVcpu: 4Gi\nsizes: {{{text}}}\n"}


def load(files: Mapping[str, str], lock: str = "") -> Catalog:
    """Return the base with other files, and a lock."""
    texts = {**BASE, **files, **({"catalog.lock": lock} if lock else {})}
    return load_catalog("catalog", {path: text.encode() for path, text in texts.items()})


def after(was: Mapping[str, str], now: Mapping[str, str], version: str = "v1.0.0") -> Catalog:
    """Return the base with files as they are now, after a release of them as they were."""
    return load(now, write_lock(version, load(was)))
