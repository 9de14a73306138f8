"""Strategic merge patches, as kustomize applies them.

Maps merge, `null` and `$patch: delete` remove, `$patch: replace` puts the patch in place of what was there. Lists of
Kubernetes' own kinds merge by the keys of their schema, those of all other kinds, VMs among them, are replaced.
Source: kyaml/yaml/merge2/merge2.go, kyaml/yaml/walk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from virtcatalog.api.values import describe
from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests.merge import fresh
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.resource import text_of
from virtcatalog.repositories.kustomize.scopes import Shape, shape_of

Data = dict[str, Any]
_DIRECTIVE: Final = "$patch"
_GONE: Final = object()


class MergeError(VirtcatalogError):
    """A patch that cannot be applied."""


def merge_patch(data: Data, patch: Data, budget: Budget) -> Data | None:
    """Return an object with a patch applied, None where the patch deletes it; the object itself may change.

    Its apiVersion stays. Lists merge as the object's kind says, or as the patch's does where that is not known:
    another patch may have changed the kind (kustomize's kyaml/yaml/walk/walk.go: GetSchema).
    `$patch: replace` of a whole object changes nothing: kustomize makes the new one, and drops it.
    """
    if _directive(patch, "") == "replace":
        return data
    shape = _shape(data) or _shape(patch)
    content = {key: value for key, value in patch.items() if key != "apiVersion"}
    merged = _merged(data, content, shape, "", budget)
    return None if merged is _GONE else merged


def _shape(data: Data) -> Shape | None:
    return shape_of(text_of(data.get("apiVersion")), text_of(data.get("kind")))


def _merged(below: Any, patch: Any, shape: Shape | None, field: str, budget: Budget) -> Any:
    """What a value becomes under a patch that is not null; `_GONE` where it goes."""
    if below is not None and _kind(below) != _kind(patch):
        raise MergeError(f"{field or 'the patch'} is {describe(patch)}, and {describe(below)} in what it patches")
    if isinstance(patch, dict):
        return _map(below, patch, shape, field, budget)
    if isinstance(patch, list) and shape is not None and (keys := shape.merge_keys()) is not None:
        return _list(below or [], patch, keys, shape.items(), field, budget)
    budget.copy(patch)
    return fresh(patch)


def _kind(value: Any) -> type:
    return dict if isinstance(value, dict) else list if isinstance(value, list) else str


def _map(below: Data | None, patch: Data, shape: Shape | None, field: str, budget: Budget) -> Any:
    directive = _directive(patch, field)
    if directive == "delete":
        return _GONE
    merged = {} if below is None or directive == "replace" else below
    budget.keys(len(patch))
    for key, value in patch.items():
        if key == _DIRECTIVE:
            continue
        inner = shape.field(key) if shape is not None else None
        name = f"{field}.{key}" if field else key
        new = _GONE if value is None else _merged(merged.get(key), value, inner, name, budget)
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
    below: list[Any], patch: list[Any], keys: tuple[str, ...], shape: Shape | None, field: str, budget: Budget
) -> Any:
    """A list whose items merge: those of the patch first, then the others. Source: walk/associative_sequence.go."""
    alone = [item for item in patch if isinstance(item, dict) and set(item) == {_DIRECTIVE}]
    if alone and (directive := _directive(alone[0], field)) != "merge":
        rest = [item for item in patch if item is not alone[0]]
        return _GONE if directive == "delete" else _merged_items([], rest, keys, shape, field, budget)
    return _merged_items(below, [item for item in patch if item not in alone], keys, shape, field, budget)


def _merged_items(
    below: list[Any], patch: list[Any], keys: tuple[str, ...], shape: Shape | None, field: str, budget: Budget
) -> list[Any]:
    budget.keys(len(below) * (1 + len(patch)))
    if not keys:
        return [*patch, *(item for item in below if item not in patch)]
    rest = list(below)
    merged = []
    for number, item in enumerate(patch):
        if not isinstance(item, dict):
            raise MergeError(f"{field}[{number}] must be a map, not {describe(item)}")
        old = next((other for other in rest if _same(_key(other, keys), _key(item, keys))), None)
        rest = [other for other in rest if other is not old]
        new = _merged(old, item, shape, f"{field}[{number}]", budget)
        if new is not _GONE:
            merged.append(new)
    return [*merged, *rest]


def _key(item: Any, keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text_of(item.get(key)) if isinstance(item, dict) else "" for key in keys)


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two items are the same: of several keys one may be missing."""
    pairs = list(zip(one, other, strict=True))
    return all(a == b or not (a and b) for a, b in pairs) and any(a == b and a for a, b in pairs)
