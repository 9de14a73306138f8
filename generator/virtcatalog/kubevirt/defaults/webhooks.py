"""The mutating webhooks of virt-api for VirtualMachines, and for new VirtualMachineInstances.

Source: pkg/virt-api/webhooks/mutating-webhook/mutators/vm-mutator.go and vmi-mutator.go; pkg/instancetype/webhooks/vm
(mutator.go).
"""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.devices import GPU, Devices, HostDevice
from virtcatalog.api.domainspec import Firmware
from virtcatalog.api.instancetype import VirtualMachinePreferenceSpec
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.api.names import EVEN_PARITY, QGS_SOCKET
from virtcatalog.api.status import CPUTopology, MemoryStatus, VirtualMachineInstanceStatus
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.defaults.presets import apply_presets
from virtcatalog.kubevirt.defaults.schema import validate_data_volume_schema, validate_mutated_data_volume_schema
from virtcatalog.kubevirt.defaults.spec import NetworkDefaultError, set_default_vmi, set_vm_defaults
from virtcatalog.kubevirt.identity import firmware_serial, firmware_uuid
from virtcatalog.kubevirt.instancetype.find import NotFoundError, find_preference
from virtcatalog.kubevirt.instancetype.infer import infer_matchers
from virtcatalog.kubevirt.launcher.pci import supports_pcie_hotplug
from virtcatalog.kubevirt.preference.apply import apply_architecture, apply_machine

PCI_TOPOLOGY_ANNOTATION = "kubevirt.io/pci-topology-version"
_FOREGROUND_FINALIZER = "kubevirt.io/foregroundDeleteVirtualMachine"
_QEMU_USER = 107

Device = TypeVar("Device", GPU, HostDevice)


def mutate_vm(vm: VirtualMachine, cluster: Cluster) -> list[Cause]:
    """Give a new VM what its webhook gives it (VMsMutator.Mutate); changes `vm`. Causes are why it cannot."""
    causes = _mutate_types(vm, cluster)
    if causes:
        return causes
    template = vm.spec.template
    _drop_empty_claim_names(template.spec.domain.devices, cluster)
    firmware = template.spec.domain.firmware
    if firmware is None:
        firmware = template.spec.domain.firmware = Firmware()
    if not firmware.uuid:
        firmware.uuid = firmware_uuid(vm.metadata.namespace, vm.metadata.name)
    if not firmware.serial:
        firmware.serial = firmware_serial(vm.metadata.namespace, vm.metadata.name)
    set_vm_defaults(vm, cluster)
    if supports_pcie_hotplug(template.spec):
        _set_pci_topology(template.metadata, cluster.configuration)
    return []


def _mutate_types(vm: VirtualMachine, cluster: Cluster) -> list[Cause]:
    return (
        list(validate_data_volume_schema(vm))
        or mutate_matchers(vm, cluster)
        or list(validate_mutated_data_volume_schema(vm))
    )


def mutate_updated_vm(vm: VirtualMachine, cluster: Cluster) -> list[Cause]:
    """Give a VM that is updated what its webhook gives it, less than a new one gets; changes `vm`."""
    causes = _mutate_types(vm, cluster)
    if not causes:
        _drop_empty_claim_names(vm.spec.template.spec.domain.devices, cluster)
        set_vm_defaults(vm, cluster)
    return causes


def mutate_vmi(vmi: VirtualMachineInstance, cluster: Cluster) -> list[Cause]:
    """Give a new VMI what its webhook gives it (VMIsMutator.Mutate); changes `vmi`. Causes are why it cannot."""
    config, annotations = cluster.configuration, vmi.metadata.annotations
    _drop_empty_claim_names(vmi.spec.domain.devices, cluster)
    causes = apply_presets(vmi, cluster)
    if causes:
        return causes
    try:
        set_default_vmi(vmi, config)
    except NetworkDefaultError as error:
        return [Cause("", "", str(error))]
    if supports_pcie_hotplug(vmi.spec):
        _set_pci_topology(vmi.metadata, config)
    cpu, security = vmi.spec.domain.cpu, vmi.spec.domain.launch_security
    align = EVEN_PARITY in config.annotations and config.feature_gate("AlignCPUs")
    if align and cpu is not None and cpu.isolate_emulator_thread:
        annotations[EVEN_PARITY] = ""
    quotes = config.release.traits.tdx_quotes and config.qgs_socket_path
    if quotes and security is not None and security.tdx is not None:
        annotations[QGS_SOCKET] = config.qgs_socket_path
    vmi.metadata.finalizers = [*vmi.metadata.finalizers, _FOREGROUND_FINALIZER]
    _set_status(vmi, config)
    return []


def _drop_empty_claim_names(devices: Devices, cluster: Cluster) -> None:
    if cluster.release.traits.keeps_empty_claim_names:
        return
    devices.gpus = [_with_claim_names(gpu) for gpu in devices.gpus]
    devices.host_devices = [_with_claim_names(device) for device in devices.host_devices]


def _with_claim_names(device: Device) -> Device:
    if "" not in (device.claim_name, device.request_name):
        return device
    return replace(device, claim_name=device.claim_name or None, request_name=device.request_name or None)


def _set_pci_topology(metadata: ObjectMeta, config: Configuration) -> None:
    metadata.annotations.setdefault(PCI_TOPOLOGY_ANNOTATION, config.release.pci_topology_version)


def _set_status(vmi: VirtualMachineInstance, config: Configuration) -> None:
    cpu, memory = vmi.spec.domain.cpu, vmi.spec.domain.memory
    status = vmi.status = VirtualMachineInstanceStatus(phase="Pending")
    if not config.feature_gate("Root"):
        status.runtime_user = _QEMU_USER
    if cpu is not None:
        status.current_cpu_topology = CPUTopology(cores=cpu.cores, sockets=cpu.sockets, threads=cpu.threads)
    if memory is not None and memory.guest is not None:
        guest = memory.guest
        status.memory = MemoryStatus(guest_at_boot=guest, guest_requested=guest, guest_current=guest)


def mutate_matchers(vm: VirtualMachine, cluster: Cluster) -> list[Cause]:
    """Infer the matchers, then take from the preference what the VM must have before its defaults; changes `vm`.

    That is the architecture, the machine type and the storage class of dataVolumeTemplates. A preference that does
    not exist is left for virt-controller to find missing.
    """
    causes = infer_matchers(vm, cluster)
    if causes or vm.spec.preference is None:
        return causes
    try:
        preference = find_preference(vm, cluster)
    except NotFoundError:
        return []
    if preference is None or not takes(preference):
        return []
    template = vm.spec.template.spec
    apply_architecture(preference, template)
    if preference.machine is not None:
        apply_machine(preference.machine, template.domain)
    if preference.volumes is not None and preference.volumes.preferred_storage_class_name:
        _set_storage_class(vm, preference.volumes.preferred_storage_class_name)
    return []


def takes(preference: VirtualMachinePreferenceSpec) -> bool:
    """Whether this webhook takes anything from a preference."""
    storage_class = preference.volumes is not None and preference.volumes.preferred_storage_class_name
    return bool(preference.preferred_architecture or preference.machine is not None or storage_class)


def _set_storage_class(vm: VirtualMachine, name: str) -> None:
    for template in vm.spec.data_volume_templates:
        for claim in (template.spec.pvc, template.spec.storage):
            if claim is not None and claim.storage_class_name is None:
                claim.storage_class_name = name
