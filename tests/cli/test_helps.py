"""`--help` of every command, as a user reads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from syrupy.assertion import SnapshotAssertion

from virtcatalog.cli import main


def commands(command: click.Command, *path: str) -> Iterator[str]:
    """The command and all below it, by the words that a user writes."""
    yield " ".join(path)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, *path, name)


@pytest.mark.parametrize("words", [*commands(main)])
def test_every_word_of_a_command_can_be_completed(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever there is to offer: in an empty folder nothing of a catalog is, and no completion fails."""
    monkeypatch.chdir(tmp_path)
    command: click.Command = main
    for word in words.split():
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), word)
        assert found is not None
        command = found
    context = click.Context(command)
    for parameter in command.params:
        assert isinstance(parameter.shell_complete(context, ""), list), parameter.name


@pytest.mark.parametrize("words", [*commands(main)])
def test_help(words: str, snapshot: SnapshotAssertion) -> None:
    result = CliRunner().invoke(main, [*words.split(), "--help"], env={"COLUMNS": "120"})
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == snapshot
