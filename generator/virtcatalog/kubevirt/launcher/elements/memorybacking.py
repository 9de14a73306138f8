"""`<memoryBacking>`: huge pages, memory shared with other processes, memory that is never swapped in late."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.numa import GuestCell, page_size
from virtcatalog.kubevirt.launcher.xml import Element, SubElement

MEMFD_ANNOTATION = "kubevirt.io/memfd"

_virtiofs = attrgetter("virtiofs")
_passt = attrgetter("passt_binding")


def needs_memfd(vmi: VirtualMachineInstance) -> bool:
    """Whether guest memory lives in a memfd: shared memory always, huge pages unless an annotation says `false`."""
    return needs_sharing(vmi) or (_has_hugepages(vmi) and vmi.metadata.annotations.get(MEMFD_ANNOTATION) != "false")


def memorybacking(vmi: VirtualMachineInstance, cells: Sequence[GuestCell]) -> Element | None:
    """`<memoryBacking>`, absent for plain memory; `cells` are the passed-through NUMA cells.

    Source: pkg/virt-launcher/virtwrap/converter/converter.go and vcpu/vcpu.go.
    """
    hugepages, sharing = _has_hugepages(vmi), needs_sharing(vmi)
    if not hugepages and not sharing:
        return None
    cpu = vmi.spec.domain.cpu
    unmerged = bool(cells) and cpu is not None and cpu.realtime is not None
    element = Element("memoryBacking")
    if hugepages:
        parent = SubElement(element, "hugepages")
        for cell in cells:
            SubElement(parent, "page", size=str(page_size(vmi)), unit="b", nodeset=str(cell.id))
    if unmerged:
        SubElement(element, "nosharepages")
    if needs_memfd(vmi):
        SubElement(element, "source", type="memfd")
    if sharing:
        SubElement(element, "access", mode="shared")
    if cells:
        SubElement(element, "allocation", mode="immediate")
    return element


def _has_hugepages(vmi: VirtualMachineInstance) -> bool:
    memory = vmi.spec.domain.memory
    return memory is not None and memory.hugepages is not None


def needs_sharing(vmi: VirtualMachineInstance) -> bool:
    """virtiofsd and passt read the guest's memory."""
    devices = vmi.spec.domain.devices
    shares_files = devices.filesystems and any(map(_virtiofs, devices.filesystems))
    return bool(shares_files) or any(map(_passt, devices.interfaces))
