"""Where something is declared: a place in a file, resolved when it is needed."""

from __future__ import annotations

from collections.abc import Callable


class Source:
    """Where something is declared: the file as it was opened, line and column from 1, which are computed on demand."""

    __slots__ = ("_find", "_place", "file")

    def __init__(
        self, file: str, line: int = 1, column: int = 1, *, find: Callable[[], tuple[int, int]] | None = None
    ) -> None:
        self.file, self._place, self._find = file, (line, column), find

    @property
    def line(self) -> int:
        """The line."""
        return self._resolved()[0]

    @property
    def column(self) -> int:
        """The column."""
        return self._resolved()[1]

    def _resolved(self) -> tuple[int, int]:
        if self._find is not None:
            self._place, self._find = self._find(), None
        return self._place

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Source) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(self.file)

    def __repr__(self) -> str:
        return f"Source({str(self)!r})"

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Origin:
    """The text that a VM was read from (for a template, the rendered one), and where its parts are in the file."""

    __slots__ = ("_field", "_place", "text")

    def __init__(
        self, text: str | bytes, field: Callable[[str], Source], place: Callable[[tuple[int, int]], Source]
    ) -> None:
        self.text, self._field, self._place = text, field, place

    def field(self, path: str) -> Source:
        """Return where a field of the VM is declared, or the nearest thing around it."""
        return self._field(path)

    def place(self, line: int, column: int) -> Source:
        """Return where a place of the text is from."""
        return self._place((line, column))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Origin) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)
