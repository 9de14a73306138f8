"""Which host threads the threads of a VM with dedicated CPUs run on."""

from __future__ import annotations

import msgspec

from virtcatalog.api.domainspec import CPU, DomainSpec
from virtcatalog.kubevirt.hosts import HostTopology
from virtcatalog.kubevirt.launcher.architecture import Architecture
from virtcatalog.kubevirt.launcher.elements.iothreads import (
    declared_pool,
    has_iothreads,
    iothread_counts,
    supplemental_pool,
)
from virtcatalog.kubevirt.launcher.elements.vcpu import domain_topology, max_sockets, requested_topology
from virtcatalog.kubevirt.launcher.errors import DomainError, LauncherCrashError
from virtcatalog.kubevirt.memo import memo
from virtcatalog.releases import Release


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
        threads: list[int] = []
        wanted = count * self.threads
        for cell in self.cells:
            while cell.full and len(threads) < wanted:
                threads += cell.take_from_core(self.threads)
        for cell in self.cells:
            while len(cell.loose) >= self.threads and len(threads) < wanted:
                threads += cell.take_loose(self.threads)
        if may_cross_cells:
            for cell in self.cells:
                threads += cell.take_loose(wanted - len(threads))
            return threads if wanted - len(threads) < self.threads else None
        return threads if len(threads) == wanted else None

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


def has_numa_passthrough(cpu: CPU | None) -> bool:
    """Whether the guest sees the NUMA nodes that its CPUs come from."""
    return cpu is not None and cpu.numa is not None and cpu.numa.guest_mapping_passthrough is not None


def pin(
    domain: DomainSpec,
    cpu_set: tuple[int, ...],
    host: HostTopology,
    architecture: Architecture,
    release: Release,
    *,
    even_parity: bool,
) -> Pinning | None:
    """Where the VM's threads run; None without dedicated CPUs. DomainError when the pod's CPUs do not suffice.

    `cpu_set` are the host CPUs that the pod owns. `even_parity`: their number is to be even.
    """
    cpu, traits = domain.cpu, release.traits
    if cpu is None or not cpu.dedicated_cpu_placement:
        return None
    if cpu.max_sockets and not architecture.cpu_hotplug and traits.crashes_on_max_sockets:
        message = f"dedicated CPUs with maxSockets, though {architecture.name} has no CPUs to plug in"
        raise LauncherCrashError(release, "spec.domain.cpu.maxSockets", message)
    requested = requested_topology(cpu, domain.resources)
    declared = domain_topology(requested, max_sockets(cpu, hotplug=architecture.cpu_hotplug))
    # Sockets that are only there to be plugged in are not pinned.
    topology = requested if requested.sockets < declared.sockets else declared
    pool = supplemental_pool(domain) if traits.pins_supplemental_iothreads_first else 0
    vcpus = cpu.vcpus
    emulator = 1 if cpu.isolate_emulator_thread else 0
    if emulator and even_parity and (vcpus + pool) % 2 == 0:
        emulator = 2
    shared = numbered = 0
    if has_iothreads(domain) and not pool:
        shared = _shared_iothreads(domain, release)
        if not traits.pins_supplemental_iothreads_first:
            vcpus, numbered = declared.vcpus, _numbered_iothreads(domain, release)
            if vcpus > len(cpu_set) and not (numbered or emulator):
                message = f"IO threads spread over {vcpus} vCPUs with maxSockets, of which {len(cpu_set)} run"
                raise LauncherCrashError(release, "spec.domain.ioThreadsPolicy", message)
    wanted = _Wanted(
        cores=topology.cores * topology.sockets,
        threads=topology.threads,
        one_node_a_core=has_numa_passthrough(cpu),
        pool=pool,
        emulator=emulator,
        shared_iothreads=shared,
        vcpus=vcpus or 1,
        numbered=numbered,
    )
    return _pin(host, cpu_set, wanted)


def _shared_iothreads(domain: DomainSpec, release: Release) -> int:
    if release.traits.crashes_on_pinned_iothreads:
        raise LauncherCrashError(release, "spec.domain.ioThreadsPolicy", "IO threads and dedicated CPUs")
    total, _ = iothread_counts(domain)
    if not total:
        raise DomainError("spec.domain.ioThreadsPolicy", "there is no IO thread to pin: no disk uses one")
    return total


def _numbered_iothreads(domain: DomainSpec, release: Release) -> int:
    """The size of the supplemental pool, whatever the policy (vcpu.go, FormatDomainIOThreadPin)."""
    pool = domain.io_threads
    if pool is None:
        return 0
    if pool.supplemental_pool_thread_count is None:
        message = "ioThreads without a supplementalPoolThreadCount, and dedicated CPUs"
        raise LauncherCrashError(release, "spec.domain.ioThreads", message)
    return declared_pool(domain)


@memo
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
