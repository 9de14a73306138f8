"""The instance types and preferences of a catalog that a VM may adopt, grouped by their specs."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import log2
from typing import Any, NamedTuple

from virtcatalog.adopt.rules import Rules, decided, implied, preferred
from virtcatalog.api.decode import to_manifest
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.kinds import (
    CATALOG_API_VERSION,
    CATALOG_KINDS,
    CLUSTER_KINDS,
    CLUSTER_PREFERENCE,
    INSTANCETYPE_KINDS,
    PREFERENCE_KINDS,
)
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.api.names import DEPRECATED_LABEL, namespace_or_default
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.launcher.elements.vcpu import CPUTopology
from virtcatalog.kubevirt.pipeline import admit
from virtcatalog.kubevirt.preference.topology import guest_topology
from virtcatalog.manifests.fields import outermost
from virtcatalog.manifests.identity import namespace_of

_SCANNED = "virtcatalog-scan-"
_BETWEEN = re.compile(r"[^a-z0-9]+")
_SHORTAGE = 8
"""The weight of getting less than the VM has, against that of getting more."""

_REMEMBERED = 4096


Hints = tuple[tuple[str, int], ...]
"""Names of instance types and preferences, sorted, with the number of their parts that a VM's text holds."""


class Reference(NamedTuple):
    """An instance type or preference by kind and name; `namespace` is "" for the cluster-wide kinds."""

    kind: str
    namespace: str
    name: str

    def matcher(self) -> dict[str, str]:
        """Return the matcher of a VM that names it; the kind is left out for cluster-wide objects, the default."""
        return {"name": self.name} if self.kind in CLUSTER_KINDS else {"kind": self.kind, "name": self.name}


class Member(NamedTuple):
    """One of the objects with the same spec; the better choice sorts first."""

    deprecated: bool
    namespaced: bool
    name: str
    reference: Reference
    architecture: str = ""
    """The architecture that a preference requires of a VM; "" is any."""


class Instancetype:
    """Instance types with one and the same spec; `members` are these, the best first."""

    def __init__(self, spec: VirtualMachineInstancetypeSpec, manifest: dict[str, Any]) -> None:
        self.members: list[Member] = []
        self.spec = spec
        self.vcpus, self.memory = spec.cpu.guest, spec.memory.guest.value
        self.decided: Rules = decided(manifest)
        self.implied: Rules = implied(manifest)
        self.fields = outermost({*self.decided, *self.implied})
        """The fields of a VM that it can replace."""

    def changes_only_size(self, vmi: VirtualMachineInstance) -> bool:
        """Whether it leaves the VM's node selector, scheduler and annotations as they are."""
        spec, annotations = self.spec, vmi.metadata.annotations
        return (
            (not spec.node_selector or vmi.spec.node_selector in ({}, spec.node_selector))
            and (not spec.scheduler_name or vmi.spec.scheduler_name in ("", spec.scheduler_name))
            and all(annotations.get(key, value) == value for key, value in spec.annotations.items())
        )

    def differing_features(self, vmi: VirtualMachineInstance) -> int:
        """Count the features of the domain that it sets to another value than the VM."""
        spec, domain = self.spec, vmi.spec.domain
        cpu, memory, cpu_spec = domain.cpu, domain.memory, spec.cpu
        assert cpu is not None  # every VMI has one after its webhooks
        pages = memory.hugepages.page_size if memory is not None and memory.hugepages is not None else None
        return sum(
            (
                cpu_spec.model is not None and cpu_spec.model != cpu.model,
                cpu_spec.dedicated_cpu_placement not in (None, cpu.dedicated_cpu_placement),
                cpu_spec.isolate_emulator_thread not in (None, cpu.isolate_emulator_thread),
                cpu_spec.numa is not None and cpu_spec.numa != cpu.numa,
                cpu_spec.realtime is not None and cpu_spec.realtime != cpu.realtime,
                spec.memory.hugepages is not None and spec.memory.hugepages.page_size != pages,
                bool(spec.gpus) and spec.gpus != domain.devices.gpus,
                bool(spec.host_devices) and spec.host_devices != domain.devices.host_devices,
            )
        )

    def distance(self, vcpus: int, memory: int) -> float:
        """Return how many doublings of vCPUs and of memory lie between a VM and it; what it lacks weighs more."""
        return _doublings(self.vcpus, vcpus) + _doublings(self.memory, memory)


