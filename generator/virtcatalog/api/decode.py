"""From plain data to API types and back: `convert`, `to_manifest` and `clone`."""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from virtcatalog.api.quantity import Quantity

T = TypeVar("T", bound=msgspec.Struct)


def convert(obj: Any, kind: type[T]) -> T:
    """Make a fresh `kind` of plain data, strictly; msgspec.ValidationError names the first thing that does not fit."""
    return msgspec.convert(obj, kind, dec_hook=_read)


def to_manifest(obj: msgspec.Struct) -> dict[str, Any]:
    """Return `obj` as plain data with the API's field names, without what Go leaves out; shares nothing with it."""
    plain: dict[str, Any] = msgspec.to_builtins(obj, enc_hook=_write)
    return plain


def clone(obj: T) -> T:
    """Return a deep copy of `obj`."""
    try:
        return _decoder(type(obj)).decode(_ENCODER.encode(obj))
    except (ValueError, OverflowError):  # it holds something that its type would not accept
        return deepcopy(obj)


def _read(kind: type, value: Any) -> Any:
    if kind is Quantity:
        if type(value) is str or type(value) is int or type(value) is float:
            return Quantity.parse(value)
        raise ValueError(f"{value!r} is not a quantity")
    raise NotImplementedError(kind)


def _write(value: Any) -> Any:
    if type(value) is Quantity:
        return str(value)
    raise NotImplementedError(type(value))


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_write)


@lru_cache(maxsize=None)
def _decoder(kind: type[T]) -> msgspec.msgpack.Decoder[T]:
    return msgspec.msgpack.Decoder(kind, dec_hook=_read)
