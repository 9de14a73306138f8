"""The order of the elements of a libvirt domain, on one page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lxml import etree

from virtcatalog.api.decode import convert, to_manifest
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.domain.clock import clock
from virtcatalog.domain.context import Context
from virtcatalog.domain.cpu import cpu
from virtcatalog.domain.cputune import cputune
from virtcatalog.domain.devices import devices
from virtcatalog.domain.features import features
from virtcatalog.domain.hypervisor import domain_type
from virtcatalog.domain.iommufd import iommufd
from virtcatalog.domain.iothreads import iothreads
from virtcatalog.domain.launchsecurity import launchsecurity
from virtcatalog.domain.memory import memory
from virtcatalog.domain.memorybacking import memorybacking, needs_memfd
from virtcatalog.domain.metadata import metadata, name
from virtcatalog.domain.numa import memfd_cell, passthrough_cells
from virtcatalog.domain.numatune import numatune
from virtcatalog.domain.onreboot import on_reboot
from virtcatalog.domain.os import os
from virtcatalog.domain.pinning import pin
from virtcatalog.domain.placement import place
from virtcatalog.domain.qemu import NAMESPACE as QEMU
from virtcatalog.domain.qemu import commandline
from virtcatalog.domain.sysinfo import sysinfo
from virtcatalog.domain.vcpu import vcpu


def build_domain(vmi: VirtualMachineInstance, context: Context) -> etree._Element:
    """The `<domain>` that virt-launcher hands to libvirt; the comment before it names what it was made for.

    Raises DomainError where virt-launcher refuses the VMI. The VMI is read, never changed.
    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/converter/converter.go.
    """
    try:
        return _build(vmi, context)
    except ValueError:  # a text holds characters that XML has no way to write
        return _build(convert(_writable(to_manifest(vmi)), VirtualMachineInstance), context)


def to_xml(domain: etree._Element) -> str:
    """The domain as text: two spaces an indent, the same for the same input everywhere."""
    return etree.tostring(domain.getroottree(), pretty_print=True, encoding="unicode")


def _build(vmi: VirtualMachineInstance, context: Context) -> etree._Element:
    pinning = pin(vmi, context)
    bound = passthrough_cells(vmi, context, pinning)
    cells = bound or ((memfd_cell(vmi, context),) if needs_memfd(vmi) else ())

    domain = etree.Element("domain", {"type": domain_type(context)}, {"qemu": QEMU})
    domain.addprevious(etree.Comment(f" host profile {context.host_profile}, KubeVirt {context.release} "))
    _add(domain, name(vmi))
    _add(domain, metadata())
    _add(domain, memory(vmi))
    _add(domain, memorybacking(vmi, bound))
    _add(domain, vcpu(vmi, context))
    _add(domain, iothreads(vmi))
    _add(domain, cputune(pinning))
    _add(domain, numatune(bound))
    _add(domain, sysinfo(vmi, context))
    _add(domain, os(vmi, context))
    _add(domain, iommufd(context))
    _add(domain, features(vmi, context, pinning))
    _add(domain, cpu(vmi, context, cells))
    _add(domain, clock(vmi, context))
    _add(domain, on_reboot(vmi))
    _add(domain, devices(vmi, context))
    _add(domain, launchsecurity(vmi, context))
    _add(domain, commandline(vmi, context))
    place(domain, vmi, context, cells, pinning)
    return domain


def _add(parent: etree._Element, part: etree._Element | Iterable[etree._Element] | None) -> None:
    if part is None:
        return
    if etree.iselement(part):
        parent.append(part)
    else:
        parent.extend(part)


def _writable(value: Any) -> Any:
    """Plain data with a replacement character for each one that XML 1.0 does not allow, as Go's encoder writes it."""
    if isinstance(value, str):
        return "".join(char if _is_xml(ord(char)) else "\N{REPLACEMENT CHARACTER}" for char in value)
    if isinstance(value, dict):
        return {key: _writable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_writable(item) for item in value]
    return value


def _is_xml(code: int) -> bool:
    return code in (0x9, 0xA, 0xD) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
