"""What becomes of every value of every property that OpenStack knows, as a user reads it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from syrupy.assertion import SnapshotAssertion

from virtcatalog.bring.openstack.handlers import FLAVOR, IMAGE, unsupported
from virtcatalog.bring.openstack.objects import import_resources
from virtcatalog.bring.openstack.read import read
from virtcatalog.bring.openstack.sheet import ValueFault, choice, number, truth

SWITCH = ("true", "false", "maybe")
DEDICATED = {"hw:cpu_policy": "dedicated"}
VALUES = {
    "hw:cpu_policy": ("dedicated", "shared", "mixed", "own"),
    "hw:mem_page_size": ("small", "4", "4KB", "large", "2MB", "2048", "1GB", "1048576", "16MB", "any", "huge"),
    "hw:emulator_threads_policy": ("isolate", "share", "none"),
    "hw:numa_nodes": ("1", "2", "0", "x"),
    "hw:cpu_realtime": ("yes", "no", "maybe"),
    "hw:cpu_realtime_mask": ("0-1", "^0", "^0-1,^3", "all"),
    "pci_passthrough:alias": (
        "gpu",
        "gpu:2,nic:1",
        "gpu:64",
        "gpu:65",
        "gpu:0",
        "gpu:x",
        ":1",
        "",
        " gpu : 1",
        "A_100",
        "_",
        "a/b c:1, nic",
    ),
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
    "hw_machine_type": (
        "q35",
        "pc-q35-rhel9.4.0",
        "s390-ccw-virtio",
        "pc-q35-8.2",
        "pc",
        "pc-i440fx-2.9",
        "virt",
        "xenfv",
    ),
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


def fate_of(key: str, value: str, **beside: str) -> str:
    """The fate of a property, with the part of the specs that it sets, or what is wrong with it."""
    of_flavor = {"name": "m1", "vcpus": 4, "ram": 8192} if key in FLAVOR else {"name": "f", "disk_format": "qcow2"}
    resources, problems = read(json.dumps([{**of_flavor, "properties": {**beside, key: value}}]).encode(), "c.json")
    imported = import_resources(resources, {"gpu": "example.org/gpu"})
    lines = [f"{part.fate}: {part.why}" for part in imported.properties if part.key == key]
    lines += [f"needs {need}" for need in imported.needs]
    specs = [json.dumps(obj["spec"]) for obj in imported.objects] if lines else []
    return "; ".join([*lines, *specs, *(problem.message for problem in (*problems, *imported.problems))])


def test_all_properties_are_here() -> None:
    assert {*VALUES} == {*FLAVOR, *IMAGE}


@pytest.mark.parametrize("key", VALUES)
def test_every_value(key: str, snapshot: SnapshotAssertion) -> None:
    lines = [f"{value}: {fate_of(key, value)}" for value in VALUES[key]]
    if key in BESIDE:
        lines += [f"{value}, with what it needs: {fate_of(key, value, **BESIDE[key])}" for value in VALUES[key]]
    assert lines == snapshot


@pytest.mark.parametrize(
    ("vcpus", "layout", "expected"),
    [
        (1, "sockets=1", "sockets"),
        (8, "sockets=8", "sockets"),
        (8, "max_sockets=65535", "sockets"),
        (8, "max_cores=2", "sockets"),
        (8, "cores=8", "cores"),
        (7, "max_sockets=3", "cores"),
        (8, "threads=8", "threads"),
        (8, "max_sockets=2", "spread SocketsCores 4"),
        (8, "max_sockets=4 max_threads=1", "spread SocketsCores 2"),
        (12, "sockets=3", "spread SocketsCores 4"),
        (8, "max_sockets=2 max_cores=2", "spread SocketsCoresThreads 2"),
        (12, "sockets=2 cores=3 threads=2", "spread SocketsCoresThreads 3"),
        (12, "sockets=1 cores=4", "spread CoresThreads 3"),
        (8, "threads=2", "no preference lays 8 vCPUs out as 4 sockets, 1 cores, 2 threads"),
        (12, "sockets=2 threads=3", "no preference lays 12 vCPUs out as 2 sockets, 2 cores, 3 threads"),
        (512, "sockets=2", "spread SocketsCores 256"),
        (514, "sockets=2", "no preference lays 514 vCPUs out as 2 sockets, 257 cores, 1 threads"),
        (4096, "sockets=4096", "sockets"),
        (8192, "sockets=4096", "spread SocketsCores 2"),
        (8192, "sockets=8192", "the layout does not divide 8192 vCPUs"),
        (12, "cores=5", "the layout does not divide 12 vCPUs"),
        (8, "cores=4 max_cores=2", "the layout does not divide 8 vCPUs"),
        (8, "sockets=0", "'0' is no whole number from 1 on"),
        (8, "sockets=65536", "'65536' is no whole number from 1 on"),
        (8, "cores=+2", "'+2' is no whole number from 1 on"),
    ],
)
def test_a_preference_lays_vcpus_out_as_far_as_one_can(vcpus: int, layout: str, expected: str) -> None:
    properties = dict(f"hw:cpu_{part}".split("=") for part in layout.split())
    data = {"name": "m1", "vcpus": vcpus, "ram": 512, "properties": properties}
    imported = import_resources(read(json.dumps(data).encode(), "c.json")[0], {})
    (why,) = {part.why for part in imported.properties if ":" in part.key} or {
        problem.message for problem in imported.problems
    }
    cpus = [obj["spec"]["cpu"] for obj in imported.objects if obj["kind"].endswith("Preference")]
    if why == "preference: cpu.preferredCPUTopology":
        (cpu,) = cpus
        spread = cpu.get("spreadOptions", {})
        why = " ".join(map(str, [cpu["preferredCPUTopology"], *spread.values()]))
    else:
        assert cpus == []
    assert why == expected


def test_numbers_switches_and_words_are_read_as_openstack_does() -> None:
    yes, no = ("true", "yes", "1", "on", "t", "y", "TRUE", "On"), ("false", "no", "0", "off", "f", "n", "False")
    assert ([truth(text) for text in yes], [truth(text) for text in no]) == ([True] * len(yes), [False] * len(no))
    assert (number("1"), number("0", 0), number("999999999"), choice("b", "a", "b")) == (1, 0, 999999999, "b")


@pytest.mark.parametrize(
    ("read_value", "expected"),
    [
        (lambda: truth("2"), "is neither true nor false"),
        (lambda: truth(""), "is neither true nor false"),
        (lambda: number("0"), "is no whole number from 1 on"),
        (lambda: number("1", 2), "is no whole number from 2 on"),
        (lambda: number("1000000000"), "is no whole number from 1 on"),
        (lambda: number("\uff11"), "is no whole number from 1 on"),
        (lambda: number("", 0), "is no whole number from 0 on"),
        (lambda: choice("c", "a", "b"), "is none of a, b"),
    ],
)
def test_other_values_are_told(read_value: Callable[[], object], expected: str) -> None:
    with pytest.raises(ValueFault) as raised:
        read_value()
    assert str(raised.value) == expected


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
    assert [f"{part.fate}: {part.why}" for part in import_resources(resources, {}).properties if ":" in part.key] == [
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


FLAVORS = """\
[{"name": "M1 large", "vcpus": 4, "ram": 4000, "disk": 20, "OS-FLV-EXT-DATA:ephemeral": 5, "swap": 512,
  "properties": {"hw:cpu_sockets": "2", "quota:cpu_shares": "1", "hw:cpu_policy": "shared",
    "trait:CUSTOM_A": "required", "hw:cpu_max_threads": "1", "pci_passthrough:alias": "gpu,gpu"}},
 {"name": "m1-large", "vcpus": 1, "ram": 1024},
"""
IMAGES = """\
 {"name": "Fedora", "disk_format": "raw", "min_ram": 1536, "min_disk": 10, "os_type": "windows",
  "properties": {"mine": "1", "hw_video_model": "none"}},
 {"name": "fedora", "disk_format": "raw"},
"""
MISTAKES = """\
 {"name": "m2", "vcpus": 6, "ram": 1024, "properties": {"hw:cpu_threads": "4", "hw:cpu_max_cores": "1"}},
 {"name": "m3", "vcpus": 6, "ram": 1024, "properties": {"hw:cpu_policy": "own", "hw:numa_nodes": "1"}}]
