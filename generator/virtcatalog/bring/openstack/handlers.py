"""The properties of flavors and images: which function reads which, and why some have no equivalent in KubeVirt.

Patterns match the key; the first match counts. A key in a name space of nova or glance that no table has is a mistake:
OpenStack does not know it either.
Sources: nova's reference of extra specs and glance's of image properties; for what a guest gets of them, nova's libvirt
driver.
"""

from __future__ import annotations

import re

from virtcatalog.bring.imports import Verdict, host, lost
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


_NODES = "which nodes fit is for an instance type's nodeSelector, or the VM's affinity, to say"
_DRIVER = "it is for another driver than libvirt's with KVM"
_THROTTLED = "KubeVirt throttles neither disks nor networks; a storage class, or the network, may"
_FLAVOR = "an instance type says so: give it to the flavor"
_NO_FIELD = "neither an instance type nor a preference has a field for it"

_REASONS: tuple[tuple[str, str], ...] = (
    (r"hw[:_]cpu_thread_policy", "which threads of a core are used is for the node's CPU manager to say"),
    (r"hw_cpu_max_(sockets|cores|threads)", "how many vCPUs there are is a flavor's: give it to the flavor"),
    (r"hw:cpu_dedicated_mask", "KubeVirt's vCPUs are all dedicated or none is"),
    (
        r"hw[:_]numa_(cpus|mem)(\.[0-9]+)?",
        "the guest has the host's NUMA nodes, as its vCPUs are on them",
    ),
    (r"hw[:_]pci_numa_affinity_policy", "the node's topology manager says so"),
    (r"hw_(cpu_policy|mem_page_size|numa_nodes|cpu_realtime|cpu_realtime_mask|emulator_threads_policy)", _FLAVOR),
    (r"hw_(mem_encryption)", _FLAVOR),
    (r"hw[:_]mem_encryption_model", "a guest's launchSecurity is SEV; SEV-ES is a policy of it"),
    (r"hw_cpu_(sockets|cores|threads)", "how many vCPUs there are is a flavor's: give it to the flavor"),
    (r"hw[:_]watchdog_action", "no preference has a watchdog: the VM's own devices.watchdog has"),
    (r"hw_rng:(rate_bytes|rate_period)", "KubeVirt does not limit entropy"),
    (r"hw[:_]boot_menu", "KubeVirt's machines have a boot menu while they start paused: startStrategy"),
    (r"quota:(cpu|memory)_.*", "a pod's requests and limits share out the node: the VM's resources"),
    (r"quota:(disk|vif)_.*", _THROTTLED),
    (r"(capabilities|aggregate_instance_extra_specs)(:.*)?", _NODES),
    (r"resources[0-9_A-Za-z]*:.*", "what an instance type takes of a node is its CPUs, memory and devices"),
    (r"trait[0-9_A-Za-z]+:.*", _NODES),
    (r"(group_policy|accel:device_profile|hw:pmem)", _NODES),
    (r"(vmware|hyperv|powervm|xenapi|hv|zvm|hypervisor|ironic):.*", _DRIVER),
    (r"hw[:_](pmu|locked_memory|virtio_packed_ring|maxphysaddr_mode|maxphysaddr_bits|viommu_model)", _NO_FIELD),
    (r"hw[:_](serial_port_count|usb_model|redirected_usb_ports|tpm_secret_security)", _NO_FIELD),
    (r"hw[:_]ephemeral_encryption(_format|_secret_uuid)?", "a VM's volumes are encrypted by their storage class"),
    (r"hw_video:ram_max_mb|hw_video_ram", "KubeVirt sizes the graphics card's memory"),
    (r"hw_(auto_disk_config|device_id|disk_type|floppy_bus|firmware_stateless|ipxe_boot|vm_mode)", _NO_FIELD),
    (r"hw_(rescue_bus|rescue_device|emulation_architecture|virtio_queue_size|rx_queue_size|tx_queue_size)", _NO_FIELD),
    (r"os_(command_line|require_quiesce|admin_user|skip_agent_inject_(files_at_boot|ssh))", _NO_FIELD),
    (r"trait:.*", _NODES),
    (r"(vmware|hyperv|xenapi|auto_disk|ipxe|ramdisk|kernel|instance)_.*", _DRIVER),
    (r"img_(hv_type|hv_requested_version)", _DRIVER),
    (r"img_.*", "it is glance's and nova's own business"),
)
_HOST = (
    r"(os_distro|os_version|description|architecture|min_ram|min_disk|locations|direct_url|stores|base_image_ref|"
    r"image_type|image_location|image_state|boot_roles|user_id|owner_id|owner_user_name|owner_project_name|"
    r"signature_verified|cinder_.*|owner_specified\..*|os_hash_.*|os_hidden|self|file|schema|block_device_mapping|bdm_v2|"
    r"root_device_name|mappings|license|version|build_date|.*_url)"
)
_OWN_SPACES = re.compile(r"hw[:_]|os:|os_|pci_passthrough:|hw_rng:|hw_video:|quota:|accel:")


def unsupported(key: str) -> Verdict | None:
    """Return the verdict of a property without a handler; None if OpenStack does not know it."""
    for pattern, why in _REASONS:
        if re.fullmatch(pattern, key):
            return lost(why)
    if re.fullmatch(_HOST, key):
        return host("it tells of the image, not of the machine")
    if _OWN_SPACES.match(key):
        return None
    return lost("it is of your own cloud's: no part of OpenStack makes anything of it by itself")
