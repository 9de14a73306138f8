"""From declarations to entries: layers, merged, evaluated and checked, with every fault at its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import msgspec

from virtcatalog.api.decode import convert
from virtcatalog.api.names import annotations_fault, pair_fault
from virtcatalog.api.shape import Version, struct_of
from virtcatalog.catalog.amounts import ExpressionError
from virtcatalog.catalog.check import spec_faults, value_faults
from virtcatalog.catalog.compose import ComponentError, Components, Layer, take_out
from virtcatalog.catalog.expressions import resolve
from virtcatalog.catalog.labels import DERIVED_ANNOTATIONS, DERIVED_LABELS
from virtcatalog.catalog.model import Deprecation
from virtcatalog.catalog.sources import FieldPath, Sources, is_extended
from virtcatalog.catalog.work import ENTRY, WorkError
from virtcatalog.manifests.layout import COMPONENTS
from virtcatalog.manifests.merge import lay_over, merge_into

FRAGMENT = ("displayName", "description", "labels", "annotations", "components", "deprecated", "spec")
INSTANCETYPE_FRAGMENT = (*FRAGMENT, "memoryPerVcpu", "vcpus", "memory")
PREFERENCE_FRAGMENT = (*FRAGMENT, "osType", "arch", "requirements")
COMPONENT_FRAGMENT = tuple(dict.fromkeys((*INSTANCETYPE_FRAGMENT, *PREFERENCE_FRAGMENT)))
TEMPLATE_FRAGMENT = (
    *("displayName", "description", "labels", "annotations", "instancetype", "preference"),
    *("image", "message", "parameters", "vm", "tests"),
)

#: Fields that stand for parts of a preference's spec.
_REQUIREMENTS = {"vcpus": ("cpu", "guest"), "memory": ("memory", "guest"), "arch": ("architecture",)}
ARCH_FIELDS_SINCE = (1, 7)


class Settings(msgspec.Struct, frozen=True):
    """What catalog.yaml says for everything else."""

    vendor: str = ""
    release: Version = ()
    parameters: dict[str, Any] = {}


class Merged(msgspec.Struct, frozen=True):
    """An entry's fields, all layers merged, and the layers; `spoilt` has the keys at fault.

    Nothing further is reported of these, and nothing at all once `*` is among them.
    """

    data: dict[str, Any]
    layers: Sequence[Layer]
    spoilt: set[str]


class Composer:
    """Makes layers and merges them; what is wrong goes to `sources`."""

    def __init__(self, sources: Sources, settings: Settings, components: Components) -> None:
        self.sources, self.settings = sources, settings
        self._components = components

    def check_components(self) -> None:
        """Report what is wrong with the lists of components of components."""
        try:
            for layer, error in self._components.faults():
                self.sources.report(layer.place, (*layer.path, "components", error.index), error.message)
        except WorkError as error:
            self.sources.stop(COMPONENTS, (), error.message)

    def layer(self, place: str, path: FieldPath, data: Mapping[str, Any] | None, keys: Iterable[str]) -> Layer:
        """Return the layer of a declaration, of its `keys` alone."""
        return fragment(place, path, data or {}, keys, self.settings.release)

    def mixed(self, place: str, path: FieldPath, data: Mapping[str, Any] | None, keys: Iterable[str]) -> list[Layer]:
        """Return the layer of a declaration after those of its components."""
        layer = self.layer(place, path, data, keys)
        names = layer.data.get("components") or []
        if not names:
            return [layer]
        try:
            return [*self._components.mix(names, layer.data), layer]
        except ComponentError as error:
            path = (*layer.path, "components", error.index)
            self.sources.report(layer.place, path, error.message)
            self.sources.spoil(layer.place, layer.path, "*")
            return [layer]
        except WorkError as error:
            self.sources.stop(layer.place, (*layer.path, "components"), error.message)

    def merge(self, layers: Sequence[Layer]) -> Merged:
        """Merge layers, the first one lowest."""
        merged: dict[str, Any] = {}
        try:
            self.sources.work.spend(ENTRY)
            for layer in layers:
                self.sources.work.merge(layer.data)
                merge_into(merged, layer.data)
        except WorkError as error:
            self.sources.stop(layers[-1].place, layers[-1].path, error.message)
        merged.pop("components", None)
        return Merged(merged, layers, self.sources.spoilt(layers))

    def evaluate(self, merged: Merged, names: Mapping[str, Any], *keys: str) -> None:
        """Evaluate the expressions in some fields, or in all of them, in place."""
        data = merged.data
        for key in keys or tuple(data):
            if key not in data:
                continue
            faults: list[tuple[FieldPath, ExpressionError]] = []
            try:
                data[key] = resolve(data[key], names, faults, self.sources.work)
            except WorkError as error:
                self.sources.stop(*locate(merged.layers, (key, *error.path)), error.message)
            if data[key] is None:
                del data[key]
            for path, fault in faults:
                self.report(merged, (key, *path), fault.message)

    def evaluate_all(self, merged: Merged, names: Mapping[str, Any], kind: type[msgspec.Struct]) -> None:
        """Evaluate the remaining expressions in place; values outside the spec that do not fit `kind` are taken out."""
        self.evaluate(merged, names)
        own = {key: merged.data[key] for key in struct_of(kind).fields if key != "spec" and key in merged.data}
        for path, message in () if _is_sound(own, kind) else value_faults(own, kind):
            self.report(merged, path, message)
            take_out(merged.data, path)

    def report(self, merged: Merged, path: FieldPath, message: str, *missing: str) -> None:
        """Report a fault of a merged field where it was declared last, or that all of some fields are `missing`.

        A fault that follows from a reported one is left out, and so is another one of a field that has one.
        """
        if not merged.spoilt.intersection((*path[:1], *missing, "*")):
            place, declared = locate(merged.layers, path)
            if not path or not self.sources.has_fault(place, declared):
                self.sources.report(place, declared, message)

    def check_spec(self, merged: Merged, kind: type[msgspec.Struct]) -> None:
        """Check that the API takes the finished spec; what follows from a fault of it is not reported."""
        spec = merged.data["spec"]
        sound = _is_sound(spec, kind)
        # An extended catalog may have fields that are too new: it matters whether they are still there.
        extends = any(is_extended(layer.place) for layer in merged.layers)
        if not sound or extends:
            for path, message in spec_faults(spec, kind, self.settings.release if extends else ()):
                self.report(merged, ("spec", *path), message)
        if not sound:
            merged.spoilt.add("spec")

    def check_metadata(self, merged: Merged, labels: Mapping[str, str], annotations: Mapping[str, str]) -> None:
        """Check that Kubernetes takes the labels and annotations."""
        for field, pairs in (("labels", labels), ("annotations", annotations)):
            for key, value in pairs.items():
                if fault := pair_fault(field, key, value):
                    origin = f" (the label {key} is derived)" if key in DERIVED_LABELS else ""
                    self.report(merged, (field, key), fault + origin)
        fault = annotations_fault(annotations)
        if fault:
            self.report(merged, ("annotations",), fault)

    def deprecation(self, merged: Merged) -> Deprecation | None:
        """Return what the entry says of its deprecation."""
        data = merged.data.get("deprecated")
        if data is None:
            return None
        sunset = data.get("sunset", "")
        if sunset and not is_date(sunset):
            self.report(merged, ("deprecated", "sunset"), f"{sunset!r} is not a date such as 2027-06-01")
        return Deprecation(replaced_by=data.get("replacedBy", ""), sunset=sunset)


def fragment(place: str, path: FieldPath, data: Mapping[str, Any], keys: Iterable[str], release: Version) -> Layer:
    """Return the layer of a declaration, with `requirements` and `arch` as the fields of the spec that they mean."""
    own = {key: data[key] for key in keys if key in data}
    sugar: dict[FieldPath, FieldPath] = {}
    stands: dict[str, Any] = {}
    arch = own.get("arch")
    if arch and release >= ARCH_FIELDS_SINCE:
        stands = {"preferredArchitecture": arch, "requirements": {"architecture": arch}}
        sugar = {("spec", "preferredArchitecture"): ("arch",), ("spec", "requirements", "architecture"): ("arch",)}
    if "requirements" in own:
        required = own.pop("requirements")
        if required is None:
            stands["requirements"] = None
        else:
            for key, value in required.items():
                target = _REQUIREMENTS[key]
                sugar["spec", "requirements", *target] = ("requirements", key)
                inner = stands.setdefault("requirements", {})
                if len(target) > 1:
                    inner[target[0]] = None if value is None else {target[1]: value}
                else:
                    inner[target[0]] = value
    if stands:
        own["spec"] = lay_over(stands, own.get("spec") or {})
    return Layer(place, path, own, sugar)


def locate(layers: Sequence[Layer], path: FieldPath) -> tuple[str, FieldPath]:
    """Return the file and path where a merged field was set last; if no layer sets it, the nearest around it."""
    for length in range(len(path), 0, -1):
        for layer in reversed(layers):
            if layer.holds(path[:length]):
                return layer.place, (*layer.declared(path[:length]), *path[length:])
    return layers[-1].place, layers[-1].path


def _is_sound(data: Any, kind: type[msgspec.Struct]) -> bool:
    """Whether plain data has the right type: much quicker than to list what is wrong with it."""
    try:
        convert(data, kind)
    except (msgspec.ValidationError, OverflowError, RecursionError):
        return False
    return True


def check_layer(data: Mapping[str, Any]) -> Iterator[tuple[FieldPath, str]]:
    """Yield the derived labels and annotations that a fragment sets by hand, which is a fault."""
    for field, derived in (("labels", DERIVED_LABELS), ("annotations", DERIVED_ANNOTATIONS)):
        pairs = data.get(field)
        for key, value in pairs.items() if isinstance(pairs, dict) else ():
            if key in derived and (value is not None or field == "annotations"):
                yield (field, key), f"{key} is derived from {derived[key]} and cannot be set by hand"


def ordered(value: Any) -> Any:
    """Return plain data with the keys of its maps sorted."""
    if isinstance(value, dict):
        return {key: ordered(item) if isinstance(item := value[key], (dict, list)) else item for key in sorted(value)}
    return [ordered(item) for item in value] if isinstance(value, list) else value


def is_date(text: str) -> bool:
    """Whether a text is a date as `sunset` has it."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
