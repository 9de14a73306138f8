"""Which host threads the threads of a VM with dedicated CPUs run on."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from virtcatalog.api.annotations import EVEN_PARITY
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.hosttopology import HostTopology
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.iothreads import has_iothreads, iothread_counts, supplemental_pool
from virtcatalog.kubevirt.launcher.elements.vcpu import (
    CPUTopology,
    domain_topology,
    requested_topology,
)
from virtcatalog.kubevirt.launcher.errors import DomainError, LauncherCrashError


class Pinning(msgspec.Struct, frozen=True, cache_hash=True):
    """The host thread of each vCPU, and the CPU sets of the emulator and of each IO thread."""

    vcpus: tuple[int, ...]
    emulator: str | None = None
    iothreads: tuple[tuple[int, str], ...] = ()


class _Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """The threads that a VM needs host threads for.

    `pool` and `emulator` are numbers of threads that get one each. Shared IO threads run where `vcpus` vCPUs do, or the
    emulator; `numbered` ones are pinned to the numbers behind those of `vcpus` vCPUs and the emulator, free or not.
    """

    cores: int
    threads: int
    one_node_a_core: bool
    pool: int
    emulator: int
    shared_iothreads: int
    vcpus: int
    numbered: int = 0


class _Cell:
    """The pod's free threads on one NUMA node: of cores that are wholly free enough, and loose ones."""

    def __init__(self, cores: tuple[tuple[int, ...], ...], threads: int) -> None:
        self.threads = threads
        self.full = [core for core in cores if len(core) >= threads]
        self.loose = [thread for core in cores if len(core) < threads for thread in core]

    def take_from_core(self, count: int) -> list[int]:
        """`count` threads of the first core; what is left of it is loose once it cannot hold a vCPU core."""
        if not self.full:
            return []
        core = self.full[0]
        rest = core[count:]
        if len(rest) >= self.threads:
            self.full[0] = rest
        else:
            del self.full[0]
            self.loose.extend(rest)
        return list(core[:count])

    def take_loose(self, count: int) -> list[int]:
        taken, self.loose = self.loose[:count], self.loose[count:]
        return taken


class _Pool:
    """The pod's threads, handed out core by core and node by node.

    Source: pkg/virt-launcher/virtwrap/converter/vcpu/vcpu.go.
    """

    def __init__(self, topology: HostTopology, cpu_set: tuple[int, ...], threads: int) -> None:
        self.threads = threads
        self.cells = [_Cell(cores, threads) for cores in _cores(topology, cpu_set)]

    def fit_cores(self, count: int, *, may_cross_cells: bool) -> list[int] | None:
        """Threads for `count` cores: whole cores first, then loose threads of one node; None when they do not fit."""
        found: list[int] = []
        wanted = count * self.threads
        for cell in self.cells:
            while cell.full and len(found) < wanted:
                found += cell.take_from_core(self.threads)
        for cell in self.cells:
            while len(cell.loose) >= self.threads and len(found) < wanted:
                found += cell.take_loose(self.threads)
        if may_cross_cells:
            for cell in self.cells:
                found += cell.take_loose(wanted - len(found))
            return found if wanted - len(found) < self.threads else None
        return found if len(found) == wanted else None

    def fit_thread(self, purpose: str) -> int:
        for cell in self.cells:
            if cell.loose or cell.full:
                return (cell.take_loose(1) or cell.take_from_core(1))[0]
        raise DomainError("spec.domain.cpu", f"no host thread is left for {purpose}")


