"""Elements and their text: the standard library's C elements, written out by a writer made for domains.

lxml's elements would do as well and cost about four times as much to make, which is most of the work in a domain.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from xml.etree.ElementTree import Element as Element
from xml.etree.ElementTree import SubElement as SubElement

from virtcatalog.kubevirt.memo import memo

_INDENT = "  "
_REMEMBERED = 4096
_SHORT = 36


class Shared(Element):
    """An element that may be in many domains: nobody changes it, or what is in it, once its function has returned it.

    Its text is written once. Where a domain needs to change one, as when it gives devices addresses, it takes a copy.
    """

    __slots__ = ("line", "written")

    def __init__(self, tag: str, attributes: dict[str, str] | None = None) -> None:
        super().__init__(tag, attributes or {})
        self.line = self.written = ""
        """The element as text, and what its lines start with there; empty until it is written."""


@memo
def leaf(tag: str, text: str | None = None, /, **attributes: str) -> Element:
    """A shared element without children."""
    element = Shared(tag, attributes)
    element.text = text
    return element


@memo
def shared(tag: str, /, *children: Element, **attributes: str) -> Element:
    """A shared element of shared children."""
    assert all(isinstance(child, Shared) for child in children)  # nothing in them may yet change
    element = Shared(tag, attributes)
    element.extend(children)
    return element


def own(tag: str, /, *children: Element, **attributes: str) -> Element:
    """An element that is of one domain alone; its children may be shared."""
    element = Element(tag, attributes)
    element.extend(children)
    return element


def own_copies(parent: Element) -> None:
    """Replace the children of an element by copies that are its own and may be changed."""
    parent[:] = [deepcopy(child) for child in parent]


def by_tag(parent: Element) -> dict[str, list[Element]]:
    """The children of an element by their tags, each list in their order."""
    children: dict[str, list[Element]] = {}
    for child in parent:
        children.setdefault(child.tag, []).append(child)
    return children


def write(element: Element, comment: str = "") -> str:
    """The element as text, two spaces an indent; attributes and children in the order in which they were added.

    Tags and attribute names are written as they are (a prefix is part of the name). An element has text or children.
    A comment is written before the children.
    """
    return _text(element, "\n", comment)[1:] + "\n"


def _text(element: Element, line: str, comment: str = "") -> str:
    """The element as text; each line of it starts with `line`, a line feed and an indent."""
    parts: list[str] = []
    _add_text(parts.append, element, line, comment)
    return "".join(parts)


def _add_text(add: Callable[[str], None], element: Element, line: str, comment: str = "") -> None:
    tag = element.tag
    start = f"{line}<{tag}"
    for name, value in element.items():
        start += f' {name}="{_ESCAPED[value]}"'
    if not len(element):
        content = element.text
        add(f"{start}>{_ESCAPED[content]}</{tag}>" if content else f"{start}/>")
        return
    inner = _deeper(line)
    add(f"{start}>")
    if comment:
        add(_comment(comment, inner))
    for child in element:
        if child.__class__ is Shared:
            add(child.written if child.line is inner else _write_once(child, inner))
        else:
            _add_text(add, child, inner)
    add(f"{line}</{tag}>")


def _write_once(element: Shared, line: str) -> str:
    element.line, element.written = line, _text(element, line)
    return element.written


@memo
def _comment(text: str, line: str) -> str:
    return f"{line}<!-- {_ESCAPED[text].replace('--', '- -')} -->"


@memo
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
