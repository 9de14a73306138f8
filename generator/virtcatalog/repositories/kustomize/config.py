"""Which fields kustomize's transformers look at: its own list, and what `configurations` and `crds` add to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from virtcatalog.api.values import describe
from virtcatalog.manifests.fields import map_at
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.declared import Declared
from virtcatalog.repositories.kustomize.fieldspecs import ConflictError, FieldSpec, merge_specs

Specs = tuple[FieldSpec, ...]
Target = tuple[str, str, str]
"""Group, version and kind of what is referred to; "" for any."""

_LISTS: Final = {
    "namePrefix": "prefixes",
    "nameSuffix": "suffixes",
    "namespace": "namespaces",
    "commonLabels": "selectors",
    "labels": "labels",
    "templateLabels": "templates",
    "commonAnnotations": "annotations",
    "varReference": "variables",
    "images": "images",
    "replicas": "replicas",
}


class Config(msgspec.Struct, frozen=True):
    """The field specs of every transformer. Source: api/internal/plugins/builtinconfig/transformerconfig.go."""

    prefixes: Specs = ()
    suffixes: Specs = ()
    namespaces: Specs = ()
    selectors: Specs = ()
    """Where `commonLabels` go, and `labels` with `includeSelectors`."""
    labels: Specs = ()
    templates: Specs = ()
    annotations: Specs = ()
    variables: Specs = ()
    images: Specs = ()
    replicas: Specs = ()
    references: Mapping[Target, Specs] = {}
    """Where objects of a kind are referred to by name."""

    @property
    def size(self) -> int:
        """How many field specs there are."""
        lists = (*(getattr(self, name) for name in _LISTS.values()), *self.references.values())
        return sum(map(len, lists))

    def merged(self, more: Config) -> Config:
        """Return both together; raises ConflictError."""
        if more in (self, _EMPTY):
            return self
        lists = {name: merge_specs(getattr(self, name), getattr(more, name)) for name in _LISTS.values()}
        references = dict(self.references)
        for target, specs in more.references.items():
            references[target] = merge_specs(references.get(target, ()), specs)
        return Config(**lists, references=references)


_EMPTY: Final = Config()


def configuration(declared: Declared) -> Config:
    """Read a file that `configurations` names. Raises ManifestError."""
    declared.only(*_LISTS, "nameReference")
    lists = {name: tuple(map(_spec, declared.items(key))) for key, name in _LISTS.items()}
    references: dict[Target, Specs] = {}
    for reference in declared.items("nameReference"):
        reference.only("kind", "group", "version", "fieldSpecs")
        target = (reference.text("group"), reference.text("version"), reference.text("kind"))
        specs = tuple(map(_spec, reference.items("fieldSpecs")))
        try:
            references[target] = merge_specs(references.get(target, ()), specs)
        except ConflictError as error:
            raise reference.fault(str(error)) from None
    return Config(**lists, references=references)


def _spec(declared: Declared) -> FieldSpec:
    declared.only("path", "kind", "group", "version", "create")
    if not declared.text("path"):
        raise declared.fault("needs a path")
    names = {key: declared.text(key) for key in ("path", "kind", "group", "version")}
    return FieldSpec(**names, create=declared.flag("create"))


def read_specs(declared: Declared, key: str) -> Specs:
    """Read a list of field specs. Raises ManifestError."""
    return tuple(map(_spec, declared.items(key)))


_ANNOTATION, _SELECTOR, _IDENTITY = (
    f"x-kubernetes-{extension}" for extension in ("annotation", "label-selector", "identity")
)
_REFERENCE: Final = "x-kubernetes-object-ref-{}"
_DEEPEST: Final = 30
_PROPERTY: Final = 5
"""The work of looking at a property, in keys."""


def of_schemas(declared: Declared, budget: Budget) -> Config:
    """Return what OpenAPI definitions in a file that `crds` names say. Source: accumulator/loadconfigfromcrds.go.

    One that others refer to is gone through each time, which is charged. Raises ManifestError.
    """
    config = Config()
    schemas = map_at(declared.data)
    for name, schema in schemas.items():
        properties = _properties(schema)
        if {"kind", "apiVersion", "metadata"} <= properties.keys():
            budget.keys(config.size)
            config = config.merged(_of_kind(name.rpartition(".")[2], properties, declared, (), budget))
    return config


def _of_kind(
    kind: str, properties: Mapping[str, Any], declared: Declared, path: tuple[str, ...], budget: Budget
) -> Config:
    config, schemas = Config(), map_at(declared.data)
    if len(path) > _DEEPEST:
        raise declared.fault(f"{kind} is more than {_DEEPEST} levels deep: kustomize follows a circle for ever")
    for name, value in properties.items():
        budget.keys(_PROPERTY + config.size)
        field = (*path, name)
        if not isinstance(value, dict | None):
            raise declared.fault(f"{'.'.join(field)} of {kind} must be a map, not {describe(value)}")
        schema = value or {}
        specs = (FieldSpec("/".join(field), kind),)
        config = config.merged(
            Config(
                annotations=specs if _ANNOTATION in schema else (),
                selectors=specs if _SELECTOR in schema else (),
                prefixes=specs if _IDENTITY in schema else (),
            )
        )
        version, target = (schema.get(_REFERENCE.format(key)) for key in ("api-version", "kind"))
        if isinstance(version, str) and isinstance(target, str):
            last = str(schema.get(_REFERENCE.format("name-key"), "name"))
            spec = FieldSpec("/".join((*field, last)), kind)
            config = config.merged(Config(references={("", version, target): (spec,)}))
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference in schemas:
            config = config.merged(_of_kind(kind, _properties(schemas[reference]), declared, field, budget))
    return config


def _properties(schema: Any) -> Mapping[str, Any]:
    inner = schema.get("Schema", schema) if isinstance(schema, dict) else {}
    return map_at(inner, "properties")
