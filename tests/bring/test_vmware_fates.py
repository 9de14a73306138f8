"""What becomes of each thing that a source says of a machine, and why."""

from __future__ import annotations

import pytest
from vmwares import GIB, bring

from virtcatalog.bring.vmware.fates import verdict
from virtcatalog.bring.vmware.guests import Guest
from virtcatalog.bring.vmware.hardware import GuestDisk
from virtcatalog.bring.vmware.machine import Attribute, Disk, Nic
from virtcatalog.bring.vmware.mapping import Mapping, Storage

NETWORKS = {"LAN": "pod", "DMZ": "dmz", "Old": "ignored", "Web": "pod"}
TARGET = {"mapping": Mapping(networks=NETWORKS, datastores={"ssd": Storage(storage_class="fast"), "hdd": Storage()})}


def fate(subject, number=0, *, target=None, shows=None, machine_is=None, system=None, **fields):
    """What becomes of a subject; `shows` is what the domain shows otherwise, `machine_is` what the machine was."""
    brought = bring([], {**TARGET, **(target or {})}, **fields)
    brought = brought._replace(
        machine=brought.machine._replace(**(machine_is or {})),
        hardware=brought.hardware._replace(**(shows or {})),
        system=brought.system._replace(**(system or {})),
    )
    return ": ".join(verdict(Attribute("a", "x", subject, number), brought))


