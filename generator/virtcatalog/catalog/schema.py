"""JSON Schemas of the catalog's files, for editors, from the types that declarations are checked against."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Final

from virtcatalog.api.quantity import Quantity
from virtcatalog.api.schema import COMMENT, DIALECT, Definitions, Schema, kind_schemas, leaf_schema
from virtcatalog.api.shape import Anything, Leaf, List, Map, Shape, Struct, shape_of
from virtcatalog.catalog.configuration import CatalogFile, OverlaysFile, PricesFile, VmsFile
from virtcatalog.catalog.declarations import ComponentsFile, InstancetypeFile, PreferenceFile, TemplateFile
from virtcatalog.repository import Settings

#: The files' schemas: title, type, and whether `null` and expressions may stand for values in it.
_FILES: Final[dict[str, tuple[str, Any, bool, bool]]] = {
    "catalog/catalog": ("catalog.yaml", CatalogFile, True, True),
    "catalog/components": ("components.yaml: named fragments", ComponentsFile, True, True),
    "catalog/instancetypes": ("instancetypes/*.yaml: a class and its sizes", InstancetypeFile, True, True),
    "catalog/overlays": ("overlays.yaml: the environments, by name", OverlaysFile, True, False),
    "catalog/preferences": ("preferences/*.yaml: preferences, by name", PreferenceFile, True, True),
    "catalog/prices": ("prices.yaml: what machines cost", PricesFile, True, False),
    "catalog/templates": ("templates/*.yaml: VirtualMachineTemplates", TemplateFile, True, True),
    "catalog/vms": ("vms.yaml: the templates of vms/, by file", VmsFile, True, False),
    "virtcatalog": ("virtcatalog.toml: a repository's defaults", Settings, False, False),
}
_EXPRESSION: Final[Schema] = {"type": "string", "pattern": r"\{[{%]"}


def all_schemas() -> dict[str, Schema]:
    """Return the schemas of manifests and of catalogs' files, sorted by the paths of their files."""
    return dict(sorted({**kind_schemas(), **catalog_schemas()}.items()))


def catalog_schemas() -> dict[str, Schema]:
    """Return the schemas of the catalog's files and of the repository's, by the path of the schema's file."""
    schemas = {}
    for name, (title, kind, nulls, expressions) in _FILES.items():
        definitions = _Definitions(nulls=nulls, expressions=expressions)
        root = definitions.root(shape_of(kind))
        schemas[f"{name}.json"] = {
            "$schema": DIALECT,
            "$comment": COMMENT,
            "title": title,
            **root,
            "$defs": dict(sorted(definitions.definitions.items())),
        }
    return schemas


class _Definitions(Definitions):
    """The schemas of declarations: nothing in a struct is required, and expressions and `null` may stand for values."""

    def __init__(self, *, nulls: bool, expressions: bool) -> None:
        super().__init__()
        self._nulls, self._expressions = nulls, expressions

    def root(self, shape: Shape) -> Schema:
        """Return a file's schema; what is required is so at the top of the file only."""
        if not isinstance(shape, Struct):
            return self.value(shape)
        required = [name for name, field in shape.fields.items() if field.required]
        return {**self.struct(shape), "required": required}

    def struct(self, shape: Struct) -> Schema:
        in_spec = ".api." in shape.kind.__module__
        return {
            "description": inspect.getdoc(shape.kind),
            "type": "object",
            "properties": {
                name: self._keyed(field.shape, field.notes, in_spec=in_spec) for name, field in shape.fields.items()
            },
            "additionalProperties": False,
        }

    def value(self, shape: Shape, *, in_spec: bool = False) -> Schema:
        if isinstance(shape, Map):
            return {"type": "object", "additionalProperties": self._keyed(shape.value, {}, in_spec=in_spec)}
        if isinstance(shape, List):
            return {"type": "array", "items": self.value(shape.item, in_spec=in_spec)}
        return super().value(shape)

    def leaf(self, leaf: Leaf) -> Schema:
        if leaf.choices:
            return {"enum": list(leaf.choices)}
        return {"type": ["string", "number"]} if leaf.types == (Quantity,) else leaf_schema(leaf)

    def _keyed(self, shape: Shape, notes: Mapping[str, Any], *, in_spec: bool) -> Schema:
        """The schema of a key's value, which may be `null` or an expression."""
        schema, anything = self.value(shape, in_spec=in_spec), isinstance(shape, Anything)
        alternatives: list[Schema] = [{"type": "null"}] if self._nulls and not anything else []
        later = isinstance(shape, Leaf) or (in_spec and not anything)
        if self._expressions and schema.get("type") != "string" and later:
            alternatives.append(_EXPRESSION)
        if not alternatives:
            return {**schema, **notes}
        if schema.keys() == {"type"} and alternatives == [{"type": "null"}]:
            kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            return {"type": [*kinds, "null"], **notes}
        return {"anyOf": [*(schema.get("anyOf") or [schema]), *alternatives], **notes}
