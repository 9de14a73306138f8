"""Reads instance types and preferences from files, folders and kustomizations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from virtcatalog.api.decode import decode_manifest, manifest_name
from virtcatalog.api.findings import Path, field_path, inspect_kind
from virtcatalog.api.kinds import CATALOG_API_VERSION, CATALOG_KINDS, CLUSTER_KINDS, INSTANCETYPE_KINDS
from virtcatalog.api.names import LAST_APPLIED, metadata_faults
from virtcatalog.api.quantity import NANO, Quantity
from virtcatalog.errors import ManifestError, Problem, VirtcatalogError
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.merge import merge
from virtcatalog.manifests.read import read_apart
from virtcatalog.manifests.sources import is_folder, open_in_checkout
from virtcatalog.repositories.kustomize.build import build, is_kustomization

#: Metadata that the cluster writes into objects.
_WRITTEN = (
    *("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"),
    *("ownerReferences", "finalizers", "deletionTimestamp", "deletionGracePeriodSeconds"),
)


class Objects(NamedTuple):
    """The objects of a catalog without repetitions, and the names of other objects: `Kind/namespace/name`."""

    manifests: list[Data]
    other_names: list[str]


def kustomized(path: str) -> list[Data] | None:
    """Return the objects that kustomize builds of a folder; None for a folder without kustomization.

    It may refer to files anywhere in its git repository; without one, to files in the folder. Raises ManifestError.
    """
    if not is_folder(path):
        return None
    folder = open_in_checkout(path)
    if not is_kustomization(folder):
        return None
    built = build(folder, path.rstrip("/") or "/")
    if built.problems or built.unrendered:
        raise ManifestError(*built.problems, *built.unrendered)
    return [resource.data for resource in built.resources]


def collected(files: Iterable[tuple[str, bytes]], built: Iterable[tuple[str, list[Data]]]) -> Objects:
    """Return the instance types and preferences of files and of built kustomizations, both with their names.

    Raises ManifestError with all problems; two different objects of one name are among them.
    """
    problems: list[Problem] = []
    candidates: list[tuple[Data, Problem]] = []
    other_names: list[str] = []
    for name, content in files:
        manifests, faults = read_apart(content, name)
        problems += faults
        for manifest in manifests:
            if _is_catalogs(manifest.data):
                problems += manifest.problems or _faults(manifest.data, manifest.problem("", ""))
                candidates.append((manifest.data, manifest.problem("", "")))
            elif inspect_kind(manifest.data):
                problems += manifest.problems
            else:
                other_names.append(manifest.name)
    for name, objects in built:
        for data in objects:
            place = Problem(file=name, object=manifest_name(data))
            if _is_catalogs(data):
                problems += _faults(data, place)
                candidates.append((data, place))
            elif wrong := inspect_kind(data):
                problems += _placed(place, wrong)
            else:
                other_names.append(manifest_name(data))
    if problems:
        raise ManifestError(*problems)
    return Objects(list(_once(candidates)), other_names)


def _is_catalogs(data: Any) -> bool:
    return (
        isinstance(data, dict) and data.get("apiVersion") == CATALOG_API_VERSION and data.get("kind") in CATALOG_KINDS
    )


def _placed(place: Problem, faults: Iterable[tuple[Any, str]]) -> Iterator[Problem]:
    for path, message in faults:
        yield replace(place, field=field_path(path), message=message)


def _faults(data: Data, place: Problem) -> list[Problem]:
    """Why an object cannot be part of a catalog."""
    try:
        decode_manifest(data)
    except ManifestError as error:
        return [replace(place, field=problem.field, message=problem.message) for problem in error.problems]
    faults = list(metadata_faults(data.get("metadata") or {}))
    if not (data.get("metadata") or {}).get("name"):
        faults.append((("metadata", "name"), "is required"))
    if data["kind"] in INSTANCETYPE_KINDS:
        faults += _of_amounts(data["spec"])
    return list(_placed(place, faults))


def _of_amounts(spec: Data) -> Iterator[tuple[Path, str]]:
    """What of an instance type's size no catalog can say."""
    vcpus, memory = spec["cpu"]["guest"], spec["memory"]["guest"]
    if vcpus < 1:
        yield ("spec", "cpu", "guest"), f"must be at least 1, not {vcpus}"
    amount = Quantity.parse(memory)
    if not Quantity() < amount:
        yield ("spec", "memory", "guest"), f"the memory must be more than 0, not {memory}"
    elif amount != Quantity(amount.value * NANO):
        yield ("spec", "memory", "guest"), f"{memory} is not a whole number of bytes"


def _once(candidates: Iterable[tuple[Data, Problem]]) -> Iterator[Data]:
    """The objects without repetitions and without fields that a cluster wrote."""
    objects: dict[tuple[str, str, str], tuple[Data, Problem]] = {}
    problems = []
    for data, place in candidates:
        clean = _clean(data)
        metadata = clean["metadata"]
        identity = clean["kind"], metadata.get("namespace", ""), metadata["name"]
        if identity not in objects:
            objects[identity] = clean, place
        elif objects[identity][0] != clean:
            first = objects[identity][1]
            message = f"is here a second time, and is another object; the first is {_where(first)}"
            problems.append(replace(place, message=message))
    if problems:
        raise ManifestError(*problems)
    return (data for data, _ in objects.values())


def _where(place: Problem) -> str:
    return f"{place.file}:{place.line}:{place.column}" if place.line else f"in {place.file}"


def _clean(data: Mapping[str, Any]) -> Data:
    metadata = {key: value for key, value in merge(data["metadata"]).items() if key not in _WRITTEN}
    if data["kind"] in CLUSTER_KINDS:
        metadata.pop("namespace", None)
    annotations = {key: value for key, value in (metadata.get("annotations") or {}).items() if key != LAST_APPLIED}
    pairs = {"labels": metadata.get("labels"), "annotations": annotations}
    rest = {key: value for key, value in metadata.items() if key not in pairs}
    rest |= {key: value for key, value in pairs.items() if value}
    return {
        "apiVersion": CATALOG_API_VERSION,
        "kind": data["kind"],
        "metadata": rest,
        "spec": merge(data.get("spec") or {}),
    }


def nothing(sources: Iterable[str]) -> VirtcatalogError:
    """Return the error for sources without an instance type or preference."""
    return VirtcatalogError(f"no instance type and no preference in {', '.join(sources)}")
