"""Verdicts: how grave they are, how they are counted; and that all forms of a report tell the same."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

import fleets
import pytest

from virtcatalog.errors import LEVELS
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.review.compare import review
from virtcatalog.review.dumps import Dump
from virtcatalog.review.github import github
from virtcatalog.review.groups import grouped
from virtcatalog.review.html import html
from virtcatalog.review.markdown import markdown
from virtcatalog.review.report import Report, as_data, headline, rises
from virtcatalog.review.sarif import sarif
from virtcatalog.review.side import Side
from virtcatalog.review.text import stat, text
from virtcatalog.review.verdict import Risk, Verdict, reaches, summary

BOOT = Risk("boot", "the firmware is another one")


@pytest.mark.parametrize(
    ("verdict", "level"),
    [
        (Verdict(), "any"),
        (Verdict(now="refused"), "refused"),
        (Verdict(now="restart", next="changed"), "restart"),
        (Verdict(now="restart", next="changed", risks=(BOOT,)), "boot"),
        (Verdict(now="restart", next="crash"), "crash"),
        (Verdict(now="stop", next="changed", risks=(BOOT,)), "stop"),
        (Verdict(next="kept", anew="changed", risks=(BOOT,)), "kept"),
        (Verdict(next="kept", anew="refused"), "refused"),
        (Verdict(now="create"), "create"),
        (Verdict(next="none", template=True), "changed"),
    ],
)
def test_how_grave_a_verdict_is(verdict: Verdict, level: str) -> None:
    assert verdict.level == level


def test_the_sentence_counts_what_happens_now_and_at_the_next_start() -> None:
    verdicts = [
        Verdict(vm="a", now="refused"),
        Verdict(vm="b", now="restart", next="changed"),
        Verdict(vm="c", now="restart", next="changed", risks=(BOOT,)),
        Verdict(vm="d", now="live", next="changed"),
        Verdict(vm="e", next="changed"),
        Verdict(vm="f", next="kept", anew="refused"),
        Verdict(vm="g", next="refused"),
    ]
    assert summary(verdicts, 340).sentence == (
        "4 of 340 VMs: 1 refused, 2 need a restart, 1 changes live; "
        "at their next start 1 is refused, 3 change, 1 of them may not boot; "
        "1 keeps what it has; if created anew, 1 is refused"
    )
    assert summary([], 340).sentence == "340 VMs: nothing changes"


def chance_report(seed: int) -> Report:
    """A change of types, preferences and configurations around VMs of a dump."""
    chance = Random(seed)
    objects = fleets.catalog()
    sides = [fleets.changed(objects, chance) if chance.random() < 0.8 else objects for _ in range(2)]
    if chance.random() < 0.4:
        sides = [[*side, fleets.kubevirt(chance.choice(fleets.CONFIGURATIONS))] for side in sides]
    base, head = (Side(label="side", objects={"": side}) for side in sides)
    return review(base, head, (Conditions(), Conditions()), [Dump(fleets.fleet(12, chance))])


def counted(report: Report) -> dict[str, dict[str, int]]:
    """How many VMs meet what, counted by hand."""
    found: dict[str, dict[str, int]] = {"now": {}, "next": {}}
    for verdict in report.fleet.verdicts:
        for key, value in (("now", verdict.now), ("next", verdict.next)):
            found[key][value] = found[key].get(value, 0) + 1
    rest = report.fleet.vms - len(report.fleet.verdicts)
    for key, value in (("now", "unchanged"), ("next", "same")):
        if found[key].get(value, 0) + rest:
            found[key][value] = found[key].get(value, 0) + rest
    return found


def of_text(told: str) -> int:
    """How many VMs the rows of a text name."""
    level = rf"(?:{'|'.join(LEVELS)})(?: anew)?"
    rows = re.findall(rf"^[!~+-] {level}(?:, {level})*  (\S.*?)(?:  because of .*)?$", told, re.MULTILINE)
    return sum(row.count("/") for row in rows)


@pytest.mark.parametrize("seed", range(20))
def test_all_forms_tell_the_same_of_a_change_by_chance(seed: int) -> None:
    report = chance_report(seed)
    sentence, number = headline(report), len(report.fleet.verdicts)
    data: dict[str, Any] = as_data(report)
    numbers = counted(report)
    assert data["summary"]["now"] == numbers["now"]
    assert data["summary"]["next"] == numbers["next"]
    assert data["summary"]["sentence"] == sentence
    assert len(data["vms"]) == data["summary"]["touched"] == number
    wide = text(report, 10_000, full=True).splitlines()
    assert wide[0] == wide[-1] == sentence == stat(report, 10_000).strip()
    assert of_text("\n".join(wide)) == number
    comment = markdown(report)
    assert comment.replace("\\", "").count(sentence) == (2 if report.differs else comment.count(sentence))
    assert sentence in html(report)
    assert f"::{sentence}" in github(report)
    levels = sorted(group.verdict.level for group in grouped(report.fleet.verdicts))
    assert sorted(found["ruleId"] for found in json.loads(sarif(report))["runs"][0]["results"]) == [
        f"vm-{level}" for level in levels
    ]
    # 0 is that nothing differs; a level fails exactly where a verdict is as grave.
    assert (report.status == 0) == (not report.fleet.verdicts and not report.objects)
    worst = min((LEVELS.index(verdict.level) for verdict in report.fleet.verdicts), default=len(LEVELS))
    for index, level in enumerate(LEVELS[:-1]):
        assert rises(report, level) == reaches(report.fleet.verdicts, level) == (worst <= index)


def test_chance_draws_verdicts_of_most_kinds() -> None:
    verdicts = [verdict for seed in range(20) for verdict in chance_report(seed).fleet.verdicts]
    assert {verdict.next for verdict in verdicts} >= {"kept", "changed", "refused"}
    assert {verdict.anew for verdict in verdicts} >= {"same", "changed", "refused"}
