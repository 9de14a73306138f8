"""The report on a change: objects, VMs, and what running VMs feel of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from virtcatalog.capacity.demand import Overspent
from virtcatalog.errors import LEVELS, Level, Problem, counted, counted_kinds, listed, some
from virtcatalog.manifests.identity import identity
from virtcatalog.repositories.documents import passed_over_words
from virtcatalog.review.fleet import Fleet, Upgrade
from virtcatalog.review.moving import LEVEL, WORDS, groups, sentence
from virtcatalog.review.objects import ObjectChange
from virtcatalog.review.requestreport import RequestReport, request_report
from virtcatalog.review.shortages import Standing
from virtcatalog.review.side import Side, within
from virtcatalog.review.summary import Summary, summary
from virtcatalog.review.users import consequences, deprecations, users_of
from virtcatalog.review.verdict import Next, Verdict, reaches
from virtcatalog.review.wording import NEXT

if TYPE_CHECKING:
    from virtcatalog.catalog.prices import Prices


class Report(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Everything that a comparison found.

    `hidden` are objects that a broken catalog keeps from being compared; `upgrades` the environments whose KubeVirt
    release is another one, `previews` the names of releases that are none yet. `defaults` are those of the repository
    that leave something out or choose what counts, `only` the environments that are looked at, none for all. `remarks`
    say what of the change is not applied or not felt; `quiet` VMs differ of which there is no verdict, and the sync
    fails on so many `frozen` objects.
    """

    base: Side
    head: Side
    objects: tuple[ObjectChange, ...] = ()
    fleet: Fleet = msgspec.field(default_factory=Fleet)
    hidden: tuple[str, ...] = ()
    host: str = ""
    upgrades: tuple[Upgrade, ...] = ()
    prices: Prices | None = None
    standings: tuple[Standing, ...] = ()
    overspent: tuple[Overspent, ...] = ()
    defaults: tuple[Problem, ...] = ()
    only: tuple[str, ...] = ()
    previews: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    quiet: int = 0
    frozen: int = 0

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong on either side."""
        return (*self.base.problems, *self.head.problems)

    @property
    def unrendered(self) -> tuple[Problem, ...]:
        """What is not rendered of the repository, after the change or before it."""
        after = {(within(problem.file, self.head.label), problem.sentence) for problem in self.head.unrendered}
        before = (
            problem
            for problem in self.base.unrendered
            if (within(problem.file, self.base.label), problem.sentence) not in after
        )
        return (*self.head.unrendered, *before)

    @property
    def passed_over(self) -> str:
        """What of the repository is none of ours, counted; "" for nothing."""
        repository = self.head.repository
        return passed_over_words(repository.passed_over) if repository is not None else ""

    @property
    def differs(self) -> bool:
        """Whether anything is not as it was."""
        fields = any(upgrade.fields for upgrade in self.upgrades)
        anything = self.fleet.verdicts or self.objects or self.standings or self.overspent or self.quiet or self.frozen
        stays = any(moved.fate != "migrates" for moved in self.fleet.moves)
        return bool(anything or self.host or fields or stays)

    @property
    def vms(self) -> list[Verdict]:
        """The verdicts on VMs that are there, or come or go."""
        return [verdict for verdict in self.fleet.verdicts if not verdict.template]

    @property
    def templates(self) -> list[Verdict]:
        """The verdicts on VM templates of the catalog."""
        return [verdict for verdict in self.fleet.verdicts if verdict.template]

    @cached_property
    def summary(self) -> Summary:
        """How many VMs there are, and what becomes of how many."""
        return summary(self.vms, self.fleet.vms)

    @property
    def status(self) -> int:
        """The exit status: 0 no differences, 1 differences, 2 a side that cannot be read or a VM that is not judged."""
        return 2 if self.problems or self.fleet.unknown else 1 if self.differs else 0

    @property
    def compared(self) -> str:
        """What is compared, named once if it is compared with itself."""
        return " → ".join(self.labels)

    @property
    def labels(self) -> list[str]:
        """What the sides are called, one name if one is compared with itself."""
        labels = dict.fromkeys((self.base.label, self.head.label))
        return [label.removesuffix(":.") for label in labels]

    @property
    def upgrade_words(self) -> list[tuple[str, list[str]]]:
        """What each upgrade is; then what it means to VMs that run, and to fields of objects."""
        return [(_upgrade(upgrade), [_UPGRADED, *_known_fields(upgrade)]) for upgrade in self.upgrades]

    @property
    def object_counts(self) -> dict[str, int]:
        """How many objects meet what."""
        numbers = Counter(change.change for change in self.objects)
        return {name: numbers[name] for name in ("added", "changed", "renamed", "removed") if numbers[name]}

    @cached_property
    def requests(self) -> RequestReport:
        """How requests change, and what that costs."""
        return request_report(self.fleet.verdicts, self.prices)

    @cached_property
    def deprecated(self) -> list[str]:
        """What is deprecated from now on, and which VMs use it."""
        return [str(deprecation) for deprecation in deprecations(self.objects, self.fleet.users)]

    @property
    def shortages(self) -> list[str]:
        """Which VMs fit no node or break a quota from now on, and which budgets are overdrawn."""
        return [*(line for standing in self.standings for line in standing.lines()), *map(str, self.overspent)]

    @property
    def migrations(self) -> list[str]:
        """How many machines migrate to the new release's launcher; then which do not, and why."""
        rows = [
            f"{WORDS[fate][len(vms) != 1]}: {some(vms, _MOST_NAMES)}: {'; '.join(reasons)}"
            for fate, reasons, vms in groups(self.fleet.moves)
        ]
        return [sentence(self.fleet.moves), *rows] if self.fleet.moves else []

    def rises(self, level: Level) -> bool:
        """Whether a verdict is of a level or graver; "any" is anything that differs. A side that is broken counts."""
        if self.problems:
            return True
        if level == "any":
            return self.differs
        worst = LEVELS.index(level)
        stays = any(LEVELS.index(LEVEL[moved.fate]) <= worst for moved in self.fleet.moves if moved.fate in LEVEL)
        return stays or reaches(self.fleet.verdicts, level)

    @cached_property
    def headline(self) -> str:
        """All in one sentence, the first and the last of a report."""
        return "; ".join(_clauses(self))