"""


@pytest.mark.parametrize("text", [FLAVORS + MISTAKES, FLAVORS + IMAGES + MISTAKES], ids=["flavors", "images, too"])
def test_all_that_becomes_of_a_cloud(text: str, snapshot: SnapshotAssertion) -> None:
    resources, problems = read(text.encode(), "c.json")
    imported = import_resources(resources, {"nic": "example.org/nic"})
    assert [
        *(json.dumps(obj) for obj in imported.objects),
        *(
            f"{part.file}:{part.line}:{part.column} {part.owner} {part.key}={part.value}: {part.fate}: {part.why}"
            for part in imported.properties
        ),
        *imported.needs,
        *map(str, [*problems, *imported.problems]),
    ] == snapshot


@pytest.mark.parametrize(
    ("kind", "key", "meant"),
    [
        ("flavor", "hw:cpu_socket", "hw:cpu_sockets"),
        ("flavor", "hw:cpu_max_core", "hw:cpu_max_cores"),
        ("flavor", "hw:cpu_thread", "hw:cpu_threads"),
        ("flavor", "hw:cpu_thread_polcy", "hw:cpu_thread_policy"),
        ("flavor", "hw:watchdog_actio", "hw:watchdog_action"),
        ("flavor", "hw:boot_men", "hw:boot_menu"),
        ("flavor", "hw:pmus", "hw:pmu"),
        ("flavor", "hw_rng:rate_byte", "hw_rng:rate_bytes"),
        ("flavor", "hw:numa_cpu.0", "hw:numa_cpus.0"),
        ("flavor", "hw:hide_hypervisor", "hw:hide_hypervisor_id"),
        ("image", "hw_disk_buss", "hw_disk_bus"),
        ("image", "os_secureboot", "os_secure_boot"),
    ],
)
def test_a_key_that_openstack_does_not_know_is_told_with_the_one_like_it(kind: str, key: str, meant: str) -> None:
    data = {"name": "x", **({"vcpus": 1, "ram": 1} if kind == "flavor" else {"disk_format": "raw"})}
    resources, _ = read(json.dumps({**data, "properties": {key: "1"}}).encode(), "c.json")
    (problem,) = import_resources(resources, {}).problems
    assert problem.message == f"OpenStack knows no such property; did you mean {meant!r}?"
