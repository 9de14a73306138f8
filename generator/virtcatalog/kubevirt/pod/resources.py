"""What the container `compute` requests and is limited to.

Source: pkg/virt-controller/services/renderresources.go and template.go (VMIResourcePredicates). Rules work on two
layers, what the VMI asks for and what is calculated; where both name a resource the VMI's counts.
"""

from __future__ import annotations

from typing import Any

from virtcatalog.api.int64 import wrapped
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.api.names import EVEN_PARITY
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.launcher.elements.iothreads import declared_pool, supplemental_pool
from virtcatalog.kubevirt.memo import memo
from virtcatalog.kubevirt.pod.devices import check_permitted, plugin_resources, resource_claims
from virtcatalog.kubevirt.pod.facts import Facts, PodError, has_dedicated_cpus
from virtcatalog.kubevirt.pod.overhead import Term

Amounts = dict[str, Quantity]

_CPU, _MEMORY, _STORAGE = "cpu", "memory", "ephemeral-storage"
_ZERO = Quantity()
_ONE, _TWO = Quantity.of(1, "DecimalSI"), Quantity.of(2, "DecimalSI")
_STORAGE_OVERHEAD = Quantity.parse("50M")


class _Layers:
    """The two layers of requests and limits, while rules work on them."""

    def __init__(self, vmi: VirtualMachineInstance) -> None:
        resources = vmi.spec.domain.resources
        self.requests, self.limits = dict(resources.requests), dict(resources.limits)
        self.calculated_requests: Amounts = {}
        self.calculated_limits: Amounts = {}


def compute_resources(vmi: VirtualMachineInstance, facts: Facts, overhead: Quantity) -> dict[str, Any]:
    """`resources` of the container; PodError where the cluster does not permit a device.

    Raises UnsupportedError for amounts that Go computes beyond its numbers.
    """
    check_permitted(vmi, facts)
    layers = _Layers(vmi)
    _add_storage(layers)
    _add_devices(layers, vmi, facts)
    base = requested_memory(vmi, facts)
    if base is not None:
        layers.requests[_MEMORY] = base.amount
    if has_dedicated_cpus(vmi):
        _pin(layers, vmi)
    else:
        _share(layers, vmi, facts)
    if vmi.spec.domain.memory is not None and vmi.spec.domain.memory.hugepages is not None:
        _add_hugepages(layers, vmi, overhead)
    else:
        _add_overhead(layers, vmi, overhead)
    if _is_limited(vmi, facts, _MEMORY):
        _limit_memory(layers, vmi, facts)
    for name in plugin_resources(vmi, facts):
        for amounts in (layers.calculated_requests, layers.calculated_limits):
            amounts[name] = amounts.get(name, _ZERO) + _ONE
    resources: dict[str, Any] = {
        "limits": {name: str(amount) for name, amount in {**layers.calculated_limits, **layers.limits}.items()},
        "requests": {name: str(amount) for name, amount in {**layers.calculated_requests, **layers.requests}.items()},
    }
    claims = list(resource_claims(vmi, facts))
    return {**resources, "claims": claims} if claims else resources


