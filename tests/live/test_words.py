"""Every kind of drift in words: in the headline for one VM and for many, in the table, and in a VM's story."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from syrupy.assertion import SnapshotAssertion

from virtcatalog.errors import Problem
from virtcatalog.live.managers import Writer
from virtcatalog.live.report import Report
from virtcatalog.live.snapshot import Gap
from virtcatalog.live.text import as_markdown, headline, reason_words, story, titles, unread
from virtcatalog.live.verdict import KINDS, POOL, WORDS, Drift, Field, Noise, Reason, Stages, status


def drift(kind: str, name: str = "team/db") -> Drift:
    return Drift(vm=name, reasons=() if kind == "in-sync" else (Reason(kind=kind),))


def of(*drifts: Drift, **others: object) -> Report:
    return Report(git="git", cluster="prod", drifts=drifts, **others)


def test_every_kind_in_a_sentence_of_one_and_of_many(snapshot: SnapshotAssertion) -> None:
    assert [*WORDS] == [*KINDS]
    assert [
        (kind, WORDS[kind].short, headline(of(drift(kind))), headline(of(drift(kind, "a/a"), drift(kind, "b/b"))))
        for kind in KINDS
    ] == snapshot


def test_pools_are_counted_beside_vms() -> None:
    pool = Drift(vm="team/web", kind=POOL)
    assert headline(of(pool)) == "0 VMs and 1 pool: 1 is in sync"
    assert headline(of(pool, drift("in-sync"))) == "1 VM and 1 pool: 2 are in sync"
    assert headline(of()) == "there is no VM"


def test_a_story_tells_stages_releases_and_all_of_each_reason(snapshot: SnapshotAssertion) -> None:
    drift = Drift(
        vm="team/db",
        environment="prod",
        place="vms/db.yaml:1:1",
        stages=Stages("there", "2 other", "same", "other"),
        reasons=(
            Reason(
                kind="edited",
                since="2026-01-02T00:00:00Z",
                wins="git",
                fields=(
                    Field("spec.a", 1, 2, Writer("kubectl-edit", "hand", "Update", "2026-01-02"), "vms/db.yaml:7:3", 3),
                    Field("spec.template.spec.b", None, {"c": 1}),
                    Field("spec.d", None, None, applied=None),
                    Field("spec.e", 1, None, Writer("helm", "apply"), applied=1),
                ),
            ),
            Reason(kind="pinned", message="type m.small", wins="hand", fields=(Field("spec.cpu.guest", 1, 2),)),
            Reason(kind="following", message="it has 1 of 2 VMs", wins="controller"),
        ),
        noise=(Noise("spec.f", "kubemacpool gave it", "02:00:00:00:00:01"),),
        runs={"type": "v2", "preference": "v1"},
    )
    assert (
        "\n".join([*story(drift, noise=True), "", *map(reason_words, drift.reasons), "", as_markdown(of(drift))])
        == snapshot
    )
    assert [*story(drift)] == [*story(drift, noise=True)][:-1]


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "edited"),
        (1, "edited: f0: none → 0"),
        (2, "edited: f0: none → 0, f1: none → 1"),
        (3, "edited: f0: none → 0, f1: none → 1 and 1 field more"),
        (5, "edited: f0: none → 0, f1: none → 1 and 3 fields more"),
    ],
)
def test_two_fields_of_a_reason_are_named(number: int, words: str) -> None:
    fields = tuple(Field(f"spec.template.spec.f{index}", None, index) for index in range(number))
    assert reason_words(Reason(kind="edited", fields=fields)).replace("some ", "") == words


def test_what_was_not_read_is_told() -> None:
    gap, problem = Gap("VirtualMachine", "forbidden"), Problem(file="a.yaml", message="is empty")
    partial = of(drift("in-sync"), gaps=(gap,), problems=(problem,))
    assert headline(partial) == "1 VM: 1 is in sync; this is not all: 2 things could not be read"
    assert [*unread(partial)] == [f"not read of the cluster: {gap}", "not read of Git: a.yaml: is empty"]
    assert "- not read of Git: a.yaml: is empty" in as_markdown(partial)


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (timedelta(minutes=59), ""),
        (timedelta(minutes=61), ", 1 hour ago"),
        (timedelta(hours=23, minutes=30), ", 23 hours ago"),
        (timedelta(hours=25), ", 1 day ago"),
        (timedelta(days=9, hours=1), ", 9 days ago"),
    ],
)
def test_a_dump_older_than_an_hour_is_of_its_age(age: timedelta, words: str) -> None:
    taken = (datetime.now(tz=UTC) - age).isoformat()
    assert titles(of(taken=taken)) == f"git → prod{words}"


@pytest.mark.parametrize("taken", ["", "yesterday", "2020-01-01T00:00:00"])
def test_a_time_that_says_nothing_is_left_out(taken: str) -> None:
    assert titles(of(taken=taken)) == "git → prod"


@pytest.mark.parametrize(
    ("kinds", "partial", "expected"),
    [
        ((), False, 0),
        (("in-sync", "migrating"), False, 0),
        (("in-sync", "paused"), False, 1),
        (("restart",), True, 2),
        ((), True, 2),
        (("in-sync", "unread"), False, 2),
    ],
)
def test_the_exit_status(kinds: tuple[str, ...], partial: bool, expected: int) -> None:
    assert status(map(drift, kinds), partial=partial) == expected
