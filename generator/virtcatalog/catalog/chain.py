"""Catalogs that extend another: which folder that is, and what is taken over from it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal

import msgspec

from virtcatalog.catalog.sources import Sources
from virtcatalog.errors import nearest
from virtcatalog.manifests.folder import LinkOutError
from virtcatalog.manifests.layout import CATALOG
from virtcatalog.manifests.sources import NAME, hint, open_shipped
from virtcatalog.oci import SCHEME

Section = Literal["instancetypes", "preferences"]


class Part(msgspec.Struct, frozen=True):
    """One catalog of a chain: `declared` is its catalog.yaml.

    The paths of its files begin with `prefix`, "" for the catalog itself. `level` counts from the catalog that extends
    no other.
    """

    prefix: str
    level: int
    declared: dict[str, Any]

    @property
    def place(self) -> str:
        """Its catalog.yaml."""
        return f"{self.prefix}{CATALOG}"


class Level(msgspec.Struct, frozen=True):
    """What one catalog of a chain says in a file. One declaration is a stack of these, the lowest level first."""

    number: int
    place: str
    data: dict[str, Any]

    def has(self, key: str, name: str) -> bool:
        """Whether it has an entry of that name under a key."""
        return name in (self.data.get(key) or {})

    def entry(self, key: str, name: str) -> dict[str, Any]:
        """Return what it says of an entry under a key."""
        return (self.data.get(key) or {}).get(name) or {}


def names_under(stack: Iterable[Level], key: str) -> list[str]:
    """Return the names of the entries under a key, in the order in which they are first declared."""
    return list(dict.fromkeys(name for level in stack for name in level.data.get(key) or ()))


def levels_of(stack: Iterable[Level], key: str, name: str) -> set[int]:
    """Return the levels that declare an entry under a key."""
    return {level.number for level in stack if level.has(key, name)}


def extend(sources: Sources, prefixes: Sequence[str], path: str) -> str:
    """Take the catalog that `extends: path` means in the last of the catalogs of these prefixes; return its prefix.

    It is one that comes with the program, by its name, or an artifact that was pulled, or lies beside the catalog or
    beside one of its neighbours' files: below the folder that the catalog is in, links resolved, so that building a
    catalog reads nothing else that its repository does not show. Raises ValueError.
    """
    if path.startswith(SCHEME):
        from virtcatalog.catalog.artifacts import extend_artifact

        return extend_artifact(sources, prefixes, path)
    folder = open_shipped(path)
    if folder is not None:
        prefix = f"../{path}/"
        sources.extend(prefix, folder, label=path)
        return prefix
    if path.startswith(NAME) and "/" not in path:
        raise ValueError(f"{path!r} is no catalog{hint(path)}")
    if path.startswith("/"):
        raise ValueError(f"{path!r} must be relative to this catalog's folder, such as ../common-instancetypes")
    own_folder = sources.folder(prefixes[-1])
    outside = f"{path!r} leaves the folder that this catalog is in; a catalog can extend its neighbours only"
    try:
        folder = own_folder.folder(path)
    except LinkOutError:
        raise ValueError(outside) from None
    if folder is None:
        raise ValueError(f"there is no folder {path!r}{nearest(path, (NAME,))}")
    target = folder.at
    if target == own_folder.at:
        raise ValueError("a catalog cannot extend itself")
    if target in [sources.folder(prefix).at for prefix in prefixes]:
        raise ValueError("catalogs extend each other in a circle")
    if target[: len(own_folder.at)] == own_folder.at:
        raise ValueError(f"{path!r} lies within the catalog itself; put the other catalog beside it")
    parent = own_folder.at[:-1]
    if target[: len(parent)] != parent or target == parent:
        raise ValueError(outside)
    if not folder.has(CATALOG):
        raise ValueError(f"there is no {CATALOG} in {path!r}")
    prefix = os.path.normpath(f"{prefixes[-1]}{path}") + "/"
    above = sources.label_of(prefixes[-1])
    sources.extend(prefix, folder, label=_joined(above, path) if above else "")
    return prefix


def _joined(above: str, path: str) -> str:
    """Return what messages call a catalog beside another one; that may be an artifact's, whose host stays."""
    scheme, slashes, rest = above.rpartition("://")
    return f"{scheme}{slashes}{os.path.normpath(f'{rest}/{path}')}"


class Chain:
    """A catalog and those that it extends, lowest first, and what is taken over from level to level."""

    def __init__(self, sources: Sources, parts: Iterable[Part]) -> None:
        self.parts = tuple(parts)
        self._sources = sources
        self._matched: set[tuple[int, str, int]] = set()
        self._seen: dict[Section, set[str]] = {"instancetypes": set(), "preferences": set()}

    def files(self, folder: str) -> dict[str, list[tuple[int, str]]]:
        """Return the files of a folder by their path within a catalog, with the levels and places that have them."""
        files: dict[str, list[tuple[int, str]]] = {}
        for part in self.parts:
            for place in self._sources.files_of(part.prefix):
                local = place.removeprefix(part.prefix)
                if local.startswith(f"{folder}/"):
                    files.setdefault(local, []).append((part.level, place))
        return dict(sorted(files.items()))

    def takes(
        self, section: Section, name: str, levels: Collection[int], part_of: tuple[str, Collection[int]] | None = None
    ) -> bool:
        """Whether the catalog has an object that these levels declare: every level takes it over or declares it itself.

        A variant is taken over with the object that it is `part_of` (name, levels), if the catalog has that already.
        """
        if len(self.parts) == 1:
            return True
        main, declared = part_of or (name, levels)
        arrivals = {max(level, min(declared)) for level in levels}
        present = main_present = False
        for part in self.parts:
            select = part.declared.get("select") or {}
            present = present and self._selected(part.level, select, section, name)
            main_present = main_present and self._selected(part.level, select, section, main)
            main_present = main_present or part.level in declared
            present = present or (main_present and part.level in arrivals)
        return present

    def _selected(self, level: int, select: Mapping[str, Any], section: Section, name: str) -> bool:
        self._seen[section].add(name)
        selected = self._matches(level, section, select.get(section), name)
        unwanted = self._matches(level, "except", select.get("except"), name)
        return (selected or select.get(section) is None) and not unwanted

    def _matches(self, level: int, key: str, globs: Iterable[str] | None, name: str) -> bool:
        matching = [index for index, glob in enumerate(globs or ()) if fnmatchcase(name, glob)]
        self._matched.update((level, key, index) for index in matching)
        return bool(matching)

    def check(self) -> None:
        """Report selections without a catalog to select from, and globs that match nothing there.

        Where the lowest catalog extends one that could not be read, nobody knows what globs match.
        """
        is_complete = not self.parts[0].declared.get("extends")
        for part in self.parts:
            select = part.declared.get("select") or {}
            if select and not part.declared.get("extends"):
                self._sources.report(
                    part.place, ("select",), "selects from an extended catalog, and `extends` names none"
                )
                continue
            for key, index, glob in _globs(select):
                if is_complete and (part.level, key, index) not in self._matched:
                    names = self._seen["instancetypes"] | self._seen["preferences"]
                    if key in ("instancetypes", "preferences"):
                        names = self._seen["instancetypes" if key == "instancetypes" else "preferences"]
                    message = f"{glob!r} matches nothing of the extended catalog{nearest(glob, names)}"
                    self._sources.report(part.place, ("select", key, index), message)


def _globs(select: Mapping[str, Any]) -> Iterator[tuple[str, int, str]]:
    for key, globs in select.items():
        for index, glob in enumerate(globs or ()):
            yield key, index, glob
