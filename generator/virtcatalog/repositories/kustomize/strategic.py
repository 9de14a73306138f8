"""Strategic merge patches, as kustomize applies them.

Maps merge, `null` and `$patch: delete` remove, `$patch: replace` puts the patch in place of what was there. Lists of
Kubernetes' own kinds merge by the keys of their schema (`keyedlists.py`), those of all other kinds, VMs among them, are
replaced. A text in quotes keeps these: `"1"` is `"true"` under `true`.
Source: kyaml/yaml/merge2/merge2.go, kyaml/yaml/walk, kyaml/yaml/fns.go (FieldSetter).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from virtcatalog.api.findings import Path, field_path
from virtcatalog.api.values import describe
from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.merge import fresh
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.keyedlists import Item, keyed, plain
from virtcatalog.repositories.kustomize.origins import Part, Parts
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
    """Where a merge is: in the object, None in what is new there, and in the patch, where indexes are others."""

    below: Path | None = ()
    patch: Path = ()

    def at(self, below: str | int | None, patch: str | int) -> _Place:
        """Return the place of a key or an item, which is None where it is not there."""
        return _Place(None if self.below is None or below is None else (*self.below, below), (*self.patch, patch))

    @property
    def field(self) -> str:
        """What messages call it."""
        return field_path(self.patch)


class _Merge(NamedTuple):
    """What all parts of a merge need."""

    budget: Budget
    over_text: OverText


def merge_patch(data: Data, patch: Data, budget: Budget, over_text: OverText) -> tuple[Data, Parts] | None:
    """Return an object with a patch applied, and what is where; None where the patch deletes it. The object may change.

    Its apiVersion stays. Lists merge as the object's kind says, or as the patch's does where that is not known:
    another patch may have changed the kind (kustomize's kyaml/yaml/walk/walk.go: GetSchema).
    `$patch: replace` of a whole object changes nothing: kustomize makes the new one, and drops it.
    """
    if _directive(patch, "") == "replace":
        return data, {}
    shape = _shape(data) or _shape(patch)
    content = {key: value for key, value in patch.items() if key != "apiVersion"}
    merged, parts = _map(data, content, shape, _Place(), _Merge(budget, over_text))
    return None if merged is _GONE else (merged, parts or {})


def _shape(data: Data) -> Shape | None:
    return shape_of(text_of(data.get("apiVersion")), text_of(data.get("kind")))


def _merged(below: Any, patch: Any, shape: Shape | None, place: _Place, merge: _Merge) -> tuple[Any, Parts | None]:
    """What a value becomes under a patch that is not null, `_GONE` where it goes; and its parts."""
    if below is not None and _kind(below) != _kind(patch):
        where = place.field or "the patch"
        raise MergeError(f"{where} is {describe(patch)}, and {describe(below)} in what it patches")
    if isinstance(patch, dict):
        return _map(below, patch, shape, place, merge)
    if isinstance(patch, list) and shape is not None and (keys := shape.merge_keys()) is not None:
        return _list(below, patch, keys, shape.items(), place, merge)
    if isinstance(below, str) and is_no_text(patch) and place.below is not None:
        return merge.over_text(place.below, place.patch, patch), None
    merge.budget.copy(patch)
    return fresh(patch), None


def _kind(value: Any) -> type:
    return dict if isinstance(value, dict) else list if isinstance(value, list) else str


def _map(
    below: Data | None, patch: Data, shape: Shape | None, place: _Place, merge: _Merge
) -> tuple[Any, Parts | None]:
    directive = _directive(patch, place.field) if _DIRECTIVE in patch else ""
    if directive == "delete":
        return _GONE, None
    is_new = below is None or directive == "replace"
    merged = {} if below is None or is_new else below
    parts: dict[str | int, Part] = {}
    merge.budget.keys(len(patch))
    for key, value in patch.items():
        if key == _DIRECTIVE:
            continue
        inner = shape.field(key) if shape is not None else None
        before = key if key in merged and not _replaces(value) else None
        new, inside = _GONE, None
        if value is not None:
            new, inside = _merged(merged.get(key), value, inner, place.at(None if is_new else key, key), merge)
        parts[key] = Part(before, key, inside, value if isinstance(value, str) else None)
        if new is _GONE:
            merged.pop(key, None)
        else:
            merged[key] = new
    return merged, parts


def _directive(patch: Mapping[str, Any], field: str) -> str:
    directive = patch.get(_DIRECTIVE, "merge")
    if directive not in ("merge", "replace", "delete"):
        where = f"{field}.{_DIRECTIVE}" if field else _DIRECTIVE
        raise MergeError(f"{where} must be merge, replace or delete, not {describe(directive)}")
    return str(directive)


def _replaces(value: Any) -> bool:
    return isinstance(value, dict) and value.get(_DIRECTIVE) == "replace"


def _list(
    below: list[Any] | None, patch: list[Any], keys: tuple[str, ...], shape: Shape | None, place: _Place, merge: _Merge
) -> tuple[Any, Parts | None]:
    """A list whose items merge. Of one that is added to a map, kustomize takes a directive for an item."""
    is_added = below is None and place.below is not None
    directive = "" if is_added else _list_directive(patch, place.field)
    if directive == "delete":
        return _GONE, None
    new = [
        Item(value, patch=number)
        for number, value in enumerate(patch)
        if not (directive and isinstance(value, dict) and value.get(_DIRECTIVE) == directive)
    ]
    is_new = below is None or directive == "replace"
    old = new if is_new else [Item(value, before=number) for number, value in enumerate(below or ())]
    if not keys:
        items = plain(old, new)
    else:
        _check_items(old, new, place.field)
        items = keyed(old, new, keys, partial(_join, shape, place, merge), merge.budget)
    parts: Parts = {number: Part(item.before, item.patch, item.parts) for number, item in enumerate(items)}
    return [item.value for item in items], parts


def _list_directive(patch: list[Any], field: str) -> str:
    """The directive of a list: that of the first item that has one, if it has nothing else."""
    first = next((item for item in patch if isinstance(item, dict) and _DIRECTIVE in item), {})
    return _directive(first, field) if len(first) == 1 else ""


def _check_items(old: list[Item], new: list[Item], field: str) -> None:
    for item in (*new, *old):
        if not isinstance(item.value, dict | None):
            index = item.before if item.patch is None else item.patch
            raise MergeError(f"{field}[{index}] must be a map, not {describe(item.value)}")


def _join(shape: Shape | None, place: _Place, merge: _Merge, old: Item | None, new: Item) -> Item | None:
    """Merge an item of a patch into the one that it names, but once; return what stays, None for nothing."""
    joined = new if old is None or _replaces(new.value) else old
    if joined.parts is None and new.patch is not None:
        below = joined.value if joined is old else None
        value, parts = _merged(below, new.value, shape, place.at(joined.before, new.patch), merge)
        if value is _GONE:
            new.value = {key: inner for key, inner in new.value.items() if key != _DIRECTIVE}
            return None
        joined.value, joined.parts, joined.patch = value, parts, new.patch
    return joined
