import pytest

from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.kubevirt.admission.memory import (
    memory_warnings,
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
def test_guest_memory_fits_the_limit_unless_vms_are_updated_live(causes_of, guest, config, causes):
    spec = f"{{domain.memory.guest: {guest}, domain.resources.limits.memory: 1Gi}}"
    assert causes_of(validate_guest_memory, spec, config) == causes


@pytest.mark.parametrize(
    "spec",
    [
        "domain.memory.guest: 2Gi",
        "{domain.memory.guest: 2Gi, domain.resources.limits.memory: 0}",
        "{domain.memory: {}, domain.resources.limits.memory: 1Gi}",
        "domain.resources.limits.memory: 1Gi",
    ],
)
def test_without_a_limit_or_guest_memory_all_fits(causes_of, spec):
    assert causes_of(validate_guest_memory, spec, STAGE) == []


@pytest.mark.parametrize(
    ("guest", "warning"),
    [
        ("4", "4 is a memory of 4 bytes: give it a unit, such as 4Gi"),
        ("1048575", "1048575 is a memory of 1048575 bytes: give it a unit, such as 1048575Gi"),
        ("1023Ki", "1023Ki is less than 1Mi, with which no guest starts"),
        ("100m", "100m is less than 1Mi, with which no guest starts"),
        ("1048576", ""),
        ("1Mi", ""),
        ("0", ""),
        ("-1", ""),
    ],
)
def test_memory_without_a_unit_is_remarked_on(guest, warning):
    spec = convert({"domain": {"devices": {}, "memory": {"guest": guest}}}, VirtualMachineInstanceSpec)
    warnings = [(warning.type, warning.field, warning.message) for warning in memory_warnings(spec, "spec")]
    assert warnings == ([("Suspect", "spec.domain.memory.guest", warning)] if warning else [])


@pytest.mark.parametrize(
    ("gates", "causes"), [([], ["Invalid spec.domain.memory.reservedOverhead"]), (["ReservedOverheadMemlock"], [])]
)
def test_reserved_overhead_needs_its_gate(causes_of, gates, causes):
    assert causes_of(validate_reserved_overhead, "domain.memory.reservedOverhead: {}", gates=gates) == causes


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
def test_a_vmi_has_memory(causes_of, spec, causes):
    assert causes_of(validate_memory_is_set, spec) == causes
