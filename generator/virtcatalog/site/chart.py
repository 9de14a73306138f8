"""vCPUs and memory of all instance types: a mark a size, a line a class; both axes are logarithmic."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from math import floor, log2
from typing import Final, NamedTuple

from virtcatalog import units
from virtcatalog.errors import counted
from virtcatalog.site.facts import TypeRow

WIDTH: Final = 1000
HEIGHT: Final = 640
MARGIN: Final = 64
_APART: Final = 2.5
_WIDEST: Final = 12
"""How far lines that take the same way are apart, and the first of them from the last at most."""
_RADIUS: Final = 8
_LETTER: Final = 6.3
_LINE: Final = 13
"""About how wide a letter of a label is, and how high a line."""
_LOOKS: Final = 20_000
"""Marks times lines from which on a chart is too full to keep labels off lines."""


class Mark(NamedTuple):
    """The types of one size, and where their label stands, if there is room for one."""

    types: list[TypeRow]
    x: float
    y: float
    label: Label | None

    @property
    def size(self) -> str:
        """The size, for people."""
        return self.types[0].size

    @property
    def name(self) -> str:
        """The types, in short."""
        more = len(self.types) - 1
        return f"{self.types[0].name} +{more}" if more else self.types[0].name

    @property
    def title(self) -> str:
        """The types and the size, for whoever cannot see the mark."""
        further = len(self.types) - 1
        also = f" and {counted(further, 'other')}" if further else ""
        return f"{self.types[0].name}{also}: {self.size}"


class Label(NamedTuple):
    """Where a text begins, ends, or has its middle: `anchor` is `start`, `end` or `middle`."""

    x: float
    y: float
    anchor: str


class Tick(NamedTuple):
    """A line of the grid with its label."""

    at: float
    text: str


class Chart(NamedTuple):
    """Marks, the lines of both axes, and the line of every class as the points of an SVG polyline."""

    marks: list[Mark]
    vcpus: list[Tick]
    memory: list[Tick]
    lines: dict[str, str]


def chart(types: Iterable[TypeRow]) -> Chart:
    """Lay out the instance types."""
    rows = [row for row in types if row.vcpus > 0 and row.memory > 0]
    sized = sorted(rows, key=lambda row: (row.vcpus, row.memory))
    if not sized:
        return Chart([], [], [], {})
    across = _Axis([row.vcpus for row in sized], MARGIN, WIDTH - MARGIN)
    up = _Axis([row.memory for row in sized], HEIGHT - MARGIN, MARGIN // 2)
    spots: dict[tuple[int, int], list[TypeRow]] = {}
    classes: dict[str, list[TypeRow]] = {row.series: [] for row in rows}
    for row in sized:
        spots.setdefault((row.vcpus, row.memory), []).append(row)
        classes[row.series].append(row)
    sizes = {name: {(row.vcpus, row.memory) for row in members} for name, members in classes.items()}
    lines, ways = {}, set[_Way]()
    for name, members in classes.items():
        alike = [other for other in classes if _same_way(sizes[name], sizes[other])]
        apart = min(_APART, _WIDEST / len(alike))
        shift = apart * (alike.index(name) - (len(alike) - 1) / 2)
        points = dict.fromkeys((across.at(row.vcpus) + shift, up.at(row.memory) + shift) for row in members)
        ends = [(across.at(row.vcpus), up.at(row.memory)) for row in members]
        ways.update(way for way in pairwise(ends) if way[0] != way[1])
        lines[name] = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    marks = [Mark(types_there, across.at(vcpus), up.at(memory), None) for (vcpus, memory), types_there in spots.items()]
    return Chart(
        list(_labelled(marks, ways)),
        [Tick(across.at(value), units.count(value)) for value in across.ticks],
        [Tick(up.at(value), units.memory(value)) for value in up.ticks],
        lines,
    )


def _same_way(sizes: set[tuple[int, int]], other_sizes: set[tuple[int, int]]) -> bool:
    """Whether half of the sizes of one class are those of another, so that their lines would cover each other."""
    return 2 * len(sizes & other_sizes) >= min(len(sizes), len(other_sizes))


_Box = tuple[float, float, float, float]
_Way = tuple[tuple[float, float], tuple[float, float]]


def _labelled(marks: Sequence[Mark], ways: Collection[_Way]) -> Iterator[Mark]:
    """Give each mark a label beside it that covers no mark and no other label, where the fewest lines cross it."""
    ways = ways if len(marks) * len(ways) <= _LOOKS else ()
    boxes = [(mark.x - _RADIUS, mark.y - _RADIUS, mark.x + _RADIUS, mark.y + _RADIUS) for mark in marks]
    for mark in marks:
        width, beside = len(mark.name) * _LETTER, _RADIUS + 4
        free: list[tuple[Label, _Box]] = []
        for label, left in (
            (Label(mark.x + beside, mark.y + 4, "start"), mark.x + beside),
            (Label(mark.x + beside - 2, mark.y + 14, "start"), mark.x + beside - 2),
            (Label(mark.x - beside, mark.y - 6, "end"), mark.x - beside - width),
            (Label(mark.x - beside, mark.y + 4, "end"), mark.x - beside - width),
            (Label(mark.x, mark.y - beside, "middle"), mark.x - width / 2),
            (Label(mark.x, mark.y + beside + 8, "middle"), mark.x - width / 2),
        ):
            box = (left, label.y - _LINE, left + width, label.y + 2)
            if left > MARGIN and box[2] < WIDTH and not any(_overlap(box, other) for other in boxes):
                free.append((label, box))
        if not free:
            yield mark
            continue
        label, box = min(free, key=lambda place: sum(_crosses(way, place[1]) for way in ways))
        boxes.append(box)
        yield mark._replace(label=label)


def _crosses(way: _Way, box: _Box) -> bool:
    """Whether a straight line goes through a box."""
    (x1, y1), (x2, y2) = way
    if _overlap((min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)), box):
        sides = {(x2 - x1) * (y - y1) > (y2 - y1) * (x - x1) for x in box[::2] for y in box[1::2]}
        return len(sides) == 2
    return False


def _overlap(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


class _Axis:
    """Powers of two from one end to the other, half a step beyond the values."""

    def __init__(self, values: Sequence[int], start: float, end: float) -> None:
        low, high = min(values), max(values)
        self._first, self._last = floor(log2(low)), max(floor(log2(low)) + 1, -floor(-log2(high)))
        self._start, self._end = start, end

    @property
    def ticks(self) -> list[int]:
        """Powers of two: all, or every second or third of them."""
        step = 1 + (self._last - self._first) // 14
        return [2**power for power in range(self._first, self._last + 1, step)]

    def at(self, value: int) -> float:
        """Where a value is."""
        share = (log2(value) - self._first + 0.5) / (self._last - self._first + 1)
        return round(self._start + share * (self._end - self._start), 1)
