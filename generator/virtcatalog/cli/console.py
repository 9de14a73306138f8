"""What every command does with its terminal: data on stdout, messages on stderr, errors as exit statuses."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import ParamSpec, TypeVar

import click

from virtcatalog.errors import ProblemsError, VirtcatalogError

P = ParamSpec("P")
T = TypeVar("T")

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def failing(command: Callable[P, int]) -> Callable[P, None]:
    """Turn a command's result into the exit status, and the errors that virtcatalog raises into messages."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            status = command(*args, **kwargs)
            sys.stdout.flush()
        except ProblemsError as error:
            for problem in error.problems:
                click.echo(str(problem), err=True)
            count = len(error.problems)
            click.echo(f"{count} problem{'' if count == 1 else 's'}", err=True)
            status = 2
        except VirtcatalogError as error:
            click.echo(f"error: {error}", err=True)
            status = 2
        except BrokenPipeError:
            # The reader has gone; nothing is left to say to it, at exit neither.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            status = 1
        raise SystemExit(status)

    return run


def summary(text: str) -> None:
    """Print a closing line."""
    click.echo(text, err=True)


def progress(items: Iterable[T], number: int, noun: str) -> Iterator[T]:
    """Yield the items with a bar on stderr, if that is a terminal on which nothing else is printed meanwhile."""
    if number < 2 or not sys.stderr.isatty() or sys.stdout.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, noun, number, console=Console(stderr=True), transient=True)


def coloured() -> bool:
    """Whether stdout is a terminal that wants colour (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def write_diff(text: str) -> None:
    """Print a unified diff, coloured on a terminal."""
    if not coloured():
        click.echo(text, nl=False)
        return
    for line in text.splitlines(keepends=True):
        bold = line.startswith(("+++", "---"))
        click.secho(line, nl=False, bold=bold or None, fg=None if bold else _COLOURS.get(line[:1]))
