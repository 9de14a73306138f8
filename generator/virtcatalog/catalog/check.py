"""Checks plain data against a type as far as it goes, and finds everything that is wrong with it.

Unlike decoding it goes on after the first fault, and takes fragments: a required field may be missing, `null` stands
for removal, and a string with an expression fits everywhere.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Collection
from functools import cache
from inspect import get_annotations
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from virtcatalog.api.decode import convert
from virtcatalog.errors import nearest

Path = tuple[str | int, ...]
Report = Callable[[Path, str], None]
Version = tuple[int, ...]


class Field:
    """A field of a type: its type, the release that has it first, and whether it must be there.

    Types are looked up when they are asked for: the API has thousands of fields, and catalogs use a few.
    """

    __slots__ = ("_kind", "_name", "_owner", "_since", "required")

    def __init__(self, owner: type, name: str, *, required: bool) -> None:
        self._owner, self._name, self.required = owner, name, required
        self._kind: Any = None
        self._since: Version | None = None

    @property
    def kind(self) -> Any:
        """Its type, as it is annotated."""
        if self._kind is None:
            owner = next(each for each in self._owner.__mro__ if self._name in get_annotations(each))
            kind = owner.__annotations__[self._name]
            known = vars(sys.modules[owner.__module__])
            self._kind = eval(kind, known) if isinstance(kind, str) else kind  # noqa: S307 - the program's own text
        return self._kind

    @property
    def since(self) -> Version:
        """The first KubeVirt release that knows it; () when all do."""
        if self._since is None:
            self._since = ()
            if get_origin(self.kind) is Annotated:
                for meta in get_args(self.kind)[1:]:
                    if isinstance(meta, msgspec.Meta) and meta.extra and "since" in meta.extra:
                        self._since = parse_release(meta.extra["since"])
        return self._since


class Checker:
    """Finds faults: `report(path, message)` is called for each, in the data's order.

    `release` is the oldest KubeVirt release that must know every field. In a `fragment` no required field is missed
    and `null` passes, and with `expressions` so does a string that has one.
    """

    def __init__(
        self, report: Report, release: Version = (), *, fragment: bool = False, expressions: bool = False
    ) -> None:
        self._report, self._release, self._fragment, self._expressions = report, release, fragment, expressions

    def check(self, value: Any, kind: Any, path: Path = ()) -> None:
        """Check `value`, found at `path`, against the type `kind`."""
        shape, inner = shape_of(kind)
        if (self._fragment and value is None) or (self._expressions and self._later(value, shape, path)):
            return
        if shape == "struct":
            self._struct(value, inner, path)
        elif shape == "map":
            self._map(value, inner, path)
        elif shape == "list":
            self._list(value, inner, path)
        elif shape == "either":
            self._either(value, inner, path)
        elif shape == "leaf":
            try:
                convert(value, inner.kind)
            except (msgspec.ValidationError, ValueError) as error:
                self._report(path, _worded(str(error), value, inner))

    @staticmethod
    def _later(value: Any, shape: str, path: Path) -> bool:
        """Whether a value is known only once its expression is evaluated; one for a whole map or list is in a spec."""
        return (
            type(value) is str
            and ("{{" in value or "{%" in value)
            and (shape in ("leaf", "any") or "spec" in path[:-1])
        )

    def _struct(self, value: Any, kind: type[msgspec.Struct], path: Path) -> None:
        fields = fields_of(kind)
        if not isinstance(value, dict):
            self._report(path, f"must be a map, not {_describe(value)}")
            return
        for key, each in value.items():
            field = fields.get(key)
            if field is None:
                self._report((*path, key), f"unknown key {key!r}{nearest(key, fields)}")
            elif self._release and field.since > self._release:
                self._report((*path, key), _too_new(key, field.since, self._release))
            elif each is not None or field.required:
                self.check(each, field.kind, (*path, key))
        if not self._fragment:
            for key, field in fields.items():
                if field.required and key not in value:
                    self._report(path, f"{key!r} is missing")

    def _map(self, value: Any, kinds: tuple[Any, Any], path: Path) -> None:
        if not isinstance(value, dict):
            self._report(path, f"must be a map, not {_describe(value)}")
            return
        for key, each in value.items():
            if type(key) is not str:
                self._report((*path, key), f"the key {key!r} must be a string: quote it")
            elif each is not None:
                self.check(each, kinds[1], (*path, key))

    def _list(self, value: Any, kind: Any, path: Path) -> None:
        if not isinstance(value, list):
            self._report(path, f"must be a list, not {_describe(value)}")
            return
        for index, each in enumerate(value):
            if each is None:
                self._report((*path, index), "null in a list")
            else:
                self.check(each, kind, (*path, index))

    def _either(self, value: Any, kinds: Collection[Any], path: Path) -> None:
        """Report the faults of the type that fits best: whose first fault is deepest."""
        tried = []
        for kind in kinds:
            faults: list[tuple[Path, str]] = []
            fitting = Checker(collector(faults), self._release, fragment=self._fragment, expressions=self._expressions)
            fitting.check(value, kind, path)
            if not faults:
                return
            tried.append(faults)
        for fault in max(tried, key=_fit):
            self._report(*fault)


def _fit(faults: list[tuple[Path, str]]) -> tuple[int, int, int]:
    """How well a type with these faults fits."""
    unknown = sum(message.startswith("unknown key") for _, message in faults)
    return min(len(place) for place, _ in faults), -len(faults), -unknown


def collector(faults: list[tuple[Path, str]]) -> Report:
    """Return a report that adds to a list."""
    return lambda path, message: faults.append((path, message))


def take_out(data: Any, path: Path) -> None:
    """Remove what is at a path, so that what is sound can be read on."""
    for key in path[:-1]:
        if isinstance(data, dict):
            data = data.get(key)
        elif isinstance(data, list) and isinstance(key, int) and key < len(data):
            data = data[key]
    if path and isinstance(data, dict):
        data.pop(path[-1], None)
    elif path and isinstance(data, list):
        data.clear()


@cache
def fields_of(kind: type[msgspec.Struct]) -> dict[str, Field]:
    """Return the fields of an API type or a declaration, by JSON name."""
    names, keys, defaults = kind.__struct_fields__, kind.__struct_encode_fields__, kind.__struct_defaults__
    padded = (msgspec.NODEFAULT,) * (len(names) - len(defaults)) + defaults
    return {
        key: Field(kind, name, required=default is msgspec.NODEFAULT)
        for key, name, default in zip(keys, names, padded, strict=True)
    }


@cache
def parse_release(text: str) -> Version:
    """Read `v1.3` or `v1.3.0` as (1, 3)."""
    return tuple(int(part) for part in text.lstrip("v").split(".")[:2])


class Leaf(msgspec.Struct, frozen=True):
    """A type without fields or items, and what helps to word what does not fit it."""

    kind: Any
    choices: tuple[Any, ...] = ()
    examples: tuple[Any, ...] = ()


@cache
def shape_of(kind: Any) -> tuple[str, Any]:
    """Return what a type is: `struct`, `map`, `list`, `either`, `leaf` or `any`, and the types within it."""
    plain, examples = kind, []
    while get_origin(plain) is Annotated:
        plain, *notes = get_args(plain)
        examples += [each for note in notes if isinstance(note, msgspec.Meta) for each in note.examples or ()]
    origin = get_origin(plain)
    if origin in (Union, types.UnionType):
        choices = [each for each in get_args(plain) if each is not type(None)]
        if len(choices) == 1:
            return shape_of(choices[0])
        structs = all(isinstance(each, type) and issubclass(each, msgspec.Struct) for each in choices)
        return ("either", tuple(choices)) if structs else ("leaf", Leaf(plain))
    if origin is dict:
        return "map", get_args(plain)
    if origin is list:
        return "list", get_args(plain)[0]
    if isinstance(plain, type) and issubclass(plain, msgspec.Struct):
        return "struct", plain
    if plain is Any:
        return "any", None
    return "leaf", Leaf(kind, get_args(plain) if origin is Literal else (), tuple(examples))


def _too_new(key: str, introduced: Version, release: Version) -> str:
    new, old = (".".join(map(str, version)) for version in (introduced, release))
    return f"{key!r} needs KubeVirt v{new}, and the catalog must work with v{old}"


_NOUNS = {dict: "a map", list: "a list", str: "a string", int: "a number", float: "a number", bool: "a boolean"}


def _describe(value: Any) -> str:
    noun = _NOUNS.get(type(value), "nothing" if value is None else "a timestamp")
    return f"{noun} ({value!r})" if isinstance(value, (str, int, float, bool)) else noun


_TYPES = {"str": "a string", "int": "a whole number", "bool": "true or false", "int | str": "a number or string"}


def _worded(message: str, value: Any, leaf: Leaf) -> str:
    """Say in the catalog's words what msgspec found wrong with a leaf."""
    if leaf.choices:
        return f"{value!r} is none of {', '.join(leaf.choices)}{nearest(value, leaf.choices)}"
    message = message.removesuffix(" - at `$`")
    if not message.startswith("Expected `"):
        return message if repr(value) in message else f"{value!r}: {message[:1].lower()}{message[1:]}"
    expected, _, rest = message.removeprefix("Expected `").partition("`")
    expected = expected.removesuffix(" | null")
    if rest.startswith(", got"):
        hint = ": quote it" if expected == "str" and isinstance(value, (int, float)) else ""
        return f"must be {_TYPES.get(expected, expected)}, not {_describe(value)}{hint}"
    if value == "":
        return "must not be empty"
    wanted = f"such as {leaf.examples[0]}" if leaf.examples else rest.strip()
    return f"must be {_TYPES.get(expected, expected)} {wanted}, not {value!r}"
