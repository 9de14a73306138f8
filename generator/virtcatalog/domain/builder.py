"""The order of the elements of a libvirt domain, on one page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from lxml import etree

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.domain.context import Context
from virtcatalog.domain.iothreads import iothreads

QEMU_NAMESPACE = "http://libvirt.org/schemas/domain/qemu/1.0"

Part = etree._Element | Iterable[etree._Element] | None


def build_domain(vmi: VirtualMachineInstance, context: Context) -> etree._Element:
    """The `<domain>` that virt-launcher hands to libvirt, its first comment naming what it was made for.

    Raises DomainError where virt-launcher refuses the VMI. The VMI is read, never changed.
    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/converter/converter.go.
    """
    domain = etree.Element("domain", nsmap={"qemu": QEMU_NAMESPACE})
    _add(domain, iothreads(vmi))
    return domain


def to_xml(domain: etree._Element) -> str:
    """The domain as text: two spaces an indent, the same for the same input everywhere."""
    return cast("str", etree.tostring(domain.getroottree(), pretty_print=True, encoding="unicode"))


def _add(parent: etree._Element, part: Part) -> None:
    if part is None:
        return
    if isinstance(part, etree._Element):
        parent.append(part)
    else:
        parent.extend(part)
