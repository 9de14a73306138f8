"""A report for a terminal: who meets what and why, between two lines that say it all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from virtcatalog.errors import counted, cut, some
from virtcatalog.escaping import single_line
from virtcatalog.review.groups import Group, grouped
from virtcatalog.review.report import Report
from virtcatalog.review.rows import change_lines, sign, who, why, word
from virtcatalog.review.running import POOL_TEMPLATE, TEMPLATE
from virtcatalog.review.users import consequences

WIDTH = 80
_LEAST_WORDS = 16
_AROUND = re.compile(rf"\b(?:{re.escape(POOL_TEMPLATE)}|{re.escape(TEMPLATE)}|domain\.(?:devices\.)?)+(?=\w)")
_MOST_LINES, _LEAST_ROWS, _MOST_CHANGES, _MOST_NAMES, _MOST_UNRENDERED, _MOST_MOVES = 25, 5, 4, 3, 5, 3


def text(report: Report, width: int = WIDTH, *, full: bool = False, vms: bool = True, objects: bool = True) -> str:
    """The report: VMs by what happens to them, and objects; or one of these two.

    With `full` all of it, and the diffs of domains and objects; without, what is read in ten seconds.
    """
    closing = _wrapped(report.headline, width)
    before = [*closing, *_head(report, width, full=full)]
    after = [*_rest(report, width, full=full, vms=vms, objects=objects), *closing]
    rows: Iterable[str] = ()
    if vms:
        groups = grouped(report.fleet.verdicts)
        lines = _MOST_LINES - len(before) - len(after)
        rows = _rows(report, groups, width) if full else _rows_in_short(groups, width, max(lines, _LEAST_ROWS))
    return "".join((*before, *rows, *after))


def stat(report: Report, width: int = WIDTH) -> str:
    """How many there are of each, in one sentence."""
    defaults = [f"{single_line(str(default))}\n" for default in report.defaults]
    return "".join((*defaults, *_wrapped(report.headline, width)))


def _head(report: Report, width: int, *, full: bool) -> Iterator[str]:
    """What is compared, and what is wrong with it."""
    yield from _wrapped(report.compared, width)
    for side in (report.base, report.head):
        for problem in side.problems:
            yield f"{single_line(str(problem))}\n"
        if side.problems:
            yield f"{single_line(side.label)} is broken; what is sound is compared.\n"
    yield from (f"{single_line(str(default))}\n" for default in report.defaults)
    for title, lines in report.upgrade_words:
        yield from _wrapped(title, width)
        for line in lines[0 if full else 1 :]:
            yield from _wrapped(line, width, "  ")
    if report.host:
        yield from _wrapped(f"host profile: {report.host}", width)


def _rest(report: Report, width: int, *, full: bool, vms: bool, objects: bool) -> Iterator[str]:
    """What comes behind the VMs: what they request, objects, and what is not told."""
    if vms:
        requested, short_of = report.requests, report.shortages
        moving = report.migrations
        for line in moving if full else moving[: _MOST_MOVES + 1]:
            yield from _wrapped(f"migration: {line}", width)
        if not full and len(moving) > _MOST_MOVES + 1:
            yield f"and {counted(len(moving) - _MOST_MOVES - 1, 'more reason')}: --full shows them\n"
        for line in requested.all_lines if full else requested.short:
            yield from _wrapped(f"requests: {line}", width)
        for line in short_of if full or len(short_of) < 2 else [f"{short_of[0]}; and {len(short_of) - 1:,} more"]:
            yield from _wrapped(f"shortages: {line}", width)
    if objects:
        yield from _objects(report, width) if full else _objects_in_short(report, width)
    for line in report.deprecated:
        yield from _wrapped(f"deprecated: {line}", width)
    yield from _left_out(report, width, full=full)
    if report.hidden or report.fleet.unknown:
        yield from _wrapped(f"not compared: {', '.join([*report.hidden, *report.fleet.unknown])}", width)


def _left_out(report: Report, width: int, *, full: bool) -> Iterator[str]:
    """What a repository does not say, or is not looked at."""
    shown = report.unrendered if full else report.unrendered[:_MOST_UNRENDERED]
    yield from (f"not rendered: {single_line(str(problem))}\n" for problem in shown)
    if len(shown) < len(report.unrendered):
        yield f"and {len(report.unrendered) - len(shown):,} more not rendered: --full shows them\n"
    for line in report.fleet.assumed:
        yield from _wrapped(f"assumed: {line}", width)
    for line in report.remarks:
        yield from _wrapped(line, width)
    if report.passed_over:
        yield from _wrapped(f"passed over: {report.passed_over}", width)


def _rows(report: Report, groups: Sequence[Group], width: int) -> Iterator[str]:
    """All of each group, with the diff of its domain."""
    for group in groups:
        yield from _row(group, width, full=True)
        diff = report.fleet.diff(group.verdict)
        yield diff if diff.endswith("\n") or not diff else f"{diff}\n"


def _rows_in_short(groups: Sequence[Group], width: int, most: int) -> Iterator[str]:
    """A line for each of the gravest groups, and more for the gravest of these, as long as there is room."""
    shown = groups[: most - 1] if len(groups) > most else groups
    left = most - len(shown) - (len(groups) > len(shown))
    for group in shown:
        forms = list(_row(group, width, full=False)), _two_lines(group, width), [_one_line(group, width)]
        lines = next(form for form in forms if len(form) - 1 <= left)
        left -= len(lines) - 1
        yield from lines
    if len(groups) > len(shown):
        yield f"  and {counted(len(groups) - len(shown), 'more group')}: --full shows them\n"


def _two_lines(group: Group, width: int) -> list[str]:
    """A group in two lines: who, and what, as far as there is room; and because of what, where it fits."""
    start, place, words = _start(group, 1), _place(group), f"    {_words(group)}"
    if len(start) + len(place) <= width:
        return [f"{start}{place}\n", f"{cut(words, width)}\n"]
    return [f"{cut(start, width)}\n", f"{cut(words, width - len(place))}{place}\n"]


def _one_line(group: Group, width: int) -> str:
    """A group in one line, without what is the cause if that leaves no room to say what."""
    start, place = _start(group, 1), _place(group)
    if len(start) + len(place) + _LEAST_WORDS > width:
        place = ""
    return f"{cut(f'{start}  {_words(group)}'.rstrip(), width - len(place))}{place}\n"


def _start(group: Group, most: int) -> str:
    return single_line(f"{sign(group.verdict)} {word(group.verdict)}  {who(group, most)}")


def _words(group: Group) -> str:
    """What happens, with fields that are as short as they can be."""
    return _AROUND.sub("", single_line("; ".join(change_lines(group.verdict))))


def _place(group: Group) -> str:
    """The first place or name of what is the cause, and how many more there are."""
    places = list(dict.fromkeys(cause.place or cause.name for cause in group.verdict.because))
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return single_line(f"  ({places[0]}{more})") if places else ""


def _row(group: Group, width: int, *, full: bool) -> Iterator[str]:
    """The VMs, what becomes of them, and because of what: that is behind their names where it fits."""
    verdict = group.verdict
    start = _start(group, len(group.vms) if full else _MOST_NAMES)
    cause, lines = why(group), change_lines(verdict, None if full else _MOST_CHANGES)
    beside = bool(cause) and len(start) + len(cause) + 2 <= width
    yield from _wrapped(f"{start}  {cause}", width) if beside else _wrapped(start, width, after="    ")
    yield from _wrapped("; ".join(lines), width, "    ")
    if not beside:
        yield from _wrapped(cause, width, "    ")


def _objects_in_short(report: Report, width: int) -> Iterator[str]:
    for change, number in report.object_counts.items():
        names = [obj.called() for obj in report.objects if obj.change == change]
        yield from _wrapped(f"{counted(number, 'object')} {change}: {some(names, _MOST_NAMES)}", width)


def _objects(report: Report, width: int) -> Iterator[str]:
    for change in report.objects:
        yield f"\n{single_line(change.title)}\n"
        for sentence in consequences(change, report.fleet.users):
            yield from _wrapped(sentence, width, "  ")
        yield f"  The same diff as {single_line(change.same_as)}.\n" if change.same_as else change.diff


def _wrapped(line: str, width: int, before: str = "", after: str = "") -> list[str]:
    """The lines of a line of text that is no longer than the width, where it has words to part."""
    indent = after or before
    lines = wrap(
        single_line(line),
        width,
        initial_indent=before,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [f"{part}\n" for part in lines]
