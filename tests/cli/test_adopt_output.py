"""What becomes of files when VMs adopt types: which VMs are carried back, and what is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from click.testing import CliRunner

from virtcatalog.adopt.written import Written, carried_back
from virtcatalog.cli.adopt import _tell_groups
from virtcatalog.cli.rewriting import Rewritten, print_files, write_in_place
from virtcatalog.errors import Problem
from virtcatalog.writing import WriteError


class Machine(NamedTuple):
    """A VM as `adopt` counts it."""

    name: str
    outcome: str
    adoption: None = None


class Vm:
    """A VM as it is deployed."""

    def __init__(self, name: str, **spec: Any) -> None:
        self._name = name
        self.data = {"metadata": {"name": name}, "spec": spec}

    def problem(self, field: Any, message: str) -> Problem:
        path = ".".join(map(str, field))
        return Problem(object=self._name, field=path, message=message)


def intended(vm: Vm, **spec: Any) -> dict[str, Any]:
    return {**vm.data, "spec": spec}


ONE, PATCHED, OTHER = Vm("one", cpu=2, memory=1), Vm("one", cpu=4, memory=1), Vm("other", cpu=2)
ELSEWHERE = "is rendered, and does not stand in this file: change it by hand"
DIFFERENT = "would not be the same in each environment that deploys it: change it by hand"
BY_PATCH = (
    "spec.cpu: is written otherwise than it is deployed: by a patch, a variable or a transformer; change it there"
)


@pytest.mark.parametrize(
    ("vms", "changed", "problems"),
    [
        pytest.param([(0, ONE, intended(ONE, memory=1))], {7: {"memory": 1}}, [], id="what changes is taken over"),
        pytest.param([(0, ONE, None)], {}, [], id="what stays is left alone"),
        pytest.param([(9, ONE, None)], {}, [], id="what stays and is not written either"),
        pytest.param([(9, ONE, intended(ONE))], {}, [f"one: {ELSEWHERE}"], id="not written here"),
        pytest.param(
            [(0, ONE, intended(ONE, memory=1)), (1, ONE, intended(ONE, memory=1))],
            {7: {"memory": 1}},
            [],
            id="two environments deploy it alike",
        ),
        pytest.param(
            [(0, ONE, intended(ONE, memory=1)), (1, ONE, intended(ONE, cpu=2))],
            {},
            [f"one: {DIFFERENT}"] * 2,
            id="two environments would have it otherwise",
        ),
        pytest.param(
            [(0, ONE, intended(ONE, memory=1)), (1, ONE, None)], {}, [f"one: {DIFFERENT}"], id="one would leave it"
        ),
        pytest.param(
            [(0, PATCHED, intended(PATCHED, memory=1)), (2, OTHER, intended(OTHER))],
            {8: {}},
            [f"one: {BY_PATCH}"],
            id="a patch gives what goes",
        ),
        pytest.param(
            [(0, ONE, intended(ONE, memory=1)), (1, PATCHED, intended(PATCHED, memory=1))],
            {},
            [f"one: {BY_PATCH}", f"one: {DIFFERENT}", f"one: {DIFFERENT}"],
            id="a patch of one environment alone",
        ),
    ],
)
def test_a_vm_is_changed_where_it_is_written_if_all_that_deploy_it_agree(
    vms: list[tuple[int, Any, Any]], changed: dict[int, Any], problems: list[str]
) -> None:
    one, other = Written(7, 3, ONE.data), Written(8, 30, OTHER.data)
    specs, said_problems = carried_back({0: one, 1: one, 2: other}, vms)
    assert ({number: data["spec"] for number, data in specs.items()}, list(map(str, said_problems))) == (
        changed,
        problems,
    )


def written(names: str, folder: Path) -> list[Rewritten]:
    return [Rewritten(str(folder / name), "", f"{name}\n") for name in names]


def test_a_file_that_cannot_be_written_ends_it_and_those_before_it_are_named(tmp_path: Path) -> None:
    (tmp_path / "g").mkdir()
    with pytest.raises(WriteError) as first:
        write_in_place(written("g", tmp_path))
    assert str(first.value) == f"{tmp_path}/g: is not a regular file; it is as it was"
    with pytest.raises(WriteError) as later:
        write_in_place(written("abcdefgh", tmp_path))
    before = ", ".join(f"{tmp_path}/{name}" for name in "abcde")
    assert str(later.value) == f"{first.value}; rewritten before it: {before} and 1 more"
    assert {path.name: path.read_text() for path in tmp_path.iterdir() if path.is_file()} == {
        name: f"{name}\n" for name in "abcdef"
    }


def test_nothing_is_written_if_one_file_is_behind_a_link_of_a_checkout(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "b").symlink_to("c")
    with pytest.raises(WriteError, match="b is a symbolic link"):
        write_in_place(written("ab", tmp_path))
    assert not (tmp_path / "a").exists()


def test_a_diff_names_files_below_a_and_b() -> None:
    @click.command()
    def command() -> None:
        print_files([Rewritten("/x/vm.yaml", "a\n", "b\n"), Rewritten("same", "a\n", "a\n")], "diff")

    assert CliRunner().invoke(command).stdout == "--- a/x/vm.yaml\n+++ b/x/vm.yaml\n@@ -1 +1 @@\n-a\n+b\n"


@pytest.mark.parametrize(
    ("texts", "out"),
    [
        (["a: 1"], "a: 1"),
        (["---\na: 1\n"], "---\na: 1\n"),
        (["a: 1", "b: 2\n", "---\nc: 3"], "a: 1\n---\nb: 2\n---\nc: 3\n"),
    ],
)
def test_files_of_yaml_are_one_stream(texts: list[str], out: str) -> None:
    @click.command()
    def command() -> None:
        print_files([Rewritten("vm.yaml", "", text) for text in texts], "yaml")

    assert CliRunner().invoke(command).stdout == out


@pytest.mark.parametrize(
    ("unshown", "lines"),
    [
        ((0, 0), ""),
        ((1, 1), "and 1 group more, of 1 VM; -o json has each VM\n"),
        ((2, 1200), "and 2 groups more, of 1,200 VMs; -o json has each VM\n"),
    ],
)
def test_groups_that_are_not_shown_are_counted(
    unshown: tuple[int, int], lines: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = ("3", "adopts", "m.small", "", "shop/web", "")
    monkeypatch.setattr("virtcatalog.adopt.report.groups", lambda *_: ([row], *unshown))
    machines = [Machine(f"vm-{number}", outcome) for number, outcome in enumerate(["refused", "adopted", "adopted"])]
    with click.Context(click.Command("adopt")):
        _tell_groups(machines, None)
    out, err = capsys.readouterr()
    head = "VMS  OUTCOME  INSTANCE TYPE  PREFERENCE  SUCH AS   WHY\n"
    assert out == ""
    assert err == f"{head}3    adopts   m.small        -           shop/web  -\n{lines}3 VMs: 2 adopted, 1 refused\n"
