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


def command_of(words: str) -> click.Command:
    """The command of some words."""
    command: click.Command = main
    for word in words.split():
        assert isinstance(command, click.Group)
        below = command.get_command(click.Context(command), word)
        assert below is not None
        command = below
    return command


@pytest.mark.parametrize("words", [*commands(main)])
def test_every_word_of_a_command_can_be_completed(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever there is to offer: in an empty folder nothing of a catalog is, and no completion fails."""
    monkeypatch.chdir(tmp_path)
    command = command_of(words)
    context = click.Context(command)
    for parameter in command.params:
        assert isinstance(parameter.shell_complete(context, ""), list), parameter.name


@pytest.mark.parametrize("words", [*commands(main)])
def test_help(words: str, snapshot: SnapshotAssertion) -> None:
    result = CliRunner().invoke(main, [*words.split(), "--help"], env={"COLUMNS": "120"})
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == snapshot


def described(parameter: click.Parameter) -> str:
    """What a parameter takes: its spellings, a type with its bounds, and how often it may stand there."""
    kind = parameter.type
    spellings = [*parameter.opts, *(f"not {spelling}" for spelling in parameter.secondary_opts)]
    facts = [type(kind).__name__]
    if isinstance(kind, click.Choice):
        facts.append("|".join(kind.choices))
    elif isinstance(kind, click.IntRange | click.FloatRange):
        facts.append(f"{kind.min}{' open' * kind.min_open} to {kind.max}{' open' * kind.max_open}")
    elif isinstance(kind, click.Path):
        facts += [name for name in ("exists", "file_okay", "dir_okay", "allow_dash") if getattr(kind, name)]
        facts.append(getattr(kind.type, "__name__", "str"))
    elif isinstance(kind, click.DateTime):
        facts += kind.formats
    facts += [name for name in ("required", "multiple", "is_flag", "hidden") if getattr(parameter, name, False)]
    if parameter.nargs != 1:
        facts.append(f"{parameter.nargs} values")
    return f"{' '.join(spellings)}: {', '.join(facts)}"


@pytest.mark.parametrize("words", [*commands(main)])
def test_parameters_and_their_defaults(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.chdir(tmp_path)
    command = command_of(words)
    assert command.name == (words.rpartition(" ")[2] or "main")
    # click remembers the help option of the first context, which other tests see, too.
    defaults = command.make_context(words, [], resilient_parsing=True, **main.context_settings).params
    lines = [f"{described(parameter)} [{defaults.get(parameter.name or '')!r}]" for parameter in command.params]
    assert "\n".join(lines) == snapshot
