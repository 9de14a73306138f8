"""Sheets of an Excel workbook (ECMA-376), read row by row: nothing is unpacked, and only what is asked for is read."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Collection, Iterator
from io import BytesIO
from typing import IO, TYPE_CHECKING, Final

from virtcatalog.bring.vmware.table import Table, table_of
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.limits import TABLE_CELLS, WORKBOOK_BYTES, WORKBOOK_ELEMENTS, WORKBOOK_TAGS

if TYPE_CHECKING:
    from lxml.etree import _Element

_WORKBOOK, _RELATIONS, _STRINGS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/sharedStrings.xml"
_PLACE: Final = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_BOOLEANS: Final = {"1": "True", "0": "False"}
_ENCRYPTED: Final = 1


def read_workbook(content: bytes, file: str, sheets: Collection[str]) -> dict[str, Table]:
    """Return those of the sheets that a workbook has; ManifestError for what is none, or is too large unpacked."""
    from lxml import etree

    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            return _Workbook(archive, file).tables(sheets)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError) as error:
        raise _fault(file, f"is no workbook: {error}") from None
    except etree.XMLSyntaxError as error:
        raise _fault(file, f"is no workbook: {(error.msg or 'it holds no XML').partition(', line ')[0]}") from None


def _fault(file: str, message: str) -> ManifestError:
    return ManifestError(Problem(file, message=message))


class _Part:
    """A part of a workbook, while it is parsed: what is between two elements that are asked for is held in memory."""

    def __init__(self, part: IO[bytes], file: str, path: str) -> None:
        self._part, self._file, self._path = part, file, path
        self.tags = 0
        """How many tags were read since the last element that was asked for."""

    def read(self, size: int) -> bytes:
        """Return some bytes; ManifestError when a row or what is beside them has more tags than any that is real."""
        content = self._part.read(size)
        self.tags += content.count(b"<")
        if self.tags > WORKBOOK_TAGS:
            raise _fault(self._file, f"{self._path}: has more than {WORKBOOK_TAGS:,} tags in one place")
        return content


class _Workbook:
    """A workbook, while it is read."""

    def __init__(self, archive: zipfile.ZipFile, file: str) -> None:
        self._archive, self._file = archive, file
        self._left = WORKBOOK_BYTES
        self._parts = {part.filename: part for part in archive.infolist()}

    def tables(self, sheets: Collection[str]) -> dict[str, Table]:
        """Return the tables of sheets by their names, which nothing is read of but these."""
        relations = {
            element.get("Id"): element.get("Target") or "" for element in self._elements(_RELATIONS, "Relationship")
        }
        paths: dict[str, str] = {}
        for element in self._elements(_WORKBOOK, "sheet"):
            relation = next((str(value) for key, value in element.items() if str(key).endswith("}id")), "")
            if (name := element.get("name") or "") in sheets:
                paths[name] = relations.get(relation, "")
        strings = [_text(element) for element in self._elements(_STRINGS, "si")] if _STRINGS in self._parts else []
        return {
            name: table_of(
                self._rows(path.lstrip("/") if path.startswith("/") else f"xl/{path}", strings), f"{self._file}#{name}"
            )
            for name, path in paths.items()
        }

    def _rows(self, path: str, strings: list[str]) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows with their numbers; cells that are left out at their ends are empty."""
        width = number = cells_read = 0
        for element in self._elements(path, "row"):
            row_number = element.get("r") or ""
            number = (
                int(row_number)
                if row_number.isascii() and row_number.isdecimal() and len(row_number) < 8
                else number + 1
            )
            cells: list[str] = []
            for cell in element:
                place = _PLACE.fullmatch(cell.get("r") or "")
                cells += [""] * ((_column(place[1]) if place else len(cells)) - len(cells))
                cells.append(_value(cell, strings))
            cells_read += len(cells)
            if cells_read > TABLE_CELLS:
                raise _fault(self._file, f"{path}: is more than {TABLE_CELLS:,} cells: split the file")
            width = width or len(cells)
            yield number, cells + [""] * (width - len(cells))

    def _elements(self, path: str, name: str) -> Iterator[_Element]:
        """Yield the elements of a name, each of which is forgotten when the next one is asked for."""
        from lxml import etree

        options = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}
        with self._opened(path) as opened:
            part = _Part(opened, self._file, path)
            events = etree.iterparse(part, tag=f"{{*}}{name}", events=("end",), **options)
            for number, (_, element) in enumerate(events):
                if element.getroottree().docinfo.doctype:
                    raise _fault(self._file, f"{path}: <!DOCTYPE is not taken: a workbook has none")
                if number >= WORKBOOK_ELEMENTS:
                    raise _fault(self._file, f"{path}: has more than {WORKBOOK_ELEMENTS:,} of <{name}>")
                yield element
                part.tags = 0
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]

    def _opened(self, path: str) -> IO[bytes]:
        """A part that is no larger than what is left to read: zipfile gives no more than the directory says."""
        part = self._parts.get(path)
        if part is None:
            raise _fault(self._file, f"is no workbook: it has no {path}")
        if part.flag_bits & _ENCRYPTED:
            raise _fault(self._file, "is encrypted: save it without a password")
        if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _fault(self._file, f"is no workbook: {path} is compressed in a way that Excel does not know")
        self._left -= part.file_size
        if self._left < 0:
            raise _fault(self._file, f"is larger than {WORKBOOK_BYTES // 2**20} MiB unpacked")
        return self._archive.open(part)


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _value(cell: _Element, strings: list[str]) -> str:
    """The text of a cell, as RVTools writes it into a CSV file."""
    kind = cell.get("t")
    if kind == "inlineStr":
        return _text(cell)
    value = cell.findtext("{*}v") or ""
    if kind == "s":
        number = int(value) if value.isascii() and value.isdecimal() and len(value) < 10 else len(strings)
        if number >= len(strings):
            raise ValueError(f"a cell has the text {value!r}, which is not there")
        return strings[number]
    return _BOOLEANS.get(value, value) if kind == "b" else value


def _text(element: _Element) -> str:
    """The texts in an element; how they are pronounced (`rPh`) is none of them."""
    return "".join(
        text.text or ""
        for text in element.iter("{*}t")
        if not str(getattr(text.getparent(), "tag", "")).endswith("}rPh")
    )
