"""Manifests written as a cluster stores them, in their own text: comments, order and every other byte stay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any

import msgspec

from virtcatalog.api.decode import prune
from virtcatalog.api.findings import Path, inspect
from virtcatalog.api.kinds import type_of
from virtcatalog.gitops.comparison import Drift, drifts
from virtcatalog.gitops.stored import spelled
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.edits import UnwritableError
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data, listed
from virtcatalog.manifests.rewrite import rewritten
from virtcatalog.manifests.syntax import YAMLError
from virtcatalog.releases import Release

_PATCHES = ("patches", "patchesStrategicMerge", "patchesJson6902")


class Fixed(msgspec.Struct, frozen=True):
    """A file's text before and after; `fields` counts what is spelled otherwise, `unwritable` says why it is not."""

    name: str
    old: str
    new: str
    fields: int
    unwritable: str = ""


def fix(files: Mapping[str, bytes], kustomizations: Mapping[str, bytes], release: Release) -> list[Fixed]:
    """Return those files that hold fields which are stored otherwise; patches of kustomizations are none of them."""
    patches = set(_patches(kustomizations))
    fixed = (_file(name, content, release) for name, content in files.items() if normpath(name) not in patches)
    return [file for file in fixed if file is not None]


def respelled(manifest: Data, release: Release) -> tuple[Data, int]:
    """Return an object as the cluster stores it, as far as that is a matter of spelling, and the number of changes.

    A null stays, but for `creationTimestamp: null`: a patch means something by it. So do fields that the API does not
    know, which somebody means something by: an object with a fault stays as it is.
    """
    kind = type_of(manifest)
    if kind is None or inspect(manifest, kind)[1]:
        return manifest, 0
    as_stored, unknown = spelled(manifest, release), prune(manifest, kind, release.minor)[1]
    differing = drifts(manifest, as_stored) if as_stored else ()
    changes = [drift for drift in differing if drift.path not in unknown and _is_spelling(drift)]
    for drift in changes:
        manifest = _changed(manifest, drift.path, None if drift.kind == "dropped" else drift)
    return manifest, len(changes)


def _is_spelling(drift: Drift) -> bool:
    nothing = drift.kind == "dropped" and (drift.written == {} or drift.path[-1] == "creationTimestamp")
    return "client" in drift.modes or (nothing and bool(drift.modes))


def _changed(value: Any, path: Path, drift: Drift | None) -> Any:
    """A value with what is at a path as it is stored, or without it."""
    if not path:
        assert drift is not None
        return drift.stored
    step, rest = path[0], path[1:]
    if isinstance(value, list):
        return [_changed(item, rest, drift) if index == step else item for index, item in enumerate(value)]
    if not rest and drift is None:
        return {key: item for key, item in value.items() if key != step}
    return {key: _changed(item, rest, drift) if key == step else item for key, item in value.items()}


def _file(name: str, content: bytes, release: Release) -> Fixed | None:
    text = Text(content, name)
    documents = dict(text.documents())
    if text.problems:
        return None  # what is no manifest is a finding of its own
    changed: dict[int, list[Any]] = {}
    fields = 0
    for index, data in documents.items():
        new, number = _document(data, release)
        if number:
            changed[index], fields = [new], fields + number
    if not changed:
        return None
    old = content.decode("utf-8", "replace")
    try:
        return Fixed(name, old, rewritten(old, changed, {}), fields)
    except (UnwritableError, YAMLError) as error:
        return Fixed(name, old, old, fields, str(error))


def _document(document: Any, release: Release) -> tuple[Any, int]:
    items = listed(document)
    if items is None:
        return respelled(document, release) if isinstance(document, dict) else (document, 0)
    pairs = [_document(item, release) for item in items]
    return {**document, "items": [item for item, _ in pairs]}, sum(number for _, number in pairs)


def _patches(kustomizations: Mapping[str, bytes]) -> Iterator[str]:
    """The files that kustomizations take for patches."""
    for name, content in kustomizations.items():
        for _, data in Text(content, name).documents():
            yield from (normpath(PurePosixPath(name).parent / patch) for patch in _patch_paths(data))


def _patch_paths(kustomization: Any) -> Iterator[str]:
    lists = (map_at(kustomization).get(field) for field in _PATCHES)
    for entry in (entry for entries in lists if isinstance(entries, list) for entry in entries):
        path = entry.get("path") if isinstance(entry, dict) else entry
        if isinstance(path, str) and "\n" not in path:
            yield path
