"""The memory that a Pod needs beside its guest's, term by term."""

from __future__ import annotations

from typing import NamedTuple

from virtcatalog.api.govalues import float_of
from virtcatalog.api.int64 import wrapped
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_sev
from virtcatalog.kubevirt.memo import memo
from virtcatalog.kubevirt.pod.facts import Facts, has_tpm, has_vfio, is_pinned

_MIB = 2**20
_PER_CPU = 8 * _MIB


class Term(NamedTuple):
    """A part of a sum: an amount and what it is for."""

    amount: Quantity
    cause: str


def _mebibytes(number: int, cause: str) -> Term:
    return Term(Quantity.of(number * _MIB), cause)


_PROCESSES = (
    _mebibytes(25, "virt-launcher-monitor"),
    _mebibytes(100, "virt-launcher"),
    _mebibytes(25, "virtlogd"),
    _mebibytes(40, "virtqemud"),
)
_IO_THREAD = _mebibytes(8, "IO thread")
_GRAPHICS = _mebibytes(32, "graphics device")
_FLASH = _mebibytes(128, "UEFI flash of arm64")
_VFIO = _mebibytes(1024, "devices of the host: memory locked for DMA")
_METRICS = _mebibytes(1, "volume of downward metrics")
_LIVENESS = _mebibytes(10, "command of the liveness probe")
_READINESS = _mebibytes(10, "command of the readiness probe")
_PROBES = _mebibytes(100, "virt-probe")
_SEV = _mebibytes(256, "SEV")
_TPM = _mebibytes(53, "TPM")
_PINNED = _mebibytes(100, "dedicated CPUs, or requests that are limits")
_PASST = _mebibytes(250, "passt")


def overhead(vmi: VirtualMachineInstance, facts: Facts) -> list[Term]:
    """The terms of the memory overhead, in KubeVirt's order; they add up to what KubeVirt reports.

    Source: pkg/virt-controller/services/template.go (CalculateMemoryOverhead), pkg/network/resources/memory.go.
    """
    terms = _of_hypervisor(vmi, facts)
    for interface in vmi.spec.domain.devices.interfaces:
        if interface.passt_binding is not None:
            terms.append(_PASST)
            break
    if facts.config.network_bindings:
        terms += _plugins(vmi, facts)
    return terms


def _of_hypervisor(vmi: VirtualMachineInstance, facts: Facts) -> list[Term]:
    """What does not come from the network (pkg/hypervisor/kvm/hypervisorbackend.go, GetMemoryOverhead)."""
    spec, domain = vmi.spec, vmi.spec.domain
    request = domain.resources.requests.get("memory")
    terms = [_page_tables(request)] if request else []
    terms += _PROCESSES
    terms.append(_mebibytes(facts.traits.qemu_overhead_mebibytes, "QEMU without its guest"))
    terms.append(_cpus(_vcpus(vmi)))
    terms.append(_IO_THREAD)
    if domain.devices.autoattach_graphics_device is not False:
        terms.append(_GRAPHICS)
    if (spec.architecture or facts.config.default_architecture) == "arm64":
        terms.append(_FLASH)
    if has_vfio(spec):
        terms.append(_VFIO)
    for volume in spec.volumes:
        if volume.downward_metrics is not None:
            terms.append(_METRICS)
            break
    if spec.liveness_probe is not None or spec.readiness_probe is not None:
        _add_probes(terms, vmi)
    if uses_sev(domain.launch_security):
        terms.append(_SEV)
    if has_tpm(spec):
        terms.append(_TPM)
    if is_pinned(vmi):
        terms.append(_PINNED)
    reserved = domain.memory.reserved_overhead if domain.memory is not None else None
    if reserved is not None and reserved.added_overhead:
        terms.append(Term(reserved.added_overhead, "domain.memory.reservedOverhead.addedOverhead"))
    ratio = facts.config.values.additional_guest_memory_overhead_ratio
    return terms + _multiplied(terms, ratio) if ratio else terms


def _page_tables(request: Quantity) -> Term:
    """One bit for each 512 bytes of what the VMI itself requests: nothing where it only has guest memory."""
    size = wrapped(request.kilo_value * 1000)
    tables = size // 512 if size >= 0 else -(-size // 512)
    return Term(Quantity.of(tables, "DecimalSI"), "page tables of domain.resources.requests.memory")


def _vcpus(vmi: VirtualMachineInstance) -> int:
    cpu = vmi.spec.domain.cpu
    assert cpu is not None  # it has its topology by now
    return max(cpu.vcpus, 1)


@memo
def _cpus(number: int) -> Term:
    return Term(Quantity.of(_PER_CPU * number), f"{number} vCPUs, 8 MiB each" if number > 1 else "vCPU")


def _add_probes(terms: list[Term], vmi: VirtualMachineInstance) -> None:
    liveness, readiness = vmi.spec.liveness_probe, vmi.spec.readiness_probe
    if liveness is not None and liveness.exec is not None:
        terms.append(_LIVENESS)
    if readiness is not None and readiness.exec is not None:
        terms.append(_READINESS)
    if terms[-1] in (_LIVENESS, _READINESS):
        terms.append(_PROBES)


def _multiplied(terms: list[Term], text: str) -> list[Term]:
    """What additionalGuestMemoryOverheadRatio adds, in whole kilobytes (MultiplyMemory)."""
    ratio = float_of(text)
    if ratio is None:
        return []
    added = Quantity.total([term.amount for term in terms]).kilo_value * (ratio - 1.0)
    if not -(2.0**53) < added < 2.0**53:
        field = "spec.configuration.additionalGuestMemoryOverheadRatio"
        raise UnsupportedError(field, f"{text!r} makes an overhead that is no sensible number of bytes")
    kilobytes = int(added)
    if not kilobytes:
        return []
    return [Term(Quantity.of(kilobytes * 1000, "DecimalSI"), f"additionalGuestMemoryOverheadRatio {text}")]


def _plugins(vmi: VirtualMachineInstance, facts: Facts) -> list[Term]:
    """What registered binding plugins ask for, each once."""
    names = dict.fromkeys(
        interface.binding.name for interface in vmi.spec.domain.devices.interfaces if interface.binding is not None
    )
    terms = []
    for name in names:
        plugin = facts.config.network_bindings.get(name)
        amount = (
            plugin.compute_resource_overhead.requests.get("memory")
            if plugin is not None and plugin.compute_resource_overhead is not None
            else None
        )
        if amount:
            terms.append(Term(amount, f"network binding plugin {name}"))
    return terms
