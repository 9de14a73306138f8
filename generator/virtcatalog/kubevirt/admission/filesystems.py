"""Volumes that a VM mounts through virtiofs.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.volumes import Volume
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration

STORAGE_GATE = "EnableVirtioFsStorageVolumes"
CONFIGURATION_GATE = "EnableVirtioFsConfigVolumes"
BOTH_GATE = "ExperimentalVirtiofsSupport"


def validate_filesystems(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """Storage is shared only behind a feature gate, and so is configuration until its gate is GA.

    Source: validateFilesystemsWithVirtIOFSEnabled.
    """
    filesystems = spec.domain.devices.filesystems
    if not filesystems:
        return
    both = config.release.traits.experimental_virtiofs_gate and config.feature_gate(BOTH_GATE)
    share_storage = both or config.feature_gate(STORAGE_GATE)
    share_configuration = both or config.feature_gate(CONFIGURATION_GATE)
    if share_storage and share_configuration:
        return
    volumes = {volume.name: volume for volume in spec.volumes}
    for filesystem in filesystems:
        volume = volumes.get(filesystem.name)
        if volume is None:
            continue
        gate = ""
        if volume.persistent_volume_claim is not None or volume.data_volume is not None:
            gate = "" if share_storage else STORAGE_GATE
        elif _is_configuration(volume):
            gate = "" if share_configuration else CONFIGURATION_GATE
        if gate:
            message = f"filesystem {filesystem.name!r}: sharing its volume needs the feature gate {gate}"
            yield invalid(f"{path}.domain.devices.filesystems", message)


def _is_configuration(volume: Volume) -> bool:
    return (
        volume.config_map is not None
        or volume.secret is not None
        or volume.service_account is not None
        or volume.downward_api is not None
    )
