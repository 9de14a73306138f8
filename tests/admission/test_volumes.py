"""What KubeVirt says about each volume."""

import pytest

from virtcatalog.kubevirt.admission.volumes import (
    SOURCES,
    validate_container_disks,
    validate_utility_volumes,
    validate_volumes,
)

VOLUME = "spec.volumes[0]"


def test_every_source_of_the_api_counts():
    assert len(SOURCES) == 16


@pytest.mark.parametrize(
    ("volume", "expected"),
    [
        ("containerDisk: {image: i}", []),
        ("containerPath: {path: /x}", []),
        ("emptyDisk: {capacity: 1Gi}", []),
        ("", [f"Invalid {VOLUME}"]),
        ("containerDisk: {image: i}, emptyDisk: {capacity: 1Gi}", [f"Invalid {VOLUME}"]),
        ("dataVolume: {name: d}", []),
        ("dataVolume: {name: ''}", [f"Required {VOLUME}.name"]),
        ("configMap: {name: c}", []),
        ("configMap: {}", [f"Invalid {VOLUME}.configMap.name"]),
        ("secret: {secretName: s}", []),
        ("secret: {}", [f"Invalid {VOLUME}.secret.secretName"]),
        ("serviceAccount: {serviceAccountName: s}", []),
        ("serviceAccount: {}", [f"Invalid {VOLUME}.serviceAccount.serviceAccountName"]),
        ("downwardMetrics: {}", [f"Invalid {VOLUME}"]),
    ],
)
def test_source(causes_of, volume, expected):
    assert causes_of(validate_volumes, f"volumes: [{{name: a, {volume}}}]") == expected


def test_downward_metrics_need_a_gate(causes_of):
    assert causes_of(validate_volumes, "volumes: [{name: a, downwardMetrics: {}}]", gates=["DownwardMetrics"]) == []


@pytest.mark.parametrize(
    ("disk", "expected"),
    [
        ("path: /d.img, type: Disk", []),
        ("path: /d.img, type: DiskOrCreate, capacity: 1Gi", []),
        ("path: '', type: Disk", [f"NotFound {VOLUME}.hostDisk.path"]),
        ("path: /d.img, type: disk", [f"Invalid {VOLUME}.hostDisk.type"]),
        ("path: /d.img, type: Disk, capacity: 1Gi", [f"Invalid {VOLUME}.hostDisk.capacity"]),
    ],
)
def test_host_disk(causes_of, disk, expected):
    spec = f"volumes: [{{name: a, hostDisk: {{{disk}}}}}]"
    assert causes_of(validate_volumes, spec, gates=["HostDisk"]) == expected
    assert causes_of(validate_volumes, spec) == [f"Invalid {VOLUME}", *expected]


def test_names_differ(causes_of):
    image = "containerDisk: {image: i}"
    seen = causes_of(validate_volumes, f"volumes: [{{name: a, {image}}}, {{name: b, {image}}}, {{name: a, {image}}}]")
    assert seen == ["Invalid spec.volumes[2].name"]


@pytest.mark.parametrize(
    "source", ["serviceAccount: {serviceAccountName: s}", "downwardMetrics: {}", "memoryDump: {claimName: c}"]
)
def test_some_sources_can_be_there_once(causes_of, source):
    one, other = f"{{name: a, {source}}}", f"{{name: b, {source}}}"
    assert causes_of(validate_volumes, f"volumes: [{one}]", gates=["DownwardMetrics"]) == []
    assert causes_of(validate_volumes, f"volumes: [{one}, {other}]", gates=["DownwardMetrics"]) == [
        "Invalid spec.volumes"
    ]


@pytest.mark.parametrize(
    ("path", "right"),
    [
        ("/disk/a.img", True),
        ("/disk/", True),
        ("/", False),
        ("a.img", False),
        ("/a/../b", False),
        ("/a//b", False),
        ("/a/./b", False),
        ("//a", False),
        ("/a//", False),
    ],
)
def test_the_path_in_a_container_disk_is_plain(causes_of, path, right):
    seen = causes_of(validate_container_disks, f"volumes: [{{name: a, containerDisk: {{image: i, path: '{path}'}}}}]")
    assert seen == ([] if right else [f"Invalid {VOLUME}.containerDisk"])


def test_utility_volumes_are_plugged_in_later(causes_of):
    spec = "utilityVolumes: [{name: a, claimName: c}]"
    assert causes_of(validate_utility_volumes, spec) == ["Invalid spec.utilityVolumes"]
    assert causes_of(validate_utility_volumes, "volumes: []") == []
