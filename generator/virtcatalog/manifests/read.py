"""Manifests from text: YAML or JSON, many in a file, lists taken apart.

A manifest of a kind that virtcatalog has a type for is read into it; one of a Kubernetes kind is checked against
Kubernetes' schema; any other kind, a custom resource of somebody else's, is taken as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from virtcatalog.api.decode import decode_manifest, decode_pruned, manifest_name
from virtcatalog.api.findings import Path, field_path, inspect_kind
from virtcatalog.api.kinds import READ, holds_vm, kind_type
from virtcatalog.api.names import metadata_faults
from virtcatalog.api.nodes import Node
from virtcatalog.api.object import Object
from virtcatalog.api.values import describe
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.identity import Data, as_item, listed
from virtcatalog.manifests.manifesttext import ManifestText


class Part(NamedTuple):
    """A text that is a file, or a piece of one; it can be sent to other processes.

    `line` and `column` are the lines of the file before it, and the characters before it in its own. `named` is there
    for the item of a list: what the list says of it. `is_vm` says that it is taken for one VM, and nothing else.
    """

    text: str | bytes
    file: str = ""
    line: int = 0
    column: int = 0
    named: Data | None = None
    is_vm: bool = False


class Manifest:
    """One object of a file.

    `data` is its plain data, `object` the same read into its type, None for a kind without one; `problems` is what is
    wrong with it. `place` finds a field in the text; the text is searched only then.
    """

    __slots__ = ("_document", "_prefix", "_text", "data", "object", "problems")

    def __init__(self, data: Any, text: Text, document: int, prefix: Path = ()) -> None:
        self.data, self._text, self._document, self._prefix = data, text, document, prefix
        self.object: Object | None = None
        self.problems: list[Problem] = []

    def within(self, data: Any, path: Path) -> Manifest:
        """Return a part of this manifest, at `path`, as one of its own."""
        return Manifest(data, self._text, self._document, (*self._prefix, *path))

    @property
    def is_text(self) -> bool:
        """Whether it is known that JSON can say all of it."""
        return self._text.is_plain

    @property
    def file(self) -> str:
        """The file it was read from."""
        return self._text.file

    @property
    def size(self) -> int:
        """How long the text is that it was read from, in characters or bytes; others may stand in it, too."""
        return self._text.size

    @property
    def name(self) -> str:
        """`Kind/namespace/name`, without the namespace when it has none."""
        return manifest_name(self.data)

    def place(self, field: str | Path = "") -> tuple[int, int]:
        """Return line and column, from 1, of a field (`spec.disks[0].name`) or of the nearest thing around it."""
        return self._text.place(self._document, field, self._prefix)

    def parts(self, path: Path, value: str) -> list[Part] | None:
        """Return the documents of a string that is a field's value, each with its place, where that is known.

        It is where each line of the string is a line of the file: behind `|`. None for other strings.
        """
        line, _ = self.place(path)
        lines = value.splitlines()
        written = self._lines(path, line + 1, len(lines))
        if not line or [text.strip() for text in written] != [text.strip() for text in lines]:
            return None
        starts = [number for number, text in enumerate(lines) if text[:4].rstrip() == "---"]
        spans = zip((0, *(number + 1 for number in starts)), (*starts, len(lines)), strict=True)
        return [Part("\n".join(written[start:end]), self.file, line + start) for start, end in spans if start < end]

    def _lines(self, path: Path, first: int, number: int) -> list[str]:
        """Return lines of the file that a field stands in."""
        return self._text.lines(first, number)

    def problem(self, field: str | Path, message: str) -> Problem:
        """Say what is wrong with a field, with its place."""
        line, column = self.place(field)
        shown = field if isinstance(field, str) else field_path(field)
        return Problem(file=self.file, line=line, column=column, object=self.name, field=shown, message=message)


PartContents = tuple[list[Manifest], list[Problem]]
"""What a text holds, and what is wrong with it."""


def read_apart(text: str | bytes, file: str) -> tuple[list[Manifest], list[Problem]]:
    """Read every manifest of a text, unusable ones too: these say so in their `problems`.

    The other problems are those of the text: syntax, which ends the reading, and that it holds no manifest.
    """
    manifests, problems = read_part(Part(text, file))
    if not manifests and not problems:
        return [], [Problem(file=file, line=1, column=1, message="holds no manifest")]
    return manifests, problems


def usable(manifests: list[Manifest], problems: list[Problem]) -> list[Manifest]:
    """Return what `read_apart` gives, if nothing is wrong; else ManifestError carries all problems."""
    problems = [*problems, *(problem for manifest in manifests for problem in manifest.problems)]
    if problems:
        raise ManifestError(*problems)
    return manifests


def read_part(part: Part) -> PartContents:
    """Read every manifest of a part, as `read_apart` does; it may hold none."""
    manifests, problems = unchecked(part)
    for manifest in manifests:
        manifest.problems = _check(manifest)
    return manifests, problems


def unchecked(part: Part) -> PartContents:
    """Read what may be manifests of a part, and do not look whether they are; the problems are those of the text."""
    source = ManifestText(part.text, part.file, part.line, part.column)
    manifests = manifests_in(source, source.documents(), part.named)
    return manifests, list(source.problems)


def manifests_in(source: Text, documents: Iterable[tuple[int, Any]], named: Data | None = None) -> list[Manifest]:
    """Return what may be manifests of the documents of a text; `named` as a part has it."""
    manifests: list[Manifest] = []
    for document, data in documents:
        manifests += _take_apart(_item(Manifest(data, source, document), named))
    return manifests


def vms_of(part: Part, read: Callable[[Part], PartContents] = read_part) -> PartContents:
    """Read what holds VMs of a part; the problems are those of the text, which nothing else can tell."""
    manifests, problems = read(part)
    vms = [manifest for manifest in manifests if holds_vm(manifest.data)]
    if part.is_vm and not problems and (len(vms), len(manifests)) != (1, 1):
        message = "looks like a VM at first, and is none: write its apiVersion and kind once, in plain style"
        raise ManifestError(Problem(part.file, part.line + 1, part.column + 1, message=message))
    return vms, problems


def _item(manifest: Manifest, named: Data | None) -> Manifest:
    """Return what is in a document: an item as it stands in its list, in YAML with its dash."""
    if named is None:
        return manifest
    if isinstance(manifest.data, list) and len(manifest.data) == 1:
        manifest = manifest.within(manifest.data[0], (0,))
    if isinstance(manifest.data, dict):
        manifest.data = as_item(manifest.data, named)
    return manifest


def _take_apart(manifest: Manifest) -> list[Manifest]:
    """Return the items of a list as kubectl prints it, or the manifest itself."""
    items = listed(manifest.data)
    if items is None:
        return [manifest]
    parts = (manifest.within(item, ("items", index)) for index, item in enumerate(items))
    return [manifest for part in parts for manifest in _take_apart(part)]


def faults(data: Any) -> list[Problem]:
    """Return what is wrong with an object, at its fields, wherever it stands."""
    return _check(Manifest(data, Text(""), 0))


def _check(manifest: Manifest) -> list[Problem]:
    """Read or check one manifest by its kind; return what is wrong with it."""
    findings = inspect_kind(manifest.data)
    if findings:
        return [manifest.problem(path, message) for path, message in findings]
    version, kind = manifest.data["apiVersion"], manifest.data["kind"]
    typed = kind_type(version, kind)
    if typed is None:
        from virtcatalog.api.corekinds import check_core

        faults = list(_unidentified(manifest.data.get("metadata")))
        if (version, kind) == ("v1", "List"):  # that was not taken apart
            is_there = "items" in manifest.data
            faults = [
                (("items",), f"must be a list, not {describe(manifest.data['items'])}" if is_there else "is required")
            ]
        if faults:
            return [manifest.problem(path, message) for path, message in faults]
        if (version, kind) == ("v1", "Node"):
            return _check_node(manifest)
        return [
            manifest.problem(path, message) for path, message in (*check_core(manifest.data), *_name_problems(manifest))
        ]
    try:
        manifest.object = (
            decode_pruned(manifest.data, typed)[0]
            if typed.__name__ in READ
            else decode_manifest(manifest.data, typed, is_text=manifest.is_text)
        )
    except ManifestError as error:
        return [manifest.problem(problem.field, problem.message) for problem in error.problems]
    metadata = manifest.data.get("metadata") or {}
    if not metadata.get("name") and not metadata.get("generateName"):
        return [manifest.problem("metadata.name", "is required")]
    return [manifest.problem(path, message) for path, message in _name_problems(manifest)]


def _check_node(manifest: Manifest) -> list[Problem]:
    """Nodes are written by the cluster alone: what is newer in them than virtcatalog is no fault."""
    try:
        decode_manifest(manifest.data, Node)
    except ManifestError as error:
        return [manifest.problem(problem.field, problem.message) for problem in error.problems]
    return []


def _unidentified(metadata: Any) -> Iterator[tuple[Path, str]]:
    """Say why an object of a kind that is not known cannot be told from others: its name is no text."""
    if metadata is not None and not isinstance(metadata, dict):
        yield ("metadata",), f"must be a map, not {describe(metadata)}"
        return
    for key in ("name", "namespace", "generateName"):
        value = (metadata or {}).get(key)
        if value is not None and not isinstance(value, str):
            yield ("metadata", key), f"must be a string, not {describe(value)}"


def _name_problems(manifest: Manifest) -> Iterator[tuple[Path, str]]:
    """Say which names, labels and annotations the API server refuses; of catalog objects `check` tells it."""
    metadata = manifest.data.get("metadata")
    version: str = manifest.data["apiVersion"]
    judged = isinstance(metadata, dict) and not version.startswith("instancetype.kubevirt.io/")
    return metadata_faults(metadata, version) if judged else iter(())
