"""Verdicts: how grave they are, how they are counted; and that all forms of a report tell the same."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import fleets
import pytest
from msgspec.structs import replace

from sampling import thorough
from virtcatalog.catalog.places import Source
from virtcatalog.errors import LEVELS, Level, Problem
from virtcatalog.gitops.outcome import Synced
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.review.compare import review
from virtcatalog.review.dumps import Dump
from virtcatalog.review.github import github
from virtcatalog.review.html import html
from virtcatalog.review.markdown import MARKER, calm, markdown
from virtcatalog.review.report import Report, as_data
from virtcatalog.review.rows import change_lines, sign, word
from virtcatalog.review.sarif import sarif
from virtcatalog.review.side import Side, Vm
from virtcatalog.review.summary import summary
from virtcatalog.review.text import stat, text
from virtcatalog.review.verdict import Part, Risk, Verdict, reaches

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
        "4 of 340 VMs: 1 refused, 1 may not boot after the restart that it needs, "
        "1 needs a restart by hand, 1 changes while it runs; "
        "at their next start 1 is refused, 1 changes; "
        "1 keeps what it has; if created anew, 1 cannot be created"
    )
    assert summary([], 340).sentence == "340 VMs: nothing changes"
    pending = Verdict(vm="h", now="pending")
    assert summary([pending], 2).sentence == "1 of 2 VMs: h cannot migrate and needs a restart by hand"
    disks = Verdict(vm="h", now="restart", next="changed", risks=(BOOT, Risk("disks", "vda → sda")))
    assert summary([disks], 2).sentence == (
        "1 of 2 VMs: h may not boot after the restart that it needs; risks: disks (1 VM)"
    )
    assert word(disks) == "may not boot after a restart"
    stays = Verdict(vm="i", now="delete", next="none", sync=Synced("Argo CD", "not applied", ("not pruned",)))
    assert summary([stays, disks], 2).sentence.endswith("; risks: disks (1 VM); not applied by the sync: 1 VM")


def test_the_sentence_says_of_how_many_vms_of_a_pool() -> None:
    verdicts = [
        Verdict(vm="a", now="delete"),
        Verdict(vm="b", now="delete", part=Part("pool", 2, 4)),
        Verdict(vm="c", now="delete", part=Part("pool", 5, 5)),
        Verdict(vm="d", now="delete", part=Part("ReplicaSet", 1, 3)),
        Verdict(vm="e", now="restart", part=Part("pool", None, 6), restarts=Part("pool", None, 6)),
        Verdict(vm="f", now="restart", part=Part("ReplicaSet", 1, 1)),
    ]
    counts = summary(verdicts, 40)
    assert counts.sentence == (
        "6 of 40 VMs, pools and ReplicaSets: "
        "1 VM, 7 of the 9 VMs of 2 pools and 1 of the 3 VMs of a ReplicaSet deleted, "
        "some of the 6 VMs of a pool restarted automatically now, the VM of a ReplicaSet needs a restart by hand"
    )
    assert (counts.now["delete"], counts.now["restart"]) == (4, 2)  # a pool or ReplicaSet counts as one
    assert [change_lines(verdict)[0] for verdict in verdicts[1:]] == [
        "2 of its 4 VMs are deleted",
        "all of its 5 VMs are deleted",
        "1 of its 3 VMs is deleted",
        "some of its 6 VMs are restarted automatically now",
        "its VM needs a restart by hand",
    ]


def test_the_sentence_counts_the_vms_of_a_pool_at_their_next_start() -> None:
    disks, four = Risk("disks", "vda → sda"), Part("pool", 4, 4)
    restarted = Verdict(vm="a", now="restart", part=four, next="changed", held=four, restarts=four, risks=(BOOT, disks))
    assert summary([restarted], 1).sentence == (
        "1 of 1 VM or pool: all 4 VMs of pool a restarted automatically now and may not boot; risks: disks (4 VMs)"
    )
    shrunk = Verdict(vm="b", now="delete", part=Part("pool", 1, 4), next="changed", held=Part("pool", 3, 4))
    kept_verdict = Verdict(vm="c", next="kept", anew="refused", held=Part("ReplicaSet", 2, 2))
    alone = Verdict(vm="d", next="changed", risks=(BOOT,))
    assert summary([shrunk, kept_verdict, alone], 9).sentence == (
        "1 of 9 VMs, pools and ReplicaSets: 1 of the 4 VMs of a pool deleted; "
        "at their next start 1 VM and 3 of the 4 VMs of a pool change, 1 of them may not boot; "
        "all 2 VMs of a ReplicaSet keep what they have; "
        "if created anew, none of the 2 VMs of a ReplicaSet can be created"
    )
    assert change_lines(kept_verdict)[0] == "all of its 2 VMs keep what they have"
    shrinks = replace(kept_verdict, now="delete", part=Part("ReplicaSet", 1, 3))
    assert change_lines(shrinks)[0] == "1 of its 3 VMs is deleted, the others keep what they have"
    assert change_lines(replace(shrinks, held=Part("ReplicaSet", 1, 3)))[0].endswith(", the other keeps what it has")
    single = Part("pool", 1, 1)
    assert summary([Verdict(vm="e", next="changed", held=single)], 1).sentence == (
        "none of 1 VM or pool is touched now; at its next start the VM of pool e changes"
    )
    some = Verdict(vm="f", next="changed", held=Part("pool", None, 4))
    assert summary([some], 1).sentence.endswith("at their next start some of the 4 VMs of pool f change")


def test_a_pool_that_shrinks_says_how_many_vms_it_restarts_now() -> None:
    shrunk = Verdict(
        vm="shop/runners",
        now="delete",
        part=Part("pool", 1, 4),
        next="changed",
        held=Part("pool", 3, 4),
        restarts=Part("pool", 3, 4),
    )
    assert summary([shrunk], 1).sentence == (
        "1 of 1 VM or pool: 1 of the 4 VMs of pool shop/runners deleted, 3 of its 4 VMs restarted automatically now"
    )
    assert word(shrunk) == "delete 1 of 4 VMs, restart 3 now"
    chosen = replace(shrunk, restarts=Part("pool", None, 4))
    assert word(chosen) == "delete 1 of 4 VMs, restart some now"
    assert change_lines(chosen)[0] == "1 of its 4 VMs is deleted, those that it chooses are restarted automatically now"
    assert change_lines(shrunk)[0] == "1 of its 4 VMs is deleted, the other 3 are restarted automatically now"


def test_a_kept_vm_says_all_of_what_it_would_be_anew() -> None:
    kept_verdict = Verdict(
        vm="a", next="kept", anew="changed", changes=("2 → 3 vCPUs", "memory 8 → 12 GiB"), risks=(BOOT,)
    )
    assert (sign(kept_verdict), word(kept_verdict)) == ("=", "kept, may not boot if created anew")
    (line,) = change_lines(kept_verdict)
    assert line == (
        "if created anew or its stored revision is refreshed: "
        "boot: the firmware is another one; 2 → 3 vCPUs; memory 8 → 12 GiB"
    )
    assert summary([kept_verdict], 1).sentence.endswith("; a keeps what it has; if created anew, it may not boot")
    assert word(replace(kept_verdict, anew="refused")) == "kept, cannot be created anew"


def test_disks_that_are_deleted_with_their_vms_are_counted() -> None:
    gone = Verdict(vm="a", now="delete", next="none", risks=(Risk("disks", "deleted with the VM: a-root"),))
    assert summary([gone], 2).sentence == "1 of 2 VMs: a deleted with its disks"


def test_one_vm_or_two_are_named_once() -> None:
    web, db = Verdict(vm="shop/web", now="restart", next="changed"), Verdict(vm="shop/db", now="stop", next="kept")
    assert summary([web], 9).sentence == "1 of 9 VMs: shop/web needs a restart by hand"
    assert summary([web, db], 9).sentence == (
        "2 of 9 VMs: shop/db stopped, shop/web needs a restart by hand; shop/db keeps what it has"
    )
    assert summary([db, replace(db, vm="shop/app")], 9).sentence == (
        "2 of 9 VMs: shop/db and shop/app stopped; shop/db and shop/app keep what they have"
    )
    broken = replace(web, anew="refused")
    assert summary([broken], 9).sentence.endswith("needs a restart by hand; if created anew, it cannot be created")
    risky = Verdict(vm="shop/web", now="live", next="changed", risks=(BOOT,))
    assert summary([risky], 9).sentence == (
        "1 of 9 VMs: shop/web changes while it runs; it may not boot at its next start"
    )
    # A VM of one name in two environments is counted, and so are three.
    assert summary([web, replace(web, environment="lab")], 9).sentence == "2 of 9 VMs: 2 need a restart by hand"
    three = [replace(web, vm=name) for name in "abc"]
    assert summary(three, 9).sentence == "3 of 9 VMs: 3 need a restart by hand"


def test_pools_are_named_with_the_number_of_their_vms() -> None:
    refused = Verdict(vm="shop/web", now="refused", part=Part("pool", 0, 4))
    assert summary([refused], 1).sentence == "1 of 1 VM or pool: pool shop/web refused"
    sets = [Verdict(vm=f"shop/set-{number}", now="refused", part=Part("ReplicaSet", 0, 2)) for number in range(2)]
    assert summary([refused, *sets], 4).sentence == (
        "3 of 4 VMs, pools and ReplicaSets: a pool refused, 2 ReplicaSets refused"
    )
    alone = Verdict(vm="shop/db", now="refused")
    assert summary([alone, refused, *sets], 4).sentence.endswith(": a pool refused, 2 ReplicaSets refused, 1 refused")
    lost = Risk("disks", "deleted with the VM: those of its dataVolumeTemplates")
    four = Part("pool", 4, 4)
    replaced = Verdict(vm="shop/web", now="delete", part=four, replaced=four, next="changed", held=four, risks=(lost,))
    assert summary([replaced], 1).sentence == (
        "1 of 1 VM or pool: all 4 VMs of pool shop/web deleted with their disks and created anew"
    )
    assert (word(replaced), change_lines(replaced)) == (
        "delete, create anew",
        ["all of its 4 VMs are deleted with their disks and created anew"],
    )
    shrinks = replace(replaced, replaced=Part("pool", 3, 4), held=Part("pool", 3, 4), risks=())
    assert summary([shrinks, Verdict(vm="shop/db", now="refused")], 2).sentence == (
        "2 of 2 VMs and pools: shop/db refused, 3 of the 4 VMs of pool shop/web deleted and created anew, "
        "1 of the 4 VMs of pool shop/web deleted"
    )
    assert change_lines(shrinks)[0] == "all of its 4 VMs are deleted and 3 of them created anew"


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
    counts: dict[str, dict[str, int]] = {"now": {}, "next": {}}
    for verdict in report.fleet.verdicts:
        for key, value in (("now", verdict.now), ("next", verdict.next)):
            counts[key][value] = counts[key].get(value, 0) + 1
    rest = report.fleet.vms - len(report.fleet.verdicts)
    for key, value in (("now", "unchanged"), ("next", "same")):
        if counts[key].get(value, 0) + rest:
            counts[key][value] = counts[key].get(value, 0) + rest
    return counts


def of_text(text: str) -> int:
    """How many VMs the rows of a text name."""
    level = rf"(?:{'|'.join(LEVELS)}|may not boot|cannot be created anew)(?: (?:after a restart|if created anew))?"
    rows = re.findall(rf"^[!~+=-] {level}(?:, {level})*  (\S.*?)(?:  because of .*)?$", text, re.MULTILINE)
    return sum(row.count("/") for row in rows)


def chance_folder(seed: int) -> Report:
    """A change of VMs' own manifests, of which some come or go, around the same objects or others."""
    chance = Random(seed)
    objects = fleets.catalog()
    old = [vm for vm in fleets.fleet(12, chance) if vm["kind"] == "VirtualMachine"]
    old = [fleets.alone(vm) if chance.random() < 0.5 else vm for vm in old]
    new = [fleets.edited(vm, chance) for vm in old if chance.random() < 0.9]
    sides = (
        Side(label="side", objects={"": objects if chance.random() < 0.6 else fleets.changed(objects, chance)}, vms=vms)
        for vms in (declared(old[1:]), declared(new))
    )
    return review(*sides, (Conditions(), Conditions()))


