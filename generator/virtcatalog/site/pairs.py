"""Every instance type with every preference: which fit, and why the others do not."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from virtcatalog.catalog.kinds import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE
from virtcatalog.catalog.model import Catalog
from virtcatalog.check.pairs import Judge
from virtcatalog.check.subject import Subject
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.progress import tracked


class Matrix(msgspec.Struct, frozen=True):
    """A row per instance type with a number per preference: 0 fits, others count the `reasons` from 1."""

    reasons: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]

    def reason(self, row: int, column: int) -> str:
        """Return why a pair does not fit, "" for one that does."""
        number = self.rows[row][column]
        return self.reasons[number - 1] if number else ""


def matrix(catalog: Catalog, conditions: Conditions | None = None) -> Matrix:
    """Judge every pair of a catalog, in the order of its declarations."""
    types = _subjects(catalog, CLUSTER_INSTANCETYPE)
    preferences = _subjects(catalog, CLUSTER_PREFERENCE)
    judge = Judge([*types, *preferences], (), conditions)
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
