"""Which preferences fit which instance types, and why others do not; which instance types are like another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest

import msgspec

from virtcatalog.api.kinds import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE
from virtcatalog.catalog.model import Catalog
from virtcatalog.check.pairs import Judge, Shared
from virtcatalog.check.subject import Subject
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.progress import tracked
from virtcatalog.site.facts import TypeRow

_SHOWN = 1
"""To show a pair on the pages of both takes as long as to judge so many."""


class Matrix(msgspec.Struct, frozen=True):
    """A row per instance type with a number per preference: 0 fits, others count the `reasons` from 1."""

    reasons: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]

    def reason(self, row: int, column: int) -> str:
        """Return why a pair does not fit, "" for one that does."""
        number = self.rows[row][column]
        return self.reasons[number - 1] if number else ""

    def groups(self, rows: Sequence[str], columns: Sequence[str]) -> list[tuple[str, list[tuple[int, int]]]]:
        """How many pairs fit, of how many, by the groups that rows and columns are of."""
        numbers: dict[str, dict[str, tuple[int, int]]] = {}
        for row, verdicts in zip(rows, self.rows, strict=True):
            cells = numbers.setdefault(row, dict.fromkeys(columns, (0, 0)))
            for column, verdict in zip(columns, verdicts, strict=True):
                fit, pairs = cells[column]
                cells[column] = fit + (not verdict), pairs + 1
        return [(row, list(cells.values())) for row, cells in numbers.items()]


def matrix(catalog: Catalog, conditions: Conditions | None = None) -> Matrix:
    """Judge every pair of a catalog, in the order of its declarations."""
    types = _subjects(catalog, CLUSTER_INSTANCETYPE)
    preferences = _subjects(catalog, CLUSTER_PREFERENCE)
    shared = Shared()
    shared.spend(_SHOWN * len(types) * len(preferences))
    judge = Judge([*types, *preferences], (), conditions, shared)
    reasons: dict[str, int] = {}
    rows = []
    for instancetype in tracked(types, len(types), "instance types"):
        verdicts = [judge.verdict(instancetype, preference) for preference in preferences]
        rows.append(
            tuple(0 if verdict.fits else reasons.setdefault(verdict.reason, len(reasons) + 1) for verdict in verdicts)
        )
    return Matrix(tuple(reasons), tuple(rows))


def _subjects(catalog: Catalog, kind: str) -> Sequence[Subject]:
    entries = catalog.instancetypes if kind == CLUSTER_INSTANCETYPE else catalog.preferences
    return [Subject(manifest=entry.manifest(kind), origin="catalog", place=entry.place) for entry in entries]


_SIMILAR = 5
_ENOUGH = 40
"""How many of the nearest sizes' types are looked at more closely: of thousands most are far away."""

Size = tuple[int, int]


class Neighbours:
    """Which instance types of a catalog are near each other, by size and by class."""

    def __init__(self, types: Iterable[TypeRow]) -> None:
        self._by_size: dict[Size, list[TypeRow]] = {}
        groups: dict[tuple[str, tuple[str, ...]], list[TypeRow]] = {}
        for instancetype in types:
            self._by_size.setdefault((instancetype.vcpus, instancetype.memory), []).append(instancetype)
            groups.setdefault((instancetype.series, instancetype.features), []).append(instancetype)
        self._series: dict[str, tuple[list[TypeRow], int]] = {}
        for group in groups.values():
            ordered = sorted(
                group, key=lambda instancetype: (instancetype.vcpus, instancetype.memory, instancetype.name)
            )
            self._series.update((instancetype.name, (ordered, place)) for place, instancetype in enumerate(ordered))
        self._sizes: dict[Size, list[Size]] = {}

    def next_size(self, instancetype: TypeRow, step: int) -> TypeRow | None:
        """Return the next larger (1) or smaller (-1) type of its class with the same features.

        It has at least as much of everything (at most, for -1). A deprecated type is the next of deprecated ones only.
        """
        ordered, place = self._series[instancetype.name]
        for other in ordered[place + 1 :] if step > 0 else ordered[:place][::-1]:
            small, large = (instancetype, other) if step > 0 else (other, instancetype)
            grows = (small.vcpus, small.memory) != (large.vcpus, large.memory)
            grows = grows and small.vcpus <= large.vcpus and small.memory <= large.memory
            if grows and (instancetype.deprecated or not other.deprecated):
                return other
        return None

    def similar(self, instancetype: TypeRow) -> list[TypeRow]:
        """Return the types of other classes that are nearest in vCPUs, memory and features."""

        def distance(other: TypeRow) -> tuple[float, bool, str]:
            unlike = len(set(other.features) ^ set(instancetype.features))
            apart = _apart((instancetype.vcpus, instancetype.memory), (other.vcpus, other.memory))
            return round(apart, 6) + unlike / 10, other.deprecated, other.name

        return nsmallest(_SIMILAR, self._near(instancetype), key=distance)

    def _near(self, instancetype: TypeRow) -> Iterator[TypeRow]:
        size = instancetype.vcpus, instancetype.memory
        nearest = self._sizes.get(size)
        if nearest is None:
            nearest = nsmallest(_ENOUGH, self._by_size, key=lambda other: (_apart(size, other), other))
            self._sizes[size] = nearest
        number = 0
        for other in nearest:
            neighbours = [neighbour for neighbour in self._by_size[other] if neighbour.series != instancetype.series]
            yield from neighbours
            number += len(neighbours)
            if number >= _ENOUGH:
                return


def _apart(size: Size, another: Size) -> float:
    """How many times larger one is than the other, in vCPUs times in memory."""
    return (max(size[0], another[0]) / max(min(size[0], another[0]), 1)) * (
        max(size[1], another[1]) / max(min(size[1], another[1]), 1)
    )
