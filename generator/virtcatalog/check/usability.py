"""Instance types that no preference can use, preferences that no instance type satisfies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from virtcatalog.api.decode import convert
from virtcatalog.api.instancetype import (
    CPUInstancetype,
    MemoryInstancetype,
    VirtualMachineInstancetypeSpec,
    VirtualMachinePreferenceSpec,
)
from virtcatalog.api.quantity import Quantity
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.likely import has_bytes
from virtcatalog.check.pairs import Judge, Shared, distinct, share_namespace
from virtcatalog.check.subject import Inventory, Subject
from virtcatalog.errors import some
from virtcatalog.kubevirt.admission.instancetypes import validate_preference
from virtcatalog.kubevirt.preference.topology import check_spread, preferred_topology

UNUSABLE_TYPE = Rule(
    "unusable-instancetype",
    "warning",
    "An instance type fits no preference of the catalog, or of an environment.",
    "Whoever chooses it has to do without a preference, or is refused.",
    "Give it what the least demanding preference requires, or remove it.",
)
UNUSABLE_PREFERENCE = Rule(
    "unusable-preference",
    "warning",
    "A preference fits no instance type of the catalog, or of an environment.",
    "Every VM that names it and an instance type of the catalog is refused.",
    "Lower its requirements, let its spread divide the vCPUs of some instance type, or add an instance type for it.",
)
SPREAD_REQUIREMENT = Rule(
    "spread-requirement",
    "warning",
    "A preference requires a number of vCPUs that it cannot spread.",
    "A VM that meets the requirement exactly is refused: its vCPUs do not divide.",
    "Require a multiple of the ratio, twice the ratio across `SocketsCoresThreads`.",
)
SPREAD_REMAINDER = Rule(
    "spread-remainder",
    "note",
    "Some instance types meet a preference's requirements, and it cannot spread their vCPUs.",
    "KubeVirt refuses VMs of these pairs, which the requirements seem to admit.",
    "Require more vCPUs, so that the requirement says which instance types are meant, or choose another ratio.",
)
RULES = (UNUSABLE_TYPE, UNUSABLE_PREFERENCE, SPREAD_REQUIREMENT, SPREAD_REMAINDER)

_SHOWN = 5
_NO_MEMORY = MemoryInstancetype(guest=Quantity())


def check(inventory: Inventory) -> Iterator[Finding]:
    """Judge every pair, of the catalog and of every environment."""
    types, preferences = distinct(subject for subject in inventory.objects if subject.origin != "environment")
    shared = Shared()
    judge = Judge([*types, *preferences], inventory.configurations(), inventory.conditions, shared)
    lonely = list(_lonely(types, preferences, judge))
    for subject, message in lonely:
        yield subject.finding(UNUSABLE_TYPE if subject.is_instancetype else UNUSABLE_PREFERENCE, message)
    for preference in preferences:
        if judge.admits(preference):
            yield from _spread(types, preference, judge)
    reported = {(subject.is_instancetype, subject.name) for subject, _ in lonely}
    for overlay in inventory.overlays:
        types, preferences = distinct(inventory.deployed(overlay))
        configurations = inventory.configurations(overlay.name)
        conditions = replace(inventory.conditions, release=inventory.choice(configurations, overlay.name).release)
        judge = Judge([*types, *preferences], configurations, conditions, shared)
        for subject, message in _lonely(types, preferences, judge):
            if (subject.is_instancetype, subject.name) not in reported:
                yield subject.finding(UNUSABLE_TYPE if subject.is_instancetype else UNUSABLE_PREFERENCE, message)


def _lonely(types: Sequence[Subject], preferences: Sequence[Subject], judge: Judge) -> Iterator[tuple[Subject, str]]:
    """Yield the objects that fit no object of the other kind, and why the likeliest of these does not fit.

    An object that is refused on its own, or whose memory lacks a unit, is left out: `probes` and `likely` report it.
    """
    types = [subject for subject in types if judge.admits(subject) and not has_bytes(subject)]
    preferences = [preference for preference in preferences if judge.admits(preference) and not has_bytes(preference)]
    if not types or not preferences:
        return
    modest = min(preferences, key=_required)
    largest = max(types, key=lambda instancetype: int(instancetype.spec["cpu"]["guest"]))
    for instancetype in types:
        if not any(
            judge.verdict(instancetype, preference).fits
            for preference in preferences
            if share_namespace(instancetype, preference)
        ):
            reason = judge.verdict(instancetype, modest).reason
            yield instancetype, f"no preference fits it; {modest.name}: {reason}"
    for preference in preferences:
        if not any(
            judge.verdict(instancetype, preference).fits
            for instancetype in types
            if share_namespace(instancetype, preference)
        ):
            reason = judge.verdict(largest, preference).reason
            yield preference, f"no instance type fits it; {largest.name}: {reason}"


def _required(preference: Subject) -> tuple[int, Quantity]:
    requirements = preference.spec.get("requirements") or {}
    memory = requirements.get("memory") or {"guest": "0"}
    return (requirements.get("cpu") or {"guest": 0})["guest"], Quantity.parse(memory["guest"])


def _spread(types: Sequence[Subject], preference: Subject, judge: Judge) -> Iterator[Finding]:
    spec = convert(preference.spec, VirtualMachinePreferenceSpec)
    if preferred_topology(spec) != "spread" or validate_preference(spec):
        return
    if spec.requirements is not None and spec.requirements.cpu is not None:
        least = CPUInstancetype(guest=spec.requirements.cpu.guest)
        for cause in check_spread(VirtualMachineInstancetypeSpec(cpu=least, memory=_NO_MEMORY), spec):
            message = f"nothing with the required vCPUs can use it: {cause.message}"
            yield preference.finding(SPREAD_REQUIREMENT, message, "spec.requirements.cpu.guest")
    unspread = [subject.name for subject in types if judge.fails_to_spread(subject, preference)]
    if unspread:
        names = some(unspread, _SHOWN)
        yield preference.finding(SPREAD_REMAINDER, f"cannot spread the vCPUs of {names}: they meet its requirements")
