import pytest

from virtcatalog.kubevirt.admission.memory import (
    validate_guest_memory,
    validate_memory_is_set,
    validate_reserved_overhead,
)

STAGE = "vmRolloutStrategy: Stage"


@pytest.mark.parametrize(
    ("guest", "config", "causes"),
    [
        ("1Gi", STAGE, []),
        ("2Gi", STAGE, ["Invalid spec.domain.memory.guest"]),
        ("2Gi", "", []),
    ],
)
def test_guest_memory_fits_the_limit_unless_vms_are_updated_live(found, guest, config, causes):
    spec = f"{{domain.memory.guest: {guest}, domain.resources.limits.memory: 1Gi}}"
    assert found(validate_guest_memory, spec, config) == causes


@pytest.mark.parametrize(
    ("gates", "causes"), [([], ["Invalid spec.domain.memory.reservedOverhead"]), (["ReservedOverheadMemlock"], [])]
)
def test_reserved_overhead_needs_its_gate(found, gates, causes):
    assert found(validate_reserved_overhead, "domain.memory.reservedOverhead: {}", gates=gates) == causes


@pytest.mark.parametrize(
    ("spec", "causes"),
    [
        ("domain.memory.guest: 1Gi", []),
        ("domain.memory.hugepages: {pageSize: 2Mi}", []),
        ("domain.resources.requests: {memory: 1Gi}", []),
        ("", ["Required "]),
        ("domain.memory: {}", ["Required "]),
        ("domain.resources.requests: {memory: '0'}", ["Required "]),
        ("domain.resources.limits: {memory: 1Gi}", ["Required "]),
    ],
)
def test_a_vmi_has_memory(found, spec, causes):
    assert found(validate_memory_is_set, spec) == causes
