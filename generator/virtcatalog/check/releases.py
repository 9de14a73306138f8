"""The KubeVirt release that the catalog must work with."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.findings import field_path
from virtcatalog.api.kinds import kind_type
from virtcatalog.api.newer import prune
from virtcatalog.api.shape import parse_release
from virtcatalog.catalog.model import Source
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.subject import Inventory
from virtcatalog.releases import DEFAULT

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
    if catalog is not None and release > parse_release(DEFAULT.name):
        message = f"virtcatalog knows KubeVirt up to {DEFAULT.name}, not {inventory.release}"
        yield UNKNOWN.at(Source(f"{catalog.path}/catalog.yaml"), message, field="kubevirt")
    for each in (*inventory.objects, *inventory.vms):
        kind = kind_type(each.manifest["apiVersion"], each.kind) if each.origin == "import" else None
        if kind is None:
            continue
        for path, since in prune(each.manifest, kind, release)[1].items():
            version = ".".join(map(str, since))
            message = f"{path[-1]!r} needs KubeVirt v{version}, and the catalog must work with {inventory.release}"
            yield each.finding(NEWER, message, field_path(path))
