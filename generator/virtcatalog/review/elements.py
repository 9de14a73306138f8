"""Differences of two domains, element by element: `<hyperv> gains <evmcs state="on"/>`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from virtcatalog.kubevirt.launcher.xml import Element, write

_ALIAS = "alias"
_NAMED = ("feature", "timer", "cell")
_LONGEST = 100


def differences(old: Element, new: Element) -> Iterator[tuple[str, str]]:
    """Say what differs, each for people and in full: an element that comes or goes is shortened for people.

    Comments do not count. Siblings of one tag are matched by their alias or name, else in their order.
    """
    yield from _compare(old, new, label(old))


def same(old: Element, new: Element) -> bool:
    """Whether two elements and all in them are the same."""
    return (
        old.tag == new.tag
        and old.text == new.text
        and old.attrib == new.attrib
        and len(old) == len(new)
        and all(map(same, old, new))
    )


def label(element: Element) -> str:
    """The start tag that tells an element from its siblings: `<disk root>`, `<timer hpet>`."""
    name = _name(element)
    return f"<{element.tag} {name}>" if name else f"<{element.tag}>"


def brief(element: Element) -> str:
    """An element in one line, shortened when it is long."""
    text = _line(element)
    if len(text) <= _LONGEST:
        return text
    if not len(element):
        return f"{text[: _LONGEST - 1]}…"
    return f"{text[: text.index('>') + 1]}…</{element.tag}>"


def _compare(old: Element, new: Element, where: str) -> Iterator[tuple[str, str]]:
    attributes = dict(old.items()), dict(new.items())
    for name in dict.fromkeys([*attributes[0], *attributes[1]]):
        before, after = attributes[0].get(name), attributes[1].get(name)
        if before is None:
            yield _twice(f'{where} gains {name}="{after}"')
        elif after is None:
            yield _twice(f'{where} loses {name}="{before}"')
        elif before != after:
            yield _twice(f"{where} {name}: {before} → {after}")
    if not len(old) and not len(new) and (old.text or "") != (new.text or ""):
        yield _twice(f"{where}: {old.text or 'nothing'} → {new.text or 'nothing'}")
    for one, other in _matched(list(old), list(new)):
        if one is None and other is not None:
            yield f"{where} gains {brief(other)}", f"{where} gains {_line(other)}"
        elif other is None and one is not None:
            yield f"{where} loses {brief(one)}", f"{where} loses {_line(one)}"
        elif one is not None and other is not None and not same(one, other):
            # A child without a name of its own says little without the device that it is part of.
            inner = label(other)
            named = _name(old) and old.tag not in ("domain", "devices")
            yield from _compare(one, other, f"{where} {inner}" if named else inner)


def _matched(old: list[Element], new: list[Element]) -> Iterator[tuple[Element | None, Element | None]]:
    groups: dict[tuple[str, str], tuple[list[Element], list[Element]]] = {}
    for side, elements in enumerate((old, new)):
        for element in elements:
            groups.setdefault((element.tag, _name(element)), ([], []))[side].append(element)
    for before, after in groups.values():
        if len(before) == len(after):
            yield from zip(before, after, strict=True)
            continue
        texts = [_line(each) for each in before], [_line(each) for each in after]
        before, after = (
            [each for each, text in zip(elements, own, strict=True) if text not in others]
            for elements, own, others in ((before, texts[0], texts[1]), (after, texts[1], texts[0]))
        )
        yield from zip_longest(before, after)


def _name(element: Element) -> str:
    alias = element.find(_ALIAS)
    if alias is not None:
        return (alias.get("name") or "").removeprefix("ua-")
    if element.tag == "controller":
        return f"{element.get('type')} {element.get('index')}"
    if element.tag in _NAMED:
        return element.get("name") or element.get("id") or ""
    return ""


def _twice(text: str) -> tuple[str, str]:
    return text, text


def _line(element: Element) -> str:
    return "".join(line.strip() for line in write(element).splitlines())
