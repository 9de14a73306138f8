"""The releases that a catalog has behind it: by the history of its lock, by version tags, or by revisions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.lock import SECTIONS, published, read_lock
from virtcatalog.catalog.model import Catalog, Lock, Published, PublishedEnvironment
from virtcatalog.catalog.published import LOCK, published_in
from virtcatalog.catalog.sources import Sources
from virtcatalog.errors import CatalogError, VirtcatalogError
from virtcatalog.limits import CATALOG_FILE_BYTES, PAST_LOCK_BYTES, PAST_LOCKS, PAST_RELEASES
from virtcatalog.manifests.folder import held
from virtcatalog.manifests.gitprocess import GitError
from virtcatalog.manifests.history import Commit, History
from virtcatalog.manifests.layout import CATALOG

_VERSION: Final = re.compile(r"(?:.*[-/])?v?\d+\.\d+(?:\.\d+)?(?:[-.+][0-9A-Za-z.-]+)?")

Objects = Mapping[str, Mapping[str, Published]]
"""By section of the lock and by name."""

Environments = Mapping[str, PublishedEnvironment]


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """What was published under a name: instance types and preferences, by section of the lock and by name.

    `environments` are what each of them published of these; none is known of a release of before that was recorded.
    `date` and `commit` are "" for what git does not know.
    """

    name: str
    date: str = ""
    commit: str = ""
    objects: Objects
    environments: Environments = {}


class Releases(msgspec.Struct, frozen=True):
    """Releases, the oldest first; `said` is what has to be known of those that are not among them."""

    found: tuple[Release, ...] = ()
    said: tuple[str, ...] = ()


def releases(catalog: Catalog, history: History | None, revisions: Sequence[str] = ()) -> Releases:
    """Return the releases of a catalog.

    They are the revisions if there are any; else the versions that its lock has had, the one at hand included; else,
    for a catalog without a lock, the tags that are named as versions are. GitError for a revision that there is not,
    CatalogError for one whose catalog cannot be read.
    """
    if revisions:
        if history is None:
            raise GitError("there is no git repository around the catalog: no revision can be read")
        return Releases(
            tuple(_at(history, Commit(history.commit(revision), "", "", ""), revision) for revision in revisions)
        )
    said: list[str] = []
    found = _by_lock(catalog, history, said)
    if not found and history is not None:
        found = list(_by_tags(history, said))
    if history is None:
        said.append("There is no git repository around the catalog: only the last release is known, of catalog.lock.")
    elif history.shallow:
        said.append("The clone is shallow: releases of before its first commit are not known.")
    return Releases(tuple(found), tuple(said))


def now(catalog: Catalog) -> Objects:
    """Return what the catalog would publish."""
    return {
        section: {entry.name: published(entry) for entry in entries}
        for section, entries in zip(SECTIONS, (catalog.instancetypes, catalog.preferences), strict=True)
    }


def environments_now(catalog: Catalog) -> Environments:
    """Return what each environment would publish."""
    return {overlay.name: published_in(catalog, overlay) for overlay in catalog.overlays}


def _by_lock(catalog: Catalog, history: History | None, said: list[str]) -> list[Release]:
    """The versions of the lock, each as it was published last, of the day on which it was first."""
    found: dict[str, Release] = {}
    if catalog.lock is not None:
        found[catalog.lock.version] = _release(catalog.lock)
    if history is not None:
        for commit, lock in _locks(history, said):
            if lock.version in found:
                known = found[lock.version]
                found[lock.version] = msgspec.structs.replace(known, date=commit.date, commit=commit.id)
            elif len(found) == PAST_RELEASES:
                said.append(f"Releases before {list(found)[-1]} are left out.")
                break
            else:
                found[lock.version] = _release(lock, commit.date, commit.id)
    return list(reversed(found.values()))


def _locks(history: History, said: list[str]) -> Iterator[tuple[Commit, Lock]]:
    """The locks of the main line, the newest first, as far as they can be read."""
    touched = [each for each in history.touched(history.commits([LOCK], PAST_LOCKS), [LOCK]) if each.new]
    sizes = history.sizes([each.new for each in touched])
    size = 0
    for each in touched:
        date = each.commit.date
        size += sizes.get(each.new, 0)
        if size > PAST_LOCK_BYTES:
            said.append(f"Releases before {date} are left out: their locks are too large.")
            return
        lock = _lock(dict(history.blobs([each.new], CATALOG_FILE_BYTES)).get(each.new, b""))
        if lock is None:
            said.append(f"The lock of {date} ({each.commit.id[:12]}) cannot be read; it is left out.")
        else:
            yield each.commit, lock


def _lock(content: bytes) -> Lock | None:
    sources = Sources(held({LOCK: content}), CATALOG)
    lock = read_lock(sources) if content else None
    return None if sources.problems else lock


def _release(lock: Lock, date: str = "", commit: str = "") -> Release:
    objects = {section: getattr(lock, section) for section in SECTIONS}
    return Release(name=lock.version, date=date, commit=commit, objects=objects, environments=lock.environments)


def _by_tags(history: History, said: list[str]) -> Iterator[Release]:
    """The catalog at version tags, without tags of which the catalog is that of the one before."""
    named: list[tuple[str, Commit]] = []
    trees: list[str] = []
    for name, commit in history.tags():
        tree = history.tree_of(commit.id, CATALOG) and history.tree_of(commit.id, "")
        if tree and _VERSION.fullmatch(name) and trees[-1:] != [tree]:
            trees.append(tree)
            named.append((name, commit))
    if len(named) > PAST_RELEASES:
        named = named[-PAST_RELEASES:]
        said.append(f"Tags before {named[0][0]} are left out.")
    for name, commit in named:
        try:
            yield _at(history, commit, name)
        except CatalogError:
            said.append(f"The catalog of the tag {name} cannot be read; it is left out.")


def _at(history: History, commit: Commit, name: str) -> Release:
    """The catalog of a commit."""
    folder = history.folder(commit.id, ".")
    if folder is None or not folder.has(CATALOG):
        raise VirtcatalogError(f"{name}: there is no catalog in this revision")
    catalog = load_catalog(f"{name}:{history.prefix or '.'}", folder)
    return Release(
        name=name,
        date=commit.date or history.dated(commit.id),
        commit=commit.id,
        objects=now(catalog),
        environments=environments_now(catalog),
    )
