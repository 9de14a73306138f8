"""The cluster that a VM meets: the KubeVirt configuration and the objects that VMs refer to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from virtcatalog.api.cdi import DataSource, DataVolume
from virtcatalog.api.configuration import KubeVirtConfiguration
from virtcatalog.api.core import ObjectMeta, PersistentVolumeClaim
from virtcatalog.api.decode import convert
from virtcatalog.api.instancetype import (
    VirtualMachineClusterInstancetype,
    VirtualMachineClusterPreference,
    VirtualMachineInstancetype,
    VirtualMachinePreference,
)
from virtcatalog.api.kubevirt import VirtualMachineInstancePreset
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.expand.configuration import Configuration

if TYPE_CHECKING:
    from virtcatalog.domain.host import HostProfile

T = TypeVar("T", bound=msgspec.Struct)
Instancetype = VirtualMachineInstancetype | VirtualMachineClusterInstancetype
Preference = VirtualMachinePreference | VirtualMachineClusterPreference


class PartialObjectMetadata(msgspec.Struct, rename="camel", kw_only=True):
    """`meta/v1 PartialObjectMetadata`: an object of which only the metadata matters."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)


class ControllerRevision(PartialObjectMetadata):
    """`apps/v1 ControllerRevision`; `data` is the object that it preserves, as it was written."""

    data: dict[str, Any] | None = None
    revision: int = 0


_KINDS: Mapping[tuple[str, str], type[msgspec.Struct]] = {
    ("", "Namespace"): PartialObjectMetadata,
    ("", "PersistentVolumeClaim"): PersistentVolumeClaim,
    ("apps", "ControllerRevision"): ControllerRevision,
    ("cdi.kubevirt.io", "DataSource"): DataSource,
    ("cdi.kubevirt.io", "DataVolume"): DataVolume,
    ("instancetype.kubevirt.io", "VirtualMachineClusterInstancetype"): VirtualMachineClusterInstancetype,
    ("instancetype.kubevirt.io", "VirtualMachineClusterPreference"): VirtualMachineClusterPreference,
    ("instancetype.kubevirt.io", "VirtualMachineInstancetype"): VirtualMachineInstancetype,
    ("instancetype.kubevirt.io", "VirtualMachinePreference"): VirtualMachinePreference,
    ("kubevirt.io", "VirtualMachineInstancePreset"): VirtualMachineInstancePreset,
    ("snapshot.storage.k8s.io", "VolumeSnapshot"): PartialObjectMetadata,
}
_CLUSTER_WIDE = {"Namespace", "VirtualMachineClusterInstancetype", "VirtualMachineClusterPreference"}


class Cluster:
    """Manifests, decoded and found by kind, namespace and name; ManifestError names everything that is wrong in them.

    An object without a namespace is in `default`; of two with one identity the later counts. `architecture` is the
    architecture of VMs that do not name one. Objects of kinds that no VM refers to are kept in `others`. Everything
    that the look-ups return is the cluster's own: read it, do not change it.
    """

    def __init__(
        self,
        manifests: Iterable[Mapping[str, Any]] = (),
        *,
        architecture: str = "amd64",
        host: HostProfile | None = None,
    ) -> None:
        self.architecture = architecture
        self.host = host
        self.others: list[Mapping[str, Any]] = []
        self._objects: dict[tuple[str, str, str], Any] = {}
        self._statuses: dict[tuple[str, str, str], Mapping[str, Any]] = {}
        self._presets: dict[str, list[VirtualMachineInstancePreset]] = {}
        self._problems: list[Problem] = []
        kubevirt: Mapping[str, Any] = {}
        for manifest in manifests:
            group, kind = _group(manifest), manifest.get("kind")
            if (group, kind) == ("kubevirt.io", "KubeVirt"):
                kubevirt = manifest
            elif (group, kind) in _KINDS:
                self._add(manifest, str(kind), _KINDS[group, str(kind)])
            else:
                self.others.append(manifest)
        self.configuration = self._configuration(kubevirt)
        if self._problems:
            raise ManifestError(*self._problems)

    def _add(self, manifest: Mapping[str, Any], kind: str, decoded_as: type[msgspec.Struct]) -> None:
        status = manifest.get("status")
        if status is not None or "status" in manifest:
            manifest = {key: value for key, value in manifest.items() if key != "status"}
        obj: Any = self._decode(manifest, decoded_as, _identity(manifest))
        if obj is None:
            return
        namespace = "" if kind in _CLUSTER_WIDE else obj.metadata.namespace or "default"
        key = (kind, namespace, obj.metadata.name)
        self._objects[key] = obj
        if isinstance(status, Mapping):
            self._statuses[key] = status
        if decoded_as is VirtualMachineInstancePreset:
            self._presets.setdefault(namespace, []).append(obj)

    def _decode(self, plain: Any, decoded_as: type[T], identity: str) -> T | None:
        try:
            return convert(plain, decoded_as)
        except msgspec.ValidationError as error:
            message, _, path = str(error).partition(" - at `$")
            self._problems.append(Problem(object=identity, field=path.rstrip("`").lstrip("."), message=message))
        return None

    def _configuration(self, manifest: Mapping[str, Any]) -> Configuration:
        spec = manifest.get("spec")
        values = spec.get("configuration") if isinstance(spec, Mapping) else None
        identity = _identity(manifest) if manifest else ""
        configured = self._decode(values, KubeVirtConfiguration, identity) if values is not None else None
        metadata = self._decode(manifest.get("metadata") or {}, ObjectMeta, identity)
        annotations = metadata.annotations if metadata else {}
        return Configuration(configured, annotations=annotations, architecture=self.architecture)

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
        return self._presets.get(namespace, [])

    def controller_revision(self, namespace: str, name: str) -> ControllerRevision | None:
        """Look up a ControllerRevision."""
        found: ControllerRevision | None = self._objects.get(("ControllerRevision", namespace, name))
        return found

    def pvc(self, namespace: str, name: str) -> PersistentVolumeClaim | None:
        """Look up a PersistentVolumeClaim."""
        found: PersistentVolumeClaim | None = self._objects.get(("PersistentVolumeClaim", namespace, name))
        return found

    def pvc_status(self, namespace: str, name: str) -> Mapping[str, Any]:
        """Return a PersistentVolumeClaim's `status` as it was given, empty when it was not."""
        return self._statuses.get(("PersistentVolumeClaim", namespace, name), {})

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


def _group(manifest: Mapping[str, Any]) -> str:
    group, slash, _ = str(manifest.get("apiVersion", "")).rpartition("/")
    return group if slash else ""


def _identity(manifest: Mapping[str, Any]) -> str:
    """Name an object as messages do: kind/namespace/name, without the parts that it lacks."""
    metadata = manifest.get("metadata")
    names = (metadata.get("namespace"), metadata.get("name")) if isinstance(metadata, Mapping) else ()
    return "/".join(str(part) for part in (manifest.get("kind"), *names) if part)
