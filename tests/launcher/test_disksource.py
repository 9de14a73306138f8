"""What is behind a disk, for every source that a volume can have."""

from xml.etree.ElementTree import fromstring, tostring

import pytest

from virtcatalog.kubevirt.launcher.context import BackingVolume
from virtcatalog.kubevirt.launcher.errors import DomainError

DISK = "disks: [{name: v, disk: {bus: sata}}]"
PRIVATE = "/var/run/kubevirt-private"


@pytest.fixture
def source(built, xml):
    """Return type and format of the disk of a volume, and its `<source>` and `<backingStore>` as XML."""

    def find(volume, **changes):
        disk = fromstring(built("disk", DISK, f"volumes: [{{name: v, {volume}}}]", **changes))
        shown = "".join(tostring(part, encoding="unicode") for part in disk if part.tag in ("source", "backingStore"))
        return f"{disk.get('type')} {disk.find('driver').get('type')}", xml(shown)

    return find


@pytest.mark.parametrize(
    ("volume", "path"),
    [
        ("cloudInitNoCloud: {}", "/var/run/kubevirt-ephemeral-disks/cloud-init-data/default/vm/noCloud.iso"),
        ("cloudInitConfigDrive: {}", "/var/run/kubevirt-ephemeral-disks/cloud-init-data/default/vm/configdrive.iso"),
        ("sysprep: {secret: {name: s}}", f"{PRIVATE}/sysprep-disks/v.iso"),
        ("configMap: {name: c}", f"{PRIVATE}/config-map-disks/v.iso"),
        ("secret: {secretName: s}", f"{PRIVATE}/secret-disks/v.iso"),
        ("downwardAPI: {}", f"{PRIVATE}/downwardapi-disks/v.iso"),
        ("serviceAccount: {}", f"{PRIVATE}/service-account-disk/service-account.iso"),
        ("hostDisk: {path: /data/my.img, type: Disk}", f"{PRIVATE}/vmi-disks/v/my.img"),
        ("hostDisk: {path: /data/mine!//, type: Disk}", f"{PRIVATE}/vmi-disks/v/mine!"),
    ],
)
def test_raw_images(source, xml, volume, path):
    assert source(volume) == ("file raw", xml(f'<source file="{path}"/>'))


def test_an_empty_disk_is_an_image_of_its_own(source, xml):
    expected = xml('<source file="/var/run/libvirt/empty-disks/v.qcow2"/>')
    assert source("emptyDisk: {capacity: 1Gi}") == ("file qcow2", expected)


def test_a_container_disk_lies_below_an_overlay(source, xml):
    assert source("containerDisk: {image: i}", container_disk_format="raw") == (
        "file qcow2",
        xml("""
            <source file="/var/run/kubevirt-ephemeral-disks/disk-data/v/disk.qcow2"/>
            <backingStore type="file">
              <format type="raw"/>
              <source file="/var/run/kubevirt/container-disks/disk_0.img"/>
            </backingStore>
        """),
    )


def test_container_disks_are_numbered_by_volume(built):
    volumes = "volumes: [{name: a, emptyDisk: {capacity: 1Gi}}, {name: v, containerDisk: {image: i}}]"
    assert "container-disks/disk_1.img" in built("disk", DISK, volumes)


@pytest.mark.parametrize(
    ("block", "backing"),
    [
        (False, f'<backingStore type="file"><format type="raw"/><source file="{PRIVATE}/vmi-disks/v/disk.img"/>'),
        (True, '<backingStore type="block"><format type="raw"/><source dev="/dev/v" name="v"/>'),
    ],
)
def test_an_ephemeral_volume_leaves_its_claim_alone(source, xml, block, backing):
    volume = "ephemeral: {persistentVolumeClaim: {claimName: c}}"
    kind, shown = source(volume, volumes={"v": BackingVolume(block=block, has_claim=False)})
    overlay = '<source file="/var/run/kubevirt-ephemeral-disks/disk-data/v/disk.qcow2"/>'
    assert (kind, shown) == ("file qcow2", xml(f"{overlay}{backing}</backingStore>"))


@pytest.mark.parametrize("volume", ["persistentVolumeClaim: {claimName: c}", "dataVolume: {name: c}"])
@pytest.mark.parametrize(
    ("claim", "kind", "image"),
    [
        (BackingVolume(host_disk=True), "file raw", f'<source file="{PRIVATE}/vmi-disks/v/disk.img"/>'),
        (BackingVolume(block=True), "block raw", '<source dev="/dev/v" name="v"/>'),
        (BackingVolume(hotplug=True), "file raw", '<source file="/var/run/kubevirt/hotplug-disks/v.img"/>'),
        (BackingVolume(hotplug=True, block=True), "block raw", '<source dev="/var/run/kubevirt/hotplug-disks/v"/>'),
    ],
)
def test_claims(source, xml, volume, claim, kind, image):
    assert source(volume, volumes={"v": claim}) == (kind, xml(image))


