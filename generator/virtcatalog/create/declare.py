"""Declares instance types and preferences in the text of a catalog's file.

All other text keeps its bytes. The changed catalog is loaded, to prove that it has the new object, and that all others
are unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from virtcatalog.api.names import name_fault
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.model import Catalog, Entry, Instancetype
from virtcatalog.create.options import FlagError
from virtcatalog.errors import CatalogError, VirtcatalogError
from virtcatalog.manifests.edits import with_entry
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.folder import Folder
from virtcatalog.manifests.identity import Data


class DeclarationError(VirtcatalogError):
    """A declaration cannot be put into a catalog."""


class Declaration(NamedTuple):
    """A file of a catalog, by its path in it, and what its text becomes; `old` is "" for a new file."""

    file: str
    old: str
    new: str
    entry: Entry


class _Place(NamedTuple):
    """Where an entry goes: a file, the map in it, the key, and what a new file starts with."""

    file: str
    section: str
    key: str
    start: Data = {}


def declare_instancetype(catalog: Catalog, folder: Folder, name: str, spec: Data) -> Declaration:
    """Declare an instance type: as a size of the class whose names are like its own, or as the first of a class."""
    _check_name(catalog.instancetypes, "instance type", name)
    place, like = _class_of(catalog, name)
    entry: Data = {"vcpus": spec["cpu"]["guest"]}
    memory = Quantity.parse(spec["memory"]["guest"])
    ratio = like.memory_per_vcpu if like else None
    if ratio is None or ratio * entry["vcpus"] != memory:
        entry["memory"] = str(memory)
    rest = {key: value for key, value in spec.items() if key not in ("cpu", "memory")}
    return _declare(catalog, folder, place, entry | ({"spec": rest} if rest else {}), name, spec)


def declare_preference(catalog: Catalog, folder: Folder, name: str, spec: Data) -> Declaration:
    """Declare a preference: in the file that has those whose names begin alike, or in a new one."""
    _check_name(catalog.preferences, "preference", name)
    words = name.split(".")
    files = [
        (_common_words(words, preference.base.split(".")), file)
        for preference in catalog.preferences
        if (file := _own_file(catalog, preference)) is not None
    ]
    most, file = max(files, key=lambda candidate: candidate[0], default=(0, ""))
    place = _Place(file if most else f"preferences/{words[0]}.yaml", "preferences", name)
    return _declare(catalog, folder, place, {"spec": spec} if spec else {}, name, spec)


def _check_name(entries: tuple[Entry, ...], noun: str, name: str) -> None:
    if fault := name_fault(name):
        raise FlagError("name", fault)
    for entry in entries:
        if entry.name == name:
            raise FlagError("name", f"there is already the {noun} {name!r}, declared at {entry.source}")


def _class_of(catalog: Catalog, name: str) -> tuple[_Place, Instancetype | None]:
    """The class whose naming pattern fits, and one of its sizes; of several the one with the longest fixed part."""
    classes: list[tuple[int, str, Instancetype]] = []
    for instancetype in catalog.instancetypes:
        before, size, behind = instancetype.name.rpartition(instancetype.size)
        fits = len(name) > len(before + behind) and name.startswith(before) and name.endswith(behind)
        if size and not instancetype.variant and before and fits:
            classes.append((len(before + behind), name[len(before) : len(name) - len(behind)], instancetype))
    if not classes:
        series, _, size = name.rpartition(".")
        start = {"class": series} if series else {"class": name, "name": "{{ class }}"}
        return _Place(f"instancetypes/{series or name}.yaml", "sizes", size, start), None
    _, size, like = max(classes, key=lambda candidate: candidate[0])
    # A class of a catalog that this one extends goes on in a file of the same path.
    file = _own_file(catalog, like) or like.source.file[like.source.file.rindex("instancetypes/") :]
    return _Place(file, "sizes", size), like


def _own_file(catalog: Catalog, entry: Entry) -> str | None:
    """The path in the catalog of the file that declares an entry, None for one of another catalog."""
    place = PurePosixPath(entry.source.file)
    path = str(place.relative_to(catalog.path)) if place.is_relative_to(catalog.path) else ""
    return path if path in catalog.files else None


def _common_words(words: list[str], other_words: list[str]) -> int:
    number = 0
    for word, other_word in zip(words[:-1], other_words, strict=False):
        if word != other_word:
            break
        number += 1
    return number


def _declare(catalog: Catalog, folder: Folder, place: _Place, entry: Data, name: str, spec: Data) -> Declaration:
    old = folder.read(place.file).decode() if folder.has(place.file) else ""
    new = (
        with_entry(old, (place.section,), place.key, entry)
        if old
        else dump({**place.start, place.section: {place.key: entry}})
    )
    try:
        changed = load_catalog(catalog.path, folder.changed({place.file: new.encode()}))
    except CatalogError as error:
        faults = "; ".join(problem.sentence for problem in error.problems)
        raise DeclarationError(f"{name!r} cannot be declared in {place.file}: {faults}") from error
    noun = "instancetypes" if place.section == "sizes" else "preferences"
    entries = {declared.name: declared for declared in _entries(changed)[noun]}
    added = entries.keys() - {declared.name for declared in _entries(catalog)[noun]}
    if name not in added:
        raise DeclarationError(f"{place.file} names {', '.join(sorted(added)) or 'nothing'} so, not {name!r}")
    if missing := ", ".join(_missing(spec, entries[name].spec)):
        raise DeclarationError(f"{name!r} in {place.file} would not have {missing}: its layers say otherwise")
    for noun, unchanged in _entries(catalog).items():
        after = {declared.name: declared.manifest("") for declared in _entries(changed)[noun]}
        for before in unchanged:
            if after.get(before.name) != before.manifest(""):
                raise DeclarationError(f"{before.name!r} would change with {name!r} in {place.file}")
    return Declaration(place.file, old, new, entries[name])


def _entries(catalog: Catalog) -> dict[str, tuple[Entry, ...]]:
    return {"instancetypes": catalog.instancetypes, "preferences": catalog.preferences}


def _missing(wanted: Mapping[str, Any], spec: Any, path: str = "spec") -> Any:
    """Yield the fields of `wanted` that `spec` lacks, or has with another value."""
    for key, value in wanted.items():
        actual = spec.get(key) if isinstance(spec, dict) else None
        if isinstance(value, dict):
            yield from _missing(value, actual, f"{path}.{key}")
        elif actual != value and not _same_amount(actual, value):
            yield f"{path}.{key}"


def _same_amount(amount: Any, other_amount: Any) -> bool:
    try:
        return Quantity.parse(amount) == Quantity.parse(other_amount)
    except ValueError:
        return False
