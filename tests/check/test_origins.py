"""Of which field of an instance type a refusal of its VM is, and by which rule."""

from __future__ import annotations

import pytest

from virtcatalog.api.decode import convert
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec
from virtcatalog.check.probes import _ORIGINS, HUGEPAGES, PLACEMENT, TYPE_REFUSED, _origin
from virtcatalog.errors import Reason

DOMAIN = "spec.template.spec.domain"
PLAIN = {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}
PAGES = PLAIN | {"memory": {"guest": "1Gi", "hugepages": {"pageSize": "2Mi"}}}


@pytest.mark.parametrize(
    ("field", "rule", "own"),
    [
        ("memory.hugepages.pageSize", HUGEPAGES, "spec.memory.hugepages.pageSize"),
        ("cpu.numa.guestMappingPassthrough", PLACEMENT, "spec.cpu.numa"),
        ("cpu.realtime", PLACEMENT, "spec.cpu.realtime"),
        ("cpu.isolateEmulatorThread", PLACEMENT, "spec.cpu.isolateEmulatorThread"),
        ("cpu.dedicatedCpuPlacement", PLACEMENT, "spec.cpu.dedicatedCPUPlacement"),
        ("cpu.maxSockets", TYPE_REFUSED, "spec.cpu.maxSockets"),
        ("cpu.sockets", TYPE_REFUSED, "spec.cpu.maxSockets"),
        ("memory.maxGuest", TYPE_REFUSED, "spec.memory.maxGuest"),
        ("memory.guest", TYPE_REFUSED, "spec.memory.guest"),
        ("resources.requests.memory", TYPE_REFUSED, "spec.memory.guest"),
        ("launchSecurity.sev", TYPE_REFUSED, "spec.launchSecurity"),
        ("devices.gpus[0].name", TYPE_REFUSED, "spec.gpus"),
        ("devices.disks[0]", TYPE_REFUSED, ""),
    ],
)
def test_a_refusal_at_a_field_of_the_vm(field: str, rule: object, own: str) -> None:
    spec = convert(PLAIN, VirtualMachineInstancetypeSpec)
    assert _origin(Reason(f"{DOMAIN}.{field}", "is odd", "vm"), spec) == (rule, own)


def test_memory_that_is_asked_for_in_huge_pages() -> None:
    spec = convert(PAGES, VirtualMachineInstancetypeSpec)
    assert _origin(Reason(f"{DOMAIN}.resources.requests.memory", "is odd", "vm"), spec) == (
        HUGEPAGES,
        "spec.memory.guest",
    )
    assert _origin(Reason(f"{DOMAIN}.memory.guest", "is odd", "vm"), spec) == (TYPE_REFUSED, "spec.memory.guest")


@pytest.mark.parametrize("start", [start for start, _, _ in _ORIGINS])
def test_what_is_elsewhere_is_of_no_field(start: str) -> None:
    spec = convert(PLAIN, VirtualMachineInstancetypeSpec)
    assert _origin(Reason(f"spec.template.spec.{start}", "is odd", "vm"), spec) == (TYPE_REFUSED, "")
