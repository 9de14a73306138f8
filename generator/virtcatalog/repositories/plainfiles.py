"""The files of a folder that Argo CD takes as they stand, and those on which it fails.

Source: github.com/argoproj/argo-cd, reposerver/repository/repository.go (getPotentiallyValidManifests,
getObjsFromYAMLOrJSON).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from virtcatalog.errors import Problem
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.plainjson import refuse_constant
from virtcatalog.repositories.globs import TEXT
from virtcatalog.repositories.tree import Tree, parents

_SKIPPED: Final = "+argocd:skip-file-rendering"
_MANIFEST: Final = ("apiVersion:", "kind:", "metadata:")
"""What a file has that is taken for manifests, though it cannot be read as such."""
_JSON: Final = json.JSONDecoder(parse_constant=refuse_constant)
_NO_OBJECT: Final = "is no object: Argo CD renders nothing of the folder"


def taken(tree: Tree, at: str, options: Mapping[str, Any], files: Iterable[str]) -> Iterator[str]:
    """Yield those of some files that a source takes of its folder; `options` are those of its `directory`."""
    include, exclude = (
        tree.globs.glob(str(options[key]), TEXT) if options.get(key) else None for key in ("include", "exclude")
    )
    for path in files:
        is_there = at in ("", *parents(path)) if options.get("recurse") else path.rpartition("/")[0] == at
        name = path.removeprefix(f"{at}/")
        if not is_there or (include is not None and not include(name)) or (exclude is not None and exclude(name)):
            continue
        if not any(_SKIPPED in line for line in tree.lines(path)):
            yield path


def faults_of(tree: Tree, path: str) -> tuple[Problem, ...]:
    """Return what Argo CD fails on in a file; one that holds something else altogether is passed over."""
    text = "\n".join(tree.lines(path))
    if path.endswith(".json"):
        return () if _is_json_object(text) else (Problem(tree.label_of(path), message="must hold one JSON object"),)
    if "kind" not in text:
        return ()
    try:
        manifests, faults = tree.documents_of(path)[0], tree.refused(path)
    except SourceError:
        return ()
    objects = [manifest for manifest in manifests if _is_object(manifest.data)]
    if not objects and not _begins_with_object(text) and not all(word in text for word in _MANIFEST):
        return ()
    others = (manifest.problem("", _NO_OBJECT) for manifest in manifests if not _is_object(manifest.data))
    return (*faults, *others)


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(_JSON.decode(text.strip()), dict)
    except (ValueError, RecursionError):
        return False


def _begins_with_object(text: str) -> bool:
    """Whether a text begins with an object as JSON: that is read, whatever is behind it."""
    try:
        return _is_object(_JSON.raw_decode(text.lstrip())[0])
    except (ValueError, RecursionError):
        return False


def _is_object(data: Any) -> bool:
    return isinstance(data, dict) and isinstance(data.get("kind"), str) and bool(data["kind"])
