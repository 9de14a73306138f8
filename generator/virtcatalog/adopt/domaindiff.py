"""Where two libvirt domains differ, place by place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from virtcatalog.kubevirt.launcher.xml import Element, write


class DomainDifference(NamedTuple):
    """One place: an element's text, an attribute (`vcpu/@current`), or a whole element; None is absence."""

    place: str
    old: str | None
    new: str | None


def domain_differences(old: Element, new: Element) -> list[DomainDifference]:
    """Return where two domains differ; the comment that names host profile and release does not count."""
    return list(_compare(old, new, ""))


def _compare(old: Element, new: Element, place: str) -> Iterator[DomainDifference]:
    for name in {**old.attrib, **new.attrib}:
        if old.get(name) != new.get(name):
            yield DomainDifference(f"{place}/@{name}".lstrip("/"), old.get(name), new.get(name))
    if not len(old) and not len(new) and (old.text or "") != (new.text or ""):
        yield DomainDifference(place, old.text or "", new.text or "")
    olds, news = _by_tag(old), _by_tag(new)
    for tag in [*olds, *(tag for tag in news if tag not in olds)]:
        ones, others = olds.get(tag, []), news.get(tag, [])
        many = len(ones) > 1 or len(others) > 1
        for index in range(max(len(ones), len(others))):
            at = f"{place}/{tag}[{index + 1}]" if many else f"{place}/{tag}"
            at = at.lstrip("/")
            if index >= len(others):
                yield DomainDifference(at, _text(ones[index]), None)
            elif index >= len(ones):
                yield DomainDifference(at, None, _text(others[index]))
            else:
                yield from _compare(ones[index], others[index], at)


def _by_tag(element: Element) -> dict[str, list[Element]]:
    children: dict[str, list[Element]] = {}
    for child in element:
        children.setdefault(child.tag, []).append(child)
    return children


def _text(element: Element) -> str:
    return " ".join(write(element).split())
