"""What reading one catalog may cost: a budget of work, in units of some 50 nanoseconds.

All that a few words can make long is charged to it by size: expressions and templates, layers that are merged again
and again, and what is rendered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from virtcatalog.limits import WORK, WORK_PER_BYTE

#: What takes work beyond its size: an entry, an expression that is more than a name, and a VM in an environment.
ENTRY, EXPRESSION, PLACED = 2000, 150, 4000
#: What a template takes once: a character that is parsed, a node of it, and a name per condition.
PARSED, NODE, NAME_IN_CONDITION = 20, 700, 5
_YAML_NODE = 150
_CHARACTERS = 8  # characters that count as one unit


class WorkError(Exception):
    """The catalog's budget is spent, and reading it ends.

    `path` leads from what was evaluated to where it arose, `line` counts from 0 within the text there.
    """

    def __init__(self) -> None:
        self.path: tuple[str | int, ...] = ()
        self.line = 0
        self.message = (
            "this is where the catalog's expressions, templates and layers together ask for more work than a catalog "
            "of its size may; make them smaller, or split the catalog"
        )
        super().__init__(self.message)


class Work:
    """The budget of one catalog. It grows with every byte that is read, so that it suits catalogs of all sizes."""

    __slots__ = ("_compiled", "_left", "_sizes")

    def __init__(self) -> None:
        self._left = WORK
        self._compiled: dict[str, Any] = {}
        self._sizes: dict[int, tuple[Any, int]] = {}

    @property
    def left(self) -> int:
        """What may still be charged."""
        return self._left

    def read(self, count: int) -> None:
        """Take note of so many bytes of the catalog."""
        self._left += count * WORK_PER_BYTE

    def spend(self, units: int) -> None:
        """Charge work; WorkError when nothing is left, ValueError when the charge would give some back."""
        if not units >= 0:
            raise ValueError(f"{units} units of work cannot be charged")
        self._left -= units
        if self._left < 0:
            raise WorkError

    def compiled(self, text: str, compile_: Callable[[str], Any]) -> Any:
        """Return what a text is compiled to, which happens once a catalog."""
        compiled = self._compiled.get(text)
        if compiled is None:
            compiled = self._compiled[text] = compile_(text)
        return compiled

    def merge(self, data: Any) -> None:
        """Charge that plain data is merged, which does not change meanwhile."""
        measured = self._sizes.get(id(data))
        if measured is None:  # merging it once takes no longer than reading it did
            self._sizes[id(data)] = data, -1
            return
        if measured[1] < 0:
            measured = self._sizes[id(data)] = data, size(data)
        self.spend(measured[1])


def reading(text: str) -> int:
    """How much work it will be to read a text as YAML, by what most of its nodes begin or end with."""
    return len(text) + _YAML_NODE * sum(map(text.count, (":", ",", "- ", "[", "{")))


def size(data: Any) -> int:
    """How much work it is to go through plain data."""
    units, rest = 0, [data]
    while rest:
        value = rest.pop()
        units += 2
        if isinstance(value, str):
            units += len(value) // _CHARACTERS
        elif isinstance(value, dict):
            rest += [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple)):
            rest += value
    return units
