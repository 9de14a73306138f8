"""Elements and their text: the standard library's C elements, written out by a writer made for domains.

lxml's elements would do as well and cost about four times as much to make, which is most of the work in a domain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement

__all__ = ["Element", "SubElement", "write"]

_INDENT = "  "
_REMEMBERED = 4096


def write(element: Element) -> str:
    """The element as text, two spaces an indent; attributes and children in the order in which they were added.

    Tags and attribute names are written as they are (a prefix is part of the name). An element has text or children;
    text beside children is written as a comment.
    """
    return _lines([element], "\n")[1:] + "\n"


def _lines(elements: Iterable[Element], line: str) -> str:
    escaped, text = _ESCAPED, ""
    for element in elements:
        text += f"{line}<{element.tag}"
        for key, value in element.items():
            text += f' {key}="{escaped[value]}"'
        content = element.text
        if len(element):
            inner = line + _INDENT
            comment = f"{inner}<!-- {escaped[content].replace('--', '- -')} -->" if content else ""
            text += f">{comment}{_lines(element, inner)}{line}</{element.tag}>"
        else:
            text += f">{escaped[content]}</{element.tag}>" if content else "/>"
    return text


class _Escaped(dict[str, str]):
    """Text as XML writes it, remembered: most texts of a domain are in many domains."""

    def __missing__(self, text: str) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        escaped = self[text] = _SPECIAL.sub(_entity, text)
        return escaped


def _entity(special: re.Match[str]) -> str:
    return _ENTITIES.get(special[0], "\N{REPLACEMENT CHARACTER}")


_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_SPECIAL = re.compile("[^ !#-%'-;=?-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPED = _Escaped()
