"""Kubernetes' own kinds (Secret, ConfigMap, Namespace …), checked against its published schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from virtcatalog.api.findings import Findings, Path
from virtcatalog.api.quantity import Quantity
from virtcatalog.api.shape import Leaf
from virtcatalog.api.values import describe, leaf_fault, unknown_field
from virtcatalog.errors import VirtcatalogError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

KUBERNETES: Final = "1.34.0"
"""The Kubernetes release whose schemas count: the one that KubeVirt v1.9.0 is built with."""

_QUANTITY: Final = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_TYPES: Final = {
    "object": "a map",
    "array": "a list",
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
}


def check_core(manifest: dict[str, Any]) -> Findings:
    """Return what Kubernetes' schema has against a manifest; nothing for a kind that is not Kubernetes' own.

    An object that a cluster gave out (it has a uid) may have fields that came after these schemas.
    """
    validator = _validator(manifest["apiVersion"], manifest["kind"])
    if validator is None:
        return []
    metadata = manifest.get("metadata")
    given_out = isinstance(metadata, dict) and bool(metadata.get("uid"))
    errors = (
        error for error in validator.iter_errors(manifest) if not given_out or error.validator != "additionalProperties"
    )
    # Of several fields that lack, each is an error of its own, of the same schema.
    return list(dict.fromkeys(finding for error in errors for finding in _word(error)))


def _word(error: Any) -> Iterator[tuple[Path, str]]:
    path: Path = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        for key in error.instance:
            if key not in error.schema.get("properties", {}):
                yield (*path, key), unknown_field(key, list(error.schema.get("properties", {})))
    elif error.validator == "required":
        for key in error.validator_value:
            if key not in error.instance:
                yield (*path, key), "is required"
    elif error.validator == "type":
        wanted = [error.validator_value] if isinstance(error.validator_value, str) else error.validator_value
        names = " or ".join(_TYPES.get(name, name) for name in wanted if name != "null")
        yield path, f"must be {names}, not {describe(error.instance)}"
    elif error.validator == "format":
        yield path, str(error.cause)
    else:
        yield path, error.message[:300]


def _check_quantity(value: Any) -> bool:
    if value is not None and (fault := leaf_fault(value, Leaf((Quantity,)), "")):
        raise ValueError(fault)
    return True


_LONGEST_NAME = 63  # of a kind, the start of a group and a version: they are DNS labels


def core_schema(api_version: str, kind: str) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return the JSON Schema of one of Kubernetes' own kinds, and the definitions that it names; None for others."""
    schema = _schema(api_version, kind)
    return None if schema is None else (schema, _read("_definitions.json")["$defs"])


@cache
def _validator(api_version: str, kind: str) -> Any:
    """A validator for a kind; None when Kubernetes has none of that name."""
    schema = _schema(api_version, kind)
    if schema is None:
        return None
    from jsonschema import Draft202012Validator, FormatChecker
    from referencing import Registry, Resource

    resources: list[Resource[Any]] = [Resource.from_contents(schema), _definitions()]
    registry: Registry[Any] = resources @ Registry()
    formats = FormatChecker(())
    formats.checks("quantity", raises=ValueError)(_check_quantity)
    return Draft202012Validator(schema, registry=registry, format_checker=formats)


def _schema(api_version: str, kind: str) -> dict[str, Any] | None:
    group, _, served = api_version.rpartition("/")
    if "." in group and not group.endswith(".k8s.io"):
        return None
    parts = [part for part in (kind.lower(), group.partition(".")[0], served) if part]
    if not kind or not served or not all(part.isalnum() and len(part) <= _LONGEST_NAME for part in parts):
        return None
    schema: dict[str, Any] | None = _read(f"{'-'.join(parts)}.json")
    kinds = schema.get("x-kubernetes-group-version-kind", []) if schema else []
    return schema if {"group": group, "version": served, "kind": kind} in kinds else None


@cache
def _definitions() -> Any:
    from referencing import Resource

    contents = _read("_definitions.json")
    contents["$defs"][_QUANTITY] = {"format": "quantity"}
    return Resource.from_contents(contents)


def _read(name: str) -> Any:
    file = _schemas() / name
    return json.loads(file.read_bytes()) if file.is_file() else None


@cache
def _schemas() -> Traversable:
    from importlib.metadata import version
    from importlib.resources import files

    folder = files("kubernetes_validate") / "kubernetes-json-schema" / f"v{KUBERNETES}-local-strict"
    if not (folder / "_definitions.json").is_file():
        installed = version("kubernetes-validate")
        raise VirtcatalogError(
            f"the installed kubernetes-validate {installed} has no schemas of Kubernetes {KUBERNETES}, by which "
            "Kubernetes' own kinds are checked: install kubernetes-validate 1.34.1 or later"
        )
    return folder
