"""Tables: columns of text, or drawn on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from virtcatalog.cli.console import coloured, echo
from virtcatalog.escaping import single_line

Row = Sequence[str]


def print_tables(
    columns: Row,
    tables: Iterable[tuple[str, Iterable[Row]]],
    *,
    titled: bool = True,
    style: Callable[[Row], str] | None = None,
) -> None:
    """Print tables of the same columns, each with its title; text shows the titles only where `titled` says so.

    `style` gives a row drawn on a terminal its style, as rich names it.
    """
    separator = ""
    for title, rows in tables:
        if coloured():
            _draw(title, columns, rows, style)
            continue
        if titled:
            echo(f"{separator}{title}")
            separator = "\n"
        for line in aligned(columns, rows):
            echo(line)


def aligned(columns: Row, rows: Iterable[Row]) -> Iterator[str]:
    """Yield a table as lines of text, its header in capitals; a cell without text is a dash."""
    cells = [[name.upper() for name in columns], *([single_line(cell) or "-" for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _draw(title: str, columns: Row, rows: Iterable[Row], style: Callable[[Row], str] | None) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=single_line(title) or None, title_justify="left")
    for name in columns:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(single_line(cell)) for cell in row), style=style(row) if style else None)
    Console().print(table)
