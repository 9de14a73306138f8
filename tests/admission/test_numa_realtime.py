import pytest

from virtcatalog.kubevirt.admission.cpu import validate_numa, validate_realtime

NUMA = "spec.domain.cpu.numa.guestMappingPassthrough"


@pytest.mark.parametrize(
    ("dedicated", "memory", "causes"),
    [
        ("true", "{hugepages: {pageSize: 1Gi}}", []),
        ("true", "{guest: 1Gi}", [f"Invalid {NUMA}"]),
        ("false", "{hugepages: {pageSize: 1Gi}}", [f"Invalid {NUMA}"]),
        ("false", "{}", [f"Invalid {NUMA}"] * 2),
    ],
)
def test_numa_passthrough_needs_dedicated_cpus_and_huge_pages(causes_of, dedicated, memory, causes):
    cpu = f"{{numa: {{guestMappingPassthrough: {{}}}}, dedicatedCpuPlacement: {dedicated}}}"
    assert causes_of(validate_numa, f"{{domain.cpu: {cpu}, domain.memory: {memory}}}") == causes


@pytest.mark.parametrize("cpu", ["{}", "{numa: {}}"])
def test_without_numa_passthrough_nothing_is_needed(causes_of, cpu):
    assert causes_of(validate_numa, f"domain.cpu: {cpu}") == []


@pytest.mark.parametrize(
    ("cpu", "causes"),
    [
        ("{realtime: {}, dedicatedCpuPlacement: true, numa: {guestMappingPassthrough: {}}}", []),
        ("{realtime: {}, dedicatedCpuPlacement: true, numa: {}}", [f"Required {NUMA}"]),
        ("{realtime: {}}", ["Required spec.domain.cpu.dedicatedCpuPlacement", f"Required {NUMA}"]),
        ("{}", []),
    ],
)
def test_realtime_needs_dedicated_cpus_and_numa_passthrough(causes_of, cpu, causes):
    assert causes_of(validate_realtime, f"domain.cpu: {cpu}") == causes
