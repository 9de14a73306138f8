"""One convention for all commands: an option has one spelling and one meaning, wherever it is."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from virtcatalog.cli import COMMANDS, main

#: The short spellings that there are, each with its long one.
SHORT = {
    "-c": "--catalog",
    "-e": "--environment",
    "-f": "--file",
    "-h": "--help",
    "-i": "--in-place",
    "-j": "--jobs",
    "-n": "--namespace",
    "-o": "--output",
    "-p": "--param",
    "-q": "--quiet",
}
#: Long spellings of 0.1, or that other tools have for what is spelt otherwise here.
FOREIGN = {"--format", "--env", "--architecture", "--filename"}


def _commands() -> Iterator[tuple[str, click.Command]]:
    def walk(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
        if isinstance(command, click.Group):
            context = click.Context(command, **command.context_settings)
            for subcommand in command.list_commands(context):
                below = command.get_command(context, subcommand)
                assert below is not None
                yield from walk(f"{name} {subcommand}".strip(), below)
        else:
            yield name, command

    return walk("", main)


ALL = dict(_commands())


def _options(command: click.Command) -> list[click.Option]:
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


def test_every_command_is_looked_at():
    assert {name.partition(" ")[0] for name in ALL} == set(COMMANDS)


@pytest.mark.parametrize("name", ALL)
class TestSpellings:
    def test_short_ones_mean_the_same_everywhere(self, name):
        for option in _options(ALL[name]):
            for short in (opt for opt in option.opts if len(opt) == 2):
                assert SHORT.get(short) in option.opts, short

    def test_long_ones_have_their_short_one(self, name):
        longs = {long: short for short, long in SHORT.items()}
        for option in _options(ALL[name]):
            for long in set(option.opts) & set(longs):
                assert longs[long] in option.opts, long

    def test_none_is_foreign(self, name):
        assert not FOREIGN & {opt for option in _options(ALL[name]) for opt in option.opts}

    def test_output_is_a_format(self, name):
        for option in _options(ALL[name]):
            if "--output" in option.opts:
                assert isinstance(option.type, click.Choice)

    def test_every_command_can_be_quiet_and_coloured(self, name):
        spelt = {opt for option in _options(ALL[name]) for opt in option.opts}
        assert {"-q", "--quiet", "--color"} <= spelt

    def test_help_describes_every_option_in_80_columns(self, name):
        assert all(option.help for option in _options(ALL[name]))
        text = CliRunner().invoke(main, [*name.split(), "--help"], terminal_width=80).stdout
        options = text.partition("\nOptions:\n")[2].partition("\n\n")[0]
        assert options
        assert max(map(len, options.splitlines())) <= 80


@pytest.mark.parametrize("arguments", [["build"], ["check"]])
def test_the_catalog_is_an_argument_or_an_option(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "catalog.yaml").write_text("name: house\nkubevirt: v1.9.0\n")
    runner = CliRunner()
    named = [runner.invoke(main, [*arguments, *how]) for how in (["house"], ["-c", "house"])]
    assert [result.exit_code for result in named] == [0, 0]
    twice = runner.invoke(main, [*arguments, "house", "-c", "other"])
    assert (twice.exit_code, twice.stdout) == (2, "")
    assert "the catalog is either house or other: name one" in twice.stderr


class TestQuiet:
    @pytest.mark.parametrize("arguments", [["-q", "build"], ["build", "-q"]])
    def test_says_nothing_that_is_no_result(self, arguments, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "catalog").mkdir()
        (tmp_path / "catalog" / "catalog.yaml").write_text("name: house\nkubevirt: v1.9.0\n")
        result = CliRunner().invoke(main, arguments)
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
        assert (tmp_path / "output").is_dir()

    def test_says_what_is_wrong(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        result = CliRunner().invoke(main, ["build", "-q"])
        assert result.exit_code == 2
        assert "catalog" in result.stderr


class TestJobs:
    @pytest.mark.parametrize("jobs", ["0", "-1", "two", "1.5", ""])
    def test_are_a_number_or_auto(self, jobs):
        result = CliRunner().invoke(main, ["expand", "-j", jobs])
        assert result.exit_code == 2
        assert f"{jobs!r} is neither a number from 1 on nor auto." in result.stderr
