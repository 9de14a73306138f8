"""From plain data to API types and back, and fields that came after a release, which its API server drops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from functools import cache, lru_cache, partial
from typing import Any, Final, TypeVar, overload

import msgspec
from msgspec.structs import replace

from virtcatalog.api.findings import Findings, Path, field_path, inspect, inspect_kind, prune_unknown
from virtcatalog.api.kinds import kind_type
from virtcatalog.api.object import Object
from virtcatalog.api.quantity import Quantity
from virtcatalog.api.shape import Leaf, List, Map, Shape, Struct, Version, struct_of
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.limits import YAML_LEVELS

T = TypeVar("T", bound=msgspec.Struct)

_UNREADABLE = (msgspec.ValidationError, UnicodeEncodeError, OverflowError, RecursionError)
_ENCODER = msgspec.msgpack.Encoder()


def convert(obj: Any, kind: type[T]) -> T:
    """Make a fresh `kind` of plain data, strictly; msgspec.ValidationError names the first thing that does not fit."""
    value: T = msgspec.convert(obj, kind, dec_hook=_read)
    return value


def to_manifest(obj: msgspec.Struct) -> dict[str, Any]:
    """Return `obj` as plain data with the API's field names, without what Go leaves out; shares nothing with it."""
    plain: dict[str, Any] = msgspec.to_builtins(obj, enc_hook=_write)
    return plain


def clone(obj: T) -> T:
    """Return a deep copy of `obj`, which may share what never changes: quantities and constants."""
    if obj.__struct_config__.frozen:
        return obj
    return replace(obj) if _is_flat(type(obj)) else copier(obj)()


def copier(obj: T) -> Callable[[], T]:
    """Return what returns a deep copy of `obj`, as `clone` does, at each call; `obj` must not change meanwhile."""
    kind = type(obj)
    quantities: list[Any] = []

    def put(quantity: Any) -> int:
        quantities.append(quantity)
        return len(quantities) - 1

    def take(_kind: type, index: int) -> Any:
        return quantities[index]

    def copy() -> T:
        try:
            return msgspec.msgpack.decode(data, type=kind, dec_hook=take)
        except (ValueError, OverflowError):
            return deepcopy(obj)

    try:
        data = msgspec.msgpack.encode(obj, enc_hook=put)
    except (ValueError, OverflowError):  # it holds something that its type would not read, say a number out of range
        return partial(deepcopy, obj)
    return copy


@lru_cache(maxsize=1024)
def _is_flat(kind: type[msgspec.Struct]) -> bool:
    """Whether a type has nothing in it that could be changed in place: a shallow copy is a deep one then."""
    return all(isinstance(field.shape, Leaf) for field in struct_of(kind).fields.values())


@overload
def decode_manifest(obj: dict[str, Any], kind: type[T], *, is_text: bool = False) -> T: ...
@overload
def decode_manifest(obj: dict[str, Any], kind: None = None, *, is_text: bool = False) -> Object: ...
def decode_manifest(obj: dict[str, Any], kind: type[Any] | None = None, *, is_text: bool = False) -> Any:
    """Read a manifest as `kind`, or as the kind that it names: `null` is silence and 2.0 is 2, as for the API server.

    `is_text` says that it is known to hold nothing that JSON cannot say. Raises ManifestError with every problem of the
    manifest, each with the path of its field.
    """
    findings = inspect_kind(obj, kind)
    kind = kind or (None if findings else kind_type(obj["apiVersion"], obj["kind"]))
    if kind is None or findings:
        raise _error(
            obj, findings or [(("kind",), f"{obj['kind']} of {obj['apiVersion']} is not a kind with a type here")]
        )
    try:
        decoded = convert(obj, kind)
        if not is_text:
            _check_text(obj)
        return decoded
    except _UNREADABLE:
        tidied, findings = inspect(obj, kind)
    findings += _not_text(obj, ())
    if findings:
        raise _error(obj, findings)
    try:
        decoded = convert(tidied, kind)
        with suppress(OverflowError):  # a number in data that may be anything
            _check_text(tidied)
        return decoded
    except _UNREADABLE as error:
        raise _error(obj, [((), str(error))]) from None