_MOST_NAMES = 3
_DISKS = ("PersistentVolumeClaim", "DataVolume")
_UPGRADED = "VMs that run keep their domain until they are restarted; the next start of each meets the new release."


def _upgrade(upgrade: Upgrade) -> str:
    where = "" if "" in upgrade.environments else f" in {', '.join(upgrade.environments)}"
    return f"KubeVirt{where}: {upgrade.old} → {upgrade.new}"


def _known_fields(upgrade: Upgrade) -> Iterator[str]:
    objects: dict[tuple[str, bool], list[str]] = {}
    for known_field in upgrade.fields:
        objects.setdefault((known_field.field, known_field.known), []).append(known_field.object)
    for (field, known), names in objects.items():
        count = f"counts from now on, {upgrade.old} drops it" if known else f"{upgrade.new} drops it"
        yield f"{field}: {count}: {some(names, 5)}"


def _clauses(report: Report) -> Iterator[str]:
    """The parts of the headline."""
    fleet, changed = report.fleet, report.object_counts
    if fleet.vms:
        yield report.summary.sentence
    if fleet.templates:
        yield f"{counted(fleet.templates, 'VM template')}: {_of_templates(report.templates)}"
    yield from counted_kinds(Counter(moved.fate for moved in fleet.moves if moved.fate in LEVEL), WORDS)
    if report.quiet:
        yield counted(report.quiet, "VM differs in Git alone", "VMs differ in Git alone")
    if changed:
        disks = sum(change.change == "removed" and identity(change.manifest)[0] in _DISKS for change in report.objects)
        lost = f", {counted(disks, 'disk')} among them" if disks else ""
        yield f"objects: {', '.join(f'{number:,} {change}' for change, number in changed.items())}{lost}"
    else:
        is_in_git = report.quiet or any(verdict.place for verdict in report.vms)
        yield "no other object changes" if is_in_git else "no object changes"
    if report.frozen:
        yield f"the sync fails on {counted(report.frozen, 'object')}"
    if report.shortages:
        yield counted(len(report.shortages), "shortage")
    if fleet.unknown or report.hidden:
        kinds = {"object": len(report.hidden), "VM": len(fleet.unknown)}
        yield f"not compared: {', '.join(counted(number, kind) for kind, number in kinds.items() if number)}"
    if report.problems:
        yield counted(len(report.problems), "problem")
    if report.unrendered:
        yield f"{len(report.unrendered):,} not rendered"
    yield from (f"KubeVirt {name} is a preview" for name in report.previews)
    if report.only:
        yield f"only {listed(report.only)} {'is' if len(report.only) == 1 else 'are'} looked at"


