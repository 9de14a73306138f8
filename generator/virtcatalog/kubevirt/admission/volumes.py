"""The volumes of a VMI, each on its own.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go (validateVolumes).
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from msgspec.structs import astuple

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.volumes import Volume
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid, required
from virtcatalog.kubevirt.admission.cloudinit import validate_cloud_init
from virtcatalog.kubevirt.admission.hostdisk import validate_host_disk
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
            found = "several" if count else "none"
            field = f"{volumes_path}[{index}]"
            yield invalid(field, f"volume {volume.name!r} needs exactly one source, but has {found}")
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
