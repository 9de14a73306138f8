"""`<controller>`: USB, SCSI, PCI and virtio-serial."""

import pytest

from virtcatalog.kubevirt.launcher.context import DeviceResource

VOLUME = "volumes: [{name: d, emptyDisk: {capacity: 1Gi}}]"


def test_a_machine_has_scsi_and_serial_and_says_that_it_has_no_usb(built, xml):
    assert built("controller") == xml("""
        <controller type="usb" index="0" model="none"/>
        <controller type="scsi" index="0" model="virtio-non-transitional"/>
        <controller type="virtio-serial" index="0" model="virtio-non-transitional"/>
    """)


def test_on_s390x_scsi_has_its_own_model(built, xml):
    assert built("controller", architecture="s390x") == xml("""
        <controller type="usb" index="0" model="none"/>
        <controller type="scsi" index="0" model="virtio-scsi"/>
        <controller type="virtio-serial" index="0" model="virtio"/>
    """)


@pytest.mark.parametrize(
    "devices",
    [
        "inputs: [{name: t, type: tablet, bus: usb}]",
        "inputs: [{name: t, type: tablet}]",
        "disks: [{name: d, disk: {bus: usb}}]",
        "clientPassthrough: {}",
        "hostDevices: [{name: h, deviceName: v/stick}]",
    ],
)
def test_usb_devices_need_usb(built, devices):
    resources = {"v/stick": DeviceResource("usb", ("1:1",))}
    assert "qemu-xhci" in built("controller", devices, VOLUME, device_resources=resources)


@pytest.mark.parametrize(
    "devices",
    [
        "inputs: [{name: t, type: tablet, bus: virtio}]",
        "disks: [{name: d, cdrom: {bus: usb}}]",
        "hostDevices: [{name: h, deviceName: v/card}]",
    ],
)
def test_other_devices_do_not(built, devices):
    resources = {"v/card": DeviceResource("pci", ("0000:41:00.0",))}
    assert "qemu-xhci" not in built("controller", devices, device_resources=resources)


@pytest.mark.parametrize(("architecture", "usb"), [("arm64", True), ("s390x", False)])
def test_arm64_always_has_usb_and_s390x_never(built, architecture, usb):
    shown = built("controller", "inputs: [{name: t, type: tablet}]" if not usb else "", architecture=architecture)
    assert ("qemu-xhci" in shown) is usb


@pytest.mark.parametrize(
    ("devices", "scsi"),
    [
        ("disableHotplug: true", False),
        ("disableHotplug: true\ndisks: [{name: d, disk: {bus: virtio}}]", False),
        ("disableHotplug: true\ndisks: [{name: d, lun: {bus: scsi}}]", True),
        ("disableHotplug: false", True),
    ],
)
def test_scsi_is_there_for_scsi_disks_and_for_hotplug(built, devices, scsi):
    assert ('type="scsi"' in built("controller", devices, VOLUME)) is scsi


def test_without_a_serial_console_there_is_no_serial_controller(built):
    assert "virtio-serial" not in built("controller", "autoattachSerialConsole: false")


@pytest.mark.parametrize(
    ("architecture", "value", "disabled"),
    [("amd64", "true", True), ("amd64", "TRUE", True), ("amd64", "no", False), ("arm64", "true", False)],
)
def test_the_64_bit_pci_hole_can_be_closed_on_amd64(built, xml, architecture, value, disabled):
    shown = built("controller", architecture=architecture, annotations={"kubevirt.io/disablePCIHole64": value})
    root = '<controller type="pci" index="0" model="pcie-root"><pcihole64 unit="KiB">0</pcihole64></controller>'
    assert (xml(root) in shown) is disabled


def test_confidential_guests_reach_virtio_controllers_through_an_iommu(built, xml):
    shown = built("controller", spec="domain.launchSecurity: {sev: {}}")
    assert shown.count(xml('<driver iommu="on"/>')) == 2
