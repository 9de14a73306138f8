"""Every form in which a command prints what it finds (`-o`), over a whole repository."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import house
import pytest
from click.testing import CliRunner
from syrupy.assertion import SnapshotAssertion

from virtcatalog import __version__
from virtcatalog.cli import main

LINES = (
    "adopt -f inline.yaml",
    "adopt -f refused.yaml",
    "capacity -f nodes.yaml -f inline.yaml",
    "check -f refused.yaml -f preset.yaml",
    "check",
    "compare m.small m.large",
    "convert -f preset.yaml",
    "diff main change -f inline.yaml",
    "drift --live live.yaml -e production",
    "expand -f catalog/vms -e production",
    "expand -f refused.yaml",
    "explain -f refused.yaml --field spec.template.spec.domain.memory.guest",
    "impact m.large fast-disks",
    "list environments",
    "list preferences",
    "list templates",
    "list",
    "rightsize -f inline.yaml --metrics usage.csv",
    "show house.windows",
    "show m.large",
    "show production",
    "verify --live live.yaml",
)


def forms(line: str) -> Iterator[str]:
    """The forms that the command of a line has."""
    command = main.get_command(click.Context(main), line.split()[0])
    assert command is not None
    for parameter in command.params:
        if "--output" in parameter.opts and isinstance(parameter.type, click.Choice):
            yield from map(str, parameter.type.choices)


RUNS = [f"{line} -o {form}" for line in LINES for form in forms(line)]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("forms") / "house"
    root.mkdir()
    house.build(root)
    return root


@pytest.mark.parametrize("line", RUNS)
def test_a_form(
    line: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    shutil.copytree(repository, tmp_path / "house")
    monkeypatch.chdir(tmp_path / "house")
    result = CliRunner().invoke(main, shlex.split(line), terminal_width=160, prog_name="virtcatalog")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    text = f"{result.stdout}--- stderr\n{result.stderr}--- exit status {result.exit_code}\n"
    assert text.replace(str(tmp_path), "/home/me").replace(__version__, "VERSION") == snapshot
