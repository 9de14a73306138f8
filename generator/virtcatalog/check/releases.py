"""The KubeVirt release that the catalog must work with."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.decode import prune
from virtcatalog.api.findings import field_path
from virtcatalog.api.kinds import kind_type
from virtcatalog.api.shape import parse_release
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.subject import Inventory, Subject, VmCheck
from virtcatalog.releases import name_minor

NEWER = Rule(
    "newer-than-release",
    "error",
    "An object uses a field that a KubeVirt release in use does not know.",
    "The API server of that release drops the field, and the VM does without what it asks for. In the catalog's own "
    "files this is an `invalid-declaration`, unless it is `--kubevirt` that asks about an older release than they say.",
    "Do without the field, or raise `kubevirt` in `catalog.yaml` once every cluster runs that release.",
)
OTHER = Rule(
    "contradicting-release",
    "warning",
    "An environment is said to run another KubeVirt release than the KubeVirt CR given says that its cluster runs.",
    "Its VMs are judged by the release in `overlays.yaml`, and the cluster may refuse or change them.",
    "Say in `overlays.yaml` which release the environment runs, or leave out the KubeVirt CR of another cluster.",
)
PREVIEW = Rule(
    "preview-release",
    "note",
    "VMs are judged by a preview: KubeVirt as a branch has it, ahead of a release.",
    "What the branch does may change until it is released, and no cluster may run it yet.",
    "Take it for what is to come, and check against the releases that clusters run, too.",
)
RULES = (NEWER, OTHER, PREVIEW)


def check(inventory: Inventory) -> Iterator[Finding]:
    """Check that clusters run the environments' releases, and that no field is newer than the oldest release.

    What the catalog declares was checked as it was read, against the oldest release that it must work with.
    """
    if inventory.conditions.release is None:
        yield from _contradictions(inventory)
    yield from _previews(inventory)
    for subject in inventory.objects:
        yield from _newer(subject, inventory)


class Vms(VmCheck):
    """Checks the fields of VMs."""

    def check(self, vm: Subject) -> Iterator[Finding]:
        """Look for fields that the release does not know."""
        return _newer(vm, self.inventory)


def _newer(subject: Subject, inventory: Inventory) -> Iterator[Finding]:
    requested, oldest = inventory.conditions.release, parse_release(inventory.release)
    kind = kind_type(subject.manifest["apiVersion"], subject.kind)
    imported = subject.origin == "import"
    if kind is None or not (imported or requested):
        return
    release, whose = oldest, f"the catalog must work with {inventory.release}"
    if requested is not None and (requested.minor < oldest or not imported):
        release, whose = requested.minor, f"what is asked about is {requested}"
    for path, since in prune(subject.manifest, kind, release)[1].items():
        yield subject.finding(NEWER, f"{path[-1]!r} needs KubeVirt {name_minor(since)}, and {whose}", field_path(path))


def _previews(inventory: Inventory) -> Iterator[Finding]:
    requested = inventory.conditions.release or inventory.conditions.usual
    if requested is not None and requested.preview:
        yield Finding(message=requested.preview, rule=PREVIEW.id, severity=PREVIEW.severity)
    for overlay in inventory.overlays if inventory.conditions.release is None else ():
        release = inventory.choice(inventory.configurations(overlay.name), overlay.name).release
        if overlay.kubevirt and release.preview:
            yield PREVIEW.at(overlay.source, release.preview, field=f"{overlay.name}.kubevirt")


def _contradictions(inventory: Inventory) -> Iterator[Finding]:
    for overlay in inventory.overlays:
        configurations = inventory.configurations(overlay.name)
        overruled = inventory.choice(configurations, overlay.name).overruled if overlay.kubevirt else ""
        if overruled:
            yield OTHER.at(overlay.source, overruled, field=f"{overlay.name}.kubevirt")
