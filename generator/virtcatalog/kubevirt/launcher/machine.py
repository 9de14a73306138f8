"""What of a domain comes before its devices, which many VMIs have in common: those of an instance type its resources,
those of a preference its system.

What a VMI says of either in MessagePack is what it is found by, and it is made of a VMI that says nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from virtcatalog.api.annotations import EVEN_PARITY, NON_ROOT
from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.devices import Devices, Disk, Interface, InterfacePasstBinding
from virtcatalog.api.domainspec import CPU, DomainSpec
from virtcatalog.api.kubevirt import VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.clock import clock
from virtcatalog.kubevirt.launcher.elements.cpu import cpu
from virtcatalog.kubevirt.launcher.elements.cputune import cputune
from virtcatalog.kubevirt.launcher.elements.features import features
from virtcatalog.kubevirt.launcher.elements.hypervisor import domain_type
from virtcatalog.kubevirt.launcher.elements.iommufd import iommufd
from virtcatalog.kubevirt.launcher.elements.iothreads import has_iothreads, iothreads
from virtcatalog.kubevirt.launcher.elements.memory import memory
from virtcatalog.kubevirt.launcher.elements.memorybacking import (
    MEMFD_ANNOTATION,
    memorybacking,
    needs_memfd,
    needs_sharing,
)
from virtcatalog.kubevirt.launcher.elements.numatune import numatune
from virtcatalog.kubevirt.launcher.elements.onreboot import on_reboot
from virtcatalog.kubevirt.launcher.elements.os import os
from virtcatalog.kubevirt.launcher.elements.sysinfo import numbers_of, sysinfo
from virtcatalog.kubevirt.launcher.elements.vcpu import vcpu
from virtcatalog.kubevirt.launcher.numa import GuestCell, memfd_cell, passthrough_cells
from virtcatalog.kubevirt.launcher.pinning import Pinning, pin
from virtcatalog.kubevirt.launcher.xml import Element, Filled, Form

_ENCODER = msgspec.msgpack.Encoder(enc_hook=str)
_DECODER = msgspec.msgpack.Decoder(DomainSpec, dec_hook=lambda _, text: Quantity.parse(text))
_NUMBER = "own"
"""Stands for a number of a system."""
_NO_DEVICES = Devices()
_PINNED = Pinning(())


class Resources(NamedTuple):
    """The type of a domain, its memory and CPUs, and what else follows from these: `memory` is in bytes."""

    type: str
    elements: Filled
    cpu: Filled
    memory: int
    cells: Sequence[GuestCell]
    pinning: Pinning | None


class System(NamedTuple):
    """A domain's system information, firmware and features, and the clock behind its CPU."""

    elements: Form
    clock: Filled


def resources_of(vmi: VirtualMachineInstance, context: Context) -> Resources:
    """The resources of a VMI; DomainError where virt-launcher refuses them."""
    annotations = vmi.metadata.annotations
    domain = replace(
        vmi.spec.domain,
        devices=_NO_DEVICES,
        machine=None,
        firmware=None,
        clock=None,
        features=None,
        chassis=None,
        launch_security=None,
        reboot_policy=None,
    )
    asked = tuple([(each, annotations[each]) for each in (MEMFD_ANNOTATION, EVEN_PARITY) if each in annotations])
    said = asked, _devices_that_count(vmi), vmi.spec.architecture
    try:
        return _known_resources(_ENCODER.encode(domain), said, context.cpu_set, context.shared)
    except (ValueError, OverflowError):  # a text or a number that its type would not read
        return _resources(domain, said, context)


def _devices_that_count(vmi: VirtualMachineInstance) -> tuple[int, int, bool]:
    """What resources depend on of the devices.

    The number of disks and of those with an IO thread of their own, if any runs in one; whether memory is shared.
    """
    shared = needs_sharing(vmi)
    if not has_iothreads(vmi):
        return 0, 0, shared
    disks = vmi.spec.domain.devices.disks
    return len(disks), len([disk for disk in disks if disk.dedicated_io_thread]), shared


_Said = tuple[tuple[tuple[str, str], ...], tuple[int, int, bool], str]
"""Annotations, devices that count, and the architecture."""


@lru_cache(maxsize=1024)
def _known_resources(encoded: bytes, said: _Said, cpu_set: tuple[int, ...], shared: Context) -> Resources:
    return _resources(_DECODER.decode(encoded), said, replace(shared, cpu_set=cpu_set))


