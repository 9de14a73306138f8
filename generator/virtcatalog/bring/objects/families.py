"""Preferences as files: which ones share a file, the defaults of a file, and variants of other preferences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from virtcatalog.bring.objects.entries import Conventions, Entry, as_file, everywhere, preference_facts
from virtcatalog.bring.objects.facts import Expression, Facts, Path, common, laid_over
from virtcatalog.bring.objects.layers import Item, Layer, Patches, joined, patches, shared, templated
from virtcatalog.render.features import natural

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
    """Return the unit of a preference's leaf: leaves of one unit stay together in one layer."""
    if path[0] != "spec" or len(path) < 3:
        return path
    if path[:2] == ("spec", "firmware") or path[:3] == ("spec", "features", "preferredSmm"):
        return ("spec", "firmware")
    if path[1] in ("clock", "features"):
        return ("spec", "features")
    if path[:2] == ("spec", "devices"):
        return ("spec", "devices", "input") if path[2] in _INPUT else path[:3]
    return path[:3] if path[1] == "annotations" else path[:2]  # all requirements together


def families(entries: Sequence[Entry], conventions: Conventions) -> tuple[list[Family], Facts]:
    """Return the files that preferences fall into: those of a guest that has many, and the others by OS type.

    The second value are the facts that all preferences share.
    """
    facts = {entry.name: preference_facts(entry, conventions) for entry in entries}
    roots = {name: _root(name, facts) for name in facts}
    count = Counter(name.split(".")[0] for name in facts)
    files: dict[str, list[str]] = {}
    for entry in sorted(entries, key=lambda entry: natural(entry.name)):
        head = entry.name.split(".")[0]
        file = head if count[head] >= _OWN_FILE else entry.label("os-type") or "other"
        files.setdefault(as_file(file), []).append(entry.name)
    base = everywhere(list(facts.values()), files=len(files))
    own = {name: {path: value for path, value in fact.items() if path not in base} for name, fact in facts.items()}
    return [_family(file, {name: own[name] for name in names}, roots) for file, names in sorted(files.items())], base


def _root(name: str, names: Mapping[str, object]) -> str:
    """The preference of which this one is a variant; the name itself if it is none."""
    roots = accumulate(name.split(".")[:-1], "{}.{}".format)
    return next((root for root in roots if root in names), name)


def _family(file: str, facts: Mapping[str, Facts], roots: Mapping[str, str]) -> Family:
    names = list(facts)
    with_names = templated([facts[name] for name in names], [{"name": roots[name]} for name in names])
    targets = dict(zip(names, with_names, strict=True))
    tops = [name for name in names if roots[name] == name]
    defaults = _without_own_texts(shared([Item({}, targets[name]) for name in tops], unit), tops, targets)
    all_defaults = laid_over({}, joined(defaults))
    above: dict[str, dict[str, str]] = {}
    for name in names:
        if roots[name] != name:
            _say_name(targets[name], targets[roots[name]])
            above.setdefault(name.removeprefix(f"{roots[name]}."), {})[roots[name]] = name
    variants: dict[str, tuple[tuple[str, ...], Layer]] = {}
    own: dict[str, dict[str, Layer]] = {name: {} for name in tops}
    for variant, members in above.items():
        layer = shared([Item(targets[root], targets[name]) for root, name in members.items()], unit)
        layer = _without_own_texts(layer, list(members.values()), targets)
        if layer:
            below = common(targets[root] for root in members)
            variants[variant] = (globs(list(members), tops), Layer(below, layer, unit))
        for root, name in members.items():
            below = laid_over(targets[root], joined(layer))
            own_patches = patches(below, targets[name], unit)
            if own_patches or not layer:
                own[root][variant] = Layer(below, own_patches, unit)
    entries = {
        name: (Layer(all_defaults, patches(all_defaults, targets[name], unit), unit), own[name]) for name in tops
    }
    return Family(file, Layer({}, defaults, unit), variants, entries)


def _without_own_texts(layer: Patches, names: Sequence[str], targets: Mapping[str, Facts]) -> Patches:
    """A layer without texts that only some of the preferences have; {} if there is one preference alone."""
    if len(names) < 2:
        return {}
    everybody = common(targets[name] for name in names)
    return {key: facts for key, facts in layer.items() if key not in _TEXTS or key in everybody}


def _say_name(variant: Facts, base: Facts) -> None:
    """Write a variant's display name as an expression of its base's, if it starts with that."""
    name, own = base.get(("displayName",)), variant.get(("displayName",))
    if isinstance(name, str) and isinstance(own, str) and own != name and own.startswith(name) and "{" not in own:
        variant["displayName",] = Expression(f"{{{{ displayName }}}}{own.removeprefix(name)}")


def globs(names: Sequence[str], all_names: Sequence[str]) -> tuple[str, ...]:
    """Return patterns that match these of `all_names` alone: the names, or globs if they are many; () for all."""
    if len(names) == len(all_names):
        return ()
    if len(names) < _MANY:
        return tuple(names)
    unmatched, patterns = list(names), list[str]()
    while unmatched:
        starts = {name[:end] for name in unmatched for end in range(name.find(".") + 2, len(name))}
        fitting = [start for start in starts if all(name in names for name in all_names if name.startswith(start))]
        best = max(sorted(fitting), key=lambda start: sum(name.startswith(start) for name in unmatched), default="")
        matched = [name for name in unmatched if best and name.startswith(best)]
        patterns.append(f"{best}*" if len(matched) > 1 else unmatched[0])
        unmatched = [name for name in unmatched if name not in (matched if len(matched) > 1 else unmatched[:1])]
    return tuple(sorted(patterns, key=natural))
