"""What changes and what ends, for programs: an Atom feed of the releases, and a calendar of what is deprecated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple
from uuid import NAMESPACE_URL, uuid5
from xml.sax.saxutils import escape

from virtcatalog.catalog.model import Catalog, Entry
from virtcatalog.escaping import single_line
from virtcatalog.site.changes import Chapter, Part
from virtcatalog.site.facts import page_of

_FOLD: Final = 73
"""Bytes of a calendar's line: a longer one goes on in the next, after a space."""


class Ending(NamedTuple):
    """Something deprecated: its kind and page, what to use instead, with a page or without, and when it is removed."""

    kind: str
    name: str
    page: str
    replacement: str
    replacement_page: str
    sunset: str


def endings(catalog: Catalog) -> list[Ending]:
    """Return what is deprecated, the earliest end first."""
    deprecated = []
    entries: Sequence[Entry]
    for kind, section, entries in (
        ("instance type", "instancetypes", catalog.instancetypes),
        ("preference", "preferences", catalog.preferences),
    ):
        names = {entry.name for entry in entries}
        for entry in entries:
            if (gone := entry.deprecated) is not None:
                page = page_of(section, gone.replaced_by) if gone.replaced_by in names else ""
                own = page_of(section, entry.name)
                deprecated.append(Ending(kind, entry.name, own, gone.replaced_by, page, gone.sunset))
    return sorted(deprecated, key=lambda ending: (not ending.sunset, ending.sunset, ending.name))


def calendar(catalog: Catalog, deprecated: Iterable[Ending]) -> str:
    """Return the ends that have a date as a calendar (RFC 5545), each a whole day."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:-//virtcatalog//{_text(catalog.name)}//EN"]
    for ending in deprecated:
        if ending.sunset:
            day = ending.sunset.replace("-", "")
            instead = f": use {ending.replacement}" if ending.replacement else ""
            lines += [
                "BEGIN:VEVENT",
                f"UID:{_uuid(catalog, ending.page)}",
                f"DTSTAMP:{day}T000000Z",
                f"DTSTART;VALUE=DATE:{day}",
                f"SUMMARY:{_text(f'{catalog.name}: the {ending.kind} {ending.name} is served no longer{instead}')}",
                "TRANSP:TRANSPARENT",
                "END:VEVENT",
            ]
    return "".join(f"{part}\r\n" for line in [*lines, "END:VCALENDAR"] for part in _folded(line))


def atom(catalog: Catalog, history: Iterable[Chapter]) -> str:
    """Return the releases that have a date as an Atom feed (RFC 4287), the newest first; "" without any."""
    dated = [chapter for chapter in history if chapter.date]
    if not dated:
        return ""
    entries = "".join(
        f"<entry><id>urn:uuid:{_uuid(catalog, chapter.name)}</id>"
        f"<title>{_xml(f'{catalog.name} {chapter.name}')}</title>"
        f'<updated>{_time(chapter.date)}</updated><link href="changes.html#{chapter.anchor}"/>'
        f'<content type="text">{_xml(_summary(chapter))}</content></entry>\n'
        for chapter in dated
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<id>urn:uuid:{_uuid(catalog, '')}</id><title>{_xml(f'Changes of {catalog.name}')}</title>"
        f"<updated>{_time(dated[0].date)}</updated><author><name>{_xml(catalog.vendor or catalog.name)}</name></author>"
        f'<link href="changes.html"/>\n{entries}</feed>\n'
    )


def _summary(chapter: Chapter) -> str:
    """Return what a release changed, in a sentence or two."""
    parts = list(chain.from_iterable(map(_counts, chapter.parts)))
    return f"{'. '.join(parts)}." if parts else "Nothing changed." if chapter.before else "The first release."


def _counts(part: Part) -> Iterator[str]:
    for verb, items in (("added", part.added), ("deprecated", part.deprecated), ("removed", part.removed)):
        if items:
            names = (f"{item.name} ({item.text})" if item.text else item.name for item in items)
            yield f"{part.title} {verb}: {', '.join(names)}"
    for change in part.changed:
        yield f"{part.title} changed: {', '.join(item.name for item in change.objects)}: {'; '.join(change.fields)}"


def _time(date: str) -> str:
    return f"{date}T00:00:00Z"


def _uuid(catalog: Catalog, subject: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"{catalog.vendor}/{catalog.name}/{subject}"))


def _xml(text: str) -> str:
    return escape(single_line(text))


def _text(text: str) -> str:
    """A text as a calendar has it."""
    return "".join(f"\\{letter}" if letter in "\\;," else letter for letter in single_line(text))


def _folded(line: str) -> Iterator[str]:
    part = ""
    for letter in line:
        if len((part + letter).encode()) > _FOLD:
            yield part
            part = " "
        part += letter
    yield part
