"""`<numatune>`: guest NUMA cells bound to the memory of host nodes."""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree

from virtcatalog.domain.numa import GuestCell


def numatune(cells: Sequence[GuestCell]) -> etree._Element | None:
    """`<numatune>`, absent unless NUMA nodes are passed through."""
    if not cells:
        return None
    element = etree.Element("numatune")
    etree.SubElement(element, "memory", mode="strict", nodeset=",".join(str(cell.host_node) for cell in cells))
    for cell in cells:
        etree.SubElement(element, "memnode", cellid=str(cell.id), mode="strict", nodeset=str(cell.host_node))
    return element
