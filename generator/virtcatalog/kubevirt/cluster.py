"""The cluster that a VM meets: the KubeVirt configuration and the objects that VMs refer to."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NoReturn, Self, TypeVar

from msgspec.structs import replace

from virtcatalog.api.cdi import DataSource, DataVolume
from virtcatalog.api.core import ControllerRevision, PersistentVolumeClaim
from virtcatalog.api.instancetype import (
    VirtualMachineClusterInstancetype,
    VirtualMachineClusterPreference,
    VirtualMachineInstancetype,
    VirtualMachinePreference,
)
from virtcatalog.api.kinds import CLUSTER_KINDS
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstancePreset
from virtcatalog.api.names import namespace_or_default
from virtcatalog.api.nodes import (
    AAQ,
    ApplicationAwareResourceQuota,
    LimitRange,
    Node,
    PartialObjectMetadata,
    ResourceQuota,
)
from virtcatalog.errors import ManifestError, Problem, Warning
from virtcatalog.kubevirt.conditions import Conditions, choose_release
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.decoding import CLUSTER_WIDE, decode_all
from virtcatalog.kubevirt.hosts import HOSTS, HostProfile
from virtcatalog.kubevirt.matchers import matched_objects
from virtcatalog.releases import DEFAULT, Release, find_release

T = TypeVar("T")

Instancetype = VirtualMachineInstancetype | VirtualMachineClusterInstancetype
Preference = VirtualMachinePreference | VirtualMachineClusterPreference

_NAMESPACE_LABEL = "kubernetes.io/metadata.name"
_OF_DATA_VOLUME = ("DataVolume", "PersistentVolumeClaim")


class Cluster:
    """Manifests, decoded and found by kind, namespace and name; ManifestError names everything that is wrong in them.

    An object without a namespace is in `default`; of two with one identity the later counts, as does the last KubeVirt
    CR. `release` is a name (`v1.8.4`) or a value of `releases`; None stands for the release that the KubeVirt CR
    names (`status.observedKubeVirtVersion`, else `spec.imageTag`), else for the default. UnsupportedError tells of a
    release that is not modelled. `architecture` is the architecture of VMs that do not name one. Fields that the
    release does not know are pruned; `warnings` names them. `others` are the objects of kinds that no VM refers to.

    A cluster never changes. What the look-ups return belongs to it: read it, do not change it.
    """

    conditions: Conditions
    configuration: Configuration
    pruned: Mapping[tuple[str, str, str], tuple[Warning, ...]]
    others: tuple[dict[str, Any], ...]
    all_presets: Mapping[str, tuple[VirtualMachineInstancePreset, ...]]
    _objects: Mapping[tuple[str, str, str], Any]
    _computed: dict[Any, Any]

    def __init__(
        self,
        manifests: Iterable[dict[str, Any]] = (),
        *,
        release: str | Release | None = None,
        architecture: str = "amd64",
        host: HostProfile = HOSTS["reference"],
    ) -> None:
        wanted = find_release(release) if isinstance(release, str) else release
        self._gather(manifests, Conditions(release=wanted, architecture=architecture, host=host))

    @classmethod
    def under(cls, manifests: Iterable[dict[str, Any]], conditions: Conditions) -> Self:
        """Return the cluster that manifests make under these conditions."""
        self = cls.__new__(cls)
        self._gather(manifests, conditions)
        return self

    def _gather(self, manifests: Iterable[dict[str, Any]], conditions: Conditions) -> None:
        manifests = list(manifests)
        problems: tuple[Problem, ...] = ()
        try:
            release = choose_release(conditions, "", manifests).release
        except ManifestError as error:
            problems, release = error.problems, DEFAULT
        decoded = decode_all(manifests, release)
        if problems or decoded.problems:
            raise ManifestError(*problems, *decoded.problems)
        kubevirt = decoded.kubevirt
        presets: dict[str, tuple[VirtualMachineInstancePreset, ...]] = {}
        for (kind, namespace, _), obj in decoded.objects.items():
            if kind == "VirtualMachineInstancePreset":
                presets[namespace] = (*presets.get(namespace, ()), obj)
        self.__dict__.update(
            conditions=replace(conditions, release=release),
            configuration=Configuration(
                kubevirt.spec.configuration if kubevirt else None,
                annotations=kubevirt.metadata.annotations if kubevirt else None,
                architecture=conditions.architecture,
                release=release,
            ),
            pruned=decoded.pruned,
            others=decoded.others,
            all_presets=presets,
            _objects=decoded.objects,
            _computed={},
        )

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a Cluster does not change: make another one with another {name}")

    @property
    def release(self) -> Release:
        """The KubeVirt release."""
        return self.configuration.release

    @property
    def architecture(self) -> str:
        """The architecture of VMs that do not name one."""
        return self.conditions.architecture

    @property
    def host(self) -> HostProfile:
        """The profile of the nodes."""
        return self.conditions.host

    @property
    def warnings(self) -> tuple[Warning, ...]:
        """What of the objects the release does not know."""
        return tuple(chain.from_iterable(self.pruned.values()))

    def warnings_about(self, vm: VirtualMachine) -> list[Warning]:
        """Return the warnings about the KubeVirt CR and about the objects that a VM names."""
        if not self.pruned:
            return []
        used = [key for key in self.pruned if key[0] == "KubeVirt"]
        namespace = namespace_or_default(vm.metadata.namespace)
        used += ((kind, "" if kind in CLUSTER_KINDS else namespace, name) for kind, name in matched_objects(vm))
        for volume in vm.spec.template.spec.volumes:
            if volume.data_volume is not None:
                used += ((kind, namespace, volume.data_volume.name) for kind in _OF_DATA_VOLUME)
            if volume.persistent_volume_claim is not None:
                used.append(("PersistentVolumeClaim", namespace, volume.persistent_volume_claim.claim_name))
        for template in vm.spec.data_volume_templates:
            source = template.spec.source_ref
            if source is not None:
                used.append((source.kind, source.namespace or namespace, source.name))
        return [warning for key in dict.fromkeys(used) for warning in self.pruned.get(key, ())]

    def computed(self, make: Callable[[Cluster], T]) -> T:
        """Return `make(cluster)`, computed once for each cluster."""
        value = self._computed.get(make)
        if value is None:
            value = self._computed[make] = make(self)
        computed: T = value
        return computed

    def without_configuration(self) -> Cluster:
        """Return the cluster as it would be with an empty KubeVirt CR."""
        return self._with(configuration=Configuration(architecture=self.architecture, release=self.release))

    def without_presets(self, *names: str) -> Cluster:
        """Return the cluster as it would be without the presets of these names, in any namespace."""
        objects = {
            namespace: tuple(preset for preset in presets if preset.metadata.name not in names)
            for namespace, presets in self.all_presets.items()
        }
        return self._with(all_presets=objects)

    def with_revisions(self, revisions: Mapping[tuple[str, str], ControllerRevision | None]) -> Cluster:
        """Return the cluster with further ControllerRevisions, by namespace and name; None is one that is gone."""
        stored = {("ControllerRevision", *place): revision for place, revision in revisions.items()}
        # What is computed of a cluster does not depend on the revisions in it.
        return self._with(_objects=ChainMap(stored, self._objects), _computed=self._computed)  # type: ignore[arg-type]

    def watched(self, looked_up: set[tuple[str, str, str]]) -> Cluster:
        """Return the cluster, which adds to a set what is looked up in it: kind, namespace and name."""
        return self._with(_objects=_Watched(self._objects, looked_up), _computed=self._computed)

    @property
    def namespaces(self) -> frozenset[str]:
        """The namespaces that there is anything in, or anything known of."""
        return frozenset(name if kind == "Namespace" else namespace for kind, namespace, name in self._objects)

    def _with(self, **changes: Any) -> Cluster:
        other = self.__class__.__new__(self.__class__)
        other.__dict__.update({**self.__dict__, "_computed": {}, **changes})
        return other

    def names(self, kind: str, namespace: str) -> list[str]:
        """Return the names of the objects of a kind that a VM of a namespace can refer to."""
        home = "" if kind in CLUSTER_WIDE else namespace
        return [name for of_kind, where, name in self._objects if (of_kind, where) == (kind, home)]

    def instancetype(self, kind: str, namespace: str, name: str) -> Instancetype | None:
        """Look up an instance type; `namespace` is "" for `VirtualMachineClusterInstancetype`."""
        return self._objects.get((kind, namespace, name))

    def preference(self, kind: str, namespace: str, name: str) -> Preference | None:
        """Look up a preference; `namespace` is "" for `VirtualMachineClusterPreference`."""
        return self._objects.get((kind, namespace, name))

    def presets(self, namespace: str) -> tuple[VirtualMachineInstancePreset, ...]:
        """Return the presets of a namespace."""
        return self.all_presets.get(namespace, ())

    def controller_revision(self, namespace: str, name: str) -> ControllerRevision | None:
        """Look up a ControllerRevision."""
        return self._objects.get(("ControllerRevision", namespace, name))

    def pvc(self, namespace: str, name: str) -> PersistentVolumeClaim | None:
        """Look up a PersistentVolumeClaim."""
        return self._objects.get(("PersistentVolumeClaim", namespace, name))

    def data_volume(self, namespace: str, name: str) -> DataVolume | None:
        """Look up a DataVolume."""
        return self._objects.get(("DataVolume", namespace, name))

    def data_source(self, namespace: str, name: str) -> DataSource | None:
        """Look up a DataSource."""
        return self._objects.get(("DataSource", namespace, name))

    def volume_snapshot(self, namespace: str, name: str) -> PartialObjectMetadata | None:
        """Look up a VolumeSnapshot's metadata."""
        return self._objects.get(("VolumeSnapshot", namespace, name))

    def network_attachment_definition(self, namespace: str, name: str) -> PartialObjectMetadata | None:
        """Look up a NetworkAttachmentDefinition's metadata."""
        return self._objects.get(("NetworkAttachmentDefinition", namespace, name))

    @property
    def claims(self) -> list[PersistentVolumeClaim]:
        """The PersistentVolumeClaims."""
        return self._of("PersistentVolumeClaim")

    @property
    def quotas(self) -> list[ResourceQuota]:
        """The ResourceQuotas."""
        return self._of("ResourceQuota")

    @property
    def limit_ranges(self) -> list[LimitRange]:
        """The LimitRanges."""
        return self._of("LimitRange")

    @property
    def application_quotas(self) -> list[ApplicationAwareResourceQuota]:
        """The ApplicationAwareResourceQuotas."""
        return self._of("ApplicationAwareResourceQuota")

    @property
    def application_cluster_quotas(self) -> list[PartialObjectMetadata]:
        """The metadata of the ApplicationAwareClusterResourceQuotas."""
        return self._of("ApplicationAwareClusterResourceQuota")

    @property
    def application_quota_configuration(self) -> AAQ | None:
        """The object that configures AAQ; there is one at most."""
        return next(iter(self._of("AAQ")), None)

    @property
    def limits_pods(self) -> bool:
        """Whether the objects say what Pods may have: there are nodes, quotas or LimitRanges."""
        return bool(self.nodes or self.quotas or self.limit_ranges or self.application_quotas)

    @property
    def nodes(self) -> list[Node]:
        """The Nodes."""
        return self._of("Node")

    def node_of(self, namespace: str, name: str) -> str:
        """The node that a VM runs on, as its VirtualMachineInstance says; "" when there is none."""
        vmi = self._objects.get(("VirtualMachineInstance", namespace, name))
        return vmi.status.node_name if vmi is not None and vmi.status is not None else ""

    def _of(self, wanted: str) -> list[Any]:
        return [obj for (kind, _, _), obj in self._objects.items() if kind == wanted]

    def has_namespace(self, name: str) -> bool:
        """Whether a Namespace is among the objects."""
        return ("Namespace", "", name) in self._objects

    def namespace_labels(self, name: str) -> Mapping[str, str]:
        """The labels of a Namespace, which is there though nobody gives it: the API server labels each by its name."""
        metadata: PartialObjectMetadata | None = self._objects.get(("Namespace", "", name))
        labels = {} if metadata is None else metadata.metadata.labels
        return {**labels, _NAMESPACE_LABEL: name}


class _Watched(Mapping[tuple[str, str, str], Any]):
    """Objects by kind, namespace and name, and which of them are looked up."""

    def __init__(self, objects: Mapping[tuple[str, str, str], Any], looked_up: set[tuple[str, str, str]]) -> None:
        self._objects, self._looked_up = objects, looked_up

    def __getitem__(self, key: tuple[str, str, str]) -> Any:
        self._looked_up.add(key)
        return self._objects[key]

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        return iter(self._objects)

    def __len__(self) -> int:
        return len(self._objects)
