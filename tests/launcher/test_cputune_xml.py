"""`<cputune>` and `<numatune>`: dedicated CPUs, and the NUMA nodes behind them."""

import pytest
from fragments import TWO_NODES, make_context, make_vmi, part, xml
from hypothesis import given
from hypothesis import strategies as st

from virtcatalog.api.domainspec import Hugepages
from virtcatalog.api.names import EVEN_PARITY
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.hosts import HostCell, HostCPU, HostTopology
from virtcatalog.kubevirt.launcher.elements.cpu import cputune, numatune
from virtcatalog.kubevirt.launcher.elements.memory import guest_memory
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.numa import passthrough_cells
from virtcatalog.kubevirt.launcher.pinning import Pinning, pin
from virtcatalog.releases import PREVIEWS, RELEASES

NO_SIBLINGS = HostTopology((HostCell(0, tuple(HostCPU(cpu) for cpu in range(8))),))


EVEN = {EVEN_PARITY: ""}


def pinned(
    cpu, cpus, topology=TWO_NODES, rest="", annotations=None, release="v1.9.0", architecture="amd64", dedicated=True
):
    """Pin a VMI with dedicated CPUs to the CPUs of its pod."""
    text = f"domain.cpu: {{dedicatedCpuPlacement: {str(dedicated).lower()}, {cpu}}}\n{rest}"
    vmi = make_vmi(text, architecture, annotations)
    releases = {**RELEASES, **PREVIEWS}
    return pinning_of(
        vmi, make_context(architecture, topology=topology, cpu_set=tuple(cpus), release=releases[release])
    )


def refused(*arguments, **changes):
    with pytest.raises(DomainError) as error:
        pinned(*arguments, **changes)
    return str(error.value)


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
    assert pinned("cores: 1", range(4), dedicated=False) is None
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


NUMA = "numa: {guestMappingPassthrough: {}}"


@pytest.mark.parametrize(
    ("cpu", "cpus", "refusal"),
    [
        ("sockets: 3", (0, 1), "2 dedicated CPUs do not hold 3 cores of 1 threads"),
        ("cores: 2, threads: 2", (0, 1), "2 dedicated CPUs do not hold 2 cores of 2 threads"),
        ("sockets: 2, cores: 2, threads: 2", range(6), "6 dedicated CPUs do not hold 4 cores of 2 threads"),
        (
            f"cores: 1, threads: 2, {NUMA}",
            (0, 8),
            "2 dedicated CPUs do not hold 1 cores of 2 threads with each core on one NUMA node",
        ),
        (f"cores: 2, threads: 2, {NUMA}", (0, 1), "2 dedicated CPUs do not hold 2 cores of 2 threads"),
        ("sockets: 2, isolateEmulatorThread: true", (0, 1), "no host thread is left for the emulator"),
    ],
)
def test_too_few_cpus_are_refused(cpu, cpus, refusal):
    assert refused(cpu, cpus) == f"spec.domain.cpu: {refusal}"


def test_less_than_a_core_that_is_missing_goes_unnoticed():
    """KubeVirt counts in whole cores what is missing (fitUnbound)."""
    assert pinned("sockets: 2, cores: 2, threads: 2", range(7)).vcpus == tuple(range(7))


def test_a_pool_of_io_threads_needs_cpus_that_are_left():
    assert refused("sockets: 2", range(3), rest=POOL) == "spec.domain.cpu: no host thread is left for an IO thread"


def test_numa_passthrough_takes_loose_threads_of_one_node_for_a_core():
    assert pinned(f"cores: 1, threads: 2, {NUMA}", (0, 8, 10)).vcpus == (8, 10)


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


POOL = "domain.ioThreadsPolicy: supplementalPool\ndomain.ioThreads: {supplementalPoolThreadCount: 2}"
ALONE = "sockets: 2, isolateEmulatorThread: true"


