import pytest

from virtcatalog.kubevirt.admission.cpu import validate_io_threads_policy

COUNT = ["Invalid spec.domain.ioThreads.count"]


@pytest.mark.parametrize(
    ("domain", "causes"),
    [
        ("ioThreadsPolicy: shared", []),
        ("ioThreadsPolicy: auto", []),
        ("ioThreadsPolicy: dedicated", ["Invalid spec.domain.ioThreadsPolicy"]),
        ("ioThreadsPolicy: ''", ["Invalid spec.domain.ioThreadsPolicy"]),
        ("ioThreadsPolicy: supplementalPool, ioThreads: {supplementalPoolThreadCount: 1}", []),
        ("ioThreadsPolicy: supplementalPool, ioThreads: {supplementalPoolThreadCount: 0}", COUNT),
        ("ioThreadsPolicy: supplementalPool, ioThreads: {}", COUNT),
        ("ioThreadsPolicy: supplementalPool", COUNT),
        ("ioThreads: {supplementalPoolThreadCount: 0}", []),
    ],
)
def test_io_threads(causes_of, domain, causes):
    assert causes_of(validate_io_threads_policy, f"domain: {{devices: {{}}, {domain}}}") == causes
