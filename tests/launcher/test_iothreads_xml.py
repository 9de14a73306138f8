"""`<iothreads>`: how many threads serve the disks."""

import pytest
from fragments import make_vmi, part, xml

from virtcatalog.kubevirt.launcher.elements.iothreads import iothread_counts

THREE = "[{name: a}, {name: b}, {name: c}]"


@pytest.mark.parametrize(
    ("text", "disks", "counts"),
    [
        ("", "[{name: a}]", (0, 0)),
        ("", "[{name: a, dedicatedIOThread: true}, {name: b}]", (2, 1)),
        ("", "[{name: a, dedicatedIOThread: false}]", (0, 0)),
        ("domain.ioThreadsPolicy: shared", "[{name: a}, {name: b}]", (1, 1)),
        ("domain.ioThreadsPolicy: shared", "[{name: a, dedicatedIOThread: true}, {name: b}]", (2, 1)),
        ("domain.ioThreadsPolicy: auto", THREE, (2, 2)),
        ("domain.ioThreadsPolicy: auto", "[]", (0, 0)),
        ("domain.ioThreadsPolicy: auto\ndomain.resources: {requests: {cpu: 2}}", THREE, (3, 3)),
        ("domain.ioThreadsPolicy: auto\ndomain.resources: {limits: {cpu: 2}}", THREE, (3, 3)),
        (
            "domain.ioThreadsPolicy: auto\ndomain.cpu: {dedicatedCpuPlacement: true, isolateEmulatorThread: true}",
            "[{name: a}, {name: b}]",
            (1, 1),
        ),
        ("domain.ioThreadsPolicy: auto\ndomain.cpu: {dedicatedCpuPlacement: true}", "[{name: a}, {name: b}]", (2, 2)),
        ("domain.ioThreadsPolicy: auto\ndomain.cpu: {isolateEmulatorThread: true}", "[{name: a}, {name: b}]", (2, 2)),
        ("domain.ioThreadsPolicy: auto\ndomain.resources: {requests: {cpu: 1}, limits: {cpu: 4}}", THREE, (2, 2)),
        (
            "domain.ioThreadsPolicy: auto",
            "[{name: a, dedicatedIOThread: true}, {name: b, dedicatedIOThread: true}, {name: c}, {name: d}]",
            (3, 1),
        ),
        ("domain.ioThreadsPolicy: supplementalPool", "[{name: a}]", (0, 0)),
        (
            "domain.ioThreadsPolicy: supplementalPool\ndomain.ioThreads: {supplementalPoolThreadCount: 4}",
            "[{name: a}]",
            (4, 0),
        ),
    ],
)  # fmt: skip
def test_io_threads_and_those_that_disks_share(text, disks, counts):
    assert iothread_counts(make_vmi(f"domain.devices: {{disks: {disks}}}\n{text}").spec.domain) == counts


def test_the_element_counts_them():
    vmi = make_vmi("domain.devices: {disks: [{name: a, cdrom: {bus: sata}}]}\ndomain.ioThreadsPolicy: auto")
    assert xml(part("iothreads", vmi)) == xml("<iothreads>1</iothreads>")


def test_no_element_without_any():
    assert part("iothreads", make_vmi()) is None
