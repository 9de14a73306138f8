"""SCSI persistent reservations.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go;
pkg/storage/reservation/pr.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration


def validate_persistent_reservations(
    spec: VirtualMachineInstanceSpec, path: str, config: Configuration
) -> Iterator[Cause]:
    """A LUN with a reservation needs the helper that the KubeVirt CR switches on (validatePersistentReservation)."""
    if config.persistent_reservation:
        return
    for disk in spec.domain.devices.disks:
        if disk.lun is not None and disk.lun.reservation:
            yield invalid(
                f"{path}.domain.devices.disks.luns.reservation",
                "a LUN with a reservation needs persistentReservationConfiguration.enabled in the KubeVirt CR",
            )
            return