def _of_templates(verdicts: Sequence[Verdict]) -> str:
    """Templates in several environments are counted once for the gravest that becomes of them."""
    gravest: dict[str, Next] = {}
    kinds: tuple[Next, ...] = (*NEXT, "none")
    for kind in kinds:
        for verdict in verdicts:
            if verdict.next == kind:
                gravest.setdefault(verdict.vm, kind)
    numbers = Counter(gravest.values())
    words: dict[Next, tuple[str, str]] = {**NEXT, "none": ("is gone", "are gone")}
    return ", ".join(counted_kinds(numbers, words)) or "nothing changes"


def as_data(report: Report) -> dict[str, Any]:
    """The report as plain data, whole."""
    fleet = report.fleet
    return {
        "base": _side(report.base),
        "head": _side(report.head),
        "host": report.host,
        "defaults": [msgspec.to_builtins(default) for default in report.defaults],
        "upgrades": [msgspec.to_builtins(upgrade) for upgrade in report.upgrades],
        "objects": [
            {
                "change": change.change,
                "kind": identity(change.manifest)[0],
                "namespace": identity(change.manifest)[1],
                "name": identity(change.manifest)[2],
                **({"renamedFrom": change.old_name} if change.old_name else {}),
                "environments": list(change.environments),
                "diff": change.diff,
                "consequences": consequences(change, fleet.users),
                "users": users_of(change, fleet.users).counted(),
            }
            for change in report.objects
        ],
        "summary": {
            **msgspec.to_builtins(report.summary),
            "templates": report.fleet.templates,
            "objects": report.object_counts,
            "sentence": report.headline,
        },
        "vms": [_plain(verdict) for verdict in report.fleet.verdicts],
        "migrations": [msgspec.to_builtins(moved) for moved in fleet.moves],
        "deprecated": [msgspec.to_builtins(deprecated) for deprecated in deprecations(report.objects, fleet.users)],
        "shortages": {
            "standings": [msgspec.to_builtins(standing) for standing in report.standings],
            "budgets": [
                {
                    "environment": overspent.budget.environment,
                    "namespace": overspent.budget.namespace,
                    "resource": overspent.resource,
                    "allowed": overspent.allowed,
                    "asked": overspent.requested,
                }
                for overspent in report.overspent
            ],
        },
        **report.requests.data,
        "notCompared": {"objects": list(report.hidden), "vms": list(fleet.unknown)},
        "notRendered": [msgspec.to_builtins(problem) for problem in report.unrendered],
        "assumed": list(fleet.assumed),
        "remarks": list(report.remarks),
        "passedOver": dict(report.head.repository.passed_over) if report.head.repository else {},
        "problems": [msgspec.to_builtins(problem) for problem in report.problems],
        "differs": report.differs,
    }


def _plain(verdict: Verdict) -> dict[str, Any]:
    return {**msgspec.to_builtins(verdict), "level": verdict.level}


def _side(side: Side) -> dict[str, Any]:
    return {"label": side.label, "problems": [msgspec.to_builtins(problem) for problem in side.problems]}
