"""Tables: columns of text, as wide as they are; on a terminal within its width, and coloured."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from virtcatalog.cli.console import coloured, columns_of_terminal, echo, print_line
from virtcatalog.escaping import single_line

Row = Sequence[str]
Table = tuple[str, list[list[str]]]
"""A table of text: its title and its rows."""

_GAP = 2
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
#: Where a text may be broken: after a space, and where paths and lists have their parts.
_PIECE = re.compile(r"[^\s./,:;=\[-]*(?:[\s./,:;=-]+|\[|$)")
#: The least that a column is narrowed to, and the most lines of a row, before rows are written one below the other.
_NARROWEST, _TALLEST = 12, 4


def print_tables(
    columns: Row,
    tables: Iterable[tuple[str, Iterable[Row]]],
    *,
    titled: bool,
    capitals: bool = True,
    style: Callable[[Row], str] | None = None,
) -> None:
    """Print tables of the same columns, each with its title where `titled` says so.

    The header is in capitals, unless names are in it. `style` gives a row its colour on a terminal, "" for none.
    """
    separator = ""
    width, colour = columns_of_terminal(), coloured()
    for title, rows in tables:
        if titled:
            print_line(separator + single_line(title), "bold", colour)
            separator = "\n"
        lines = laid_out(columns, rows, width, capitals=capitals)
        if colour:
            for line, row in lines:
                print_line(line, "bold" if row is None else style(row) if style else "", colour)
        else:
            echo("".join(f"{line}\n" for line, _ in lines), nl=False)


def aligned(columns: Row, rows: Iterable[Row]) -> Iterator[str]:
    """Yield a table as lines of text, as wide as they are, its header in capitals; a cell without text is a dash."""
    return (line for line, _ in laid_out(columns, rows, None))


def laid_out(
    columns: Row, rows: Iterable[Row], width: int | None, *, capitals: bool = True
) -> Iterator[tuple[str, Row | None]]:
    """Yield a table's lines within a width, None for any, each with the row that it is of; the header is of none."""
    texts = list(rows)
    header = [name.upper() if capitals else single_line(name) for name in columns]
    cells = [header, *([single_line(cell) or "-" for cell in row] for row in texts)]
    natural = [max(map(_length, column)) for column in zip(*cells, strict=True)]
    room = sys.maxsize if width is None else width
    widths = _fitting(natural, cells, room)
    if widths is None:
        yield from _one_below_the_other(columns, texts, cells[1:], room)
        return
    fits = widths == natural
    for number, row in enumerate(cells):
        lines = [[cell] if fits else _wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
        for index in range(max(map(len, lines))):
            parts = [line[index] if index < len(line) else "" for line in lines]
            line = (" " * _GAP).join(_padded(part, width) for part, width in zip(parts, widths, strict=True))
            yield line.rstrip(), texts[number - 1] if number else None


def _fitting(natural: list[int], cells: list[list[str]], width: int) -> list[int] | None:
    """The widths of columns with which a table fits, the widest ones narrowed; None if it would be hard to read."""
    widths = list(natural)
    excess = sum(widths) + _GAP * (len(widths) - 1) - width
    if excess <= 0:
        return widths
    least = [
        min(natural_width, max(_NARROWEST, len(head))) for natural_width, head in zip(natural, cells[0], strict=True)
    ]
    while excess > 0:
        spare = [width - low for width, low in zip(widths, least, strict=True)]
        if not any(spare):
            return None
        widest = max((index for index, room in enumerate(spare) if room), key=lambda index: widths[index])
        widths[widest] -= 1
        excess -= 1
    tall = sum(max(len(_wrapped(cell, size)) for cell, size in zip(row, widths, strict=True)) for row in cells[1:])
    broken = any(
        _length(piece.rstrip()) > size
        for row in cells
        for cell, size in zip(row, widths, strict=True)
        for piece in _PIECE.findall(cell)
    )
    return None if broken or tall > _TALLEST * len(cells[1:]) else widths


def _one_below_the_other(
    columns: Row, texts: list[Row], cells: list[list[str]], width: int
) -> Iterator[tuple[str, Row | None]]:
    """Each row as its first cell, and below it the others that say something, with their names."""
    for row, values in zip(texts, cells, strict=True):
        yield from ((line, row) for line in _wrapped(values[0], width))
        others = zip(columns[1:], values[1:], strict=True)
        facts = [f"{name.lower()}: {value}" for name, value in others if value != "-"]
        line = ""
        for part in facts:
            if line and len(line) + len(part) + 2 + _GAP > width:
                yield from ((f"  {wrapped}", row) for wrapped in _wrapped(line, width - _GAP))
                line = ""
            line = f"{line}  {part}" if line else part
        if line:
            yield from ((f"  {wrapped}", row) for wrapped in _wrapped(line, width - _GAP))


def _wrapped(text: str, width: int) -> list[str]:
    """A text in lines of at most a width, broken between its words or parts, and within these when there is no help."""
    if _length(text) <= width:
        return [text]
    lines = [""]
    for piece in _PIECE.findall(text):
        part = piece
        if _length(lines[-1] + part.rstrip()) > width and lines[-1]:
            lines.append("")
        while _length(part.rstrip()) > width:
            lines[-1:] = [part[:width], ""]
            part = part[width:]
        lines[-1] += part
    return [line.rstrip() for line in lines if line.strip()] or [""]


def _padded(text: str, width: int) -> str:
    return text.ljust(width) if text.isascii() else text + " " * (width - _length(text))


def _length(text: str) -> int:
    """How many columns a text takes: some letters take two, marks none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    letters = _NOT_ASCII.findall(text)
    return len(text) + sum(-1 if combining(letter) else east_asian_width(letter) in ("W", "F") for letter in letters)
