"""VMs, VMIs, migrations and pools of API versions before v1.

Source: pkg/api/v1/types.go before VirtualMachine became VirtualMachineInstance and OfflineVirtualMachine became
VirtualMachine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from virtcatalog.api.findings import Path, field_path
from virtcatalog.api.kinds import API_VERSIONS, CLUSTER_FLAVOR, CLUSTER_INSTANCETYPE, FLAVOR, INSTANCETYPE
from virtcatalog.bring.convert.change import Changes
from virtcatalog.manifests.fields import get, map_at
from virtcatalog.manifests.identity import Data

#: The name of a flavor's default profile, "" without one, by the flavor's kind and name; None for an unknown flavor.
DefaultProfile = Callable[[str, str], str | None]

_FLAVOR_KINDS = {FLAVOR.lower(): INSTANCETYPE, CLUSTER_FLAVOR.lower(): CLUSTER_INSTANCETYPE}
_CASES = {"Running": "running", "Template": "template"}


def profile_name(flavor: str, profile: str, default: str | None) -> str:
    """Return the name of the instance type that a flavor's profile becomes: the default one's is the flavor's."""
    return flavor if not profile or profile == default else f"{flavor}-{profile}"


def vm(data: Data, changes: Changes, default_profile: DefaultProfile, revisions: Mapping[str, str]) -> None:
    """Convert a VirtualMachine's spec, of any version, in place; `revisions` are new names by old ones."""
    spec = data.get("spec")
    if not isinstance(spec, dict):
        return
    old_keys = {new: old for old, new in _CASES.items() if old in spec and new not in spec}
    for new, old in old_keys.items():
        changes.renamed(("spec", old), new)
        _rename(spec, old, new)
    _flavor(spec, changes, default_profile)
    _live_update(spec, changes)
    for key in ("instancetype", "preference"):
        _revision(data, key, revisions, changes)
    for index, volume in enumerate(maps(spec.get("dataVolumeTemplates"))):
        if str(volume.get("apiVersion")).startswith("cdi.kubevirt.io/v1alpha"):
            path: Path = ("spec", "dataVolumeTemplates", index, "apiVersion")
            changes.changed(path, volume["apiVersion"], API_VERSIONS["DataVolume"])
            volume["apiVersion"] = API_VERSIONS["DataVolume"]
    template = spec.get("template")
    if isinstance(template, dict):
        vmi_spec(template.get("spec"), ("spec", old_keys.get("template", "template"), "spec"), changes)
        for index, change in enumerate(changes):
            changes[index] = replace(change, to=change.to.replace("spec.Template.", "spec.template."))


def vmi_spec(spec: Any, path: Path, changes: Changes) -> None:
    """Convert the spec of a VMI in place; `path` is where it stands."""
    if not isinstance(spec, dict):
        return
    for index, disk in enumerate(maps(get(spec, ("domain", "devices", "disks")))):
        _disk(disk, (*path, "domain", "devices", "disks", index), changes)
    for index, volume in enumerate(maps(spec.get("volumes"))):
        if "registryDisk" in volume and "containerDisk" not in volume:
            changes.renamed((*path, "volumes", index, "registryDisk"), "containerDisk")
            _rename(volume, "registryDisk", "containerDisk")
    for index, network in enumerate(maps(spec.get("networks"))):
        if "genie" in network:
            changes.lost(
                (*path, "networks", index, "genie"), "KubeVirt knows Multus only: give the network as `multus`"
            )
            del network["genie"]


def _disk(disk: Data, path: Path, changes: Changes) -> None:
    """Convert a disk in place: its volume is the one of its name."""
    volume, name = disk.get("volumeName"), disk.get("name")
    if "volumeName" in disk:
        del disk["volumeName"]
        if isinstance(volume, str) and volume and volume != name:
            changes.changed((*path, "name"), name, volume, "a disk has the name of its volume")
            disk["name"] = volume
        changes.moved((*path, "volumeName"), f"{field_path(path)}.name", "a disk's volume is the one of its name")
    if "floppy" in disk:
        changes.lost((*path, "floppy"), "KubeVirt has no floppy disks: without it this is a hard disk")
        del disk["floppy"]


