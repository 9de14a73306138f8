"""Converts objects of old APIs: which kind becomes which, and the fields that are lost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from virtcatalog.api.findings import prune_unknown
from virtcatalog.api.kinds import CLUSTER_FLAVOR, FLAVOR, RETIRED, kind_type
from virtcatalog.bring.convert import catalogs, machines
from virtcatalog.bring.convert.change import Change, Changes, Converted, UnconvertibleError
from virtcatalog.bring.convert.presets import preset
from virtcatalog.manifests.fields import get
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.merge import fresh

#: Versions that differ from the present ones in the fields of earlier releases at most.
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
    """Converts a set of objects, which refer to each other by names that change."""

    def __init__(self, objects: Iterable[Any], memory: str = "") -> None:
        """Read the names of all objects; `memory` is for instance types whose flavor or preset has none."""
        self._memory = memory
        self._defaults: dict[tuple[str, str], str] = {}
        self._revisions: dict[str, str] = {}
        for manifest in objects:
            metadata = manifest.get("metadata") if isinstance(manifest, dict) else None
            if not isinstance(metadata, dict):
                continue
            if manifest.get("kind") in (FLAVOR, CLUSTER_FLAVOR):
                self._defaults[manifest["kind"].lower(), str(metadata.get("name"))] = catalogs.default_profile(manifest)
            if manifest.get("kind") == "ControllerRevision" and (names := catalogs.revision_names(manifest)):
                self._revisions[names[0]] = names[1]

    def convert(self, manifest: Data) -> Converted | None:
        """Return the conversion of an object; None when it stays as it is.

        Raises UnconvertibleError for an object that has no valid equivalent.
        """
        version, kind = manifest.get("apiVersion"), manifest.get("kind")
        if not isinstance(version, str) or not isinstance(kind, str):
            return None
        data, changes = fresh(manifest), Changes()
        if (version, kind) == ("kubevirt.io/v1alpha1", "Spice"):
            raise UnconvertibleError(("kind",), "is no object that can be applied: `virtctl vnc` takes its place")
        if kind in _PRESETS and version.startswith("kubevirt.io/"):
            objects = preset(data, changes, self._memory)
            for key in ("kind", "apiVersion") if objects[0]["kind"] in _PRESETS else ():
                if manifest[key] != objects[0][key]:
                    changes.insert(0, _value_change(key, manifest[key], objects[0][key]))
            return Converted(tuple(objects), tuple(changes))
        served = RETIRED.get((version, kind)) or ((_RENAMED[version], kind) if version in _RENAMED else None)
        objects = self._objects(data, served, changes)
        if not changes and served is None:
            return None
        if served is not None:
            objects = [{**converted, "apiVersion": served[0], "kind": served[1]} for converted in objects]
            if kind != served[1]:
                changes.insert(0, _value_change("kind", kind, served[1]))
            changes.insert(0, _value_change("apiVersion", version, served[0]))
        return Converted(tuple(_without_unknown(converted, changes) for converted in objects), tuple(changes))

    def _objects(self, data: Data, served: tuple[str, str] | None, changes: Changes) -> list[Data]:
        version, kind = str(data["apiVersion"]), served[1] if served else str(data["kind"])
        group = version.rpartition("/")[0]
        if version == "kubevirt.io/v1alpha1" and data.pop("status", None):
            changes.lost(("status",), "the cluster writes it anew")
        if data["kind"] in (FLAVOR, CLUSTER_FLAVOR) and served is not None:
            return catalogs.flavors(data, changes, self._memory)
        if data["kind"] == "ControllerRevision" and version == "apps/v1":
            catalogs.revision(data, changes, self._memory)
        elif group in ("flavor.kubevirt.io", "instancetype.kubevirt.io") and served and "Preference" in kind:
            catalogs.preference(data, (), changes)
        elif group == "kubevirt.io":
            self._machine(data, kind, changes)
        elif group == "pool.kubevirt.io":
            machines.pool(data, changes, self._default_profile, self._revisions)
        elif group == "snapshot.kubevirt.io":
            _volume_backups(data, changes)
        return [data]

    def _machine(self, data: Data, kind: str, changes: Changes) -> None:
        spec = data.get("spec")
        if kind == "VirtualMachine":
            machines.vm(data, changes, self._default_profile, self._revisions)
        elif kind == "VirtualMachineInstance":
            machines.vmi_spec(spec, ("spec",), changes)
        elif kind == "VirtualMachineInstanceReplicaSet":
            machines.vmi_spec(get(spec, ("template", "spec")), ("spec", "template", "spec"), changes)
        elif data["kind"] == "Migration":
            machines.migration(data, changes)

    def _default_profile(self, kind: str, name: str) -> str | None:
        return self._defaults.get((kind.lower().removesuffix("s") or CLUSTER_FLAVOR.lower(), name))


def _value_change(field: str, old: str, new: str) -> Change:
    return Change("changed", (field,), field, f"{old} → {new}")


def _volume_backups(data: Data, changes: Changes) -> None:
    backups = get(data, ("spec", "volumeBackups"))
    for index, backup in enumerate(backups if isinstance(backups, list) else []):
        if isinstance(backup, dict) and backup.pop("diskName", None) is not None:
            changes.lost(("spec", "volumeBackups", index, "diskName"), "a backup has the name of its volume")


def _without_unknown(data: Data, changes: Changes) -> Data:
    """The fields that the API has; all others are noted as lost."""
    struct = kind_type(data["apiVersion"], data["kind"])
    if struct is None:
        return data
    fields, dropped = prune_unknown(data, struct)
    for path, message in dropped:
        if path[0] != "status":
            changes.lost(path, f"{data['apiVersion']} does not have it: {message}")
    if not dropped:
        return data
    return {
        key: (value if key == "status" else fields.get(key, value))
        for key, value in data.items()
        if key in fields or key == "status"
    }
