"""The properties of flavors and images that have an equivalent in KubeVirt, with their handlers.

Sources: nova's reference of extra specs and glance's of image properties; for what a guest gets of them, nova's libvirt
driver.
"""

from __future__ import annotations

from virtcatalog.bring.openstack import cpu, devices, machine
from virtcatalog.bring.openstack.sheet import Handler

FLAVOR: dict[str, Handler] = {
    "hw:cpu_policy": cpu.cpu_policy,
    "hw:mem_page_size": cpu.page_size,
    "hw:emulator_threads_policy": cpu.emulator_threads,
    "hw:numa_nodes": cpu.numa_nodes,
    "hw:cpu_realtime": cpu.realtime,
    "hw:cpu_realtime_mask": cpu.realtime_mask,
    "pci_passthrough:alias": devices.passthrough,
    "resources:VGPU": devices.vgpu,
    "hw:mem_encryption": machine.encryption,
    "hw:vif_multiqueue_enabled": devices.multiqueue,
    "hw:tpm_version": devices.tpm,
    "hw:tpm_model": devices.tpm,
    "os:secure_boot": machine.secure_boot,
    "hw_rng:allowed": devices.rng,
    "hw:sound_model": devices.sound,
    "hw:hide_hypervisor_id": machine.hidden,
    "hide_hypervisor_id": machine.hidden,
}
"""Of flavors, in the order in which they are applied: some handlers read what others have set."""

IMAGE: dict[str, Handler] = {
    "hw_architecture": machine.architecture,
    "hw_machine_type": machine.machine_type,
    "hw_firmware_type": machine.firmware,
    "os_secure_boot": machine.secure_boot,
    "os_type": machine.os_type,
    "hw_disk_bus": devices.disk_bus,
    "hw_cdrom_bus": devices.disk_bus,
    "hw_scsi_model": devices.scsi_model,
    "hw_vif_model": devices.vif_model,
    "hw_vif_multiqueue_enabled": devices.multiqueue,
    "hw_tpm_version": devices.tpm,
    "hw_tpm_model": devices.tpm,
    "hw_video_model": devices.video,
    "hw_pointer_model": devices.pointer,
    "hw_input_bus": devices.input_bus,
    "hw_rng_model": devices.rng,
    "hw_sound_model": devices.sound,
    "hw_qemu_guest_agent": devices.agent,
    "hw_time_hpet": machine.hpet,
    "img_hide_hypervisor_id": machine.hidden,
}