def _flavor(spec: Data, changes: Changes, default_profile: DefaultProfile) -> None:
    matcher = spec.get("flavor")
    if not isinstance(matcher, dict) or "instancetype" in spec:
        return
    changes.renamed(("spec", "flavor"), "instancetype")
    new_matcher = dict(matcher)
    kind = str(new_matcher.get("kind") or "")
    if new_kind := _FLAVOR_KINDS.get(kind.lower().removesuffix("s")):
        new_matcher["kind"] = new_kind
        changes.changed(("spec", "flavor", "kind"), kind, new_kind)
    profile = new_matcher.pop("profile", None)
    if profile:
        flavor = str(new_matcher.get("name") or "")
        default = default_profile(kind, flavor)
        new_matcher["name"] = profile_name(flavor, str(profile), default)
        unsure = "" if default is not None else f"the flavor is not among the files; {flavor} if it was the default one"
        changes.moved(("spec", "flavor", "profile"), "spec.instancetype.name", unsure or new_matcher["name"])
    _rename(spec, "flavor", "instancetype", new_matcher)


def _live_update(spec: Data, changes: Changes) -> None:
    """Move the limits of hotplug into the domain; the rest is now the cluster's rollout strategy."""
    features = spec.pop("liveUpdateFeatures", None)
    if not isinstance(features, dict):
        return
    for part, key in (("cpu", "maxSockets"), ("memory", "maxGuest")):
        limit, domain = get(features, (part, key)), get(spec, ("template", "spec", "domain"))
        if limit is not None and isinstance(domain, dict):
            path = f"spec.template.spec.domain.{part}.{key}"
            changes.moved(("spec", "liveUpdateFeatures", part, key), path)
            domain[part] = {**map_at(domain, part), key: limit}
    changes.lost(
        ("spec", "liveUpdateFeatures"),
        "what a running VM takes over is the KubeVirt CR's to say: vmRolloutStrategy LiveUpdate",
    )


def _revision(data: Data, key: str, revisions: Mapping[str, str], changes: Changes) -> None:
    """Replace the names of ControllerRevisions that are converted, too."""
    matcher = map_at(data, "spec", key)
    if (old := str(matcher.get("revisionName"))) in revisions:
        matcher["revisionName"] = revisions[old]
        changes.changed(("spec", key, "revisionName"), old, revisions[old])
    reference = map_at(data, "status", f"{key}Ref", "controllerRevisionRef")
    if (old := str(reference.get("name"))) in revisions:
        reference["name"] = revisions[old]
        changes.changed(("status", f"{key}Ref", "controllerRevisionRef", "name"), old, revisions[old])


def migration(data: Data, changes: Changes) -> None:
    """Convert a v1alpha1 Migration's spec in place."""
    spec = data.get("spec")
    if not isinstance(spec, dict):
        return
    selector = spec.pop("selector", None)
    if isinstance(selector, dict):
        spec["vmiName"] = selector.get("name")
        changes.moved(("spec", "selector", "name"), "spec.vmiName")
    elif selector is not None:
        changes.lost(("spec", "selector"), "it is no map with a name: say the VMI's in spec.vmiName")
    if "nodeSelector" in spec:
        changes.renamed(("spec", "nodeSelector"), "addedNodeSelector")
        _rename(spec, "nodeSelector", "addedNodeSelector")


def pool(data: Data, changes: Changes, default_profile: DefaultProfile, revisions: Mapping[str, str]) -> None:
    """Convert a VirtualMachinePool's spec in place."""
    spec = data.get("spec")
    if not isinstance(spec, dict):
        return
    for strategy in ("scaleInStrategy", "updateStrategy"):
        policy = map_at(spec, strategy, "proactive", "selectionPolicy")
        if "basePolicy" in policy:
            changes.renamed(("spec", strategy, "proactive", "selectionPolicy", "basePolicy"), "sortPolicy")
            _rename(policy, "basePolicy", "sortPolicy")
    template = spec.get("virtualMachineTemplate")
    if isinstance(template, dict):
        vm_changes = Changes()
        vm(template, vm_changes, default_profile, revisions)
        base = ("spec", "virtualMachineTemplate")
        for change in vm_changes:
            to = f"{field_path(base)}.{change.to}" if change.to else ""
            changes.append(replace(change, path=(*base, *change.path), to=to))


def _rename(data: Data, old: str, new: str, value: Any = None) -> None:
    """Give an entry another key, in its place."""
    entries = list(data.items())
    data.clear()
    for key, entry in entries:
        data[new if key == old else key] = value if key == old and value is not None else entry


def maps(items: Any) -> Iterator[Data]:
    """Yield the items of a list, an empty map in place of items of other types."""
    return (item if isinstance(item, dict) else {} for item in (items if isinstance(items, list) else ()))
