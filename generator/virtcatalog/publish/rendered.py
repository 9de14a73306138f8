"""The history of rendered objects, out of git: when they appeared, what changed in them, when they were deprecated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from virtcatalog.api.kinds import CLUSTER_KINDS
from virtcatalog.api.names import DEPRECATED_LABEL
from virtcatalog.catalog.model import Catalog
from virtcatalog.limits import PAST_CHANGES, PAST_COMMITS, PAST_FILE_BYTES
from virtcatalog.manifests.difference import differences
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.history import Commit, History, Touched, history_of
from virtcatalog.manifests.layout import BASE
from virtcatalog.render.ownership import owner_of

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
    """The events of objects, the newest first; `omission` is a sentence on the events that are left out."""

    events: Mapping[Which, tuple[Event, ...]] = {}
    omission: str = ""


def past(catalog: Catalog, tree: str) -> Past:
    """Return the past of a catalog's objects in its output tree, as git has it."""
    if owner_of(Path(tree)) not in ("", catalog.name):
        return Past(omission=f"The rendered objects in {tree} are another catalog's: when these changed is not known.")
    history = history_of(tree)
    if history is None:
        return Past(omission="There is no git repository around the rendered objects: when they changed is not known.")
    sections = dict(zip(CLUSTER_KINDS, ("instancetypes", "preferences"), strict=True))
    names = {
        "instancetypes": {instancetype.name for instancetype in catalog.instancetypes},
        "preferences": {preference.name for preference in catalog.preferences},
    }
    paths = [f"{BASE}/{kind}" for kind in CLUSTER_KINDS]
    commits = history.commits(paths, PAST_COMMITS)
    if not commits:
        return Past(
            omission=f"Git knows of no rendered objects in {Path(tree).as_posix()}: when they changed is not known."
        )
    touched: list[tuple[Which, Touched]] = []
    for change in history.touched(commits, paths):
        _, kind, file = change.path.split("/")[:3]
        which = sections[kind], file.removesuffix(".yaml")
        if which[1] in names[which[0]]:
            touched.append((which, change))
            if len(touched) == PAST_CHANGES:
                break
    cut = len(touched) == PAST_CHANGES or len(commits) == PAST_COMMITS
    shallow = history.shallow
    first = commits[-1] if shallow and not commits[-1].parent else None
    omission = ""
    if first is not None:
        omission = f"The clone is shallow: what was before {first.date} is not known."
    elif cut:
        omission = f"What was before {touched[-1][1].commit.date if touched else commits[-1].date} is left out."
    events: dict[Which, list[Event]] = {}
    for which, event in _events(history, touched, first):
        events.setdefault(which, []).append(event)
    return Past({which: tuple(of_object) for which, of_object in events.items()}, omission)


def _events(
    history: History, touched: Sequence[tuple[Which, Touched]], first: Commit | None
) -> Iterator[tuple[Which, Event]]:
    """The events of the changes; of the first commit of a shallow clone none is known."""
    changed = [change for _, change in touched if change.old and change.new]
    wanted = list(dict.fromkeys(blob for change in changed for blob in (change.old, change.new)))
    manifests = {name: _manifest(content) for name, content in history.blobs(wanted, PAST_FILE_BYTES)}
    for which, change in touched:
        if change.commit == first:
            continue
        if not change.old:
            yield which, _event(change, "appeared")
        elif not change.new:
            yield which, _event(change, "was taken out")
        else:
            old, new = manifests.get(change.old), manifests.get(change.new)
            if old is None or new is None:
                yield which, _event(change, "changed")
                continue
            was, is_ = _is_deprecated(old), _is_deprecated(new)
            what = "changed" if was == is_ else "was deprecated" if is_ else "was deprecated no longer"
            fields = tuple(str(difference) for difference in differences(_compared(old), _compared(new)))
            if fields:
                yield which, _event(change, what, fields)


def _event(change: Touched, what: str, fields: tuple[str, ...] = ()) -> Event:
    commit = change.commit
    return Event(date=commit.date, commit=commit.id[:12], subject=commit.subject, what=what, fields=fields)


def _manifest(content: bytes) -> dict[str, Any] | None:
    """The manifest of a file; None when the file does not hold one manifest."""
    source = Text(content)
    documents = [data for _, data in source.documents()]
    if source.problems or len(documents) != 1 or not isinstance(documents[0], dict):
        return None
    return documents[0]


def _compared(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a manifest whose changes are events: labels, annotations and the spec."""
    metadata = manifest.get("metadata")
    texts = {key: metadata.get(key) for key in ("labels", "annotations")} if isinstance(metadata, dict) else {}
    return {"metadata": {key: value for key, value in texts.items() if value}, "spec": manifest.get("spec")}


def _is_deprecated(manifest: Mapping[str, Any]) -> bool:
    labels = _compared(manifest)["metadata"].get("labels")
    return isinstance(labels, dict) and labels.get(DEPRECATED_LABEL) == "true"