def decode_pruned(obj: dict[str, Any], kind: type[T]) -> tuple[T, Findings]:
    """Read a manifest as the API server does for a client that is not strict: without the fields that `kind` has not.

    These are told. Raises ManifestError for whatever else is wrong, as `decode_manifest` does.
    """
    try:
        return decode_manifest(obj, kind), []
    except ManifestError:
        pruned, dropped = prune_unknown(obj, kind)
        if not dropped:
            raise
    value = decode_manifest(pruned, kind)
    return value, [(tuple(map(_printed, path)), _printable(message)) for path, message in dropped]


def _printed(step: str | int) -> str | int:
    return step if isinstance(step, int) else _printable(step)


def _check_text(obj: Any) -> None:
    """Raise for half a surrogate pair, which a Python string can hold and no text can; for numbers beyond 64 bits."""
    try:
        _ENCODER.encode(obj)
    except TypeError:
        return  # something that JSON cannot say either; `convert` took it


def _not_text(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if len(path) > YAML_LEVELS:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _not_text(key, (*path, _printable(key)))
            yield from _not_text(item, (*path, _printable(key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _not_text(item, (*path, index))
    elif isinstance(value, str) and _printable(value) != value:
        yield path, f"the string '{_printable(value)[:60]}' holds half a surrogate pair, which is no character"


def _printable(key: Any) -> str:
    return str(key).encode("utf-8", "backslashreplace").decode()


def manifest_name(obj: Any) -> str:
    """Return `Kind/namespace/name` of a manifest, as far as it has them."""
    if not isinstance(obj, dict):
        return ""
    metadata = obj.get("metadata")
    names = (metadata.get("namespace"), metadata.get("name")) if isinstance(metadata, dict) else ()
    return "/".join(part for part in (obj.get("kind"), *names) if isinstance(part, str) and part)


def _error(obj: Any, findings: Findings) -> ManifestError:
    name = _printable(manifest_name(obj))
    return ManifestError(
        *(
            Problem(object=name, field=_printable(field_path(path)), message=_printable(message))
            for path, message in findings
        )
    )


def _read(kind: type, value: Any) -> Any:
    if kind is Quantity:
        return Quantity.stored(value)
    raise NotImplementedError(kind)


def _write(value: Any) -> Any:
    if type(value) is Quantity:
        return str(value)
    raise NotImplementedError(type(value))


LATEST: Final[Version] = (1, 10)
"""The release that brought the latest fields: it knows them all, and no type need be walked to learn that."""


class _Newer(msgspec.Struct, frozen=True):
    """What came after a release in values of a shape: all of it, some of its fields, or part of each item."""

    since: Version = ()
    fields: Mapping[str, _Newer] = {}
    items: _Newer | None = None


def prune(obj: Any, kind: type[msgspec.Struct], release: Version) -> tuple[Any, dict[Path, Version]]:
    """Return plain data as the API server of a release such as (1, 8) keeps it, and the fields that it drops.

    Those come by path, each with the release that brought it; `null` says nothing and stays. The data shares with `obj`
    what does not change, and is `obj` itself where nothing is dropped.
    """
    newer = _newer(struct_of(kind), release) if release < LATEST else None
    dropped: dict[Path, Version] = {}
    pruned = _prune(obj, newer, (), dropped) if newer else obj
    return (pruned if dropped else obj), dropped


def _prune(value: Any, newer: _Newer, path: Path, dropped: dict[Path, Version]) -> Any:
    if isinstance(value, list) and newer.items:
        return [_prune(item, newer.items, (*path, index), dropped) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    pruned = {}
    for key, item in value.items():
        below = newer.items or newer.fields.get(key)
        if below is None:
            pruned[key] = item
        elif below.since and item is not None:
            dropped[*path, key] = below.since
        else:
            pruned[key] = _prune(item, below, (*path, key), dropped)
    return pruned


@cache
def _newer(shape: Shape, release: Version) -> _Newer | None:
    """What came after a release in a shape; None for nothing, so that nobody looks there."""
    if isinstance(shape, Map | List):
        items = _newer(shape.value if isinstance(shape, Map) else shape.item, release)
        return _Newer(items=items) if items else None
    if not isinstance(shape, Struct):
        return None
    fields = {
        name: _Newer(since=field.since) if field.since > release else _newer(field.shape, release)
        for name, field in shape.fields.items()
    }
    newer = {name: field for name, field in fields.items() if field}
    return _Newer(fields=newer) if newer else None
