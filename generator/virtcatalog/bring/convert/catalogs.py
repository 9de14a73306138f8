"""Instance types and preferences of the alpha APIs, the flavors before them, and the ControllerRevisions of both.

Source: staging/src/kubevirt.io/api/instancetype/v1alpha{1,2}/conversion.go, pkg/instancetype/compatibility.go and
pkg/instancetype/upgrade.go of the releases that served them.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
from msgspec.structs import replace

from virtcatalog.api.decode import convert
from virtcatalog.api.findings import Path, prune_unknown
from virtcatalog.api.govalues import from_base64
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.kinds import CATALOG_API_VERSION, INSTANCETYPE, PREFERENCE, RETIRED
from virtcatalog.bring.convert.change import Changes, UnconvertibleError, vcpus
from virtcatalog.bring.convert.machines import maps, profile_name
from virtcatalog.kubevirt.instancetype.revision import GROUP, OBJECT_NAME_LABEL, VERSION
from virtcatalog.manifests.fields import get, map_at
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.merge import fresh

#: The names of topologies in v1alpha1 and v1alpha2; KubeVirt still reads them.
_TOPOLOGIES = {
    "preferCores": "cores",
    "preferSockets": "sockets",
    "preferThreads": "threads",
    "preferSpread": "spread",
    "preferAny": "any",
}
_OLD = frozenset({"flavor.kubevirt.io/v1alpha1", *(f"{GROUP}/{version}" for version in ("v1alpha1", "v1alpha2"))})
#: The end of the name of a ControllerRevision: the version, which the oldest names lack, the uid and the generation.
_REVISION = re.compile(r"-(?:(v[0-9][a-z0-9]*)-)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-([0-9]+)$")


def preference(data: Data, path: Path, changes: Changes) -> None:
    """Convert a preference's spec in place; `path` is where the object stands.

    Source: Convert_v1alpha2_CPUPreferences_To_v1beta1_CPUPreferences: an empty topology is unset.
    """
    cpu = map_at(data, "spec", "cpu")
    topology = cpu.get("preferredCPUTopology")
    field = (*path, "spec", "cpu", "preferredCPUTopology")
    if topology == "":
        del cpu["preferredCPUTopology"]
        changes.changed(field, '""', "left out", "it is the default")
    elif isinstance(topology, str) and topology in _TOPOLOGIES:
        cpu["preferredCPUTopology"] = _TOPOLOGIES[topology]
        changes.changed(field, topology, _TOPOLOGIES[topology])


def flavors(data: Data, changes: Changes, memory: str) -> list[Data]:
    """Return the instance types that a VirtualMachineFlavor becomes: one, or one for each profile of the oldest API.

    `memory` is the memory of instance types whose flavor has none, or "": a flavor could leave it to the VM.
    """
    kind = RETIRED[data["apiVersion"], data["kind"]][1]
    if "profiles" not in data:
        instancetype = {**data, "apiVersion": CATALOG_API_VERSION, "kind": kind}
        if isinstance(instancetype.get("spec"), dict):
            _old_cpu(instancetype["spec"], ("spec", "cpu"), changes)
            _required(instancetype["spec"], ("spec",), changes, memory)
        return [instancetype]
    profiles = data.get("profiles")
    instancetypes = []
    for index, profile in enumerate(profiles if isinstance(profiles, list) else []):
        if not isinstance(profile, dict):
            raise UnconvertibleError(("profiles", index), "a profile is a map")
        instancetypes.append(_profile(data, index, profile, kind, changes, memory))
    if not instancetypes:
        raise UnconvertibleError(("profiles",), "a flavor without a profile gives no instance type")
    return instancetypes


def _profile(data: Data, index: int, profile: Data, kind: str, changes: Changes, memory: str) -> Data:
    path: Path = ("profiles", index)
    metadata = fresh(map_at(data, "metadata"))
    metadata["name"] = profile_name(
        str(metadata.get("name") or ""), str(profile.get("name") or ""), default_profile(data)
    )
    spec: Data = {"cpu": fresh(map_at(profile, "cpu"))}
    changes.moved((*path, "name"), "metadata.name", f"the instance type {metadata['name']}")
    for key in profile:
        if key not in ("name", "default", "cpu"):
            changes.lost((*path, key), "an instance type has no such field")
    if profile.get("default"):
        changes.moved((*path, "default"), "metadata.name", "the default profile's instance type has the flavor's name")
    changes.moved((*path, "cpu"), "spec.cpu")
    _old_cpu(spec, (*path, "cpu"), changes)
    _required(spec, path, changes, memory)
    return {"apiVersion": CATALOG_API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}


def default_profile(flavor: Data) -> str:
    """Return the name of a flavor's default profile; "" when it has none."""
    return next(
        (str(profile.get("name") or "") for profile in maps(flavor.get("profiles")) if profile.get("default")), ""
    )


def _old_cpu(spec: Data, path: Path, changes: Changes) -> None:
    """The CPU of the oldest flavors is a VMI's: its topology gives the number of vCPUs."""
    cpu = spec.get("cpu")
    if not isinstance(cpu, dict) or "guest" in cpu:
        return
    topology = {key: cpu.pop(key) for key in ("sockets", "cores", "threads") if key in cpu}
    cpu = spec["cpu"] = {"guest": vcpus(topology, path) or 1, **cpu}
    for key in topology:
        changes.moved((*path, key), "spec.cpu.guest", f"{cpu['guest']} vCPUs; a preference lays them out")
    if not topology:
        changes.added((*path, "guest"), "1 vCPU, what a VM has that says nothing")
    if "dedicatedCpuPlacement" in cpu:
        changes.moved((*path, "dedicatedCpuPlacement"), "spec.cpu.dedicatedCPUPlacement")
        cpu["dedicatedCPUPlacement"] = cpu.pop("dedicatedCpuPlacement")
    if cpu.pop("features", None):
        changes.lost((*path, "features"), "a preference says them: spec.cpu.preferredCPUFeatures")


