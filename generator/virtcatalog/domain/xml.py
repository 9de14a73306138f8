"""Elements and their text: the standard library's C elements, written out by a writer made for domains.

lxml's elements would do as well and cost about four times as much to make, which is most of the work in a domain.
"""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Comment, Element, SubElement

__all__ = ["Comment", "Element", "SubElement", "write"]

_INDENT = "  "
_REMEMBERED = 4096


def write(element: Element) -> str:
    """The element as text, two spaces an indent; attributes and children in the order in which they were added.

    Tags and attribute names are written as they are (a prefix is part of the name); an element has text or children.
    """
    parts: list[str] = []
    _write(element, "\n", parts.append)
    return "".join(parts)[1:] + "\n"


def _write(element: Element, line: str, add: Callable[[str], None]) -> None:
    if not isinstance(element.tag, str):  # a comment
        add(f"{line}<!--{(element.text or '').replace('--', '- -')}-->")
        return
    start = f"{line}<{element.tag}"
    for key, value in element.items():
        start += f' {key}="{_ESCAPED[value]}"'
    if not len(element):
        text = element.text
        add(f"{start}>{_ESCAPED[text]}</{element.tag}>" if text else start + "/>")
        return
    add(start + ">")
    inner = line + _INDENT
    for child in element:
        _write(child, inner, add)
    add(f"{line}</{element.tag}>")


class _Escaped(dict[str, str]):
    """Text as XML writes it, remembered: most texts of a domain are in many domains."""

    def __missing__(self, text: str) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        escaped = self[text] = text if text.isalnum() else "".join(map(_character, text))
        return escaped


def _character(char: str) -> str:
    if char in _ENTITIES:
        return _ENTITIES[char]
    return char if _is_xml(ord(char)) else "\N{REPLACEMENT CHARACTER}"


def _is_xml(code: int) -> bool:
    return 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000


_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_ESCAPED = _Escaped()
