"""The cluster that a VM meets: the KubeVirt configuration and the objects that VMs refer to."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any

from virtcatalog.api.cdi import DataSource, DataVolume
from virtcatalog.api.core import ControllerRevision, ObjectMeta, PersistentVolumeClaim
from virtcatalog.api.decode import decode_manifest
from virtcatalog.api.instancetype import (
    VirtualMachineClusterInstancetype,
    VirtualMachineClusterPreference,
    VirtualMachineInstancetype,
    VirtualMachinePreference,
)
from virtcatalog.api.kinds import CLUSTER_SCOPED, kind_type, unserved
from virtcatalog.api.kubevirt import VirtualMachineInstancePreset
from virtcatalog.api.object import Status
from virtcatalog.api.operator import KubeVirt
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.hosts import HOSTS, HostProfile

Instancetype = VirtualMachineInstancetype | VirtualMachineClusterInstancetype
Preference = VirtualMachinePreference | VirtualMachineClusterPreference


class PartialObjectMetadata(Status):
    """`meta/v1 PartialObjectMetadata`: an object of which only the metadata matters."""

    metadata: ObjectMeta


_METADATA_ONLY = {("v1", "Namespace"), ("snapshot.storage.k8s.io/v1", "VolumeSnapshot")}
_CLUSTER_WIDE = CLUSTER_SCOPED | {"Namespace"}


class Cluster:
    """Manifests, decoded and found by kind, namespace and name; ManifestError names everything that is wrong in them.

    An object without a namespace is in `default`; of two with one identity the later counts, as does the last KubeVirt
    CR. `architecture` is the architecture of VMs that do not name one. Objects of kinds that no VM refers to are kept
    in `others`. Everything that the look-ups return is the cluster's own: read it, do not change it.
    """

    def __init__(
        self,
        manifests: Iterable[dict[str, Any]] = (),
        *,
        architecture: str = "amd64",
        host: HostProfile = HOSTS["reference"],
    ) -> None:
        self.architecture = architecture
        self.host = host
        self.others: list[dict[str, Any]] = []
        self._objects: dict[tuple[str, str, str], Any] = {}
        self.all_presets: dict[str, list[VirtualMachineInstancePreset]] = {}
        kubevirt: KubeVirt | None = None
        problems: list[Problem] = []
        for manifest in manifests:
            try:
                obj = _decode(manifest)
            except ManifestError as error:
                problems += error.problems
                continue
            if obj is None:
                self.others.append(manifest)
            elif isinstance(obj, KubeVirt):
                kubevirt = obj
            else:
                self._add(manifest["kind"], obj)
        if problems:
            raise ManifestError(*problems)
        for preset in self._kind("VirtualMachineInstancePreset"):
            self.all_presets.setdefault(preset.metadata.namespace or "default", []).append(preset)
        self.configuration = Configuration(
            kubevirt.spec.configuration if kubevirt else None,
            annotations=kubevirt.metadata.annotations if kubevirt else None,
            architecture=architecture,
        )

    def without_configuration(self) -> Cluster:
        """Return the cluster as it would be with an empty KubeVirt CR."""
        other = copy(self)
        other.configuration = Configuration(architecture=self.architecture)
        return other

    def without_presets(self, *names: str) -> Cluster:
        """Return the cluster as it would be without the presets of these names, in any namespace."""
        other = copy(self)
        other.all_presets = {
            namespace: [preset for preset in presets if preset.metadata.name not in names]
            for namespace, presets in self.all_presets.items()
        }
        return other

    def _add(self, kind: str, obj: Any) -> None:
        namespace = "" if kind in _CLUSTER_WIDE else obj.metadata.namespace or "default"
        self._objects[kind, namespace, obj.metadata.name] = obj

    def _kind(self, wanted: str) -> list[Any]:
        return [obj for (kind, _, _), obj in self._objects.items() if kind == wanted]

    def instancetype(self, kind: str, namespace: str, name: str) -> Instancetype | None:
        """Look up an instance type; `namespace` is "" for `VirtualMachineClusterInstancetype`."""
        found: Instancetype | None = self._objects.get((kind, namespace, name))
        return found

    def preference(self, kind: str, namespace: str, name: str) -> Preference | None:
        """Look up a preference; `namespace` is "" for `VirtualMachineClusterPreference`."""
        found: Preference | None = self._objects.get((kind, namespace, name))
        return found

    def presets(self, namespace: str) -> list[VirtualMachineInstancePreset]:
        """Return the presets of a namespace."""
        return self.all_presets.get(namespace, [])

    def controller_revision(self, namespace: str, name: str) -> ControllerRevision | None:
        """Look up a ControllerRevision."""
        found: ControllerRevision | None = self._objects.get(("ControllerRevision", namespace, name))
        return found

    def pvc(self, namespace: str, name: str) -> PersistentVolumeClaim | None:
        """Look up a PersistentVolumeClaim."""
        found: PersistentVolumeClaim | None = self._objects.get(("PersistentVolumeClaim", namespace, name))
        return found

    def data_volume(self, namespace: str, name: str) -> DataVolume | None:
        """Look up a DataVolume."""
        found: DataVolume | None = self._objects.get(("DataVolume", namespace, name))
        return found

    def data_source(self, namespace: str, name: str) -> DataSource | None:
        """Look up a DataSource."""
        found: DataSource | None = self._objects.get(("DataSource", namespace, name))
        return found

    def volume_snapshot(self, namespace: str, name: str) -> PartialObjectMetadata | None:
        """Look up a VolumeSnapshot's metadata."""
        found: PartialObjectMetadata | None = self._objects.get(("VolumeSnapshot", namespace, name))
        return found

    def namespace(self, name: str) -> PartialObjectMetadata | None:
        """Look up a Namespace's metadata."""
        found: PartialObjectMetadata | None = self._objects.get(("Namespace", "", name))
        return found


def _decode(manifest: dict[str, Any]) -> Any:
    """Read a manifest, None when VMs do not refer to its kind."""
    version, kind = (manifest.get("apiVersion"), manifest.get("kind")) if isinstance(manifest, dict) else (None, None)
    if isinstance(version, str) and isinstance(kind, str):
        if (version, kind) in _METADATA_ONLY:
            return decode_manifest(manifest, PartialObjectMetadata)
        if kind_type(version, kind) is None and unserved(version, kind) is None:
            return None
    return decode_manifest(manifest)
