"""What a type takes, as data: the one reading of annotations, for findings, checks, schemas and releases.

A type is described when it is first asked for, struct by struct: the API has thousands of fields, and a run uses few.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

Version = tuple[int, ...]
"""A KubeVirt release as far as fields depend on it: (1, 3); () is any."""


class Leaf(msgspec.Struct, frozen=True):
    """A value without parts: which plain types it may have, and within which limits."""

    types: tuple[type, ...]
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    pattern: str | None = None
    shortest: int | None = None
    examples: tuple[Any, ...] = ()


class Map(msgspec.Struct, frozen=True):
    """A map with keys of the author's."""

    value: Shape


class List(msgspec.Struct, frozen=True):
    """A list."""

    item: Shape


class Either(msgspec.Struct, frozen=True):
    """One of several structs; which one, its fields tell."""

    members: tuple[Struct, ...]


class Anything(msgspec.Struct, frozen=True):
    """Any plain data."""


class Struct:
    """A map with fields of the type's."""

    def __init__(self, kind: type[msgspec.Struct]) -> None:
        self.kind = kind
        self.strict = bool(kind.__struct_config__.forbid_unknown_fields)

    @cached_property
    def fields(self) -> Mapping[str, Field]:
        """Its fields by JSON name, in their order."""
        kind = self.kind
        defaults = kind.__struct_defaults__
        padded = (msgspec.NODEFAULT,) * (len(kind.__struct_fields__) - len(defaults)) + defaults
        hints = typing.get_type_hints(kind, include_extras=True)
        named = zip(kind.__struct_encode_fields__, kind.__struct_fields__, padded, strict=True)
        return {key: _field(key, hints[name], required=default is msgspec.NODEFAULT) for key, name, default in named}


Shape = Struct | Map | List | Either | Leaf | Anything


class Field(msgspec.Struct, frozen=True):
    """A field of a struct; `notes` is what its annotations add to schemas."""

    name: str
    shape: Shape
    required: bool
    since: Version = ()
    notes: Mapping[str, Any] = {}


@cache
def struct_of(kind: type[msgspec.Struct]) -> Struct:
    """Return what an API type or a declaration takes."""
    return Struct(kind)


@cache
def shape_of(hint: Any) -> Shape:
    """Return what any type takes, as it is annotated."""
    return _shape(hint, [])


@cache
def parse_release(text: str) -> Version:
    """Read `v1.3` or `v1.3.0` as (1, 3): fields come with minor releases."""
    return tuple(int(part) for part in text.lstrip("v").split(".")[:2])


def _field(name: str, hint: Any, *, required: bool) -> Field:
    metas: list[msgspec.Meta] = []
    shape = _shape(hint, metas)
    described = [meta.description for meta in metas if meta.description]
    notes: dict[str, Any] = {"description": described[-1]} if described else {}
    since: Version = ()
    for meta in metas:
        notes |= meta.extra_json_schema or {}
        if meta.extra and "since" in meta.extra:
            since = parse_release(meta.extra["since"])
    return Field(name, shape, required, since, notes)


def _shape(hint: Any, metas: list[msgspec.Meta]) -> Shape:
    """The shape of a type; the notes in its annotations are added to `metas`, the innermost first."""
    own: list[Any] = []
    if get_origin(hint) is Annotated:
        hint, *own = get_args(hint)
    origin, args = get_origin(hint), get_args(hint)
    shape: Shape
    if origin in (Union, types.UnionType):
        members = [each for each in args if each is not type(None)]
        if len(members) == 1:
            shape = _shape(members[0], metas)
        elif all(map(_is_struct, members)):
            shape = Either(tuple(map(struct_of, members)))
        else:
            shape = Leaf(tuple(members))
    elif origin is dict:
        shape = Map(shape_of(args[1]))
    elif origin in (list, tuple):
        shape = List(shape_of(args[0]))
    elif origin is Literal:
        shape = Leaf((str,), choices=args)
    elif hint is Any:
        shape = Anything()
    else:
        shape = struct_of(hint) if _is_struct(hint) else Leaf((hint,))
    found = [each for each in own if isinstance(each, msgspec.Meta)]
    metas += found
    return _limited(shape, found) if isinstance(shape, Leaf) else shape


def _is_struct(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, msgspec.Struct)


def _limited(leaf: Leaf, metas: list[msgspec.Meta]) -> Leaf:
    for meta in metas:
        limits = {
            "least": meta.ge,
            "most": meta.le if meta.le is not None else (meta.extra or {}).get("le"),
            "pattern": meta.pattern,
            "shortest": meta.min_length,
            "examples": tuple(meta.examples) if meta.examples else None,
        }
        leaf = msgspec.structs.replace(leaf, **{key: limit for key, limit in limits.items() if limit is not None})
    return leaf
