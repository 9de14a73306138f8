"""Elements and their text: the standard library's C elements, written out by a writer made for domains.

lxml's elements would do as well and cost about four times as much to make, which is most of the work in a domain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement

__all__ = ["Element", "Shared", "SubElement", "write"]

_INDENT = "  "
_REMEMBERED = 4096


class Shared(Element):
    """An element that many domains hold and that nobody changes once it is made: its children are written only once."""

    def __init__(self, tag: str) -> None:
        super().__init__(tag)
        self._written: dict[str, str] = {}

    def children(self, line: str) -> str:
        """The children as text, each on a line of its own that starts with `line`."""
        text = self._written.get(line)
        if text is None:
            lines: list[str] = []
            _add(self, line, lines)
            text = self._written[line] = "".join(lines)
        return text


def write(element: Element) -> str:
    """The element as text, two spaces an indent; attributes and children in the order in which they were added.

    Tags and attribute names are written as they are (a prefix is part of the name). An element has text or children;
    text beside children is written as a comment.
    """
    lines: list[str] = []
    _add([element], "\n", lines)
    return "".join(lines)[1:] + "\n"


def _add(elements: Iterable[Element], line: str, lines: list[str]) -> None:
    attributes, escaped = _ATTRIBUTES, _ESCAPED
    for element in elements:
        tag, content = element.tag, element.text
        start = f"{line}<{tag}"
        for attribute in element.items():
            start += attributes[attribute]
        if len(element):
            inner = line + _INDENT
            lines.append(f"{start}>")
            if content:
                lines.append(f"{inner}<!-- {escaped[content].replace('--', '- -')} -->")
            if isinstance(element, Shared):
                lines.append(element.children(inner))
            else:
                _add(element, inner, lines)
            lines.append(f"{line}</{tag}>")
        else:
            lines.append(f"{start}>{escaped[content]}</{tag}>" if content else f"{start}/>")


class _Escaped(dict[str, str]):
    """Text as XML writes it, remembered: most texts of a domain are in many domains."""

    def __missing__(self, text: str) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        escaped = self[text] = _SPECIAL.sub(_entity, text)
        return escaped


class _Attributes(dict[tuple[str, str], str]):
    """Name and value as XML writes them, remembered too."""

    def __missing__(self, attribute: tuple[str, str]) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        name, value = attribute
        written = self[attribute] = f' {name}="{_ESCAPED[value]}"'
        return written


def _entity(special: re.Match[str]) -> str:
    return _ENTITIES.get(special[0], "\N{REPLACEMENT CHARACTER}")


_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_SPECIAL = re.compile("[^ !#-%'-;=?-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPED = _Escaped()
_ATTRIBUTES = _Attributes()
