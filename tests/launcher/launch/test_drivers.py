"""Cache and I/O mode: what the VMI leaves open is decided by what the storage can do."""

import re

import pytest
from fragments import make_context, make_vmi, parts

from virtcatalog.kubevirt.hosts import DirectIO
from virtcatalog.kubevirt.launcher.builder import convert
from virtcatalog.kubevirt.launcher.context import BackingVolume
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.launch.disks import set_drivers
from virtcatalog.releases import find_release

PVC = "persistentVolumeClaim: {claimName: c}"
EPHEMERAL = f"ephemeral: {{{PVC}}}"
FILE = BackingVolume()
BLOCK = BackingVolume(block=True)
NO_DIRECT_IO_ON_CLAIMS = DirectIO(claims=False)
NO_DIRECT_IO_ON_NODES = DirectIO(node=False)


def launched(vmi, context):
    """The `<disk>`s of a VMI once their drivers are set."""
    domain = convert(vmi, context)
    set_drivers(domain.devices, vmi.spec.domain.devices.disks, domain.sources)
    return domain.devices.findall("disk")


@pytest.fixture
def driver(xml):
    """Cache and I/O mode (None where there is none) of the one disk of a VMI."""

    def drive(volume, disk="disk: {bus: virtio}", claim=None, spec="", **changes):
        text = f"domain.devices: {{disks: [{{name: v, {disk}}}]}}\nvolumes: [{{name: v, {volume}}}]\n{spec}"
        context = make_context(volumes={} if claim is None else {"v": claim}, **changes)
        element = launched(make_vmi(text), context)[0].find("driver")
        return element.get("cache"), element.get("io")

    return drive


@pytest.mark.parametrize(
    ("volume", "claim", "io"),
    [
        (PVC, FILE, None),
        ("dataVolume: {name: c}", FILE, None),
        (PVC, BackingVolume(preallocated=True), "native"),
        (PVC, BackingVolume(preallocated=True, hotplug=True), "native"),
        (PVC, BLOCK, "native"),
        (PVC, BackingVolume(block=True, hotplug=True), "native"),
        (EPHEMERAL, BackingVolume(has_claim=False), None),
        (EPHEMERAL, BackingVolume(has_claim=False, block=True), None),
        ("containerDisk: {image: i}", None, None),
        ("emptyDisk: {capacity: 1Gi}", None, None),
        ("hostDisk: {path: /d/i.img, type: Disk}", None, None),
        ("cloudInitNoCloud: {userData: x}", None, None),
        ("cloudInitConfigDrive: {userData: x}", None, None),
        ("downwardMetrics: {}", None, None),
        ("configMap: {name: c}", None, "native"),
        ("secret: {secretName: s}", None, "native"),
        ("sysprep: {configMap: {name: c}}", None, "native"),
        ("downwardAPI: {fields: []}", None, "native"),
        ("serviceAccount: {serviceAccountName: s}", None, "native"),
    ],
)
def test_without_a_word_of_the_vmi_nothing_is_cached_and_io_is_native_where_no_block_is_missing(
    driver, volume, claim, io
):
    assert driver(volume, claim=claim) == ("none", io)


def test_a_profile_can_say_that_all_images_of_claims_are_allocated(driver):
    assert driver(PVC, claim=FILE, claims_allocated=True) == ("none", "native")
    assert driver(EPHEMERAL, claim=BackingVolume(has_claim=False), claims_allocated=True) == ("none", None)


@pytest.mark.parametrize("kind", ["disk", "lun", "cdrom"])
def test_every_kind_of_disk_has_a_cache_mode(driver, kind):
    assert driver(PVC, f"{kind}: {{bus: scsi}}", BLOCK) == ("none", "native")


@pytest.mark.parametrize("cache", ["writethrough", "writeback"])
def test_the_vmis_own_cache_mode_stays_and_has_no_native_io(driver, cache):
    assert driver(PVC, f"disk: {{bus: virtio}}, cache: {cache}", BLOCK) == (cache, None)
    assert driver(PVC, f"disk: {{bus: virtio}}, cache: {cache}", FILE, direct_io=NO_DIRECT_IO_ON_CLAIMS) == (
        cache,
        None,
    )


@pytest.mark.parametrize("io", ["threads", "native"])
def test_the_vmis_own_io_mode_stays(driver, io):
    assert driver(PVC, f"disk: {{bus: virtio}}, io: {io}", BLOCK) == ("none", io)
    assert driver(PVC, f"disk: {{bus: virtio}}, io: {io}", FILE) == ("none", io)


