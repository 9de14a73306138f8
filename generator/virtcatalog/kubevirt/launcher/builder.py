"""The order of the elements of a libvirt domain, on one page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from virtcatalog.api.annotations import EVEN_PARITY, NON_ROOT
from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.devices import Devices, Disk, Interface, InterfacePasstBinding
from virtcatalog.api.domainspec import DomainSpec
from virtcatalog.api.kubevirt import VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.domain import Domain
from virtcatalog.kubevirt.launcher.elements.clock import clock
from virtcatalog.kubevirt.launcher.elements.cpu import cpu
from virtcatalog.kubevirt.launcher.elements.cputune import cputune
from virtcatalog.kubevirt.launcher.elements.devices import devices
from virtcatalog.kubevirt.launcher.elements.features import features
from virtcatalog.kubevirt.launcher.elements.hypervisor import domain_type
from virtcatalog.kubevirt.launcher.elements.iommufd import iommufd
from virtcatalog.kubevirt.launcher.elements.iothreads import has_iothreads, iothreads
from virtcatalog.kubevirt.launcher.elements.launchsecurity import launchsecurity
from virtcatalog.kubevirt.launcher.elements.memory import memory
from virtcatalog.kubevirt.launcher.elements.memorybacking import (
    MEMFD_ANNOTATION,
    memorybacking,
    needs_memfd,
    needs_sharing,
)
from virtcatalog.kubevirt.launcher.elements.metadata import metadata, name
from virtcatalog.kubevirt.launcher.elements.numatune import numatune
from virtcatalog.kubevirt.launcher.elements.onreboot import on_reboot
from virtcatalog.kubevirt.launcher.elements.os import os
from virtcatalog.kubevirt.launcher.elements.qemu import NAMESPACE as QEMU
from virtcatalog.kubevirt.launcher.elements.qemu import NAMESPACE_ATTRIBUTE, commandline
from virtcatalog.kubevirt.launcher.elements.sysinfo import numbers_of, sysinfo
from virtcatalog.kubevirt.launcher.elements.vcpu import vcpu
from virtcatalog.kubevirt.launcher.numa import GuestCell, memfd_cell, passthrough_cells
from virtcatalog.kubevirt.launcher.pinning import Pinning, pin
from virtcatalog.kubevirt.launcher.placement import place
from virtcatalog.kubevirt.launcher.xml import Element, Form, make_whole

_ENCODER = msgspec.msgpack.Encoder(enc_hook=str)
_DECODER = msgspec.msgpack.Decoder(
    tuple[DomainSpec, dict[str, str], str, str | None], dec_hook=lambda _, text: Quantity.parse(text)
)
_OWN = "own"
"""Stands for a number of a VMI's own."""
_ASKED = (NON_ROOT, MEMFD_ANNOTATION, EVEN_PARITY)
"""The annotations that what comes before the devices depends on."""
_NO_DEVICES = Devices()


class Machine(NamedTuple):
    """What comes before the devices, and what else follows from it: the memory in bytes, NUMA cells and pinning."""

    type: str
    elements: Sequence[Element]
    memory: int
    cells: Sequence[GuestCell]
    pinning: Pinning | None


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
    machine = _machine(vmi, context)
    domain = Domain(
        {"type": machine.type, NAMESPACE_ATTRIBUTE: QEMU},
        machine.elements,
        devices(vmi, context),
        [part for part in (launchsecurity(vmi, context), commandline(vmi, context)) if part is not None],
        machine.memory,
    )
    return place(domain, vmi, context, machine.cells, machine.pinning)


def _made(vmi: VirtualMachineInstance, context: Context) -> Machine:
    pinning = pin(vmi, context)
    bound = passthrough_cells(vmi, context, pinning)
    cells = bound or ((memfd_cell(vmi, context),) if needs_memfd(vmi) else ())
    kind, amounts = domain_type(context), memory(vmi)
    parts = (
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
    return Machine(kind, [part for part in parts if part is not None], int(amounts[-1].text or 0), cells, pinning)


def _machine(vmi: VirtualMachineInstance, context: Context) -> Machine:
    """The machine of a VMI: many VMIs have the same, but for their names and the numbers of their systems."""
    spec, given, firmware = vmi.spec, vmi.metadata, vmi.spec.domain.firmware
    if spec.domain.chassis is not None or (firmware is not None and firmware.acpi is not None):
        return _made(vmi, context)  # a chassis has numbers of its own, and ACPI tables are in volumes
    names, numbers = numbers_of(firmware)
    if firmware is not None:
        firmware = replace(firmware, **dict.fromkeys(names, _OWN))
    domain = replace(spec.domain, devices=_devices_that_count(vmi), firmware=firmware)
    asked = {each: given.annotations[each] for each in _ASKED if each in given.annotations}
    try:
        encoded = _ENCODER.encode((domain, asked, spec.architecture, spec.start_strategy))
        form, machine = _form(encoded, context.cpu_set, context.tsc_frequency, context.non_root, context.shared)
    except (ValueError, OverflowError):  # a text or a number that its type would not read
        return _made(vmi, context)
    return machine._replace(elements=(form.filled(given.namespace, given.name, *numbers),))


def _devices_that_count(vmi: VirtualMachineInstance) -> Devices:
    """What the machine depends on of the devices: who runs in IO threads, and whether memory is shared."""
    threaded, shared = has_iothreads(vmi), needs_sharing(vmi)
    if not threaded and not shared:
        return _NO_DEVICES
    disks = [Disk(name="", dedicated_io_thread=each.dedicated_io_thread) for each in vmi.spec.domain.devices.disks]
    passt = Interface(name="", passt_binding=InterfacePasstBinding())
    return Devices(disks=disks if threaded else [], interfaces=[passt] if shared else [])


@lru_cache(maxsize=1024)
def _form(
    encoded: bytes, cpu_set: tuple[int, ...], frequency: int | None, non_root: bool, shared: Context
) -> tuple[Form, Machine]:
    """The machine of what VMIs say in MessagePack of it, and of nothing else, and the form of its elements."""
    domain, annotations, architecture, start_strategy = _DECODER.decode(encoded)
    context = replace(shared, cpu_set=cpu_set, tsc_frequency=frequency, non_root=non_root)
    names, _ = numbers_of(domain.firmware)

    def make(namespace: str, name: str, *numbers: str) -> Machine:
        own = domain
        if domain.firmware is not None:
            own = replace(domain, firmware=replace(domain.firmware, **dict(zip(names, numbers, strict=True))))
        spec = VirtualMachineInstanceSpec(domain=own, architecture=architecture, start_strategy=start_strategy)
        metadata = ObjectMeta(namespace=namespace, name=name, annotations=annotations)
        return _made(VirtualMachineInstance(metadata=metadata, spec=spec), context)

    form = Form(lambda *texts: make(*texts).elements, 2 + len(names))
    return form, make("", "", *names)
