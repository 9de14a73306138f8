"""What a VM becomes when it names a preference beside all that it says itself."""

from __future__ import annotations

from functools import cached_property

import msgspec
from msgspec.structs import replace

from virtcatalog.adopt.candidates import Candidates, Preference
from virtcatalog.adopt.shrink import Original
from virtcatalog.api.decode import copier
from virtcatalog.api.kubevirt import PreferenceMatcher, VirtualMachine, VirtualMachineInstance
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.controller.vm import ControllerError, start_vmi, sync_instancetype
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm, mutate_vmi
from virtcatalog.kubevirt.handler import build_context
from virtcatalog.kubevirt.instancetype.annotations import NAMING
from virtcatalog.kubevirt.launcher.builder import machine_text
from virtcatalog.kubevirt.launcher.elements.iothreads import has_iothreads
from virtcatalog.kubevirt.launcher.elements.sysinfo import numbers_of
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.pipeline import Result, build, read

_ENCODER = msgspec.msgpack.Encoder(enc_hook=str, order="deterministic")
_NAMING = frozenset(NAMING.values())


class Added:
    """Tells of each preference whether a VM that names none keeps its domain when it names this one.

    A preference that changes the domain here does so beside any instance type, and whatever else leaves the VM for it:
    it fills in something that the VM does not say. So nobody is asked to admit the VM here, and of the preferences that
    make one and the same VMI, mostly the VM's own, one is looked at. What comes before the devices is looked at first,
    and only once for all VMs that differ in disks, interfaces and names alone.
    """

    def __init__(self, original: Original, candidates: Candidates) -> None:
        self._original, self._cluster = original, candidates.scan_cluster
        vm = read(original.manifest, VirtualMachine, self._cluster, [])
        assert isinstance(vm, VirtualMachine)  # it was read before, and admitted
        self._copy = copier(vm)
        self._changing: dict[bytes, bool] = {}
        """Whether VMIs as they are started, by what they say, have another domain."""
        self._of_preference: dict[str, bool] = {}
        # Presets go by labels and namespace.
        self._changes_machine = {} if self._cluster.all_presets else candidates.known_of(_machine_said(vm))
        """Whether preferences change what comes before the devices, as far as that is the same for other VMs."""
        started = self._started(None)
        if started is not None:
            self._changing[_said(started[1])] = False

    def changes_domain(self, preference: Preference | None) -> bool:
        """Whether the VM has another domain; False, too, where KubeVirt makes none: it may yet do so with less."""
        if preference is None:
            return False
        known = self._of_preference.get(preference.scanned)
        if known is None:
            known = self._of_preference[preference.scanned] = self._changes(preference)
        return known

    def _changes(self, preference: Preference) -> bool:
        if self._changes_machine.get(preference.scanned):
            return True
        started = self._started(preference)
        if started is None:
            return False
        vm, vmi = started
        said = _said(vmi)
        changes = self._changing.get(said)
        if changes is None:
            changes = self._changing[said] = not mutate_vmi(vmi, self._cluster) and (
                self._has_another_machine(vm, vmi, preference) or self._has_another_domain(vm, vmi)
            )
        return changes

    def _started(self, preference: Preference | None) -> tuple[VirtualMachine, VirtualMachineInstance] | None:
        """The VM and its VMI before that one's webhooks, None where there is none."""
        vm = self._copy()
        if preference is not None:
            vm.spec.preference = PreferenceMatcher(name=preference.scanned)
        if mutate_vm(vm, self._cluster):
            return None
        try:
            vm = sync_instancetype(vm, self._cluster)
            return vm, start_vmi(vm, self._cluster)
        except ControllerError:
            return None

    def _has_another_machine(self, vm: VirtualMachine, vmi: VirtualMachineInstance, preference: Preference) -> bool:
        if preference.scanned in self._changes_machine:
            return self._changes_machine[preference.scanned]
        try:
            machine = self._machine_of(vm, vmi)
            changes = None not in (self._machine, machine) and machine != self._machine
        except (DomainError, UnsupportedError):
            return False
        if not has_iothreads(vmi.spec.domain):  # how many there are is for the disks to say
            self._changes_machine[preference.scanned] = changes
        return changes

    def _has_another_domain(self, vm: VirtualMachine, vmi: VirtualMachineInstance) -> bool:
        try:
            made = build(self._original.manifest, Result(made_vm=vm, made_vmi=vmi), self._cluster)
        except UnsupportedError:
            return False
        return made.admitted and made.domain_xml != self._original.result.domain_xml

    @cached_property
    def _machine(self) -> str | None:
        vm, vmi = self._original.result.vm_object, self._original.result.vmi_object
        assert vm is not None
        assert vmi is not None  # the VM is admitted
        return self._machine_of(vm, vmi)

    def _machine_of(self, vm: VirtualMachine, vmi: VirtualMachineInstance) -> str | None:
        return machine_text(vmi, build_context(vmi, self._cluster, vm))


def _said(vmi: VirtualMachineInstance) -> bytes:
    """All of a VMI that one VM's preferences make a difference to, as bytes that are equal where it is."""
    metadata = vmi.metadata
    annotations = {key: annotation for key, annotation in metadata.annotations.items() if key not in _NAMING}
    return _ENCODER.encode([vmi.spec, annotations, metadata.labels])


def _machine_said(vm: VirtualMachine) -> bytes:
    """All of a VM that decides whether a preference changes the part of its domain before the devices."""
    template = vm.spec.template
    domain = template.spec.domain
    firmware = domain.firmware
    if firmware is not None:
        firmware = replace(firmware, **dict.fromkeys(numbers_of(firmware)[0], ""))
    alike = replace(domain, devices=replace(domain.devices, disks=[], interfaces=[]), firmware=firmware)
    spec = replace(template.spec, domain=alike, volumes=[], networks=[])
    said = template.metadata.annotations, spec
    if vm.spec.instancetype is None:
        return _ENCODER.encode(said)
    # Where it is in, or what volume it is inferred from, may tell which one it is.
    where = vm.metadata.namespace, template.spec.volumes, vm.spec.data_volume_templates
    return _ENCODER.encode((*said, vm.spec.instancetype, *where))
