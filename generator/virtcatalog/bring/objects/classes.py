"""Instance types as classes: patterns of names, sizes, the ratio of memory to vCPUs, and variants."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from virtcatalog.api.quantity import Quantity
from virtcatalog.bring.objects.entries import Conventions, Entry, as_file, everywhere, instancetype_facts
from virtcatalog.bring.objects.facts import Expression, Facts, Path, difference, laid_over, signature
from virtcatalog.bring.objects.layers import Item, Layer, joined, leaf, patches, shared, templated
from virtcatalog.render.features import natural

_CUT = re.compile(r"(.*[.-])([^.-]+)", re.DOTALL)


class Class(NamedTuple):
    """A file of `instancetypes/`: the pattern of its names, and its layers."""

    file: str
    series: str
    version: str
    name: str
    own: Layer
    sizes: dict[str, Facts]
    variants: dict[str, tuple[tuple[str, ...], Facts]]


class _Group(NamedTuple):
    series: str
    version: str
    prefix: str


def classes(entries: Sequence[Entry], conventions: Conventions) -> tuple[list[Class], Facts]:
    """Return the classes that instance types fall into, by their labels or else by the start of their names.

    The second value are the facts that all classes share.
    """
    groups: dict[_Group, dict[str, Entry]] = {}
    labelled: dict[str, _Group] = {}
    # Labelled entries come first: they name the class of their prefix.
    for entry in sorted(entries, key=lambda entry: not entry.label("class")):
        prefix, size = _parts(entry)
        group = _Group(entry.label("class") or prefix.strip(".-") or "general", entry.label("version"), prefix)
        group = labelled.setdefault(prefix, group) if not entry.label("class") else group
        labelled.setdefault(prefix, group)
        groups.setdefault(group, {})[size] = entry
    facts = {
        group: {
            size: instancetype_facts(entry, group.series, group.version, size, conventions)
            for size, entry in sizes.items()
        }
        for group, sizes in groups.items()
    }
    base = everywhere([size for sizes in facts.values() for size in sizes.values()], files=len(groups))
    stems = Counter(_stem(group) for group in groups)
    result, files = [], set[str]()
    for group in sorted(groups, key=lambda group: natural(f"{group.prefix} {group.series}")):
        stem = _stem(group)
        file = as_file(stem if stems[stem] == 1 else group.prefix.strip(".-") or group.series)
        while file in files:
            file += "-2"
        files.add(file)
        own = {
            size: {path: value for path, value in facts_of_size.items() if path not in base}
            for size, facts_of_size in facts[group].items()
        }
        irregular = any(entry.name != f"{group.prefix}{size}" for size, entry in groups[group].items())
        result.append(_class(group, own, file, irregular=irregular))
    return result, base


def unit(path: Path) -> Path:
    """Return the unit of an instance type's leaf: leaves of one unit stay together in one layer."""
    return path[:2] if path[0] == "spec" else path


def _parts(entry: Entry) -> tuple[str, str]:
    """The prefix of an instance type's name, and its size: the label, if the name ends with it."""
    size = entry.label("size")
    if size and entry.name.endswith(size) and entry.name != size:
        prefix = entry.name.removesuffix(size)
    elif match := _CUT.fullmatch(entry.name):
        prefix, size = match[1], size or match[2]
    else:
        prefix, size = "", size or entry.name
    if not entry.name.endswith(size):  # the size is no part of the name
        prefix = entry.name
    return prefix, size


def _stem(group: _Group) -> str:
    return group.prefix.strip(".-").removesuffix(group.version) or group.series


def _class(group: _Group, facts: Mapping[str, Facts], file: str, *, irregular: bool) -> Class:
    variants = _variants(facts)
    plain = {size: fact for size, fact in facts.items() if not any(size in variant for variant in variants.values())}
    order = sorted(
        plain, key=lambda size: (plain[size]["vcpus",], Quantity.parse(plain[size]["memory",]), natural(size))
    )
    ratio = _ratio([plain[size] for size in order])
    names = [_names(size, plain[size]) for size in order]
    items = [_without_memory(plain[size], ratio) for size in order]
    scaled = [_scaled(_without_amounts(item), plain[size]) for item, size in zip(items, order, strict=True)]
    rest = templated(scaled, names)
    own = joined(shared([Item({}, item) for item in rest], leaf)) if len(rest) > 1 else rest[0]
    sizes = {
        size: _amounts(item) | difference(own, other) for size, item, other in zip(order, items, rest, strict=True)
    }
    if ratio:
        own["memoryPerVcpu",] = str(ratio)
    above = {
        suffix: (
            () if len(members) == len(plain) else tuple(size for size in order if size + suffix in members),
            _variant(plain, facts, members, suffix),
        )
        for suffix, members in variants.items()
    }
    return Class(
        file,
        group.series,
        group.version,
        _name(group, bool(above), irregular),
        Layer({}, patches({}, own, unit), unit),
        sizes,
        above,
    )


