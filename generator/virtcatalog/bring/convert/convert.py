"""Objects of old APIs become objects of those that KubeVirt serves: which kind becomes what, and what is lost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from virtcatalog.api.findings import prune_unknown
from virtcatalog.api.kinds import CLUSTER_FLAVOR, FLAVOR, RETIRED, kind_type
from virtcatalog.bring.convert import catalogs, machines
from virtcatalog.bring.convert.change import Changes, Converted, UnconvertibleError, inner
from virtcatalog.bring.convert.presets import preset
from virtcatalog.manifests.merge import fresh

Data = dict[str, Any]

#: Served beside what is stored, and of the same shape: only the version changes, beside fields of earlier releases.
_RENAMED = {
    "kubevirt.io/v1alpha3": "kubevirt.io/v1",
    "pool.kubevirt.io/v1alpha1": "pool.kubevirt.io/v1beta1",
    "snapshot.kubevirt.io/v1alpha1": "snapshot.kubevirt.io/v1beta1",
    "export.kubevirt.io/v1alpha1": "export.kubevirt.io/v1beta1",
    "clone.kubevirt.io/v1alpha1": "clone.kubevirt.io/v1beta1",
    "cdi.kubevirt.io/v1alpha1": "cdi.kubevirt.io/v1beta1",
}
_PRESETS = ("VirtualMachinePreset", "VirtualMachineInstancePreset")


class Conversion:
    """Converts objects that belong together: they refer to each other by names that change."""

    def __init__(self, objects: Iterable[Any], memory: str = "") -> None:
        """Take all objects that are given; `memory` is what instance types get of flavors and presets that say none."""
        self._memory = memory
        self._defaults: dict[tuple[str, str], str] = {}
        self._revisions: dict[str, str] = {}
        for each in objects:
            metadata = each.get("metadata") if isinstance(each, dict) else None
            if not isinstance(metadata, dict):
                continue
            if each.get("kind") in (FLAVOR, CLUSTER_FLAVOR):
                self._defaults[each["kind"].lower(), str(metadata.get("name"))] = catalogs.default_profile(each)
            if each.get("kind") == "ControllerRevision" and (names := catalogs.revision_names(each)):
                self._revisions[names[0]] = names[1]

    def convert(self, manifest: Data) -> Converted | None:
        """Return what becomes of an object; None when it is to stay as it is.

        Raises UnconvertibleError for what nothing valid can be made of.
        """
        version, kind = manifest.get("apiVersion"), manifest.get("kind")
        if not isinstance(version, str) or not isinstance(kind, str):
            return None
        made, changes = fresh(manifest), Changes()
        if (version, kind) == ("kubevirt.io/v1alpha1", "Spice"):
            raise UnconvertibleError(("kind",), "is no object that can be applied: `virtctl vnc` takes its place")
        if kind in _PRESETS and version.startswith("kubevirt.io/"):
            objects = preset(made, changes, self._memory)
            for key in ("kind", "apiVersion") if objects[0]["kind"] in _PRESETS else ():
                if manifest[key] != objects[0][key]:
                    changes.insert(0, _told(key, manifest[key], objects[0][key]))
            return Converted(tuple(objects), tuple(changes))
        served = RETIRED.get((version, kind)) or ((_RENAMED[version], kind) if version in _RENAMED else None)
        objects = self._objects(made, served, changes)
        if not changes and served is None:
            return None
        if served is not None:
            objects = [{**each, "apiVersion": served[0], "kind": served[1]} for each in objects]
            if kind != served[1]:
                changes.insert(0, _told("kind", kind, served[1]))
            changes.insert(0, _told("apiVersion", version, served[0]))
        return Converted(tuple(_known(each, changes) for each in objects), tuple(changes))

    def _objects(self, made: Data, served: tuple[str, str] | None, changes: Changes) -> list[Data]:
        version, kind = str(made["apiVersion"]), served[1] if served else str(made["kind"])
        group = version.rpartition("/")[0]
        if version == "kubevirt.io/v1alpha1" and made.pop("status", None):
            changes.lost(("status",), "the cluster writes it anew")
        if made["kind"] in (FLAVOR, CLUSTER_FLAVOR) and served is not None:
            return catalogs.flavors(made, changes, self._memory)
        if made["kind"] == "ControllerRevision" and version == "apps/v1":
            catalogs.revision(made, changes, self._memory)
        elif group in ("flavor.kubevirt.io", "instancetype.kubevirt.io") and served and "Preference" in kind:
            catalogs.preference(made, (), changes)
        elif group == "kubevirt.io":
            self._machine(made, kind, changes)
        elif group == "pool.kubevirt.io":
            machines.pool(made, changes, self._default_profile, self._revisions)
        elif group == "snapshot.kubevirt.io":
            _backups(made, changes)
        return [made]

    def _machine(self, made: Data, kind: str, changes: Changes) -> None:
        spec = made.get("spec")
        if kind == "VirtualMachine":
            machines.vm(made, changes, self._default_profile, self._revisions)
        elif kind == "VirtualMachineInstance":
            machines.vmi_spec(spec, ("spec",), changes)
        elif kind == "VirtualMachineInstanceReplicaSet":
            machines.vmi_spec(inner(spec, "template", "spec"), ("spec", "template", "spec"), changes)
        elif made["kind"] == "Migration":
            machines.migration(made, changes)

    def _default_profile(self, kind: str, name: str) -> str | None:
        return self._defaults.get((kind.lower().removesuffix("s") or CLUSTER_FLAVOR.lower(), name))


def _told(field: str, old: str, new: str) -> Any:
    changes = Changes()
    changes.changed((field,), old, new)
    return changes[0]


def _backups(made: Data, changes: Changes) -> None:
    backups = inner(made, "spec", "volumeBackups")
    for index, backup in enumerate(backups if isinstance(backups, list) else []):
        if isinstance(backup, dict) and backup.pop("diskName", None) is not None:
            changes.lost(("spec", "volumeBackups", index, "diskName"), "a backup has the name of its volume")


def _known(made: Data, changes: Changes) -> Data:
    """What the API has fields for: it drops all others, which is told."""
    struct = kind_type(made["apiVersion"], made["kind"])
    if struct is None:
        return made
    kept, dropped = prune_unknown(made, struct)
    for path, message in dropped:
        if path[0] != "status":
            changes.lost(path, f"{made['apiVersion']} does not have it: {message}")
    if not dropped:
        return made
    return {
        key: (value if key == "status" else kept.get(key, value))
        for key, value in made.items()
        if key in kept or key == "status"
    }
