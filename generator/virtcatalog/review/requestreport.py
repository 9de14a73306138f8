"""What a change does to what VMs ask of their cluster, by environment, namespace and cause, and what that costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from virtcatalog.capacity.nodes import amount_text
from virtcatalog.errors import counted
from virtcatalog.review.requests import guest_of, total
from virtcatalog.review.verdict import Requests, Verdict, When
from virtcatalog.units import count, memory

if TYPE_CHECKING:
    from fractions import Fraction

    from virtcatalog.catalog.prices import Prices


def load_prices(file: str) -> Prices:
    """Read a file of prices; ManifestError carries everything that is wrong with it."""
    from virtcatalog.catalog.prices import load_prices as load

    return load(file, unusable={"classes": "what Pods request is of no class: here it cannot be told what they cost"})


class RequestChange(msgspec.Struct, frozen=True, kw_only=True):
    """How requests change together of VMs of one environment and namespace, for one cause, and from when on.

    `template` says that they are VM templates of the catalog, which nobody may have taken yet. `before` and `after`
    are amounts in the scheduler's units. `guest` is the part of the change of memory that the guests' own memory is.
    There are so many `vms` after the change; `vms_before` is another number where pools or ReplicaSets grow or shrink.
    """

    environment: str
    namespace: str
    cause: str
    when: When
    template: bool
    vms: int
    vms_before: int
    before: Mapping[str, int]
    after: Mapping[str, int]
    guest: int

    @property
    def wanted(self) -> dict[str, int]:
        """What is requested more, or less."""
        return more(self.before, self.after)

    @property
    def overhead(self) -> int:
        """The part of the change of memory that is beside the guests'."""
        return self.wanted.get("memory", 0) - self.guest

    def costs(self, prices: Prices) -> tuple[Fraction, Fraction]:
        """What it costs an hour before and after; what has no price costs nothing."""
        before, after = (prices.cost(all_of, environment=self.environment).hour for all_of in (self.before, self.after))
        return before, after


