"""`<memory>`, `<maxMemory>` and `<memoryBacking>`."""

import pytest
from fragments import make_context, make_vmi, xml
from hypothesis import given
from hypothesis import strategies as st

from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.launcher.elements.memory import in_bytes, memory
from virtcatalog.kubevirt.launcher.elements.memorybacking import memorybacking
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.numa import GuestCell, memfd_cell

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
    assert xml(memory(make_vmi(text))) == xml(expected)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("domain.memory: {guest: -1Gi}", "spec.domain.memory.guest"),
        ("domain.memory: {guest: 1Gi, maxGuest: -1Gi}", "spec.domain.memory.maxGuest"),
        ("domain.memory: {maxGuest: 1Gi}", "spec.domain.memory.guest"),
    ],
)
def test_impossible_memory_is_refused(text, field):
    with pytest.raises(DomainError) as refusal:
        memory(make_vmi(text))
    assert refusal.value.field == field


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
    assert xml(memorybacking(make_vmi(text, annotations=annotations), ())) == xml(expected)


def test_passed_through_nodes_get_their_huge_pages_at_once():
    vmi = make_vmi("domain.memory: {hugepages: {pageSize: 1Gi}}")
    assert xml(memorybacking(vmi, CELLS)) == xml(
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
    text = "domain.memory: {hugepages: {pageSize: 1Gi}}\ndomain.cpu: {realtime: {}}"
    assert memorybacking(make_vmi(text), CELLS).find("nosharepages") is not None
    assert memorybacking(make_vmi(text), ()).find("nosharepages") is None


def test_memfd_needs_one_cell_for_all_cpus():
    vmi = make_vmi("domain.memory: {guest: 1Gi}\ndomain.cpu: {sockets: 2, maxSockets: 4}")
    cell = memfd_cell(vmi, make_context())
    assert (cell.id, cell.cpus, cell.memory, cell.unit, cell.host_node) == (0, "0-3", 2**20, "KiB", None)
