"""Volumes that a VM mounts through virtiofs.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration

STORAGE_GATE = "EnableVirtioFsStorageVolumes"


def validate_filesystems(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """Storage, unlike Secrets and ConfigMaps, is shared only behind a feature gate."""
    filesystems = spec.domain.devices.filesystems
    if not filesystems or config.feature_gate(STORAGE_GATE):
        return
    volumes = {volume.name: volume for volume in spec.volumes}
    for filesystem in filesystems:
        volume = volumes.get(filesystem.name)
        if volume is not None and (volume.persistent_volume_claim is not None or volume.data_volume is not None):
            yield invalid(
                f"{path}.domain.devices.filesystems",
                f"filesystem {filesystem.name!r}: sharing a persistentVolumeClaim or dataVolume needs the feature gate "
                f"{STORAGE_GATE}",
            )
