"""Where an entry's fields are declared: in which of its layers, as the objects' fields are named."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.api.findings import steps
from virtcatalog.catalog.compose import Layer
from virtcatalog.catalog.labels import DERIVED_ANNOTATIONS, DERIVED_LABELS
from virtcatalog.catalog.layers import locate
from virtcatalog.catalog.places import Source
from virtcatalog.catalog.sources import FieldPath, Sources

#: Fields of objects that a declaration says in other words.
_WORDS = {"spec.cpu.guest": ("vcpus",), "spec.memory.guest": ("memory",)}


class Declared:
    """Finds the fields of one entry. Entries that differ in this alone are equal."""

    __slots__ = ("_layers", "_own", "_sources")

    def __init__(self, sources: Sources, layers: Sequence[Layer], own: Source) -> None:
        self._sources, self._layers, self._own = sources, layers, own

    def __call__(self, field: str) -> Source:
        """Return where a field (`spec.memory.hugepages`, `metadata.labels[x]`) was set last, else the entry's place."""
        for path in _candidates(field):
            if any(layer.holds(path) for layer in self._layers):
                return self._sources.source(*locate(self._layers, path))
        return self._own

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Declared)

    def __hash__(self) -> int:
        return 0


def _candidates(field: str) -> list[FieldPath]:
    """The ways in which a declaration may write a field, the likeliest first."""
    if field in _WORDS:
        # No shorter path: `spec` or `spec.cpu` may be set by a layer that says nothing of the number.
        return [_WORDS[field], steps(field)]
    path = steps(field)
    if path[:1] == ("metadata",):
        path = path[1:]
        origin = (DERIVED_ANNOTATIONS | DERIVED_LABELS).get(str(path[-1]), "") if len(path) > 1 else ""
        if origin.startswith("`"):
            return [steps(origin.strip("`"))]
    return [path[:length] for length in range(len(path), 1, -1)]