def _cores(topology: HostTopology, cpu_set: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """For each NUMA node, its cores, reduced to the threads in `cpu_set`."""
    owned, seen, cells = set(cpu_set), set[int](), []
    for cell in topology.cells:
        cores = []
        for cpu in cell.cpus:
            if cpu.id not in seen:
                siblings = cpu.siblings or (cpu.id,)
                seen.update(siblings)
                if core := tuple(thread for thread in siblings if thread in owned):
                    cores.append(core)
        cells.append(tuple(cores))
    return tuple(cells)


def has_numa_passthrough(vmi: VirtualMachineInstance) -> bool:
    """Whether the guest sees the NUMA nodes that its CPUs come from."""
    cpu = vmi.spec.domain.cpu
    return cpu is not None and cpu.numa is not None and cpu.numa.guest_mapping_passthrough is not None


def pin(vmi: VirtualMachineInstance, context: Context) -> Pinning | None:
    """Where the VM's threads run; None without dedicated CPUs. DomainError when the pod's CPUs do not suffice."""
    cpu = vmi.spec.domain.cpu
    if cpu is None or not cpu.dedicated_cpu_placement:
        return None
    release, traits = context.release, context.release.traits
    if cpu.max_sockets and not context.architecture.cpu_hotplug and traits.crashes_on_max_sockets:
        message = f"dedicated CPUs with maxSockets, though {context.architecture.name} has no CPUs to plug in"
        raise LauncherCrashError(release, "spec.domain.cpu.maxSockets", message)
    topology = _enabled_topology(vmi, context)
    pool = supplemental_pool(vmi) if traits.pins_supplemental_iothreads_first else 0
    vcpus = cpu.vcpus
    emulator = 1 if cpu.isolate_emulator_thread else 0
    if emulator and EVEN_PARITY in vmi.metadata.annotations and (vcpus + pool) % 2 == 0:
        emulator = 2
    shared = numbered = 0
    if has_iothreads(vmi) and not pool:
        shared = _shared_iothreads(vmi, context)
        if not traits.pins_supplemental_iothreads_first:
            vcpus, numbered = domain_topology(vmi, context).vcpus, _numbered_iothreads(vmi, context)
            if vcpus > len(context.cpu_set) and not (numbered or emulator):
                message = f"IO threads spread over {vcpus} vCPUs with maxSockets, of which {len(context.cpu_set)} run"
                raise LauncherCrashError(release, "spec.domain.ioThreadsPolicy", message)
    wanted = _Wanted(
        cores=topology.cores * topology.sockets,
        threads=topology.threads,
        one_node_a_core=has_numa_passthrough(vmi),
        pool=pool,
        emulator=emulator,
        shared_iothreads=shared,
        vcpus=vcpus or 1,
        numbered=numbered,
    )
    return _pin(context.topology, context.cpu_set, wanted)


def _shared_iothreads(vmi: VirtualMachineInstance, context: Context) -> int:
    if context.release.traits.crashes_on_pinned_iothreads:
        raise LauncherCrashError(context.release, "spec.domain.ioThreadsPolicy", "IO threads and dedicated CPUs")
    total, _ = iothread_counts(vmi)
    if not total:
        raise DomainError("spec.domain.ioThreadsPolicy", "there is no IO thread to pin: no disk uses one")
    return total


def _numbered_iothreads(vmi: VirtualMachineInstance, context: Context) -> int:
    """The size of the supplemental pool, whatever the policy (vcpu.go, FormatDomainIOThreadPin)."""
    pool = vmi.spec.domain.io_threads
    if pool is None:
        return 0
    if pool.supplemental_pool_thread_count is None:
        message = "ioThreads without a supplementalPoolThreadCount, and dedicated CPUs"
        raise LauncherCrashError(context.release, "spec.domain.ioThreads", message)
    return pool.supplemental_pool_thread_count


@lru_cache(maxsize=1024)
def _pin(topology: HostTopology, cpu_set: tuple[int, ...], wanted: _Wanted) -> Pinning:
    free = _Pool(topology, cpu_set, wanted.threads)
    vcpus = free.fit_cores(wanted.cores, may_cross_cells=not wanted.one_node_a_core)
    if vcpus is None:
        message = f"{len(cpu_set)} dedicated CPUs do not hold {wanted.cores} cores of {wanted.threads} threads"
        if wanted.one_node_a_core and len(cpu_set) >= wanted.cores * wanted.threads:
            message += " with each core on one NUMA node"
        raise DomainError("spec.domain.cpu", message)
    iothreads = [(number + 1, str(free.fit_thread("an IO thread"))) for number in range(wanted.pool)]
    emulator = ",".join(str(free.fit_thread("the emulator")) for _ in range(wanted.emulator)) or None
    if wanted.numbered:
        behind = wanted.vcpus + (emulator is not None)
        iothreads = [(number, str(behind + number)) for number in range(1, wanted.numbered + 1)]
    elif wanted.shared_iothreads:
        iothreads = _pin_iothreads(wanted, cpu_set, emulator)
    return Pinning(tuple(vcpus), emulator, tuple(iothreads))


def _enabled_topology(vmi: VirtualMachineInstance, context: Context) -> CPUTopology:
    """What is pinned: the declared sockets less those that are only there to be plugged in."""
    declared, requested = domain_topology(vmi, context), requested_topology(vmi)
    return requested if requested.sockets < declared.sockets else declared


def _pin_iothreads(wanted: _Wanted, cpu_set: tuple[int, ...], emulator: str | None) -> list[tuple[int, str]]:
    """IO threads that share the vCPUs' host threads, or the emulator's where that has its own."""
    total, vcpus = wanted.shared_iothreads, wanted.vcpus
    if emulator is not None:
        return [(1, emulator)]
    if total >= vcpus:
        return [(number, str(cpu_set[number % vcpus])) for number in range(1, total + 1)]
    share, larger = divmod(vcpus, total)
    pins, start = [], 0
    for number in range(1, total + 1):
        end = start + share + (number <= larger)
        pins.append((number, ",".join(map(str, cpu_set[start:end]))))
        start = end
    return pins
