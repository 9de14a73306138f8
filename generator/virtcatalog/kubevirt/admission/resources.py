"""What the VM's pod requests and may use. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration

NONE = Quantity()
_LEAST_MEMORY = Quantity.parse("1M")


def validate_memory_requests(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """Requested memory is nothing, or at least 1M (validateMemoryRequestsNegativeOrNull)."""
    memory = spec.domain.resources.requests.get("memory")
    if not memory:
        return
    if memory < NONE:
        yield invalid(f"{path}.domain.resources.requests.memory", f"must not be negative, is {memory}")
    elif memory < _LEAST_MEMORY:
        yield invalid(f"{path}.domain.resources.requests.memory", f"must be at least {_LEAST_MEMORY}, is {memory}")


def validate_memory_limits(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """The memory limit is not negative and not below the request (validateMemoryLimitsNegativeOrNull)."""
    resources = spec.domain.resources
    limit = resources.limits.get("memory")
    if not limit:
        return
    if limit < NONE:
        yield invalid(f"{path}.domain.resources.limits.memory", f"must not be negative, is {limit}")
        return
    memory = resources.requests.get("memory")
    if memory and memory.value > limit.value:
        yield invalid(
            f"{path}.domain.resources.requests.memory", f"{memory} is more than the limit, limits.memory {limit}"
        )


def validate_cpu_requests(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """Requested CPU time is not negative (validateCPURequestNotNegative)."""
    cpu = spec.domain.resources.requests.get("cpu")
    if cpu and cpu < NONE:
        yield invalid(f"{path}.domain.resources.requests.cpu", f"must not be negative, is {cpu}")


def validate_cpu_limits(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """The limit of CPU time is not negative and not below the request (validateCPULimitNotNegative)."""
    resources = spec.domain.resources
    limit = resources.limits.get("cpu")
    if not limit:
        return
    if limit < NONE:
        yield invalid(f"{path}.domain.resources.limits.cpu", f"must not be negative, is {limit}")
        return
    cpu = resources.requests.get("cpu")
    if cpu and cpu.milli_value > limit.milli_value:
        yield invalid(f"{path}.domain.resources.requests.cpu", f"{cpu} is more than the limit, limits.cpu {limit}")
