"""XML in: one hardened parser, whose elements know their line and column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from virtcatalog.errors import ManifestError, Problem
from virtcatalog.limits import XML_ATTRIBUTES, XML_BYTES, XML_ELEMENTS, XML_LEVELS

_START = re.compile(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(?=[^/!?])", re.DOTALL)
_DECLARED = ("<!DOCTYPE", "<!ENTITY")


class XMLElement:
    """An element: its tag (`{namespace}name` where it has one), attributes, text and children, and where it starts.

    `text` is that in front of the first child, without the blanks around it. Elements are equal only to themselves.
    """

    __slots__ = ("attributes", "children", "column", "line", "parent", "step", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], text: str, line: int, column: int) -> None:
        self.tag, self.attributes, self.text, self.line, self.column = tag, attributes, text, line, column
        self.children: list[XMLElement] = []
        self.parent: XMLElement | None = None
        self.step = ""
        """Its step in an XPath: the tag without its namespace, and which of its siblings of that name it is."""

    def __iter__(self) -> Iterator[XMLElement]:
        return iter(self.children)

    def get(self, attribute: str, default: str = "") -> str:
        """Return an attribute's value."""
        return self.attributes.get(attribute, default)

    def all(self, *path: str) -> list[XMLElement]:
        """Return the elements at a path of tags."""
        elements = [self]
        for tag in path:
            elements = [child for element in elements for child in element.children if child.tag == tag]
        return elements

    def first(self, *path: str) -> XMLElement | None:
        """Return the first element at a path of tags."""
        return next(iter(self.all(*path)), None)

    def walk(self) -> Iterator[XMLElement]:
        """Yield it and every element in it, in the order of the text."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def name(self) -> str:
        """The tag without its namespace."""
        return self.tag.rpartition("}")[2]

    @property
    def path(self) -> str:
        """An XPath from the root's children to it, such as `devices/disk[2]/driver`; "" for the root."""
        if self.parent is None:
            return ""
        above = self.parent.path
        return f"{above}/{self.step}" if above else self.step


def problem_at(file: str, element: XMLElement, message: str, attribute: str = "") -> Problem:
    """Return a problem of an element, or of an attribute of it."""
    where = f"{element.path or element.tag}/@{attribute}" if attribute else element.path or element.tag
    return Problem(file, element.line, element.column, field=where, message=message)


def read_xml(content: bytes, file: str) -> XMLElement:
    """Return the root of an XML document in UTF-8; ManifestError for what is none, or goes beyond a limit.

    Document types are refused, and with them entities: a domain needs neither. Nothing is fetched.
    """
    from lxml import etree

    text = _text(content, file)
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        message = f"is not XML: {str(error.msg).partition(', line ')[0].strip()}"
        raise ManifestError(Problem(file, max(line, 1), max(column, 1), message=message)) from None
    return _copy(root, _places(text), file, 0)


def _text(content: bytes, file: str) -> str:
    if len(content) > XML_BYTES:
        raise ManifestError(Problem(file, message=f"is larger than {XML_BYTES // 2**10} KiB"))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, column = _place(content[: error.start].decode("utf-8", "replace"))
        raise ManifestError(Problem(file, line, column, message="is not UTF-8")) from None
    if not text.strip():
        raise ManifestError(Problem(file, 1, 1, message="is empty"))
    for word in _DECLARED:
        if (at := text.find(word)) >= 0:
            line, column = _place(text[:at])
            message = f"{word} is not taken: document types and entities have no place in such a file"
            raise ManifestError(Problem(file, line, column, message=message))
    starts = [match.start() for match in re.finditer(r"<(?=[^/!?])", text)]
    if len(starts) > XML_ELEMENTS:
        line, column = _place(text[: starts[XML_ELEMENTS]])
        raise ManifestError(Problem(file, line, column, message=f"holds more than {XML_ELEMENTS} elements"))
    return text


def _place(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Yield line and column of every start tag of a well-formed text, in its order."""
    line, begin, done = 1, 0, 0
    for match in _START.finditer(text):
        if len(match[0]) > 1:
            continue
        line += text.count("\n", done, match.start())
        newline = text.rfind("\n", done, match.start())
        begin = newline + 1 if newline >= 0 else begin
        done = match.start()
        yield line, match.start() - begin + 1


def _copy(source: Any, places: Iterator[tuple[int, int]], file: str, level: int) -> XMLElement:
    line, column = next(places)
    if len(source.attrib) > XML_ATTRIBUTES:
        raise ManifestError(Problem(file, line, column, message=f"has more than {XML_ATTRIBUTES} attributes"))
    element = XMLElement(str(source.tag), dict(source.attrib), (source.text or "").strip(), line, column)
    if level >= XML_LEVELS:
        raise ManifestError(Problem(file, line, column, message=f"is nested more than {XML_LEVELS} levels deep"))
    for child in source:
        if isinstance(child.tag, str):
            below = _copy(child, places, file, level + 1)
            below.parent = element
            element.children.append(below)
    _number(element.children)
    return element


def _number(siblings: list[XMLElement]) -> None:
    counts = Counter(sibling.name for sibling in siblings)
    seen: Counter[str] = Counter()
    for sibling in siblings:
        seen[sibling.name] += 1
        sibling.step = f"{sibling.name}[{seen[sibling.name]}]" if counts[sibling.name] > 1 else sibling.name
