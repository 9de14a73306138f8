"""A report for a terminal: who meets what and why, between two lines that say it all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from virtcatalog.errors import counted, some
from virtcatalog.escaping import single_line
from virtcatalog.review.groups import Group, grouped
from virtcatalog.review.report import (
    Report,
    counts,
    deprecated,
    headline,
    requests,
    shortages,
    sides,
    upgrades,
)
from virtcatalog.review.rows import shortened, sign, what, who, why, word
from virtcatalog.review.running import TEMPLATE
from virtcatalog.review.users import consequences

WIDTH = 80
_MOST_LINES, _MOST_CHANGES, _MOST_NAMES, _MOST_UNRENDERED = 13, 4, 3, 5


def text(report: Report, width: int = WIDTH, *, full: bool = False, vms: bool = True, objects: bool = True) -> str:
    """The report: VMs by what happens to them, and objects; or one of these two.

    With `full` all of it, and the diffs of domains and objects; without, what is read in ten seconds.
    """
    closing = _wrapped(headline(report), width)
    return "".join((*closing, *_parts(report, width, full=full, vms=vms, objects=objects), *closing))


def stat(report: Report, width: int = WIDTH) -> str:
    """How many there are of each, in one sentence."""
    defaults = [f"{single_line(str(default))}\n" for default in report.defaults]
    return "".join((*defaults, *_wrapped(headline(report), width)))


def _parts(report: Report, width: int, *, full: bool, vms: bool, objects: bool) -> Iterator[str]:
    yield from _wrapped(" → ".join(sides(report)), width)
    for side in (report.base, report.head):
        for problem in side.problems:
            yield f"{single_line(str(problem))}\n"
        if side.problems:
            yield f"{single_line(side.label)} is broken; what is sound is compared.\n"
    yield from (f"{single_line(str(default))}\n" for default in report.defaults)
    for title, lines in upgrades(report):
        yield from _wrapped(title, width)
        for line in lines[0 if full else 1 :]:
            yield from _wrapped(line, width, "  ")
    if report.host:
        yield from _wrapped(f"host profile: {report.host}", width)
    if vms:
        yield from _vms(report, width, full=full)
    if objects:
        yield from _objects(report, width) if full else _objects_in_short(report, width)
    for line in deprecated(report):
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


def _vms(report: Report, width: int, *, full: bool) -> Iterator[str]:
    groups = grouped(report.fleet.verdicts)
    if full:
        for group in groups:
            yield from _row(group, width, full=True)
            diff = report.fleet.diff(group.verdict)
            yield diff if diff.endswith("\n") or not diff else f"{diff}\n"
    else:
        yield from _rows_in_short(groups, width)
    requested, short_of = requests(report), shortages(report)
    for line in requested.all_lines if full else requested.short:
        yield from _wrapped(f"requests: {line}", width)
    for line in short_of if full or len(short_of) < 2 else [f"{short_of[0]}; and {len(short_of) - 1:,} more"]:
        yield from _wrapped(f"shortages: {line}", width)


def _rows_in_short(groups: Sequence[Group], width: int) -> Iterator[str]:
    """A line for each of the gravest groups, and more for the gravest of these, as long as there is room."""
    shown = groups[:_MOST_LINES]
    left = _MOST_LINES - len(shown)
    for group in shown:
        lines = list(_row(group, width, full=False))
        if len(lines) - 1 <= left:
            left -= len(lines) - 1
            yield from lines
        else:
            words = "; ".join(what(group.verdict)).replace(TEMPLATE, "")
            brief = single_line(f"{sign(group.verdict)} {word(group.verdict)}  {who(group, 1)}  {words}").rstrip()
            yield f"{brief}\n" if len(brief) <= width else f"{brief[: width - 1]}…\n"
    if len(groups) > len(shown):
        yield f"  and {counted(len(groups) - len(shown), 'more group')}: --full shows them\n"


def _row(group: Group, width: int, *, full: bool) -> Iterator[str]:
    """The VMs, what becomes of them, and because of what: that is behind their names where it fits."""
    verdict = group.verdict
    start = f"{sign(verdict)} {word(verdict)}  {who(group, len(group.vms) if full else _MOST_NAMES)}"
    cause, lines = why(group), what(verdict)
    beside = bool(cause) and len(start) + len(cause) + 2 <= width
    yield from _wrapped(f"{start}  {cause}", width) if beside else _wrapped(start, width, after="    ")
    yield from _wrapped("; ".join(lines if full else shortened(lines, _MOST_CHANGES)), width, "    ")
    if not beside:
        yield from _wrapped(cause, width, "    ")


def _objects_in_short(report: Report, width: int) -> Iterator[str]:
    for change, number in counts(report).items():
        names = [
            f"{obj.name} (was {obj.old_name})" if obj.old_name else obj.name
            for obj in report.objects
            if obj.change == change
        ]
        yield from _wrapped(f"{counted(number, 'object')} {change}: {some(names, _MOST_NAMES)}", width)


def _objects(report: Report, width: int) -> Iterator[str]:
    for change in report.objects:
        renamed = f" (was {change.old_name})" if change.old_name else ""
        where = f" in {', '.join(change.environments)}" if change.environments else ""
        yield f"\n{change.change} {single_line(change.name)}{renamed}{where}\n"
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
