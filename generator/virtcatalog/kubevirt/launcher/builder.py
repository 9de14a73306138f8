"""The order of the elements of a libvirt domain."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.domain import Domain
from virtcatalog.kubevirt.launcher.elements.devices import devices
from virtcatalog.kubevirt.launcher.elements.launchsecurity import launchsecurity
from virtcatalog.kubevirt.launcher.elements.metadata import identity
from virtcatalog.kubevirt.launcher.elements.qemu import NAMESPACE as QEMU
from virtcatalog.kubevirt.launcher.elements.qemu import NAMESPACE_ATTRIBUTE, commandline
from virtcatalog.kubevirt.launcher.machine import Resources, resources_of, system_of
from virtcatalog.kubevirt.launcher.placement import place
from virtcatalog.kubevirt.launcher.xml import Element, make_whole, write


def build_domain(vmi: VirtualMachineInstance, context: Context) -> Element:
    """The `<domain>` of `convert`."""
    domain = convert(vmi, context).element()
    make_whole(domain)
    return domain


def convert(vmi: VirtualMachineInstance, context: Context) -> Domain:
    """The domain that virt-launcher's converter makes.

    Raises DomainError where virt-launcher refuses the VMI. The VMI is read, never changed.
    Source: pkg/virt-launcher/virtwrap/converter/converter.go (Convert_v1_VirtualMachineInstance_To_api_Domain).
    """
    resources, before = _before_devices(vmi, context)
    domain = Domain(
        {"type": resources.type, NAMESPACE_ATTRIBUTE: QEMU},
        before,
        devices(vmi, context),
        [part for part in (launchsecurity(vmi, context), commandline(vmi, context)) if part is not None],
        resources.memory,
    )
    return place(domain, vmi, context, resources.cells, resources.pinning)


def machine_text(vmi: VirtualMachineInstance, context: Context) -> str | None:
    """The part of a domain before `<devices>` as text: where it is another one, so is the domain.

    It takes a quarter of the time. None where devices change it; DomainError as in `convert`.
    """
    if context.grace_host_device_aliases:
        return None
    resources, before = _before_devices(vmi, context)
    machine = Element("domain", type=resources.type)
    machine.extend(before)
    return write(machine)


def _before_devices(vmi: VirtualMachineInstance, context: Context) -> tuple[Resources, Sequence[Element]]:
    resources = resources_of(vmi, context)
    system, numbers = system_of(vmi, context, resources.pinning)
    elements = (
        identity(vmi),
        resources.elements,
        system.elements.filled(vmi.metadata.name, *numbers),
        resources.cpu,
        system.clock,
    )
    return resources, elements
