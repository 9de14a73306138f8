"""Whatever happens in a command line ends in an exit status that says so, and in words for whoever called it."""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NoReturn

import click
import pytest

from virtcatalog.cli import guard
from virtcatalog.cli.guard import check_streams, guarded
from virtcatalog.errors import ManifestError, Problem, VirtcatalogError

BUG = """\
virtcatalog has a bug: ValueError: of x (test_guard.py:LINE)
Nothing that was printed is a result. Please report this, with what the same command prints with --debug \
right after virtcatalog (or VIRTCATALOG_DEBUG=1).
"""


def raising(error: BaseException) -> Callable[[], NoReturn]:
    def run() -> NoReturn:
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (SystemExit(1), 1, ""),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (BrokenPipeError(), 141, ""),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "error: No space left on device\n"),
        (OSError(errno.EACCES, "Permission denied", "a/b"), 2, "error: a/b: Permission denied\n"),
        (OSError(errno.EACCES, "Permission denied", b"a/\xff"), 2, "error: a/\\udcff: Permission denied\n"),
        (OSError(errno.EBADF, "Bad file descriptor", 7), 2, "error: Bad file descriptor\n"),
        (OSError("what it is"), 2, "error: what it is\n"),
        (
            MemoryError(),
            70,
            "error: there is not enough memory for this; nothing that was printed is a result\n",
        ),
        (VirtcatalogError("is odd"), 2, "error: is odd\n"),
        (ManifestError(Problem(file="a.yaml", message="is odd")), 2, "a.yaml: is odd\n1 problem\n"),
        (ValueError("of x"), 70, BUG),
        (ValueError("x" * 300), 70, BUG.replace("of x", "x" * 188)),
    ],
)
def test_an_end_has_a_status_and_words(
    capsys: pytest.CaptureFixture[str], error: BaseException, status: int, message: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        guarded(raising(error), debug=False)
    assert ended.value.code == status
    out, err = capsys.readouterr()
    assert (out, re.sub(r"(\.py:)\d+", r"\1LINE", err)) == ("", message)


def test_a_bug_is_shown_whole_to_whoever_asks(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        guarded(raising(ValueError("of x")), debug=True)
    stderr = capsys.readouterr().err
    assert ended.value.code == 70
    assert stderr.startswith("Traceback (most recent call last):\n")
    assert stderr.endswith("ValueError: of x\n\n")


@pytest.mark.parametrize("error", [click.UsageError("no \x1b"), click.exceptions.Exit(3), click.Abort()])
def test_clicks_own_ends_are_clicks_and_what_it_prints_is_not_obeyed(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        guarded(raising(error), debug=False)
    assert caught.value is error
    assert getattr(error, "message", "no \\x1b") == "no \\x1b"


def test_what_a_command_returns_is_returned() -> None:
    assert guarded(lambda: 17, debug=False) == 17


class Full(io.StringIO):
    """A stream of which nothing can be written out."""

    def flush(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("run", [lambda: 0, raising(SystemExit(0))])
def test_results_that_stay_in_a_buffer_are_no_success(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], run: Callable[[], Any]
) -> None:
    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(SystemExit) as ended:
        guarded(run, debug=False)
    assert (ended.value.code, capsys.readouterr().err) == (2, "error: No space left on device\n")


class Text(io.TextIOWrapper):
    def __init__(self, terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding="ascii")
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.mark.parametrize(("terminal", "written"), [(True, b"\\xfc \\ud800"), (False, b"\xc3\xbc \\ud800")])
def test_no_character_is_one_that_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, written: bytes
) -> None:
    streams = Text(terminal), Text(terminal)
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    guarded(lambda: [stream.write("ü \ud800") for stream in streams], debug=False)
    for stream in streams:
        stream.flush()
        assert stream.buffer.getvalue() == written  # type: ignore[attr-defined]


def test_a_stream_that_is_closed_is_opened_so_that_no_file_takes_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []

    def fstat(number: int) -> None:
        if number == 1:
            raise OSError(errno.EBADF, "Bad file descriptor")

    def open_device(path: str, flags: int) -> int:
        opened.append((path, flags))
        return 77

    def set_inheritable(number: int, inheritable: bool) -> None:
        opened.append((number, inheritable))

    system = SimpleNamespace(
        fstat=fstat, open=open_device, set_inheritable=set_inheritable, devnull=os.devnull, O_RDWR=os.O_RDWR
    )
    monkeypatch.setattr(guard, "os", system)
    check_streams()
    assert opened == [(os.devnull, os.O_RDWR), (77, True)]


def test_without_a_standard_output_nothing_is_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(SystemExit) as ended:
        check_streams()
    message = "error: standard output is closed; /dev/null takes what nobody is to read\n"
    assert (ended.value.code, capsys.readouterr().err) == (2, message)
