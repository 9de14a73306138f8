"""What building kustomizations may take: a few files that name each other, or each object, ask for very much."""

from __future__ import annotations

from typing import Any

from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import KUSTOMIZE_WORK, YAML_LEVELS

#: The work of a file that is named, of an object in a folder, of a key or value, and of a state of a pattern.
_FILE, _OBJECT, _VALUE, _STATE = 1000, 50, 20, 10


class Budget:
    """The work that one run may still do, in units of some 50 nanoseconds; errors are VirtcatalogError."""

    def __init__(self) -> None:
        self._left: int = KUSTOMIZE_WORK

    def _spend(self, units: int) -> None:
        self._left -= units
        if self._left < 0:
            raise VirtcatalogError(
                "the kustomization asks for more work than one may, by patches, labels, or files that are named again "
                "and again: build it with `kubectl kustomize`, and import that"
            )

    def file(self) -> None:
        """Charge that a file, folder or patch is named."""
        self._spend(_FILE)

    def objects(self, count: int, characters: int = 0) -> None:
        """Charge that objects go through a folder, and get names of so many characters more."""
        self._spend(count * (_OBJECT + characters))

    def keys(self, count: int) -> None:
        """Charge that keys are looked for, or merged."""
        self._spend(count * _VALUE)

    def states(self, count: int) -> None:
        """Charge that a pattern is in so many states."""
        self._spend(count * _STATE)

    def copy(self, value: Any) -> None:
        """Charge that data is copied, or compared; it must not be nested more deeply than what is read."""
        level, levels = [value], 0
        while level:
            self._spend(len(level) * _VALUE)
            levels += 1
            if levels > YAML_LEVELS + 1:  # scalars are one more
                raise VirtcatalogError(f"a patch makes more than {YAML_LEVELS} levels of maps and lists")
            level = [inner for each in level for inner in _inner(each)]


def _inner(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
