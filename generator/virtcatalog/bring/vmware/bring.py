"""Machines become VMs: each gets a preference by its operating system, and the smallest instance type that fits.

The type is found by the rules of `adopt`, once for all machines of a size and system: with the disk that boots alone,
since a type has no say in the others. Every VM is proven with its type: it is expanded, and what its domain shows is
compared with the machine. Of VMs that are alike (`fleet.alike`) one is expanded, for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from virtcatalog.adopt.candidates import Candidates, Instancetype, Preference, Reference, layout
from virtcatalog.adopt.fleet import Adoption, adopt
from virtcatalog.api.findings import Path
from virtcatalog.api.kinds import CLUSTER_KINDS, PREFERENCE_KINDS
from virtcatalog.api.quantity import Quantity
from virtcatalog.bring.vmware.fates import Brought
from virtcatalog.bring.vmware.guests import guest_of_machine, plain, preferences_for
from virtcatalog.bring.vmware.hardware import GuestHardware, hardware_of
from virtcatalog.bring.vmware.machine import Machine
from virtcatalog.bring.vmware.manifest import (
    System,
    Target,
    attachments,
    manifest,
    name_of,
    own_topology,
    with_size,
    with_type,
)
from virtcatalog.errors import Reason, UnsupportedError, nearest
from virtcatalog.fleet.alike import Alike, labels_matter
from virtcatalog.fleet.cache import digest
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.launcher.elements.vcpu import CPUTopology
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.manifests.identity import namespace_of


class _Size(NamedTuple):
    """The size of a VM that says it itself."""

    topology: CPUTopology
    memory: int


class _Choice(NamedTuple):
    """What VMs that are alike have in common; `size` is set where they have no instance type."""

    adoption: Adoption | None
    instancetype: Reference | None
    size: _Size
    reasons: tuple[Reason | UnsupportedError, ...]
    hardware: GuestHardware | None


class Bringer:
    """Makes VMs of machines, with the types and preferences among `objects`; where there is none they say their size.

    ManifestError when an object is unusable.
    """

    def __init__(self, objects: Iterable[dict[str, Any]], target: Target, conditions: Conditions) -> None:
        objects = list(objects)
        self.candidates = Candidates(objects, conditions)
        self._target = target
        self._alike = Alike(self.candidates.cluster, labels_matter=labels_matter(self.candidates.cluster))
        self._used_names: set[str] = set()
        self._choices: dict[bytes, _Choice] = {}
        self._adoptions: dict[bytes, Adoption] = {}
        self._systems: dict[tuple[str, ...], System] = {}
        self._preferences = dict(self._usable_preferences(objects))
        self._by_plain_name = {plain(reference.name): reference for reference in reversed(self._preferences)}

    def bring(self, machine: Machine) -> Brought:
        """Return what becomes of a machine."""
        system, target = self.system(machine.guests), self._target
        name = name_of(machine, self._used_names)
        bare = manifest(machine, name, system, target)
        size = self._required_size(machine, system)
        # A UUID and the serial number that is made of it change nothing else.
        nameless = manifest(machine._replace(uuid=""), name, system, target)
        likeness = self._alike.key(with_size(nameless, *size), self.candidates.namespaces)
        # The machine's own layout tells where it says its size itself.
        key = digest(b"%d %d %d %b" % (machine.vcpus, machine.cores, machine.memory, likeness))
        choice = self._choices.get(key)
        if choice is None:
            choice = self._choices[key] = self._choose(machine, bare, size)
        return Brought(
            machine=machine,
            name=name,
            vm=with_type(bare, choice.instancetype) if choice.instancetype else with_size(bare, *choice.size),
            system=system,
            target=target,
            networks=attachments(machine, target.mapping),
            likeness=key,
            instancetype=choice.instancetype,
            adoption=choice.adoption,
            reasons=choice.reasons,
            hardware=choice.hardware,
        )

    def unknown_preferences(self) -> list[tuple[Path, str]]:
        """Return what the mapping names as preferences and is none that the VMs may name, with where it says so."""
        names = {reference.name for reference in self._preferences}
        guests = self._target.mapping.guests.items()
        return [
            (("guests", guest), f"there is no preference {name!r}{nearest(name, names)}")
            for guest, name in guests
            if name and name not in names
        ]

    def system(self, guests: tuple[str, ...]) -> System:
        """Return the operating system that names and ids stand for, and the preference that is for it."""
        system = self._systems.get(guests)
        if system is None:
            system = self._systems[guests] = self._find_system(guests)
        return system

    def _find_system(self, guests: tuple[str, ...]) -> System:
        guest, text = guest_of_machine(guests)
        drivers = guest.drivers if guest is not None and self._target.converted else "none"
        mapped = next(filter(None, map(self._target.mapping.guests.get, guests)), "")
        if mapped:
            reference = next((reference for reference in self._preferences if reference.name == mapped), None)
            spec = self._preferences[reference] if reference is not None else {}
            return System(guest, text, drivers, reference, False, spec)
        for name, kin in preferences_for(guest, virtio=drivers == "virtio") if guest is not None else ():
            if (reference := self._by_plain_name.get(name)) is not None:
                return System(guest, text, drivers, reference, kin, self._preferences[reference])
        return System(guest, text, drivers, None)

    def _usable_preferences(self, objects: Iterable[dict[str, Any]]) -> Iterable[tuple[Reference, dict[str, Any]]]:
        """Preferences that VMs of the namespace may name and KubeVirt admits, cluster-wide ones first."""
        for kind in PREFERENCE_KINDS:
            for manifest_ in objects:
                if manifest_.get("kind") != kind:
                    continue
                namespace = "" if kind in CLUSTER_KINDS else namespace_of(manifest_)
                reference = Reference(kind, namespace, manifest_["metadata"]["name"])
                if reference in self.candidates.groups and namespace in ("", self._target.namespace or "default"):
                    yield reference, manifest_["spec"]

    def _required_size(self, machine: Machine, system: System) -> _Size:
        """The size that a type must have: the machine's, or what the preference requires if that is more.

        CPUs are laid out as the preference does it, since a type cannot say otherwise.
        """
        group = self.candidates.groups.get(system.preference) if system.preference is not None else None
        required = system.preference_spec.get("requirements") or {}
        vcpus = max(machine.vcpus, (required.get("cpu") or {}).get("guest") or 0)
        memory = Quantity.parse((required.get("memory") or {}).get("guest") or 0).value
        return _Size(layout(vcpus, group.spec if isinstance(group, Preference) else None), max(machine.memory, memory))

    def _choose(self, machine: Machine, bare: dict[str, Any], size: _Size) -> _Choice:
        """Find the type of a machine, and prove what becomes of it."""
        adoption = self._adoption(machine, size) if self.candidates.instancetypes else None
        instancetype = self._fitting(adoption, size) if adoption is not None else None
        if instancetype is not None:
            choice = self._proven(with_type(bare, instancetype), adoption, instancetype, size)
            if choice.hardware is not None:
                return choice
            adoption = adopt(with_size(bare, *size), self.candidates)
            if instancetype := self._fitting(adoption, size):
                return self._proven(with_type(bare, instancetype), adoption, instancetype, size)
        own = _Size(own_topology(machine), machine.memory)
        choice = self._proven(with_size(bare, *own), adoption, None, own)
        if choice.hardware is None:
            choice = self._proven(with_size(bare, *size), adoption, None, size)
        return choice

    def _adoption(self, machine: Machine, size: _Size) -> Adoption:
        """What machines of a size, system and firmware adopt."""
        boots = tuple(disk._replace(storage="") for disk in machine.disks[machine.boots :][:1])
        common = machine._replace(name="vm", uuid="", notes="", disks=boots, boots=0, nics=())
        vm = with_size(manifest(common, "vm", self.system(machine.guests), self._target), *size)
        key = self._alike.key(vm, self.candidates.namespaces)
        adoption = self._adoptions.get(key)
        if adoption is None:
            adoption = self._adoptions[key] = adopt(vm, self.candidates)
        return adoption

    def _fitting(self, adoption: Adoption, size: _Size) -> Reference | None:
        """The type that an adoption found, unless it lacks something."""
        reference = adoption.shrunk.names.instancetype if adoption.shrunk is not None else None
        group = self.candidates.groups.get(reference) if reference is not None else None
        large = isinstance(group, Instancetype) and group.vcpus >= size.topology.vcpus and group.memory >= size.memory
        return reference if large else None

    def _proven(
        self, vm: Mapping[str, Any], adoption: Adoption | None, instancetype: Reference | None, size: _Size
    ) -> _Choice:
        try:
            result = expand(dict(vm), self.candidates.cluster)
        except UnsupportedError as error:
            return _Choice(adoption, instancetype, size, (error,), None)
        hardware = hardware_of(result.domain) if result.domain is not None else None
        return _Choice(adoption, instancetype, size, result.reasons, hardware)
