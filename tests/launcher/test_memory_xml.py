"""`<memory>`, `<maxMemory>` and `<memoryBacking>`."""

import pytest
from fragments import make_vmi, part, parts, xml
from hypothesis import given
from hypothesis import strategies as st

from virtcatalog.api.domainspec import Hugepages
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.launcher.elements.memory import in_bytes
from virtcatalog.kubevirt.launcher.elements.memorybacking import memorybacking
from virtcatalog.kubevirt.launcher.elements.vcpu import CPUTopology
from virtcatalog.kubevirt.launcher.numa import GuestCell, memfd_cell

GIBIBYTES = Hugepages(page_size="1Gi")
CELLS = (GuestCell(0, (0,), "0", 2**30, "b", 0), GuestCell(1, (1,), "1", 2**30, "b", 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("domain.memory: {guest: 1Gi}", '<memory unit="b">1073741824</memory>'),
        ("domain.memory: {guest: 1Gi, maxGuest: 1024Mi}", '<memory unit="b">1073741824</memory>'),
        (
            "domain.memory: {guest: 1Gi, maxGuest: 4Gi}",
            '<maxMemory unit="b" slots="0">4294967296</maxMemory><memory unit="b">1073741824</memory>',
        ),
        ("domain.resources: {requests: {memory: 512M}}", '<memory unit="b">512000000</memory>'),
        ("domain.resources: {limits: {memory: 2M}}", '<memory unit="b">2000000</memory>'),
        ("domain.resources: {requests: {memory: 1M}, limits: {memory: 2M}}", '<memory unit="b">1000000</memory>'),
        ("domain.memory: {guest: 1k}\ndomain.resources: {requests: {memory: 1M}}", '<memory unit="b">1000</memory>'),
        ("{}", '<memory unit="b">0</memory>'),
    ],
)
def test_memory(text, expected):
    assert xml(parts("maxMemory memory", make_vmi(text))) == xml(expected)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1500m", 1),
        ("99Ti", 99 * 2**40),
        ("100Ti", 100 * 2**40 - 1),
        ("1Pi", 2**50 - 1),
        ("100T", 10**14),
        ("1e9", 10**9),
    ],
)
def test_what_kubernetes_does_not_hold_as_an_integer_loses_a_byte(text, size):
    assert in_bytes(Quantity.parse(text), "memory") == size


@given(st.integers(0, 2**40))
def test_plain_bytes_are_exact(size):
    assert in_bytes(Quantity.parse(size), "memory") == size


@pytest.mark.parametrize(
    ("text", "annotations", "expected"),
    [
        ("domain.memory: {guest: 1Gi}", {}, ""),
        (
            "domain.memory: {hugepages: {pageSize: 2Mi}}",
            {},
            '<memoryBacking><hugepages/><source type="memfd"/></memoryBacking>',
        ),
        (
            "domain.memory: {hugepages: {pageSize: 2Mi}}",
            {"kubevirt.io/memfd": "false"},
            "<memoryBacking><hugepages/></memoryBacking>",
        ),
        (
            "domain.devices: {filesystems: [{name: data, virtiofs: {}}]}",
            {"kubevirt.io/memfd": "false"},
            '<memoryBacking><source type="memfd"/><access mode="shared"/></memoryBacking>',
        ),
        (
            "domain.devices: {interfaces: [{name: default, passtBinding: {}}]}",
            {},
            '<memoryBacking><source type="memfd"/><access mode="shared"/></memoryBacking>',
        ),
    ],
)
def test_memory_backing(text, annotations, expected):
    vmi = make_vmi(f"{text}\nnetworks: [{{name: default, pod: {{}}}}]", annotations=annotations)
    assert xml(part("memoryBacking", vmi)) == xml(expected)


def test_passed_through_nodes_get_their_huge_pages_at_once():
    assert xml(memorybacking(GIBIBYTES, CELLS, shares_memory=False, memfd=True, realtime=False)) == xml(
        """<memoryBacking>
             <hugepages>
               <page size="1073741824" unit="b" nodeset="0"/>
               <page size="1073741824" unit="b" nodeset="1"/>
             </hugepages>
             <source type="memfd"/>
             <allocation mode="immediate"/>
           </memoryBacking>"""
    )


def test_realtime_keeps_pages_to_itself():
    bound, free = (
        memorybacking(GIBIBYTES, cells, shares_memory=False, memfd=True, realtime=True) for cells in (CELLS, ())
    )
    assert bound.find("nosharepages") is not None
    assert free.find("nosharepages") is None


def test_memfd_needs_one_cell_for_all_cpus():
    cell = memfd_cell(CPUTopology(4, 1, 1), Quantity.parse("1Gi"))
    assert (cell.id, cell.cpus, cell.memory, cell.unit, cell.host_node) == (0, "0-3", 2**20, "KiB", None)
