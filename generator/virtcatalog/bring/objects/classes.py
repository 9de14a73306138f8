"""Instance types as classes: what makes the names, sizes, the ratio of memory to vCPUs, and variants."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from virtcatalog.api.quantity import Quantity
from virtcatalog.bring.objects.components import Layer
from virtcatalog.bring.objects.entries import Entry, House, amount, as_file, everywhere, instancetype_facts
from virtcatalog.bring.objects.facts import Expression, Facts, Path, difference, laid_over, signature
from virtcatalog.bring.objects.layers import Item, joined, leaf, said, shared, templated
from virtcatalog.render.natural import natural

_CUT = re.compile(r"(.*[.-])([^.-]+)", re.DOTALL)


class Class(NamedTuple):
    """A file of `instancetypes/`: how its names are made, and what each of its layers says."""

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


def classes(entries: Sequence[Entry], house: House) -> tuple[list[Class], Facts]:
    """Return the classes that instance types fall into, by their labels or else by the start of their names.

    The facts beside them are those that all classes have in common.
    """
    groups: dict[_Group, dict[str, Entry]] = {}
    labelled: dict[str, _Group] = {}
    for one in sorted(entries, key=lambda entry: not entry.label("class")):  # a class is known by those that have it
        prefix, size = _parts(one)
        group = _Group(one.label("class") or prefix.strip(".-") or "general", one.label("version"), prefix)
        group = labelled.setdefault(prefix, group) if not one.label("class") else group
        labelled.setdefault(prefix, group)
        groups.setdefault(group, {})[size] = one
    facts = {
        group: {size: instancetype_facts(one, group.series, group.version, size, house) for size, one in sizes.items()}
        for group, sizes in groups.items()
    }
    base = everywhere([size for sizes in facts.values() for size in sizes.values()], files=len(groups))
    stems = Counter(_stem(group) for group in groups)
    made, taken = [], set[str]()
    for group in sorted(groups, key=lambda group: natural(f"{group.prefix} {group.series}")):
        stem = _stem(group)
        file = as_file(stem if stems[stem] == 1 else group.prefix.strip(".-") or group.series)
        while file in taken:
            file += "-2"
        taken.add(file)
        own = {
            size: {path: value for path, value in each.items() if path not in base}
            for size, each in facts[group].items()
        }
        odd = any(one.name != f"{group.prefix}{size}" for size, one in groups[group].items())
        made.append(_class(group, own, file, odd=odd))
    return made, base


def unit(path: Path) -> Path:
    """What of an instance type belongs together, by a leaf's path."""
    return path[:2] if path[0] == "spec" else path


def _parts(one: Entry) -> tuple[str, str]:
    """What an instance type's name starts with, and its size: the label, if the name ends with it."""
    size = one.label("size")
    if size and one.name.endswith(size) and one.name != size:
        prefix = one.name.removesuffix(size)
    elif match := _CUT.fullmatch(one.name):
        prefix, size = match[1], size or match[2]
    else:
        prefix, size = "", size or one.name
    if not one.name.endswith(size):  # nothing of the name is the size: its name is the file's
        prefix = one.name
    return prefix, size


def _stem(group: _Group) -> str:
    stem = group.prefix.strip(".-")
    return (stem.removesuffix(group.version) if group.version else stem) or group.series


def _class(group: _Group, facts: Mapping[str, Facts], file: str, *, odd: bool) -> Class:
    variants = _variants(facts)
    plain = {size: fact for size, fact in facts.items() if not any(size in variant for variant in variants.values())}
    order = sorted(plain, key=lambda size: (plain[size]["vcpus",], amount(plain[size]["memory",]), natural(size)))
    ratio = _ratio([plain[size] for size in order])
    names = [_names(size, plain[size]) for size in order]
    items = [_stripped(plain[size], ratio) for size in order]
    scaled = [_scaled(_without_amounts(item), plain[size]) for item, size in zip(items, order, strict=True)]
    items = [_amounts(item) | named for item, named in zip(items, templated(scaled, names), strict=True)]
    own = joined(shared([Item({}, _without_amounts(item)) for item in items], leaf)) if len(items) > 1 else {}
    own = own or (_without_amounts(items[0]) if len(items) == 1 else {})
    sizes = {
        size: _amounts(item) | difference(own, _without_amounts(item)) for size, item in zip(order, items, strict=True)
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
        _name(group, bool(above), odd),
        Layer({}, said({}, own, unit), unit),
        sizes,
        above,
    )


