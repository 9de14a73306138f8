"""Tables of text: what a CSV file or a sheet of a workbook holds, with the place of every cell."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from virtcatalog.errors import ManifestError, Problem
from virtcatalog.limits import TABLE_CELLS

_DELIMITERS = ",;\t"


class Row(NamedTuple):
    """The cells of a row, and its line: that of the file, or the row's number in a sheet."""

    line: int
    cells: tuple[str, ...]


class Table(NamedTuple):
    """A table with a header; every row has as many cells as it. `columns` has the number of each column, from 0."""

    file: str
    columns: dict[str, int]
    rows: list[Row]

    def get(self, row: Row, column: str) -> str:
        """Return a cell without the blanks around it, "" where the table has no such column."""
        number = self.columns.get(column)
        return row.cells[number].strip() if number is not None else ""

    def problem(self, row: Row, column: str, message: str, vm: str = "") -> Problem:
        """Return a problem of a cell; its place is the line and the number of the column, from 1."""
        return Problem(self.file, row.line, self.columns.get(column, 0) + 1, vm, column, message)


def table_of(rows: Iterable[tuple[int, Sequence[str]]], file: str) -> Table:
    """Return the table of rows and their lines, of which the first that is not empty is the header.

    A cell's text is held once, however many cells have it: most of what inventories say, they say of every VM.
    """
    numbered = (Row(line, tuple(cells)) for line, cells in rows if any(cells))
    header = next(numbered, None)
    if header is None:
        raise ManifestError(Problem(file, message="is empty"))
    columns: dict[str, int] = {}
    for number, name in enumerate(header.cells):
        if name.strip() in columns and name.strip():
            raise ManifestError(Problem(file, header.line, number + 1, message=f"has two columns {name.strip()!r}"))
        columns[name.strip()] = number
    columns.pop("", None)
    width, texts = len(header.cells), dict[str, str]()
    table = Table(file, columns, [])
    for line, cells in numbered:
        if len(cells) != width:
            message = f"has {len(cells)} cells, and the header {width}"
            raise ManifestError(Problem(file, line, 1, message=message))
        if (len(table.rows) + 1) * width > TABLE_CELLS:
            raise ManifestError(Problem(file, line, 1, message=f"is more than {TABLE_CELLS:,} cells: split the file"))
        table.rows.append(Row(line, tuple(texts.setdefault(cell, cell) for cell in cells)))
    return table


def read_csv(content: bytes, file: str) -> Table:
    """Return the table of a CSV file, whichever of comma, semicolon and tab is between its cells."""
    return table_of(_records(_text(content, file), file), file)


def _text(content: bytes, file: str) -> str:
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ManifestError(Problem(file, line, 1, message="is neither UTF-8 nor UTF-16: save it as UTF-8")) from None


def _records(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the records, each with the line that it begins on: a cell may have line breaks in it."""
    header = text.lstrip().partition("\n")[0]
    reader = csv.reader(_lines(text), delimiter=max(_DELIMITERS, key=header.count), strict=True)
    line = 1
    try:
        for record in reader:
            yield line, record
            line = reader.line_num + 1
    except csv.Error as error:
        raise ManifestError(Problem(file, line, 1, message=f"is not CSV: {error}")) from None


def _lines(text: str) -> Iterator[str]:
    """Yield lines with their ends, as `str.splitlines` does not: that knows more ends than CSV."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end
