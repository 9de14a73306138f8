"""`<blockio>` of disks: the block sizes that the guest sees."""

from __future__ import annotations

from virtcatalog.api.devices import BlockSize
from virtcatalog.kubevirt.hosts import BlockLimits
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.disksource import DiskSource
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, leaf

_S390X_MAXIMUM = 4096


def blockio(wanted: BlockSize, source: DiskSource, context: Context, field: str) -> list[Element]:
    """`<blockio>`, if any is asked for: the sizes that the VMI names, else those of the storage behind the disk.

    Storage tells its sizes only while its image exists; images that virt-launcher makes for the domain come too
    late, and such a VMI never starts. Source: pkg/virt-launcher/virtwrap/converter/converter.go
    (Convert_v1_BlockSize_To_api_BlockIO).
    """
    if wanted.custom is not None:
        custom = wanted.custom
        limited = context.architecture.name == "s390x" and context.release.traits.s390x_block_size_limit
        if limited and max(custom.logical, custom.physical) > _S390X_MAXIMUM:
            raise DomainError(field, f"blocks on s390x are at most {_S390X_MAXIMUM} bytes")
        return [_blockio(custom.logical, custom.physical, custom.discard_granularity)]
    if wanted.match_volume is not None and wanted.match_volume.enabled is not False:
        if not source.exists:
            raise DomainError(field, "there is no image yet whose block size could be matched")
        limits = _limits(source, context)
        return [_blockio(limits.logical, limits.physical, limits.discard_granularity)]
    return []


def _limits(source: DiskSource, context: Context) -> BlockLimits:
    """A file's blocks are its file system's; of a device, a size that it does not tell is the one that it does."""
    below = source.data if context.release.traits.tracks_hotplugged_disks else None
    image = below or source.image
    if image.type == "file":
        size = context.filesystem_block_size
        return BlockLimits(logical=size, physical=size, discard_granularity=size)
    device = context.block_device
    logical, physical = device.logical or device.physical, device.physical or device.logical
    granularity = physical if device.discard_granularity % logical else device.discard_granularity
    return BlockLimits(logical=logical, physical=physical, discard_granularity=granularity)


def _blockio(logical: int, physical: int, granularity: int | None) -> Element:
    attributes = {}
    if logical:
        attributes["logical_block_size"] = str(logical)
    if physical:
        attributes["physical_block_size"] = str(physical)
    if granularity is not None:
        attributes["discard_granularity"] = str(granularity)
    return leaf("blockio", **attributes)
