"""What a type takes, as data: the one reading of annotations, for findings, checks, schemas and releases.

A type is described when it is first asked for, struct by struct: the API has thousands of fields, and a run uses few.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from virtcatalog.releases import PREVIEWS

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
    is_time: bool = False


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
        fields = zip(kind.__struct_encode_fields__, kind.__struct_fields__, padded, strict=True)
        return {key: Field(kind, name, required=default is msgspec.NODEFAULT) for key, name, default in fields}


Shape = Struct | Map | List | Either | Leaf | Anything


class Field:
    """A field of a struct, `required` or not; what its annotation says is read when it is asked for."""

    def __init__(self, owner: type[msgspec.Struct], name: str, *, required: bool) -> None:
        self._owner, self._name, self.required = owner, name, required

    @cached_property
    def _annotated(self) -> tuple[type, Any]:
        """The class that annotates it, and how: as text, where its module delays annotations."""
        owner = next(base for base in self._owner.__mro__ if self._name in vars(base).get("__annotations__", ()))
        return owner, vars(owner)["__annotations__"][self._name]

    @property
    def _hint(self) -> Any:
        owner, annotation = self._annotated
        return _evaluated(owner.__module__, annotation)

    @cached_property
    def shape(self) -> Shape:
        """What its value may be."""
        return shape_of(self._hint)

    @cached_property
    def since(self) -> Version:
        """The KubeVirt release that introduced it; () when all have it."""
        annotation = self._annotated[1]
        if isinstance(annotation, str) and "since(" not in annotation:
            return ()  # every field is asked, few have a mark, and to evaluate annotations takes long
        extras = [meta.extra for meta in self._metas if meta.extra]
        return next((parse_release(extra["since"]) for extra in extras if "since" in extra), ())

    @cached_property
    def fills(self) -> str:
        """The field of a VMI's spec that it, a field of a preference, fills in; empty for other fields."""
        extras = [meta.extra for meta in self._metas if meta.extra]
        return next((extra["fills"] for extra in extras if "fills" in extra), "")

    @property
    def notes(self) -> Mapping[str, Any]:
        """What its annotation adds to schemas; its description comes first, and the outermost counts."""
        described = [meta.description for meta in self._metas if meta.description]
        notes: dict[str, Any] = {"description": described[0]} if described else {}
        for meta in self._metas:
            notes |= meta.extra_json_schema or {}
        return notes

    @property
    def _metas(self) -> list[msgspec.Meta]:
        return list(_metas(self._hint))


@cache
def _evaluated(module: str, annotation: Any) -> Any:
    """What an annotation in a module of this package means; many fields are annotated alike.

    `typing.get_type_hints` says the same, and takes eight times as long, which every command would wait for.
    """
    return eval(annotation, vars(sys.modules[module])) if isinstance(annotation, str) else annotation  # noqa: S307


@cache
def struct_of(kind: type[msgspec.Struct]) -> Struct:
    """Return what an API type or a declaration takes."""
    return Struct(kind)


@cache
def shape_of(hint: Any) -> Shape:
    """Return what any type takes, as it is annotated."""
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        shape = shape_of(hint)
        metas = [note for note in notes if isinstance(note, msgspec.Meta)]
        return _limited(shape, metas) if isinstance(shape, Leaf) else shape
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        members = [arg for arg in args if arg is not type(None)]
        if len(members) == 1:
            return shape_of(members[0])
        return Either(tuple(map(struct_of, members))) if all(map(_is_struct, members)) else _joined(members)
    if origin is dict:
        return Map(shape_of(args[1]))
    if origin in (list, tuple):
        return List(shape_of(args[0]))
    if origin is Literal:
        return Leaf((str,), choices=args)
    if hint is Any:
        return Anything()
    return struct_of(hint) if _is_struct(hint) else Leaf((hint,))


@cache
def parse_release(text: str) -> Version:
    """Read `v1.3` or `v1.3.0` as (1, 3): fields come with minor releases. A preview is the one that it leads to."""
    if text in PREVIEWS:
        return PREVIEWS[text].minor
    return tuple(int(part) for part in text.lstrip("v").split(".")[:2])


def _metas(hint: Any) -> Iterator[msgspec.Meta]:
    """The notes in the annotations of a type that may be None, the outermost first."""
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        yield from (note for note in reversed(notes) if isinstance(note, msgspec.Meta))
        yield from _metas(hint)
    elif type(None) in get_args(hint):
        for member in get_args(hint):
            yield from _metas(member)


def _is_struct(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, msgspec.Struct)


def _joined(members: list[Any]) -> Leaf:
    """A leaf of several types; only numbers have limits."""
    leaves = [leaf for leaf in map(shape_of, members) if isinstance(leaf, Leaf)]
    least, most = (
        next((limit for limit in limits if limit is not None), None)
        for limits in zip(*((leaf.least, leaf.most) for leaf in leaves), strict=True)
    )
    return Leaf(tuple(kind for leaf in leaves for kind in leaf.types), least=least, most=most)


def _limited(leaf: Leaf, metas: list[msgspec.Meta]) -> Leaf:
    for meta in metas:
        limits = {
            "least": meta.ge,
            "most": meta.le if meta.le is not None else (meta.extra or {}).get("le"),
            "pattern": meta.pattern,
            "shortest": meta.min_length,
            "examples": tuple(meta.examples) if meta.examples else None,
            "is_time": (meta.extra or {}).get("time"),
        }
        leaf = msgspec.structs.replace(leaf, **{key: limit for key, limit in limits.items() if limit is not None})
    return leaf
