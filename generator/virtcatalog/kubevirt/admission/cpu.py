"""The guest's CPU, its NUMA topology and its I/O threads. Source: vmi-create-admitter.go and pkg/util/hardware."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.domainspec import CPU, DomainSpec
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.memory import NONE
from virtcatalog.kubevirt.causes import invalid, not_supported, required
from virtcatalog.kubevirt.configuration import Configuration

POLICIES = ("force", "require", "optional", "disable", "forbid")


def validate_dedicated_cpus(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """Dedicated CPUs need whole, equal requests and limits that agree with the topology, and known memory.

    Source: validateCpuPinning.
    """
    domain = spec.domain
    cpu = domain.cpu
    if not cpu or not cpu.dedicated_cpu_placement:
        return
    requests, limits = domain.resources.requests, domain.resources.limits
    requested, limit = requests.get("cpu", NONE), limits.get("cpu", NONE)
    field = f"{path}.domain.cpu.dedicatedCpuPlacement"
    if not _has_memory(domain):
        yield invalid(
            f"{path}.domain.resources.limits.memory",
            "dedicated CPUs need known memory: set resources.requests.memory, resources.limits.memory, "
            "memory.hugepages or memory.guest",
        )
    for name, amount in (("requests", requested), ("limits", limit)):
        if amount.value > 0 and amount.value * 1000 != amount.milli_value:
            yield invalid(
                f"{path}.domain.resources.{name}.cpu", f"{amount} must be an integer, as dedicated CPUs are whole"
            )
    memory, most_memory = requests.get("memory", NONE), limits.get("memory", NONE)
    if memory.value > 0 and most_memory.value > 0 and memory.value != most_memory.value:
        yield invalid(
            f"{path}.domain.resources.requests.memory",
            f"{memory} must equal limits.memory, {most_memory}, with dedicated CPUs",
        )
    vcpus = cpu.vcpus
    if not vcpus and not requested.value and not limit.value:
        yield invalid(
            field, "nothing says how many CPUs: set resources.requests.cpu, resources.limits.cpu or cpu.cores"
        )
    if requested.value > 0 and limit.value > 0 and requested.value != limit.value:
        yield invalid(field, f"resources.requests.cpu, {requested}, must equal resources.limits.cpu, {limit}")
    if vcpus and (requested.value > 0 or limit.value > 0) and vcpus not in (requested.value, limit.value):
        yield invalid(
            field,
            f"the topology has {vcpus} vCPUs, but resources.requests.cpu is {requested} and resources.limits.cpu "
            f"{limit}: leave one of the two out, or make them agree",
        )
    yield from _threads(cpu, spec.architecture or config.default_architecture, path)


def _threads(cpu: CPU, architecture: str, path: str) -> Iterator[Cause]:
    if cpu.threads > 1 and architecture == "arm64":
        yield invalid(f"{path}.architecture", f"arm64 has one thread a core, cpu.threads is {cpu.threads}")
    if cpu.threads > 2:
        yield invalid(
            f"{path}.domain.cpu.dedicatedCpuPlacement",
            f"dedicated CPUs have at most two threads a core, cpu.threads is {cpu.threads}",
        )


def _has_memory(domain: DomainSpec) -> bool:
    memory = domain.memory
    return bool(
        domain.resources.limits.get("memory")
        or domain.resources.requests.get("memory")
        or (memory and (memory.hugepages is not None or memory.guest))
    )


def validate_emulator_thread(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """The emulator's thread can be isolated on dedicated CPUs only (validateCPUIsolatorThread)."""
    cpu = spec.domain.cpu
    if cpu and cpu.isolate_emulator_thread and not cpu.dedicated_cpu_placement:
        yield invalid(f"{path}.domain.cpu.isolateEmulatorThread", "needs cpu.dedicatedCpuPlacement: true")


def validate_cpu_features(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """The policy of a CPU feature is one that libvirt knows (validateCPUFeaturePolicies)."""
    cpu = spec.domain.cpu
    if not cpu:
        return
    for index, feature in enumerate(cpu.features):
        if feature.policy and feature.policy not in POLICIES:
            yield not_supported(
                f"{path}.domain.cpu.features[{index}].policy",
                f"{feature.policy!r} is no policy for the feature {feature.name}; policies are {', '.join(POLICIES)}",
            )


def validate_max_sockets(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """A VM starts with at most as many sockets as it may grow to (validateCPUHotplug)."""
    cpu = spec.domain.cpu
    if cpu and cpu.max_sockets and cpu.sockets > cpu.max_sockets:
        yield invalid(
            f"{path}.domain.cpu.sockets", f"{cpu.sockets} sockets are more than cpu.maxSockets, {cpu.max_sockets}"
        )


def validate_realtime(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """A real-time guest has dedicated CPUs and the host's NUMA topology (validateRealtime)."""
    cpu = spec.domain.cpu
    if not cpu or cpu.realtime is None:
        return
    if not cpu.dedicated_cpu_placement:
        yield required(f"{path}.domain.cpu.dedicatedCpuPlacement", "cpu.realtime needs it to be true")
    if not cpu.numa or cpu.numa.guest_mapping_passthrough is None:
        yield required(f"{path}.domain.cpu.numa.guestMappingPassthrough", "cpu.realtime needs it to be set: {}")


def validate_numa(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """Passing the host's NUMA topology on needs dedicated CPUs and huge pages (validateNUMA)."""
    cpu = spec.domain.cpu
    if not cpu or not cpu.numa or cpu.numa.guest_mapping_passthrough is None:
        return
    field = f"{path}.domain.cpu.numa.guestMappingPassthrough"
    if not cpu.dedicated_cpu_placement:
        yield invalid(field, "needs cpu.dedicatedCpuPlacement: true")
    if not spec.domain.memory or spec.domain.memory.hugepages is None:
        yield invalid(field, "needs huge pages: set memory.hugepages.pageSize")


IO_THREADS_POLICIES = ("shared", "auto", "supplementalPool")


def validate_io_threads_policy(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """The policy is a known one; a supplemental pool says how many threads it has (validateIOThreadsPolicy)."""
    policy = spec.domain.io_threads_policy
    if policy is None:
        return
    if policy not in IO_THREADS_POLICIES:
        yield invalid(
            f"{path}.domain.ioThreadsPolicy", f"{policy!r} is no policy; policies are {', '.join(IO_THREADS_POLICIES)}"
        )
    elif policy == "supplementalPool":
        threads = spec.domain.io_threads
        if not threads or not threads.supplemental_pool_thread_count:
            yield invalid(
                f"{path}.domain.ioThreads.count",
                "the policy supplementalPool needs ioThreads.supplementalPoolThreadCount to be 1 or more",
            )
