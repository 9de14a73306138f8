"""The work that building kustomizations may take: a few files that repeat each other can ask for very much."""

from __future__ import annotations

from typing import Any

from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import KUSTOMIZE_WORK, YAML_LEVELS

#: The work of a file that is named, of an object in a folder, of a key or value, and of a state of a pattern.
_FILE, _OBJECT, _VALUE, _STATE = 1000, 50, 20, 10


class BudgetError(VirtcatalogError):
    """There is more work than one run may do."""


class Budget:
    """The work that one run may still do, in units of some 50 nanoseconds; the error is BudgetError."""

    def __init__(self, work: int = KUSTOMIZE_WORK) -> None:
        self._left = work

    def _spend(self, units: int) -> None:
        self._left -= units
        if self._left < 0:
            raise BudgetError(
                "the kustomization asks for more work than one may, by patches, labels, or files that are named again "
                "and again: build it with `kubectl kustomize`, and give that instead"
            )

    def file(self) -> None:
        """Charge a reference to a file, folder or patch."""
        self._spend(_FILE)

    def objects(self, count: int, characters: int = 0) -> None:
        """Charge the objects of a folder, whose names get `characters` more characters."""
        self._spend(count * (_OBJECT + characters))

    def keys(self, count: int) -> None:
        """Charge keys that are looked up or merged."""
        self._spend(count * _VALUE)

    def states(self, count: int) -> None:
        """Charge the states of a pattern."""
        self._spend(count * _STATE)

    def copy(self, value: Any) -> None:
        """Charge data that is copied or compared; it must not be nested more deeply than parsed YAML may be."""
        level, levels = [value], 0
        while level:
            self._spend(len(level) * _VALUE)
            levels += 1
            if levels > YAML_LEVELS + 1:  # scalars are one more
                raise VirtcatalogError(f"a patch makes more than {YAML_LEVELS} levels of maps and lists")
            level = [inner for outer in level for inner in _inner(outer)]


def _inner(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