@pytest.mark.parametrize(
    ("volume", "claim", "storage", "cache"),
    [
        (PVC, FILE, NO_DIRECT_IO_ON_CLAIMS, "writethrough"),
        (PVC, FILE, NO_DIRECT_IO_ON_NODES, "none"),
        (PVC, BLOCK, NO_DIRECT_IO_ON_CLAIMS, "none"),
        (EPHEMERAL, BackingVolume(has_claim=False), NO_DIRECT_IO_ON_CLAIMS, "writethrough"),
        (EPHEMERAL, BackingVolume(has_claim=False), NO_DIRECT_IO_ON_NODES, "writethrough"),
        (EPHEMERAL, BackingVolume(has_claim=False, block=True), NO_DIRECT_IO_ON_CLAIMS, "none"),
        ("containerDisk: {image: i}", None, NO_DIRECT_IO_ON_CLAIMS, "none"),
        ("containerDisk: {image: i}", None, NO_DIRECT_IO_ON_NODES, "writethrough"),
        ("secret: {secretName: s}", None, NO_DIRECT_IO_ON_NODES, "writethrough"),
    ],
)
def test_where_an_image_cannot_do_without_the_hosts_cache_it_is_written_through(driver, volume, claim, storage, cache):
    assert driver(volume, claim=claim, direct_io=storage)[0] == cache


def test_no_cache_is_refused_where_the_file_system_needs_one(driver):
    disk = "disk: {bus: virtio}, cache: none"
    with pytest.raises(DomainError, match=re.escape("spec.domain.devices.disks[0].cache: none needs O_DIRECT")):
        driver(PVC, disk, FILE, direct_io=NO_DIRECT_IO_ON_CLAIMS)
    assert driver(PVC, disk, BLOCK, direct_io=NO_DIRECT_IO_ON_CLAIMS) == ("none", "native")


def test_an_overlay_that_tracks_changes_is_judged_by_the_image_below_it(driver):
    assert driver(PVC, claim=BLOCK, changed_block_tracking=True) == ("none", "native")
    assert driver(PVC, claim=FILE, changed_block_tracking=True) == ("none", None)


def test_older_releases_judge_the_overlay_itself_a_file_without_blocks_of_its_own(driver):
    older = {"changed_block_tracking": True, "release": find_release("v1.7.4")}
    assert driver(PVC, claim=BLOCK, **older) == ("none", None)
    assert driver(PVC, claim=BLOCK, direct_io=NO_DIRECT_IO_ON_CLAIMS, **older) == ("writethrough", None)
    assert driver(PVC, claim=BackingVolume(block=True, hotplug=True), **older) == ("none", "native"), (
        "it has no overlay"
    )


def test_a_driver_with_a_pool_of_threads_keeps_it(driver):
    pool = "domain.ioThreadsPolicy: supplementalPool\ndomain.ioThreads: {supplementalPoolThreadCount: 2}"
    assert driver(PVC, claim=BLOCK, spec=pool) == ("none", "native")


def test_whatever_else_a_driver_says_stays_in_libvirts_order():
    vmi = make_vmi(f"""
        domain.cpu: {{cores: 2}}
        domain.ioThreadsPolicy: shared
        domain.launchSecurity: {{sev: {{}}}}
        domain.devices: {{blockMultiQueue: true, disks: [{{name: v, disk: {{bus: virtio}}}}]}}
        volumes: [{{name: v, {PVC}}}]
    """)
    driver = launched(vmi, make_context(volumes={"v": BLOCK}))[0].find("driver")
    assert list(driver.attrib.items()) == [
        ("name", "qemu"),
        ("type", "raw"),
        ("cache", "none"),
        ("error_policy", "stop"),
        ("io", "native"),
        ("discard", "unmap"),
        ("queues", "2"),
        ("iommu", "on"),
        ("iothread", "1"),
    ]


def test_an_empty_tray_has_no_cache_mode():
    vmi, context = make_vmi("domain.devices: {disks: [{name: v, cdrom: {bus: sata}}]}"), make_context()
    assert launched(vmi, context)[0].find("driver").get("cache") is None


@pytest.mark.parametrize("volume", ["emptyDisk: {capacity: 1Gi}", "cloudInitNoCloud: {userData: x}"])
def test_a_launch_does_not_change_what_the_converter_makes(xml, volume):
    vmi = make_vmi(f"domain.devices: {{disks: [{{name: v, disk: {{bus: virtio}}}}]}}\nvolumes: [{{name: v, {volume}}}]")
    before = xml(parts("disk", vmi))
    assert xml(launched(vmi, make_context())) != before
    assert xml(parts("disk", vmi)) == before
