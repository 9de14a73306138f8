"""Where two domains differ, element by element.

Siblings of one tag are matched by their alias or name, else in their order. Comments do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, zip_longest
from typing import NamedTuple

from virtcatalog.kubevirt.launcher.xml import Element, by_tag, write

_ALIAS = "alias"
_WITH_NAMES = ("feature", "timer", "cell")


class Pair(NamedTuple):
    """An element as it was and as it is; None where there is none."""

    old: Element | None
    new: Element | None

    @property
    def element(self) -> Element:
        """The element as it is, else as it was."""
        element = self.new if self.new is not None else self.old
        assert element is not None  # one of them is there
        return element


class Difference(NamedTuple):
    """An attribute, the text of an element, or an element as a whole; `old` and `new` are texts, None for absence.

    `path` leads from the root to the element.
    """

    path: tuple[Pair, ...]
    attribute: str | None
    old: str | None
    new: str | None

    @property
    def place(self) -> str:
        """An XPath from the root to it, such as `devices/disk[2]/driver/@cache`."""
        steps = [_step(parent, pair) for parent, pair in pairwise(self.path)]
        return "/".join([*steps, f"@{self.attribute}"] if self.attribute is not None else steps)


def differences(old: Element, new: Element) -> Iterator[Difference]:
    """Yield where two elements of one tag differ."""
    yield from _compare((Pair(old, new),), old, new)


def same(old: Element, new: Element) -> bool:
    """Whether two elements and all in them are the same."""
    return old is new or (
        old.tag == new.tag
        and old.text == new.text
        and old.attrib == new.attrib
        and len(old) == len(new)
        and all(map(same, old, new))
    )


def name_of(element: Element) -> str:
    """What tells an element from its siblings of one tag: a device's alias, a timer's name; "" for nothing."""
    alias = element.find(_ALIAS)
    if alias is not None:
        return (alias.get("name") or "").removeprefix("ua-")
    if element.tag == "controller":
        return f"{element.get('type')} {element.get('index')}"
    if element.tag in _WITH_NAMES:
        return element.get("name") or element.get("id") or ""
    return ""


def _compare(path: tuple[Pair, ...], old: Element, new: Element) -> Iterator[Difference]:
    for name in {**old.attrib, **new.attrib}:
        if old.get(name) != new.get(name):
            yield Difference(path, name, old.get(name), new.get(name))
    if not len(old) and not len(new) and (old.text or "") != (new.text or ""):
        yield Difference(path, None, old.text or "", new.text or "")
    for pair in _matched(list(old), list(new)):
        if pair.old is None or pair.new is None:
            yield Difference(
                (*path, pair), None, *(_line(element) if element is not None else None for element in pair)
            )
        elif not same(pair.old, pair.new):
            yield from _compare((*path, pair), pair.old, pair.new)


def _matched(old: list[Element], new: list[Element]) -> Iterator[Pair]:
    groups: dict[tuple[str, str], tuple[list[Element], list[Element]]] = {}
    for side, elements in enumerate((old, new)):
        for element in elements:
            groups.setdefault((element.tag, name_of(element)), ([], []))[side].append(element)
    for before, after in groups.values():
        if len(before) != len(after):
            texts = [_line(line_of) for line_of in before], [_line(line_of) for line_of in after]
            before, after = (
                [element for element, text in zip(elements, own, strict=True) if text not in others]
                for elements, own, others in ((before, texts[0], texts[1]), (after, texts[1], texts[0]))
            )
        yield from (Pair(one, other) for one, other in zip_longest(before, after))


def _step(parent: Pair, pair: Pair) -> str:
    """A step of an XPath; its number is that among the old siblings, unless it is new."""
    tag = pair.element.tag
    sides = [by_tag(element).get(tag, []) if element is not None else [] for element in parent]
    if max(map(len, sides)) < 2:
        return tag
    child, siblings = (pair.old, sides[0]) if pair.old is not None else (pair.new, sides[1])
    return f"{tag}[{1 + next(number for number, sibling in enumerate(siblings) if sibling is child)}]"


def _line(element: Element) -> str:
    return "".join(line.strip() for line in write(element).splitlines())
