"""Layers and components: the fragments that several objects, or several layers, share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from virtcatalog.bring.objects.facts import (
    ABSENT,
    Expression,
    Facts,
    Path,
    cost,
    difference,
    laid_over,
    possible,
    signature,
)
from virtcatalog.bring.objects.naming import component_name

_EXPRESSION = re.compile(r"(\{\{ \w+ \}\})")
_ARCH: Path = ("arch",)
_REQUIREMENTS: Path = ("spec", "requirements")
_STANDS_FOR: tuple[Path, ...] = (("spec", "preferredArchitecture"), (*_REQUIREMENTS, "architecture"))
Unit = Callable[[Path], Path]
"""The unit of a leaf's path: leaves of one unit stay together in one layer."""


class Item(NamedTuple):
    """The facts below a layer, and those that the layer has to lead to."""

    below: Facts
    target: Facts


def leaf(path: Path) -> Path:
    """Return every leaf as a unit of its own."""
    return path


Patches = dict[Path, Facts]
"""The facts of a layer by unit."""


def patches(below: Facts, target: Facts, unit: Unit) -> Patches:
    """Return the patches that turn `below` into `target`, by unit."""
    by_unit: Patches = {}
    for key in dict.fromkeys(unit(path) for path in (*below, *target)):
        other_paths = [path for path in target if unit(path) != key]
        patch = _with_arch(difference(_part(below, unit, key), _part(target, unit, key), other_paths), target)
        if patch:
            by_unit[key] = patch
    return by_unit


def _with_arch(patch: Facts, target: Facts) -> Facts:
    """A patch that sets or removes `arch`, without or with the two fields of the spec that `arch` stands for."""
    if _ARCH in target:
        others = {path: value for path, value in patch.items() if value is not None or path not in _STANDS_FOR}
        left_out = [path for path in (*_STANDS_FOR, _REQUIREMENTS) if target.get(path) is ABSENT]
        return others | (dict.fromkeys(left_out, ABSENT) if _ARCH in patch else {})
    if patch.get(_ARCH, ...) is not None:
        return patch
    required = any(path[:2] == _REQUIREMENTS for path in target)
    return patch | {
        path if required or path[:2] != _REQUIREMENTS else _REQUIREMENTS: None
        for path in _STANDS_FOR
        if path not in target
    }


def joined(layer: Mapping[Path, Facts]) -> Facts:
    """Return the facts of a layer, of all units."""
    return {path: value for facts in layer.values() for path, value in facts.items()}


def shared(items: Sequence[Item], unit: Unit, *, least: int = 2) -> Patches:
    """Return the layer between the items' `below` and their own facts.

    For every unit the patch is chosen that minimises the facts of the layer and all items together. Patches that fewer
    than `least` items need are left out.
    """
    paths = {path for item in items for path in item.target}
    chosen: Patches = {}
    for key in dict.fromkeys(unit(path) for item in items for path in (*item.target, *item.below)):
        parts = [Item(_part(item.below, unit, key), _part(item.target, unit, key)) for item in items]
        patch = _best(parts, least, [path for path in paths if unit(path) != key])
        if patch and not _is_beside_arch(patch):
            chosen[key] = patch
    return chosen


def _is_beside_arch(patch: Facts) -> bool:
    """Whether a patch leaves out a field that `arch` stands for: that has to be said in the layer of `arch`."""
    return any(value is ABSENT and path[0] == "spec" for path, value in patch.items())


def _part(facts: Facts, unit: Unit, key: Path) -> Facts:
    return {path: value for path, value in facts.items() if unit(path) == key}


def _best(parts: Sequence[Item], least: int, other_paths: Sequence[Path]) -> Facts:
    candidates: dict[object, Facts] = {}
    counted: Counter[object] = Counter()
    for part in parts:
        patches = {signature(patch): patch for patch in (difference(part.below, part.target, other_paths), part.target)}
        counted.update(patches.keys())
        for key, patch in patches.items():
            if patch and same_facts(laid_over(part.below, patch), part.target):
                candidates.setdefault(key, patch)
    best, price = {}, sum(_price(part.below, part.target) for part in parts)
    for name, patch in candidates.items():
        if counted[name] < least:
            continue
        remaining = [laid_over(part.below, patch) for part in parts]
        if not all(possible(facts, part.target) for facts, part in zip(remaining, parts, strict=True)):
            continue
        total = cost(patch) + sum(_price(facts, part.target) for facts, part in zip(remaining, parts, strict=True))
        if total < price:
            best, price = patch, total
    return best


