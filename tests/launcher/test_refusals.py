"""What virt-launcher says where it makes no domain: each sentence as a whole, at its field."""

import pytest
from fragments import make_context, make_vmi

from virtcatalog.kubevirt.hosts import DirectIO
from virtcatalog.kubevirt.launcher.builder import convert
from virtcatalog.kubevirt.launcher.context import BackingVolume, DeviceResource
from virtcatalog.kubevirt.launcher.elements.hypervisor import emulator
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.launch.sync import launch
from virtcatalog.releases import find_release

EMPTY = "volumes: [{name: d, emptyDisk: {capacity: 1Gi}}]"
CLAIM = "volumes: [{name: d, persistentVolumeClaim: {claimName: c}}]"
NETWORK = "networks: [{name: n, multus: {networkName: x}}]"
STICK = {"v/stick": DeviceResource("usb", ("1:1",))}
CRASH = "KubeVirt v1.9.0 crashes on this VM: "
OLD_CRASH = "KubeVirt v1.8.4 crashes on this VM: "
EFI = "domain.firmware: {bootloader: {efi: {secureBoot: SECURE}}}"


def devices(text, rest=""):
    return f"domain.devices: {{{text}}}\n{rest}"


def disk(text, volumes=EMPTY):
    return devices(f"disks: [{{name: d, {text}}}]", volumes)


def refusal(text, architecture="amd64", **changes):
    vmi, context = make_vmi(text, architecture), make_context(architecture, **changes)
    with pytest.raises(DomainError) as error:
        launch(convert(vmi, context), vmi, context)
    return str(error.value)


REFUSED = [
    (disk("disk: {bus: virtio}", ""), {}, "devices.disks[0].name: there is no volume 'd'"),
    (
        disk("disk: {bus: virtio}, errorPolicy: panic"), {},
        "devices.disks[0].errorPolicy: 'panic' is none of stop, ignore, report, enospace",
    ),
    (
        disk("disk: {bus: virtio}, shareable: true, cache: writeback"), {},
        "devices.disks[0].cache: disks that VMs share cannot be cached: cache must be none",
    ),
    (
        disk("disk: {bus: sata, pciAddress: '0000:81:01.0'}"), {},
        "devices.disks[0].disk.pciAddress: only virtio disks sit on PCI, and this one is sata",
    ),
    (
        disk("disk: {bus: virtio, pciAddress: '81:01.0'}"), {},
        "devices.disks[0].disk.pciAddress: '81:01.0' is not a PCI address such as 0000:81:01.0",
    ),
    (
        disk("disk: {bus: virtio}", "volumes: [{name: d, memoryDump: {claimName: c}}]"), {},
        "devices.disks: disk d has a volume that cannot be a disk",
    ),
    (
        disk("disk: {bus: virtio}, blockSize: {matchVolume: {}}"), {},
        "devices.disks[0].blockSize: there is no image yet whose block size could be matched",
    ),
    (
        disk("disk: {bus: virtio}, blockSize: {custom: {logical: 512, physical: 4097}}"), {"architecture": "s390x"},
        "devices.disks[0].blockSize: blocks on s390x are at most 4096 bytes",
    ),
    (
        disk("disk: {bus: virtio}, cache: none", CLAIM),
        {"volumes": {"d": BackingVolume()}, "direct_io": DirectIO(claims=False)},
        "devices.disks[0].cache: none needs O_DIRECT, which the file system below volume d does not offer",
    ),
    (
        devices("inputs: [{name: i, type: tablet, bus: ps2}]"), {},
        "devices.inputs[0].bus: an input device sits on usb or virtio, not on ps2",
    ),
    (
        devices("inputs: [{name: i, type: mouse}]"), {},
        "devices.inputs[0].type: an input device is a tablet, not a 'mouse'",
    ),
    (devices("sound: {name: a, model: sb16}"), {}, "devices.sound.model: 'sb16' is none of ich9, ac97"),
    (devices("watchdog: {name: w}"), {}, "devices.watchdog: a watchdog on amd64 has to be i6300esb"),
    (
        devices("watchdog: {name: w}"), {"architecture": "s390x"},
        "devices.watchdog: a watchdog on s390x has to be diag288",
    ),
    (devices("watchdog: {name: w}"), {"architecture": "arm64"}, "devices.watchdog: arm64 machines have no watchdog"),
    (
        devices("interfaces: [{name: n, bridge: {}}]"), {},
        "devices.interfaces[0].name: there is no network 'n'",
    ),
    (
        devices("interfaces: [{name: n, bridge: {}, pciAddress: '81:01'}]", NETWORK), {},
        "devices.interfaces[0].pciAddress: '81:01' is not a PCI address such as 0000:81:01.0",
    ),
    (
        devices("interfaces: [{name: n, sriov: {}}]", NETWORK), {},
        "devices.interfaces[0]: the node tells no PCI address for this SR-IOV interface",
    ),
    (
        devices("interfaces: [{name: n, sriov: {}, pciAddress: x}]", NETWORK),
        {"sriov_addresses": {"n": "0000:81:01.0"}},
        "devices.interfaces[0].pciAddress: 'x' is not a PCI address such as 0000:81:01.0",
    ),
    (
        devices("interfaces: [{name: n}]", NETWORK), {"release": find_release("v1.8.4")},
        f"devices.interfaces[0]: {OLD_CRASH}interface 'n' has no binding: give it bridge, masquerade or sriov",
    ),
    (
        devices("hostDevices: [{name: a, deviceName: v/stick}, {name: b, deviceName: v/stick}]"),
        {"device_resources": STICK},
        "devices.hostDevices: of 2 devices the node gives the pod 1",
    ),
    (
        devices("gpus: [{name: a, deviceName: v/stick}]"), {"device_resources": STICK},
        "devices.gpus: of 1 devices the node gives the pod 0",
    ),
    (
        devices("gpus: [{name: a, claimName: c, requestName: r}]"), {},
        "devices.gpus[0].claimName: claim 'c' gives request 'r' no PCI address and no mdev UUID",
    ),
    (
        devices("hostDevices: [{name: a, deviceName: v/card}]"),
        {"device_resources": {"v/card": DeviceResource("pci", ("here",))}},
        "devices: 'here' is not a PCI address such as 0000:81:01.0",
    ),
    (
        "domain.features: {hypervPassthrough: {}}", {},
        f"features.hypervPassthrough.enabled: {CRASH}it says neither true nor false: set enabled: true",
    ),
    ("domain.memory: {guest: -1Gi}", {}, "memory.guest: -1Gi of memory is negative"),
    ("domain.memory: {guest: 1Gi, maxGuest: -1Gi}", {}, "memory.maxGuest: -1Gi of memory is negative"),
    ("domain.memory: {maxGuest: 1Gi}", {}, "memory.guest: maxGuest needs guest beside it"),
    (
        "domain.firmware: {acpi: {}}", {},
        "firmware.acpi: names no table: slicNameRef or msdmNameRef is needed",
    ),
    ("domain.firmware: {acpi: {slicNameRef: no}}", {}, "firmware.acpi.slicNameRef: there is no volume no"),
    (
        f"domain.firmware: {{acpi: {{msdmNameRef: d}}}}\n{EMPTY}", {},
        "firmware.acpi.msdmNameRef: volume d is not a secret",
    ),
    (
        EFI.replace("SECURE", "true"), {"firmware_directory": "/fw"},
        "firmware.bootloader.efi: /fw holds no UEFI firmware with secure boot for amd64",
    ),
    (
        EFI.replace("SECURE", "false"), {"firmware_directory": "/fw", "architecture": "arm64"},
        "firmware.bootloader.efi: /fw holds no UEFI firmware without secure boot for arm64",
    ),
    (
        EFI.replace("SECURE", "false") + "\ndomain.launchSecurity: {sev: {}, snp: {}}", {"firmware_directory": "/fw"},
        "firmware.bootloader.efi: /fw holds no SEV-SNP firmware without secure boot for amd64",
    ),
    (
        EFI.replace("SECURE", "false") + "\ndomain.launchSecurity: {sev: {}, tdx: {}}", {"firmware_directory": "/fw"},
        "firmware.bootloader.efi: /fw holds no SEV firmware without secure boot for amd64",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "changes", "expected"), REFUSED)
