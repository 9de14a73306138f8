"""Which host threads the threads of a VM with dedicated CPUs run on."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.domain.context import Context
from virtcatalog.domain.errors import DomainError
from virtcatalog.domain.iothreads import has_iothreads, iothread_counts, supplemental_pool
from virtcatalog.domain.topology import HostTopology
from virtcatalog.domain.vcpu import CPUTopology, configured_vcpus, domain_topology, requested_topology

EVEN_PARITY = "alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity"


class Pinning(msgspec.Struct, frozen=True):
    """The host thread of each vCPU, and the CPU sets of the emulator and of each IO thread."""

    vcpus: tuple[int, ...]
    emulator: str | None = None
    iothreads: tuple[tuple[int, str], ...] = ()


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

    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/converter/vcpu/vcpu.go.
    """

    def __init__(self, context: Context, threads: int) -> None:
        self.threads = threads
        self.cells = [_Cell(cores, threads) for cores in _cores(context.topology, context.cpu_set)]

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


@lru_cache(maxsize=256)
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
    topology = _enabled_topology(vmi, context)
    pool = _Pool(context, topology.threads)
    cores = topology.cores * topology.sockets
    vcpus = pool.fit_cores(cores, may_cross_cells=not has_numa_passthrough(vmi))
    if vcpus is None:
        message = f"{len(context.cpu_set)} dedicated CPUs do not hold {cores} cores of {topology.threads} threads"
        if has_numa_passthrough(vmi) and len(context.cpu_set) >= cores * topology.threads:
            message += " with each core on one NUMA node"
        raise DomainError("spec.domain.cpu", message)
    pooled = [(number + 1, str(pool.fit_thread("an IO thread"))) for number in range(supplemental_pool(vmi))]
    emulator = None
    if cpu.isolate_emulator_thread:
        emulator = str(pool.fit_thread("the emulator"))
        if EVEN_PARITY in vmi.metadata.annotations and (configured_vcpus(vmi) + len(pooled)) % 2 == 0:
            emulator += f",{pool.fit_thread('the second emulator thread')}"
    iothreads = pooled
    if has_iothreads(vmi) and not pooled:
        iothreads = _pin_iothreads(vmi, context.cpu_set, emulator)
    return Pinning(tuple(vcpus), emulator, tuple(iothreads))


def _enabled_topology(vmi: VirtualMachineInstance, context: Context) -> CPUTopology:
    """What is pinned: the declared sockets less those that are only there to be plugged in."""
    declared, requested = domain_topology(vmi, context), requested_topology(vmi)
    return requested if requested.sockets < declared.sockets else declared


def _pin_iothreads(
    vmi: VirtualMachineInstance, cpu_set: tuple[int, ...], emulator: str | None
) -> list[tuple[int, str]]:
    """IO threads that share the vCPUs' host threads, or the emulator's where that has its own."""
    total, _ = iothread_counts(vmi)
    if not total:
        raise DomainError("spec.domain.ioThreadsPolicy", "there is no IO thread to pin: no disk uses one")
    if emulator is not None:
        return [(1, emulator)]
    vcpus = configured_vcpus(vmi) or 1
    if total >= vcpus:
        return [(number, str(cpu_set[number % vcpus])) for number in range(1, total + 1)]
    share, larger = divmod(vcpus, total)
    pins, start = [], 0
    for number in range(1, total + 1):
        end = start + share + (number <= larger)
        pins.append((number, ",".join(map(str, cpu_set[start:end]))))
        start = end
    return pins
