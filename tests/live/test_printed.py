"""What `drift` prints of a report, and what of it is on stderr."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from virtcatalog.cli import drift as cli
from virtcatalog.cli import table
from virtcatalog.errors import Problem
from virtcatalog.live.report import Report
from virtcatalog.live.snapshot import Gap
from virtcatalog.live.verdict import Drift, Noise, Reason


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "columns_of_terminal", lambda: None)


def drift(name: str, kind: str = "edited", *noise: str) -> Drift:
    reasons = () if kind == "in-sync" else (Reason(kind=kind),)
    return Drift(vm=name, reasons=reasons, noise=tuple(Noise(field, "drawn at random", "x") for field in noise))


GAP = Gap("VirtualMachine", "forbidden")


def printed(*drifts: Drift, calm: bool = False, noise: bool = False, stories: bool = False) -> tuple[list[str], str]:
    report = Report(
        git="git", cluster="prod", drifts=drifts, gaps=(GAP,), problems=(Problem(file="a.yaml", message="is empty"),)
    )

    @click.command()
    def command() -> None:
        if stories:
            cli._stories(report, noise=noise)
        else:
            cli._table(report, calm=calm, noise=noise)

    result = CliRunner().invoke(command, catch_exceptions=False)
    return result.stdout.splitlines(), result.stderr


UNREAD = "not read of the cluster: VirtualMachine: forbidden\nnot read of Git: a.yaml: is empty\n"
COUNTS = "{}; this is not all: 2 things could not be read"
ONE = COUNTS.format("1 VM: 1 is in sync")
TWO = COUNTS.format("2 VMs: 1 was edited by hand, 1 is in sync")
THREE = COUNTS.format("3 VMs: 2 were edited by hand, 1 is in sync")
HEAD = ["git → prod", "VM   GIT  CLUSTER  RUNS  VERDICT"]
A, B, C = drift("a/a", "in-sync", "spec.y"), drift("b/b", "edited", "spec.x"), drift("c/c", "edited")
NAMED = (("a/a", "in sync"), ("b/b", "edited"), ("c/c", "edited"))
ROW_A, ROW_B, ROW_C = (f"{name}  -    -        -     {kind}" for name, kind in NAMED)
NO_DRIFT = "  no drift: spec.{}: x → none: drawn at random"


@pytest.mark.parametrize(
    ("drifts", "options", "lines"),
    [
        ((A,), {}, [ONE, "git → prod"]),
        ((B, A), {}, [TWO, *HEAD, ROW_B]),
        ((B, A), {"calm": True}, [TWO, *HEAD, ROW_B, ROW_A, TWO]),
        ((C, B, A), {}, [THREE, *HEAD, ROW_B, ROW_C, THREE]),
        (
            (C, B, A),
            {"noise": True},
            [THREE, *HEAD, ROW_B, ROW_C, "a/a", NO_DRIFT.format("y"), "b/b", NO_DRIFT.format("x"), THREE],
        ),
        ((A, B), {"stories": True}, ["a/a: is in sync", "b/b: was edited by hand", "  was edited by hand"]),
        ((A,), {"stories": True, "noise": True}, ["a/a: is in sync", NO_DRIFT.format("y")]),
    ],
)
def test_what_could_not_be_read_is_on_stderr(
    drifts: tuple[Drift, ...], options: dict[str, bool], lines: list[str]
) -> None:
    """And the counts stand again below a table of several rows."""
    assert printed(*drifts, **options) == (lines, UNREAD)
