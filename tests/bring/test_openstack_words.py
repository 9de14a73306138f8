"""What becomes of every value of every property that OpenStack knows, as a user reads it."""

from __future__ import annotations

import json

import pytest
from syrupy.assertion import SnapshotAssertion

from virtcatalog.bring.openstack.handlers import FLAVOR, IMAGE, unsupported
from virtcatalog.bring.openstack.objects import import_resources
from virtcatalog.bring.openstack.read import read

SWITCH = ("true", "false", "maybe")
DEDICATED = {"hw:cpu_policy": "dedicated"}
VALUES = {
    "hw:cpu_policy": ("dedicated", "shared", "mixed", "own"),
    "hw:mem_page_size": ("small", "4", "4KB", "large", "2MB", "2048", "1GB", "1048576", "16MB", "any", "huge"),
    "hw:emulator_threads_policy": ("isolate", "share", "none"),
    "hw:numa_nodes": ("1", "2", "0", "x"),
    "hw:cpu_realtime": ("yes", "no", "maybe"),
    "hw:cpu_realtime_mask": ("0-1", "^0", "^0-1,^3", "all"),
    "pci_passthrough:alias": ("gpu", "gpu:2,nic:1", "gpu:64", "gpu:65", "gpu:0", "gpu:x", ":1", ""),
    "resources:VGPU": ("0", "1", "64", "65", "-1"),
    "hw:mem_encryption": SWITCH,
    "hw:vif_multiqueue_enabled": SWITCH,
    "hw:tpm_version": ("1.2", "2.0", "3.0"),
    "hw:tpm_model": ("tpm-tis", "tpm-crb", "tpm"),
    "os:secure_boot": ("required", "optional", "disabled", "on"),
    "hw_rng:allowed": SWITCH,
    "hw:sound_model": ("sb16", "es1370", "pcspk", "ac97", "ich6", "ich9", "usb", "virtio", "none"),
    "hw:hide_hypervisor_id": SWITCH,
    "hide_hypervisor_id": SWITCH,
    "hw_architecture": ("x86_64", "aarch64", "s390x", "ppc64le", "mips"),
    "hw_machine_type": ("q35", "pc-q35-8.2", "pc", "pc-i440fx-2.9", "virt", "xenfv"),
    "hw_firmware_type": ("uefi", "bios", "efi"),
    "os_secure_boot": ("required", "optional", "disabled", "on"),
    "os_type": ("linux", "windows", "bsd"),
    "hw_disk_bus": ("virtio", "sata", "scsi", "usb", "ide", "fdc", "lxc", "uml", "xen", "nvme"),
    "hw_cdrom_bus": ("virtio", "sata", "scsi", "usb", "ide", "nvme"),
    "hw_scsi_model": ("virtio-scsi", "lsilogic"),
    "hw_vif_model": ("virtio", "e1000", "e1000e", "ne2k_pci", "pcnet", "rtl8139", "vmxnet3", "VirtualE1000", "x"),
    "hw_vif_multiqueue_enabled": SWITCH,
    "hw_tpm_version": ("1.2", "2.0", "3.0"),
    "hw_tpm_model": ("tpm-tis", "tpm-crb", "tpm"),
    "hw_video_model": ("vga", "cirrus", "virtio", "bochs", "ramfb", "qxl", "vmvga", "xen", "gop", "none", "x"),
    "hw_pointer_model": ("usbtablet", "mouse"),
    "hw_input_bus": ("usb", "virtio", "ps2"),
    "hw_rng_model": ("virtio", "none"),
    "hw_sound_model": ("ac97", "ich9", "sb16", "none"),
    "hw_qemu_guest_agent": SWITCH,
    "hw_time_hpet": SWITCH,
    "img_hide_hypervisor_id": SWITCH,
}
#: What a property asks for beside it.
BESIDE = {
    "hw:emulator_threads_policy": DEDICATED,
    "hw:numa_nodes": {**DEDICATED, "hw:mem_page_size": "large"},
    "hw:cpu_realtime": {**DEDICATED, "hw:mem_page_size": "large"},
    "hw:cpu_realtime_mask": {**DEDICATED, "hw:mem_page_size": "large", "hw:cpu_realtime": "yes"},
}