def _required(spec: Data, path: Path, changes: Changes, memory: str) -> None:
    if get(spec, ("memory", "guest")) is not None:
        return
    field = (*path, "memory", "guest")
    if not memory:
        raise UnconvertibleError(
            field, "an instance type has to say its memory, and this flavor says none: give it with --memory"
        )
    spec["memory"] = {**map_at(spec, "memory"), "guest": memory}
    changes.added(field, f"{memory}, as it was asked for")


def revision_names(data: Data) -> tuple[str, str] | None:
    """Return the old and the new name of a ControllerRevision that has to be converted; None for any other.

    The data of a ControllerRevision is immutable, so the converted one needs another name. Source: GenerateName in
    pkg/instancetype/revision/store.go.
    """
    version, name = get(data, ("data", "apiVersion")), get(data, ("metadata", "name"))
    if not isinstance(version, str) or not isinstance(name, str) or version not in _OLD:
        return None
    match = _REVISION.search(name)
    return name, f"{name[: match.start()]}-{VERSION}-{match[2]}-{match[3]}" if match else f"{name}-{VERSION}"


def revision(data: Data, changes: Changes, memory: str) -> None:
    """Convert a ControllerRevision that holds an instance type or preference of an alpha API, in place."""
    names = revision_names(data)
    if names is None:
        return
    contents = data["data"]
    if isinstance(contents.get("spec"), str):
        contents = _spec_revision(data, changes)
    kind = contents.get("kind")
    if "Flavor" in str(kind) and (contents["apiVersion"], kind) in RETIRED:
        contents_changes = Changes()
        contents = flavors(contents, contents_changes, memory)[0]
        changes += [replace(change, path=("data", *change.path)) for change in contents_changes]
    elif "Preference" in str(kind):
        preference(contents, ("data",), changes)
    changes.changed(("data", "apiVersion"), data["data"]["apiVersion"], CATALOG_API_VERSION)
    data["data"] = {**contents, "apiVersion": CATALOG_API_VERSION}
    metadata = data["metadata"]
    metadata["name"] = names[1]
    changes.changed(
        ("metadata", "name"), *names, "a revision's data cannot change in a cluster: delete the old one after its VMs"
    )
    labels = metadata.get("labels")
    key = f"{GROUP}/object-version"
    if isinstance(labels, dict) and labels.get(key) != VERSION:
        if key in labels:
            changes.changed(("metadata", "labels", key), labels[key], VERSION)
        else:
            changes.added(("metadata", "labels", key), VERSION)
        labels[key] = VERSION


def _spec_revision(data: Data, changes: Changes) -> Data:
    """Return the object of a revision of the oldest form: the JSON of its spec in base64, without kind and scope.

    Source: decodeSpecRevision, which tries the preference first.
    """
    path: Path = ("data", "spec")
    try:
        spec = json.loads(from_base64(data["data"]["spec"]))
    except (ValueError, RecursionError):
        raise UnconvertibleError(path, "is not the JSON of a spec in base64") from None
    kind = _kind_of(spec)
    if kind is None:
        raise UnconvertibleError(path, "holds neither an instance type's spec nor a preference's")
    metadata = data["metadata"]
    match = _REVISION.search(metadata["name"])
    owners = metadata.get("ownerReferences")
    names = [get(owner, ("name",)) for owner in owners] if isinstance(owners, list) else []
    head = metadata["name"][: match.start()] if match else ""
    object_name = next((head.removeprefix(f"{owner}-") for owner in names if head.startswith(f"{owner}-")), "")
    identity: Data = {
        "name": object_name or f"old-version-of-{'instancetype' if kind == INSTANCETYPE else 'preference'}-object"
    }
    if match:
        identity |= {"uid": match[2], "generation": int(match[3])}
        labels = {"generation": match[3], "kind": kind, "uid": match[2]} | (
            {"name": object_name} if object_name else {}
        )
        metadata["labels"] = map_at(metadata, "labels") | {
            f"{GROUP}/object-{key}": value for key, value in sorted(labels.items())
        }
        metadata["labels"] |= {f"{GROUP}/object-version": VERSION}
        changes.added(("metadata", "labels"), f"what KubeVirt finds a revision by, such as {OBJECT_NAME_LABEL}")
    changes.changed(path, "base64", f"a {kind}", "the revision does not say of which scope; both have one spec")
    return {"apiVersion": CATALOG_API_VERSION, "kind": kind, "metadata": identity, "spec": spec}


def _kind_of(spec: Any) -> str | None:
    """Return the kind whose fields a spec has alone, the preference before the instance type; None without one."""
    structs: dict[str, type[msgspec.Struct]] = {
        PREFERENCE: VirtualMachinePreferenceSpec,
        INSTANCETYPE: VirtualMachineInstancetypeSpec,
    }
    for kind, struct in structs.items():
        if isinstance(spec, dict) and not prune_unknown(spec, struct)[1]:
            try:
                convert(spec, struct)
            except msgspec.ValidationError:
                continue
            return kind
    return None
