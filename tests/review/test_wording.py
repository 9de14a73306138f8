"""Each kind of verdict in words: of one VM, of two that are named, of three that are counted, and of a pool."""

from __future__ import annotations

from typing import get_args

import pytest
from msgspec.structs import replace

from virtcatalog.gitops.outcome import Synced
from virtcatalog.review.rows import change_lines, meaning, noun, severity, sign, word
from virtcatalog.review.summary import summary
from virtcatalog.review.verdict import Next, Now, Part, Risk, Verdict


def risky(verdict: Verdict) -> Verdict:
    """The same with a guest that may not boot."""
    boot = Risk("boot", "its firmware is another one")
    return replace(verdict, risks=(boot,), next="changed" if verdict.next == "same" else verdict.next)


STARTS: dict[Now, Next] = {"delete": "none", "refused": "none", "unknown": "unknown", "create": "same", "start": "same"}
"""What the next start is of a machine that meets that, where it is not `changed`."""
NOWS = {now: Verdict(now=now, next=STARTS.get(now, "changed")) for now in get_args(Now)}
NEXTS = {following: Verdict(next=following) for following in get_args(Next)}
ANEWS = {
    f"anew {following}": Verdict(next="kept", anew=following)
    for following in ("changed", "refused", "crash", "unknown")
}
KINDS = {
    **{f"now {name}": verdict for name, verdict in NOWS.items()},
    **{f"next {name}": verdict for name, verdict in NEXTS.items()},
}
KINDS |= ANEWS
KINDS |= {f"{name}, may not boot": risky(verdict) for name, verdict in KINDS.items()}
KINDS = {name: verdict for name, verdict in KINDS.items() if verdict.level != "any"}
PARTS = (Part("pool", 1, 1), Part("pool", 1, 4), Part("pool", 3, 4), Part("pool", 4, 4), Part("ReplicaSet", None, 4))


def sentences(verdict: Verdict) -> list[str]:
    """Begin reports on one, two and three VMs that meet this."""
    vms = [replace(verdict, vm=name) for name in ("shop/a", "shop/b", "shop/c")]
    return [summary(vms[:number], 2000).sentence for number in (1, 2, 3)]


def test_reports_begin_with_a_sentence_on_vms_of_each_kind(snapshot: object) -> None:
    assert {name: sentences(verdict) for name, verdict in KINDS.items()} == snapshot


def test_rows_of_vms_of_each_kind(snapshot: object) -> None:
    assert {
        name: f"{sign(verdict)} {severity(verdict)}, {verdict.level}: {word(verdict)}: {meaning(verdict)}"
        for name, verdict in KINDS.items()
    } == snapshot


def test_rows_and_sentences_of_pools_say_of_how_many_vms(snapshot: object) -> None:
    def wording(verdict: Verdict) -> list[str]:
        of_one = replace(verdict, vm="shop/a")
        others = [of_one, replace(verdict, vm="shop/b"), replace(verdict, vm="shop/c")]
        return [
            f"{word(verdict)}: {meaning(verdict)}",
            *(summary(pools, 9).sentence for pools in ([of_one], others)),
        ]

    held = replace(KINDS["next changed"], held=PARTS[2])
    assert {
        f"{name}, {part.number or 'some'} of {part.of}": wording(replace(verdict, part=part))
        for name, verdict in KINDS.items()
        if name in ("now delete", "now stop", "now restart", "now create", "now live")
        for part in PARTS
        if part.number is not None or name != "now delete"
    } == snapshot
    assert meaning(held) == "3 of its 4 VMs change"
    assert meaning(replace(held, held=PARTS[0])) == "its VM changes"


@pytest.mark.parametrize(
    ("verdict", "lines"),
    [
        (
            Verdict(now="restart", next="changed", reasons=("a",), changes=("b", "c", "d"), risks=(Risk("tpm", "e"),)),
            ["tpm: e", "b", "c", "a", "d"],
        ),
        (Verdict(now="pending", next="changed", reasons=("a",), changes=("b",)), ["b", "a"]),
        (Verdict(now="live", next="changed", reasons=("a",), changes=("b",)), ["a", "b"]),
        (Verdict(now="restart", next="same", reasons=("a",)), ["a", "the machine is the same after it"]),
        (
            Verdict(now="restart", next="refused", reasons=("a",), changes=("b", "c")),
            ["a", "at its next start: b", "c"],
        ),
        (Verdict(now="refused", next="refused", reasons=("a",), changes=("b",)), ["a", "at its next start: b"]),
        (Verdict(next="refused", template=True, changes=("b",)), ["b"]),
        (
            Verdict(next="kept", anew="changed", changes=("b",)),
            ["if created anew or its stored revision is refreshed: b"],
        ),
        (Verdict(next="kept", anew="changed", reasons=("a",), changes=("b",)), ["a", "if created anew: b"]),
        (Verdict(next="kept", anew="same"), []),
        (
            Verdict(now="live", changes=("b",), sync=Synced("Flux", "waits", ("never ready", "c"))),
            ["b", "Flux: never ready; c"],
        ),
        (
            Verdict(now="restart", next="changed", changes=("b", "if created anew: c", "if created anew: d")),
            ["b", "if created anew: c; d"],
        ),
        (
            Verdict(next="kept", anew="crash", held=PARTS[3], changes=("b",)),
            ["all of its 4 VMs keep what they have", "VMs that it creates from now on crash: b"],
        ),
        (
            Verdict(next="kept", anew="changed", held=PARTS[3], changes=("b",)),
            [
                "all of its 4 VMs keep what they have",
                "VMs that it creates from now on, or of which the stored revision is refreshed: b",
            ],
        ),
        (
            Verdict(next="kept", anew="changed", held=Part("ReplicaSet", 1, 1), changes=("b",)),
            ["its VM keeps what it has", "VMIs that it creates from now on: b"],
        ),
        (
            Verdict(now="live", changes=("clock: UTC → CET", "b"), risks=(Risk("clock", "UTC → CET: e"),)),
            ["clock: UTC → CET: e", "b"],
        ),
        (
            Verdict(next="changed", changes=("claim a is gone", "volumes[a] is gone", "b is gone"),
                    risks=(Risk("boot", "claim a of disk 'a' is gone"), Risk("disks", "disk 'a' (claim a) is gone"))),
            ["boot: claim a of disk 'a' is gone", "disks: disk 'a' (claim a) is gone", "b is gone"],
        ),
    ],
)  # fmt: skip
def test_a_row_says_in_this_order_what_changes_and_why(verdict: Verdict, lines: list[str]) -> None:
    assert change_lines(verdict) == lines


def test_of_many_lines_the_first_are_shown() -> None:
    verdict = Verdict(now="live", next="changed", changes=("a", "b", "c", "d"))
    assert change_lines(verdict, 2) == ["a", "b", "and 2 more"]
    assert change_lines(verdict, 3) == ["a", "b", "c", "and 1 more"]
    assert change_lines(verdict, 4) == ["a", "b", "c", "d"]
    assert change_lines(replace(verdict, part=PARTS[3], held=PARTS[3]), 3) == [
        "all of its 4 VMs change while they run", "a", "b", "and 2 more",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("verdict", "called"),
    [
        (Verdict(), "VM"),
        (Verdict(template=True), "VM template"),
        (Verdict(part=PARTS[0]), "pool"),
        (Verdict(held=PARTS[4]), "ReplicaSet"),
    ],
)
def test_what_a_verdict_is_on(verdict: Verdict, called: str) -> None:
    assert noun(verdict) == called
