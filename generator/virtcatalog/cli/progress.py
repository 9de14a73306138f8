"""How far a command is, on stderr: a line that is written over and goes in the end."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from shutil import get_terminal_size
from time import monotonic
from typing import TypeVar

T = TypeVar("T")

_AFTER, _EVERY = 1.0, 0.1
_WIPE = "\r\x1b[K"


def told(items: Iterable[T], number: int, noun: str) -> Iterator[T]:
    """Yield the items; after a second, tell how many of the number are done, how fast, and how long it will take."""
    begun = monotonic()
    due, shown = begun + _AFTER, False
    try:
        for done, item in enumerate(items, 1):
            yield item
            now = monotonic()
            if now >= due:
                due, shown = now + _EVERY, True
                line = state(done, number, now - begun, noun)[: get_terminal_size().columns - 1]
                sys.stderr.write(_WIPE + line)
                sys.stderr.flush()
    finally:
        if shown:
            sys.stderr.write(_WIPE)
            sys.stderr.flush()


def state(done: int, number: int, seconds: float, noun: str) -> str:
    """Word how far it is: `1,200 of 4,000 VMs, 600/s, 5 s left`."""
    rate = done / seconds
    shown = f"{rate:,.0f}/s" if rate >= 1 else f"{60 * rate:.0f} a minute"
    left = round((number - done) / rate)
    minutes, rest = divmod(left, 60)
    time = f"{minutes} min {rest} s" if minutes else f"{rest} s"
    return f"{done:,} of {number:,} {noun}, {shown}, {time} left"
