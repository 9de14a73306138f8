import pytest

from virtcatalog.kubevirt.admission.architecture import validate_architecture, validate_foreign_architecture
from virtcatalog.releases import RELEASES

DEVICES = "NotSupported spec.domain.devices"
EFI = "NotSupported spec.domain.firmware.bootloader.efi"


@pytest.mark.parametrize(
    ("architecture", "causes"),
    [
        ("amd64", []),
        ("arm64", []),
        ("s390x", []),
        ("riscv64", ["Invalid spec.architecture"]),
        ("''", ["Invalid spec.architecture"]),
    ],
)
def test_known_architectures(causes_of, architecture, causes):
    assert causes_of(validate_architecture, f"architecture: {architecture}") == causes


@pytest.mark.parametrize(
    ("architecture", "types"),
    [("amd64", {"vga", "cirrus", "virtio", "ramfb", "bochs"}), ("arm64", {"virtio", "ramfb"}), ("s390x", {"virtio"})],
)
@pytest.mark.parametrize("video", ["vga", "cirrus", "virtio", "ramfb", "bochs", "qxl", "''"])
def test_video_types(causes_of, architecture, types, video):
    causes = causes_of(
        validate_architecture, f"{{architecture: {architecture}, domain.devices.video: {{type: {video}}}}}"
    )
    assert causes == ([] if video in types else [f"{DEVICES}.video.type"])


@pytest.mark.parametrize(
    ("architecture", "watchdog", "supported"),
    [
        ("amd64", "i6300esb: {}", True),
        ("amd64", "diag288: {}", False),
        ("amd64", "i6300esb: {}, diag288: {}", False),
        ("amd64", "", False),
        ("s390x", "diag288: {}", True),
        ("s390x", "i6300esb: {}", False),
        ("arm64", "i6300esb: {}", False),
    ],
)
def test_watchdogs(causes_of, architecture, watchdog, supported):
    spec = f"{{architecture: {architecture}, domain.devices.watchdog: {{name: w, {watchdog}}}}}"
    assert causes_of(validate_architecture, spec) == ([] if supported else [f"{DEVICES}.watchdog"])


@pytest.mark.parametrize(
    ("domain", "causes"),
    [
        ("firmware: {bootloader: {bios: {}}}", ["NotSupported spec.domain.firmware.bootloader.bios"]),
        ("firmware: {bootloader: {efi: {}}}", []),
        ("cpu: {model: host-passthrough}", []),
        ("cpu: {model: ''}", []),
        ("cpu: {model: host-model}", ["NotSupported spec.domain.cpu.model"]),
        ("devices: {sound: {name: s}}", [f"{DEVICES}.sound"]),
        ("devices: {disks: [{name: a, disk: {bus: scsi}}, {name: b, lun: {}}, {name: c, cdrom: {bus: virtio}}]}", []),
        (
            "devices: {disks: [{name: a, disk: {bus: usb}}, {name: b, lun: {bus: ide}}, {name: c, cdrom: {bus: usb}}]}",
            [f"{DEVICES}.disks[0].disk.bus", f"{DEVICES}.disks[1].lun.bus", f"{DEVICES}.disks[2].cdrom.bus"],
        ),
    ],
)
def test_arm64_lacks_what_a_pc_has(causes_of, domain, causes):
    assert causes_of(validate_architecture, f"{{architecture: arm64, domain: {{{domain}}}}}") == causes
    assert causes_of(validate_architecture, f"{{architecture: amd64, domain: {{{domain}}}}}") == []


@pytest.mark.parametrize(
    ("release", "efi", "causes"),
    [
        ("v1.7.4", "{}", [f"{EFI}.secureboot"]),
        ("v1.7.4", "{secureBoot: true}", [f"{EFI}.secureboot"]),
        ("v1.7.4", "{secureBoot: false}", []),
        ("v1.8.4", "{}", []),
    ],
)
def test_older_releases_have_no_secure_boot_on_arm64(causes_of, release, efi, causes):
    spec = f"{{architecture: arm64, domain.firmware.bootloader.efi: {efi}}}"
    assert causes_of(validate_architecture, spec, release=RELEASES[release]) == causes


@pytest.mark.parametrize(
    ("release", "architecture", "gates", "causes"),
    [
        ("v1.7.4", "arm64", [], ["Required spec.architecture"]),
        ("v1.7.4", "arm64", ["MultiArchitecture"], []),
        ("v1.7.4", "amd64", [], []),
        ("v1.7.4", "''", [], []),
        ("v1.8.4", "arm64", [], []),
    ],
)
def test_another_architecture_than_the_cluster_s_needs_a_gate_in_v1_7(causes_of, release, architecture, gates, causes):
    spec = f"architecture: {architecture}"
    assert causes_of(validate_foreign_architecture, spec, gates=gates, release=RELEASES[release]) == causes