def test_changed_blocks_are_tracked_in_an_overlay(source, xml):
    volume = "persistentVolumeClaim: {claimName: c}"
    assert source(volume, volumes={"v": BackingVolume(host_disk=True)}, changed_block_tracking=True) == (
        "file qcow2",
        xml(f"""
            <source file="{PRIVATE}/libvirt/qemu/cbt/v.qcow2">
              <dataStore type="file">
                <format type="raw"/>
                <source file="{PRIVATE}/vmi-disks/v/disk.img"/>
              </dataStore>
            </source>
        """),
    )


def test_changed_blocks_of_a_device_are_tracked_in_a_file(source, xml):
    changes = {"volumes": {"v": BackingVolume(block=True)}, "changed_block_tracking": True, "non_root": False}
    assert source("dataVolume: {name: c}", **changes) == (
        "file qcow2",
        xml("""
            <source file="/var/lib/libvirt/qemu/cbt/v.qcow2" name="v">
              <dataStore type="block"><format type="raw"/><source dev="/dev/v"/></dataStore>
            </source>
        """),
    )


def test_images_that_do_not_last_are_not_tracked(source):
    assert "cbt" not in source("emptyDisk: {capacity: 1Gi}", changed_block_tracking=True)[1]


def test_host_metrics_come_on_a_read_only_virtio_disk(built, xml):
    devices = "disks: [{name: v, cache: writeback, io: threads, disk: {bus: virtio}}]"
    assert built("disk", devices, "volumes: [{name: v, downwardMetrics: {}}]") == xml(f"""
        <disk type="file" device="disk" model="virtio-non-transitional">
          <driver name="qemu" type="raw" error_policy="stop"/>
          <source file="{PRIVATE}/downwardapi-disks/vhostmd0"/>
          <target dev="vda" bus="virtio"/>
          <readonly/>
          <alias name="ua-v"/>
        </disk>
    """)


def test_a_lun_of_host_metrics_has_no_reservations_and_keeps_its_error_policy(built, xml):
    devices = "disks: [{name: v, errorPolicy: ignore, lun: {bus: scsi, reservation: true}}]"
    assert built("disk", devices, "volumes: [{name: v, downwardMetrics: {}}]") == xml(f"""
        <disk type="file" device="lun" model="virtio-non-transitional">
          <driver name="qemu" type="raw" error_policy="ignore"/>
          <source file="{PRIVATE}/downwardapi-disks/vhostmd0"/>
          <target dev="sda" bus="scsi"/>
          <readonly/>
          <alias name="ua-v"/>
          <address type="drive" controller="0" bus="0" unit="0"/>
        </disk>
    """)


@pytest.mark.parametrize(
    ("volume", "changes"),
    [
        ("ephemeral: {persistentVolumeClaim: {claimName: c}}", {"volumes": {"v": BackingVolume(has_claim=False)}}),
        ("emptyDisk: {capacity: 1Gi}", {}),
        ("persistentVolumeClaim: {claimName: c}", {}),
    ],
)
def test_where_no_claim_is_known_nothing_is_told_of_its_growth(built, volume, changes):
    shown = built("disk", DISK, f"volumes: [{{name: v, {volume}}}]", expand_disks=True, **changes)
    assert "filesystemOverhead" not in shown
    assert "expandDisksEnabled" not in shown


@pytest.mark.parametrize("expand", [True, False])
def test_a_cluster_may_have_disks_grow_with_their_claims(built, xml, expand):
    claim = BackingVolume(capacity=1024, filesystem_overhead="0.1")
    volume = "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]"
    shown = built("disk", DISK, volume, volumes={"v": claim}, expand_disks=expand)
    growth = "<filesystemOverhead>0.1</filesystemOverhead><capacity>1024</capacity>"
    assert xml(growth + ("<expandDisksEnabled>true</expandDisksEnabled>" if expand else "")) + "</disk>" in shown


@pytest.mark.parametrize("volume", ["memoryDump: {claimName: c}", "containerPath: {path: /p}"])
def test_other_volumes_are_no_disks(built, volume):
    with pytest.raises(DomainError, match="cannot be a disk"):
        built("disk", DISK, f"volumes: [{{name: v, {volume}}}]")
