"""The layer that several objects have below them, chosen so that the least is left to say of each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from virtcatalog.bring.objects.facts import (
    Expression,
    Facts,
    Path,
    cost,
    difference,
    laid_over,
    possible,
    signature,
)

_EXPRESSION = re.compile(r"(\{\{ \w+ \}\})")
_ARCH: Path = ("arch",)
_REQUIREMENTS: Path = ("spec", "requirements")
_STANDS_FOR: tuple[Path, ...] = (("spec", "preferredArchitecture"), (*_REQUIREMENTS, "architecture"))
Unit = Callable[[Path], Path]
"""What belongs together, by a leaf's path: parts of it are not set apart from each other."""


class Item(NamedTuple):
    """What a layer stands on, what it is to come to, and what expressions may call it by."""

    below: Facts
    wanted: Facts


def leaf(path: Path) -> Path:
    """Every leaf on its own."""
    return path


Said = dict[Path, Facts]
"""What a layer says, by the unit that it is about."""


def said(below: Facts, wanted: Facts, unit: Unit) -> Said:
    """Return what makes `wanted` of what is below, unit by unit."""
    found: Said = {}
    for each in dict.fromkeys(unit(path) for path in (*below, *wanted)):
        around = [path for path in wanted if unit(path) != each]
        patch = _with_arch(difference(_part(below, unit, each), _part(wanted, unit, each), around), wanted)
        if patch:
            found[each] = patch
    return found


def _with_arch(patch: Facts, wanted: Facts) -> Facts:
    """A patch where `arch` comes or goes, which stands for two fields of the spec."""
    if _ARCH in wanted:
        return {path: value for path, value in patch.items() if value is not None or path not in _STANDS_FOR}
    if patch.get(_ARCH, ...) is not None:
        return patch
    required = any(path[:2] == _REQUIREMENTS for path in wanted)
    return patch | {
        path if required or path[:2] != _REQUIREMENTS else _REQUIREMENTS: None
        for path in _STANDS_FOR
        if path not in wanted
    }


def joined(layer: Mapping[Path, Facts]) -> Facts:
    """Return what a layer says of all units."""
    return {path: value for facts in layer.values() for path, value in facts.items()}


def shared(items: Sequence[Item], unit: Unit, *, least: int = 2) -> Said:
    """Return the patch that lies over each item's below and under its own: what it says is not said by each.

    For each unit that one is chosen with which all together say the least; nothing that fewer than `least` items want.
    """
    paths = {path for item in items for path in item.wanted}
    chosen: Said = {}
    for each in dict.fromkeys(unit(path) for item in items for path in (*item.wanted, *item.below)):
        parts = [Item(_part(item.below, unit, each), _part(item.wanted, unit, each)) for item in items]
        patch = _best(parts, least, [path for path in paths if unit(path) != each])
        if patch:
            chosen[each] = patch
    return chosen


def _part(facts: Facts, unit: Unit, wanted: Path) -> Facts:
    return {path: value for path, value in facts.items() if unit(path) == wanted}


def _best(parts: Sequence[Item], least: int, around: Sequence[Path]) -> Facts:
    candidates: dict[object, Facts] = {signature({}): {}}
    counted: Counter[object] = Counter()
    for part in parts:
        patches = {signature(patch): patch for patch in (difference(part.below, part.wanted, around), part.wanted)}
        counted.update(patches.keys())
        for key, patch in patches.items():
            if patch and same_facts(laid_over(part.below, patch), part.wanted):
                candidates.setdefault(key, patch)
    best, price = {}, sum(_price(part.below, part.wanted) for part in parts)
    for name, patch in candidates.items():
        if not patch or counted[name] < least:
            continue
        left = [laid_over(part.below, patch) for part in parts]
        if not all(possible(one, part.wanted) for one, part in zip(left, parts, strict=True)):
            continue
        total = cost(patch) + sum(_price(one, part.wanted) for one, part in zip(left, parts, strict=True))
        if total < price:
            best, price = patch, total
    return best


def _price(below: Facts, wanted: Facts) -> float:
    patch = difference(below, wanted)
    return cost(patch) + (0.5 if patch else 0)


def same_facts(one: Facts, other: Facts) -> bool:
    """Whether two layers say the same."""
    return signature(one) == signature(other)


def templated(items: Sequence[Facts], names: Sequence[Mapping[str, str]]) -> list[Facts]:
    """Return items with strings that follow from each one's `names` as one expression, where that joins them.

    `{{ name }}` takes the place of a name's text where then more items say the same than did before.
    """
    made = [dict(item) for item in items]
    for path in dict.fromkeys(path for item in items for path in item):
        having = [index for index, item in enumerate(items) if isinstance(item.get(path), str)]
        plain = Counter(items[index][path] for index in having)
        if len(plain) < 2:
            continue
        texts: Counter[str] = Counter()
        for index in having:
            texts.update(set(_texts(items[index][path], names[index])))
        text, count = max(texts.items(), key=lambda item: (item[1], -len(item[0])), default=("", 0))
        if count > max(plain.most_common(1)[0][1], 1):
            for index in having:
                if text in _texts(items[index][path], names[index]):
                    made[index][path] = Expression(text)
    return made


def _texts(text: str, names: Mapping[str, str]) -> Iterable[str]:
    """A text with some of the names in it as expressions, the longest name first."""
    if "{" in text or "}" in text:
        return []
    found = [text]
    for name, value in sorted(names.items(), key=lambda item: -len(item[1])):
        if value:
            found += [made for each in found if (made := _named(each, name, value)) != each]
    return found[1:]


def _named(text: str, name: str, value: str) -> str:
    """A text with a value in it, outside of expressions, as the name of that value."""
    parts = _EXPRESSION.split(text)
    return "".join(part if index % 2 else part.replace(value, f"{{{{ {name} }}}}") for index, part in enumerate(parts))