@pytest.mark.parametrize(
    ("subject", "fields", "expected"),
    [
        ("name", {"name": "Web Server"}, "carried: metadata.name: web-server"),
        ("notes", {}, "carried: metadata.annotations[description]"),
        ("runs", {}, "host: runStrategy is Halted, whatever runs there"),
        ("runs", {"target": {"run_strategy": "Always"}}, "host: runStrategy is Always, whatever runs there"),
        ("vcpus", {}, "carried: the VM: 2 vCPUs"),
        ("vcpus", {"vcpus": 1}, "carried: the VM: 1 vCPU"),
        ("vcpus", {"shows": {"vcpus": 4}}, "carried: the VM has 4 vCPUs, the machine 2 vCPUs"),
        ("vcpus", {"shows": {"vcpus": 1}}, "lost: the VM has 1 vCPU only"),
        ("memory", {}, "carried: the VM: 8 GiB"),
        ("memory", {"shows": {"memory": 16 * GIB}}, "carried: the VM has 16 GiB, the machine 8 GiB"),
        ("memory", {"shows": {"memory": GIB // 2}}, "lost: the VM has 512 MiB only"),
        ("cores", {"cores": 2}, "carried: 2 cores a socket"),
        ("cores", {"cores": 1}, "carried: 1 core a socket"),
        (
            "cores",
            {"cores": 1, "shows": {"cores": 2}},
            "lost: the instance type lays the vCPUs out with 2 cores a socket",
        ),
        ("firmware", {"firmware": "efi"}, "carried: UEFI"),
        ("firmware", {"firmware": "bios"}, "carried: BIOS"),
        ("firmware", {"firmware": "efi", "shows": {"firmware": "bios"}}, "lost: the VM has BIOS"),
        ("firmware", {"firmware": "", "shows": {"firmware": "efi"}}, "lost: the VM has UEFI"),
        ("secureBoot", {"firmware": "efi", "secure_boot": True}, "carried: Secure Boot"),
        ("secureBoot", {"firmware": "efi", "secure_boot": False}, "carried: no Secure Boot"),
        ("secureBoot", {"firmware": "efi", "secure_boot": None}, "carried: no Secure Boot"),
        (
            "secureBoot",
            {"firmware": "efi", "secure_boot": True, "shows": {"secure_boot": False}},
            "lost: the VM has no Secure Boot",
        ),
        ("secureBoot", {"firmware": "efi", "shows": {"secure_boot": True}}, "lost: the VM has Secure Boot"),
        ("secureBoot", {"firmware": "", "shows": {"secure_boot": True}}, "carried: Secure Boot"),
        ("tpm", {"tpm": False}, "carried: no TPM"),
        (
            "tpm",
            {"tpm": True},
            "lost: a new TPM 2.0, which is empty: what the old one held, such as BitLocker's keys, stays behind",
        ),
        ("tpm", {"tpm": True, "shows": {"tpm": False}}, "lost: the VM has no TPM"),
        ("tpm", {"tpm": False, "shows": {"tpm": True}}, "lost: the VM has a TPM"),
        ("tpm", {"tpm": None, "shows": {"tpm": False}}, "lost: the VM has no TPM"),
        ("uuid", {}, "lost: it is no UUID"),
        (
            "uuid",
            {"uuid": "421e3f5b-8a00-4b1c-9d2e-0123456789ab"},
            "carried: domain.firmware.uuid, and VMware's serial number of it in domain.firmware.serial",
        ),
    ],
)
def test_what_is_said_of_a_machine(subject, fields, expected):
    assert fate(subject, **fields) == expected


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (
            {"guest": None, "text": "BeOS"},
            "lost: it is no operating system that is known: name its preference in the mapping, under guests",
        ),
        (
            {"guest": Guest("netware", "6")},
            "lost: the catalog has no preference for netware 6: name one in the mapping, under guests",
        ),
    ],
)
def test_an_operating_system_without_a_preference(system, expected):
    assert fate("guest", system=system) == expected


DISKS = (
    Disk("a", 3 * GIB, "ssd", "scsi", file="a.vmdk"),
    Disk("b", GIB, "hdd", "sata", shared=True, raw=True),
    Disk("c", GIB, "tape", "nvme"),
)


@pytest.mark.parametrize(
    ("subject", "number", "fields", "expected"),
    [
        ("disk", 1, {}, "carried: disk-1"),
        ("disk", 3, {}, "lost: the VM does not have this disk"),
        ("disk.size", 0, {}, "host: the claim web-disk-0 has it: at least 3 GiB"),
        ("disk.size", 1, {"target": {"disks": "upload"}}, "carried: DataVolume web-disk-1: 1 GiB"),
        ("disk.storage", 0, {}, "host: the mapping makes it the storage class fast"),
        ("disk.storage", 1, {}, "host: the mapping makes it the storage class the default"),
        ("disk.storage", 2, {}, "host: the mapping makes it the storage class the default"),
        ("disk.file", 0, {}, "host: the image comes into web-disk-0"),
        ("disk.bus", 0, {}, "lost: the guest finds the disk on virtio"),
        ("disk.bus", 1, {"shows": {"disks": {"disk-1": GuestDisk("sata", 0)}}}, "carried: bus sata"),
        ("disk.bus", 7, {}, "lost: the VM does not have this disk"),
        ("disk.shared", 0, {}, "carried: the disk is this VM's alone"),
        (
            "disk.shared",
            1,
            {},
            "lost: shareable, but web-disk-1 is a claim of this VM: name one claim in all of them",
        ),
        ("disk.raw", 0, {}, "carried: the disk is an image"),
        ("disk.raw", 1, {}, "lost: a raw device comes as an image of what is on it, not as the device"),
        ("boots", 0, {}, "carried: disk-0 boots"),
        ("boots", 0, {"boots": 2}, "carried: disk-2 boots"),
        ("boots", 0, {"machine_is": {"boots": 1}}, "lost: the VM boots from no disk"),
        ("boots", 0, {"machine_is": {"boots": 3}}, "lost: the VM boots from no disk"),
    ],
)
def test_what_is_said_of_a_disk(subject, number, fields, expected):
    assert fate(subject, number, disks=DISKS, **fields) == expected


NICS = (
    Nic("1", "LAN", "00:50:56:9a:00:01", "virtio"),
    Nic("2", "DMZ", "", "vmxnet3", connected=False),
    Nic("3", "Old"),
    Nic("4", "Web"),
    Nic("5", ""),
)


@pytest.mark.parametrize(
    ("subject", "number", "expected"),
    [
        ("nic", 0, "carried: net-0"),
        ("nic", 2, "lost: the VM does not have this card"),
        ("nic.network", 0, "carried: the Pod's network"),
        ("nic.network", 1, "carried: NetworkAttachmentDefinition dmz"),
        ("nic.network", 2, "lost: the mapping ignores this network"),
        (
            "nic.network",
            3,
            "lost: the VM has the Pod's network once: map this one to a NetworkAttachmentDefinition",
        ),
        ("nic.network", 4, "lost: it is connected to nothing"),
        ("nic.mac", 0, "carried: interface net-0"),
        ("nic.mac", 1, "lost: it is no MAC address"),
        ("nic.mac", 3, "lost: the VM does not have this card"),
        ("nic.model", 0, "carried: virtio"),
        ("nic.model", 1, "lost: the guest finds a card of model virtio, under another name perhaps"),
        ("nic.model", 4, "lost: the VM does not have this card"),
        ("nic.connected", 0, "carried: the link is up"),
        ("nic.connected", 1, "carried: state: down"),
        ("nic.connected", 2, "lost: the VM does not have this card"),
    ],
)
def test_what_is_said_of_a_network_card(subject, number, expected):
    assert fate(subject, number, nics=NICS) == expected


def test_a_vm_is_known_by_its_namespace_and_name():
    assert bring([]).key == "web"
    assert bring([], {"namespace": "shop"}).key == "shop/web"
