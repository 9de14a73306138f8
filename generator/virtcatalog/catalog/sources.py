"""The catalog's files: listed, read once, and the place of every fault in them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from virtcatalog.api.findings import field_path
from virtcatalog.catalog.compose import Layer
from virtcatalog.catalog.places import Source
from virtcatalog.catalog.work import Work, WorkError
from virtcatalog.errors import CatalogError, Problem, nearest
from virtcatalog.limits import CATALOG_FILE_BYTES, PROBLEMS
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.folder import Folder, SourceError
from virtcatalog.manifests.layout import CATALOG_FILES, CATALOG_FOLDERS, VM_TEMPLATE

FieldPath = tuple[str | int, ...]


def is_extended(place: str) -> bool:
    """Whether a file belongs to a catalog that is extended, and not to the catalog itself."""
    return place.startswith("../")


class Sources:
    """The files of one catalog, by their path relative to it, and the problems so far."""

    def __init__(self, folder: Folder, path: str) -> None:
        self._path = Path(path)
        self._folders = {"": folder}
        self._labels: dict[str, str] = {}
        self._own_shown: dict[str, str] = {}
        self.work = Work()
        self.unread: set[str] = set()
        self._texts: dict[str, Text] = {}
        self._problems: dict[tuple[str, FieldPath, str], Problem] = {}
        self._faulty: set[tuple[str, FieldPath]] = set()
        self._spoilt: dict[tuple[str, FieldPath], set[str]] = {}
        self._files = {"": self._find("")}

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the catalog itself, sorted."""
        return self._files[""]

    def files_of(self, prefix: str) -> tuple[str, ...]:
        """Return the files of the catalog in the folder `prefix`, sorted; "" is the catalog itself."""
        return self._files[prefix]

    def local(self, place: str) -> str:
        """Return the path of a file within its catalog."""
        if is_extended(place):
            for prefix in sorted(self._folders, key=len, reverse=True):
                if place.startswith(prefix):
                    return place.removeprefix(prefix)
        return place

    @property
    def problems(self) -> list[Problem]:
        """Everything that was reported."""
        return list(self._problems.values())

    def display(self, place: str) -> str:
        """Return a file's path as it is shown: below the catalog's path as the user wrote it."""
        if not is_extended(place):
            if place not in self._own_shown:
                self._own_shown[place] = (self._path / place).as_posix()
            return self._own_shown[place]
        for prefix, label in self._labels.items():
            if place.startswith(prefix):
                return f"{label}/{place.removeprefix(prefix)}"
        revision, colon, path = self._path.as_posix().rpartition(":")
        return f"{revision}{colon}{os.path.normpath(f'{path}/{place}')}"

    def source(self, place: str, path: FieldPath) -> Source:
        """Return where a field is declared."""
        text = self._texts.get(place)
        return Source(self.display(place), find=partial(text.place, 0, path) if text else None)

    def report(self, place: str, path: FieldPath, message: str) -> None:
        """Note a fault of a field."""
        key = (place, path, message)
        self._faulty.add((place, path))
        if key not in self._problems:
            text = self._texts.get(place)
            line, column = text.place(0, path) if text else (0, 0)
            self._problems[key] = Problem(
                file=self.display(place), line=line, column=column, field=field_path(path), message=message
            )
            self._end_of_patience()

    def stop(self, place: str, path: FieldPath, message: str) -> NoReturn:
        """Report a last fault and raise CatalogError with all: nothing more can be checked after it."""
        self.report(place, path, message)
        raise CatalogError(*self.problems)

    def spend(self, place: str, path: FieldPath, units: int) -> None:
        """Charge the work that a field causes to the catalog's budget: a few words may cause very much."""
        try:
            self.work.spend(units)
        except WorkError as error:
            self.stop(place, path, error.message)

    def add(self, problem: Problem) -> None:
        """Note a problem that has its place already."""
        self._problems[problem.file, (problem.line, problem.column), problem.message] = problem
        self._end_of_patience()

    def is_sound(self, *starts: str) -> bool:
        """Whether nothing is wrong with the files whose paths in their catalog start so.

        Else what they declare is not all known, and that something is not declared follows from that fault.
        """
        faulty = {place for place, _ in self._faulty} | self.unread
        return not any(self.local(place).startswith(starts) for place in faulty)

    def has_fault(self, place: str, path: FieldPath) -> bool:
        """Whether a fault of this field was reported."""
        return (place, path) in self._faulty

    def _end_of_patience(self) -> None:
        if len(self._problems) >= PROBLEMS:
            message = f"has {PROBLEMS:,} problems, the first of which are here; there may be more"
            raise CatalogError(*self.problems, Problem(file=self._path.as_posix(), message=message))

    def spoil(self, place: str, path: FieldPath, keys: Iterable[str]) -> None:
        """Note that keys of the layer at `path` are at fault, so that what follows from that is not reported."""
        self._spoilt.setdefault((place, path), set()).update(keys)

    def spoilt(self, layers: Iterable[Layer]) -> set[str]:
        """Return the keys of the layers that are at fault."""
        if not self._spoilt:
            return set()
        return set().union(*(self.spoilt_at(layer.place, layer.path) for layer in layers))

    def spoilt_at(self, place: str, path: FieldPath) -> set[str]:
        """Return the keys of what is declared at a path that are at fault."""
        return self._spoilt.get((place, path), set())

    def read(self, place: str) -> Any:
        """Return the data of a file that holds one document; None when there is a fault, and `unread` has the file."""
        data = self._read(place)
        if data is None:
            self.unread.add(place)
        return data

    def _read(self, place: str) -> Any:
        raw = self.read_text(place)
        if raw is None:
            return None
        text = self._texts[place] = Text(raw, self.display(place))
        documents = [data for _, data in text.documents()]
        for problem in text.problems:
            self.add(problem)
        if text.problems:
            return None
        if len(documents) != 1:
            self.report(place, (), "is empty" if not documents else "holds several documents; one file, one document")
            return None
        return documents[0]

    def read_text(self, place: str) -> bytes | None:
        """Return a file's bytes, or None when it cannot be read or is empty."""
        local = self.local(place)
        try:
            raw = self.folder(place.removesuffix(local)).read(local, CATALOG_FILE_BYTES)
        except SourceError as error:
            self.report(place, (), _catalog_message(error.message))
            return None
        if not raw.strip():
            self.report(place, (), "is empty")
            return None
        self.work.read(len(raw))
        return raw

    def folder(self, prefix: str) -> Folder:
        """Return the folder of the catalog with that prefix; "" is the catalog itself."""
        return self._folders[prefix]

    def extend(self, prefix: str, folder: Folder, *, label: str = "") -> None:
        """Add an extended catalog: its places begin with `prefix`, for which messages have `label` unless it is ""."""
        self._folders[prefix] = folder
        if label:
            self._labels[prefix] = label
        self._files[prefix] = self._find(prefix)

    def label_of(self, prefix: str) -> str:
        """Return what messages show in place of a catalog's prefix, "" for the prefix itself."""
        return self._labels.get(prefix, "")

    def _find(self, prefix: str) -> tuple[str, ...]:
        """Return every file of a catalog, sorted; report what does not belong."""
        try:
            files, faults = self._folders[prefix].listing()
        except SourceError as error:
            self.report(prefix, (), error.message)
            return ()
        for local, message in faults:
            self.report(prefix + local, (), _catalog_message(message))
        return tuple(prefix + local for local in files if self._belongs(prefix + local, local))

    def _belongs(self, place: str, local: str) -> bool:
        """Whether this is a file of the catalog; declarations in places that nobody reads are a fault."""
        folder, _, name = local.partition("/")
        if local in CATALOG_FILES or (name and folder in CATALOG_FOLDERS and place.endswith(".yaml")):
            return True
        if folder == "vms" and place.endswith(VM_TEMPLATE):
            return True
        if place.endswith(".yml"):
            self.report(place, (), "is not read: catalog files are named *.yaml")
        elif name and folder in CATALOG_FOLDERS and place.endswith(VM_TEMPLATE):
            self.report(place, (), f"is not read: files of {folder}/ are named *.yaml")
        elif place.endswith((".yaml", VM_TEMPLATE)):
            hint = nearest(folder, CATALOG_FOLDERS) if name else _nearest_file(local)
            places = (
                f"{', '.join(CATALOG_FILES)} and the files in {', '.join(f'{folder}/' for folder in CATALOG_FOLDERS)}"
            )
            self.report(place, (), f"is not read{hint or f'; a catalog has {places}'}")
        return False


def _nearest_file(name: str) -> str:
    """The hint at the catalog's file that a name is like, but for what all of them end with."""
    stems = {file.partition(".")[0]: file for file in CATALOG_FILES}
    stem = name.partition(".")[0]
    return next((f"; did you mean {stems[near]!r}?" for near in stems if nearest(stem, [near])), "")


def _catalog_message(message: str) -> str:
    """The message of a folder's fault, with what a catalog's files may be."""
    if message.endswith("link to a folder"):
        return f"{message}; put the files into the catalog"
    return message.replace("out of the folder", "out of the catalog")
