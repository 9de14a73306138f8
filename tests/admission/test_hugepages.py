import pytest

from virtcatalog.kubevirt.admission.memory import validate_hugepages

MEMORY = ["Invalid spec.domain.resources.requests.memory"]
SIZE = ["Invalid spec.domain.memory.hugepages.pageSize"]


@pytest.mark.parametrize(
    ("size", "guest", "causes"),
    [
        ("2Mi", "64Mi", []),
        ("1Gi", "1Gi", []),
        ("1Gi", "0", []),
        ("1Gi", "512Mi", MEMORY),
        ("2Mi", "65Mi", MEMORY),
        ("big", "1Gi", SIZE),
        ("", "1Gi", SIZE),
        (" 2Mi", "1Gi", SIZE),
        ("0", "1Gi", [" "]),
    ],
)
def test_memory_is_a_whole_number_of_pages(causes_of, size, guest, causes):
    spec = f"{{domain.memory.hugepages.pageSize: '{size}', domain.memory.guest: {guest}}}"
    assert causes_of(validate_hugepages, spec) == causes


def test_the_request_counts_before_the_guests_memory_and_the_limit_last(causes_of):
    page = "domain.memory.hugepages.pageSize: 1Gi"
    request, limit = "domain.resources.requests.memory", "domain.resources.limits.memory"
    assert causes_of(validate_hugepages, f"{{{page}, {request}: 1Gi, domain.memory.guest: 512Mi}}") == []
    assert causes_of(validate_hugepages, f"{{{page}, {request}: 512Mi, domain.memory.guest: 1Gi}}") == MEMORY
    assert causes_of(validate_hugepages, f"{{{page}, {limit}: 512Mi}}") == MEMORY
    assert causes_of(validate_hugepages, f"{{{page}, domain.memory.guest: 1Gi, {limit}: 512Mi}}") == []
