"""The order of the elements of a libvirt domain, on one page."""

from __future__ import annotations

from collections.abc import Iterable

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
from virtcatalog.domain.xml import Element, write


def build_domain(vmi: VirtualMachineInstance, context: Context) -> Element:
    """The `<domain>` that virt-launcher hands to libvirt; its first comment names what it was made for.

    Raises DomainError where virt-launcher refuses the VMI. The VMI is read, never changed.
    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/converter/converter.go.
    """
    pinning = pin(vmi, context)
    bound = passthrough_cells(vmi, context, pinning)
    cells = bound or ((memfd_cell(vmi, context),) if needs_memfd(vmi) else ())

    domain = Element("domain", {"type": domain_type(context), "xmlns:qemu": QEMU})
    domain.text = f"host profile {context.host_profile}, KubeVirt {context.release}"
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


def to_xml(domain: Element) -> str:
    """The domain as text: two spaces an indent, the same for the same input everywhere."""
    return write(domain)


def _add(parent: Element, part: Element | Iterable[Element] | None) -> None:
    if isinstance(part, Element):
        parent.append(part)
    elif part is not None:
        parent.extend(part)
