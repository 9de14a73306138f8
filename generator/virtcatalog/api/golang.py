"""What Go makes of plain data that it reads into an API type and writes out again, zero values and all.

Two of its readers differ. encoding/json passes over fields that it does not know, and takes names in any case.
apimachinery's converter takes exact names, tells of every other, and makes whole floats integers of any size. What is
read comes back as it would be written: what Go omits is not there, what it always writes is.

Source: encoding/json; vendor/k8s.io/apimachinery/pkg/runtime/converter.go; vendor/sigs.k8s.io/yaml/yaml.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, Literal, NamedTuple

import msgspec

from virtcatalog.api.addresses import sanitized_address, sanitized_network
from virtcatalog.api.core import ObjectMeta, PodDNSConfig, TypedLocalObjectReference, TypedObjectReference
from virtcatalog.api.devices import Filesystem
from virtcatalog.api.findings import Path, field_path
from virtcatalog.api.govalues import GoError, as_quantity, as_time, cut, in_range, refuse_not_finite, yaml_text
from virtcatalog.api.interfaces import DHCPOptions
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec, VirtualMachineSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.api.shape import Anything, Leaf, List, Map, Shape, Struct, struct_of
from virtcatalog.api.values import describe
from virtcatalog.api.vmstatus import AddVolumeOptions
from virtcatalog.api.volumes import PodNetwork

_NULLS: Final = frozenset(
    {
        (VirtualMachineSpec, "template"),
        (Filesystem, "virtiofs"),
        (TypedLocalObjectReference, "apiGroup"),
        (TypedObjectReference, "apiGroup"),
        (AddVolumeOptions, "disk"),
        (AddVolumeOptions, "volumeSource"),
    }
)
"""Pointers that Go writes as null when there is nothing behind them."""

_ABSENT: Final = object()
#: What encoding/json takes for the letters of a name beside their other case.
_FOLDED: Final = str.maketrans({"\u017f": "S", "\u212a": "K"})


class Read(NamedTuple):
    """What was read, as Go would write it, and the fields that the converter does not know."""

    data: dict[str, Any]
    unknown: tuple[str, ...]


def unmarshal(data: Any, kind: type[msgspec.Struct], *, of_yaml: bool = False) -> dict[str, Any]:
    """Read as encoding/json does; `of_yaml`: of JSON that sigs.k8s.io/yaml made of YAML.

    Its keys are in order, and numbers and booleans where text is wanted became text.
    """
    reader = _Reader(exact=False, of_yaml=of_yaml)
    value: dict[str, Any] = reader.document(_sorted(data) if of_yaml else data, struct_of(kind))
    return value


def unmarshal_texts(data: Any, *, of_yaml: bool = False) -> dict[str, str]:
    """Read a map of texts as encoding/json does; see `unmarshal`."""
    texts: dict[str, str] = _Reader(exact=False, of_yaml=of_yaml).value([data], Map(Leaf((str,))), ())
    return texts if isinstance(texts, dict) else {}


def from_unstructured(data: dict[str, Any], kind: type[msgspec.Struct]) -> Read:
    """Read as apimachinery's strict converter does; within a VMI's spec it leaves the work to encoding/json."""
    reader = _Reader(exact=True, of_yaml=False)
    value = reader.document(data, struct_of(kind))
    return Read(value, tuple(sorted(reader.unknown)))


class _Rule(NamedTuple):
    """How a field is written: `always`, when it is `given`, or when it is `filled`; and what stands for nothing."""

    shape: Shape
    written: Literal["always", "given", "filled"]
    nothing: Callable[[], Any]

    @property
    def takes_null(self) -> bool:
        """Whether null takes back what was there before; to a plain value it means nothing."""
        return self.written == "given" or isinstance(self.shape, List | Map)


@cache
def _rules(kind: type[msgspec.Struct]) -> Mapping[str, _Rule]:
    fields = struct_of(kind).fields
    defaults = kind.__struct_defaults__
    padded = (msgspec.NODEFAULT,) * (len(fields) - len(defaults)) + defaults
    return {
        name: _rule(kind, name, field.shape, default)
        for (name, field), default in zip(fields.items(), padded, strict=True)
    }


def _rule(kind: type, name: str, shape: Shape, default: Any) -> _Rule:
    if (kind, name) in _NULLS:
        return _Rule(shape, "always", _null)
    factory = getattr(default, "factory", None)
    if default is msgspec.NODEFAULT or (factory and factory not in (list, dict)):
        return _Rule(shape, "always", lambda: _zero(shape))
    is_value = default is not None or (kind, name) == (ObjectMeta, "creationTimestamp")  # omitzero, of a time
    return _Rule(shape, "filled" if is_value else "given", _null)


def _null() -> None:
    return None


def _zero(shape: Shape) -> Any:
    """A shape's zero value, as Go writes it."""
    if isinstance(shape, Struct):
        return {name: rule.nothing() for name, rule in _rules(shape.kind).items() if rule.written == "always"}
    if not isinstance(shape, Leaf) or shape.is_time:
        return None
    if Quantity in shape.types:
        return "0"
    return "" if shape.types == (str,) else False if bool in shape.types else 0


@cache
def _folded(kind: type[msgspec.Struct]) -> Mapping[str, str]:
    names: dict[str, str] = {}
    for name in _rules(kind):
        names.setdefault(_fold(name), name)
    return names


