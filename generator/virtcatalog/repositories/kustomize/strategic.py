"""Strategic merge patches, as kustomize applies them.

Maps merge, `null` and `$patch: delete` remove, `$patch: replace` puts the patch in place of what was there. Lists of
Kubernetes' own kinds merge by the keys of their schema, those of all other kinds, VMs among them, are replaced. A text
in quotes keeps these: `"1"` is `"true"` under `true`.
Source: kyaml/yaml/merge2/merge2.go, kyaml/yaml/walk, kyaml/yaml/fns.go (FieldSetter).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from virtcatalog.api.findings import Path, field_path
from virtcatalog.api.values import describe
from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.merge import fresh
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.resource import text_of
from virtcatalog.repositories.kustomize.scalars import is_no_text
from virtcatalog.repositories.kustomize.scopes import Shape, shape_of

_DIRECTIVE: Final = "$patch"
_GONE: Final = object()


class MergeError(VirtcatalogError):
    """A patch that cannot be applied."""


OverText = Callable[[Path, Path, Any], Any]
"""Returns what a text becomes under a scalar that is none, of the paths of both and of that scalar."""


class _Place(NamedTuple):
    """Where a merge is: in the object, and in the patch, whose lists have their items elsewhere."""

    below: Path = ()
    patch: Path = ()

    def at(self, step: str) -> _Place:
        """Return the place of a key."""
        return _Place((*self.below, step), (*self.patch, step))

    @property
    def field(self) -> str:
        """What messages call it."""
        return field_path(self.patch)


class _Merge(NamedTuple):
    """What all parts of a merge need."""

    budget: Budget
    over_text: OverText


def merge_patch(data: Data, patch: Data, budget: Budget, over_text: OverText) -> Data | None:
    """Return an object with a patch applied, None where the patch deletes it; the object itself may change.

    Its apiVersion stays. Lists merge as the object's kind says, or as the patch's does where that is not known:
    another patch may have changed the kind (kustomize's kyaml/yaml/walk/walk.go: GetSchema).
    `$patch: replace` of a whole object changes nothing: kustomize makes the new one, and drops it.
    """
    if _directive(patch, "") == "replace":
        return data
    shape = _shape(data) or _shape(patch)
    content = {key: value for key, value in patch.items() if key != "apiVersion"}
    merged = _merged(data, content, shape, _Place(), _Merge(budget, over_text))
    return None if merged is _GONE else merged


def _shape(data: Data) -> Shape | None:
    return shape_of(text_of(data.get("apiVersion")), text_of(data.get("kind")))


def _merged(below: Any, patch: Any, shape: Shape | None, place: _Place, merge: _Merge) -> Any:
    """What a value becomes under a patch that is not null; `_GONE` where it goes."""
    if below is not None and _kind(below) != _kind(patch):
        where = place.field or "the patch"
        raise MergeError(f"{where} is {describe(patch)}, and {describe(below)} in what it patches")
    if isinstance(patch, dict):
        return _map(below, patch, shape, place, merge)
    if isinstance(patch, list) and shape is not None and (keys := shape.merge_keys()) is not None:
        return _list(below or [], patch, keys, shape.items(), place, merge)
    if isinstance(below, str) and is_no_text(patch):
        return merge.over_text(place.below, place.patch, patch)
    merge.budget.copy(patch)
    return fresh(patch)


def _kind(value: Any) -> type:
    return dict if isinstance(value, dict) else list if isinstance(value, list) else str


def _map(below: Data | None, patch: Data, shape: Shape | None, place: _Place, merge: _Merge) -> Any:
    directive = _directive(patch, place.field) if _DIRECTIVE in patch else ""
    if directive == "delete":
        return _GONE
    merged = {} if below is None or directive == "replace" else below
    merge.budget.keys(len(patch))
    for key, value in patch.items():
        if key == _DIRECTIVE:
            continue
        inner = shape.field(key) if shape is not None else None
        new = _GONE if value is None else _merged(merged.get(key), value, inner, place.at(key), merge)
        if new is _GONE:
            merged.pop(key, None)
        else:
            merged[key] = new
    return merged


def _directive(patch: Mapping[str, Any], field: str) -> str:
    directive = patch.get(_DIRECTIVE, "merge")
    if directive not in ("merge", "replace", "delete"):
        where = f"{field}.{_DIRECTIVE}" if field else _DIRECTIVE
        raise MergeError(f"{where} must be merge, replace or delete, not {describe(directive)}")
    return str(directive)


def _list(
    below: list[Any], patch: list[Any], keys: tuple[str, ...], shape: Shape | None, place: _Place, merge: _Merge
) -> Any:
    """A list whose items merge: those of the patch first, then the others. Source: walk/associative_sequence.go."""
    alone = [item for item in patch if isinstance(item, dict) and set(item) == {_DIRECTIVE}]
    if alone and (directive := _directive(alone[0], place.field)) != "merge":
        rest = [(number, item) for number, item in enumerate(patch) if item is not alone[0]]
        return _GONE if directive == "delete" else _merged_items([], rest, keys, shape, place, merge)
    rest = [(number, item) for number, item in enumerate(patch) if item not in alone]
    return _merged_items(below, rest, keys, shape, place, merge)


def _merged_items(
    below: list[Any],
    patch: list[tuple[int, Any]],
    keys: tuple[str, ...],
    shape: Shape | None,
    place: _Place,
    merge: _Merge,
) -> list[Any]:
    """The items of both, those of a patch with their numbers there."""
    merge.budget.keys(len(below) * (1 + len(patch)))
    if not keys:
        items = [item for _, item in patch]
        return [*items, *(item for item in below if item not in items)]
    rest = list(enumerate(below))
    merged = []
    for number, item in patch:
        if not isinstance(item, dict):
            raise MergeError(f"{place.field}[{number}] must be a map, not {describe(item)}")
        wanted = _key(item, keys)
        index, old = next(((index, other) for index, other in rest if _same(_key(other, keys), wanted)), (-1, None))
        rest = [(other, value) for other, value in rest if other != index]
        inner = _Place((*place.below, index), (*place.patch, number))
        new = _merged(old, item, shape, inner, merge)
        if new is not _GONE:
            merged.append(new)
    return [*merged, *(item for _, item in rest)]


def _key(item: Any, keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text_of(item.get(key)) if isinstance(item, dict) else "" for key in keys)


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two items are the same: of several keys one may be missing."""
    pairs = list(zip(one, other, strict=True))
    return all(a == b or not (a and b) for a, b in pairs) and any(a == b and a for a, b in pairs)
