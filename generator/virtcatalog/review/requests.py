"""What a change does to what VMs ask of their cluster, by environment, namespace and cause, and what that costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from virtcatalog.capacity.demand import devices_of
from virtcatalog.capacity.nodes import amounts, shown
from virtcatalog.errors import UnsupportedError, counted
from virtcatalog.kubevirt.pipeline import Result
from virtcatalog.kubevirt.pod.amounts import pod_requests
from virtcatalog.kubevirt.pod.facts import Facts
from virtcatalog.kubevirt.pod.resources import requested_memory
from virtcatalog.review.verdict import Requested, Verdict
from virtcatalog.units import count, memory

if TYPE_CHECKING:
    from virtcatalog.catalog.prices import Prices

_SHARED = ("cpu", "memory")


def load_prices(file: str) -> Prices:
    """Read a file of prices; ManifestError carries everything that is wrong with it."""
    from virtcatalog.catalog.prices import load_prices as load

    return load(file, unusable={"classes": "what Pods request is of no class: here it cannot be told what they cost"})


class RequestChange(msgspec.Struct, frozen=True, kw_only=True):
    """How requests change together of VMs of one environment and namespace, for one cause, and from when on.

    `template` says that they are VM templates of the catalog, which nobody may have taken yet. `guest` is the part of
    the change of `memory` that the guests' own memory is.
    """

    environment: str
    namespace: str
    cause: str
    when: str
    template: bool
    vms: int
    wanted: Mapping[str, int]
    guest: int

    @property
    def overhead(self) -> int:
        """The part of the change of memory that is beside the guests'."""
        return self.wanted.get("memory", 0) - self.guest


def request_changes(verdicts: Iterable[Verdict]) -> list[RequestChange]:
    """Sum up how requests change, by environment, namespace, cause and when: the largest first, templates last."""
    found: dict[tuple[str, str, str, str, bool], tuple[Counter[str], list[int]]] = {}
    for verdict in verdicts:
        changed = verdict.requests
        if changed is None:
            continue
        namespace = "" if verdict.template else verdict.vm.partition("/")[0]
        key = verdict.environment, namespace, _cause(verdict), changed.when, verdict.template
        amounts, numbers = found.setdefault(key, (Counter(), [0, 0]))
        numbers[0] += 1
        for requested, sign in ((changed.before, -1), (changed.after, 1)):
            if requested is not None:
                numbers[1] += sign * requested.guest
                for name, amount in requested.amounts.items():
                    amounts[name] += sign * amount
    changes = [
        RequestChange(
            environment=environment,
            namespace=namespace,
            cause=cause,
            when=when,
            template=template,
            vms=vms,
            wanted={name: amount for name, amount in sorted(amounts.items()) if amount},
            guest=guest,
        )
        for (environment, namespace, cause, when, template), (amounts, (vms, guest)) in sorted(found.items())
    ]
    return sorted(changes, key=lambda change: (change.template, -abs(change.wanted.get("memory", 0))))


def _cause(verdict: Verdict) -> str:
    return ", ".join(sorted({cause.name for cause in verdict.because})) or "configuration or release"


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


def total(changes: Iterable[RequestChange]) -> Counter[str]:
    """What changes in all."""
    found: Counter[str] = Counter()
    for change in changes:
        found.update(dict(change.wanted))
    return found


def sentence(change: RequestChange, prices: Prices | None = None) -> str:
    """One line: `production, team-a, m.large: 12 VMs: +2.4 CPUs, +48.2 GiB (guest +48 GiB, overhead +192 MiB)`."""
    where = ", ".join(filter(None, (change.environment, change.namespace, change.cause)))
    who = counted(change.vms, "VM template" if change.template else "VM")
    when = "" if change.template else f" {_WHEN[change.when]}"
    return f"{where}: {who}: {_wanted(change, [change], prices)}{when}"


_WHEN = {"now": "now", "next start": "at the next start", "created anew": "once created anew"}


def request_lines(verdicts: Iterable[Verdict], prices: Prices | None) -> list[str]:
    """Say how requests change, a line each: all VMs together by when that is, then the largest changes."""
    changes = request_changes(verdicts)
    lines = [sentence(change, prices) for change in changes]
    totals = []
    for when in _WHEN:
        vms = [change for change in changes if change.when == when and not change.template]
        if len(vms) > 1:
            totals.append(all_in_all(vms, prices))
    return [*totals, *lines]


def all_in_all(changes: Sequence[RequestChange], prices: Prices | None = None) -> str:
    """One line for several changes: `all VMs: +33.4 CPUs, +1,338.6 GiB (guest +1,336 GiB, overhead +2.6 GiB)`."""
    guest, vms = sum(change.guest for change in changes), sum(change.vms for change in changes)
    wanted = {name: amount for name, amount in sorted(total(changes).items()) if amount}
    together = RequestChange(
        environment="",
        namespace="",
        cause="",
        when=changes[0].when,
        template=False,
        vms=vms,
        wanted=wanted,
        guest=guest,
    )
    return f"all VMs: {_wanted(together, changes, prices)} {_WHEN[together.when]}"


def a_month(changes: Iterable[RequestChange], prices: Prices) -> str:
    """The change of the price of a month; what has no price costs nothing."""
    from fractions import Fraction

    from virtcatalog.catalog.prices import monthly

    return monthly(
        sum((prices.cost(change.wanted, environment=change.environment).hour for change in changes), Fraction())
    )


def _wanted(change: RequestChange, parts: Iterable[RequestChange], prices: Prices | None) -> str:
    """What changes in all; a part's environment may have prices of its own."""
    said = [_said(name, amount, change) for name, amount in change.wanted.items()]
    if prices is not None and change.wanted:
        said.append(" ".join(filter(None, (_signed(a_month(parts, prices)), prices.currency, "a month"))))
    return ", ".join(said) or "as much as before"


def _said(name: str, amount: int, change: RequestChange) -> str:
    if name == "cpu":
        return f"{_signed(count(amount / 1000))} CPUs"
    if name == "memory":
        parts = {"guest": change.guest, "overhead": change.overhead}
        said = ", ".join(f"{part} {_signed(memory(each))}" for part, each in parts.items() if each)
        return f"{_signed(memory(amount))} ({said})"
    return _signed(shown(name, amount))


def _signed(text: str) -> str:
    return text if text.startswith("-") else f"+{text}"
