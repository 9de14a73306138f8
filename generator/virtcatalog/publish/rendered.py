"""The history of rendered objects, out of git: when each appeared, what changed in it, when it was deprecated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from virtcatalog.api.annotations import DEPRECATED_LABEL
from virtcatalog.catalog.model import CLUSTER_KINDS, Catalog
from virtcatalog.limits import PAST_CHANGES, PAST_COMMITS, PAST_FILE_BYTES
from virtcatalog.manifests.difference import differences
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.history import Commit, History, Touched, history_of
from virtcatalog.manifests.layout import BASE
from virtcatalog.render.tree import owner_of

Which = tuple[str, str]
"""The section of the lock that an object is in, and its name."""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """What a commit did to an object; `fields` are what it changed in it, field by field."""

    date: str
    commit: str
    subject: str
    what: str
    fields: tuple[str, ...] = ()


class Past(msgspec.Struct, frozen=True):
    """The events of each object, the newest first; `said` is what has to be known of those that are not among them."""

    events: Mapping[Which, tuple[Event, ...]] = {}
    said: str = ""


def past(catalog: Catalog, tree: str) -> Past:
    """Return the past of a catalog's objects in its output tree, as git has it."""
    if owner_of(Path(tree)) not in ("", catalog.name):
        return Past(said=f"The rendered objects in {tree} are another catalog's: when these changed is not known.")
    history = history_of(tree)
    if history is None:
        return Past(said="There is no git repository around the rendered objects: when they changed is not known.")
    sections = dict(zip(CLUSTER_KINDS, ("instancetypes", "preferences"), strict=True))
    names = {
        "instancetypes": {instancetype.name for instancetype in catalog.instancetypes},
        "preferences": {preference.name for preference in catalog.preferences},
    }
    paths = [f"{BASE}/{kind}" for kind in CLUSTER_KINDS]
    commits = history.commits(paths, PAST_COMMITS)
    if not commits:
        return Past(
            said=f"Git knows of no rendered objects in {Path(tree).as_posix()}: when they changed is not known."
        )
    touched: list[tuple[Which, Touched]] = []
    for each in history.touched(commits, paths):
        _, kind, file = each.path.split("/")[:3]
        which = sections[kind], file.removesuffix(".yaml")
        if which[1] in names[which[0]]:
            touched.append((which, each))
            if len(touched) == PAST_CHANGES:
                break
    cut = len(touched) == PAST_CHANGES or len(commits) == PAST_COMMITS
    shallow = history.shallow
    first = commits[-1] if shallow and not commits[-1].parent else None
    said = ""
    if first is not None:
        said = f"The clone is shallow: what was before {first.date} is not known."
    elif cut:
        said = f"What was before {touched[-1][1].commit.date if touched else commits[-1].date} is left out."
    events: dict[Which, list[Event]] = {}
    for which, event in _events(history, touched, first):
        events.setdefault(which, []).append(event)
    return Past({which: tuple(found) for which, found in events.items()}, said)


def _events(
    history: History, touched: Sequence[tuple[Which, Touched]], first: Commit | None
) -> Iterator[tuple[Which, Event]]:
    """What each change did; the first commit of a shallow clone did nothing that is known."""
    changed = [each for _, each in touched if each.old and each.new]
    wanted = list(dict.fromkeys(blob for each in changed for blob in (each.old, each.new)))
    known = {name: _manifest(content) for name, content in history.blobs(wanted, PAST_FILE_BYTES)}
    for which, each in touched:
        if each.commit == first:
            continue
        if not each.old:
            yield which, _event(each, "appeared")
        elif not each.new:
            yield which, _event(each, "was taken out")
        else:
            old, new = known.get(each.old), known.get(each.new)
            if old is None or new is None:
                yield which, _event(each, "changed")
                continue
            was, is_ = _is_deprecated(old), _is_deprecated(new)
            what = "changed" if was == is_ else "was deprecated" if is_ else "was deprecated no longer"
            fields = tuple(str(one) for one in differences(_told(old), _told(new)))
            if fields:
                yield which, _event(each, what, fields)


def _event(each: Touched, what: str, fields: tuple[str, ...] = ()) -> Event:
    commit = each.commit
    return Event(date=commit.date, commit=commit.id[:12], subject=commit.subject, what=what, fields=fields)


def _manifest(content: bytes) -> dict[str, Any] | None:
    """The one manifest of a file; None when it is none."""
    source = Text(content)
    documents = [data for _, data in source.documents()]
    if source.problems or len(documents) != 1 or not isinstance(documents[0], dict):
        return None
    return documents[0]


def _told(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What is told of a manifest: labels, annotations and the spec."""
    metadata = manifest.get("metadata")
    kept = {key: metadata.get(key) for key in ("labels", "annotations")} if isinstance(metadata, dict) else {}
    return {"metadata": {key: each for key, each in kept.items() if each}, "spec": manifest.get("spec")}


def _is_deprecated(manifest: Mapping[str, Any]) -> bool:
    labels = _told(manifest)["metadata"].get("labels")
    return isinstance(labels, dict) and labels.get(DEPRECATED_LABEL) == "true"
