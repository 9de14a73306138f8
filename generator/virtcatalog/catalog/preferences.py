"""The preferences that a file of `preferences/` declares: the entries and their variants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from virtcatalog.api.instancetype import VirtualMachinePreferenceSpec
from virtcatalog.api.names import name_fault
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.chain import Chain, Level, levels_of, names_under
from virtcatalog.catalog.compose import Layer
from virtcatalog.catalog.declarations import PreferenceFragment
from virtcatalog.catalog.declared import entry_fields
from virtcatalog.catalog.labels import preference_labels
from virtcatalog.catalog.layers import PREFERENCE_FRAGMENT, Composer, Merged
from virtcatalog.catalog.model import Preference
from virtcatalog.catalog.sources import FieldPath
from virtcatalog.errors import nearest
from virtcatalog.manifests.fields import get, map_at


def preferences(
    composer: Composer, chain: Chain, stack: Sequence[Level], base: Sequence[Layer]
) -> Iterator[tuple[Preference, Merged]]:
    """Yield the preferences of one file, over the catalog's layers, with what they were merged from."""
    below = list(base)
    for level in stack:
        if level.data.get("defaults"):
            below += composer.mixed(level.place, ("defaults",), level.data["defaults"], PREFERENCE_FRAGMENT)
    shared = {name: _Shared(composer, stack, name) for name in names_under(stack, "variants")}
    for name in names_under(stack, "preferences"):
        middle = [*below, *_layers(composer, stack, name)]
        entry, merged = _entry(composer, name, {}, composer.merge(middle))
        levels = levels_of(stack, "preferences", name)
        if chain.takes("preferences", name, levels):
            yield entry, merged
        for variant, varied in _variants(stack, name, shared).items():
            if chain.takes("preferences", f"{name}.{variant}", varied, part_of=(name, levels)):
                top = shared[variant].layers if variant in shared and shared[variant].suits(name) else []
                names = {"variant": variant, "displayName": entry.display_name}
                layers = [*middle, *top, *_layers(composer, stack, name, variant)]
                yield _entry(composer, name, names, composer.merge(layers))
    for shared_variant in shared.values():
        shared_variant.check()


class _Shared:
    """A variant that several preferences of a file have: its layers, and which preferences those are."""

    def __init__(self, composer: Composer, stack: Sequence[Level], variant: str) -> None:
        self._composer = composer
        self._globs: list[tuple[str, FieldPath, str]] = []
        self._matched: set[str] = set()
        self._names: set[str] = set()
        self.layers: list[Layer] = []
        for level in stack:
            if level.has("variants", variant):
                data = level.entry("variants", variant)
                self.layers += composer.mixed(level.place, ("variants", variant), data, PREFERENCE_FRAGMENT)
                globs = enumerate(data.get("preferences") or ())
                path = ("variants", variant, "preferences")
                self._globs = [(level.place, (*path, index), glob) for index, glob in globs] or self._globs

    def suits(self, name: str) -> bool:
        """Whether a preference has this variant."""
        self._names.add(name)
        matching = {glob for _, _, glob in self._globs if glob == name or fnmatchcase(name, glob)}
        self._matched |= matching
        return bool(matching) or not self._globs

    def check(self) -> None:
        """Report globs that match no preference of the file."""
        for place, path, glob in self._globs:
            if glob not in self._matched:
                message = f"{glob!r} matches no preference of this file{nearest(glob, self._names)}"
                self._composer.sources.report(place, path, message)


def _variants(stack: Sequence[Level], name: str, shared: Mapping[str, _Shared]) -> dict[str, set[int]]:
    """The variants of a preference, its own first, with the levels that declare them."""
    levels_of_variant: dict[str, set[int]] = {}
    for level in stack:
        for variant in level.entry("preferences", name).get("variants") or ():
            levels_of_variant.setdefault(variant, set()).add(level.number)
    for variant, shared_variant in shared.items():
        if shared_variant.suits(name):
            levels_of_variant.setdefault(variant, set()).add(min(levels_of(stack, "variants", variant)))
    return levels_of_variant


def _layers(composer: Composer, stack: Sequence[Level], name: str, variant: str = "") -> list[Layer]:
    layers: list[Layer] = []
    for level in stack:
        path, entry = ("preferences", name), level.entry("preferences", name)
        if not variant and level.has("preferences", name):
            layers += composer.mixed(level.place, path, entry, PREFERENCE_FRAGMENT)
        elif variant and variant in (entry.get("variants") or {}):
            place, own = (*path, "variants", variant), entry["variants"][variant]
            layers += composer.mixed(level.place, place, own, PREFERENCE_FRAGMENT)
    return layers


def _entry(composer: Composer, base: str, names: Mapping[str, Any], merged: Merged) -> tuple[Preference, Merged]:
    variant = names.get("variant", "")
    name = f"{base}.{variant}" if variant else base
    data, own = merged.data, merged.layers[-1]
    fault = name_fault(name)
    if fault:
        composer.sources.report(own.place, own.path, fault)
    names = {**composer.settings.parameters, "name": base, "variant": variant, **names}
    composer.evaluate_all(merged, names, PreferenceFragment)
    spec = data.setdefault("spec", {})
    deprecated = composer.deprecation(merged)
    _spell_memory(spec)
    composer.check_spec(merged, VirtualMachinePreferenceSpec)
    _check_requirements(composer, merged, spec)
    os_type = data.get("osType", "")
    labels = {} if merged.spoilt else preference_labels(os_type, data.get("arch", ""), spec)
    entry = Preference(
        **entry_fields(composer, merged, "preference", labels, deprecated),
        name=name,
        base=base,
        variant=variant,
        os_type=os_type,
    )
    return entry, merged


def _spell_memory(spec: Mapping[str, Any]) -> None:
    """Turn an amount of memory that is a number into a string, as Kubernetes does."""
    memory = map_at(spec.get("requirements"), "memory")
    if isinstance(memory.get("guest"), (int, float)):
        memory["guest"] = str(memory["guest"])


def _check_requirements(composer: Composer, merged: Merged, spec: Mapping[str, Any]) -> None:
    guest = get(spec.get("requirements"), ("memory", "guest"))
    if isinstance(guest, str):
        try:
            positive = Quantity() < Quantity.parse(guest)
        except ValueError:
            return  # the check of the spec reports it
        if not positive:
            path = ("spec", "requirements", "memory", "guest")
            composer.report(merged, path, f"the memory must be more than 0, not {guest}")
