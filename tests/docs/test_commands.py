"""Every command that the documentation shows is one that there is, with options that it has."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click
import pytest
from running import PAGES, steps

from virtcatalog.cli import main
from virtcatalog.cli.man import pages, roff

ROOT = Path(__file__).parents[2]
_SPAN = re.compile(r"`(virtcatalog [^`]+)`")
_SHELL = frozenset(("|", ">", ">>", "<", "&&", "||", ";", "2>", "#"))
#: Words that stand for something else.
_MEANT = re.compile(r"…|\bCOMMAND\b|\[BASE\]|--field FIELD")


def shown(page: Path) -> Iterator[str]:
    """The command lines of virtcatalog's in a page's blocks and in its text, without what the shell does before."""
    text = page.read_text(encoding="utf-8")
    for step in steps(text):
        match = re.match(r"(?:.*\| )?(virtcatalog [a-z].*)", step.text.replace("\\\n", " "))
        if step.kind == "run" and match:
            yield match[1]
    yield from (span for span in _SPAN.findall(text) if not _MEANT.search(span))


def words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    for word in lexer:
        if word in _SHELL or word.startswith("#"):
            break
        words.append(word)
    return words[1:]


def parse(arguments: list[str]) -> None:
    """Raise click's error for a command, option or argument that is not there."""
    command: click.Command = main
    context = click.Context(main, **main.context_settings)
    while isinstance(command, click.Group) and arguments and not arguments[0].startswith("-"):
        name, *arguments = arguments
        below = command.get_command(context, name)
        assert below is not None, f"there is no command {name!r}"
        command, context = below, click.Context(below, parent=context)
    with suppress(click.BadOptionUsage):  # a page may speak of an option without an argument
        command.make_parser(context).parse_args(list(arguments))


LINES = sorted({(page.name, line) for page in PAGES.values() for line in shown(page)})


@pytest.mark.parametrize(("page", "line"), LINES)
def test_it_is_a_command_with_its_options(page: str, line: str) -> None:
    parse(words(line))


def test_there_are_many() -> None:
    assert len(LINES) > 40


@pytest.mark.parametrize("line", ["virtcatalog expand --gone", "virtcatalog gone", "virtcatalog import gone"])
def test_what_is_not_there_is_found(line: str) -> None:
    with pytest.raises((AssertionError, click.UsageError)):
        parse(words(line))


class TestManPages:
    def test_every_command_has_one_that_says_what_help_says(self) -> None:
        by_name = {page.name: page for page in pages(main)}
        assert "virtcatalog import objects" in by_name
        assert all(page.summary and page.options for page in by_name.values())

    def test_roff_takes_text_as_it_is(self) -> None:
        page = next(iter(pages(main)))._replace(summary=".so -x \\ …", paragraphs=("'quoted",))
        assert "\\&.so \\-x \\e \\[u2026]\n" in roff(page)
        assert "\n\\&'quoted\n" in roff(page)