def _resources(domain: DomainSpec, said: _Said, context: Context) -> Resources:
    annotations, (disks, dedicated, shared), architecture = said
    domain.devices = Devices(
        disks=[Disk(name="", dedicated_io_thread=number < dedicated) for number in range(disks)],
        interfaces=[Interface(name="", passt_binding=InterfacePasstBinding())] if shared else [],
    )
    spec = VirtualMachineInstanceSpec(domain=domain, architecture=architecture)
    vmi = VirtualMachineInstance(metadata=ObjectMeta(annotations=dict(annotations)), spec=spec)
    pinning = pin(vmi, context)
    bound = passthrough_cells(vmi, context, pinning)
    cells = bound or ((memfd_cell(vmi, context),) if needs_memfd(vmi) else ())
    kind, amounts = domain_type(context), memory(vmi)
    elements = _present(
        *amounts,
        memorybacking(vmi, bound),
        *vcpu(vmi, context),
        iothreads(vmi),
        cputune(pinning),
        numatune(bound),
    )
    cpus = [cpu(vmi, context, cells)]
    size = int(amounts[-1].text or 0)
    return Resources(kind, _constant(elements), _constant(cpus), size, cells, pinning)


def system_of(vmi: VirtualMachineInstance, context: Context, pinning: Pinning | None) -> tuple[System, Sequence[str]]:
    """The system of a VMI, and its numbers: they and its name before them are the texts of the elements.

    DomainError where virt-launcher refuses it.
    """
    spec, domain, firmware, cpus = vmi.spec, vmi.spec.domain, vmi.spec.domain.firmware, vmi.spec.domain.cpu
    names, numbers = numbers_of(firmware)
    if domain.chassis is not None or (firmware is not None and firmware.acpi is not None):
        # A chassis has numbers, too, and ACPI tables are in volumes.
        return _system(vmi, context, pinning, names), numbers
    alike = DomainSpec(
        devices=_NO_DEVICES,
        machine=domain.machine,
        firmware=None if firmware is None else replace(firmware, **dict.fromkeys(names, _NUMBER)),
        clock=domain.clock,
        features=domain.features,
        launch_security=domain.launch_security,
        reboot_policy=domain.reboot_policy,
    )
    if cpus is not None and (cpus.features or cpus.realtime is not None):
        alike.cpu = CPU(features=cpus.features, realtime=cpus.realtime)
    non_root = context.non_root or NON_ROOT in vmi.metadata.annotations
    chosen = spec.start_strategy, pinning is not None, context.tsc_frequency, non_root
    try:
        return _known_system(_ENCODER.encode(alike), spec.architecture, chosen, context.shared), numbers
    except (ValueError, OverflowError):
        return _system(vmi, context, pinning, names), numbers


@lru_cache(maxsize=1024)
def _known_system(
    encoded: bytes, architecture: str, chosen: tuple[str | None, bool, int | None, bool], shared: Context
) -> System:
    start_strategy, pinned, frequency, non_root = chosen
    domain = _DECODER.decode(encoded)
    spec = VirtualMachineInstanceSpec(domain=domain, architecture=architecture, start_strategy=start_strategy)
    context = replace(shared, tsc_frequency=frequency, non_root=non_root)
    names, _ = numbers_of(domain.firmware)
    return _system(VirtualMachineInstance(spec=spec), context, _PINNED if pinned else None, names)


def _system(vmi: VirtualMachineInstance, context: Context, pinning: Pinning | None, names: Sequence[str]) -> System:
    def make(name: str, *numbers: str) -> Sequence[Element]:
        own = _with(vmi, name, dict(zip(names, numbers, strict=True)))
        return [sysinfo(own, context), os(own, context), *others]

    others = _present(iommufd(context), features(vmi, context, pinning))
    behind = _present(clock(vmi, context), on_reboot(vmi))
    return System(Form(make, 1 + len(names)), _constant(behind))


def _with(vmi: VirtualMachineInstance, name: str, numbers: Mapping[str, str]) -> VirtualMachineInstance:
    """A VMI of this name with these numbers."""
    firmware = vmi.spec.domain.firmware
    domain = replace(vmi.spec.domain, firmware=None if firmware is None else replace(firmware, **numbers))
    return replace(vmi, metadata=replace(vmi.metadata, name=name), spec=replace(vmi.spec, domain=domain))


def _constant(elements: Sequence[Element]) -> Filled:
    return Form(lambda: elements).filled()


def _present(*parts: Element | None) -> list[Element]:
    return [part for part in parts if part is not None]
