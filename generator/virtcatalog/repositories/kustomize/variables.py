"""`vars`: values of objects, put wherever `$(NAME)` stands in certain fields.

Source: api/internal/accumulator/resaccumulator.go, api/filters/refvar.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from virtcatalog.api.findings import Path
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.config import Specs
from virtcatalog.repositories.kustomize.declared import Declared
from virtcatalog.repositories.kustomize.fieldspecs import FieldError, change
from virtcatalog.repositories.kustomize.lookup import PathError, look_up, split_field
from virtcatalog.repositories.kustomize.origins import Setting, Spot
from virtcatalog.repositories.kustomize.resource import Resource, follow_shared, split_version, text_of

_REFERENCE: Final = re.compile(r"\$(?:(\$)|\(([^)]*)\))")
_INDEXED: Final = re.compile(r"(.*?)\[(\d+)\]")


class Variable(NamedTuple):
    """One of `vars`."""

    name: str
    field: str
    declared: Declared


def read_variable(declared: Declared, resources: Sequence[Resource]) -> Variable:
    """Read an entry of `vars`, and mark the object that it takes its value of. Raises ManifestError."""
    declared.only("name", "objref", "fieldref")
    target = declared.get("objref").only("apiVersion", "group", "version", "kind", "name", "namespace")
    reference = declared.get("fieldref")
    field = _field_path(reference) if reference.data is not None else ""
    target_id = (*_group_version(target), target.text("kind"), target.text("name"))
    namespace = target.text("namespace")
    matching = [
        resource
        for resource in resources
        if any(
            (identity.group, identity.version, identity.kind, identity.name) == target_id
            and namespace in ("", identity.namespace)
            for identity in resource.ids
        )
    ]
    if len(matching) > 1:
        raise declared.fault(f"names {len(matching)} objects: it must be one", "objref")
    name = declared.text("name")
    for resource in matching:
        resource.variables.append(name)
    return Variable(name, field or "metadata.name", declared)


def _field_path(reference: Declared) -> str:
    """The field, by the key as it is documented or as it is declared: Go reads both."""
    reference.only("fieldPath", "fieldpath")
    return reference.text("fieldPath") or reference.text("fieldpath")


def _group_version(target: Declared) -> tuple[str, str]:
    version = target.text("apiVersion")
    return split_version(version) if version else (target.text("group"), target.text("version"))


def fill_variables(variables: Sequence[Variable], resources: Sequence[Resource], specs: Specs, budget: Budget) -> None:
    """Put the values of variables wherever they are named; of one that is a map or list the name stays there.

    Raises ManifestError.
    """
    all_values = {variable.name: (_value(variable, resources), variable.declared.spot) for variable in variables}
    values = {name: pair for name, pair in all_values.items() if not isinstance(pair[0], dict | list)}
    for resource in resources if variables else ():
        for spec in specs:
            budget.keys(1)
            if spec.applies(resource.current):
                change(variables[0].declared, resource, spec, _Filling(resource, values).put)


def _value(variable: Variable, resources: Sequence[Resource]) -> Any:
    for resource in resources:
        if variable.name in resource.variables:
            steps = [step for part in split_field(variable.field) for step in _with_index(part)]
            try:
                value, _ = look_up(resource.data, steps)
            except PathError as error:
                raise variable.declared.fault(f"{error} ({resource.title})", "fieldref") from None
            if value is None:
                raise variable.declared.fault(f"there is no value at {variable.field} ({resource.title})", "fieldref")
            return value
    raise variable.declared.fault("names no object", "objref")


def _with_index(part: str) -> list[str]:
    match = _INDEXED.fullmatch(part)
    return [match[1], match[2]] if match else [part]


class _Filling:
    def __init__(self, resource: Resource, values: dict[str, tuple[Any, Spot]]) -> None:
        self._resource, self._values = resource, values

    def put(self, holder: Any, key: Any, path: Path) -> None:
        """Fill in a text, or all texts of a map or list."""
        value = holder[key]
        if isinstance(value, dict):
            for name, inner in value.items():
                self._text(value, name, inner, (*path, name))
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                if not isinstance(inner, str):
                    raise FieldError("a variable may stand in a list of texts alone")
                self._text(value, index, inner, (*path, index))
        else:
            self._text(holder, key, value, path)

    def _text(self, holder: Any, key: Any, value: Any, path: Path) -> None:
        if path in self._resource.untyped:  # kustomize makes texts of all that it looks at
            self._resource.untyped.discard(path)
            value = holder[key] = text_of(value)
        if not isinstance(value, str) or "$" not in value:
            return
        names = [match[2] for match in _REFERENCE.finditer(value) if match[2] in self._values]
        if len(names) == 1 and value == f"$({names[0]})":
            holder[key] = self._values[names[0]][0]
        else:
            holder[key] = _REFERENCE.sub(self._replacement, value)
        if names:
            follow_shared(self._resource)
            self._resource.changes.append(Setting(path, self._values[names[0]][1]))

    def _replacement(self, match: re.Match[str]) -> str:
        if match[1]:
            return "$"
        return text_of(self._values[match[2]][0]) if match[2] in self._values else match[0]
