"""What is behind a disk: the volume's image, its format, the images below it, and its block sizes (`<blockio>`)."""

from __future__ import annotations

from posixpath import basename

import msgspec
from msgspec.structs import replace

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.devices import BlockSize
from virtcatalog.api.volumes import Volume
from virtcatalog.kubevirt.hosts import BlockLimits, DirectIO
from virtcatalog.kubevirt.launcher.context import BackingVolume, Context
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, leaf

_PRIVATE = "/var/run/kubevirt-private"
_CLAIMS = f"{_PRIVATE}/vmi-disks"
_HOTPLUG = "/var/run/kubevirt/hotplug-disks"
_EPHEMERAL = "/var/run/kubevirt-ephemeral-disks"
_CONTAINER_DISKS = "/var/run/kubevirt/container-disks"
_EMPTY_DISKS = "/var/run/libvirt/empty-disks"
_DOWNWARD_METRICS = f"{_PRIVATE}/downwardapi-disks/vhostmd0"
_SERVICE_ACCOUNT = f"{_PRIVATE}/service-account-disk/service-account.iso"
_UNKNOWN_CLAIM = BackingVolume(has_claim=False)


class Image(msgspec.Struct, frozen=True):
    """A file or block device with an image of a format; `name` is set where libvirt shall know the volume's name."""

    type: str
    format: str
    path: str
    name: str = ""


class DiskSource(msgspec.Struct, frozen=True, kw_only=True):
    """What a disk reads and writes.

    `backing` is the image below a copy-on-write overlay, `data` the raw image that a change-tracking overlay keeps
    its data in. `discard`: discarded blocks are freed whatever the kind of the disk. `exists`: the image is there
    before the domain is built. `metrics`: the disk through which the guest reads host metrics. `direct`: O_DIRECT works
    on the image and on the one below it. `allocated`: it is a device, or a file that holds all its blocks. `own`: the
    image is in a directory of the VMI's own, so that no other domain has this disk. `claim` is what virt-controller
    tells of the volume's claim.
    """

    image: Image
    backing: Image | None = None
    data: Image | None = None
    discard: bool = False
    exists: bool = False
    metrics: bool = False
    direct: bool = True
    allocated: bool = False
    own: bool = False
    claim: BackingVolume | None = None


EMPTY_TRAY = DiskSource(image=Image("block", "raw", ""), discard=True)
"""A CD-ROM drive without a volume."""


def source_of(volume: Volume, index: int, metadata: ObjectMeta, context: Context) -> DiskSource:
    """Return what is behind the disk of a volume, the VMI's `index`-th; DomainError for volumes that are no disks.

    `metadata` is the VMI's: the images of cloud-init are in a directory of its own.

    Source: pkg/virt-launcher/virtwrap/converter/converter.go (Convert_v1_Volume_To_api_Disk, SetDriverCacheMode,
    SetOptimalIOMode) and pkg/host-disk/host-disk.go.
    """
    name, storage = volume.name, context.direct_io
    if volume.container_disk is not None:
        return _container_disk(name, index, context.container_disk_format, storage.node)
    if volume.cloud_init_no_cloud is not None:
        return _cloud_init(metadata, "noCloud.iso", storage.node)
    if volume.cloud_init_config_drive is not None:
        return _cloud_init(metadata, "configdrive.iso", storage.node)
    if volume.persistent_volume_claim is not None or volume.data_volume is not None:
        return _claim(name, context)
    if volume.empty_disk is not None:
        image = Image("file", "qcow2", f"{_EMPTY_DISKS}/{name}.qcow2")
        return DiskSource(image=image, discard=True, direct=storage.node)
    if volume.host_disk is not None:
        path = f"{_CLAIMS}/{name}/{basename(volume.host_disk.path.rstrip('/'))}"
        plain = DiskSource(image=Image("file", "raw", path), exists=True, direct=storage.node)
        return _tracked(plain, _state(context), name)
    if volume.ephemeral is not None:
        return _ephemeral(name, context.volumes.get(name), storage)
    return _configuration(volume, storage.node)


