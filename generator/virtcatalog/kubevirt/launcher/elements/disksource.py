"""What is behind a disk: the volume's image, its format, and the images below it."""

from __future__ import annotations

from functools import lru_cache
from posixpath import basename

import msgspec

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.api.volumes import Volume
from virtcatalog.kubevirt.launcher.context import BackingVolume, Context
from virtcatalog.kubevirt.launcher.errors import DomainError

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


class DiskSource(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """What a disk reads and writes.

    `backing` is the image below a copy-on-write overlay, `data` the raw image that a change-tracking overlay keeps
    its data in. `discard`: discarded blocks are freed whatever the kind of the disk. `exists`: the image is there
    before the domain is built. `metrics`: the disk through which the guest reads host metrics. `of_vm`: no other VM
    has such an image, which is named after the VM.
    """

    image: Image
    backing: Image | None = None
    data: Image | None = None
    discard: bool = False
    exists: bool = False
    metrics: bool = False
    of_vm: bool = False


EMPTY_TRAY = DiskSource(image=Image("block", "raw", ""), discard=True)
"""A CD-ROM drive without a volume."""


def source_of(vmi: VirtualMachineInstance, volume: Volume, index: int, context: Context) -> DiskSource:
    """Return what is behind the disk of a volume, the VMI's `index`-th; DomainError for volumes that are no disks.

    Source: pkg/virt-launcher/virtwrap/converter/converter.go and pkg/host-disk/host-disk.go
    (Convert_v1_Volume_To_api_Disk).
    """
    name = volume.name
    if volume.container_disk is not None:
        return _container_disk(name, index, context.container_disk_format)
    if volume.cloud_init_no_cloud is not None:
        return _cloud_init(vmi, "noCloud.iso")
    if volume.cloud_init_config_drive is not None:
        return _cloud_init(vmi, "configdrive.iso")
    if volume.persistent_volume_claim is not None or volume.data_volume is not None:
        claim, hotplugged = context.volumes.get(name, _UNKNOWN_CLAIM), context.release.traits.tracks_hotplugged_disks
        return _claim(name, claim, _state(context), tracks_hotplugged=hotplugged)
    if volume.empty_disk is not None:
        return DiskSource(image=Image("file", "qcow2", f"{_EMPTY_DISKS}/{name}.qcow2"), discard=True)
    if volume.host_disk is not None:
        path = f"{_CLAIMS}/{name}/{basename(volume.host_disk.path.rstrip('/'))}"
        return _tracked(Image("file", "raw", path), _state(context), name, discard=False)
    if volume.ephemeral is not None:
        block = context.volumes.get(name, _UNKNOWN_CLAIM).block
        backing = Image("block", "raw", f"/dev/{name}", name) if block else Image("file", "raw", _file(name))
        return DiskSource(image=_overlay(name), backing=backing, discard=True)
    return _configuration(volume)


def _configuration(volume: Volume) -> DiskSource:
    name = volume.name
    if volume.sysprep is not None:
        return _iso(f"{_PRIVATE}/sysprep-disks/{name}.iso")
    if volume.config_map is not None:
        return _iso(f"{_PRIVATE}/config-map-disks/{name}.iso")
    if volume.secret is not None:
        return _iso(f"{_PRIVATE}/secret-disks/{name}.iso")
    if volume.downward_api is not None:
        return _iso(f"{_PRIVATE}/downwardapi-disks/{name}.iso")
    if volume.service_account is not None:
        return _iso(_SERVICE_ACCOUNT)
    if volume.downward_metrics is not None:
        return DiskSource(image=Image("file", "raw", _DOWNWARD_METRICS), metrics=True)
    raise DomainError("spec.domain.devices.disks", f"disk {name} has a volume that cannot be a disk")


@lru_cache(maxsize=1024)
def _container_disk(name: str, index: int, form: str) -> DiskSource:
    backing = Image("file", form, f"{_CONTAINER_DISKS}/disk_{index}.img")
    return DiskSource(image=_overlay(name), backing=backing, discard=True)


@lru_cache(maxsize=1024)
def _claim(name: str, claim: BackingVolume, state: str | None, *, tracks_hotplugged: bool) -> DiskSource:
    """A PersistentVolumeClaim or DataVolume: one that is there from the start and holds files is a host disk."""
    if claim.hotplug:
        path = f"{_HOTPLUG}/{name}"
        image = Image("block", "raw", path) if claim.block else Image("file", "raw", f"{path}.img")
    elif claim.block:
        image = Image("block", "raw", f"/dev/{name}", name)
    else:
        image = Image("file", "raw", _file(name))
    discard = not claim.host_disk and not claim.preallocated
    if claim.hotplug and not tracks_hotplugged:
        return DiskSource(image=image, discard=discard, exists=True)
    return _tracked(image, state, name, discard=discard)


def _state(context: Context) -> str | None:
    """The directory of overlays that track changed blocks, None where the VMI wants none."""
    if not context.changed_block_tracking:
        return None
    return f"{_PRIVATE}/libvirt/qemu" if context.non_root else "/var/lib/libvirt/qemu"


def _tracked(image: Image, state: str | None, name: str, *, discard: bool) -> DiskSource:
    """Put the overlay on top that tracks changed blocks, where there is a directory for it."""
    if state is None:
        return DiskSource(image=image, discard=discard, exists=True)
    overlay = Image("file", "qcow2", f"{state}/cbt/{name}.qcow2", image.name)
    return DiskSource(image=overlay, data=image, discard=discard, exists=True)


def _file(name: str) -> str:
    return f"{_CLAIMS}/{name}/disk.img"


def _overlay(name: str) -> Image:
    return Image("file", "qcow2", f"{_EPHEMERAL}/disk-data/{name}/disk.qcow2")


def _iso(path: str) -> DiskSource:
    return DiskSource(image=Image("file", "raw", path))


def _cloud_init(vmi: VirtualMachineInstance, file: str) -> DiskSource:
    path = f"{_EPHEMERAL}/cloud-init-data/{vmi.metadata.namespace}/{vmi.metadata.name}/{file}"
    return DiskSource(image=Image("file", "raw", path), of_vm=True)