def more(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """Return by how much amounts grow, or shrink, of those that differ."""
    names = sorted({*before, *after})
    return {name: amount for name in names if (amount := after.get(name, 0) - before.get(name, 0))}


def request_changes(verdicts: Iterable[Verdict]) -> list[RequestChange]:
    """Sum up how requests change, by environment, namespace, cause and when: the largest first, templates last."""
    groups: dict[tuple[str, str, str, When, bool], list[Requests]] = {}
    for verdict in verdicts:
        if verdict.requests is not None:
            namespace = "" if verdict.template else verdict.vm.partition("/")[0]
            key = verdict.environment, namespace, _cause(verdict), verdict.requests.when, verdict.template
            groups.setdefault(key, []).append(verdict.requests)
    changes = [
        RequestChange(
            environment=environment,
            namespace=namespace,
            cause=cause,
            when=when,
            template=template,
            vms=sum(request.vms for request in requests),
            vms_before=sum(request.vms if request.vms_before is None else request.vms_before for request in requests),
            before=total(request.before.amounts for request in requests if request.before is not None),
            after=total(request.after.amounts for request in requests if request.after is not None),
            guest=sum(guest_of(request.after) - guest_of(request.before) for request in requests),
        )
        for (environment, namespace, cause, when, template), requests in sorted(groups.items())
    ]
    return sorted(changes, key=lambda change: (change.template, -abs(change.wanted.get("memory", 0))))


def _cause(verdict: Verdict) -> str:
    return ", ".join(sorted({cause.name for cause in verdict.because})) or "configuration or release"


_WHEN: dict[When, str] = {"now": "now", "next start": "at the next start", "created anew": "once created anew"}


class RequestReport(NamedTuple):
    """How requests change: of all VMs together, by when that is, and cause by cause. A line each, and as data."""

    totals: list[str]
    lines: list[str]
    data: dict[str, Any]

    @property
    def all_lines(self) -> list[str]:
        """All of it, the totals first."""
        return [*self.totals, *self.lines]

    @property
    def short(self) -> list[str]:
        """The totals; without any, the first line, and how many more there are."""
        rest = f"; and {len(self.lines) - 1:,} more" if len(self.lines) > 1 else ""
        return self.totals or [f"{line}{rest}" for line in self.lines[:1]]


def request_report(verdicts: Iterable[Verdict], prices: Prices | None) -> RequestReport:
    """Say how requests change and what that costs; a single change of VMs has no total, nor have templates."""
    changes = request_changes(verdicts)
    of_vms = {when: [change for change in changes if change.when == when and not change.template] for when in _WHEN}
    several = sum(map(len, of_vms.values())) > 1
    return RequestReport(
        [_line("all VMs", parts, prices) for parts in of_vms.values() if parts and several],
        [_line(_who(change), [change], prices) for change in changes],
        {
            "requests": [_data([change], prices) for change in changes],
            "requestTotals": [
                {key: value for key, value in _data(parts, prices).items() if key not in _OF_CAUSE}
                for parts in of_vms.values()
                if parts
            ],
        },
    )


_OF_CAUSE = ("environment", "namespace", "cause", "template")


def _who(change: RequestChange) -> str:
    where = ", ".join(filter(None, (change.environment, change.namespace, change.cause)))
    number = f"{change.vms_before:,} → " if change.vms_before != change.vms else ""
    return f"{where}: {number}{counted(change.vms, 'VM template' if change.template else 'VM')}"


def _line(who: str, changes: Sequence[RequestChange], prices: Prices | None) -> str:
    """One line: `production, team-a, m.large: 12 VMs: +2.4 CPUs, +48.2 GiB (guest +48 GiB, overhead +192 MiB) now`."""
    together = _together(changes)
    words = [_words(name, amount, together) for name, amount in together.wanted.items()]
    if prices is not None and words:
        before, after = map(_monthly, _costs(changes, prices))
        words.append(" ".join(filter(None, (f"{before} → {after}", prices.currency, "a month"))))
    when = "" if together.template else f" {_WHEN[together.when]}"
    return f"{who}: {', '.join(words) or 'as much as before,'}{when}"


def _together(changes: Sequence[RequestChange]) -> RequestChange:
    """Several changes of one time, as one."""
    if len(changes) == 1:
        return changes[0]
    return replace(
        changes[0],
        environment="",
        namespace="",
        cause="",
        before=total(change.before for change in changes),
        after=total(change.after for change in changes),
        vms=sum(change.vms for change in changes),
        vms_before=sum(change.vms_before for change in changes),
        guest=sum(change.guest for change in changes),
    )


def _costs(changes: Sequence[RequestChange], prices: Prices) -> tuple[Fraction, Fraction]:
    """What changes cost together before and after: an environment may have prices of its own."""
    first, *costs = [change.costs(prices) for change in changes]
    return sum((before for before, _ in costs), first[0]), sum((after for _, after in costs), first[1])


def _monthly(cost: Fraction) -> str:
    from virtcatalog.catalog.prices import monthly

    return monthly(cost)


def _data(changes: Sequence[RequestChange], prices: Prices | None) -> dict[str, Any]:
    together = _together(changes)
    plain = {**msgspec.to_builtins(together), "wanted": together.wanted, "overhead": together.overhead}
    if prices is None:
        return plain
    before, after = _costs(changes, prices)
    costs = {"before": before, "after": after, "change": after - before}
    return {**plain, "costPerMonth": {name: float(_monthly(cost)) for name, cost in costs.items()}}


def _words(name: str, amount: int, change: RequestChange) -> str:
    if name == "cpu":
        return f"{_signed(count(amount / 1000))} CPUs"
    if name == "memory":
        parts = {"guest": change.guest, "overhead": change.overhead}
        words = ", ".join(f"{part} {_signed(memory(size))}" for part, size in parts.items() if size)
        return f"{_signed(memory(amount))} ({words})"
    return _signed(amount_text(name, amount))


def _signed(text: str) -> str:
    return text if text.startswith("-") else f"+{text}"
