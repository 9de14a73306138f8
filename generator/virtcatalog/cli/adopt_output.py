"""Where `virtcatalog adopt` writes: the rewritten files as one stream, a diff, each in its place, or all as JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from virtcatalog.cli.console import data, summary, write_diff
from virtcatalog.errors import Problem, VirtcatalogError
from virtcatalog.escaping import as_json

_COMMENT = re.compile(r"(?:^|\s)(#.*)$")

if TYPE_CHECKING:
    from virtcatalog.adopt.adopt import Adoption
    from virtcatalog.manifests.read import Manifest


class Machine(NamedTuple):
    """A VM of a file, by its number among the file's VMs, and what it adopts."""

    file: str
    number: int
    manifest: Manifest
    adoption: Adoption

    @property
    def name(self) -> str:
        """`namespace/name`."""
        metadata = self.manifest.data.get("metadata") or {}
        return f"{metadata.get('namespace') or 'default'}/{metadata.get('name') or metadata.get('generateName')}"


class Rewritten(NamedTuple):
    """A file's name, its text as it was, and as it is to be."""

    name: str
    old: str
    new: str

    def lost_comments(self) -> Iterator[str]:
        """Yield the comments that went with the fields that they were about, each with its line."""
        left = Counter(found[1] for found in map(_COMMENT.search, self.new.splitlines()) if found)
        for number, line in enumerate(self.old.splitlines(), start=1):
            found = _COMMENT.search(line)
            if found and left[found[1]]:
                left[found[1]] -= 1
            elif found:
                yield f"{self.name}:{number}:{found.start(1) + 1}: comment goes with its field: {found[1]}"


def rewritten(
    name: str, text: str, machines: Iterable[Machine], outcomes: tuple[str, ...]
) -> tuple[Rewritten, list[Problem]]:
    """Return a file with the VMs of some outcomes shrunk; it stays as it is when it cannot be rewritten."""
    from virtcatalog.adopt.rewrite import rewrite
    from virtcatalog.manifests.edits import UnwritableError

    changed = {
        machine.number: machine
        for machine in machines
        if machine.adoption.found is not None and machine.adoption.outcome in outcomes
    }
    if not changed:
        return Rewritten(name, text, text), []
    wanted = {number: one.adoption.found.manifest for number, one in changed.items() if one.adoption.found is not None}
    try:
        return Rewritten(name, text, rewrite(text, wanted)), []
    except UnwritableError as error:
        message = f"cannot be rewritten: {error}"
        return Rewritten(name, text, text), [each.manifest.problem("", message) for each in changed.values()]


def as_text(form: str, files: list[Rewritten], machines: list[Machine]) -> str:
    """Return what is printed in one of the forms: `yaml`, `diff` or `json`."""
    if form == "json":
        return _json(machines)
    forms: dict[str, Callable[[list[Rewritten]], Iterator[str]]] = {"yaml": _stream, "diff": _diff}
    return "".join(forms[form](files))


def put(form: str, text: str) -> None:
    """Print the text in the form that it has."""
    if form == "diff":
        write_diff(text)
    else:
        data(text)


def _stream(files: list[Rewritten]) -> Iterator[str]:
    """The files one after the other, as one stream of documents."""
    for index, file in enumerate(files):
        if index and not file.new.startswith("---"):
            yield "---\n"
        yield file.new if file.new.endswith("\n") or len(files) == 1 else f"{file.new}\n"


def _diff(files: list[Rewritten]) -> Iterator[str]:
    from virtcatalog.manifests.textdiff import unified

    for file in files:
        name = file.name.lstrip("/")
        yield unified(file.old, file.new, f"a/{name}", f"b/{name}")


def _json(machines: list[Machine]) -> str:
    from virtcatalog.adopt.report import document

    documents = []
    for machine in machines:
        line, column = machine.manifest.place("")
        place = {"file": machine.manifest.file, "line": line, "column": column}
        documents.append(document(machine.name, machine.adoption) | {"place": place})
    return as_json(documents[0] if len(documents) == 1 else documents)


def replace(path: Path, text: str) -> None:
    """Write a file as a whole or not at all, with the permissions that it had."""
    from virtcatalog.render.files import replace_file

    try:
        replace_file(path, text, summary)
    except OSError as error:
        raise VirtcatalogError(f"{path}: {error.strerror or error}; it is as it was") from error
