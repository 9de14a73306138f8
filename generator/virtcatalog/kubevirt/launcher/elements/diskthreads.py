"""Which IO thread serves which disk."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.devices import CDRomTarget, Disk, DiskTarget, LunTarget
from virtcatalog.api.domainspec import DomainSpec
from virtcatalog.kubevirt.launcher.elements.iothreads import iothread_counts, own_thread


def target_of(disk: Disk) -> DiskTarget | LunTarget | CDRomTarget | None:
    """What the guest sees of a disk: `disk`, `lun` or `cdrom`, whichever is set."""
    return disk.disk or disk.lun or disk.cdrom


def bus_of(disk: Disk) -> str:
    """The bus of a disk, empty when it says nothing at all."""
    target = target_of(disk)
    return target.bus if target is not None else ""


def disk_threads(domain: DomainSpec) -> Iterator[int]:
    """Yield the thread of each virtio disk, in turn: dedicated ones come after all shared ones, which go round.

    Source: pkg/virt-launcher/virtwrap/converter/converter.go (assignDiskIOThread).
    """
    _, shared = iothread_counts(domain)
    shared_thread, dedicated_thread = 1, shared + 1
    for disk in domain.devices.disks:
        if bus_of(disk) != "virtio":
            continue
        if disk.dedicated_io_thread:
            yield dedicated_thread
            dedicated_thread += 1
        else:
            yield shared_thread
            shared_thread = shared_thread % shared + 1


def scsi_thread(domain: DomainSpec) -> int | None:
    """The thread of the SCSI controller, which has one when a SCSI disk asks for a thread of its own.

    Source: pkg/virt-launcher/virtwrap/converter/compute/controllers.go (ControllersDomainConfigurator).
    """
    disks = domain.devices.disks
    if not any(map(own_thread, disks)) or "scsi" not in [bus_of(disk) for disk in disks if disk.dedicated_io_thread]:
        return None
    _, shared = iothread_counts(domain)
    if not shared:
        return None
    return 1 + sum(1 for disk in disks if not disk.dedicated_io_thread and bus_of(disk) == "virtio") % shared
