"""vCPUs and memory of all instance types as points of a chart, a series a colour; both axes are logarithmic."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, log2
from typing import NamedTuple

from virtcatalog import units
from virtcatalog.site.facts import Type

WIDTH, HEIGHT, MARGIN = 900, 520, 60
COLOURS = 8
"""How many series look different before colours come again."""
_BESIDE = 11
"""How far points of the same size are apart, so that all can be seen and chosen."""


class Point(NamedTuple):
    """An instance type on the chart."""

    type: Type
    x: float
    y: float
    colour: int


class Tick(NamedTuple):
    """A line of the grid with its label."""

    at: float
    text: str


class Chart(NamedTuple):
    """Points, the lines of both axes, and the series with their colours."""

    points: list[Point]
    vcpus: list[Tick]
    memory: list[Tick]
    series: dict[str, int]


def chart(types: Iterable[Type]) -> Chart:
    """Lay out the instance types."""
    types = [instancetype for instancetype in types if instancetype.vcpus > 0 and instancetype.memory > 0]
    series = {
        name: number % COLOURS
        for number, name in enumerate(dict.fromkeys(instancetype.series for instancetype in types))
    }
    x, y = _Axis([instancetype.vcpus for instancetype in types]), _Axis([instancetype.memory for instancetype in types])
    spots: dict[tuple[int, int], list[Type]] = {}
    for instancetype in types:
        spots.setdefault((instancetype.vcpus, instancetype.memory), []).append(instancetype)
    points = [
        Point(
            instancetype,
            round(MARGIN + x.share(vcpus) * (WIDTH - 2 * MARGIN) + _BESIDE * (number - (len(same_size) - 1) / 2), 1),
            round(HEIGHT - MARGIN - y.share(memory) * (HEIGHT - 2 * MARGIN), 1),
            series[instancetype.series],
        )
        for (vcpus, memory), same_size in spots.items()
        for number, instancetype in enumerate(same_size)
    ]
    across = [Tick(round(MARGIN + x.share(value) * (WIDTH - 2 * MARGIN), 1), units.count(value)) for value in x.ticks]
    up = [
        Tick(round(HEIGHT - MARGIN - y.share(value) * (HEIGHT - 2 * MARGIN), 1), units.memory(value))
        for value in y.ticks
    ]
    return Chart(points, across, up, series)


class _Axis:
    def __init__(self, values: list[int]) -> None:
        low, high = (min(values), max(values)) if values else (1, 1)
        self.first = floor(log2(low))
        self.last = max(self.first + 1, floor(log2(high)) + (high & (high - 1) != 0))

    @property
    def ticks(self) -> list[int]:
        """Powers of two: all, or every second or third of them."""
        step = 1 + (self.last - self.first) // 12
        return [2**power for power in range(self.first, self.last + 1, step)]

    def share(self, value: int) -> float:
        """Where a value is between both ends, from 0 to 1."""
        return (log2(value) - self.first) / (self.last - self.first)
