"""Whether a preference changes the domain of a VM that keeps all its own fields."""

from __future__ import annotations

from functools import cached_property

import msgspec
from msgspec.structs import replace

from virtcatalog.adopt.attempt import Original
from virtcatalog.adopt.candidates import Candidates, Preference
from virtcatalog.api.decode import copier
from virtcatalog.api.kubevirt import PreferenceMatcher, VirtualMachine, VirtualMachineInstance
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.controller.vm import ControllerError, start_vmi, sync_instancetype
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm, mutate_vmi
from virtcatalog.kubevirt.handler import build_context
from virtcatalog.kubevirt.launcher.builder import machine_text
from virtcatalog.kubevirt.launcher.elements.iothreads import has_iothreads
from virtcatalog.kubevirt.launcher.elements.os import numbers_of
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.matchers import NAMING
from virtcatalog.kubevirt.pipeline import Result, build
from virtcatalog.kubevirt.reading import read

_ENCODER = msgspec.msgpack.Encoder(enc_hook=str, order="deterministic")
_NAMING = frozenset(NAMING.values())


class PreferenceEffects:
    """Whether a VM that names no preference keeps its domain when it names one.

    A preference that changes the domain here fills in a field that the VM leaves out. It does so beside any instance
    type, and whichever of the VM's fields are removed for it. The VM need not be admitted for this. Preferences that
    make the same VMI are compared once. The part of the domain before its devices is compared first, and once for all
    VMs that differ in disks, interfaces and names alone.
    """

    def __init__(self, original: Original, candidates: Candidates) -> None:
        self._original, self._cluster = original, candidates.scan_cluster
        vm = read(original.manifest, VirtualMachine, self._cluster, [])
        assert isinstance(vm, VirtualMachine)  # it was read before, and admitted
        self._copy = copier(vm)
        self._domain_changes: dict[bytes, bool] = {}
        """By the key of a started VMI: whether its domain differs from the VM's."""
        self._by_preference: dict[str, bool] = {}
        # Presets go by labels and namespace.
        self._machine_changes = {} if self._cluster.all_presets else candidates.machine_changes(_machine_key(vm))
        """By preference: whether it changes what comes before the devices; shared by VMs alike in that part."""
        started = self._started(None)
        assert started is not None  # the VM is admitted
        self._domain_changes[_vmi_key(started[1])] = False

    def changes_domain(self, preference: Preference | None) -> bool:
        """Whether the VM gets another domain.

        False, too, where KubeVirt makes no domain: it may make one once fields are removed.
        """
        if preference is None:
            return False
        changes = self._by_preference.get(preference.scanned)
        if changes is None:
            changes = self._by_preference[preference.scanned] = self._changes(preference)
        return changes

    def _changes(self, preference: Preference) -> bool:
        if self._machine_changes.get(preference.scanned):
            return True
        started = self._started(preference)
        if started is None:
            return False
        vm, vmi = started
        key = _vmi_key(vmi)
        changes = self._domain_changes.get(key)
        if changes is None:
            changes = self._domain_changes[key] = not mutate_vmi(vmi, self._cluster) and (
                self._changes_machine(vm, vmi, preference) or self._changes_other_parts(vm, vmi)
            )
        return changes

    def _started(self, preference: Preference | None) -> tuple[VirtualMachine, VirtualMachineInstance] | None:
        """The VM and its VMI before the VMI's webhooks; None where KubeVirt starts no VMI."""
        vm = self._copy()
        if preference is not None:
            vm.spec.preference = PreferenceMatcher(name=preference.scanned)
        causes = mutate_vm(vm, self._cluster)
        assert not causes  # the VM is admitted, and to name a preference is no fault for the VM's webhook
        try:
            vm = sync_instancetype(vm, self._cluster)
            return vm, start_vmi(vm, self._cluster)
        except ControllerError:
            return None

    def _changes_machine(self, vm: VirtualMachine, vmi: VirtualMachineInstance, preference: Preference) -> bool:
        if preference.scanned in self._machine_changes:
            return self._machine_changes[preference.scanned]
        try:
            machine = self._machine_of(vm, vmi)
            changes = None not in (self._machine, machine) and machine != self._machine
        except (DomainError, UnsupportedError):
            return False
        if not has_iothreads(vmi.spec.domain):  # their number depends on the disks
            self._machine_changes[preference.scanned] = changes
        return changes

    def _changes_other_parts(self, vm: VirtualMachine, vmi: VirtualMachineInstance) -> bool:
        try:
            result = build(self._original.manifest, Result(raw_vm=vm, raw_vmi=vmi), self._cluster)
        except UnsupportedError:
            return False
        return result.admitted and result.domain_xml != self._original.result.domain_xml

    @cached_property
    def _machine(self) -> str | None:
        vm, vmi = self._original.result.vm_object, self._original.result.vmi_object
        assert vm is not None
        assert vmi is not None  # the VM is admitted
        return self._machine_of(vm, vmi)

    def _machine_of(self, vm: VirtualMachine, vmi: VirtualMachineInstance) -> str | None:
        return machine_text(vmi, build_context(vmi, self._cluster, vm))


def _vmi_key(vmi: VirtualMachineInstance) -> bytes:
    """A key of all parts of a VMI that preferences can change."""
    metadata = vmi.metadata
    annotations = {key: annotation for key, annotation in metadata.annotations.items() if key not in _NAMING}
    return _ENCODER.encode([vmi.spec, annotations, metadata.labels])


def _machine_key(vm: VirtualMachine) -> bytes:
    """A key of all parts of a VM that decide whether a preference changes its domain before the devices."""
    template = vm.spec.template
    domain = template.spec.domain
    firmware = domain.firmware
    if firmware is not None:
        firmware = replace(firmware, **dict.fromkeys(numbers_of(firmware)[0], ""))
    domain_alike = replace(domain, devices=replace(domain.devices, disks=[], interfaces=[]), firmware=firmware)
    spec = replace(template.spec, domain=domain_alike, volumes=[], networks=[])
    relevant = template.metadata.annotations, spec
    if vm.spec.instancetype is None:
        return _ENCODER.encode(relevant)
    # The namespace and the volumes may decide which instance type the VM gets.
    inferred_from = vm.metadata.namespace, template.spec.volumes, vm.spec.data_volume_templates
    return _ENCODER.encode((*relevant, vm.spec.instancetype, *inferred_from))
