"""Layers of fragments, merged one after the other as JSON merge patches, and which components clash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec

from virtcatalog.catalog.work import Work
from virtcatalog.errors import nearest
from virtcatalog.limits import COMPONENT_LEVELS
from virtcatalog.manifests.difference import alike
from virtcatalog.manifests.fields import get

Fragment = Mapping[str, Any]
Path = tuple[str | int, ...]
_EMPTY: dict[str, Any] = {}
#: The work of a layer that a component stands for, and of a leaf that is compared.
_LAYER, _LEAF = 20, 10


class Layer(msgspec.Struct, frozen=True):
    """A fragment and its place (file, path); `sugar` maps paths of fields to the paths that declarations write."""

    place: str
    path: Path
    data: dict[str, Any]
    sugar: Mapping[Path, Path] = {}

    def holds(self, path: Path) -> bool:
        """Whether the fragment itself says something about a field."""
        value: Any = self.data
        for key in path:
            keys = range(len(value)) if isinstance(value, list) else value
            if not isinstance(keys, (dict, range)) or key not in keys:
                return False
            value = value[key]
        return True

    def declared(self, path: Path) -> Path:
        """Return the path in the file of a field of the fragment."""
        return (*self.path, *self.sugar.get(path, path))


class Clash(msgspec.Struct, frozen=True):
    """Two components of one layer that set one leaf differently."""

    path: tuple[str, ...]
    first: str
    second: str


class ComponentError(Exception):
    """A layer's components cannot be mixed; `index` is the position of the faulty one.

    `circle` has the components that use each other, where that is the fault.
    """

    def __init__(self, index: int, message: str, circle: Iterable[str] = ()) -> None:
        self.index, self.message, self.circle = index, message, frozenset(circle)
        super().__init__(message)


def take_out(data: Any, path: Path) -> None:
    """Remove what is at a path, so that what is sound can be read on."""
    holder = get(data, path[:-1])
    if path and isinstance(holder, dict):
        holder.pop(path[-1], None)
    elif path and isinstance(holder, list):
        holder.clear()


class Components:
    """The named fragments of a catalog, by name: stacks of layers, the lowest first. Components may use others.

    When they are not `complete`, because a file of them cannot be read, an unknown name counts as empty.
    """

    def __init__(self, layers: Mapping[str, Sequence[Layer]], work: Work, *, complete: bool = True) -> None:
        self._layers, self._work, self._complete = layers, work, complete
        self._expanded: dict[str, tuple[Layer, ...]] = {}
        self._leaves: dict[str, dict[tuple[str, ...], Any]] = {}
        self._clashes: dict[tuple[str, ...], tuple[Clash, ...]] = {}

    def mix(self, names: Sequence[str], own: Fragment) -> list[Layer]:
        """Return the layers that `names` stand for, in order.

        Raises ComponentError when one does not exist, when it uses itself, or when two set one leaf differently that
        `own`, the using layer's own fields, does not set.
        """
        layers: list[Layer] = []
        for index, name in enumerate(names):
            if name in self._layers:
                layers += self._expand(name, index, ())
            elif self._complete:
                raise ComponentError(index, f"there is no component {name!r}{nearest(name, self._layers)}")
        for clash in self._clashing(tuple(name for name in names if name in self._layers)):
            if not _sets(own, clash.path):
                message = (
                    f"components {clash.first!r} and {clash.second!r} set {'.'.join(clash.path)} differently; "
                    "set it beside them, or leave one out"
                )
                raise ComponentError(max(names.index(clash.first), names.index(clash.second)), message)
        return layers

    def faults(self) -> Iterable[tuple[Layer, ComponentError]]:
        """Yield what is wrong with the lists of components of the components' layers."""
        circles: set[frozenset[str]] = set()
        for name, layer in ((name, layer) for name, layers in self._layers.items() for layer in layers):
            components = layer.data.get("components") or ()
            try:
                for index, component in enumerate(components):
                    if component in self._layers:
                        self._expand(component, index, (name,))
                self.mix(components, _own(layer.data))
            except ComponentError as error:
                if error.circle and (error.circle in circles or name not in error.circle):
                    continue  # the members of the circle report it
                circles.add(error.circle)
                yield layer, error

    def _expand(self, name: str, index: int, users: tuple[str, ...]) -> tuple[Layer, ...]:
        """A component's layers, every one after the components that it uses."""
        if len(users) > COMPONENT_LEVELS:
            message = f"{users[0]!r} uses components that use others, more than {COMPONENT_LEVELS} levels of them"
            raise ComponentError(index, message)
        if name in users:
            circle = [*users[users.index(name) :], name]
            raise ComponentError(index, f"components use each other in a circle: {' → '.join(circle)}", circle)
        layers = self._expanded.get(name)
        if layers is None:
            parts: list[Layer] = []
            for layer in self._layers[name]:
                for component in layer.data.get("components") or ():
                    if component in self._layers:
                        inner = self._expand(component, index, (*users, name))
                        self._work.spend(_LAYER * len(inner))
                        parts += inner
                parts.append(layer)
            layers = self._expanded[name] = tuple(parts)
        return layers

    def _clashing(self, names: tuple[str, ...]) -> tuple[Clash, ...]:
        clashes = self._clashes.get(names)
        if clashes is None:
            clashes = self._clashes[names] = tuple(
                Clash(path, first, second)
                for first, second in combinations(names, 2)
                if first != second
                for path in self._differences(first, second)
            )
        return clashes

    def _differences(self, first: str, second: str) -> list[tuple[str, ...]]:
        ours, theirs = self._leaves_of(first), self._leaves_of(second)
        self._work.spend(_LAYER + _LEAF * (len(ours) + len(theirs)))
        return [
            *(path for path in ours if path in theirs and not alike(ours[path], theirs[path])),
            *_covering(ours, theirs),
            *_covering(theirs, ours),
        ]

    def _leaves_of(self, name: str) -> dict[tuple[str, ...], Any]:
        leaves = self._leaves.get(name)
        if leaves is None:
            leaves = {}
            for layer in self._expand(name, 0, ()):
                self._work.merge(layer.data)
                _collect(leaves, (), _own(layer.data), self._work)
            self._leaves[name] = leaves
        return leaves