def test_a_machine_is_refused(text, changes, expected):
    assert refusal(text, **changes) == f"spec.domain.{expected}"


def test_a_node_without_the_hypervisor():
    assert refusal("", hypervisor_available=False) == ("spec.domain: the node lacks kvm, and emulation is not allowed")


@pytest.mark.parametrize(("capacity", "shown"), [("1048575", "1048575"), ("0", "0"), ("-100Ki", "-100Ki")])
def test_an_empty_disk_of_less_than_a_mebibyte(capacity, shown):
    volumes = f"volumes: [{{name: c, configMap: {{name: c}}}}, {{name: e, emptyDisk: {{capacity: {capacity}}}}}]"
    assert refusal(volumes) == (
        f"spec.volumes[1].emptyDisk.capacity: an empty disk has at least 1Mi, and e has {shown}"
    )


@pytest.mark.parametrize(
    ("architecture", "path"),
    [
        ("amd64", "/usr/bin/qemu-system-x86_64"),
        ("x86_64", "/usr/bin/qemu-system-x86_64"),
        ("arm64", "/usr/bin/qemu-system-aarch64"),
        ("aarch64", "/usr/bin/qemu-system-aarch64"),
        ("s390x", "/usr/bin/qemu-system-s390x"),
    ],
)
def test_emulators(architecture, path):
    assert emulator(architecture, "kvm", other_architecture=True).text == path
    assert emulator(architecture, "kvm", other_architecture=False) is None
    assert emulator(architecture, "hyperv-direct", other_architecture=True) is None


def test_an_architecture_without_an_emulator():
    with pytest.raises(DomainError) as error:
        emulator("vax", "kvm", other_architecture=True)
    assert str(error.value) == "spec.architecture: there is no emulator for vax"


@pytest.mark.parametrize(
    ("secure", "security", "missing"),
    [
        ("true", "snp: {}", "SEV-SNP firmware with"),
        ("true", "sev: {}", "SEV firmware with"),
        ("true", "tdx: {}", "TDX firmware with"),
        ("false", "tdx: {}", "TDX firmware without"),
    ],
)
def test_confidential_guests_without_their_firmware(secure, security, missing):
    text = f"{EFI.replace('SECURE', secure)}\ndomain.launchSecurity: {{{security}}}"
    assert refusal(text, firmware_directory="/fw") == (
        f"spec.domain.firmware.bootloader.efi: /fw holds no {missing} secure boot for amd64"
    )
