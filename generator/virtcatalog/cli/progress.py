"""How far a command is, on stderr: a line that is written over and goes in the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from shutil import get_terminal_size
from time import monotonic
from typing import TypeVar

T = TypeVar("T")

_AFTER, _EVERY = 1.0, 0.1
_WIPE = "\r\x1b[K"


class _Line:
    """The line of this process: one piece of work is told of at a time, the outermost."""

    begun: float | None = None
    """When the first work of the command began."""
    busy = False
    is_visible = False

    def show(self, text: str) -> None:
        sys.stderr.write(_WIPE + text)
        sys.stderr.flush()
        self.is_visible = True

    def wipe(self) -> None:
        if self.is_visible:
            self.is_visible = False
            sys.stderr.write(_WIPE)
            sys.stderr.flush()


_line = _Line()


def reported(items: Iterable[T], number: int | None, noun: str) -> Iterator[T]:
    """Yield the items; once the command takes a second, tell how many are done, how fast, and how long it will take.

    `number` is None where nobody knows how many there are.
    """
    if _line.busy:
        yield from items
        return
    begun = monotonic()
    _line.busy, _line.begun = True, begun if _line.begun is None else _line.begun
    due = max(begun + _EVERY, _line.begun + _AFTER)
    try:
        for completed, item in enumerate(items, 1):
            yield item
            now = monotonic()
            if now >= due:
                due = now + _EVERY
                _line.show(state(completed, number, now - begun, noun, _columns() - 1))
    finally:
        _line.busy = False
        _line.wipe()


def wipe() -> None:
    """Leave the line to others: what they print starts at its left, and the next state is below that."""
    _line.wipe()


def state(completed: int, number: int | None, seconds: float, noun: str, columns: int = 79) -> str:
    """Word how far it is, as much as fits: `1,200 of 4,000 VMs, 600/s, 5 s left`."""
    rate = completed / seconds
    parts = [f"{completed:,} {noun}" if number is None else f"{completed:,} of {number:,} {noun}"]
    parts.append(f"{rate:,.0f}/s" if rate >= 1 else f"{60 * rate:.0f} a minute")
    if number is not None and number >= completed:
        parts.append(f"{_time(round((number - completed) / rate))} left")
    while len(parts) > 1 and len(", ".join(parts)) > columns:
        parts.pop()
    return ", ".join(parts)[:columns]


def _time(seconds: int) -> str:
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def _columns() -> int:
    """How wide the terminal is on stderr; stdout may be a pipe."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or get_terminal_size().columns
    except (OSError, ValueError, AttributeError):
        return get_terminal_size().columns
