"""What every command does with its terminal: data on stdout, messages on stderr, errors as exit statuses."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

import click

from virtcatalog import escaping
from virtcatalog.errors import ProblemsError, VirtcatalogError, counted
from virtcatalog.progress import reporting_to

P = ParamSpec("P")
T = TypeVar("T")

_OWN = os.getpid()

#: Where the context of a command line keeps that -q was given.
QUIET = "virtcatalog.quiet"

_GRAVITY = {"error": "red", "warning": "yellow", "note": "cyan", "refused": "red"}
_GRAVE = r"(?m)\[(error|warning|note): [\w-]+\]$|\b(error|warning): |\((?:[^()\n]*; )?(refused) by [^()\n]+\)"
_COLOURS = {"+": "green", "-": "red", "~": "yellow", "!": "bright_red", "@": "cyan"}


def failing(command: Callable[P, int]) -> Callable[P, None]:
    """Turn a command's result into the exit status, and the errors that virtcatalog raises into messages."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with reporting_to(partial(progress, silent=True)):
                status = command(*args, **kwargs)
        except VirtcatalogError as error:
            status = refuse(error)
        finally:
            _wipe()
        raise SystemExit(status)

    return run


def refuse(error: VirtcatalogError) -> int:
    """Say what is wrong; return the exit status of unreadable input."""
    if isinstance(error, ProblemsError):
        print_problems(error.problems)
        echo(counted(len(error.problems), "problem"), err=True)
    else:
        echo(f"error: {error}", err=True)
    return 2


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print for people: nothing in the text is obeyed by a terminal, or by what reads the log of a CI job.

    What goes to stderr are findings and the like, which are coloured there.
    """
    if err:
        print_findings(text + "\n" * nl, err=True)
    else:
        click.echo(escaping.log(text), nl=nl)


def print_findings(text: str, *, err: bool) -> None:
    """Print lines of findings, coloured on a terminal."""
    _wipe()
    text = escaping.log(text)
    to = sys.stderr if err else sys.stdout
    if coloured(err=err):
        click.echo(finding(text, True), err=err, nl=False)
    elif to is not None:  # a fleet may have thousands of them, and click looks at a stream for each
        to.write(text)
        to.flush()


def print_problems(problems: Iterable[object]) -> None:
    """Print what is wrong, a line each."""
    for problem in problems:
        echo(str(problem), err=True)


def print_documents(documents: Sequence[Any], form: str) -> None:
    """Print plain data as `json`, one document by itself and several as a list, or else as a stream of YAML."""
    if form == "json":
        data(escaping.as_json(documents[0] if len(documents) == 1 else documents))
    else:
        from virtcatalog.manifests.emit import dump, join

        data(join(map(dump, documents)))


def data(text: str, *, err: bool = False) -> None:
    """Print YAML, XML, JSON, Markdown or workflow commands, which were escaped for what they are."""
    _wipe()
    click.echo(text, nl=False, err=err)


def stream(text: str) -> None:
    """Print a part of much data, as `data` does, which is written out when there is enough of it."""
    sys.stdout.write(text)


def show_json(texts: Iterable[str], many: bool) -> None:
    """Print one object for one VM, else a list of them."""
    separator = "[\n" if many else ""
    for text in texts:
        stream(separator)
        stream(text)
        separator = ",\n"
    if many:
        stream("\n]\n" if separator == ",\n" else "[]\n")
    elif separator:
        stream("\n")


def summary(text: str) -> None:
    """Print a closing line, unless -q says that nobody wants one."""
    if not quiet():
        echo(text, err=True)


def note(text: str) -> None:
    """Print what is to be known beside the results, whether or not -q is there."""
    echo(text, err=True)


def quiet() -> bool:
    """Whether the command line has -q: results and what is wrong are all that is printed."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(QUIET))


def progress(items: Iterable[T], number: int | None, noun: str, *, silent: bool = False) -> Iterator[T]:
    """Yield the items; from the second second on, stderr shows how far it is, if that is a terminal.

    It shows nothing where results scroll by on a terminal meanwhile, which is not so if the command is `silent`.
    """
    streams = sys.stdout, sys.stderr
    few = number is not None and number < 2
    hidden = few or quiet() or None in streams or not sys.stderr.isatty() or (sys.stdout.isatty() and not silent)
    if hidden or os.environ.get("TERM") == "dumb" or os.getpid() != _OWN:  # the processes of a pool have stderr, too
        yield from items
        return
    from virtcatalog.cli.progress import reported

    yield from reported(items, number, noun)


def _wipe() -> None:
    """Remove the line of progress from the terminal, if there is one."""
    telling = sys.modules.get("virtcatalog.cli.progress")
    if telling is not None:
        telling.wipe()


def coloured(*, err: bool = False) -> bool:
    """Whether stdout or stderr is a terminal that wants colour (https://no-color.org); --color says so itself."""
    context = click.get_current_context(silent=True)
    if context is not None and context.color is not None:
        return context.color
    stream = sys.stderr if err else sys.stdout
    return stream is not None and stream.isatty() and not os.environ.get("NO_COLOR")


def columns_of_terminal() -> int | None:
    """How wide the terminal is that stdout is, None when it is none: what reads a pipe wants each row on a line."""
    if not sys.stdout.isatty():
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns


def print_line(text: str, style: str, colour: bool) -> None:
    """Print a line on stdout in a style, if there is colour."""
    click.echo(painted(escaping.log(text), style, colour))


def painted(text: str, style: str, colour: bool) -> str:
    """Return a text in a style, `bold` or a colour's name, if there is colour."""
    if not style or not colour or not text:
        return text
    return click.style(text, bold=True) if style == "bold" else click.style(text, fg=style)


def finding(text: str, colour: bool) -> str:
    """Return lines as findings are shown: their places, and how bad they are, stand out."""
    if not colour:
        return text
    text = re.sub(r"(?m)^\S[^\n]*?:\d+:\d+:(?= )", lambda match: painted(match[0], "bold", True), text)
    return re.sub(_GRAVE, lambda match: painted(match[0], _GRAVITY[match[1] or match[2] or match[3]], True), text)


def write_diff(text: str) -> None:
    """Print a unified diff, or lines that begin with what happens (`+ ~ - !`), coloured on a terminal."""
    text = escaping.log(text)
    if not coloured():
        click.echo(text, nl=False)
        return
    for line in text.splitlines(keepends=True):
        bold = line.startswith(("+++", "---"))
        fg = None if bold else _COLOURS.get(line[:1])
        click.secho(line.removesuffix("\n"), nl=line.endswith("\n"), bold=bold or None, fg=fg)
