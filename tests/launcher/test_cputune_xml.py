"""`<cputune>` and `<numatune>`: dedicated CPUs, and the NUMA nodes behind them."""

import pytest
from fragments import TWO_NODES, make_context, make_vmi, part, xml
from hypothesis import given
from hypothesis import strategies as st

from virtcatalog.api.names import EVEN_PARITY
from virtcatalog.kubevirt.hosts import HostCell, HostCPU, HostTopology
from virtcatalog.kubevirt.launcher.elements.cpu import cputune, numatune
from virtcatalog.kubevirt.launcher.elements.memory import guest_memory
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.numa import passthrough_cells
from virtcatalog.kubevirt.launcher.pinning import pin

NO_SIBLINGS = HostTopology((HostCell(0, tuple(HostCPU(cpu) for cpu in range(8))),))


EVEN = {EVEN_PARITY: ""}


def pinned(cpu, cpus, topology=TWO_NODES, rest="", annotations=None):
    """Pin a VMI with dedicated CPUs to the CPUs of its pod."""
    vmi = make_vmi(f"domain.cpu: {{dedicatedCpuPlacement: true, {cpu}}}\n{rest}", annotations=annotations)
    return pinning_of(vmi, make_context(topology=topology, cpu_set=tuple(cpus)))


def pinning_of(vmi, context):
    parity = EVEN_PARITY in vmi.metadata.annotations
    host, architecture = context.topology, context.architecture
    return pin(vmi.spec.domain, context.cpu_set, host, architecture, context.release, even_parity=parity)


def cells_of(vmi, context):
    memory = vmi.spec.domain.memory
    hugepages = memory and memory.hugepages
    guest = guest_memory(memory, vmi.spec.domain.resources)
    return passthrough_cells(hugepages, guest, context.topology, pinning_of(vmi, context), {})


def test_shared_cpus_are_not_pinned():
    assert pinning_of(make_vmi("domain.cpu: {sockets: 2}"), make_context()) is None
    assert cputune(None) is None


def test_each_vcpu_has_a_thread_of_its_own():
    assert xml(cputune(pinned("sockets: 2", (0, 1)))) == xml(
        '<cputune><vcpupin vcpu="0" cpuset="0"/><vcpupin vcpu="1" cpuset="1"/></cputune>'
    )


@pytest.mark.parametrize(
    ("cpu", "cpus", "threads"),
    [
        pytest.param("sockets: 4", (0, 1, 2, 3), (0, 1, 2, 3), id="in the order of the host's cores"),
        pytest.param("cores: 2, threads: 2", (0, 1, 2, 3), (0, 1, 2, 3), id="a core is a core"),
        pytest.param("cores: 1, threads: 2", (0, 2, 3), (2, 3), id="whole cores first"),
        pytest.param("cores: 1, threads: 2", (0, 2), (0, 2), id="then loose threads of a node"),
        pytest.param("cores: 1, threads: 2", (0, 8), (0, 8), id="then of two nodes"),
        pytest.param("cores: 2, threads: 2", (0, 2, 8, 9), (8, 9, 0, 2), id="a whole core of the second node first"),
        pytest.param("sockets: 1, maxSockets: 4, cores: 2", (0, 1), (0, 1), id="only sockets that are there"),
    ],
)
def test_which_threads_the_vcpus_get(cpu, cpus, threads):
    assert pinned(cpu, cpus).vcpus == threads


def test_a_host_that_tells_no_siblings_has_one_thread_a_core():
    assert pinned("cores: 2, threads: 2", range(4), NO_SIBLINGS).vcpus == (0, 1, 2, 3)


@pytest.mark.parametrize("cpu", ["sockets: 3", "cores: 2, threads: 2"])
def test_too_few_cpus_are_refused(cpu):
    with pytest.raises(DomainError) as refusal:
        pinned(cpu, (0, 1))
    assert refusal.value.field == "spec.domain.cpu"
    assert "NUMA" not in str(refusal.value)


def test_numa_passthrough_keeps_each_core_on_one_node():
    with pytest.raises(DomainError, match="on one NUMA node"):
        pinned("cores: 1, threads: 2, numa: {guestMappingPassthrough: {}}", (0, 8))
    with pytest.raises(DomainError) as refusal:
        pinned("cores: 2, threads: 2, numa: {guestMappingPassthrough: {}}", (0, 1))
    assert "NUMA" not in str(refusal.value), "there are too few CPUs on any number of nodes"


@pytest.mark.parametrize(
    ("cpu", "annotations", "emulator"),
    [
        ("sockets: 2, isolateEmulatorThread: true", {}, "2"),
        (
            "sockets: 2, isolateEmulatorThread: true",
            EVEN,
            "2,3",
        ),
        ("sockets: 1, isolateEmulatorThread: true", EVEN, "1"),
        ("sockets: 2", {}, None),
    ],
)
def test_the_emulator_can_have_cpus_of_its_own(cpu, annotations, emulator):
    assert pinned(cpu, range(4), annotations=annotations).emulator == emulator


def test_the_emulator_needs_a_cpu_that_is_left():
    with pytest.raises(DomainError, match="the emulator"):
        pinned("sockets: 2, isolateEmulatorThread: true", range(2))


def disks(count, dedicated=0):
    names = ", ".join(f"{{name: d{n}, dedicatedIOThread: {str(n < dedicated).lower()}}}" for n in range(count))
    return f"domain.devices: {{disks: [{names}]}}\n"


