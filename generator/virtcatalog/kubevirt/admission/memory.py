"""The guest's memory, and what the VM's pod requests and may use. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter

from virtcatalog.api.domainspec import ResourceRequirements
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import Cause, Warning
from virtcatalog.kubevirt.causes import crash, invalid, required
from virtcatalog.kubevirt.configuration import Configuration

_LEAST = 2**20
_value, _milli_value = attrgetter("value"), attrgetter("milli_value")


def validate_guest_memory(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """The guest's memory fits the limit, unless the cluster updates VMs live (then it may be plugged later).

    Source: validateGuestMemoryLimit.
    """
    limit = spec.domain.resources.limits.get("memory")
    memory = spec.domain.memory
    if not limit or not memory or memory.guest is None or config.live_update:
        return
    if memory.guest.value > limit.value:
        yield invalid(
            f"{path}.domain.memory.guest", f"{memory.guest} is more than the limit, resources.limits.memory {limit}"
        )


def validate_reserved_overhead(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """Reserved overhead needs its feature gate (validateReservedOverheadMemlock)."""
    memory = spec.domain.memory
    if memory and memory.reserved_overhead is not None and not config.feature_gate("ReservedOverheadMemlock"):
        yield invalid(
            f"{path}.domain.memory.reservedOverhead", "needs the feature gate ReservedOverheadMemlock, which is off"
        )


def memory_warnings(spec: VirtualMachineInstanceSpec, path: str) -> list[Warning]:
    """Guest memory of less than a mebibyte, which KubeVirt takes: most often a number whose unit was left out."""
    guest = spec.domain.memory.guest if spec.domain.memory is not None else None
    if guest is None or not 0 < guest.value < _LEAST:
        return []
    if str(guest).isdigit():
        message = f"{guest} is a memory of {guest} bytes: give it a unit, such as {guest}Gi"
    else:
        message = f"{guest} is less than 1Mi, with which no guest starts"
    return [Warning("Suspect", f"{path}.domain.memory.guest", message)]


def validate_memory_is_set(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> list[Cause]:
    """A VMI says how much memory it has; a VM template need not (validateMemoryIsProvided)."""
    domain = spec.domain
    memory = domain.memory
    if memory is not None and (memory.guest is not None or memory.hugepages is not None):
        return []
    if domain.resources.requests.get("memory"):
        return []
    message = (
        f"the VM has no memory: set {path}.domain.memory.guest, {path}.domain.memory.hugepages.pageSize "
        f"or {path}.domain.resources.requests.memory"
    )
    return [required("", message)]


def validate_hugepages(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """The page size is a quantity and the memory a whole number of pages, at least one.

    Source: validateHugepagesMemoryRequests.
    """
    memory = spec.domain.memory
    if not memory or memory.hugepages is None:
        return
    text = memory.hugepages.page_size
    size = _page_size(text)
    if size is None:
        field = f"{path}.domain.{config.release.traits.hugepages_field}"
        yield invalid(field, f"{text!r} is not a quantity such as 2Mi or 1Gi")
        return
    if size == 0:
        yield crash(f"{path}.domain.memory.hugepages.pageSize is {text}, on which KubeVirt fails: a page is not empty")
        return
    resources = spec.domain.resources
    for source, amount in (
        ("resources.requests.memory", resources.requests.get("memory")),
        ("memory.guest", memory.guest),
        ("resources.limits.memory", resources.limits.get("memory")),
    ):
        value = amount.value if amount is not None else 0
        if not value:
            continue
        if value < size:
            yield invalid(
                f"{path}.domain.resources.requests.memory", f"{source} {amount} is less than one page of {text}"
            )
        elif value % size:
            yield invalid(
                f"{path}.domain.resources.requests.memory",
                f"{source} {amount} is not a whole number of pages of {text}",
            )
        return


def _page_size(text: str) -> int | None:
    """Bytes in a page. Other than the fields of an object, this text may not have blanks around it."""
    try:
        return Quantity.parse(text).value if text == text.strip() else None
    except ValueError:
        return None


NONE = Quantity()
_LEAST_MEMORY = Quantity.parse("1M")


def validate_memory_requests(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """Requested memory is nothing, or at least 1M (validateMemoryRequestsNegativeOrNull)."""
    memory = spec.domain.resources.requests.get("memory")
    if not memory:
        return
    if memory.value < 0:
        yield invalid(f"{path}.domain.resources.requests.memory", _negative(memory))
    elif memory.value > 0 and memory < _LEAST_MEMORY:
        yield invalid(f"{path}.domain.resources.requests.memory", f"must be at least {_LEAST_MEMORY}, is {memory}")


def validate_memory_limits(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """The memory limit is not negative and not below the request (validateMemoryLimitsNegativeOrNull)."""
    return _limit(spec.domain.resources, "memory", _value, path)


def validate_cpu_requests(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """Requested CPU time is not negative (validateCPURequestNotNegative)."""
    cpu = spec.domain.resources.requests.get("cpu")
    if cpu and cpu.milli_value < 0:
        yield invalid(f"{path}.domain.resources.requests.cpu", _negative(cpu))


def validate_cpu_limits(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """The limit of CPU time is not negative and not below the request (validateCPULimitNotNegative)."""
    return _limit(spec.domain.resources, "cpu", _milli_value, path)


def _limit(resources: ResourceRequirements, name: str, number: Callable[[Quantity], int], path: str) -> Iterator[Cause]:
    """A limit is not negative and not below the request, both as the `number` that KubeVirt compares."""
    limit, request = resources.limits.get(name), resources.requests.get(name)
    if not limit:
        return
    if number(limit) < 0:
        yield invalid(f"{path}.domain.resources.limits.{name}", _negative(limit))
    if request and number(request) > number(limit) > 0:
        message = f"{request} is more than the limit, limits.{name} {limit}"
        yield invalid(f"{path}.domain.resources.requests.{name}", message)


def _negative(amount: Quantity) -> str:
    """Amounts that are too large overflow to negative ones in KubeVirt's arithmetic."""
    fault = "must not be negative" if amount < NONE else "is more than KubeVirt can count, and negative to it"
    return f"{fault}: {amount}"