def _own(data: Fragment) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key != "components"}


def _collect(leaves: dict[tuple[str, ...], Any], path: tuple[str, ...], value: Fragment, work: Work) -> None:
    """Add the leaves of a fragment to those of the fragments before it."""
    for key, inner in value.items():
        place = (*path, key)
        if isinstance(inner, dict) and inner:
            for depth in range(1, len(place) + 1):
                leaves.pop(place[:depth], None)
            _collect(leaves, place, inner, work)
        else:
            if not isinstance(inner, dict):
                work.spend(2 * len(leaves))
                for covered in [other for other in leaves if other[: len(place)] == place]:
                    del leaves[covered]
            leaves[place] = inner


def _covering(
    leaves: Mapping[tuple[str, ...], Any], other_leaves: Mapping[tuple[str, ...], Any]
) -> list[tuple[str, ...]]:
    """The leaves of the first fragment that are a map with leaves in the second; an empty map differs from no map."""
    paths: dict[tuple[str, ...], None] = {}
    for other in other_leaves:
        for depth in range(1, len(other)):
            path = other[:depth]
            if path in leaves and leaves[path] != _EMPTY:
                paths[path] = None
    return list(paths)


def _sets(own: Fragment, path: tuple[str, ...]) -> bool:
    """Whether a layer's own fields decide the leaf at `path`."""
    value: Any = own
    for key in path:
        if not isinstance(value, dict):
            return True
        if key not in value:
            return False
        value = value[key]
    return not isinstance(value, dict)