def _fold(name: str) -> str:
    return "".join(character.upper() if character.isascii() else character for character in name.translate(_FOLDED))


class _Reader:
    def __init__(self, *, exact: bool, of_yaml: bool) -> None:
        self._exact, self._of_yaml = exact, of_yaml
        self.unknown: list[str] = []

    def document(self, data: Any, shape: Struct) -> Any:
        value = self.value([data], shape, ())
        return _zero(shape) if value is _ABSENT else value

    def value(self, values: list[Any], shape: Shape, path: Path, *, takes_null: bool = False) -> Any:
        """Read what a field was given, one value or, under names in several cases, more: later ones add to maps."""
        if self._exact and isinstance(shape, Struct) and shape.kind is VirtualMachineInstanceSpec:  # UnmarshalJSON
            return _Reader(exact=False, of_yaml=False).value([_sorted(value) for value in values], shape, path)
        merged: list[Any] = []
        result: Any = _ABSENT
        for value in values:
            if value is None:
                if takes_null:
                    merged, result = [], _ABSENT
            elif isinstance(shape, Struct | Map) and not _is_raw(shape):
                if not isinstance(value, dict):
                    raise GoError(path, f"must be a map, not {describe(value)}")
                merged.append(value)
            else:
                result = self._plain(value, shape, path)
        if merged and isinstance(shape, Struct):
            return self._struct(merged, shape, path)
        return self._map(merged, shape, path) if merged and isinstance(shape, Map) else result

    def _struct(self, maps: list[dict[str, Any]], shape: Struct, path: Path) -> dict[str, Any]:
        rules = _rules(shape.kind)
        values: dict[str, list[Any]] = {}
        for key, value in (pair for data in maps for pair in data.items()):
            name = key if key in rules else None if self._exact else _folded(shape.kind).get(_fold(key))
            if name is not None:
                values.setdefault(name, []).append(value)
            elif self._exact:
                self.unknown.append(field_path((*path, key)))
            elif self._of_yaml:
                refuse_not_finite(value, (*path, key))
        written = {}
        for name, rule in rules.items():
            value = _ABSENT
            if name in values:
                reader = _AS_JSON if not path and name in _TYPE_META else self
                value = reader.value(values[name], rule.shape, (*path, name), takes_null=rule.takes_null)
            if value is _ABSENT:
                if rule.written == "always":
                    written[name] = rule.nothing()
            elif rule.written != "filled" or value:
                written[name] = value
        _sanitize(shape.kind, written)
        return written

    def _map(self, maps: list[dict[str, Any]], shape: Map, path: Path) -> dict[str, Any]:
        return {key: self._item(value, shape.value, (*path, key)) for data in maps for key, value in data.items()}

    def _item(self, value: Any, shape: Shape, path: Path) -> Any:
        item = self.value([value], shape, path)
        return _zero(shape) if item is _ABSENT else item

    def _plain(self, value: Any, shape: Shape, path: Path) -> Any:
        if isinstance(shape, List):
            if not isinstance(value, list):
                raise GoError(path, f"must be a list, not {describe(value)}")
            return [self._item(item, shape.item, (*path, index)) for index, item in enumerate(value)]
        if isinstance(shape, Leaf):
            return self._leaf(value, shape, path)
        refuse_not_finite(value, path)
        return value

    def _leaf(self, value: Any, leaf: Leaf, path: Path) -> Any:
        if leaf.is_time:
            return as_time(value, path)
        if Quantity in leaf.types:
            return as_quantity(value, path)
        if isinstance(value, int | float) and not isinstance(value, bool) and int in leaf.types:
            of_json = not self._exact or str in leaf.types
            return in_range(value, leaf, path) if of_json else cut(value, leaf, path)
        if str in leaf.types:
            if self._of_yaml and leaf.types == (str,) and isinstance(value, bool | int | float):
                return yaml_text(value)
            if isinstance(value, str):
                return value
            raise GoError(path, f"must be a string, not {describe(value)}")
        if bool in leaf.types and isinstance(value, bool):
            return value
        wanted = "true or false" if bool in leaf.types else "an integer"
        raise GoError(path, f"must be {wanted}, not {describe(value)}")


_AS_JSON: Final = _Reader(exact=False, of_yaml=False)
#: Fields of a struct within an object's struct, of which sigs.k8s.io/yaml does not see that they are texts.
_TYPE_META: Final = ("apiVersion", "kind")


def _is_raw(shape: Shape) -> bool:
    """Whether Go keeps what it is given as it is (RawExtension, FieldsV1)."""
    return isinstance(shape, Map) and isinstance(shape.value, Anything)


def _sanitize(kind: type, written: dict[str, Any]) -> None:
    """Rewrite the addresses that the API rewrites while it reads them (UnmarshalJSON)."""
    if kind is PodDNSConfig and "nameservers" in written:
        written["nameservers"] = list(map(sanitized_address, written["nameservers"]))
    elif kind is DHCPOptions and "ntpServers" in written:
        written["ntpServers"] = list(map(sanitized_address, written["ntpServers"]))
    elif kind is PodNetwork and "vmNetworkCIDR" in written:
        written["vmNetworkCIDR"] = sanitized_network(written["vmNetworkCIDR"])


def _sorted(value: Any) -> Any:
    """Data as encoding/json writes a map: keys in their order."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return list(map(_sorted, value)) if isinstance(value, list) else value
