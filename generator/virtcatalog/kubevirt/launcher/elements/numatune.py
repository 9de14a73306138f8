"""`<numatune>`: guest NUMA cells bound to the memory of host nodes."""

from __future__ import annotations

from virtcatalog.kubevirt.launcher.numa import GuestCell
from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement
from virtcatalog.kubevirt.memo import memo


@memo
def numatune(cells: tuple[GuestCell, ...]) -> Element | None:
    """`<numatune>`, absent unless NUMA nodes are passed through."""
    if not cells:
        return None
    element = Shared("numatune")
    SubElement(element, "memory", mode="strict", nodeset=",".join(str(cell.host_node) for cell in cells))
    for cell in cells:
        SubElement(element, "memnode", cellid=str(cell.id), mode="strict", nodeset=str(cell.host_node))
    return element
