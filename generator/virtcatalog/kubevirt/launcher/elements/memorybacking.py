"""`<memoryBacking>`: huge pages, memory shared with other processes, memory that is never swapped in late."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

from virtcatalog.api.devices import Devices
from virtcatalog.api.domainspec import Hugepages
from virtcatalog.kubevirt.launcher.numa import GuestCell, page_size
from virtcatalog.kubevirt.launcher.xml import Element, leaf, shared

MEMFD_ANNOTATION = "kubevirt.io/memfd"

_virtiofs = attrgetter("virtiofs")
_passt = attrgetter("passt_binding")


def needs_sharing(devices: Devices) -> bool:
    """Whether virtiofsd or passt reads the guest's memory."""
    return any(map(_virtiofs, devices.filesystems)) or any(map(_passt, devices.interfaces))


def needs_memfd(hugepages: Hugepages | None, annotations: Mapping[str, str], *, shares_memory: bool) -> bool:
    """Whether guest memory lives in a memfd: shared memory always, huge pages unless an annotation says `false`."""
    return shares_memory or (hugepages is not None and annotations.get(MEMFD_ANNOTATION) != "false")


def memorybacking(
    hugepages: Hugepages | None, cells: Sequence[GuestCell], *, shares_memory: bool, memfd: bool, realtime: bool
) -> Element | None:
    """`<memoryBacking>`, absent for plain memory; `cells` are the passed-through NUMA cells.

    Source: pkg/virt-launcher/virtwrap/converter/converter.go and vcpu/vcpu.go.
    """
    if hugepages is None and not shares_memory:
        return None
    parts = []
    if hugepages is not None:
        size = str(page_size(hugepages)) if cells else ""
        parts.append(shared("hugepages", *(leaf("page", size=size, unit="b", nodeset=str(cell.id)) for cell in cells)))
    if cells and realtime:
        parts.append(leaf("nosharepages"))
    if memfd:
        parts.append(leaf("source", type="memfd"))
    if shares_memory:
        parts.append(leaf("access", mode="shared"))
    if cells:
        parts.append(leaf("allocation", mode="immediate"))
    return shared("memoryBacking", *parts)
