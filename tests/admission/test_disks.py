"""What KubeVirt says about each disk."""

import pytest

from virtcatalog.kubevirt.admission.disks import validate_disks

DISKS = "spec.domain.devices.disks"
DOUBLED = "spec.domain.devices.disks.domain.devices.disks"


@pytest.mark.parametrize(
    ("disk", "expected"),
    [
        ("name: a", []),
        ("name: a, disk: {bus: virtio}, lun: {}", [f"Invalid {DISKS}[0]"]),
        ("name: a, disk: {bus: virtio, pciAddress: '0000:81:01.0'}", []),
        (
            "name: a, disk: {bus: scsi, pciAddress: '0000:81:01.0'}",
            [f"Invalid {DISKS}.domain.devices.disks.disk[0].pciAddress"],
        ),
        (
            "name: a, disk: {bus: virtio, pciAddress: '0000:81:01.8'}",
            [f"Invalid {DISKS}.domain.devices.disks.disk[0].pciAddress"],
        ),
        ("name: a, bootOrder: 1", []),
        ("name: a, bootOrder: 0", [f"Invalid {DISKS}[0].bootOrder"]),
        ("name: a, cache: writeback", []),
        ("name: a, cache: unsafe", [f"Invalid {DISKS}[0].cache"]),
        ("name: a, io: threads", []),
        ("name: a, io: default", [f"NotSupported {DOUBLED}[0].io"]),
        ("name: a, errorPolicy: enospace", []),
        ("name: a, errorPolicy: ''", [f"Invalid {DISKS}[0].errorPolicy"]),
        ("name: a.b", [f"Invalid {DOUBLED}[0].name"]),
        (f"name: {'A' * 64}", [f"Invalid {DOUBLED}[0].name", f"Invalid {DOUBLED}[0].name"]),
    ],
)
def test_fields(causes_of, disk, expected):
    assert causes_of(validate_disks, f"domain.devices.disks: [{{{disk}}}]") == expected


@pytest.mark.parametrize(
    ("disk", "expected"),
    [
        ("disk: {bus: usb}", []),
        ("cdrom: {bus: sata}", []),
        ("disk: {bus: ide}", [f"Invalid {DISKS}[0].disk.bus"]),
        ("lun: {bus: nvme}", [f"Invalid {DISKS}[0].lun.bus"]),
        ("cdrom: {bus: virtio}", [f"Invalid {DISKS}[0].cdrom.bus"]),
        ("cdrom: {bus: ide}", [f"Invalid {DISKS}[0].cdrom.bus"]),
        ("disk: {bus: sata, readonly: true}", [f"Invalid {DISKS}[0].disk.bus"]),
        ("disk: {bus: scsi, readonly: true}", []),
        ("disk: {bus: virtio}, dedicatedIOThread: true", []),
        ("disk: {}, dedicatedIOThread: true", []),
        ("disk: {bus: sata}, dedicatedIOThread: false", []),
        ("disk: {bus: sata}, dedicatedIOThread: true", [f"NotSupported {DOUBLED}[0]"]),
    ],
)
def test_bus(causes_of, disk, expected):
    assert causes_of(validate_disks, f"domain.devices.disks: [{{name: a, {disk}}}]") == expected


@pytest.mark.parametrize(
    ("serial", "fields"),
    [("A_z.0+-", []), ("x" * 256, []), ("x" * 257, ["serial"]), ("a b", ["serial"]), ("ü" * 257, ["serial", "serial"])],
)
def test_serial(causes_of, serial, fields):
    seen = causes_of(validate_disks, f"domain.devices.disks: [{{name: a, serial: '{serial}'}}]")
    assert seen == [f"Invalid {DISKS}[0].{field}" for field in fields]


@pytest.mark.parametrize(
    ("block_size", "fields"),
    [
        ("custom: {logical: 512, physical: 4096}", []),
        ("custom: {logical: 4096, physical: 512}", ["custom.logical"]),
        ("custom: {logical: 256, physical: 512}", ["custom.logical"]),
        ("custom: {logical: 512, physical: 4194304}", ["custom.physical"]),
        ("custom: {logical: 3000, physical: 3000}", ["custom.logical", "custom.physical"]),
        ("custom: {logical: 512, physical: 512, discardGranularity: 1024}", []),
        ("custom: {logical: 512, physical: 512, discardGranularity: 1000}", ["custom.discardGranularity"]),
        ("matchVolume: {}", []),
        ("matchVolume: {enabled: false}, custom: {logical: 512, physical: 512}", []),
        ("matchVolume: {}, custom: {logical: 4096, physical: 512}", [""]),
    ],
)
def test_block_size(causes_of, block_size, fields):
    seen = causes_of(validate_disks, f"domain.devices.disks: [{{name: a, blockSize: {{{block_size}}}}}]")
    assert seen == [f"Invalid {DISKS}[0].blockSize.{field}".rstrip(".") for field in fields]


def test_sata_has_logical_blocks_of_512_bytes(causes_of):
    disk = "domain.devices.disks: [{name: a, cdrom: {bus: sata}, blockSize: {custom: {logical: %d, physical: 4096}}}]"
    assert causes_of(validate_disks, disk % 512) == []
    assert causes_of(validate_disks, disk % 4096) == [f"Invalid {DISKS}[0].blockSize.custom.logical"]


def test_names_differ_from_those_of_each_earlier_disk(causes_of):
    seen = causes_of(validate_disks, "domain.devices.disks: [{name: a}, {name: b}, {name: a}, {name: a}]")
    assert seen == [f"Invalid {DISKS}[{index}].name" for index in (2, 3, 3)]
