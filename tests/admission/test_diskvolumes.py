"""How disks, filesystems and volumes find each other, and in which order devices boot."""

import pytest

from virtcatalog.kubevirt.admission.disks import validate_disk_volumes, validate_volume_disks

DISKS = "spec.domain.devices.disks"


def test_a_disk_needs_a_volume(causes_of):
    seen = causes_of(validate_disk_volumes, "domain.devices.disks: [{name: a}, {name: b}]\nvolumes: [{name: b}]")
    assert seen == [f"Invalid {DISKS}[0].name"]


@pytest.mark.parametrize(
    ("disks", "hint"),
    [("[{name: rot}]", "; did you mean 'root'?"), ("[{name: nothing}]", ""), ("[{name: rot}, {name: roots}]", "")],
)
def test_one_disk_without_a_volume_may_be_misspelt(judged, disks, hint):
    cause, *_ = judged(validate_disk_volumes, f"domain.devices.disks: {disks}\nvolumes: [{{name: root}}]")
    assert cause.message.partition("named ")[2].partition("'")[2].partition("'")[2] == hint


def test_a_cdrom_can_be_empty_where_volumes_can_be_plugged_in(causes_of):
    spec = "domain.devices.disks: [{name: a, cdrom: {}}]"
    off = "developerConfiguration: {disabledFeatureGates: [DeclarativeHotplugVolumes]}"
    assert causes_of(validate_disk_volumes, spec) == []
    assert causes_of(validate_disk_volumes, spec, config=off) == [f"Invalid {DISKS}[0].name"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("persistentVolumeClaim: {claimName: c}", []),
        ("dataVolume: {name: d}", []),
        ("containerDisk: {image: i}", [f"Invalid {DISKS}[0].lun"]),
    ],
)
def test_a_lun_needs_storage(causes_of, source, expected):
    spec = f"domain.devices.disks: [{{name: a, lun: {{}}}}]\nvolumes: [{{name: a, {source}}}]"
    assert causes_of(validate_disk_volumes, spec) == expected


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("disk: {bus: virtio}", []),
        ("disk: {}", []),
        ("disk: {bus: sata}", [f"Invalid {DISKS}[0].disk.bus"]),
        ("cdrom: {}", [f"Required {DISKS}[0].disk"]),
        ("serial: s", [f"Required {DISKS}[0].disk"]),
    ],
)
def test_downward_metrics_are_a_virtio_disk(causes_of, target, expected):
    spec = f"domain.devices.disks: [{{name: a, {target}}}]\nvolumes: [{{name: a, downwardMetrics: {{}}}}]"
    assert causes_of(validate_disk_volumes, spec) == expected


def test_boot_orders_differ_among_disks_and_interfaces(causes_of):
    seen = causes_of(
        validate_disk_volumes,
        """
        domain:
          devices:
            disks: [{name: a, bootOrder: 1}, {name: b, bootOrder: 2}, {name: c, bootOrder: 1}]
            interfaces: [{name: n, bootOrder: 2}, {name: o, bootOrder: 3}, {name: p, bootOrder: 0},
                         {name: q, bootOrder: 0}]
        volumes: [{name: a}, {name: b}, {name: c}]
        """,
    )
    assert seen == [
        f"Invalid {DISKS}[2].bootOrder",
        "Invalid spec.domain.devices.interfaces[0].bootOrder",
        "Invalid spec[2].bootOrder",
        "Invalid spec[3].bootOrder",
    ]


def test_a_volume_of_a_vmi_needs_a_disk_or_a_filesystem(causes_of):
    seen = causes_of(
        validate_volume_disks,
        """
        domain.devices: {disks: [{name: a}], filesystems: [{name: b, virtiofs: {}}]}
        volumes: [{name: a}, {name: b}, {name: c}, {name: d, memoryDump: {claimName: m}}]
        """,
    )
    assert seen == ["Invalid spec.domain.volumes[2].name"]


@pytest.mark.parametrize(
    ("devices", "path", "fields"),
    [
        ("filesystems: [{name: a, virtiofs: {}}]", "/data", []),
        ("filesystems: [{name: a, virtiofs: {}}]", "/var/run/libvirt/x", ["spec.domain.volumes[0].containerPath.path"]),
        ("disks: [{name: a}]", "/data", ["spec.domain.volumes[0]", "spec.domain.volumes[0]"]),
        ("disks: [{name: a}], filesystems: [{name: a, virtiofs: {}}]", "/data", ["spec.domain.volumes[0]"]),
    ],
)
def test_a_container_path_is_a_filesystem(causes_of, devices, path, fields):
    spec = f"domain: {{devices: {{{devices}}}}}\nvolumes: [{{name: a, containerPath: {{path: {path}}}}}]"
    assert causes_of(validate_volume_disks, spec) == [f"Invalid {field}" for field in fields]
