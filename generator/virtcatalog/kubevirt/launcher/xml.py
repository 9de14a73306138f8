"""Elements and their text: the standard library's C elements, written out by a writer made for domains.

lxml's elements would do as well and cost about four times as much to make, which is most of the work in a domain.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from functools import cache, lru_cache
from itertools import islice
from operator import itemgetter
from xml.etree.ElementTree import Element, SubElement

__all__ = ["Element", "Form", "Shared", "SubElement", "by_tag", "leaf", "make_own", "make_whole", "write"]

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
    """Elements that differ in a few texts alone, such as a VM's uid, and are written from a pattern.

    `make` makes the element of these texts, which it puts into attributes and contents as they are.
    """

    def __init__(self, make: Callable[..., Element], texts: int) -> None:
        self.make = make
        plain = write(make(*[""] * texts))
        unused = (mark for mark in map(chr, range(*_PRIVATE_USE)) if mark not in plain)
        self._marks = [*islice(unused, texts)]
        self._marked = make(*self._marks)
        self._patterns: dict[str, tuple[str, Callable[[tuple[str, ...]], object]]] = {}

    def filled(self, *texts: str) -> Element:
        """The element of so many texts; its parts are there once it is made whole."""
        if not all(texts):
            return self.make(*texts)
        element = Filled(self._marked.tag)
        element.form, element.texts = self, texts
        return element

    def written(self, texts: tuple[str, ...], line: str) -> str:
        """The text of the element of these texts; each line of it starts with `line`."""
        pattern, choose = self._patterns.get(line) or self._pattern(line)
        return pattern % choose(tuple([_ESCAPED[text] for text in texts]))

    def _pattern(self, line: str) -> tuple[str, Callable[[tuple[str, ...]], object]]:
        """The text with a place for each text that it takes, and what picks these out, in their order."""
        pieces = re.split(f"([{''.join(self._marks)}])", _text(self._marked, line))
        pattern = "%s".join(piece.replace("%", "%%") for piece in pieces[::2])
        found = self._patterns[line] = pattern, itemgetter(*map(self._marks.index, pieces[1::2]))
        return found


class Filled(Element):
    """An element of a form, without its parts: `whole` makes it with them."""

    __slots__ = ("form", "texts")

    form: Form
    texts: tuple[str, ...]

    def whole(self) -> Element:
        """The element with all that is in it."""
        return self.form.make(*self.texts)


def make_whole(element: Element) -> None:
    """Put the elements of forms in an element and below, as far as it is its own, in there with all their parts."""
    for index, child in enumerate(element):
        if isinstance(child, Filled):
            element[index] = child.whole()
        elif not isinstance(child, Shared):
            make_whole(child)


def make_own(parent: Element) -> None:
    """Replace the children of an element by copies that share nothing and may be changed."""
    parent[:] = [deepcopy(child.whole() if isinstance(child, Filled) else child) for child in parent]


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
    parts: list[str] = []
    if isinstance(element, Filled):
        return element.form.written(element.texts, line)
    _add_text(parts.append, element, line, comment)
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
        add(f"{inner}<!-- {_ESCAPED[comment].replace('--', '- -')} -->")
    for child in element:
        if child.__class__ is Shared:
            add(child.written if child.line is inner else _remembered(child, inner))
        elif child.__class__ is Filled:
            add(child.form.written(child.texts, inner))
        else:
            _add_text(add, child, inner)
    add(f"{line}</{tag}>")


def _remembered(element: Shared, line: str) -> str:
    element.line, element.written = line, _text(element, line)
    return element.written


@cache
def _deeper(line: str) -> str:
    """What lines one level below start with: always the same string, which is found faster than an equal one."""
    return line + _INDENT


class _Escaped(dict[str, str]):
    """Text as XML writes it; those no longer than a uid are remembered: paths are seldom in a second domain."""

    def __missing__(self, text: str) -> str:
        markup = "&" in text or "<" in text or ">" in text or '"' in text
        escaped = _SPECIAL.sub(_entity, text) if markup or not text.isprintable() else text
        if len(text) <= _SHORT:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[text] = escaped
        return escaped


def _entity(special: re.Match[str]) -> str:
    return _ENTITIES.get(special[0], "\N{REPLACEMENT CHARACTER}")


_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_SPECIAL = re.compile("[^ !#-%'-;=?-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPED = _Escaped()