def _price(below: Facts, target: Facts) -> float:
    patch = difference(below, target)
    return cost(patch) + (0.5 if patch else 0)


def same_facts(facts: Facts, other: Facts) -> bool:
    """Whether two layers have the same facts."""
    return signature(facts) == signature(other)


def templated(items: Sequence[Facts], names: Sequence[Mapping[str, str]]) -> list[Facts]:
    """Return items with strings that contain their `names` as expressions, where items then have the same string.

    `{{ name }}` replaces the text of a name if more items are equal with it than without.
    """
    results = [dict(item) for item in items]
    for path in dict.fromkeys(path for item in items for path in item):
        having = [index for index, item in enumerate(items) if isinstance(item.get(path), str)]
        plain = Counter(items[index][path] for index in having)
        if len(plain) < 2:
            continue
        texts: Counter[str] = Counter()
        for index in having:
            texts.update(set(_texts(items[index][path], names[index])))
        text, count = max(texts.items(), key=lambda item: (item[1], -len(item[0])), default=("", 0))
        if count > max(plain.values()):
            for index in having:
                if text in _texts(items[index][path], names[index]):
                    results[index][path] = Expression(text)
    return results


def _texts(text: str, names: Mapping[str, str]) -> Iterable[str]:
    """A text with one or more names replaced by expressions, the longest name first."""
    if "{" in text or "}" in text:
        return []
    texts = [text]
    for name, value in sorted(names.items(), key=lambda item: -len(item[1])):
        if value:
            texts += [
                replaced for candidate in texts if (replaced := _with_expression(candidate, name, value)) != candidate
            ]
    return texts[1:]


def _with_expression(text: str, name: str, value: str) -> str:
    """A text with a value replaced by the expression of its name, outside of other expressions."""
    parts = _EXPRESSION.split(text)
    return "".join(part if index % 2 else part.replace(value, f"{{{{ {name} }}}}") for index, part in enumerate(parts))


class Layer:
    """A layer that may use components: its own patches, and the facts below it."""

    def __init__(self, below: Facts, patches: Patches, unit: Unit) -> None:
        self.components: list[str] = []
        self._patches = dict(patches)
        self._fragments = {
            key: _fragment({path: value for path, value in below.items() if unit(path) == key}, patch)
            for key, patch in patches.items()
            if key[0] == "spec" and key != ("spec", "requirements") and not _is_beside_arch(patch)
        }

    @property
    def own(self) -> Facts:
        """The facts of the layer beside its components."""
        return joined(self._patches)

    def fragments(self) -> Iterable[Facts]:
        """Return the fragments that could be components, one for each unit of the spec."""
        return self._fragments.values()

    def use(self, names: Mapping[Any, str]) -> None:
        """Replace fragments by the components with the same facts."""
        for unit, fragment in self._fragments.items():
            name = names.get(signature(fragment)) or names.get(signature(self._patches[unit]))
            if name:
                self.components += [name] if name not in self.components else []
                del self._patches[unit]


def _fragment(below: Facts, patch: Facts) -> Facts:
    """All facts of a unit, if they can replace those below; else the patch."""
    target = laid_over(below, patch)
    return target if target and same_facts(laid_over(below, target), target) else patch


def extract(layers: Sequence[Layer], used_names: Mapping[str, Facts], least: int = 1) -> dict[str, Facts]:
    """Return the components that layers share, by name, and replace these fragments in the layers.

    Names in `used_names` are not used again; fragments of fewer leaves than `least` stay.
    """
    counted: Counter[Any] = Counter()
    fragments: dict[Any, Facts] = {}
    for layer in layers:
        for fragment in layer.fragments():
            if not any(isinstance(value, Expression) for value in fragment.values()):
                counted[signature(fragment)] += 1
                fragments.setdefault(signature(fragment), fragment)
    components: dict[str, Facts] = {}
    for key, fragment in fragments.items():
        if counted[key] > 1 and len(fragment) >= least:
            name, number = component_name(fragment), 2
            while name in components or name in used_names:
                name, number = f"{component_name(fragment)}-{number}", number + 1
            components[name] = fragment
    names = {signature(fragment): name for name, fragment in components.items()}
    for layer in layers:
        layer.use(names)
    return components
