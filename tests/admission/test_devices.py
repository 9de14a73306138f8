"""GPUs, host devices, filesystems and what else is behind a switch of the cluster."""

import pytest

from virtcatalog.kubevirt.admission.devices import (
    validate_downward_metrics,
    validate_filesystems,
    validate_gpus,
    validate_host_devices,
    validate_vsock,
)
from virtcatalog.kubevirt.admission.disks import validate_persistent_reservations


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ("{display: {}}", ["Invalid spec.GPUs"]),
        ("{display: {ramFB: {enabled: true}}}", ["Invalid spec.GPUs"]),
        ("{display: {ramFB: {enabled: false}}}", []),
        ("{display: {ramFB: {}}}", []),
        ("{display: {enabled: false}}", []),
        ("{}", []),
    ],
)
def test_one_vgpu_has_a_ram_framebuffer(causes_of, second, expected):
    spec = "domain.devices.gpus: [{name: a, virtualGPUOptions: {display: {}}}, {name: b, virtualGPUOptions: %s}]"
    assert causes_of(validate_gpus, spec % second) == expected


def test_host_devices_need_their_gate(causes_of):
    spec = "domain.devices.hostDevices: [{name: a, deviceName: d}]"
    assert causes_of(validate_host_devices, spec) == ["Invalid spec.HostDevices"]
    assert causes_of(validate_host_devices, spec, gates=["HostDevices"]) == []
    assert causes_of(validate_host_devices, "{}") == []


def test_the_metrics_device_needs_its_gate(causes_of):
    spec = "domain.devices.downwardMetrics: {}"
    assert causes_of(validate_downward_metrics, spec) == ["Invalid spec.domain.devices.downwardMetrics"]
    assert causes_of(validate_downward_metrics, spec, gates=["DownwardMetrics"]) == []


@pytest.mark.parametrize(
    ("rule", "spec", "message"),
    [
        (validate_downward_metrics, "domain.devices.downwardMetrics: {}", "needs the feature gate DownwardMetrics"),
        (
            validate_host_devices,
            "domain.devices.hostDevices: [{name: a, deviceName: d}]",
            "hostDevices need the feature gate HostDevices",
        ),
        (
            validate_vsock,
            "domain.devices.autoattachVSOCK: true",
            "needs the feature gate VSOCK, which is off",
        ),
        (
            validate_filesystems,
            "domain.devices.filesystems: [{name: a, virtiofs: {}}]\nvolumes: [{name: a, dataVolume: {name: d}}]",
            "filesystem 'a': sharing its volume needs the feature gate EnableVirtioFsStorageVolumes",
        ),
    ],
)
def test_what_needs_a_gate_names_it(messages, rule, spec, message):
    assert messages(rule, spec) == [message]


@pytest.mark.parametrize(
    ("source", "shared"),
    [
        ("persistentVolumeClaim: {claimName: c}", False),
        ("dataVolume: {name: d}", False),
        ("configMap: {name: c}", True),
        ("secret: {secretName: s}", True),
    ],
)
def test_storage_is_shared_as_a_filesystem_behind_a_gate(causes_of, source, shared):
    spec = f"domain.devices.filesystems: [{{name: a, virtiofs: {{}}}}]\nvolumes: [{{name: a, {source}}}]"
    assert causes_of(validate_filesystems, spec) == ([] if shared else ["Invalid spec.domain.devices.filesystems"])
    assert causes_of(validate_filesystems, spec, gates=["EnableVirtioFsStorageVolumes"]) == []


@pytest.mark.parametrize(
    ("config", "gates", "permitted"),
    [
        ("", [], False),
        ("", ["PersistentReservation"], True),
        ("persistentReservationConfiguration: {enabled: true}", [], True),
        ("persistentReservationConfiguration: {enabled: false}", ["PersistentReservation"], False),
    ],
)
def test_the_cluster_permits_persistent_reservations(causes_of, config, gates, permitted):
    spec = "domain.devices.disks: [{name: a, lun: {reservation: %s}}]"
    refused = ["Invalid spec.domain.devices.disks.luns.reservation"]
    assert causes_of(validate_persistent_reservations, spec % "true", config, gates) == ([] if permitted else refused)
    assert causes_of(validate_persistent_reservations, spec % "false", config, gates) == []
