"""Dumps of clusters, read object by object: `kubectl get -o json` and `-o yaml`, Lists, several files, our own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import PurePath

import msgspec

from virtcatalog.errors import ManifestError, Problem
from virtcatalog.fleet.sources import contents
from virtcatalog.live.snapshot import Snapshot
from virtcatalog.manifests import jsonsplit
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.identity import Data, as_item
from virtcatalog.manifests.pieces import Pieces
from virtcatalog.manifests.plainjson import is_too_deep
from virtcatalog.manifests.read import Manifest, Part, read_part
from virtcatalog.manifests.sources import is_folder
from virtcatalog.manifests.spool import BOM, Content, IndivisibleError, Spool, Window
from virtcatalog.manifests.stream import Stream

_BEGINNING = 1 << 12
_decode = msgspec.json.Decoder().decode


def read_snapshot(paths: Sequence[str]) -> Snapshot:
    """Return what dumps hold; ManifestError for one that cannot be read, or that holds no object."""
    problems: list[Problem] = []
    label = PurePath(paths[0]).stem if len(paths) == 1 and paths[0] != "-" else "the cluster"
    snapshot, spool = Snapshot(label), Spool()
    for path in paths:
        for content, name in _opened(path, spool, problems):
            _add(content, name, snapshot, problems)
    if problems:
        raise ManifestError(*dict.fromkeys(problems))  # a text that cannot be split is read twice where it holds a VM
    return snapshot


def _opened(path: str, spool: Spool, problems: list[Problem]) -> Iterator[tuple[Content, str]]:
    name = "<stdin>" if path == "-" else path
    try:
        if not is_folder(path):
            yield spool.open(path), name
            return
    except SourceError as error:
        problems.append(Problem(file=path, message=error.message))
        return
    for name, text in contents(path, problems):
        yield spool.copy(text), name


def _add(content: Content, name: str, snapshot: Snapshot, problems: list[Problem]) -> None:
    """Add the objects of a text, lists taken apart; what is no object is among the `problems`."""
    pieces = _pieces(content)
    if pieces is None:
        for manifest in _of_stream(Stream(content, name), problems):
            snapshot.add(manifest)
        return
    window = Window(content)
    for piece in pieces.between(0, len(pieces)):
        text, again = window.cut(piece.start, piece.end), partial(content.read, piece.start, piece.end)
        implied = piece.implied.data if piece.implied is not None else {}
        if snapshot.add_text(text, again, name, implied):
            continue
        data = _object(text)
        if data is None:
            for item in _read(Part(text, name, *piece.mark, piece.implied and piece.implied.data), problems):
                snapshot.add(item)
        else:
            snapshot.add(as_item(data, implied))
    if not len(pieces):
        problems.append(Problem(file=name, line=1, column=1, message="holds no manifest"))


def _of_stream(parts: Stream, problems: list[Problem]) -> Iterator[Data]:
    problems += parts.problems
    yield from _objects(parts.others, problems)
    for part in parts.vms():
        yield from _read(part, problems)


def _pieces(content: Content) -> Pieces | None:
    """The pieces of plain JSON, None for any other text, which is read as all files of manifests are."""
    if not content.read(0, _BEGINNING).removeprefix(BOM).lstrip().startswith(b"{"):
        return None
    pieces = Pieces()
    try:
        jsonsplit.split(content, pieces)
    except (jsonsplit.BrokenJsonError, IndivisibleError):
        return None
    return pieces


def _object(text: bytes) -> Data | None:
    """Return an object of plain JSON; None for any other text, such as a list."""
    try:
        data = _decode(text)
    except (ValueError, RecursionError):
        return None
    is_object = isinstance(data, dict) and isinstance(data.get("metadata"), dict)
    return data if is_object and not str(data.get("kind")).endswith("List") and not is_too_deep(text) else None


def _read(part: Part, problems: list[Problem]) -> Iterator[Data]:
    manifests, faults = read_part(part)
    problems += faults
    yield from _objects(manifests, problems)


def _objects(manifests: Iterable[Manifest], problems: list[Problem]) -> Iterator[Data]:
    """Yield what says its kind, whatever is in it; a list that is left could not be taken apart."""
    for manifest in manifests:
        kind = manifest.data.get("kind") if isinstance(manifest.data, dict) else None
        if isinstance(kind, str) and kind != "List":
            yield manifest.data
        else:
            problems += manifest.problems
