"""JSON Schemas of the catalog's files, for editors: made from the types that declarations are checked against."""

from __future__ import annotations

import inspect
from typing import Annotated, Any, Final, get_args, get_origin

import msgspec

from virtcatalog.api.quantity import Quantity
from virtcatalog.api.schema import COMMENT, DIALECT
from virtcatalog.catalog.check import Leaf, fields_of, shape_of
from virtcatalog.catalog.declarations import (
    CatalogFile,
    ComponentsFile,
    InstancetypeFile,
    OverlaysFile,
    PreferenceFile,
    VmsFile,
)

Schema = dict[str, Any]

#: Each file's schema: its title, its type, and whether `null` and expressions may stand for values in it.
_FILES: Final[dict[str, tuple[str, Any, bool, bool]]] = {
    "catalog": ("catalog.yaml", CatalogFile, True, True),
    "components": ("components.yaml: named fragments", ComponentsFile, True, True),
    "instancetypes": ("instancetypes/*.yaml: a class and its sizes", InstancetypeFile, True, True),
    "overlays": ("overlays.yaml: the environments, by name", OverlaysFile, True, False),
    "preferences": ("preferences/*.yaml: preferences, by name", PreferenceFile, True, True),
    "vms": ("vms.yaml: the templates of vms/, by file", VmsFile, True, False),
}
_EXPRESSION: Final[Schema] = {"type": "string", "pattern": r"\{[{%]"}
_TYPES: Final = {str: "string", int: "integer", float: "number", bool: "boolean"}


def catalog_schemas() -> dict[str, Schema]:
    """Return the schema of each of the catalog's files by the path of the schema's file."""
    made = {}
    for name, (title, kind, nulls, expressions) in _FILES.items():
        writer = _Writer(nulls=nulls, expressions=expressions)
        root = writer.root(kind)
        made[f"catalog/{name}.json"] = {
            "$schema": DIALECT,
            "$comment": COMMENT,
            "title": title,
            **root,
            "$defs": dict(sorted(writer.definitions.items())),
        }
    return made


class _Writer:
    """Writes the schemas of types; those with fields go to `definitions`."""

    def __init__(self, *, nulls: bool, expressions: bool) -> None:
        self.definitions: dict[str, Schema] = {}
        self._names: dict[type, str] = {}
        self._nulls, self._expressions = nulls, expressions

    def root(self, kind: Any) -> Schema:
        """Return a file's schema; what is required is so at the top of the file only."""
        shape, inner = shape_of(kind)
        if shape != "struct":
            return self._schema(kind)
        required = [key for key, field in fields_of(inner).items() if field.required]
        return {**self._struct(inner), "required": required}

    def _schema(self, kind: Any, *, in_spec: bool = False) -> Schema:
        shape, inner = shape_of(kind)
        made: Schema = {}
        if shape == "struct":
            made = self._reference(inner)
        elif shape == "map":
            made = {"type": "object", "additionalProperties": self._value(inner[1], in_spec=in_spec)}
        elif shape == "list":
            made = {"type": "array", "items": self._schema(inner, in_spec=in_spec)}
        elif shape == "either":
            made = {"anyOf": [self._reference(each) for each in inner]}
        elif shape == "leaf":
            made = self._leaf(inner)
        return made | _notes(kind)

    def _value(self, kind: Any, *, in_spec: bool = False) -> Schema:
        """The schema of a key's value, which may be `null` or an expression."""
        schema, shape = self._schema(kind, in_spec=in_spec), shape_of(kind)[0]
        others = [{"type": "null"}] if self._nulls and shape != "any" else []
        if self._expressions and schema.get("type") != "string" and (shape == "leaf" or (in_spec and shape != "any")):
            others.append(_EXPRESSION)
        if not others:
            return schema
        notes = {key: schema.pop(key) for key in ("description", "x-kubevirt-since") if key in schema}
        if schema.keys() == {"type"} and others == [{"type": "null"}]:
            kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            return {"type": [*kinds, "null"]} | notes
        return {"anyOf": [*(schema.get("anyOf") or [schema]), *others]} | notes

    def _leaf(self, leaf: Leaf) -> Schema:
        plain = leaf.kind
        made: Schema = {}
        while get_origin(plain) is Annotated:
            plain, *notes = get_args(plain)
            for note in notes:
                if isinstance(note, msgspec.Meta):
                    limits = {
                        "minimum": note.ge,
                        "maximum": note.le,
                        "pattern": note.pattern,
                        "minLength": note.min_length,
                    }
                    made |= {key: limit for key, limit in limits.items() if limit is not None}
        if leaf.choices:
            return {"enum": list(leaf.choices)}
        if plain is Quantity:
            return {"type": ["string", "number"]}
        kinds = sorted(_TYPES[each] for each in (get_args(plain) or (plain,)))
        return {"type": kinds[0] if len(kinds) == 1 else kinds} | made

    def _reference(self, kind: type[msgspec.Struct]) -> Schema:
        name = self._names.get(kind)
        if name is None:
            name = kind.__name__
            if name in self.definitions:
                name = f"{kind.__module__.rpartition('.')[2]}.{name}"
            self._names[kind] = name
            self.definitions[name] = {}
            self.definitions[name] = self._struct(kind)
        return {"$ref": f"#/$defs/{name}"}

    def _struct(self, kind: type[msgspec.Struct]) -> Schema:
        in_spec = ".api." in kind.__module__
        properties = {key: self._value(each.kind, in_spec=in_spec) for key, each in fields_of(kind).items()}
        return {
            "description": inspect.getdoc(kind),
            "type": "object",
            "properties": properties,
            "additionalProperties": False,
        }


def _notes(kind: Any) -> Schema:
    """The description of a field, and what else its type says for schemas."""
    found: Schema = {}
    if get_origin(kind) is Annotated:
        kind, *notes = get_args(kind)
        found = _notes(kind)
        for note in notes:
            if isinstance(note, msgspec.Meta):
                found |= note.extra_json_schema or {}
                found |= {"description": note.description} if note.description else {}
    elif type(None) in get_args(kind):
        found = _notes(next(each for each in get_args(kind) if each is not type(None)))
    return found
