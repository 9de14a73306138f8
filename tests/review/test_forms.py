"""A report that has some of everything, in each form, whole."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion
from test_reviews import CRASH, HALTED, REFUSED, claim, instancetype, kubevirt, pool, reviewed, typed, vm

from virtcatalog.capacity.demand import Overspent
from virtcatalog.catalog.model import Budget
from virtcatalog.catalog.places import Source
from virtcatalog.catalog.prices import prices_of
from virtcatalog.errors import Problem
from virtcatalog.review.comparison import KnownField
from virtcatalog.review.fleet import Fleet, Upgrade, key_of
from virtcatalog.review.github import github
from virtcatalog.review.html import html
from virtcatalog.review.markdown import MOST_BYTES, calm, markdown
from virtcatalog.review.moving import Moved
from virtcatalog.review.objects import ObjectChange
from virtcatalog.review.report import Report, as_data
from virtcatalog.review.sarif import sarif
from virtcatalog.review.side import Side
from virtcatalog.review.text import stat, text
from virtcatalog.review.verdict import Cause, Verdict

LARGE = {**instancetype(4), "metadata": {"name": "large"}}


@cache
def small() -> Report:
    """A change of a few VMs, a pool, types and a claim."""
    base = [
        *(vm("web"), vm("db"), vm("crashes"), vm("refused"), vm("gone"), vm("off", **HALTED)),
        *(typed("kept"), typed("twin"), pool(), instancetype(), claim(), kubevirt()),
    ]
    head = [
        *(vm("web", spec={"hostname": "a"}), vm("db", domain={"cpu": {"sockets": 2}}), vm("crashes", domain=CRASH)),
        *(vm("refused", domain=REFUSED), vm("off"), vm("new"), typed("kept"), typed("twin"), pool(3, "b")),
        *(instancetype(2), LARGE, kubevirt(developerConfiguration={"cpuAllocationRatio": 5})),
    ]
    return reviewed(base, head)


@cache
def whole() -> Report:
    """The same with all else that a report may say."""
    report = small()
    moves = [
        Moved(vm=f"shop/{name}", fate="restart", reasons=(f"because of {name}",), place=place, environment=where)
        for name, place, where in (
            ("a", "vms.yaml:3", ""),
            ("b", "vms.yaml", "lab"),
            ("c", "", ""),
            ("d", "", ""),
        )
    ]
    moves += [Moved(vm="shop/e", fate="unknown", reasons=("x", "y")), Moved(vm="shop/f", fate="migrates")]
    budget = Budget("lab", "shop", {}, Source("catalog.yaml"))
    renamed = ObjectChange(
        change="renamed",
        old={"kind": "ConfigMap", "metadata": {"name": "old"}},
        new={"kind": "ConfigMap", "metadata": {"name": "new", "namespace": "shop"}},
        deployed=(("lab", ""), ("prod", "")),
        diff="-old\n+new\n",
    )
    fields = (KnownField("VM/a", "spec.x", known=True), KnownField("VM/b", "spec.y", known=False))
    problems = tuple(Problem(f"{name}.yaml", 3, 7, message="is <wrong>") for name in "ab")
    return replace(
        report,
        base=replace(report.base, problems=problems[:1]),
        head=replace(report.head, unrendered=tuple(Problem(f"{n}.yaml", message="needs helm") for n in range(7))),
        objects=(*report.objects, renamed, replace(renamed, new={"kind": "ConfigMap"}, same_as="ConfigMap/new")),
        fleet=replace(report.fleet, moves=moves, assumed=("a gate",), unknown=["shop/x"]),
        hidden=("ConfigMap/y",),
        host="big → small",
        upgrades=(Upgrade(environments=("",), old="v1.8.4", new="v1.9.0", fields=fields),),
        prices=prices_of({"perMonth": {"cpu": 10, "memory": 2.5}, "currency": "EUR"}),
        overspent=tuple(
            Overspent(budget=budget, resource=name, allowed=amount, requested=2 * amount)
            for name, amount in (("memory", 2**30), ("cpu", 2000))
        ),
        defaults=(Problem("virtcatalog.toml", 2, 1, message="leaves out the lab"),),
        only=("lab", "prod"),
        previews=("v1.10.0",),
        remarks=("nothing deploys b.yaml",),
        quiet=1,
        frozen=2,
    )


@pytest.mark.parametrize("report", [small, whole])
@pytest.mark.parametrize("width", [60, 100])
@pytest.mark.parametrize("full", [False, True])
def test_as_text(report: object, width: int, full: bool, snapshot: SnapshotAssertion) -> None:
    assert callable(report)
    assert text(report(), width, full=full) == snapshot


def test_as_text_of_vms_or_of_objects_alone(snapshot: SnapshotAssertion) -> None:
    assert {"vms": text(whole(), 100, objects=False), "objects": text(whole(), 100, vms=False)} == snapshot


def test_in_a_sentence(snapshot: SnapshotAssertion) -> None:
    assert stat(whole()) == snapshot


@pytest.mark.parametrize("report", [small, whole])
def test_as_markdown(report: object, snapshot: SnapshotAssertion) -> None:
    assert callable(report)
    assert markdown(report()) == snapshot


def test_as_markdown_of_what_is_calm(snapshot: SnapshotAssertion) -> None:
    assert calm(whole()) == snapshot


@pytest.mark.parametrize("report", [small, whole])
def test_as_html(report: object, snapshot: SnapshotAssertion) -> None:
    assert callable(report)
    page = html(report())
    assert page.count("<style>") == 1
    assert re.sub("<style>.*?</style>", "", page, flags=re.DOTALL) == snapshot


def test_as_annotations(snapshot: SnapshotAssertion) -> None:
    assert github(whole()) == snapshot


def test_as_sarif(snapshot: SnapshotAssertion) -> None:
    assert json.loads(sarif(whole())) == snapshot


def test_as_data(snapshot: SnapshotAssertion) -> None:
    assert as_data(whole()) == snapshot


def many(number: int, **fields: object) -> Report:
    """A report on VMs that differ, each a group of its own."""
    because = (Cause("spec.a", "vms.yaml", 3),)
    verdicts = [
        Verdict(vm=f"shop/vm-{n}", now="restart", next="changed", reasons=(f"for the {n}th reason",), because=because)
        for n in range(number)
    ]
    return replace(
        Report(base=Side(label="old"), head=Side(label="new"), fleet=Fleet(vms=number, verdicts=verdicts)), **fields
    )


@pytest.mark.parametrize("number", [5, 21, 22, 23])
@pytest.mark.parametrize("width", [40, 80])
def test_of_many_groups_a_text_shows_the_gravest(number: int, width: int, snapshot: SnapshotAssertion) -> None:
    assert text(many(number), width) == snapshot


@pytest.mark.parametrize("number", [20, 21, 22])
def test_of_many_groups_a_table_shows_twenty(number: int) -> None:
    lines = markdown(many(number)).partition("\n\n- ")[0].splitlines()
    rows = [line for line in lines if line.startswith("| ") and "| VMs |" not in line]
    more = {20: [], 21: ["| | and 1 more group | | |"], 22: ["| | and 2 more groups | | |"]}[number]
    assert [line for line in rows if line.startswith("| |")] == more
    assert len(rows) == 20 + len(more)


@pytest.mark.parametrize(
    ("artifact", "pointer"),
    [
        ("", "*Shortened: `virtcatalog diff` prints the whole report.*"),
        ("https://ci.example.org/1", "*Shortened: the whole report is in <https://ci.example.org/1>.*"),
        ("the artifact `x`", "*Shortened: the whole report is in `` the artifact `x` ``.*"),
    ],
)
def test_what_is_too_long_for_a_comment_is_cut_and_says_where_the_rest_is(artifact: str, pointer: str) -> None:
    report = many(2000)
    comment = markdown(report, artifact)
    assert len(comment.encode()) <= MOST_BYTES
    assert comment.endswith(f"\n{pointer}\n")
    assert comment.count("<details>") == comment.count("</details>") < 2000
    assert pointer not in markdown(many(3), artifact)


def test_a_diff_that_is_too_long_is_cut_by_itself() -> None:
    change = ObjectChange(
        change="added",
        new={"kind": "ConfigMap", "metadata": {"name": "a"}},
        diff="".join(f"+line {number}\n" for number in range(3000)),
    )
    comment = markdown(many(0, objects=(change,)))
    folded = comment[comment.index("<details>") :]
    assert len(folded.encode()) <= 10_000
    assert folded.endswith("*Shortened: `virtcatalog diff` prints the whole report.*\n\n</details>\n")
    assert len(folded.encode()) > 9_900


def test_a_diff_behind_a_text_that_is_too_long_is_left_out() -> None:
    verdict = Verdict(
        vm="shop/a", now="restart", next="changed", reasons=tuple(f"{n:03}{'x' * 400}" for n in range(30))
    )
    fleet = Fleet(vms=1, verdicts=[verdict], diffs={key_of(verdict): lambda: "-<old/>\n+<new/>\n"})
    comment = markdown(Report(base=Side(label="old"), head=Side(label="new"), fleet=fleet))
    (details,) = re.findall("<details>(?s:.*)", comment)
    assert details == (
        "<details><summary>restart: shop/a</summary>\n\n"
        f"{''.join(f'- {reason}{end}' for reason, end in zip(verdict.reasons, chr(10) * 30, strict=True))}\n"
        "```diff\n```\n\n*Shortened: `virtcatalog diff` prints the whole report.*\n\n</details>\n"
    )


@pytest.mark.parametrize("number", [0, 1, 2])
def test_fields_that_begin_or_cease_to_count_are_folded(number: int) -> None:
    fields = tuple(KnownField(f"VM/{name}", f"spec.{name}", known=False) for name in "ab"[:number])
    upgrade = Upgrade(environments=("",), old="v1.8.4", new="v1.9.0", fields=fields)
    lines = [f"- spec.{name}: v1.9.0 drops it: VM/{name}\n" for name in "ab"[:number]]
    summary = "<details><summary>fields under KubeVirt: v1.8.4 → v1.9.0</summary>"
    folded = [f"{summary}\n\n{''.join(lines)}\n\n</details>\n"] if lines else []
    assert re.findall("<details>(?s:.*)", markdown(many(0, upgrades=(upgrade,)))) == folded


def test_a_summary_that_fills_a_comment_is_cut_and_says_so() -> None:
    comment = markdown(many(3, remarks=tuple(f"{number} {'x' * 5000}" for number in range(20))))
    assert 60_000 < len(comment.encode()) <= MOST_BYTES
    assert comment.endswith("x\n\n*Shortened: `virtcatalog diff` prints the whole report.*\n")
    assert [line[:4] for line in comment.splitlines() if line.endswith("x")] == [
        f"- {number} x"[:4] for number in range(12)
    ]
    assert "<details>" not in comment


def test_a_long_problem_is_cut() -> None:
    comment = markdown(many(3, head=Side(label="new", problems=(Problem("a.yaml", message="x" * 600),))))
    assert f"```text\na.yaml: {'x' * 491}…\n```\n" in comment


def test_problems_are_named_up_to_twenty() -> None:
    problems = tuple(Problem(f"{number}.yaml", message="is wrong") for number in range(22))
    comment = markdown(many(0, head=Side(label="new", problems=problems)))
    block = comment[comment.index("```text") :].partition("\n```\n")[0].splitlines()
    assert block == ["```text", *(f"{number}.yaml: is wrong" for number in range(20)), "and 2 more"]


@pytest.mark.parametrize(
    ("number", "more"), [(5, []), (6, ["- and 1 more not rendered"]), (7, ["- and 2 more not rendered"])]
)
def test_what_is_not_rendered_is_named_up_to_five(number: int, more: list[str]) -> None:
    problems = tuple(Problem(f"{name}.yaml", message="needs helm") for name in "abcdefg"[:number])
    lines = markdown(many(0, head=Side(label="new", unrendered=problems))).splitlines()
    assert [line for line in lines if "rendered" in line and line.startswith("- ")] == [
        *(f"- not rendered: {name}.yaml: needs helm" for name in "abcde"),
        *more,
    ]


def test_long_texts_are_cut_in_a_comment() -> None:
    names = [f"shop/{number:03}{'x' * 40}" for number in range(20)]
    verdicts = [Verdict(vm=name, now="restart", next="changed", reasons=("y" * 600,)) for name in names]
    report = Report(base=Side(label="old"), head=Side(label="new"), fleet=Fleet(vms=20, verdicts=verdicts))
    comment = markdown(report)
    (row,) = (line for line in comment.splitlines() if line.startswith("| `~`"))
    assert row.split(" | ")[2] == f"{'y' * 299}…"
    (title,) = re.findall("<summary>(.*)</summary>", comment)
    assert title == f"restart: {', '.join(names)}"[:499] + "…"
    (line,) = (line for line in comment.splitlines() if line.startswith("- y"))
    assert line == f"- {'y' * 499}…"
