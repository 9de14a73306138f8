"""Elements and their text: the standard library's C elements, written out by a writer made for domains.

lxml's elements would do as well and cost about four times as much to make, which is most of the work in a domain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from copy import copy, deepcopy
from functools import cache, lru_cache
from itertools import islice
from operator import itemgetter
from typing import Any, Self, TypeVar
from xml.etree.ElementTree import Element, SubElement

__all__ = ["Element", "Filled", "Form", "Shared", "SubElement", "by_tag", "leaf", "make_own", "make_whole", "write"]

T = TypeVar("T")

_INDENT = "  "
_REMEMBERED = 4096
_SHORT = 36
_PRIVATE_USE = 0xE000, 0xF900


class Shared(Element):
    """An element that many domains hold and that nobody changes once it is made: it is written only once."""

    __slots__ = ("line", "written")

    def __init__(self, tag: str, attributes: dict[str, str] | None = None) -> None:
        super().__init__(tag, attributes or {})
        self.line = self.written = ""
        """The element as text, and what its lines start with there; empty until it is written."""


@lru_cache(maxsize=_REMEMBERED)
def leaf(tag: str, text: str | None = None, /, **attributes: str) -> Element:
    """A shared element without children."""
    element = Shared(tag, attributes)
    element.text = text
    return element


class Form:
    """Elements side by side that differ in a few texts alone, such as a VM's uid, and are written from a pattern.

    `make` makes the elements of these texts, which it puts into attributes and contents as they are. What it raises, it
    raises here, where it makes those of empty texts, the `elements`.
    """

    def __init__(self, make: Callable[..., Sequence[Element]], texts: int = 0) -> None:
        self.make, self.texts = make, texts
        self.elements = make(*[""] * texts)
        self._constant: Filled | None = None
        self._filled = False
        self._computed: dict[Callable[[Any], Any], Any] = {}
        self._patterns: dict[str, tuple[str, Callable[[tuple[str, ...]], object] | None] | None] = {}

    def filled(self, *texts: str) -> Filled:
        """What stands for the elements of so many texts; they are there once it is made whole."""
        if texts:
            return Filled(self, texts)
        if self._constant is None:
            if not self._filled:  # the form of one VM alone, which is asked once, shall not hold itself
                self._filled = True
                return Filled(self, ())
            self._constant = Filled(self, ())
        return self._constant

    def holding(self, elements: Sequence[Element]) -> Self:
        """The same form with other elements, which are of one domain."""
        other = copy(self)
        other.make, other.elements = lambda *_: elements, elements
        other._constant, other._filled, other._patterns, other._computed = None, False, {}, {}  # noqa: SLF001 - its kind
        return other

    def computed(self, make: Callable[[Any], T]) -> T:
        """Return `make(form)`, made once for each form."""
        found = self._computed.get(make)
        if found is None:
            found = self._computed[make] = make(self)
        made: T = found
        return made

    def written(self, texts: tuple[str, ...], line: str) -> str:
        """The text of the elements of these texts; each line of it starts with `line`."""
        found = self._patterns.get(line)
        if found is None:
            if texts and line not in self._patterns:  # many are of one VM alone: a pattern is for the second
                self._patterns[line] = None
                return _text_of(self.make(*texts), line)
            found = self._pattern(line)
        pattern, choose = found
        if choose is None:
            return pattern
        if not all(texts):
            return _text_of(self.make(*texts), line)
        return pattern % choose(tuple(map(_escaped, texts)))

    def _pattern(self, line: str) -> tuple[str, Callable[[tuple[str, ...]], object] | None]:
        """The text with a place for each text that it takes, and what picks these out, in their order."""
        plain = _text_of(self.elements, line)
        marks = [*islice((mark for mark in map(chr, range(*_PRIVATE_USE)) if mark not in plain), self.texts)]
        marked = _text_of(self.make(*marks), line) if marks else plain
        pieces = re.split(f"([{''.join(marks)}])", marked) if marks else [marked]
        if len(pieces) == 1:
            found = self._patterns[line] = marked, None
            return found
        pattern = "%s".join(piece.replace("%", "%%") for piece in pieces[::2])
        taken = self._patterns[line] = pattern, itemgetter(*map(marks.index, pieces[1::2]))
        return taken


class Filled(Element):
    """What stands for the elements of a form: `whole` makes them."""

    __slots__ = ("form", "texts")

    def __init__(self, form: Form, texts: tuple[str, ...]) -> None:
        super().__init__("")
        self.form, self.texts = form, texts

    def whole(self) -> Sequence[Element]:
        """The elements with all that is in them."""
        return self.form.make(*self.texts)


def make_whole(element: Element) -> None:
    """Put the elements of forms in an element and below, as far as it is its own, in there with all their parts."""
    children: list[Element] = []
    for child in element:
        if isinstance(child, Filled):
            children += child.whole()
        else:
            children.append(child)
            if not isinstance(child, Shared):
                make_whole(child)
    element[:] = children


def make_own(parent: Element) -> None:
    """Replace the children of an element by copies that share nothing and may be changed."""
    make_whole(parent)
    parent[:] = [deepcopy(child) for child in parent]


def by_tag(parent: Element) -> dict[str, list[Element]]:
    """The children of an element by their tags, each list in their order."""
    found: dict[str, list[Element]] = {}
    for child in parent:
        found.setdefault(child.tag, []).append(child)
    return found


def write(element: Element, comment: str = "") -> str:
    """The element as text, two spaces an indent; attributes and children in the order in which they were added.

    Tags and attribute names are written as they are (a prefix is part of the name). An element has text or children.
    A comment is written before the children.
    """
    return _text(element, "\n", comment)[1:] + "\n"


def _text(element: Element, line: str, comment: str = "") -> str:
    """The element as text; each line of it starts with `line`, a line feed and an indent."""
    if isinstance(element, Filled):
        return element.form.written(element.texts, line)
    parts: list[str] = []
    _add_text(parts.append, element, line, comment)
    return "".join(parts)


def _text_of(elements: Iterable[Element], line: str) -> str:
    parts: list[str] = []
    _add_all(parts.append, elements, line)
    return "".join(parts)


def _add_text(add: Callable[[str], None], element: Element, line: str, comment: str = "") -> None:
    tag, content = element.tag, element.text
    add(f"{line}<{tag}")
    for name, value in element.items():
        add(f' {name}="{_ESCAPED[value]}"')
    if not len(element):
        add(f">{_ESCAPED[content]}</{tag}>" if content else "/>")
        return
    inner = _deeper(line)
    add(">")
    if comment:
        add(_comment(comment, inner))
    _add_all(add, element, inner)
    add(f"{line}</{tag}>")


def _add_all(add: Callable[[str], None], elements: Iterable[Element], line: str) -> None:
    for element in elements:
        if element.__class__ is Shared:
            add(element.written if element.line is line else _remembered(element, line))
        elif element.__class__ is Filled:
            add(element.form.written(element.texts, line))
        else:
            _add_text(add, element, line)


def _remembered(element: Shared, line: str) -> str:
    element.line, element.written = line, _text(element, line)
    return element.written


@lru_cache(maxsize=64)
def _comment(text: str, line: str) -> str:
    return f"{line}<!-- {_ESCAPED[text].replace('--', '- -')} -->"


@cache
def _deeper(line: str) -> str:
    """What lines one level below start with: always the same string, which is found faster than an equal one."""
    return line + _INDENT


class _Escaped(dict[str, str]):
    """Text as XML writes it; those no longer than a uid are remembered: paths are seldom in a second domain."""

    def __missing__(self, text: str) -> str:
        markup = "&" in text or "<" in text or ">" in text or '"' in text or "##" in text
        escaped = _SPECIAL.sub(_entity, text) if markup or not text.isprintable() else text
        if len(text) <= _SHORT:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[text] = escaped
        return escaped


def _entity(special: re.Match[str]) -> str:
    return _ENTITIES.get(special[0], "\N{REPLACEMENT CHARACTER}")


_ENTITIES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\t": "&#9;",
    "\n": "&#10;",
    "\r": "&#13;",
    "#": "&#35;",
}
#: What XML may not hold or has a meaning for; said the other way round, it takes ten times as long to compile.
#: The number sign before another is one that runners of CI jobs take for the mark of a command.
_SPECIAL = re.compile('[\x00-\x1f"&<>\ud800-\udfff\ufffe\uffff]|#(?=#)')
_ESCAPED = _Escaped()
_escaped = _ESCAPED.__getitem__
