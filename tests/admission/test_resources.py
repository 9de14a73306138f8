import pytest

from virtcatalog.kubevirt.admission.memory import (
    validate_cpu_limits,
    validate_cpu_requests,
    validate_memory_limits,
    validate_memory_requests,
)

MEMORY = "domain.resources.requests.memory"
MEMORY_LIMIT = "domain.resources.limits.memory"
CPU = "domain.resources.requests.cpu"
CPU_LIMIT = "domain.resources.limits.cpu"


@pytest.mark.parametrize(
    ("memory", "causes"),
    [
        ("1Gi", []),
        ("0", []),
        ("1M", []),
        ("999k", [f"Invalid spec.{MEMORY}"]),
        ("-1Gi", [f"Invalid spec.{MEMORY}"]),
        ("9223372036854775807", []),
        ("9223372036854775808", [f"Invalid spec.{MEMORY}"]),
        ("10E", []),
    ],
)
def test_requested_memory_is_nothing_or_at_least_1m(causes_of, memory, causes):
    assert causes_of(validate_memory_requests, f"{{{MEMORY}: {memory}}}") == causes


@pytest.mark.parametrize(
    ("memory", "limit", "causes"),
    [
        ("1Gi", "1Gi", []),
        ("1Gi", "0", []),
        ("0", "1Gi", []),
        ("2Gi", "1Gi", [f"Invalid spec.{MEMORY}"]),
        ("1Gi", "-1Gi", [f"Invalid spec.{MEMORY_LIMIT}"]),
    ],
)
def test_the_memory_limit_is_not_below_the_request(causes_of, memory, limit, causes):
    assert causes_of(validate_memory_limits, f"{{{MEMORY}: {memory}, {MEMORY_LIMIT}: {limit}}}") == causes


@pytest.mark.parametrize(("cpu", "causes"), [("100m", []), ("0", []), ("-1", [f"Invalid spec.{CPU}"])])
def test_requested_cpu_time_is_not_negative(causes_of, cpu, causes):
    assert causes_of(validate_cpu_requests, f"{{{CPU}: {cpu}}}") == causes


@pytest.mark.parametrize(
    ("cpu", "limit", "causes"),
    [
        ("500m", "500m", []),
        ("2", "0", []),
        ("501m", "500m", [f"Invalid spec.{CPU}"]),
        ("1", "-1", [f"Invalid spec.{CPU_LIMIT}"]),
    ],
)
def test_the_cpu_limit_is_not_below_the_request(causes_of, cpu, limit, causes):
    assert causes_of(validate_cpu_limits, f"{{{CPU}: {cpu}, {CPU_LIMIT}: {limit}}}") == causes


def test_a_limit_that_overflows_is_negative(causes_of):
    assert causes_of(validate_memory_limits, f"{{{MEMORY_LIMIT}: 9223372036854775808}}") == [
        f"Invalid spec.{MEMORY_LIMIT}"
    ]
    assert causes_of(validate_memory_limits, f"{{{MEMORY_LIMIT}: 8Ei}}") == []
