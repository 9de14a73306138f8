"""The order of the elements of a libvirt domain, on one page."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.domain import Domain
from virtcatalog.kubevirt.launcher.elements.clock import clock
from virtcatalog.kubevirt.launcher.elements.cpu import cpu
from virtcatalog.kubevirt.launcher.elements.cputune import cputune
from virtcatalog.kubevirt.launcher.elements.devices import devices
from virtcatalog.kubevirt.launcher.elements.features import features
from virtcatalog.kubevirt.launcher.elements.hypervisor import domain_type
from virtcatalog.kubevirt.launcher.elements.iommufd import iommufd
from virtcatalog.kubevirt.launcher.elements.iothreads import iothreads
from virtcatalog.kubevirt.launcher.elements.launchsecurity import launchsecurity
from virtcatalog.kubevirt.launcher.elements.memory import memory
from virtcatalog.kubevirt.launcher.elements.memorybacking import memorybacking, needs_memfd
from virtcatalog.kubevirt.launcher.elements.metadata import metadata, name
from virtcatalog.kubevirt.launcher.elements.numatune import numatune
from virtcatalog.kubevirt.launcher.elements.onreboot import on_reboot
from virtcatalog.kubevirt.launcher.elements.os import os
from virtcatalog.kubevirt.launcher.elements.qemu import NAMESPACE as QEMU
from virtcatalog.kubevirt.launcher.elements.qemu import NAMESPACE_ATTRIBUTE, commandline
from virtcatalog.kubevirt.launcher.elements.sysinfo import sysinfo
from virtcatalog.kubevirt.launcher.elements.vcpu import vcpu
from virtcatalog.kubevirt.launcher.numa import memfd_cell, passthrough_cells
from virtcatalog.kubevirt.launcher.pinning import pin
from virtcatalog.kubevirt.launcher.placement import place
from virtcatalog.kubevirt.launcher.xml import Element


def build_domain(vmi: VirtualMachineInstance, context: Context) -> Element:
    """The `<domain>` of `convert`."""
    return convert(vmi, context).element()


def convert(vmi: VirtualMachineInstance, context: Context) -> Domain:
    """The domain that virt-launcher's converter makes.

    Raises DomainError where virt-launcher refuses the VMI. The VMI is read, never changed.
    Source: pkg/virt-launcher/virtwrap/converter/converter.go (Convert_v1_VirtualMachineInstance_To_api_Domain).
    """
    pinning = pin(vmi, context)
    bound = passthrough_cells(vmi, context, pinning)
    cells = bound or ((memfd_cell(vmi, context),) if needs_memfd(vmi) else ())

    attributes = {"type": domain_type(context), NAMESPACE_ATTRIBUTE: QEMU}
    amounts = memory(vmi)
    before = (
        name(vmi),
        metadata(),
        *amounts,
        memorybacking(vmi, bound),
        *vcpu(vmi, context),
        iothreads(vmi),
        cputune(pinning),
        numatune(bound),
        sysinfo(vmi, context),
        os(vmi, context),
        iommufd(context),
        features(vmi, context, pinning),
        cpu(vmi, context, cells),
        clock(vmi, context),
        on_reboot(vmi),
    )
    domain = Domain(
        attributes,
        [part for part in before if part is not None],
        devices(vmi, context),
        [part for part in (launchsecurity(vmi, context), commandline(vmi, context)) if part is not None],
        int(amounts[-1].text or 0),
    )
    return place(domain, vmi, context, cells, pinning)
