"""Volumes that the launcher uses, not the guest. Source: pkg/storage/admitters/storagehotplug.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration


def validate_utility_volumes(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """They are plugged in later, never there from the start (ValidateUtilityVolumesNotPresentOnCreation)."""
    if spec.utility_volumes:
        yield invalid(f"{path}.utilityVolumes", "can only be plugged into a running VM")
