"""Values that KubeVirt takes and that were hardly meant."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from virtcatalog.api.decode import convert
from virtcatalog.api.instancetype import VirtualMachinePreferenceSpec
from virtcatalog.catalog.labels import PREFIX
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.subject import Inventory, Subject
from virtcatalog.errors import counted
from virtcatalog.kubevirt.launcher.elements.clock import timer_faults
from virtcatalog.manifests.fields import get

DECIMAL = Rule(
    "decimal-memory",
    "warning",
    "An amount of memory counts in powers of ten: 4G is 7 % less than 4Gi.",
    "It rarely fits what the guest, huge pages and quotas count in, and differs from its neighbours by a little.",
    "Write Ki, Mi, Gi or Ti; allow the finding where the amount is meant.",
)
BYTES = Rule(
    "memory-in-bytes",
    "warning",
    "An amount of memory without a unit is bytes, and so few of them that a unit was hardly left out on purpose.",
    "No guest starts with it, and no VM has it to meet a requirement.",
    "Write Mi or Gi.",
)
OS_TYPE = Rule(
    "os-type",
    "warning",
    "The kind of guest is spelt almost as a usual one.",
    "Consoles and selections that go by the label do not find the preference.",
    "Write linux, windows or legacy, as the preferences that KubeVirt deploys.",
)
TIMER = Rule(
    "timer-word",
    "error",
    "A preference gives a timer a tick policy or a track that libvirt does not know.",
    "KubeVirt takes any word; libvirt refuses the domain, and no VM with the preference starts.",
    "Write delay, catchup, merge or discard as tickPolicy; boot, guest, wall or realtime as track.",
)
RULES = (DECIMAL, BYTES, OS_TYPE, TIMER)

RATIO = "memoryPerVcpu"
"""The field of a class from which its sizes have their memory."""

_MEBIBYTE = 2**20
_DECIMAL = ("k", "M", "G", "T", "P", "E")
_OS_TYPES = ("linux", "windows", "legacy")
_MEMORY = ("spec.memory.guest", "spec.memory.maxGuest", "spec.requirements.memory.guest")


def check(inventory: Inventory) -> Iterator[Finding]:
    """Check every instance type and preference."""
    types = inventory.catalog.instancetypes if inventory.catalog else ()
    ratios = {entry.name: str(entry.memory_per_vcpu) for entry in types if entry.memory_per_vcpu}
    for subject in inventory.objects:
        ratio = ratios.get(subject.name, "") if subject.origin == "catalog" and subject.is_instancetype else ""
        yield from _memory(subject, ratio)
        yield from _os_type(subject)
        clock = convert(subject.spec, VirtualMachinePreferenceSpec).clock if subject.is_preference else None
        for field, message in timer_faults(clock.preferred_timer if clock is not None else None):
            yield subject.finding(TIMER, message, f"spec.clock.preferredTimer.{field}")


def _memory(subject: Subject, ratio: str) -> Iterator[Finding]:
    """Amounts of memory with a doubtful unit; one that follows from its class's ratio is reported at the ratio."""
    for field in _MEMORY:
        amount = get(subject.manifest, tuple(field.split(".")))
        if ratio and field == "spec.memory.guest" and subject.place(field) == subject.place(""):
            amount, field = ratio, RATIO
        if isinstance(amount, str) and amount.endswith(_DECIMAL):
            yield subject.finding(DECIMAL, f"{amount} counts in powers of ten; did you mean {amount}i?", field)
        elif _lacks_unit(amount):
            yield subject.finding(BYTES, f"{amount} is {counted(int(amount), 'byte')}; did you mean {amount}Gi?", field)


def _os_type(subject: Subject) -> Iterator[Finding]:
    label = f"{PREFIX}os-type"
    os_type = subject.labels.get(label) if subject.is_preference else None
    near = get_close_matches(str(os_type), _OS_TYPES, n=1) if os_type and os_type not in _OS_TYPES else []
    if near:
        field = f"metadata.labels[{label}]"
        yield subject.finding(OS_TYPE, f"{os_type!r} is none of the usual ones; did you mean {near[0]!r}?", field)


def has_bytes(subject: Subject) -> bool:
    """Whether an amount of memory has no unit, where a unit was meant."""
    return any(_lacks_unit(get(subject.manifest, tuple(field.split(".")))) for field in _MEMORY)


def _lacks_unit(amount: Any) -> bool:
    return str(amount).isdecimal() and 0 < int(amount) < _MEBIBYTE