def declared(vms: list[fleets.Data]) -> tuple[Vm, ...]:
    """VMs as a folder of manifests has them."""
    names = ["{namespace}/{name}".format(**vm["metadata"]) for vm in vms]
    return tuple(
        Vm(key=name, manifest=vm, place=Source("vms.yaml", line))
        for line, (name, vm) in enumerate(dict(zip(names, vms, strict=True)).items(), start=1)
    )


def kinds_of(verdict: Verdict) -> set[str]:
    """What the guest of a VM risks at its next start; one that keeps what it has risks nothing then."""
    return {risk.kind for risk in verdict.risks} if verdict.next != "kept" else set()


def of_sarif(log: dict[str, Any]) -> dict[str, int]:
    """How many VMs the results of each rule are about."""
    numbers: dict[str, int] = {}
    for result in log["runs"][0]["results"]:
        if result["ruleId"].startswith("vm-migration-"):
            continue
        number = re.match(r"([\d,]+) VM", result["message"]["text"])
        assert number is not None
        numbers[result["ruleId"]] = numbers.get(result["ruleId"], 0) + int(number[1].replace(",", ""))
    return numbers


@pytest.mark.parametrize("draw", [chance_report, chance_folder])
@pytest.mark.parametrize("seed", range(20))
def test_all_forms_tell_the_same_of_a_change_by_chance(seed: int, draw: Callable[[int], Report]) -> None:
    report = draw(seed)
    sentence, number = report.headline, len(report.fleet.verdicts)
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
    levels = Counter(f"vm-{verdict.level}" for verdict in report.fleet.verdicts)
    log = json.loads(sarif(report))
    assert of_sarif(log) == levels
    assert log["runs"][0]["properties"]["sentence"] == sentence
    assert {f"vm-{level}" for level in Counter(vm["level"] for vm in data["vms"])} == levels.keys()
    short = calm(report).replace("\\", "")  # what the Action posts where nothing is grave
    assert short.startswith(MARKER)
    assert short.endswith(f"{sentence}\n")
    kinds = Counter(kind for verdict in report.fleet.verdicts for kind in kinds_of(verdict))
    assert data["summary"]["risks"] == kinds
    # 0 is that nothing differs; a level fails exactly where a verdict is as grave.
    assert (report.status == 0) == (not report.fleet.verdicts and not report.objects)
    worst = min((LEVELS.index(verdict.level) for verdict in report.fleet.verdicts), default=len(LEVELS))
    for index, level in enumerate(LEVELS[:-1]):
        assert report.rises(level) == reaches(report.fleet.verdicts, level) == (worst <= index)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("broken", ["base", "head"])
def test_a_side_that_is_broken_is_as_grave_as_can_be(broken: str, level: Level) -> None:
    sides = {name: Side(label=name, problems=(Problem("a.yaml"),) * (name == broken)) for name in ("base", "head")}
    assert Report(**sides).rises(level)
    assert not Report(base=Side(label="base"), head=Side(label="head")).rises(level)


@thorough
def test_chance_draws_verdicts_of_most_kinds() -> None:
    verdicts = [verdict for seed in range(20) for draw in (chance_report, chance_folder) for verdict in draw(seed).vms]
    nows = {"refused", "delete", "stop", "restart", "pending", "migrate", "live", "create", "start", "unchanged"}
    assert {verdict.now for verdict in verdicts} >= nows
    assert {verdict.next for verdict in verdicts} >= {"kept", "changed", "refused", "none", "same"}
    assert {verdict.anew for verdict in verdicts} >= {"same", "changed", "refused"}
    assert {verdict.level for verdict in verdicts} >= {"refused", "delete", "stop", "boot", "restart", "risk", "kept"}
