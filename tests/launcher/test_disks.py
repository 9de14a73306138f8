"""`<disk>`: what the guest sees of disks, LUNs and CD-ROM drives."""

import re
from xml.etree.ElementTree import fromstring, tostring

import pytest
from fragments import make_vmi, parts
from hypothesis import given
from hypothesis import strategies as st

from virtcatalog.kubevirt.launcher.context import BackingVolume
from virtcatalog.kubevirt.launcher.elements.disks import device_name
from virtcatalog.kubevirt.launcher.errors import DomainError

EMPTY_DISK = "volumes: [{name: d, emptyDisk: {capacity: 1Gi}}]"
CLAIM = "volumes: [{name: d, persistentVolumeClaim: {claimName: c}}]"


def disk(text):
    return f"disks: [{{name: d, {text}}}]"


@pytest.fixture
def part(built, xml):
    """Return one child of the only disk, as XML."""

    def find(tag, text, spec=EMPTY_DISK, **options):
        element = fromstring(built("disk", disk(text), spec, **options)).find(tag)
        return "" if element is None else xml(tostring(element, encoding="unicode"))

    return find


def test_a_disk_without_a_bus_leaves_it_to_libvirt(part, xml):
    assert part("target", "disk: {}") == xml('<target dev="a"/>')


def test_a_virtio_disk(built, xml):
    assert built("disk", disk("disk: {bus: virtio}"), EMPTY_DISK) == xml("""
        <disk type="file" device="disk" model="virtio-non-transitional">
          <driver name="qemu" type="qcow2" error_policy="stop" discard="unmap"/>
          <source file="/var/run/libvirt/empty-disks/d.qcow2"/>
          <target dev="vda" bus="virtio"/>
          <alias name="ua-d"/>
        </disk>
    """)


def test_reservations_are_there_whatever_the_image(part, xml):
    def source(volume):
        return part("source", "lun: {bus: scsi, reservation: true}", f"volumes: [{{name: d, {volume}}}]")

    (claimed,), (own,) = (
        fromstring(source(volume)) for volume in ("emptyDisk: {capacity: 1Gi}", "cloudInitNoCloud: {}")
    )
    assert xml(tostring(own, encoding="unicode")) == xml(tostring(claimed, encoding="unicode"))


def test_a_cd_rom_drive_may_be_empty(built, xml):
    assert built("disk", disk("cdrom: {bus: sata, tray: open}"), "") == xml("""
        <disk type="block" device="cdrom">
          <driver name="qemu" type="raw" error_policy="stop" discard="unmap"/>
          <source/>
          <target dev="sda" bus="sata" tray="open"/>
          <readonly/>
          <alias name="ua-d"/>
        </disk>
    """)


@pytest.mark.parametrize(
    ("device", "readonly"),
    [
        ("disk: {bus: sata}", ""),
        ("disk: {bus: sata, readonly: true}", "<readonly/>"),
        ("lun: {bus: sata, readonly: true}", "<readonly/>"),
        ("cdrom: {bus: sata}", "<readonly/>"),
        ("cdrom: {bus: sata, readonly: false}", ""),
    ],
)
def test_cd_roms_alone_are_read_only_by_default(part, xml, device, readonly):
    assert part("readonly", device) == xml(readonly)


@pytest.mark.parametrize(
    ("architecture", "options", "model"),
    [
        ("amd64", "", "virtio-non-transitional"),
        ("amd64", "useVirtioTransitional: true", "virtio-transitional"),
        ("arm64", "", "virtio-non-transitional"),
        ("s390x", "", "virtio"),
        ("s390x", "useVirtioTransitional: true", "virtio"),
    ],
)
def test_virtio_disks_have_the_model_of_the_architecture(built, architecture, options, model):
    devices = disk("disk: {bus: virtio}") + "\n" + options
    assert f'model="{model}"' in built("disk", devices, EMPTY_DISK, architecture=architecture)


def test_virtio_luns_have_no_model(built):
    assert "model" not in built("disk", disk("lun: {bus: virtio}"), EMPTY_DISK)


@pytest.mark.parametrize(
    ("options", "driver"),
    [
        ("", 'error_policy="stop" discard="unmap"'),
        ("cache: writeback, ", 'cache="writeback" error_policy="stop" discard="unmap"'),
        ("io: native, ", 'error_policy="stop" io="native" discard="unmap"'),
        ("errorPolicy: report, ", 'error_policy="report" discard="unmap"'),
        ("shareable: true, ", 'cache="none" error_policy="stop" discard="unmap"'),
        ("shareable: true, cache: none, ", 'cache="none" error_policy="stop" discard="unmap"'),
    ],
)
def test_the_driver_says_what_the_vmi_says(part, xml, options, driver):
    expected = f'<driver name="qemu" type="qcow2" {driver}/>'
    assert part("driver", options + "disk: {bus: virtio}") == xml(expected)


def test_a_shared_disk_says_so(part, xml):
    assert part("shareable", "shareable: true, disk: {bus: virtio}") == xml("<shareable/>")


@pytest.mark.parametrize(
    ("device", "host_disk", "preallocated", "discards"),
    [
        ("disk: {bus: sata}", True, False, True),
        ("disk: {bus: sata}", True, True, False),
        ("lun: {bus: sata}", True, True, False),
        ("cdrom: {bus: sata}", True, False, False),
        ("disk: {bus: sata}", False, False, True),
        ("disk: {bus: sata}", False, True, False),
        ("cdrom: {bus: sata}", False, False, True),
        ("cdrom: {bus: sata}", False, True, False),
    ],
)
def test_preallocated_volumes_keep_their_blocks(part, device, host_disk, preallocated, discards):
    claim = BackingVolume(host_disk=host_disk, preallocated=preallocated, filesystem_overhead="0")
    assert ("unmap" in part("driver", device, CLAIM, volumes={"d": claim})) is discards


