"""Classes x sizes x variants: the instance types that a file of `instancetypes/` declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec
from virtcatalog.api.names import name_fault
from virtcatalog.api.quantity import NANO, Quantity
from virtcatalog.catalog.amounts import MOST, Amount, ExpressionError, as_text
from virtcatalog.catalog.chain import Chain, Level, levels_of, names_under
from virtcatalog.catalog.compose import Layer
from virtcatalog.catalog.declarations import Fragment
from virtcatalog.catalog.declared import entry_fields
from virtcatalog.catalog.expressions import evaluate
from virtcatalog.catalog.labels import instancetype_labels
from virtcatalog.catalog.layers import INSTANCETYPE_FRAGMENT, Composer, Merged, locate
from virtcatalog.catalog.model import Instancetype
from virtcatalog.catalog.work import WorkError
from virtcatalog.errors import nearest
from virtcatalog.manifests.fields import get

_TOO_MUCH = "more memory than Kubernetes can count: 8Ei, less one byte"


def instancetypes(
    composer: Composer, chain: Chain, stack: Sequence[Level], base: Sequence[Layer]
) -> Iterator[tuple[Instancetype, Merged]]:
    """Yield the instance types of one file, over the catalog's layers, with what they were merged from.

    An entry with 0 vCPUs has a reported fault, and only its name is of use.
    """
    below = list(base)
    for level in stack:
        below += composer.mixed(level.place, (), level.data, INSTANCETYPE_FRAGMENT)
    sizes, variants = names_under(stack, "sizes"), names_under(stack, "variants")
    above = {name: _layers(composer, stack, "variants", name) for name in variants}
    having = {name: _sizes(composer, stack, name, sizes) for name in variants}
    for size in sizes:
        middle = _layers(composer, stack, "sizes", size)
        for variant in ("", *(name for name in variants if size in having[name])):
            names = {
                **composer.settings.parameters,
                "class": _last(stack, "class", ""),
                "version": _last(stack, "version", ""),
                "size": size,
                "variant": variant,
            }
            name = _name(composer, stack, names)
            sized, varied = levels_of(stack, "sizes", size), levels_of(stack, "variants", variant)
            if variant:
                plain = _name(composer, stack, names | {"variant": ""})
                is_taken = chain.takes("instancetypes", name, {min(varied)}, part_of=(plain, sized))
            else:
                is_taken = chain.takes("instancetypes", name, sized)
            if is_taken:
                merged = composer.merge([*below, *middle, *(above[variant] if variant else ())])
                _check_name(composer, stack, merged, names, name)
                yield _entry(composer, merged, names, name), merged


def _layers(composer: Composer, stack: Sequence[Level], key: str, name: str) -> list[Layer]:
    return [
        layer
        for level in stack
        if level.has(key, name)
        for layer in composer.mixed(level.place, (key, name), level.entry(key, name), INSTANCETYPE_FRAGMENT)
    ]


def _last(stack: Sequence[Level], key: str, default: Any) -> Any:
    """What the highest level says of those that say anything."""
    return next((level.data[key] for level in reversed(stack) if level.data.get(key) is not None), default)


def _sizes(composer: Composer, stack: Sequence[Level], variant: str, sizes: Sequence[str]) -> Sequence[str]:
    """The sizes that have a variant: those of the highest level that lists any, else all."""
    declared: Sequence[str] = ()
    for level in stack:
        own = level.entry("variants", variant).get("sizes") or ()
        declared = own or declared
        for index, size in enumerate(own):
            if size not in sizes:
                message = f"the class has no size {size!r}{nearest(size, sizes)}"
                composer.sources.report(level.place, ("variants", variant, "sizes", index), message)
    return declared or sizes


def _entry(composer: Composer, merged: Merged, names: dict[str, Any], name: str) -> Instancetype:
    data = merged.data
    spec = data.setdefault("spec", {})
    composer.evaluate(merged, names, "vcpus")
    vcpus = _vcpus(composer, merged, spec)
    names["vcpus"] = vcpus
    composer.evaluate(merged, names, "memoryPerVcpu", "memory")
    ratio = _quantity(composer, merged, "memoryPerVcpu")
    memory, written = _memory(composer, merged, spec, vcpus, ratio)
    if not vcpus or not memory:
        merged.spoilt.add("*")
    names |= {"memory": Amount(memory), "name": name}
    for part, value in (("cpu", vcpus), ("memory", written)):
        if not isinstance(spec.get(part), dict):
            spec[part] = {}
        spec[part]["guest"] = value
    composer.evaluate_all(merged, names, Fragment)
    deprecated = composer.deprecation(merged)
    composer.check_spec(merged, VirtualMachineInstancetypeSpec)
    size = f"{names['size']}{names['variant']}"
    labels = {} if merged.spoilt else instancetype_labels(names["class"], str(names["version"]), size, spec)
    return Instancetype(
        **entry_fields(composer, merged, "instancetype", labels, deprecated),
        name=name,
        variant=names["variant"],
        series=names["class"],
        version=str(names["version"]),
        size=names["size"],
        vcpus=vcpus,
        memory=memory,
        memory_per_vcpu=ratio or None,
    )


def _name(composer: Composer, stack: Sequence[Level], names: Mapping[str, Any]) -> str:
    template = _last(stack, "name", "") or "{{ class }}{{ version }}.{{ size }}{{ variant }}"
    try:
        return as_text(evaluate(template, names, composer.sources.work))
    except (ExpressionError, WorkError) as error:
        place = next((level.place for level in reversed(stack) if level.data.get("name")), stack[-1].place)
        if isinstance(error, WorkError):
            composer.sources.stop(place, ("name",), error.message)
        composer.sources.report(place, ("name",), error.message)
        return f"{names['class']}{names['version']}.{names['size']}{names['variant']}"


def _check_name(
    composer: Composer, stack: Sequence[Level], merged: Merged, names: Mapping[str, Any], name: str
) -> None:
    """Report a name that Kubernetes refuses: once at the class, where that is what it refuses in all of them."""
    fault = name_fault(name)
    of_class = name_fault(names["class"])
    if fault and of_class:
        place = next(level.place for level in reversed(stack) if level.data.get("class"))
        composer.sources.report(place, ("class",), of_class)
    elif fault:
        own = merged.layers[-1]
        composer.sources.report(own.place, own.path, fault)


def _vcpus(composer: Composer, merged: Merged, spec: Mapping[str, Any]) -> int:
    """The number of vCPUs, from the size or else from the spec; 0 when there is none."""
    written, stated = get(spec, ("cpu", "guest")), merged.data.get("vcpus")
    vcpus = written if stated is None else stated
    if not isinstance(vcpus, int) or isinstance(vcpus, bool) or not 1 <= vcpus < 2**32:
        if vcpus is None:
            composer.report(merged, (), "the size has no `vcpus`", "vcpus", "spec")
        else:
            rule = "the number of vCPUs must be a whole number from 1"
            composer.report(
                merged, ("vcpus",) if written is None else ("spec", "cpu", "guest"), f"{rule}, not {vcpus!r}"
            )
        merged.spoilt.add("*")
        return 0
    if stated is not None and written is not None and stated != written:
        message = f"the size has {stated} vCPUs, and this says {written}; leave it out"
        composer.report(merged, ("spec", "cpu", "guest"), message)
    return vcpus


def _memory(
    composer: Composer, merged: Merged, spec: Mapping[str, Any], vcpus: int, ratio: Quantity
) -> tuple[Quantity, str]:
    """The memory and how it is written: what the size says, else by the ratio, else the spec's; 0 when unknown."""
    written, stated = get(spec, ("memory", "guest")), merged.data.get("memory")
    if stated is None and ratio and written is None:
        memory = ratio * vcpus
        if memory > MOST:
            place = locate(merged.layers, ("memoryPerVcpu",))
            composer.sources.report(*place, f"{vcpus} x {ratio} is {_TOO_MUCH}")
            return Quantity(), "0"
        if memory != Quantity(memory.value * NANO):
            place = locate(merged.layers, ("memoryPerVcpu",))
            message = f"{vcpus} x {ratio} is not a whole number of bytes"
            composer.sources.report(*place, message)
        return memory, str(memory)
    path: tuple[str | int, ...] = ("memory",)
    if stated is None:
        path, stated = ("spec", "memory", "guest"), written
    elif written is not None and str(written) != str(stated):
        message = f"the size has {stated} of memory, and this says {written}; leave it out"
        composer.report(merged, ("spec", "memory", "guest"), message)
    if stated is None:
        reported = merged.data.get("memoryPerVcpu") is not None  # it is no amount
        if not reported and not merged.spoilt.intersection(("memory", "memoryPerVcpu", "spec", "*")):
            own = merged.layers[-1]
            sizes, size = own.path[:1], own.path[1]
            removed = next((layer for layer in reversed(merged.layers) if layer.holds(("memoryPerVcpu",))), None)
            if removed is not None:
                message = "has no value, and not every size has `memory`"
                composer.sources.report(removed.place, removed.declared(("memoryPerVcpu",)), message)
            elif not composer.sources.has_fault(own.place, sizes):  # the first is enough: it may be all
                composer.sources.report(own.place, sizes, f"{size} has no `memory`, and its class no `memoryPerVcpu`")
        return Quantity(), "0"
    return _parsed(composer, merged, path, stated), str(stated)


def _quantity(composer: Composer, merged: Merged, key: str) -> Quantity:
    value = merged.data.get(key)
    return Quantity() if value is None else _parsed(composer, merged, (key,), value)


def _parsed(composer: Composer, merged: Merged, path: tuple[str | int, ...], value: Any) -> Quantity:
    """An amount of memory in a field. When it is not more than 0, that is reported and 0 returned."""
    try:
        amount = Quantity.parse(value)
    except ValueError as error:
        composer.report(merged, path, str(error))
        return Quantity()
    if not Quantity() < amount:
        composer.report(merged, path, f"the memory must be more than 0, not {value}")
        return Quantity()
    if amount > MOST:
        composer.report(merged, path, f"{value} is {_TOO_MUCH}")
        return Quantity()
    if path != ("memoryPerVcpu",) and amount != Quantity(amount.value * NANO):
        composer.report(merged, path, f"{value} is not a whole number of bytes")
    return amount
