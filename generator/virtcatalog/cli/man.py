"""`virtcatalog man`: what `--help` says, as man pages and as Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from virtcatalog._version import __version__
from virtcatalog.cli import options
from virtcatalog.cli.console import data, failing, note, summary
from virtcatalog.escaping import single_line


@click.command(
    "man",
    epilog="""\b
Examples:
  virtcatalog man --output-dir ~/.local/share/man/man1
  virtcatalog man expand | man -l -
""",
)
@click.argument("name", metavar="[COMMAND]", nargs=-1, shell_complete=options.completes("commands"))
@options.output_dir("Where to write the pages of all commands.")
@failing
def command(name: tuple[str, ...], output: Path | None) -> int:
    """Print the man page of a command, or write those of all commands.

    What they say is what --help says.
    """
    from virtcatalog.cli import main
    from virtcatalog.errors import VirtcatalogError, nearest
    from virtcatalog.writing import write_files

    manual = {page.name: page for page in pages(main)}
    if output is None:
        page_name = " ".join(("virtcatalog", *name))
        if page_name not in manual:
            raise VirtcatalogError(f"there is no command {page_name!r}{nearest(page_name, manual)}")
        data(roff(manual[page_name]))
        return 0
    if name:
        raise click.UsageError("--output-dir writes the pages of all commands: name none.")
    write_files(output, {file_name(page): roff(page) for page in manual.values()}, note, replaces=True)
    summary(f"{output}: {len(manual)} pages")
    return 0


_EXAMPLES = "Examples:"


class Page(NamedTuple):
    """One command: its whole name, usage, what it does, options as (spelling, help), and its examples."""

    name: str
    usage: str
    summary: str
    paragraphs: tuple[str, ...]
    options: tuple[tuple[str, str], ...]
    examples: tuple[str, ...]
    commands: tuple[str, ...]


def pages(command: click.Command, parent: click.Context | None = None) -> Iterator[Page]:
    """Yield a page for a command and for each below it, in the order of help."""
    name = command.name if parent is not None else "virtcatalog"
    context = click.Context(command, info_name=name, parent=parent, **command.context_settings)
    below = command.list_commands(context) if isinstance(command, click.Group) else []
    yield _page(command, context, tuple(f"{context.command_path} {subcommand_name}" for subcommand_name in below))
    for subcommand_name in below:
        subcommand = command.get_command(context, subcommand_name) if isinstance(command, click.Group) else None
        if subcommand is not None:
            subcommand.name = subcommand_name
            yield from pages(subcommand, context)


def _page(command: click.Command, context: click.Context, commands: tuple[str, ...]) -> Page:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    paragraphs = [
        " ".join(paragraph.split())
        for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(command.help or ""))
        if paragraph
    ]
    options = [record for param in command.get_params(context) if (record := param.get_help_record(context))]
    examples = inspect.cleandoc((command.epilog or "").replace("\b", "")).strip()
    lines = [line.strip() for line in examples.splitlines() if line.strip() and line.strip() != _EXAMPLES]
    summary, rest = (paragraphs[0], paragraphs[1:]) if paragraphs else ("", [])
    return Page(context.command_path, usage, summary, tuple(rest), tuple(options), tuple(lines), tuple(commands))


def file_name(page: Page) -> str:
    """Return what a command's man page is called."""
    return f"{page.name.replace(' ', '-')}.1"


def roff(page: Page) -> str:
    """Return a command's man page."""
    title = page.name.replace(" ", "-")
    lines = [
        f'.TH "{_roff(title.upper())}" 1 "" "virtcatalog {__version__}" "virtcatalog"',
        ".SH NAME",
        rf"{_roff(title)} \- {_roff(page.summary.rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {_roff(page.usage)}",
        ".SH DESCRIPTION",
        *(line for text in (page.summary, *page.paragraphs) for line in (_roff(text), ".PP")),
    ]
    if page.options:
        lines.append(".SH OPTIONS")
        lines += (line for spelling, text in page.options for line in (".TP", rf"\fB{_roff(spelling)}\fR", _roff(text)))
    if page.examples:
        lines += [".SH EXAMPLES", ".nf", *map(_roff, page.examples), ".fi"]
    lines += [".SH EXIT STATUS", "0 fine, 1 findings or differences, 2 wrong usage or unreadable input, 70 a bug."]
    related = page.commands or (page.name.rpartition(" ")[0],)
    names = [name.replace(" ", "-") for name in related if name]
    if names:
        lines += [".SH SEE ALSO", ", ".join(rf"\fB{_roff(name)}\fR(1)" for name in names)]
    return "\n".join(lines) + "\n"


def _roff(text: str) -> str:
    """Text as one line as it is, in which roff sees nothing to do."""
    text = single_line(text).replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    text = "".join(character if character.isascii() else f"\\[u{ord(character):04X}]" for character in text)
    return f"\\&{text}" if text.startswith((".", "'")) else text


def markdown(page: Page) -> str:
    """Return a command's section of a page of all commands."""
    lines = [f"## {page.name}\n", *(f"{_escaped(text)}\n" for text in (page.summary, *page.paragraphs))]
    lines += ["```text", page.usage, "```\n"]
    if page.options:
        lines += ["| Option | |", "|---|---|"]
        lines += (f"| `{spelling.replace('|', chr(92) + '|')}` | {_escaped(text)} |" for spelling, text in page.options)
        lines.append("")
    if page.examples:
        lines += ["```console", *(f"$ {example}" for example in page.examples), "```\n"]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return re.sub(r"([*_<>\[\]|])", r"\\\1", text)
