"""What the Pods of a VM, or of all VMs of a pool or ReplicaSet, request before and after a change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from virtcatalog.api.kinds import replicas
from virtcatalog.manifests.identity import Data
from virtcatalog.review.outcome import Outcome
from virtcatalog.review.requests import requested
from virtcatalog.review.verdict import Requested, Requests, When

_AT_ONCE = ("create", "start", "stop", "delete", "migrate")
_FROM_CREATION = ("template", "kept")


def requests_of(
    before: Outcome | None, after: Outcome | None, vms: tuple[Data | None, Data | None], now: str
) -> Requests | None:
    """Return what Pods request before and after; None where that is the same, or one of both is not modelled."""
    if any(of is not None and of.result is None for of in (before, after)):
        return None
    numbers = _number(vms[0]), _number(vms[1])
    return _requests(_of(before, numbers[0]), _of(after, numbers[1]), numbers, now)


def requests_of_staying(
    before: Outcome, staying: Outcome, created: Outcome, vms: tuple[Data, Data], now: str
) -> Requests | None:
    """Return what the Pods of a pool or ReplicaSet request whose VMs stay as `staying`, and get others as `created`."""
    numbers = _number(vms[0]), _number(vms[1])
    stay = min(numbers)
    after = _sum([_of(staying, stay), _of(created, numbers[1] - stay)])
    return _requests(_of(before, numbers[0]), after, numbers, now)


def _requests(before: Requested | None, after: Requested | None, numbers: tuple[int, int], now: str) -> Requests | None:
    if before == after:
        return None
    when: When = "now" if now in _AT_ONCE else "created anew" if now in _FROM_CREATION else "next start"
    if before is None or after is None:
        return Requests(before, after, when, max(numbers))
    return Requests(before, after, when, numbers[1], numbers[0] if numbers[0] != numbers[1] else None)


def _of(outcome: Outcome | None, vms: int) -> Requested | None:
    return requested(outcome.result, vms) if outcome is not None and vms else None


def _sum(parts: Iterable[Requested | None]) -> Requested | None:
    amounts, guest, is_any = Counter[str](), 0, False
    for part in parts:
        if part is not None:
            amounts.update(part.amounts)
            guest, is_any = guest + part.guest, True
    return Requested(dict(amounts), guest) if is_any else None


def _number(vm: Data | None) -> int:
    """How many VMs a manifest stands for."""
    number = replicas(vm) if vm is not None else None
    return 1 if number is None else number