def _name(group: _Group, varied: bool, odd: bool) -> str:
    """How names are made; "" for the language's own way."""
    if odd:
        return group.prefix
    if group.prefix == f"{group.series}{group.version}.":
        return ""
    prefix = group.prefix
    start, number, rest = prefix.rpartition(group.version) if group.version else ("", "", "")
    if number:
        prefix = f"{start}{{{{ version }}}}{rest}"
    if group.series and prefix.startswith(group.series):
        prefix = f"{{{{ class }}}}{prefix.removeprefix(group.series)}"
    return f"{prefix}{{{{ size }}}}" + ("{{ variant }}" if varied else "")


def _names(size: str, facts: Facts) -> dict[str, str]:
    return {"size": size, "vcpus": str(facts["vcpus",]), "memory": facts["memory",]}


def _ratio(items: Sequence[Facts]) -> Quantity | None:
    """The memory for each vCPU that most sizes have, as they write it; None when they have none in common."""
    found: Counter[str] = Counter()
    for item in items:
        memory, vcpus = amount(item["memory",]), item["vcpus",]
        if memory and memory.value % vcpus == 0:
            quantity = Quantity.parse(_shortest(memory.value // vcpus))
            if str(quantity * vcpus) == item["memory",]:
                found[str(quantity)] += 1
    ratio, count = max(found.items(), key=lambda item: (item[1], amount(item[0])), default=("", 0))
    return Quantity.parse(ratio) if count > 1 else None


def _shortest(size: int) -> str:
    for power, unit in ((3, "Gi"), (2, "Mi"), (1, "Ki")):
        if size and size % 1024**power == 0:
            return f"{size // 1024**power}{unit}"
    return str(size)


def _stripped(item: Facts, ratio: Quantity | None) -> Facts:
    """An item without its memory, where that follows the ratio."""
    if ratio is None or str(ratio * item["vcpus",]) != item["memory",]:
        return item
    return {path: value for path, value in item.items() if path != ("memory",)}


def _scaled(item: Facts, whole: Facts) -> Facts:
    """An item in which limits that are its vCPUs or memory say so."""
    made = dict(item)
    for path, name in ((("spec", "cpu", "maxSockets"), "vcpus"), (("spec", "memory", "maxGuest"), "memory")):
        if path not in made:
            continue
        factor = _factor(made[path], whole[name,])
        if factor:
            made[path] = Expression(f"{{{{ {name} }}}}" if factor == 1 else f"{{{{ {name} * {factor} }}}}")
    return made


def _factor(limit: Any, base: Any) -> int:
    """How many times `base` a limit is; 0 when it is not."""
    if isinstance(base, int):
        return limit // base if isinstance(limit, int) and limit and limit % base == 0 else 0
    one, other = amount(str(limit)), amount(base)
    if not other or not one or one.value % other.value:
        return 0
    factor = one.value // other.value
    return factor if str(Quantity(other.value * factor * 10**9, "BinarySI")) == str(limit) else 0


def _amounts(item: Facts) -> Facts:
    return {path: value for path, value in item.items() if path in (("vcpus",), ("memory",))}


def _without_amounts(item: Facts) -> Facts:
    return {path: value for path, value in item.items() if path not in (("vcpus",), ("memory",))}


def _variants(facts: Mapping[str, Facts]) -> dict[str, set[str]]:
    """Suffixes with the sizes that have them: two pairs at least, which differ in the same and not in the amounts."""
    patches: dict[tuple[str, Any], set[str]] = {}
    for size, item in facts.items():
        for other, item_of_other in facts.items():
            suffix = other.removeprefix(size)
            if other == size or not other.startswith(size) or _amounts(item) != _amounts(item_of_other):
                continue
            patch = difference(_without_amounts(item), _without_amounts(item_of_other))
            patches.setdefault((suffix, signature(patch)), set()).add(other)
    found: dict[str, set[str]] = {}
    varied, plain = set[str](), set[str]()
    for (suffix, _), members in sorted(patches.items(), key=lambda item: (-len(item[1]), item[0][0])):
        bases = {size.removesuffix(suffix) for size in members}
        if len(members) > 1 and suffix not in found and not (members & (varied | plain | bases) or bases & varied):
            found[suffix] = members
            varied |= members
            plain |= bases
    return found


def _variant(plain: Mapping[str, Facts], facts: Mapping[str, Facts], members: set[str], suffix: str) -> Facts:
    size = min(members)
    base = _without_amounts(plain[size.removesuffix(suffix)])
    patch = difference(base, _without_amounts(facts[size]))
    assert signature(laid_over(base, patch)) == signature(_without_amounts(facts[size]))
    return patch
