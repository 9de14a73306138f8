"""Preferences as files: which belong together, what is below all of a file, and which are variants of another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from virtcatalog.bring.objects.components import Layer
from virtcatalog.bring.objects.entries import Entry, House, as_file, everywhere, preference_facts
from virtcatalog.bring.objects.facts import Expression, Facts, Path, common, laid_over
from virtcatalog.bring.objects.layers import Item, Said, joined, said, shared, templated
from virtcatalog.render.natural import natural

_OWN_FILE, _MANY = 3, 5
_TEXTS = (("displayName",), ("description",))
_INPUT = ("preferredAutoattachInputDevice", "preferredInputBus", "preferredInputType")


class Family(NamedTuple):
    """A file of `preferences/`: its defaults, its variants with those that have them, and its entries with theirs."""

    file: str
    defaults: Layer
    variants: dict[str, tuple[tuple[str, ...], Layer]]
    entries: dict[str, tuple[Layer, dict[str, Layer]]]


def unit(path: Path) -> Path:
    """What of a preference belongs together, by a leaf's path."""
    if path[0] != "spec" or len(path) < 3:
        return path
    if path[:2] == ("spec", "firmware") or path[:3] == ("spec", "features", "preferredSmm"):
        return ("spec", "firmware")
    if path[1] in ("clock", "features"):
        return ("spec", "features")
    if path[:2] == ("spec", "devices"):
        return ("spec", "devices", "input") if path[2] in _INPUT else path[:3]
    return path[:3] if path[1] == "annotations" else path[:2]  # all requirements together


def families(entries: Sequence[Entry], house: House) -> tuple[list[Family], Facts]:
    """Return the files that preferences fall into: those of a guest that has many, and the others by OS type.

    The facts beside them are those that all preferences have in common.
    """
    facts = {one.name: preference_facts(one, house) for one in entries}
    roots = {name: _root(name, facts) for name in facts}
    count = Counter(name.split(".")[0] for name in facts)
    files: dict[str, list[str]] = {}
    for one in sorted(entries, key=lambda entry: natural(entry.name)):
        head = one.name.split(".")[0]
        file = head if count[head] >= _OWN_FILE else one.label("os-type") or "other"
        files.setdefault(as_file(file), []).append(one.name)
    base = everywhere(list(facts.values()), files=len(files))
    own = {name: {path: value for path, value in fact.items() if path not in base} for name, fact in facts.items()}
    return [_family(file, {name: own[name] for name in names}, roots) for file, names in sorted(files.items())], base


def _root(name: str, names: Mapping[str, object]) -> str:
    """The preference that another one is a variant of; its own name for what is none."""
    parts = name.split(".")
    return next((root for depth in range(1, len(parts)) if (root := ".".join(parts[:depth])) in names), name)


def _family(file: str, facts: Mapping[str, Facts], roots: Mapping[str, str]) -> Family:
    names = list(facts)
    named = templated([facts[name] for name in names], [{"name": roots[name]} for name in names])
    wanted = dict(zip(names, named, strict=True))
    tops = [name for name in names if roots[name] == name]
    defaults = _worth(shared([Item({}, wanted[name]) for name in tops], unit), tops, wanted)
    ground = laid_over({}, joined(defaults))
    above: dict[str, dict[str, str]] = {}
    for name in names:
        if roots[name] != name:
            _say_name(wanted[name], wanted[roots[name]])
            above.setdefault(name.removeprefix(f"{roots[name]}."), {})[roots[name]] = name
    variants: dict[str, tuple[tuple[str, ...], Layer]] = {}
    own: dict[str, dict[str, Layer]] = {name: {} for name in tops}
    for variant, of in above.items():
        layer = shared([Item(wanted[root], wanted[name]) for root, name in of.items()], unit)
        layer = _worth(layer, list(of.values()), wanted)
        if layer:
            below = common(wanted[root] for root in of)
            variants[variant] = (globs(list(of), tops), Layer(below, layer, unit))
        for root, name in of.items():
            below = laid_over(wanted[root], joined(layer))
            left = said(below, wanted[name], unit)
            if left or not layer:
                own[root][variant] = Layer(below, left, unit)
    entries = {name: (Layer(ground, said(ground, wanted[name], unit), unit), own[name]) for name in tops}
    return Family(file, Layer({}, defaults, unit), variants, entries)


def _worth(layer: Said, names: Sequence[str], wanted: Mapping[str, Facts]) -> Said:
    """A layer of several preferences without texts that not all of them have; nothing for a single one."""
    if len(names) < 2:
        return {}
    everybody = common(wanted[name] for name in names)
    return {key: facts for key, facts in layer.items() if key not in _TEXTS or key in everybody}


def _say_name(variant: Facts, base: Facts) -> None:
    """Let a variant's display name be its base's with something more, where it is."""
    name, own = base.get(("displayName",)), variant.get(("displayName",))
    if isinstance(name, str) and isinstance(own, str) and own != name and own.startswith(name) and "{" not in own:
        variant["displayName",] = Expression(f"{{{{ displayName }}}}{own.removeprefix(name)}")


def globs(names: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Return what matches some names and no other that is known: they, or globs where they are many; () for all."""
    if len(names) == len(known):
        return ()
    if len(names) < _MANY:
        return tuple(names)
    left, found = list(names), list[str]()
    while left:
        starts = {name[:end] for name in left for end in range(name.find(".") + 2, len(name))}
        fitting = [each for each in starts if all(name in names for name in known if name.startswith(each))]
        best = max(sorted(fitting), key=lambda each: sum(name.startswith(each) for name in left), default="")
        matched = [name for name in left if best and name.startswith(best)]
        found.append(f"{best}*" if len(matched) > 1 else left[0])
        left = [name for name in left if name not in (matched if len(matched) > 1 else left[:1])]
    return tuple(sorted(found, key=natural))
