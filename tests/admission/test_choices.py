"""Fields that may have one of a few values: every one of them, the empty one where it is one, and others."""

import pytest

from virtcatalog.kubevirt.admission.architecture import VIDEO_TYPES, validate_architecture
from virtcatalog.kubevirt.admission.cpu import validate_cpu_features, validate_io_threads_policy
from virtcatalog.kubevirt.admission.devices import validate_inputs, validate_panic_devices, validate_sound
from virtcatalog.kubevirt.admission.disks import validate_disks, validate_volume_disks
from virtcatalog.kubevirt.admission.interfaces import validate_interface_states, validate_interfaces
from virtcatalog.kubevirt.admission.lifecycle import (
    validate_eviction_strategy,
    validate_start_strategy,
)
from virtcatalog.kubevirt.admission.volumes import validate_volumes

DISK = "domain.devices.disks: [{name: a, %s}]"
INTERFACE = "domain.devices.interfaces: [{name: a, bridge: {}, %s}]\nnetworks: [{name: a, multus: {networkName: n}}]"
PORT = "domain.devices.interfaces: [{name: a, bridge: {}, ports: [{port: 1, %s}]}]\nnetworks: [{name: a, pod: {}}]"
HOST_DISK = "volumes: [{name: a, hostDisk: {path: /a/b, %s}}]"
CHOICES = {
    "cache": (validate_disks, DISK % "cache: %s", ["''", "none", "writethrough", "writeback"], "directsync"),
    "io": (validate_disks, DISK % "io: %s", ["''", "native", "threads"], "io_uring"),
    "errorPolicy": (validate_disks, DISK % "errorPolicy: %s", ["null", "stop", "ignore", "report", "enospace"], "''"),
    "bus of a disk": (validate_disks, DISK % "disk: {bus: %s}", ["''", "virtio", "scsi", "sata", "usb"], "ide"),
    "bus of a LUN": (validate_disks, DISK % "lun: {bus: %s}", ["''", "virtio", "scsi", "sata", "usb"], "ide"),
    "bus of a CD-ROM": (validate_disks, DISK % "cdrom: {bus: %s}", ["''", "scsi", "sata", "usb"], "ide"),
    "CPU feature": (
        validate_cpu_features,
        "domain.cpu: {features: [{name: a, policy: %s}]}",
        ["''", "force", "require", "optional", "disable", "forbid"],
        "Require",
    ),
    "ioThreadsPolicy": (
        validate_io_threads_policy,
        "domain: {devices: {}, ioThreadsPolicy: %s, ioThreads: {supplementalPoolThreadCount: 1}}",
        ["null", "shared", "auto", "supplementalPool"],
        "''",
    ),
    "bus of an input": (
        validate_inputs,
        "domain.devices.inputs: [{name: a, type: tablet, bus: %s}]",
        ["''", "virtio", "usb"],
        "ps2",
    ),
    "type of an input": (
        validate_inputs,
        "domain.devices.inputs: [{name: a, type: %s}]",
        ["tablet"],
        "keyboard",
    ),
    "sound": (validate_sound, "domain.devices.sound: {name: a, model: %s}", ["''", "ich9", "ac97"], "es1370"),
    "panic device": (
        validate_panic_devices,
        "domain.devices.panicDevices: [{model: %s}]",
        ["null", "hyperv", "isa", "pvpanic"],
        "s390",
    ),
    "model of a NIC": (
        validate_interfaces,
        INTERFACE % "model: %s",
        ["''", "e1000", "e1000e", "igb", "ne2k_pci", "pcnet", "rtl8139", "virtio"],
        "ne2000",
    ),
    "state of a link": (validate_interface_states, INTERFACE % "state: %s", ["''", "up", "down", "absent"], "gone"),
    "protocol": (validate_interfaces, PORT % "protocol: %s", ["''", "TCP", "UDP"], "SCTP"),
    "evictionStrategy": (
        validate_eviction_strategy,
        "evictionStrategy: %s",
        ["null", "LiveMigrate", "LiveMigrateIfPossible", "None", "External"],
        "Migrate",
    ),
    "startStrategy": (validate_start_strategy, "startStrategy: %s", ["null", "Paused"], "Running"),
    "hostDisk": (validate_volumes, HOST_DISK % "type: %s", ["Disk", "DiskOrCreate, capacity: 1Gi"], "File"),
}
ALLOWED = [(name, value) for name, (_, _, values, _) in CHOICES.items() for value in values]


@pytest.mark.parametrize(("name", "value"), ALLOWED)
def test_what_a_field_may_have(judged, name, value):
    rule, template, _, _ = CHOICES[name]
    assert judged(rule, template % value, gates=["HostDisk", "PanicDevices"]) == []


@pytest.mark.parametrize("name", CHOICES)
def test_other_values_are_refused(causes_of, name):
    rule, template, _, other = CHOICES[name]
    assert len(causes_of(rule, template % other, gates=["HostDisk", "PanicDevices"])) == 1


@pytest.mark.parametrize(
    ("architecture", "video"), [(architecture, video) for architecture, types in VIDEO_TYPES.items() for video in types]
)
def test_videos_of_an_architecture(judged, architecture, video):
    spec = f"{{architecture: {architecture}, domain: {{devices: {{video: {{type: {video}}}}}}}}}"
    assert judged(validate_architecture, spec) == []


def test_videos_of_other_architectures(causes_of):
    assert VIDEO_TYPES == {
        "amd64": ("vga", "cirrus", "virtio", "ramfb", "bochs"),
        "arm64": ("virtio", "ramfb"),
        "s390x": ("virtio",),
    }
    for architecture in VIDEO_TYPES:
        spec = f"{{architecture: {architecture}, domain: {{devices: {{video: {{type: qxl}}}}}}}}"
        assert len(causes_of(validate_architecture, spec)) == 1


@pytest.mark.parametrize("bus", ["''", "virtio", "scsi", "sata", "usb"])
@pytest.mark.parametrize("target", ["disk", "cdrom", "lun"])
def test_buses_of_arm64(judged, bus, target):
    disk = f"disks: [{{name: a, {target}: {{bus: {bus}}}}}]"
    causes = judged(validate_architecture, f"{{architecture: arm64, domain: {{devices: {{{disk}}}}}}}")
    fields = [f"spec.domain.devices.disks[0].{target}.bus"] if bus in ("sata", "usb") else []
    assert [cause.field for cause in causes] == fields


@pytest.mark.parametrize(
    ("model", "refused"), [("''", 0), ("host-passthrough", 0), ("host-model", 1), ("cortex-a57", 1)]
)
def test_cpus_of_arm64(judged, model, refused):
    spec = f"{{architecture: arm64, domain: {{cpu: {{model: {model}}}, devices: {{}}}}}}"
    assert len(judged(validate_architecture, spec)) == refused


@pytest.mark.parametrize(
    ("path", "refused"),
    [
        ("/var/run/kubevirt", 1),
        ("/var/run/kubevirt/x", 1),
        ("/var/run/libvirt/y", 1),
        ("/var/run/other", 0),
        ("/opt/var/run/libvirt", 0),
    ],
)
def test_paths_of_kubevirt(judged, path, refused):
    filesystem = "domain.devices.filesystems: [{name: a, virtiofs: {}}]"
    causes = judged(validate_volume_disks, f"{filesystem}\nvolumes: [{{name: a, containerPath: {{path: {path}}}}}]")
    assert len(causes) == refused
