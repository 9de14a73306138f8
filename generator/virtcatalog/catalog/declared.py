"""The fields of entries: what merged layers come to, and in which layer a field of the object is declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from virtcatalog.api.findings import steps
from virtcatalog.catalog.compose import Layer
from virtcatalog.catalog.labels import DERIVED_ANNOTATIONS, DERIVED_LABELS, common_labels, derived_annotations
from virtcatalog.catalog.layers import Composer, Merged, locate, ordered
from virtcatalog.catalog.model import Deprecation
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
    if len(path) == 1:  # a field of the declaration that no object has
        return [path]
    if path[:1] == ("metadata",):
        path = path[1:]
        origin = (DERIVED_ANNOTATIONS | DERIVED_LABELS).get(str(path[-1]), "") if len(path) > 1 else ""
        if origin.startswith("`"):
            return [steps(origin.strip("`"))]
    return [path[:length] for length in range(len(path), 1, -1)]


def entry_fields(
    composer: Composer,
    merged: Merged,
    kind: Literal["instancetype", "preference"],
    labels: Mapping[str, str],
    deprecated: Deprecation | None,
) -> dict[str, Any]:
    """Return the fields that instance types and preferences share; `labels` are those derived for the kind alone.

    What Kubernetes refuses of the labels and annotations is reported.
    """
    data, own = merged.data, merged.layers[-1]
    labels = {**(data.get("labels") or {}), **labels, **common_labels(composer.settings.vendor, deprecated)}
    for key in _unlabelled(merged) & labels.keys():
        del labels[key]
    texts = data.get("displayName", ""), data.get("description", "")
    annotations = {**(data.get("annotations") or {}), **derived_annotations(kind, *texts, deprecated)}
    composer.check_metadata(merged, labels, annotations)
    source = composer.sources.source(own.place, own.path)
    return {
        "display_name": texts[0],
        "description": texts[1],
        "spec": ordered(data["spec"]),
        "labels": labels,
        "annotations": annotations,
        "deprecated": deprecated,
        "source": source,
        "declared": Declared(composer.sources, merged.layers, source),
    }


def _unlabelled(merged: Merged) -> set[str]:
    """The derived labels that an entry leaves out: the last layer that has them says `null`."""
    labels = {key: value for layer in merged.layers for key, value in (layer.data.get("labels") or {}).items()}
    return {key for key, value in labels.items() if value is None and key in DERIVED_LABELS}
