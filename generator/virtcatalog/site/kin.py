"""Which instance types are like another: the nearest of other classes, and the next sizes of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import nsmallest

from virtcatalog.site.facts import Type

_SIMILAR = 5
_ENOUGH = 40
"""How many of the nearest sizes' types are looked at more closely: of thousands most are far away."""

Size = tuple[int, int]


class Kin:
    """All instance types of a catalog, found by size and by class."""

    def __init__(self, types: Iterable[Type]) -> None:
        self._by_size: dict[Size, list[Type]] = {}
        alike: dict[tuple[str, tuple[str, ...]], list[Type]] = {}
        for each in types:
            self._by_size.setdefault((each.vcpus, each.memory), []).append(each)
            alike.setdefault((each.series, each.features), []).append(each)
        self._series: dict[str, tuple[list[Type], int]] = {}
        for group in alike.values():
            ordered = sorted(group, key=lambda each: (each.vcpus, each.memory, each.name))
            self._series.update((each.name, (ordered, place)) for place, each in enumerate(ordered))
        self._sizes: dict[Size, list[Size]] = {}

    def beside(self, each: Type, step: int) -> Type | None:
        """Return the next larger (1) or smaller (-1) type of its class with the same features.

        It has no less of anything, or no more; what is deprecated is none for those who choose.
        """
        ordered, place = self._series[each.name]
        for other in ordered[place + 1 :] if step > 0 else ordered[:place][::-1]:
            small, large = (each, other) if step > 0 else (other, each)
            grows = (small.vcpus, small.memory) != (large.vcpus, large.memory)
            grows = grows and small.vcpus <= large.vcpus and small.memory <= large.memory
            if grows and (each.deprecated or not other.deprecated):
                return other
        return None

    def similar(self, each: Type) -> list[Type]:
        """Return the types of other classes that are nearest in vCPUs, memory and features."""

        def distance(other: Type) -> tuple[float, bool, str]:
            unlike = len(set(other.features) ^ set(each.features))
            apart = _apart((each.vcpus, each.memory), (other.vcpus, other.memory))
            return round(apart, 6) + unlike / 10, other.deprecated, other.name

        return nsmallest(_SIMILAR, self._near(each), key=distance)

    def _near(self, each: Type) -> Iterator[Type]:
        size = each.vcpus, each.memory
        nearest = self._sizes.get(size)
        if nearest is None:
            found = nsmallest(_ENOUGH, self._by_size, key=lambda other: (_apart(size, other), other))
            nearest = self._sizes[size] = found
        number = 0
        for other in nearest:
            others = [one for one in self._by_size[other] if one.series != each.series]
            yield from others
            number += len(others)
            if number >= _ENOUGH:
                return


def _apart(one: Size, other: Size) -> float:
    """How many times larger one is than the other, in vCPUs times in memory."""
    return (max(one[0], other[0]) / max(min(one[0], other[0]), 1)) * (
        max(one[1], other[1]) / max(min(one[1], other[1]), 1)
    )
