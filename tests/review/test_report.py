"""The sentence that a report begins with: all that it counts, and its exit status."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from virtcatalog.errors import Problem
from virtcatalog.review.fleet import Fleet, KnownField, Upgrade
from virtcatalog.review.moving import Moved
from virtcatalog.review.objects import ObjectChange
from virtcatalog.review.report import Report
from virtcatalog.review.side import Side
from virtcatalog.review.verdict import Next, Verdict

NOTHING = Report(base=Side(label="old"), head=Side(label="new"))
WEB = Verdict(vm="shop/web", now="restart", next="changed")
AT_ITS_PLACE = replace(WEB, place="vms/web.yaml:1")
PROBLEM, OTHER = Problem("a.yaml", message="is wrong"), Problem("b.yaml", message="is wrong")
SIDES = "base", "head"
NEEDS = "1 of 2 VMs: shop/web needs a restart by hand; "


def gone(kind: str) -> ObjectChange:
    return ObjectChange(change="removed", old={"kind": kind, "metadata": {"name": "root"}})


def templates(*following: Next) -> Fleet:
    verdicts = [
        Verdict(vm=name, template=True, next=next_state) for name, next_state in zip("abcdef", following, strict=False)
    ]
    return Fleet(templates=9, verdicts=verdicts)


@pytest.mark.parametrize(
    ("fields", "sentence", "status"),
    [
        ({}, "no object changes", 0),
        ({"fleet": Fleet(vms=2)}, "2 VMs: nothing changes; no object changes", 0),
        ({"fleet": Fleet(vms=2, verdicts=[WEB])}, f"{NEEDS}no object changes", 1),
        ({"fleet": Fleet(vms=2, verdicts=[AT_ITS_PLACE])}, f"{NEEDS}no other object changes", 1),
        ({"quiet": 1}, "1 VM differs in Git alone; no other object changes", 1),
        ({"quiet": 2}, "2 VMs differ in Git alone; no other object changes", 1),
        ({"frozen": 1}, "no object changes; the sync fails on 1 object", 1),
        ({"frozen": 2}, "no object changes; the sync fails on 2 objects", 1),
        ({"objects": (gone("ConfigMap"),)}, "objects: 1 removed", 1),
        ({"objects": (gone("DataVolume"),)}, "objects: 1 removed, 1 disk among them", 1),
        (
            {"objects": (gone("PersistentVolumeClaim"), gone("DataVolume"))},
            "objects: 2 removed, 2 disks among them",
            1,
        ),
        ({"fleet": templates()}, "9 VM templates: nothing changes; no object changes", 0),
        (
            {"fleet": templates("changed", "none", "none", "refused", "crash", "unknown")},
            "9 VM templates: 1 is refused, 1 is unknown, 1 crashes, 1 changes, 2 are gone; no object changes",
            1,
        ),
        ({"fleet": Fleet(unknown=["a"])}, "no object changes; not compared: 1 VM", 2),
        (
            {"fleet": Fleet(unknown=["a", "b"]), "hidden": ("c",)},
            "no object changes; not compared: 1 object, 2 VMs",
            2,
        ),
        ({"head": Side(label="new", problems=(PROBLEM,))}, "no object changes; 1 problem", 2),
        (
            {"base": Side(label="old", problems=(PROBLEM,)), "head": Side(label="new", problems=(OTHER,))},
            "no object changes; 2 problems",
            2,
        ),
        ({"head": Side(label="new", unrendered=(PROBLEM, OTHER))}, "no object changes; 2 not rendered", 0),
        (
            {side: Side(label=side, unrendered=(Problem(f"{side}/a.yaml", message="is wrong"),)) for side in SIDES},
            "no object changes; 1 not rendered",
            0,
        ),
        (
            {side: Side(label=side, unrendered=(Problem(f"{side}/{side}", message="is wrong"),)) for side in SIDES},
            "no object changes; 2 not rendered",
            0,
        ),
        (
            {"base": Side(label="old", unrendered=(PROBLEM,)), "head": Side(label="new", unrendered=(PROBLEM,))},
            "no object changes; 1 not rendered",
            0,
        ),
        ({"previews": ("v1.10.0",)}, "no object changes; KubeVirt v1.10.0 is a preview", 0),
        ({"only": ("lab", "prod")}, "no object changes; only lab and prod are looked at", 0),
        ({"only": ("lab",)}, "no object changes; only lab is looked at", 0),
        (
            {"fleet": Fleet(moves=[Moved(vm=name, fate="restart") for name in "ab"] + [Moved(vm="c", fate="unknown")])},
            "2 restart before they migrate; 1 cannot be told whether it migrates; no object changes",
            1,
        ),
        ({"fleet": Fleet(moves=[Moved(vm="a", fate="migrates")])}, "no object changes", 0),
        ({"host": "big → small"}, "no object changes", 1),
    ],
)
def test_a_report_begins_with_all_that_it_counts(fields: dict[str, Any], sentence: str, status: int) -> None:
    report = replace(NOTHING, **fields)
    assert report.headline == sentence
    assert report.status == status


def test_an_upgrade_says_which_fields_only_one_release_knows() -> None:
    fields = (KnownField("VM/a", "spec.x", known=True), KnownField("VM/b", "spec.x", known=True))
    fields += (KnownField("VM/a", "spec.y", known=False),)
    lab = Upgrade(environments=("lab", "prod"), old="v1.8.4", new="v1.9.0", fields=fields)
    everywhere = replace(lab, environments=("",), fields=())
    meets = "VMs that run keep their domain until they are restarted; the next start of each meets the new release."
    report = replace(NOTHING, upgrades=(lab, everywhere))
    assert report.upgrade_words == [
        (
            "KubeVirt in lab, prod: v1.8.4 → v1.9.0",
            [
                meets,
                "spec.x: counts from now on, v1.8.4 drops it: VM/a, VM/b",
                "spec.y: v1.9.0 drops it: VM/a",
            ],
        ),
        ("KubeVirt: v1.8.4 → v1.9.0", [meets]),
    ]
    assert report.status == 1
    assert replace(NOTHING, upgrades=(everywhere,)).status == 0
