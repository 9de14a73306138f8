"""Converts the objects of files in their own text: comments, order and layout stay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from virtcatalog.api.decode import decode_manifest
from virtcatalog.api.findings import inspect_kind
from virtcatalog.api.kinds import kind_type
from virtcatalog.bring.convert.change import Converted, UnconvertibleError
from virtcatalog.bring.convert.convert import Conversion
from virtcatalog.errors import ManifestError, Problem, VirtcatalogError
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.edits import UnwritableError
from virtcatalog.manifests.emit import dump, join
from virtcatalog.manifests.identity import listed
from virtcatalog.manifests.read import Manifest
from virtcatalog.manifests.rewrite import rewritten
from virtcatalog.manifests.syntax import YAMLError

#: Keys whose entry, with its comments, gets another name.
_RENAMES = {
    "Running": "running",
    "Template": "template",
    "registryDisk": "containerDisk",
    "flavor": "instancetype",
    "basePolicy": "sortPolicy",
    "nodeSelector": "addedNodeSelector",
    "dedicatedCpuPlacement": "dedicatedCPUPlacement",
}


class File(msgspec.Struct, frozen=True):
    """A file's text before and after, and the conversions of its objects; `loose` is why its comments are lost."""

    name: str
    old: str
    new: str
    objects: tuple[tuple[Manifest, Converted], ...]
    loose: str = ""


def convert_files(files: Mapping[str, bytes], memory: str = "") -> list[File]:
    """Convert the objects of some files, which may refer to each other.

    `memory` is for instance types whose flavor or preset has none. Raises ManifestError with everything that cannot be
    read or converted.
    """
    sources = {name: Text(content, name) for name, content in files.items()}
    read = {name: dict(text.documents()) for name, text in sources.items()}
    problems = [problem for text in sources.values() for problem in text.problems]
    manifests = [manifest for documents in read.values() for data in documents.values() for manifest in _objects(data)]
    conversion = Conversion(manifests, memory)
    converted_files: list[File] = []
    for name, text in sources.items():
        if not read[name] and not text.problems:
            problems.append(Problem(file=name, line=1, column=1, message="holds no manifest"))
        converted: list[tuple[Manifest, Converted]] = []
        changed: dict[int, list[Any]] = {}
        for index, data in read[name].items():
            new = _document(Manifest(data, text, index), conversion, converted, problems)
            if new != [data]:
                changed[index] = new
        converted_files.append(_file(name, files[name], read[name], changed, converted))
    if problems:
        raise ManifestError(*problems)
    return converted_files


def _objects(document: Any) -> Iterator[Any]:
    items = listed(document)
    if items is None:
        yield document
    for item in items or ():
        yield from _objects(item)


def _document(
    manifest: Manifest,
    conversion: Conversion,
    conversions: list[tuple[Manifest, Converted]],
    problems: list[Problem],
) -> list[Any]:
    """The objects that replace an object, or the items of a list; further objects go to the list's end."""
    document = manifest.data
    items = listed(document)
    if items is None:
        converted = _convert(manifest, conversion, problems)
        if converted is None:
            return [document]
        conversions.append((manifest, converted))
        return list(converted.objects)
    items_in_place, further = [], []
    for index, item in enumerate(items):
        new = _document(manifest.within(item, ("items", index)), conversion, conversions, problems)
        items_in_place += new[:1]
        further += new[1:]
    if items_in_place == items and not further:
        return [document]
    return [{**document, "apiVersion": "v1", "kind": "List", "items": [*items_in_place, *further]}]


def _convert(manifest: Manifest, conversion: Conversion, problems: list[Problem]) -> Converted | None:
    if not isinstance(manifest.data, dict):
        problems += [manifest.problem(path, message) for path, message in inspect_kind(manifest.data)]
        return None
    try:
        converted = conversion.convert(manifest.data)
    except UnconvertibleError as error:
        problems.append(manifest.problem(error.path, error.message))
        return None
    for result in converted.objects if converted else ():
        try:
            if kind_type(result["apiVersion"], result["kind"]) is not None:
                decode_manifest(result)
        except ManifestError as error:
            problems += [
                manifest.problem(problem.field, f"once converted: {problem.message}") for problem in error.problems
            ]
    return converted


def _file(
    name: str,
    content: bytes,
    documents: Mapping[int, Any],
    changed: dict[int, list[Any]],
    converted: list[tuple[Manifest, Converted]],
) -> File:
    old = content.decode("utf-8", "replace")
    if not changed:
        return File(name, old, old, tuple(converted))
    try:
        return File(name, old, rewritten(old, changed, _RENAMES), tuple(converted))
    except (UnwritableError, YAMLError) as error:
        all_data = [item for index, data in documents.items() for item in changed.get(index, [data])]
        return File(name, old, join(map(dump, all_data)), tuple(converted), loose=str(error))
    except VirtcatalogError:
        return File(name, old, old, tuple(converted))
