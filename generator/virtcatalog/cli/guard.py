"""Around every command line: what goes wrong in it, and what its streams do, as an exit status.

It imports little: `--version` and completion pass here, too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TypeVar

import click

#: Exit statuses beside 0 (fine) and 1 (findings or differences).
UNUSABLE, BUG, INTERRUPTED, PIPE_CLOSED = 2, 70, 130, 141

T = TypeVar("T")


def guarded(run: Callable[[], T], *, debug: bool) -> T:
    """Call what a command line asks for; whatever happens in it ends in an exit status that says so.

    What is not foreseen is a bug, and never a status that means a result: neither 0 nor 1.
    """
    _prepare()
    try:
        try:
            result = run()
        except SystemExit:
            _flush()
            raise
        _flush()
        return result
    except click.ClickException as error:
        from virtcatalog import escaping

        vars(error)["message"] = escaping.log(error.message)  # which click prints
        raise
    except (click.exceptions.Exit, click.Abort):
        raise
    except KeyboardInterrupt:
        status = _end("interrupted", INTERRUPTED)
    except BrokenPipeError:
        status = _end("", PIPE_CLOSED)  # the reader has gone; nothing is left to say to it
    except OSError as error:
        name = os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes)) else ""
        status = _end(f"error: {': '.join(filter(None, (name, error.strerror or str(error))))}", UNUSABLE)
    except MemoryError:
        status = _end("error: there is not enough memory for this; nothing that was printed is a result", BUG)
    except Exception as error:
        from virtcatalog.errors import VirtcatalogError

        if isinstance(error, VirtcatalogError):  # before the command: virtcatalog.toml
            from virtcatalog.cli.console import refuse

            status = _end("", refuse(error))
        else:
            status = _end(_bug(error, debug=debug), BUG)
    raise SystemExit(status)


def check_streams() -> None:
    """End a command line whose standard output is closed: it could not print its results, and would seem to have none.

    No file takes the number of a standard stream that is closed: C libraries, and git, write their messages there.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest number that is free
    if sys.stdout is None:
        raise SystemExit(_end("error: standard output is closed; /dev/null takes what nobody is to read", UNUSABLE))


def _bug(error: Exception, *, debug: bool) -> str:
    from traceback import extract_tb, format_exception

    if debug:
        return "".join(format_exception(error))
    at = extract_tb(error.__traceback__)[-1]
    summary = f"{type(error).__name__}: {error}"[:200]
    return (
        f"virtcatalog has a bug: {summary} ({Path(at.filename).name}:{at.lineno})\n"
        "Nothing that was printed is a result. Please report this, with what the same command prints with --debug "
        "right after virtcatalog (or VIRTCATALOG_DEBUG=1)."
    )


def _end(message: str, status: int) -> int:
    """Print a last message where stderr is still open, and leave no stream with text that Python writes at exit."""
    with suppress(OSError):
        if message:
            from virtcatalog.cli.console import echo

            echo(message, err=True)
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return status


def _prepare() -> None:
    """Let no character be one that a stream cannot write; what is no terminal gets UTF-8, as data has to be."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            encoding = None if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def _flush() -> None:
    sys.stdout.flush()
