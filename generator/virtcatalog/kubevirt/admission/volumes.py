"""The volumes of a VMI, and what their sources must say.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go (validateVolumes);
pkg/storage/admitters/disks.go and storagehotplug.go.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from operator import attrgetter

from msgspec.structs import astuple

from virtcatalog.api.core import LocalObjectReference
from virtcatalog.api.govalues import decode_base64
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.volumes import CloudInitConfigDriveSource, CloudInitNoCloudSource, HostDisk, Volume
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.causes import invalid, not_found, required
from virtcatalog.kubevirt.configuration import Configuration

SOURCES = tuple(field for field in Volume.__struct_fields__ if field != "name")
_ONE_AT_MOST = {
    attrgetter("service_account"): "serviceAccount",
    attrgetter("downward_metrics"): "downwardMetrics",
    attrgetter("memory_dump"): "memoryDump",
}


def validate_volumes(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """Name, source and what the source must say, for every volume; then the sources that a VMI can have once.

    Source: validateVolumes.
    """
    if not spec.volumes:
        return
    volumes_path = f"{path}.volumes"
    first: dict[str, int] = {}
    special: list[Volume] = []
    for index, volume in enumerate(spec.volumes):
        earlier = first.setdefault(volume.name, index)
        if earlier != index:
            field = f"{volumes_path}[{index}].name"
            yield invalid(field, f"volume {earlier} is also named {volume.name!r}: names must differ")
        count = len(SOURCES) - astuple(volume).count(None)
        if volume.data_volume is not None and not volume.data_volume.name:
            yield required(f"{volumes_path}[{index}].name", f"volume {volume.name!r}: dataVolume.name must be set")
        if count != 1:
            number = "several" if count else "none"
            field = f"{volumes_path}[{index}]"
            yield invalid(field, f"volume {volume.name!r} needs exactly one source, but has {number}")
        plain = volume.container_disk or volume.data_volume or volume.persistent_volume_claim
        if plain is None or count > 1:
            special.append(volume)
            yield from _source(volume, f"{volumes_path}[{index}]", config)
    if len(special) > 1:
        yield from _several(special, volumes_path)


def _several(volumes: list[Volume], field: str) -> Iterator[Cause]:
    """The sources that a VMI can have once."""
    for get, source in _ONE_AT_MOST.items():
        count = len(volumes) - list(map(get, volumes)).count(None)
        if count > 1:
            yield invalid(field, f"{count} volumes are {source}, there can be one")


def _source(volume: Volume, field: str, config: Configuration) -> Iterator[Cause]:
    """What each of the volume's sources must say."""
    # As in KubeVirt, the other one is not looked at where a volume has both.
    if volume.cloud_init_no_cloud is not None:
        yield from validate_cloud_init(volume.cloud_init_no_cloud, f"{field}.cloudInitNoCloud")
    elif volume.cloud_init_config_drive is not None:
        yield from validate_cloud_init(volume.cloud_init_config_drive, f"{field}.cloudInitConfigDrive")
    if volume.downward_metrics is not None and not config.feature_gate("DownwardMetrics"):
        yield invalid(field, f"volume {volume.name!r}: downwardMetrics needs the feature gate DownwardMetrics")
    if volume.host_disk is not None:
        yield from validate_host_disk(volume.host_disk, field, config)
    if volume.config_map is not None and not volume.config_map.name:
        yield invalid(f"{field}.configMap.name", f"volume {volume.name!r}: configMap.name must be set")
    if volume.secret is not None and not volume.secret.secret_name:
        yield invalid(f"{field}.secret.secretName", f"volume {volume.name!r}: secret.secretName must be set")
    if volume.service_account is not None and not volume.service_account.service_account_name:
        yield invalid(
            f"{field}.serviceAccount.serviceAccountName",
            f"volume {volume.name!r}: serviceAccount.serviceAccountName must be set",
        )


def validate_container_disks(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """Where a container disk's image lies in its container, if it is said (ValidateContainerDisks)."""
    for index, volume in enumerate(spec.volumes):
        disk = volume.container_disk
        if disk is not None and disk.path:
            yield from validate_path(disk.path, f"{path}.volumes[{index}].containerDisk")


def validate_path(path: str, field: str) -> Iterator[Cause]:
    """A file's absolute path, without `.`, `..` or doubled slashes (ValidatePath)."""
    if path == "/":
        yield invalid(field, "'/' is the root, not a file")
    elif posixpath.normpath("/" + path.lstrip("/")) != path.removesuffix("/"):
        yield invalid(field, f"{path!r} is not an absolute path without '.', '..' and '//'")


def validate_host_disk(disk: HostDisk, field: str, config: Configuration) -> Iterator[Cause]:
    """`field` is the path of the volume (validateVolumes)."""
    if not config.feature_gate("HostDisk"):
        yield invalid(field, "hostDisk needs the feature gate HostDisk")
    if not disk.path:
        yield not_found(f"{field}.hostDisk.path", "hostDisk.path must be set")
    if disk.type not in ("Disk", "DiskOrCreate"):
        yield invalid(f"{field}.hostDisk.type", f"hostDisk.type {disk.type!r} is neither Disk nor DiskOrCreate")
    if disk.type == "Disk" and disk.capacity:
        yield invalid(
            f"{field}.hostDisk.capacity",
            "hostDisk.capacity is for type DiskOrCreate: with Disk the image exists and has its size",
        )


def validate_utility_volumes(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """They are plugged in later, never there from the start (ValidateUtilityVolumesNotPresentOnCreation)."""
    if spec.utility_volumes:
        yield invalid(f"{path}.utilityVolumes", "can only be plugged into a running VM")


MAX_INLINE_BYTES = 2048
_SHORT = MAX_INLINE_BYTES // 4
"""So many characters are not too many bytes."""


def validate_cloud_init(source: CloudInitNoCloudSource | CloudInitConfigDriveSource, field: str) -> Iterator[Cause]:
    """`field` is the path of the source, `….cloudInitNoCloud` or `….cloudInitConfigDrive` (validateVolumes)."""
    users = _count(source.secret_ref, source.user_data_base64, source.user_data)
    networks = _count(source.network_data_secret_ref, source.network_data_base64, source.network_data)
    if users > 1 or source.user_data_base64 or len(source.user_data) > _SHORT:
        yield from _data("user", users, source.user_data_base64, source.user_data, field)
    if networks > 1 or source.network_data_base64 or len(source.network_data) > _SHORT:
        yield from _data("network", networks, source.network_data_base64, source.network_data, field)
    if not users and not networks:
        yield invalid(field, "cloud-init needs user data or network data")


def _count(secret: LocalObjectReference | None, base64: str, plain: str) -> int:
    return (secret is not None and secret.name != "") + (base64 != "") + (plain != "")


def _data(kind: str, count: int, base64: str, plain: str, field: str) -> Iterator[Cause]:
    size = 0
    if base64:
        content, correct = decode_base64(base64)
        size = len(content)
        if not correct:
            yield invalid(f"{field}.{kind}DataBase64", f"{kind}DataBase64 is not base64")
    if plain:
        size = len(plain.encode(errors="surrogatepass"))
    if count > 1:
        yield invalid(field, f"cloud-init {kind} data needs one source, but has {count}")
    if size > MAX_INLINE_BYTES:
        yield invalid(
            field,
            f"cloud-init {kind} data has {size} bytes, {MAX_INLINE_BYTES} are allowed inline: "
            "put it in a Secret and name that",
        )
