"""Differences of two domains in words: `<hyperv> gains <evmcs state="on"/>`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from virtcatalog.kubevirt.launcher.difference import Difference, Pair, differences, name_of
from virtcatalog.kubevirt.launcher.xml import Element
from virtcatalog.units import memory

_LONGEST = 100


def element_words(old: Element, new: Element) -> Iterator[str]:
    """Say in which elements two domains differ; one that comes or goes is shortened."""
    return map(_words, differences(old, new))


def label(element: Element) -> str:
    """The start tag that tells an element from its siblings: `<disk root>`, `<timer hpet>`."""
    name = name_of(element)
    return f"<{element.tag} {name}>" if name else f"<{element.tag}>"


def _words(difference: Difference) -> str:
    *path, last = difference.path
    old, new, attribute = difference.old, difference.new, difference.attribute
    if last.old is None or last.new is None:
        text = _brief(last.element, new or old or "")
        return f"{_where(path)} {'gains' if last.old is None else 'loses'} {text}"
    where = _where(difference.path)
    if attribute is None and last.element.tag == "capacity" and old and new:
        return f"{where}: {memory(int(old))} → {memory(int(new))}"
    if attribute is None:
        return f"{where}: {old or 'nothing'} → {new or 'nothing'}"
    if old is None:
        return f'{where} gains {attribute}="{new}"'
    return f'{where} loses {attribute}="{old}"' if new is None else f"{where} {attribute}: {old} → {new}"


def _where(path: list[Pair] | tuple[Pair, ...]) -> str:
    """The element at the end of a path; one without a name of its own says little without the device it is part of."""
    where = label(path[0].element)
    for parent, pair in pairwise(path):
        named = name_of(parent.element) and parent.element.tag not in ("domain", "devices")
        where = f"{where} {label(pair.element)}" if named else label(pair.element)
    return where


def _brief(element: Element, text: str) -> str:
    """An element in one line, shortened when it is long."""
    if len(text) <= _LONGEST:
        return text
    if not len(element):
        return f"{text[: _LONGEST - 1]}…"
    return f"{text[: text.index('>') + 1]}…</{element.tag}>"