def _doublings(offered: int, needed: int) -> float:
    more = log2(max(offered, 1) / max(needed, 1))
    return more if more >= 0 else _SHORTAGE * -more


class Preference:
    """Preferences with one and the same spec, requirements aside; `members` are these, the best first."""

    def __init__(self, spec: VirtualMachinePreferenceSpec, manifest: dict[str, Any], scanned: str) -> None:
        self.members: list[Member] = []
        self.spec = spec
        self.preferred: Rules = preferred(manifest)
        self.scanned = scanned
        self.fields = outermost(set(self.preferred))
        """The fields of a VM that it can replace."""


class Candidates:
    """The instance types and preferences of a cluster that KubeVirt's webhooks admit, grouped by their specs.

    `cluster` is made of all the manifests. `scan_cluster` also has every different preference under its `scanned` name,
    without requirements: the VM's own CPU may be laid out in another way than the preference demands.
    Raises ManifestError when a manifest is unusable.
    """

    def __init__(self, manifests: Iterable[dict[str, Any]], conditions: Conditions | None = None) -> None:
        manifests = list(manifests)
        conditions = conditions or Conditions()
        self.cluster = Cluster.under(manifests, conditions)
        self.namespaces = frozenset(map(namespace_of, manifests))
        """The namespaces that hold any object of the cluster."""
        self.groups: dict[Reference, Instancetype | Preference] = {}
        """The group of every instance type and preference."""
        self._instancetypes: dict[str, Instancetype] = {}
        self._preferences: dict[str, Preference] = {}
        scanned: list[dict[str, Any]] = []
        for reference, manifest in {
            _reference(manifest): manifest for manifest in manifests if manifest.get("kind") in CATALOG_KINDS
        }.items():
            if not admit(manifest, self.cluster):
                group = self.groups[reference] = self._group(reference, scanned)
                group.members.append(self._member(reference, manifest))
        self.scan_cluster = Cluster.under([*manifests, *scanned], conditions)
        self._by_size: dict[tuple[int, int], list[Instancetype]] = {}
        for instancetype in self.instancetypes:
            self._by_size.setdefault((instancetype.vcpus, instancetype.memory), []).append(instancetype)
        self._layouts: dict[int, dict[CPUTopology, list[Preference]]] = {}
        self._machine_changes: dict[bytes, dict[str, bool]] = {}
        self._usable: dict[tuple[str, str, Hints], dict[Instancetype | Preference, list[Member]]] = {}
        self._names_by_first_part: dict[str, dict[str, list[str]]] = {}
        for name in {reference.name for reference in self.groups}:
            first, *_ = parts = [part for part in _BETWEEN.split(name.lower()) if part] or [""]
            self._names_by_first_part.setdefault(first, {})[name] = parts

    @property
    def instancetypes(self) -> Collection[Instancetype]:
        """The instance types, one for each different spec."""
        return self._instancetypes.values()

    @property
    def preferences(self) -> Collection[Preference]:
        """The preferences, one for each different spec."""
        return self._preferences.values()

    def sized(self, vcpus: int, memory: int) -> Sequence[Instancetype]:
        """Return the instance types with so many vCPUs and bytes of memory."""
        return self._by_size.get((vcpus, memory), ())

    def layouts(self, vcpus: int) -> Mapping[CPUTopology, Sequence[Preference]]:
        """Return the preferences by how they lay out so many vCPUs of an instance type."""
        layouts = self._layouts.get(vcpus)
        if layouts is None:
            layouts = self._layouts[vcpus] = {}
            for preference in self.preferences:
                layouts.setdefault(layout(vcpus, preference.spec), []).append(preference)
        return layouts

    def machine_changes(self, machine_key: bytes) -> dict[str, bool]:
        """Return a dict for VMs with one key: by `scanned` name, whether a preference changes their machine.

        The caller adds to it.
        """
        if len(self._machine_changes) >= _REMEMBERED:
            self._machine_changes.clear()
        return self._machine_changes.setdefault(machine_key, {})

    def usable_by(
        self, namespace: str, architecture: str, hints: Hints
    ) -> dict[Instancetype | Preference, list[Member]]:
        """Return a dict of the usable members of groups, for VMs that can name the same ones; the caller adds to it."""
        if len(self._usable) >= _REMEMBERED:
            self._usable.clear()
        return self._usable.setdefault((namespace if namespace in self.namespaces else "", architecture, hints), {})

    def hints(self, text: str) -> Hints:
        """Return how many parts of a name (`centos.stream9`) a text holds, for the names whose first part it holds."""
        hints = (
            (name, sum(part in text for part in parts))
            for first, names in self._names_by_first_part.items()
            if first and first in text
            for name, parts in names.items()
        )
        return tuple(sorted(hints))

    def _member(self, reference: Reference, manifest: dict[str, Any]) -> Member:
        deprecated = (manifest["metadata"].get("labels") or {}).get(DEPRECATED_LABEL) == "true"
        preference = self.cluster.preference(*reference) if reference.kind in PREFERENCE_KINDS else None
        required = preference.spec.requirements if preference is not None else None
        architecture = (required.architecture if required is not None else None) or ""
        return Member(deprecated, bool(reference.namespace), reference.name, reference, architecture)

    def _group(self, reference: Reference, scanned: list[dict[str, Any]]) -> Instancetype | Preference:
        if reference.kind in INSTANCETYPE_KINDS:
            instancetype = self.cluster.instancetype(*reference)
            assert instancetype is not None
            spec = to_manifest(instancetype.spec)
            return self._instancetypes.setdefault(_key(spec), Instancetype(instancetype.spec, spec))
        preference = self.cluster.preference(*reference)
        assert preference is not None
        spec = to_manifest(preference.spec)
        spec.pop("requirements", None)
        preference_group = self._preferences.get(_key(spec))
        if preference_group is None:
            name = f"{_SCANNED}{len(self._preferences)}"
            preference_group = self._preferences[_key(spec)] = Preference(preference.spec, spec, name)
            metadata = {"name": name}
            scanned.append(
                {"apiVersion": CATALOG_API_VERSION, "kind": CLUSTER_PREFERENCE, "metadata": metadata, "spec": spec}
            )
        return preference_group


def _reference(manifest: dict[str, Any]) -> Reference:
    kind, metadata = manifest["kind"], manifest["metadata"]
    return Reference(
        kind, "" if kind in CLUSTER_KINDS else namespace_or_default(metadata.get("namespace")), metadata["name"]
    )


def _key(spec: dict[str, Any]) -> str:
    return json.dumps(spec, sort_keys=True)


def usable(members: Iterable[Member], namespace: str, architecture: str) -> list[Member]:
    """Return the members that a VM of a namespace and architecture can name."""
    return [
        member
        for member in members
        if member.reference.namespace in ("", namespace) and member.architecture in ("", architecture)
    ]


def layout(vcpus: int, preference: VirtualMachinePreferenceSpec | None) -> CPUTopology:
    """Return how an instance type's vCPUs are laid out under a preference."""
    try:
        return CPUTopology(*(number or 1 for number in guest_topology(vcpus, preference)))
    except ZeroDivisionError:  # a ratio of 0: KubeVirt refuses the VM
        return CPUTopology(0, 0, 0)
