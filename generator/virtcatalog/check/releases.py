"""The KubeVirt release that the catalog must work with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from virtcatalog.api.findings import field_path
from virtcatalog.api.kinds import kind_type
from virtcatalog.catalog.check import Path, Version, fields_of, parse_release, shape_of
from virtcatalog.catalog.model import Source
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.subject import Inventory
from virtcatalog.releases.v1_9 import V1_9_0

NEWER = Rule(
    "newer-than-release",
    "error",
    "An object beside the catalog uses a field that the oldest release in use does not know.",
    "The API server of that release drops the field, and the VM does without what it asks for. In the catalog's own "
    "files this is an `invalid-declaration`.",
    "Do without the field, or raise `kubevirt` in `catalog.yaml` once every cluster runs that release.",
)
UNKNOWN = Rule(
    "unknown-release",
    "warning",
    "`kubevirt` in `catalog.yaml` names a release that is newer than the API that virtcatalog knows.",
    "Fields that came with it are refused as unknown, and VMs are judged by an older release's rules.",
    "Use a virtcatalog that knows the release, or name an older one.",
)
RULES = (NEWER, UNKNOWN)


def check(inventory: Inventory) -> Iterator[Finding]:
    """Check the release itself, and what is newer than it in imported objects."""
    release = parse_release(inventory.release)
    catalog = inventory.catalog
    if catalog is not None and release > parse_release(V1_9_0.name):
        message = f"virtcatalog knows KubeVirt up to {V1_9_0.name}, not {inventory.release}"
        yield UNKNOWN.at(Source(f"{catalog.path}/catalog.yaml"), message, field="kubevirt")
    for each in (*inventory.objects, *inventory.vms):
        kind = kind_type(each.manifest["apiVersion"], each.kind) if each.origin == "import" else None
        if kind is None:
            continue
        for path, since in newer(each.spec, fields_of(kind)["spec"].kind, release, ("spec",)):
            version = ".".join(map(str, since))
            message = f"{path[-1]!r} needs KubeVirt v{version}, and the catalog must work with {inventory.release}"
            yield each.finding(NEWER, message, field_path(path))


def newer(value: Any, kind: Any, release: Version, path: Path) -> Iterator[tuple[Path, Version]]:
    """Yield the fields of plain data that came after a release, with the release that brought each."""
    shape, inner = shape_of(kind)
    if shape == "struct" and isinstance(value, dict):
        fields = fields_of(inner)
        for key, each in value.items():
            field = fields.get(key)
            if field is not None and field.since > release:
                yield (*path, key), field.since
            elif field is not None:
                yield from newer(each, field.kind, release, (*path, key))
    elif shape == "map" and isinstance(value, dict):
        for key, each in value.items():
            yield from newer(each, inner[1], release, (*path, key))
    elif shape == "list" and isinstance(value, list):
        for index, each in enumerate(value):
            yield from newer(each, inner, release, (*path, index))