def test_serial_numbers_and_boot_orders(part, xml):
    assert part("serial", "serial: CAFE, disk: {bus: sata}") == xml("<serial>CAFE</serial>")
    assert part("serial", "serial: CAFE, cdrom: {bus: sata}") == ""
    assert part("boot", "bootOrder: 3, disk: {bus: sata}") == xml('<boot order="3"/>')


def test_virtio_disks_can_have_a_place_on_pci(part, xml):
    expected = xml('<address type="pci" domain="0x0000" bus="0x81" slot="0x01" function="0x0"/>')
    assert part("address", "disk: {bus: virtio, pciAddress: '0000:81:01.0'}") == expected


def test_scsi_disks_are_units_of_the_first_controller(built):
    devices = """
        disks:
        - {name: a, disk: {bus: sata}}
        - {name: b, disk: {bus: scsi}}
        - {name: c, cdrom: {bus: scsi}}
    """
    volumes = "volumes: [{name: a, emptyDisk: {capacity: 1Gi}}, {name: b, emptyDisk: {capacity: 1Gi}}]"
    shown = built("disk", devices, volumes)
    assert shown.count("<address") == 1
    assert '<address bus="0" controller="0" type="drive" unit="1">' in shown


def test_each_prefix_counts_for_itself(built):
    buses = ["virtio", "sata", "virtio", "scsi", "usb"]
    devices = "disks:\n" + "".join(f"- {{name: d{i}, cdrom: {{bus: {bus}}}}}\n" for i, bus in enumerate(buses))
    shown = built("disk", devices)
    assert [part.split('"')[0] for part in shown.split('dev="')[1:]] == ["vda", "sda", "vdb", "sdb", "sdc"]


@pytest.mark.parametrize(("index", "name"), [(0, "vda"), (25, "vdz"), (26, "vdaa"), (701, "vdzz"), (702, "vdaaa")])
def test_device_names_go_on_after_z(index, name):
    assert device_name("vd", index) == name


@given(st.integers(0, 20_000), st.integers(0, 20_000))
def test_device_names_are_unique(one, other):
    assert (device_name("sd", one) == device_name("sd", other)) is (one == other)


def test_persistent_reservations_go_through_the_helper(part, xml):
    assert part("source", "lun: {bus: scsi, reservation: true}") == xml("""
        <source file="/var/run/libvirt/empty-disks/d.qcow2">
          <reservations managed="no" migration="yes">
            <source type="unix" path="/var/run/kubevirt/daemons/pr/pr-helper.sock" mode="client"/>
          </reservations>
        </source>
    """)


def test_block_multi_queue_gives_virtio_disks_a_queue_a_vcpu(built):
    devices = "blockMultiQueue: true\ndisks: [{name: a, cdrom: {bus: virtio}}, {name: b, cdrom: {bus: sata}}]"
    shown = built("disk", devices, "domain.cpu: {sockets: 2, cores: 3}")
    assert shown.count('queues="6"') == 1


@pytest.mark.parametrize(
    ("architecture", "security", "iommu"),
    [("amd64", "{sev: {}}", True), ("amd64", "{snp: {}}", True), ("amd64", "{tdx: {}}", False), ("s390x", "{}", True)],
)
def test_confidential_guests_reach_virtio_disks_through_an_iommu(built, architecture, security, iommu):
    shown = built("disk", disk("cdrom: {bus: virtio}"), f"domain.launchSecurity: {security}", architecture=architecture)
    assert ('iommu="on"' in shown) is iommu


def test_the_claim_behind_a_disk_is_told(built, xml):
    claim = BackingVolume(host_disk=True, capacity=1024, filesystem_overhead="0.055")
    shown = built("disk", disk("disk: {bus: sata}"), CLAIM, volumes={"d": claim})
    assert xml("<filesystemOverhead>0.055</filesystemOverhead><capacity>1024</capacity>") in shown


def test_of_a_cd_rom_nothing_is_told(built):
    claim = BackingVolume(host_disk=True, capacity=1024, filesystem_overhead="0.055")
    assert "capacity" not in built("disk", disk("cdrom: {bus: sata}"), CLAIM, volumes={"d": claim})


def test_a_claim_without_a_plain_size_tells_its_overhead_alone(built):
    claim = BackingVolume(host_disk=True, filesystem_overhead="0.055")
    shown = built("disk", disk("disk: {bus: sata}"), CLAIM, volumes={"d": claim})
    assert "filesystemOverhead" in shown
    assert "capacity" not in shown


@given(st.lists(st.sampled_from(["virtio", "sata", "scsi", "usb"]), max_size=60))
def test_every_disk_has_a_target_of_its_own(buses):
    text = "".join(f"\n  - {{name: d{i}, cdrom: {{bus: {bus}}}}}" for i, bus in enumerate(buses))
    shown = parts("disk", make_vmi(f"domain.devices:\n  disks:{text or ' []'}"))
    assert len({disk.find("target").get("dev") for disk in shown}) == len(buses)


def test_what_is_wrong_with_the_first_disk_is_told_first():
    vmi = make_vmi("""
        domain.devices.disks: [{name: v, disk: {bus: virtio}, errorPolicy: x}, {name: gone, disk: {bus: virtio}}]
        volumes: [{name: v, emptyDisk: {capacity: 1Gi}}]
    """)
    with pytest.raises(DomainError, match=re.escape("disks[0].errorPolicy")):
        parts("disk", vmi)
    vmi.spec.domain.devices.disks[0].error_policy = None
    with pytest.raises(DomainError, match=re.escape("disks[1].name")):
        parts("disk", vmi)
