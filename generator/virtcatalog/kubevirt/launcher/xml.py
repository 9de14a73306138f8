"""Elements and their text: the standard library's C elements, written out by a writer made for domains.

lxml's elements would do as well and cost about four times as much to make, which is most of the work in a domain.
"""

from __future__ import annotations

import re
from copy import deepcopy
from functools import cache, lru_cache
from xml.etree.ElementTree import Element, SubElement

__all__ = ["Element", "Shared", "SubElement", "by_tag", "leaf", "make_own", "write"]

_INDENT = "  "
_REMEMBERED = 4096
_SHORT = 32


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


def make_own(parent: Element) -> None:
    """Replace the children of an element by copies that share nothing and may be changed."""
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
    tag, content = element.tag, element.text
    text = f"{line}<{tag}"
    for name, value in element.items():
        text += f' {name}="{_ESCAPED[value]}"'
    if not len(element):
        return f"{text}>{_ESCAPED[content]}</{tag}>" if content else f"{text}/>"
    inner = _deeper(line)
    text += ">"
    if comment:
        text += f"{inner}<!-- {_ESCAPED[comment].replace('--', '- -')} -->"
    for child in element:
        if child.__class__ is Shared:
            text += child.written if child.line is inner else _remembered(child, inner)
        else:
            text += _text(child, inner)
    return f"{text}{line}</{tag}>"


def _remembered(element: Shared, line: str) -> str:
    element.line, element.written = line, _text(element, line)
    return element.written


@cache
def _deeper(line: str) -> str:
    """What lines one level below start with: always the same string, which is found faster than an equal one."""
    return line + _INDENT


class _Escaped(dict[str, str]):
    """Text as XML writes it; short ones are remembered: long ones are seldom in a second domain."""

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
