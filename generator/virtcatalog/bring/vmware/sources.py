"""Where machines are read from: files, folders and standard input, each by what it holds."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from virtcatalog.bring.vmware.rvtools import SHEETS, read_rvtools
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.limits import SOURCE_FILE_BYTES, XML_BYTES
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.sources import is_folder, open_folder, opened, read_file

if TYPE_CHECKING:
    from virtcatalog.bring.vmware.machine import Machine
    from virtcatalog.bring.vmware.table import Table


class Machines(Protocol):
    """The machines of a source, which are asked for twice."""

    def __call__(self, *, accounted: bool = True) -> Iterator[Machine]:
        """Yield them; without attributes where these are not `accounted` for, as for what a mapping tells of."""


class _SourceFile(NamedTuple):
    """A file of a source; `read` returns all of it, and must not be called for an archive."""

    name: str
    read: Callable[[int], bytes]
    path: str


def read_sources(sources: Iterable[str], problems: list[Problem]) -> list[Machines]:
    """Return the machines of files, folders and `-`; add what cannot be read."""
    files: list[_SourceFile] = []
    for source in sources:
        try:
            files += _files(source, problems)
        except SourceError as error:
            problems.append(Problem(file=source, message=error.message))
    machines: list[Machines] = []
    exports: dict[str, dict[str, _SourceFile]] = {}
    inventories: dict[str, list[_SourceFile]] = {}
    for file in files:
        match = _SHEET.search(file.name)
        if file.name.lower().endswith(".json") or _is_json(file):
            inventories.setdefault(str(Path(file.name).parent), []).append(file)
            continue
        if file.name.lower().endswith(".xlsx"):
            machines += _read(partial(_workbook, file, problems), file.name, problems)
            continue
        if match is None:
            machines += _read(partial(_machines, file), file.name, problems)
            continue
        export = exports.setdefault(file.name[: match.start()], {})
        sheet = _SHEETS[match["sheet"].lower()]
        if export.setdefault(sheet, file) is not file:
            problems.append(Problem(file=file.name, message=f"{export[sheet].name} is {sheet} already"))
    for export in exports.values():
        machines += _read(partial(_export, export, problems), next(iter(export.values())).name, problems)
    for inventory_files in inventories.values():
        machines += _read(partial(_inventory, inventory_files, problems), inventory_files[0].name, problems)
    return machines


def _read(read: Callable[[], Iterable[Machines]], file: str, problems: list[Problem]) -> list[Machines]:
    try:
        return list(read())
    except ManifestError as error:
        problems += error.problems
    except SourceError as error:
        problems.append(Problem(file=file, message=error.message))
    return []


_SHEETS: Final = {sheet.lower(): sheet for sheet in SHEETS}
_SHEET = re.compile(rf"(?:tab)?(?P<sheet>{'|'.join(_SHEETS)})\.csv$", re.IGNORECASE)
"""How the file of a sheet is called, with what the export is called in front."""
_SORTS: Final = re.compile(rf"\.ov[fa]$|\.xlsx$|\.json$|{_SHEET.pattern}", re.IGNORECASE)


def _files(source: str, problems: list[Problem]) -> Iterator[_SourceFile]:
    if source == "-":
        content = read_file("-")
        yield _SourceFile("<stdin>", lambda _most: content, "")
        return
    if not is_folder(source):
        yield _SourceFile(source, lambda most: read_file(source, most), source)
        return
    folder = open_folder(source)
    listing = folder.listing()
    paths = [path for path in listing.files if _SORTS.search(path)]
    unread = [(path, why) for path, why in listing.faults if _SORTS.search(path)]
    problems += [Problem(file=str(Path(source, path)), message=why) for path, why in unread]
    if not paths and not unread:
        problems.append(
            Problem(file=source, message="no .ovf, .ova, .xlsx or .json file in this folder, and no RVTools_tabv….csv")
        )
    for path in paths:
        place = str(Path(source, path))
        yield _SourceFile(place, partial(folder.read, path), _within(source, place))


def _within(folder: str, path: str) -> str:
    """The path of a file in a folder, "" where a link is on the way to it."""
    real = os.path.realpath(folder)
    return path if os.path.realpath(path) == os.path.join(real, os.path.relpath(path, folder)) else ""  # noqa: PTH118


def _machines(file: _SourceFile) -> Iterator[Machines]:
    from virtcatalog.bring.vmware.ovf import read_ovf

    name = file.name.lower()
    if name.endswith(".csv"):
        message = "which sheet of RVTools this is, its name has to say, as in RVTools_tabvInfo.csv"
        raise ManifestError(Problem(file=file.name, message=message))
    content = _descriptor(file) if name.endswith(".ova") else file.read(XML_BYTES)
    machines = read_ovf(content, file.name)
    yield lambda *, accounted=True: iter(machines)  # noqa: ARG005


def _export(files: dict[str, _SourceFile], problems: list[Problem]) -> Iterator[Machines]:
    """The machines of RVTools' sheets, which are in a file each."""
    from virtcatalog.bring.vmware.table import read_csv

    tables: dict[str, Table] = {}
    for sheet, file in files.items():
        try:
            tables[sheet] = read_csv(file.read(SOURCE_FILE_BYTES), file.name)
        except SourceError as error:
            raise ManifestError(Problem(file=file.name, message=error.message)) from error
    yield read_rvtools(tables, problems).machines


def _workbook(file: _SourceFile, problems: list[Problem]) -> Iterator[Machines]:
    from virtcatalog.bring.vmware.workbook import read_workbook

    tables = read_workbook(file.read(SOURCE_FILE_BYTES), file.name, SHEETS)
    if not tables:
        raise ManifestError(Problem(file=file.name, message="has no sheet vInfo: it is no RVTools export"))
    yield read_rvtools(tables, problems).machines


def _inventory(files: list[_SourceFile], problems: list[Problem]) -> Iterator[Machines]:
    """The machines of forklift's inventory, whose networks and datastores may be in files of their own."""
    from virtcatalog.bring.vmware.inventory import Inventory

    contents: dict[str, bytes] = {}
    for file in files:
        try:
            contents[file.name] = file.read(SOURCE_FILE_BYTES)
        except SourceError as error:
            problems.append(Problem(file=file.name, message=error.message))
    yield Inventory(contents, problems).machines


def _is_json(file: _SourceFile) -> bool:
    """Whether standard input is JSON: what it holds is there already."""
    return file.name == "<stdin>" and file.read(SOURCE_FILE_BYTES).lstrip()[:1] in (b"[", b"{")


def _descriptor(file: _SourceFile) -> bytes:
    """The descriptor in an archive, which may be as large as its disks: only what is needed is read."""
    from virtcatalog.bring.vmware.ova import read_ova

    if not file.path:
        raise SourceError("is behind a link: name it itself")
    descriptor = opened(file.path)
    try:
        return read_ova(lambda start, end: os.pread(descriptor, end - start, start), file.name)
    finally:
        os.close(descriptor)