@pytest.mark.parametrize(
    ("cpu", "rest", "iothreads"),
    [
        pytest.param("sockets: 4", disks(1) + "domain.ioThreadsPolicy: shared", ((1, "0,1,2,3"),), id="all vCPUs'"),
        pytest.param(
            "sockets: 8", disks(3, 2) + "domain.ioThreadsPolicy: shared", ((1, "0,1,2"), (2, "3,4,5"), (3, "6,7")),
            id="an even share",
        ),
        pytest.param(
            "sockets: 2", disks(3, 2) + "domain.ioThreadsPolicy: shared", ((1, "1"), (2, "0"), (3, "1")), id="one each"
        ),
        pytest.param(
            "sockets: 2, isolateEmulatorThread: true", disks(1) + "domain.ioThreadsPolicy: auto", ((1, "2"),),
            id="the emulator's",
        ),
        pytest.param(
            "sockets: 2",
            "domain.ioThreadsPolicy: supplementalPool\ndomain.ioThreads: {supplementalPoolThreadCount: 2}",
            ((1, "2"), (2, "3")),
            id="CPUs of their own",
        ),
    ],
)  # fmt: skip
def test_io_threads_run_on(cpu, rest, iothreads):
    assert pinned(cpu, range(8), rest=rest).iothreads == iothreads


def test_the_pool_takes_its_cpus_before_the_emulator():
    rest = "domain.ioThreadsPolicy: supplementalPool\ndomain.ioThreads: {supplementalPoolThreadCount: 1}"
    pinning = pinned("sockets: 2, isolateEmulatorThread: true", range(8), rest=rest)
    assert xml(cputune(pinning)) == xml(
        """<cputune>
             <vcpupin vcpu="0" cpuset="0"/>
             <vcpupin vcpu="1" cpuset="1"/>
             <emulatorpin cpuset="3"/>
             <iothreadpin iothread="1" cpuset="2"/>
           </cputune>"""
    )


def test_an_io_thread_policy_without_disks_cannot_be_pinned():
    with pytest.raises(DomainError) as refusal:
        pinned("sockets: 2", range(2), rest="domain.ioThreadsPolicy: auto")
    assert refusal.value.field == "spec.domain.ioThreadsPolicy"


@given(st.integers(1, 3), st.integers(1, 2), st.integers(1, 2), st.sets(st.integers(0, 15), min_size=12))
def test_no_two_vcpus_share_a_thread(sockets, cores, threads, cpus):
    pinning = pinned(f"sockets: {sockets}, cores: {cores}, threads: {threads}", sorted(cpus))
    assert len(set(pinning.vcpus)) == len(pinning.vcpus) == sockets * cores * threads
    assert set(pinning.vcpus) <= cpus


def passed_through(cpus, memory, page="2Mi", cpu="sockets: 4", topology=TWO_NODES):
    text = f"""
        domain.cpu: {{dedicatedCpuPlacement: true, numa: {{guestMappingPassthrough: {{}}}}, {cpu}}}
        domain.memory: {{guest: {memory}, hugepages: {{pageSize: {page}}}}}
    """
    vmi, context = make_vmi(text), make_context(topology=topology, cpu_set=tuple(cpus))
    return cells_of(vmi, context)


def test_a_guest_cell_stands_for_each_node_that_vcpus_run_on():
    cells = passed_through((0, 1, 8, 9), "1Gi")
    assert [(cell.id, cell.cpus, cell.memory, cell.unit, cell.host_node) for cell in cells] == [
        (0, "0,1", 2**29, "b", 0),
        (1, "2,3", 2**29, "b", 1),
    ]
    assert xml(numatune(cells)) == xml(
        """<numatune>
             <memory mode="strict" nodeset="0,1"/>
             <memnode cellid="0" mode="strict" nodeset="0"/>
             <memnode cellid="1" mode="strict" nodeset="1"/>
           </numatune>"""
    )


def test_guest_cells_count_from_zero_whatever_the_node():
    cells = passed_through((8, 9, 10, 11), "1Gi")
    assert [(cell.id, cell.host_node) for cell in cells] == [(0, 1)]


def test_the_first_cells_take_the_odd_huge_page():
    assert [cell.memory for cell in passed_through((0, 1, 8, 9), "6Mi")] == [4 * 2**20, 2 * 2**20]


@pytest.mark.parametrize(("memory", "page"), [("2Mi", "2Mi"), ("3Mi", "2Mi"), ("4Mi", "'0'"), ("4Mi", "none")])
def test_memory_that_huge_pages_cannot_share_out_is_refused(memory, page):
    with pytest.raises(DomainError) as refusal:
        passed_through((0, 1, 8, 9), memory, page)
    assert refusal.value.field.startswith("spec.domain.memory.")


def test_numa_passthrough_needs_huge_pages():
    text = "domain.cpu: {dedicatedCpuPlacement: true, numa: {guestMappingPassthrough: {}}}"
    vmi, context = make_vmi(text), make_context(topology=TWO_NODES, cpu_set=(0,))
    with pytest.raises(DomainError) as refusal:
        cells_of(vmi, context)
    assert refusal.value.field == "spec.domain.memory.hugepages"


def test_without_passthrough_no_memory_is_bound():
    vmi, context = make_vmi("domain.cpu: {dedicatedCpuPlacement: true}"), make_context(topology=TWO_NODES, cpu_set=(0,))
    assert part("numatune", vmi, context) is None
    assert part("memoryBacking", vmi, context) is None
