"""`<blockio>`: the block sizes of disks."""

from xml.etree.ElementTree import fromstring, tostring

import pytest

from virtcatalog.kubevirt.hosts import BlockLimits
from virtcatalog.kubevirt.launcher.context import BackingVolume
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.releases import find_release

CLAIM = "volumes: [{name: d, persistentVolumeClaim: {claimName: c}}]"


@pytest.fixture
def blockio(built, xml):
    """Return the `<blockio>` of a disk on a claim with this blockSize."""

    def find(size, spec=CLAIM, block=False, **options):
        devices = f"disks: [{{name: d, disk: {{bus: virtio}}, blockSize: {size}}}]"
        claim = BackingVolume(block=block, host_disk=not block)
        element = fromstring(built("disk", devices, spec, volumes={"d": claim}, **options)).find("blockio")
        return "" if element is None else xml(tostring(element, encoding="unicode"))

    return find


@pytest.mark.parametrize(
    ("custom", "attributes"),
    [
        ("logical: 512, physical: 4096", 'logical_block_size="512" physical_block_size="4096"'),
        ("logical: 512", 'logical_block_size="512"'),
        ("physical: 512, discardGranularity: 0", 'physical_block_size="512" discard_granularity="0"'),
    ],
)
def test_sizes_that_the_vmi_names(blockio, xml, custom, attributes):
    assert blockio(f"{{custom: {{{custom}}}}}") == xml(f"<blockio {attributes}/>")


def test_blocks_on_s390x_are_no_larger_than_4096(blockio):
    for size in ("{custom: {logical: 4096, physical: 8192}}", "{custom: {logical: 4097, physical: 512}}"):
        assert blockio(size)
        assert blockio(size, architecture="s390x", release=find_release("v1.7.4"))
        with pytest.raises(DomainError, match=r"disks\[0\].blockSize"):
            blockio(size, architecture="s390x")
    assert blockio("{custom: {logical: 4096, physical: 4096}}", architecture="s390x")


@pytest.mark.parametrize(
    ("release", "block", "size"), [("v1.9.0", True, "512"), ("v1.9.0", False, "4096"), ("v1.7.4", True, "4096")]
)
def test_below_an_overlay_that_tracks_changes_the_image_tells(blockio, release, block, size):
    """Older releases asked the overlay, which is a file."""
    shown = blockio("{matchVolume: {}}", block=block, changed_block_tracking=True, release=find_release(release))
    assert f'logical_block_size="{size}"' in shown


@pytest.mark.parametrize("match", ["{}", "{enabled: true}"])
def test_a_file_has_the_blocks_of_its_file_system(blockio, xml, match):
    shown = blockio(f"{{matchVolume: {match}}}", filesystem_block_size=4096)
    assert shown == xml('<blockio logical_block_size="4096" physical_block_size="4096" discard_granularity="4096"/>')


def test_matching_can_be_turned_off(blockio):
    assert blockio("{matchVolume: {enabled: false}}") == ""


@pytest.mark.parametrize(
    ("device", "logical", "physical", "granularity"),
    [
        (BlockLimits(logical=512, physical=4096, discard_granularity=4096), 512, 4096, 4096),
        (BlockLimits(logical=512, physical=512, discard_granularity=0), 512, 512, 0),
        (BlockLimits(logical=0, physical=4096, discard_granularity=0), 4096, 4096, 0),
        (BlockLimits(logical=512, physical=0, discard_granularity=0), 512, 512, 0),
        (BlockLimits(logical=4096, physical=4096, discard_granularity=512), 4096, 4096, 4096),
    ],
)
def test_a_device_tells_its_limits(blockio, xml, device, logical, physical, granularity):
    attributes = f'logical_block_size="{logical}" physical_block_size="{physical}" discard_granularity="{granularity}"'
    assert blockio("{matchVolume: {}}", block=True, block_device=device) == xml(f"<blockio {attributes}/>")