@pytest.mark.parametrize(
    ("cpu", "rest", "emulator"),
    [
        (ALONE, "", "2,3"),
        (ALONE, POOL, "4,5"),
        (ALONE, POOL.replace("2}", "1}"), "3"),
        (ALONE.replace("2", "3"), POOL.replace("2}", "1}"), "4,5"),
        (f"cores: 1, {ALONE}", "", "2,3"),
    ],
)
def test_with_even_parity_the_emulator_makes_the_sum_of_all_threads_even(cpu, rest, emulator):
    assert pinned(cpu, range(8), rest=rest, annotations=EVEN).emulator == emulator


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
            "sockets: 2", disks(2, 1) + "domain.ioThreadsPolicy: shared", ((1, "1"), (2, "0")), id="as many as vCPUs"
        ),
        pytest.param(
            "sockets: 3", disks(2, 1) + "domain.ioThreadsPolicy: shared", ((1, "0,1"), (2, "2")), id="one vCPU more"
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


AUTO = "domain.ioThreadsPolicy: auto"
CRASH = "KubeVirt v1.8.4 crashes on this VM: "
PLUGGABLE = "sockets: 2, maxSockets: 4"
COUNTED = "\ndomain.ioThreads: {supplementalPoolThreadCount: 2}"


@pytest.mark.parametrize(
    ("cpu", "rest", "changes", "refusal"),
    [
        (
            "sockets: 2", AUTO, {},
            "spec.domain.ioThreadsPolicy: there is no IO thread to pin: no disk uses one",
        ),
        (
            "sockets: 2", disks(1) + AUTO, {"release": "v1.7.4"},
            "spec.domain.ioThreadsPolicy: KubeVirt v1.7.4 crashes on this VM: IO threads and dedicated CPUs",
        ),
        (
            "sockets: 2", disks(1) + AUTO + "\ndomain.ioThreads: {}", {"release": "v1.8.4"},
            f"spec.domain.ioThreads: {CRASH}ioThreads without a supplementalPoolThreadCount, and dedicated CPUs",
        ),
        (
            PLUGGABLE, disks(1) + AUTO, {"release": "v1.8.4"},
            f"spec.domain.ioThreadsPolicy: {CRASH}IO threads spread over 4 vCPUs with maxSockets, of which 2 run",
        ),
        (
            PLUGGABLE, "", {"release": "v1.8.4", "architecture": "arm64"},
            f"spec.domain.cpu.maxSockets: {CRASH}dedicated CPUs with maxSockets, though arm64 has no CPUs to plug in",
        ),
    ],
)  # fmt: skip
def test_threads_that_cannot_be_pinned(cpu, rest, changes, refusal):
    assert refused(cpu, range(2), rest=rest, **changes) == refusal


@pytest.mark.parametrize(
    ("cpu", "rest", "cpus", "iothreads"),
    [
        pytest.param("sockets: 2", disks(1) + AUTO, 2, ((1, "0,1"),), id="all vCPUs'"),
        pytest.param(PLUGGABLE, disks(1) + AUTO, 4, ((1, "0,1,2,3"),), id="also those that can be plugged in"),
        pytest.param(f"{PLUGGABLE}, isolateEmulatorThread: true", disks(1) + AUTO, 3, ((1, "2"),), id="the emulator's"),
        pytest.param("sockets: 2", disks(1) + AUTO + COUNTED, 2, ((1, "3"), (2, "4")), id="the numbers behind"),
        pytest.param(PLUGGABLE, disks(1) + AUTO + COUNTED, 2, ((1, "5"), (2, "6")), id="those behind all sockets"),
        pytest.param(
            "sockets: 2, isolateEmulatorThread: true", disks(1) + AUTO + COUNTED, 3, ((1, "4"), (2, "5")),
            id="and the emulator",
        ),
        pytest.param("sockets: 2", POOL, 4, ((1, "3"), (2, "4")), id="of a pool, too"),
    ],
)  # fmt: skip
def test_in_the_middle_release_io_threads_run_on(cpu, rest, cpus, iothreads):
    assert pinned(cpu, range(cpus), rest=rest, release="v1.8.4").iothreads == iothreads


@pytest.mark.parametrize("release", ["v1.9.0", "main"])
def test_arm64_passes_over_sockets_that_cannot_be_plugged_in(release):
    pinning = pinned(PLUGGABLE, range(2), release=release, architecture="arm64")
    assert pinning.vcpus == (0, 1)


def test_a_vmi_without_cpu_numbers_has_one_vcpu():
    assert pinned("isolateEmulatorThread: true", range(4)).vcpus == (0,)
    assert pinned("", range(4), rest=disks(1) + AUTO).iothreads == ((1, "0"),)


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


@pytest.mark.parametrize(
    ("memory", "page", "refusal"),
    [
        ("2Mi", "2Mi", "guest: 2097152 bytes of memory are less than a huge page on each of 2 NUMA nodes"),
        ("5Mi", "2Mi", "guest: 5242880 bytes of memory are not a multiple of the huge page"),
        ("4Mi", "'0'", "hugepages.pageSize: a huge page of no bytes"),
        ("4Mi", "none", "hugepages.pageSize: 'none' is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9"),
        ("4Mi", "-2Mi", "hugepages.pageSize: -2Mi of memory is negative"),
    ],
)
def test_memory_that_huge_pages_cannot_share_out_is_refused(memory, page, refusal):
    with pytest.raises(DomainError) as error:
        passed_through((0, 1, 8, 9), memory, page)
    assert str(error.value) == f"spec.domain.memory.{refusal}"


def test_a_huge_page_a_node_is_enough():
    assert [cell.memory for cell in passed_through((0, 1, 8, 9), "4Mi")] == [2 * 2**20, 2 * 2**20]


def test_numa_passthrough_needs_huge_pages():
    text = "domain.cpu: {dedicatedCpuPlacement: true, numa: {guestMappingPassthrough: {}}}"
    vmi, context = make_vmi(text), make_context(topology=TWO_NODES, cpu_set=(0,))
    with pytest.raises(DomainError) as refusal:
        cells_of(vmi, context)
    assert str(refusal.value) == "spec.domain.memory.hugepages: passing NUMA nodes through needs huge pages"


def test_a_host_without_nodes_passes_none_through():
    assert passthrough_cells(None, Quantity.parse("1Gi"), HostTopology(), Pinning((0,)), {}) == ()


def test_cells_know_their_distances_to_each_other_and_to_none_else():
    distances = {0: {0: 10, 1: 21, 2: 31}, 1: {0: 22, 1: 10}}
    pinning = Pinning((8, 0))
    cells = passthrough_cells(Hugepages(page_size="2Mi"), Quantity.parse("4Mi"), TWO_NODES, pinning, distances)
    assert [(cell.host_node, cell.vcpus, cell.distances) for cell in cells] == [
        (0, (1,), ((0, 10), (1, 21))),
        (1, (0,), ((0, 22), (1, 10))),
    ]
    assert [
        cell.distances
        for cell in passthrough_cells(
            Hugepages(page_size="2Mi"), Quantity.parse("4Mi"), TWO_NODES, pinning, {1: {0: 22}}
        )
    ] == [(), ((0, 22),)]


def test_without_passthrough_no_memory_is_bound():
    vmi, context = make_vmi("domain.cpu: {dedicatedCpuPlacement: true}"), make_context(topology=TWO_NODES, cpu_set=(0,))
    assert part("numatune", vmi, context) is None
    assert part("memoryBacking", vmi, context) is None
