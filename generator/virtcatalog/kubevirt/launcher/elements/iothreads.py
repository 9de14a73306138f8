"""`<iothreads>`: how many IO threads a VMI gets, of which sort, and which disk they serve."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from virtcatalog.api.devices import CDRomTarget, Disk, DiskTarget, LunTarget
from virtcatalog.api.domainspec import DomainSpec
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.launcher.xml import Element, leaf
from virtcatalog.limits import IO_THREADS

SUPPLEMENTAL_POOL = "supplementalPool"

own_thread = attrgetter("dedicated_io_thread")


def has_iothreads(domain: DomainSpec) -> bool:
    """Whether disks run in IO threads: a policy is set or a disk has its own thread."""
    return domain.io_threads_policy is not None or any(map(own_thread, domain.devices.disks))


def iothread_counts(domain: DomainSpec) -> tuple[int, int]:
    """(all IO threads, those of them that disks share); (0, 0) without IO threads.

    Source: pkg/virt-launcher/virtwrap/converter/iothreads/iothreads.go (GetIOThreadsCountType).
    """
    if not has_iothreads(domain):
        return 0, 0
    if domain.io_threads_policy == SUPPLEMENTAL_POOL:
        return supplemental_pool(domain), 0
    disks = domain.devices.disks
    dedicated = sum(1 for disk in disks if disk.dedicated_io_thread)
    shared = len(disks) - dedicated
    limit = _thread_limit(domain)
    if shared + dedicated > limit:
        shared = max(limit - dedicated, 1)
    return shared + dedicated, shared


def supplemental_pool(domain: DomainSpec) -> int:
    """The size of the pool of IO threads that has its own CPUs; 0 without one."""
    return declared_pool(domain) if domain.io_threads_policy == SUPPLEMENTAL_POOL else 0


def declared_pool(domain: DomainSpec) -> int:
    """The size of the pool that the VMI declares, whether or not its policy uses one: the pod has CPUs for it.

    Source: pkg/virt-controller/services/renderresources.go (getIOThreadsCount).
    """
    threads = domain.io_threads
    count = 0 if threads is None else threads.supplemental_pool_thread_count or 0
    if count > IO_THREADS:  # each disk lists them
        field = "spec.domain.ioThreads.supplementalPoolThreadCount"
        raise UnsupportedError(field, f"a domain with more than {IO_THREADS:,} IO threads is not made")
    return count


def iothreads(count: int) -> Element | None:
    """`<iothreads>`, absent when there are none."""
    return leaf("iothreads", str(count)) if count else None


def _thread_limit(domain: DomainSpec) -> int:
    """How many threads disks share, if so many; the policy is `auto`, `shared` or none."""
    if domain.io_threads_policy != "auto":
        return 1
    cpu = domain.cpu
    if cpu and cpu.dedicated_cpu_placement and cpu.isolate_emulator_thread:
        return 1
    resources = domain.resources
    amount = resources.requests.get("cpu", resources.limits.get("cpu"))
    return 2 if amount is None else 2 * amount.value


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
    if "scsi" not in [bus_of(disk) for disk in disks if disk.dedicated_io_thread]:
        return None
    _, shared = iothread_counts(domain)
    if not shared:
        return None
    return 1 + sum(1 for disk in disks if not disk.dedicated_io_thread and bus_of(disk) == "virtio") % shared