def requested_memory(vmi: VirtualMachineInstance, facts: Facts) -> Term | None:
    """The memory request before anything is added: None where the VMI says nothing of memory (WithMemoryRequests)."""
    domain = vmi.spec.domain
    request, limit = domain.resources.requests.get(_MEMORY), domain.resources.limits.get(_MEMORY)
    if request:
        return Term(request, "domain.resources.requests.memory")
    if limit:
        return Term(limit, "domain.resources.limits.memory")
    if request is not None:
        return Term(request, "domain.resources.requests.memory")
    # Where only the size of huge pages is given, the webhook has set the guest's memory to one page.
    guest = domain.memory.guest if domain.memory is not None else None
    if guest is None or guest.value <= 0:
        return None
    overcommit = facts.config.memory_overcommit
    if overcommit == 100:
        return Term(guest, "domain.memory.guest")
    return Term(
        Quantity.of(wrapped(guest.value * 100) // overcommit, guest.notation),
        f"domain.memory.guest at memoryOvercommit {overcommit} %",
    )


def memory_request(vmi: VirtualMachineInstance, facts: Facts, terms: list[Term]) -> list[Term]:
    """The terms of the container's memory request, given those of the overhead: they add up to it."""
    domain = vmi.spec.domain
    base = requested_memory(vmi, facts)
    if domain.memory is not None and domain.memory.hugepages is not None:
        beyond = _beyond(base.amount if base is not None else _ZERO, domain.memory.guest)
        above = "what is requested beyond the guest's memory, which is of huge pages"
        return [Term(beyond, above), *terms] if beyond else terms
    requested = [] if base is None else [base]
    return requested if domain.resources.overcommit_guest_overhead else requested + terms


def _add_storage(layers: _Layers) -> None:
    """KubeVirt's own ephemeral storage comes on top of the VMI's (WithEphemeralStorageRequest)."""
    layers.requests[_STORAGE] = layers.requests.get(_STORAGE, _ZERO) + _STORAGE_OVERHEAD
    if _STORAGE in layers.limits:
        layers.limits[_STORAGE] += _STORAGE_OVERHEAD


def _add_devices(layers: _Layers, vmi: VirtualMachineInstance, facts: Facts) -> None:
    """The node's devices for virtualisation, as limits: their requests follow (getRequiredResources)."""
    devices, emulated = vmi.spec.domain.devices, facts.config.allow_emulation
    if devices.interfaces or devices.autoattach_pod_interface is not False:
        layers.limits["devices.kubevirt.io/tun"] = _ONE
    if not emulated:
        for interface in devices.interfaces:
            if interface.model in ("", "virtio"):
                layers.limits["devices.kubevirt.io/vhost-net"] = _ONE
                break
        layers.limits[facts.hypervisor_device] = _ONE
    if devices.autoattach_vsock:
        layers.limits["devices.kubevirt.io/vhost-vsock"] = _ONE


def _pin(layers: _Layers, vmi: VirtualMachineInstance) -> None:
    """Dedicated CPUs: whole ones, requests that are limits, of memory too (WithCPUPinning)."""
    cpu = vmi.spec.domain.cpu
    assert cpu is not None
    requests, limits = layers.requests, layers.limits
    threads = declared_pool(vmi.spec.domain)
    if cpu.vcpus:
        limits[_CPU] = requests[_CPU] = Quantity.of(cpu.vcpus + threads)
    else:
        for amounts in (limits, requests):
            if _CPU in amounts:
                amounts[_CPU] += Quantity.of(threads)
    if cpu.isolate_emulator_thread:
        limit = limits.get(_CPU, _ZERO)
        even = EVEN_PARITY in vmi.metadata.annotations and (limit.value + supplemental_pool(vmi.spec.domain)) % 2 == 0
        emulator = _TWO if even else _ONE
        limits[_CPU] = limit + emulator
        if _CPU in requests:
            requests[_CPU] += emulator
    if _MEMORY in requests:
        limits[_MEMORY] = requests[_MEMORY]


def _share(layers: _Layers, vmi: VirtualMachineInstance, facts: Facts) -> None:
    """A share of the node's CPUs for each vCPU and thread (WithoutDedicatedCPU)."""
    cpu = vmi.spec.domain.cpu
    assert cpu is not None  # it has its topology by now
    number = cpu.vcpus + declared_pool(vmi.spec.domain)
    if not number:
        return
    layers.calculated_requests[_CPU] = _cpu_share(number, facts.config.cpu_allocation_ratio)
    if _CPU not in vmi.spec.domain.resources.limits and (
        _is_limited(vmi, facts, _CPU) or facts.limits_cpus_of(vmi.metadata.namespace)
    ):
        layers.calculated_limits[_CPU] = Quantity.of(number, "DecimalSI")


@memo
def _cpu_share(number: int, ratio: int) -> Quantity:
    """CPUs by `cpuAllocationRatio`, as Go writes the fraction in its shortest form and reads it again."""
    share = number / ratio
    milli = share < 1
    digits = repr(share * 1000 if milli else share)
    mantissa, _, power = digits.partition("e")
    if power and milli:
        message = f"virt-controller crashes, as {number}/{ratio} CPUs are too few to be written"
        raise PodError("", f"developerConfiguration.cpuAllocationRatio: {message}")
    return Quantity.parse(f"{mantissa.removesuffix('.0')}{'m' if milli else f'e{power}' if power else ''}")


def _add_hugepages(layers: _Layers, vmi: VirtualMachineInstance, overhead: Quantity) -> None:
    """The guest's memory is of huge pages, and plain memory only what is beside it (WithHugePages)."""
    memory = vmi.spec.domain.memory
    assert memory is not None
    assert memory.hugepages is not None
    request, guest = layers.requests.get(_MEMORY, _ZERO), memory.guest
    pages = guest if guest is not None and request.value > guest.value else request
    name = f"hugepages-{memory.hugepages.page_size}"
    layers.calculated_requests[name] = layers.calculated_limits[name] = pages
    layers.requests[_MEMORY] = _beyond(request, guest) + overhead
    if _MEMORY in layers.limits:
        layers.limits[_MEMORY] = _beyond(layers.limits[_MEMORY], guest) + overhead


def _beyond(amount: Quantity, guest: Quantity | None) -> Quantity:
    """What there is beyond the guest's memory."""
    return amount - guest if guest is not None and amount.value > guest.value else _ZERO


def _add_overhead(layers: _Layers, vmi: VirtualMachineInstance, overhead: Quantity) -> None:
    """The overhead comes on top of request and limit (WithMemoryOverhead).

    In KubeVirt a limit copied from the request shares its number where that is a decimal: the overhead is added twice.
    """
    request, limit = layers.requests.get(_MEMORY, _ZERO), layers.limits.get(_MEMORY)
    added = request if vmi.spec.domain.resources.overcommit_guest_overhead else request + overhead
    if limit is None:
        layers.requests[_MEMORY] = added
    elif limit.is_decimal and (has_dedicated_cpus(vmi) or not vmi.spec.domain.resources.requests.get(_MEMORY)):
        layers.requests[_MEMORY] = layers.limits[_MEMORY] = added + overhead
    else:
        layers.requests[_MEMORY], layers.limits[_MEMORY] = added, limit + overhead


def _is_limited(vmi: VirtualMachineInstance, facts: Facts, resource: str) -> bool:
    """Whether a quota of the namespace wants a limit that the VMI does not set (doesVMIRequireAutoResourceLimits)."""
    if resource in vmi.spec.domain.resources.limits:
        return False
    return f"limits.{resource}" in facts.limited.get(vmi.metadata.namespace, ())


def _limit_memory(layers: _Layers, vmi: VirtualMachineInstance, facts: Facts) -> None:
    """A memory limit for a quota that wants one (WithAutoMemoryLimits)."""
    request = layers.requests[_MEMORY]
    ratio = facts.memory_limit_ratio(vmi.metadata.namespace)
    limit = request.value * ratio
    if not limit < 2.0**63:
        raise UnsupportedError("", f"the namespace's ratio of {ratio} makes a memory limit that is beyond all numbers")
    layers.calculated_limits[_MEMORY] = Quantity.of(int(limit), request.notation)