def _name(group: _Group, varied: bool, irregular: bool) -> str:
    """The pattern of the names; "" for the language's default."""
    if irregular:
        return group.prefix
    if group.prefix == f"{group.series}{group.version}.":
        return ""
    prefix = group.prefix
    if group.version and group.version in prefix:
        start, _, rest = prefix.rpartition(group.version)
        prefix = f"{start}{{{{ version }}}}{rest}"
    if prefix.startswith(group.series):
        prefix = f"{{{{ class }}}}{prefix.removeprefix(group.series)}"
    return f"{prefix}{{{{ size }}}}" + ("{{ variant }}" if varied else "")


def _names(size: str, facts: Facts) -> dict[str, str]:
    return {"size": size, "vcpus": str(facts["vcpus",]), "memory": facts["memory",]}


def _ratio(items: Sequence[Facts]) -> Quantity | None:
    """The memory per vCPU of most sizes, in their spelling; None if no two sizes share it."""
    counts: Counter[str] = Counter()
    for item in items:
        memory, vcpus = Quantity.parse(item["memory",]), item["vcpus",]
        quantity = Quantity.parse(_shortest(memory.value // vcpus))
        if str(quantity * vcpus) == item["memory",]:
            counts[str(quantity)] += 1
    several = [(count, Quantity.parse(text)) for text, count in counts.items() if count > 1]
    return max(several)[1] if several else None


def _shortest(size: int) -> str:
    for power, unit in ((3, "Gi"), (2, "Mi"), (1, "Ki")):
        if size % 1024**power == 0:
            return f"{size // 1024**power}{unit}"
    return str(size)


def _without_memory(item: Facts, ratio: Quantity | None) -> Facts:
    """An item without its memory, if the ratio implies it."""
    if ratio is None or str(ratio * item["vcpus",]) != item["memory",]:
        return item
    return {path: value for path, value in item.items() if path != ("memory",)}


def _scaled(item: Facts, unscaled: Facts) -> Facts:
    """An item with expressions for limits that are multiples of its vCPUs or memory."""
    scaled = dict(item)
    for path, name in ((("spec", "cpu", "maxSockets"), "vcpus"), (("spec", "memory", "maxGuest"), "memory")):
        if path not in scaled:
            continue
        factor = _factor(scaled[path], unscaled[name,])
        if factor:
            scaled[path] = Expression(f"{{{{ {name} }}}}" if factor == 1 else f"{{{{ {name} * {factor} }}}}")
    return scaled


def _factor(limit: Any, base: Any) -> int:
    """How many times `base` a limit is; 0 if it is no multiple."""
    if isinstance(base, int):
        return limit // base if isinstance(limit, int) and limit % base == 0 else 0
    amount = Quantity.parse(base).value
    factor = Quantity.parse(str(limit)).value // amount
    return factor if str(Quantity(amount * factor * 10**9, "BinarySI")) == str(limit) else 0


def _amounts(item: Facts) -> Facts:
    return {path: value for path, value in item.items() if path in (("vcpus",), ("memory",))}


def _without_amounts(item: Facts) -> Facts:
    return {path: value for path, value in item.items() if path not in (("vcpus",), ("memory",))}


def _variants(facts: Mapping[str, Facts]) -> dict[str, set[str]]:
    """Suffixes of variants with their sizes: at least two pairs of sizes with equal differences and equal amounts."""
    patches: dict[tuple[str, Any], set[str]] = {}
    for size, item in facts.items():
        for other, item_of_other in facts.items():
            suffix = other.removeprefix(size)
            if other == size or not other.startswith(size) or _amounts(item) != _amounts(item_of_other):
                continue
            patch = difference(_without_amounts(item), _without_amounts(item_of_other))
            patches.setdefault((suffix, signature(patch)), set()).add(other)
    suffixes: dict[str, set[str]] = {}
    varied, plain = set[str](), set[str]()
    for (suffix, _), members in sorted(patches.items(), key=lambda item: (-len(item[1]), item[0][0])):
        bases = {size.removesuffix(suffix) for size in members}
        if len(members) > 1 and suffix not in suffixes and not (members & (varied | plain | bases) or bases & varied):
            suffixes[suffix] = members
            varied |= members
            plain |= bases
    return suffixes


def _variant(plain: Mapping[str, Facts], facts: Mapping[str, Facts], members: set[str], suffix: str) -> Facts:
    size = min(members)
    base = _without_amounts(plain[size.removesuffix(suffix)])
    patch = difference(base, _without_amounts(facts[size]))
    assert signature(laid_over(base, patch)) == signature(_without_amounts(facts[size]))
    return patch