def _configuration(volume: Volume, direct: bool) -> DiskSource:
    """ISOs made of Kubernetes objects hold all their blocks."""
    name = volume.name
    if volume.sysprep is not None:
        return _iso(f"{_PRIVATE}/sysprep-disks/{name}.iso", direct)
    if volume.config_map is not None:
        return _iso(f"{_PRIVATE}/config-map-disks/{name}.iso", direct)
    if volume.secret is not None:
        return _iso(f"{_PRIVATE}/secret-disks/{name}.iso", direct)
    if volume.downward_api is not None:
        return _iso(f"{_PRIVATE}/downwardapi-disks/{name}.iso", direct)
    if volume.service_account is not None:
        return _iso(_SERVICE_ACCOUNT, direct)
    if volume.downward_metrics is not None:
        return DiskSource(image=Image("file", "raw", _DOWNWARD_METRICS), metrics=True, direct=direct)
    raise DomainError("spec.domain.devices.disks", f"disk {name} has a volume that cannot be a disk")


def _container_disk(name: str, index: int, form: str, direct: bool) -> DiskSource:
    backing = Image("file", form, f"{_CONTAINER_DISKS}/disk_{index}.img")
    return DiskSource(image=_overlay(name), backing=backing, discard=True, direct=direct)


def _ephemeral(name: str, claim: BackingVolume | None, storage: DirectIO) -> DiskSource:
    """An overlay on a claim, which stays as it is."""
    block = claim is not None and claim.block
    backing = Image("block", "raw", f"/dev/{name}", name) if block else Image("file", "raw", _file(name))
    direct = storage.node and (block or storage.claims)
    return DiskSource(image=_overlay(name), backing=backing, discard=True, direct=direct, claim=claim)


def _claim(name: str, context: Context) -> DiskSource:
    """A PersistentVolumeClaim or DataVolume: one that is there from the start and holds files is a host disk."""
    backing, state = context.volumes.get(name), _state(context)
    claim, traits, storage = backing or _UNKNOWN_CLAIM, context.release.traits, context.direct_io
    if claim.hotplug:
        path = f"{_HOTPLUG}/{name}"
        image = Image("block", "raw", path) if claim.block else Image("file", "raw", f"{path}.img")
    elif claim.block:
        image = Image("block", "raw", f"/dev/{name}", name)
    else:
        image = Image("file", "raw", _file(name))
    plain = DiskSource(
        image=image,
        discard=not claim.host_disk and not claim.preallocated,
        exists=True,
        direct=claim.block or storage.claims,
        allocated=claim.has_claim and (claim.block or claim.preallocated or context.claims_allocated),
        claim=backing,
    )
    if state is None or (claim.hotplug and not traits.tracks_hotplugged_disks):
        return plain
    tracked = _tracked(plain, state, name)
    # Where the overlay itself is judged, it is a file without blocks of its own.
    return tracked if traits.judges_images_below_overlays else replace(tracked, direct=storage.claims, allocated=False)


def _state(context: Context) -> str | None:
    """The directory of overlays that track changed blocks, None where the VMI wants none."""
    if not context.changed_block_tracking:
        return None
    return f"{_PRIVATE}/libvirt/qemu" if context.non_root else "/var/lib/libvirt/qemu"


def _tracked(plain: DiskSource, state: str | None, name: str) -> DiskSource:
    """Put the overlay on top that tracks changed blocks, where there is a directory for it."""
    if state is None:
        return plain
    overlay = Image("file", "qcow2", f"{state}/cbt/{name}.qcow2", plain.image.name)
    return replace(plain, image=overlay, data=plain.image)


def _file(name: str) -> str:
    return f"{_CLAIMS}/{name}/disk.img"


def _overlay(name: str) -> Image:
    return Image("file", "qcow2", f"{_EPHEMERAL}/disk-data/{name}/disk.qcow2")


def _iso(path: str, direct: bool) -> DiskSource:
    return DiskSource(image=Image("file", "raw", path), direct=direct, allocated=True)


def _cloud_init(metadata: ObjectMeta, file: str, direct: bool) -> DiskSource:
    path = f"{_EPHEMERAL}/cloud-init-data/{metadata.namespace}/{metadata.name}/{file}"
    return DiskSource(image=Image("file", "raw", path), direct=direct, own=True)


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
