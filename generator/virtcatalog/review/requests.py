"""What Pods of VMs request on both sides of a change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from virtcatalog.api.kinds import replicas
from virtcatalog.capacity.demand import devices_of
from virtcatalog.capacity.nodes import amounts
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.pipeline import Result
from virtcatalog.kubevirt.pod.amounts import pod_requests
from virtcatalog.kubevirt.pod.facts import Facts
from virtcatalog.kubevirt.pod.resources import requested_memory
from virtcatalog.manifests.identity import Data
from virtcatalog.review.outcome import Outcome
from virtcatalog.review.verdict import Requested, Requests, When

_SHARED = ("cpu", "memory")
_AT_ONCE = ("create", "start", "stop", "delete", "migrate")
_FROM_CREATION = ("template", "kept")


def requested(result: Result | None, vms: int = 1) -> Requested | None:
    """What the Pods of so many alike VMs request; None when they have none, or when that cannot be told."""
    if result is None or not result.admitted or result.vmi_object is None or result.cluster is None:
        return None
    try:
        pod = result.pod
    except UnsupportedError:
        return None
    if pod is None:
        return None
    vmi = result.vmi_object
    guest = 0
    if vmi.spec.domain.memory is None or vmi.spec.domain.memory.hugepages is None:
        base = requested_memory(vmi, result.cluster.computed(Facts))
        guest = base.amount.value if base is not None else 0
    wanted = amounts(pod_requests(pod))
    shared = {name: amount for name, amount in wanted.items() if name in _SHARED or name.startswith("hugepages-")}
    amounts_of_all = {name: amount * vms for name, amount in {**shared, **devices_of(wanted)}.items()}
    return Requested(amounts_of_all, guest * vms)


def requests_of(
    before: Outcome | None, after: Outcome | None, vms: tuple[Data | None, Data | None], now: str
) -> Requests | None:
    """Return what Pods request before and after; None where that is the same, or not known of one of both."""
    numbers = _number(vms[0]), _number(vms[1])
    if not (_is_known(before, numbers[0]) and _is_known(after, numbers[1])):
        return None
    return _changed_requests(_of(before, numbers[0]), _of(after, numbers[1]), numbers, now)


def requests_of_staying(
    before: Outcome, staying: Outcome, created: Outcome, vms: tuple[Data, Data], now: str
) -> Requests | None:
    """Return what the Pods of a pool or ReplicaSet request whose VMs stay as `staying`, and get others as `created`.

    None as of `requests_of`.
    """
    numbers = _number(vms[0]), _number(vms[1])
    stay = min(numbers)
    parts = ((staying, stay), (created, numbers[1] - stay))
    if not all(_is_known(*part) for part in ((before, numbers[0]), *parts)):
        return None
    after = _requested_together([_of(*part) for part in parts])
    return _changed_requests(_of(before, numbers[0]), after, numbers, now)


def _is_known(outcome: Outcome | None, vms: int) -> bool:
    """Whether it can be told what the Pods of so many VMs request, if they have any."""
    if outcome is None or not vms:
        return True
    if outcome.result is None:
        return False
    try:
        _ = outcome.result.pod
    except UnsupportedError:
        return False
    return True


def _changed_requests(
    before: Requested | None, after: Requested | None, numbers: tuple[int, int], now: str
) -> Requests | None:
    if before == after:
        return None
    when: When = "now" if now in _AT_ONCE else "created anew" if now in _FROM_CREATION else "next start"
    if before is None or after is None:
        return Requests(before, after, when, max(numbers))
    return Requests(before, after, when, numbers[1], numbers[0] if numbers[0] != numbers[1] else None)


def _of(outcome: Outcome | None, vms: int) -> Requested | None:
    return requested(outcome.result, vms) if outcome is not None and vms else None


def _requested_together(parts: Iterable[Requested | None]) -> Requested | None:
    pods = [part for part in parts if part is not None]
    return Requested(dict(total(part.amounts for part in pods)), sum(map(guest_of, pods))) if pods else None


def _number(vm: Data | None) -> int:
    """How many VMs a manifest stands for."""
    number = replicas(vm) if vm is not None else None
    return 1 if number is None else number


def total(parts: Iterable[Mapping[str, int]]) -> Counter[str]:
    """Return the sums of amounts, name by name."""
    together: Counter[str] = Counter()
    for amounts_of_part in parts:
        together.update(amounts_of_part)
    return together


def guest_of(requested: Requested | None) -> int:
    """Return the part of the memory that is the guests' own."""
    return requested.guest if requested is not None else 0