def told(key: str, value: str, **beside: str) -> str:
    """The fate of a property, with the part of the specs that it sets, or what is wrong with it."""
    of_flavor = {"name": "m1", "vcpus": 4, "ram": 8192} if key in FLAVOR else {"name": "f", "disk_format": "qcow2"}
    resources, problems = read(json.dumps([{**of_flavor, "properties": {**beside, key: value}}]).encode(), "c.json")
    made = import_resources(resources, {"gpu": "example.org/gpu"})
    said = [f"{each.fate}: {each.why}" for each in made.properties if each.key == key]
    said += [f"needs {need}" for need in made.needs]
    specs = [json.dumps(each["spec"]) for each in made.objects] if said else []
    return "; ".join([*said, *specs, *(each.message for each in (*problems, *made.problems))])


def test_all_properties_are_here() -> None:
    assert {*VALUES} == {*FLAVOR, *IMAGE}


@pytest.mark.parametrize("key", VALUES)
def test_every_value(key: str, snapshot: SnapshotAssertion) -> None:
    lines = [f"{value}: {told(key, value)}" for value in VALUES[key]]
    if key in BESIDE:
        lines += [f"{value}, with what it needs: {told(key, value, **BESIDE[key])}" for value in VALUES[key]]
    assert lines == snapshot


@pytest.mark.parametrize(
    ("trait", "fate"),
    [
        ("HW_CPU_X86_AVX2=required", "carried: instance type: nodeSelector[cpu-feature.node.kubevirt.io/avx2]"),
        ("HW_CPU_X86_INTEL_VMX=required", "carried: instance type: nodeSelector[cpu-feature.node.kubevirt.io/vmx]"),
        ("HW_CPU_X86_AMD_SVM=required", "carried: instance type: nodeSelector[cpu-feature.node.kubevirt.io/svm]"),
        ("HW_CPU_X86_AMD_SEV=required", "carried: instance type: nodeSelector[kubevirt.io/sev]"),
        (
            "HW_CPU_X86_AVX2=forbidden",
            "lost: an instance type chooses nodes by what they have, not by what they lack",
        ),
        (
            "CUSTOM_GOLD=required",
            "lost: nodes have no such label; an instance type's nodeSelector may name one of yours",
        ),
    ],
)
def test_traits_of_cpus_are_labels_of_nodes(trait: str, fate: str) -> None:
    name, _, value = trait.partition("=")
    data = {"name": "m1", "vcpus": 4, "ram": 8192, "properties": {f"trait:{name}": value}}
    resources, _ = read(json.dumps([data]).encode(), "c.json")
    assert [f"{each.fate}: {each.why}" for each in import_resources(resources, {}).properties if ":" in each.key] == [
        fate
    ]


@pytest.mark.parametrize(
    "keys",
    [
        "os_distro os_version description architecture min_ram min_disk locations direct_url stores base_image_ref",
        "image_type image_location image_state boot_roles user_id owner_id owner_user_name owner_project_name",
        "signature_verified cinder_encryption_key_id owner_specified.openstack.md5 os_hash_algo os_hidden self file",
        "schema block_device_mapping bdm_v2 root_device_name mappings license version build_date homepage_url",
    ],
)
def test_what_tells_of_the_image_is_nothing_of_the_machine(keys: str) -> None:
    for key in keys.split():
        verdict = unsupported(key)
        assert verdict is not None, key
        assert tuple(verdict) == ("host", "it tells of the image, not of the machine"), key


def test_what_openstack_does_not_know_is_a_mistake_in_its_own_spaces_and_else_the_clouds_own() -> None:
    spaces = ("hw:x", "hw_x", "os:x", "os_x", "pci_passthrough:x", "hw_rng:x", "hw_video:x", "quota:x", "accel:x")
    assert [unsupported(key) for key in spaces] == [None] * len(spaces)
    assert unsupported("team") == (
        "lost",
        "it is of your own cloud's: no part of OpenStack makes anything of it by itself",
    )
