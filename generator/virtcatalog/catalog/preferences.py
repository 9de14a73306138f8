"""The preferences that a file of `preferences/` declares: each entry, and its variants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from virtcatalog.api.instancetype import VirtualMachinePreferenceSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.compose import Layer
from virtcatalog.catalog.declared import Declared
from virtcatalog.catalog.labels import common_labels, derived_annotations, preference_labels
from virtcatalog.catalog.layers import PREFERENCE_FRAGMENT, Composer, Merged, ordered
from virtcatalog.catalog.model import Preference
from virtcatalog.catalog.names import name_fault


def preferences(
    composer: Composer, place: str, declared: Mapping[str, Any], base: Sequence[Layer]
) -> Iterator[tuple[Preference, Merged]]:
    """Yield the preferences of one file, over the catalog's layers, with what they were merged from."""
    below = list(base)
    if declared.get("defaults"):
        below += composer.mixed(composer.layer(place, ("defaults",), declared["defaults"], PREFERENCE_FRAGMENT))
    for name, data in (declared.get("preferences") or {}).items():
        path = ("preferences", name)
        middle = [*below, *composer.mixed(composer.layer(place, path, data, PREFERENCE_FRAGMENT))]
        yield _entry(composer, name, "", composer.merge(middle))
        for variant, own in ((data or {}).get("variants") or {}).items():
            top = composer.layer(place, (*path, "variants", variant), own, PREFERENCE_FRAGMENT)
            yield _entry(composer, name, variant, composer.merge([*middle, *composer.mixed(top)]))


def _entry(composer: Composer, base: str, variant: str, merged: Merged) -> tuple[Preference, Merged]:
    name = f"{base}.{variant}" if variant else base
    data, own = merged.data, merged.layers[-1]
    fault = name_fault(name)
    if fault:
        composer.sources.report(own.place, own.path, fault)
    composer.evaluate(merged, {**composer.settings.parameters, "name": base, "variant": variant})
    spec = data.setdefault("spec", {})
    deprecated = composer.deprecation(merged)
    labels = dict(data.get("labels") or {})
    annotations = dict(data.get("annotations") or {})
    _spell_memory(spec)
    composer.check_spec(merged, VirtualMachinePreferenceSpec)
    _check_requirements(composer, merged, spec)
    if not merged.spoilt:
        labels |= preference_labels(data.get("osType", ""), data.get("arch", ""), spec)
    labels |= common_labels(composer.settings.vendor, deprecated)
    texts = data.get("displayName", ""), data.get("description", "")
    annotations |= derived_annotations("preference", *texts, deprecated)
    composer.check_metadata(merged, labels, annotations)
    source = composer.sources.source(own.place, own.path)
    entry = Preference(
        name=name,
        base=base,
        variant=variant,
        display_name=texts[0],
        description=texts[1],
        spec=ordered(spec),
        labels=labels,
        annotations=annotations,
        deprecated=deprecated,
        source=source,
        declared=Declared(composer.sources, merged.layers, source),
        os_type=data.get("osType", ""),
    )
    return entry, merged


def _spell_memory(spec: Mapping[str, Any]) -> None:
    """Write an amount of memory that is given as a number as a string, as Kubernetes does."""
    required = spec.get("requirements")
    memory = required.get("memory") if isinstance(required, dict) else None
    if isinstance(memory, dict) and isinstance(memory.get("guest"), (int, float)):
        memory["guest"] = str(memory["guest"])


def _check_requirements(composer: Composer, merged: Merged, spec: Mapping[str, Any]) -> None:
    required = spec.get("requirements")
    memory = required.get("memory") if isinstance(required, dict) else None
    guest = memory.get("guest") if isinstance(memory, dict) else None
    if isinstance(guest, str):
        try:
            positive = Quantity() < Quantity.parse(guest)
        except ValueError:
            return  # the check of the spec has said so
        if not positive:
            path = ("spec", "requirements", "memory", "guest")
            composer.report(merged, path, f"the memory must be more than {guest}")
