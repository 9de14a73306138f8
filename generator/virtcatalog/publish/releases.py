"""The past releases of a catalog: by the history of its lock, by version tags, or by revisions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.lock import LOCK, read_lock
from virtcatalog.catalog.model import Catalog, Lock, PublishedEnvironment
from virtcatalog.catalog.sources import Sources
from virtcatalog.errors import CatalogError, VirtcatalogError
from virtcatalog.limits import CATALOG_FILE_BYTES, PAST_LOCK_BYTES, PAST_LOCKS, PAST_RELEASES
from virtcatalog.manifests.folder import held
from virtcatalog.manifests.gitprocess import GitError
from virtcatalog.manifests.history import Commit, History
from virtcatalog.manifests.layout import CATALOG
from virtcatalog.publish.environments import Objects, environments_now, objects_now, objects_of

_VERSION: Final = re.compile(r"(?:.*[-/])?v?\d+\.\d+(?:\.\d+)?(?:[-.+][0-9A-Za-z.-]+)?")


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """What was published under a name: instance types and preferences, by section of the lock and by name.

    `environments` are what they published of these; empty for a release from before locks recorded that.
    `date` and `commit` are "" for what git does not have.
    """

    name: str
    date: str = ""
    commit: str = ""
    objects: Objects
    environments: Mapping[str, PublishedEnvironment] = {}


class Releases(msgspec.Struct, frozen=True):
    """Releases, the oldest first; `omissions` are sentences on the releases that are left out."""

    releases: tuple[Release, ...] = ()
    omissions: tuple[str, ...] = ()


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
    omissions: list[str] = []
    past = _by_lock(catalog, history, omissions)
    if not past and history is not None:
        past = list(_by_tags(history, omissions))
    if history is None:
        omissions.append(
            "There is no git repository around the catalog: only the last release is known, of catalog.lock."
        )
    elif history.shallow:
        omissions.append("The clone is shallow: releases of before its first commit are not known.")
    return Releases(tuple(past), tuple(omissions))


def _by_lock(catalog: Catalog, history: History | None, omissions: list[str]) -> list[Release]:
    """The versions of the lock: what their last commit has, with the date of their first."""
    by_version: dict[str, Release] = {}
    if catalog.lock is not None:
        by_version[catalog.lock.version] = _release(catalog.lock)
    if history is not None:
        for commit, lock in _locks(history, omissions):
            if lock.version in by_version:
                release = by_version[lock.version]
                by_version[lock.version] = msgspec.structs.replace(release, date=commit.date, commit=commit.id)
            elif len(by_version) == PAST_RELEASES:
                omissions.append(f"Releases before {list(by_version)[-1]} are left out.")
                break
            else:
                by_version[lock.version] = _release(lock, commit.date, commit.id)
    return list(reversed(by_version.values()))


def _locks(history: History, omissions: list[str]) -> Iterator[tuple[Commit, Lock]]:
    """The locks of the main line, the newest first, as far as they can be read."""
    touched = [change for change in history.touched(history.commits([LOCK], PAST_LOCKS), [LOCK]) if change.new]
    sizes = history.sizes([change.new for change in touched])
    size = 0
    for change in touched:
        date = change.commit.date
        size += sizes.get(change.new, 0)
        if size > PAST_LOCK_BYTES:
            omissions.append(f"Releases before {date} are left out: their locks are too large.")
            return
        lock = _lock(dict(history.blobs([change.new], CATALOG_FILE_BYTES)).get(change.new, b""))
        if lock is None:
            omissions.append(f"The lock of {date} ({change.commit.id[:12]}) cannot be read; it is left out.")
        else:
            yield change.commit, lock


def _lock(content: bytes) -> Lock | None:
    sources = Sources(held({LOCK: content}), CATALOG)
    lock = read_lock(sources) if content else None
    return None if sources.problems else lock


def _release(lock: Lock, date: str = "", commit: str = "") -> Release:
    return Release(
        name=lock.version, date=date, commit=commit, objects=objects_of(lock), environments=lock.environments
    )


def _by_tags(history: History, omissions: list[str]) -> Iterator[Release]:
    """The catalog at version tags, without tags whose catalog is that of the tag before."""
    tags: list[tuple[str, Commit]] = []
    trees: list[str] = []
    for name, commit in history.tags():
        tree = history.tree_of(commit.id, CATALOG) and history.tree_of(commit.id, "")
        if tree and _VERSION.fullmatch(name) and trees[-1:] != [tree]:
            trees.append(tree)
            tags.append((name, commit))
    if len(tags) > PAST_RELEASES:
        tags = tags[-PAST_RELEASES:]
        omissions.append(f"Tags before {tags[0][0]} are left out.")
    for name, commit in tags:
        try:
            yield _at(history, commit, name)
        except CatalogError:
            omissions.append(f"The catalog of the tag {name} cannot be read; it is left out.")


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
        objects=objects_now(catalog),
        environments=environments_now(catalog),
    )
