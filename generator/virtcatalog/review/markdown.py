"""A report as a comment of a pull request: what matters first, everything else folded, within the size of a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator

from virtcatalog.errors import some
from virtcatalog.escaping import html_prose, log, markdown_block, markdown_code, markdown_prose, single_line
from virtcatalog.escaping import markdown as plain
from virtcatalog.review.fate import FATES
from virtcatalog.review.fleet import Group
from virtcatalog.review.outcome import KINDS
from virtcatalog.review.plan import Cause, Plan, plans
from virtcatalog.review.report import (
    Report,
    consequences,
    counts,
    effects,
    headline,
    members,
    requests,
    shortages,
    sides,
    totals,
    upgrades,
)

#: A comment of GitHub holds 65,536 characters; bytes are counted, so that other forges' limits hold too.
MOST_BYTES, MOST_BYTES_EACH = 65_000, 10_000
#: What a report begins with, so that the comment that it becomes is found again.
MARKER = "<!-- virtcatalog diff -->\n"
_MOST_PROBLEMS, _MOST_ROWS, _MOST_LINES = 20, 40, 12


def markdown(report: Report, artifact: str = "") -> str:
    """The report; `artifact` says where the whole of it is, a URL or a name."""
    pointer = _pointer(artifact)
    head = MARKER + "".join(_summary(report))
    if _size(head) > MOST_BYTES - 2 * _size(pointer):
        head = _cut(head, MOST_BYTES - 2 * _size(pointer))
    parts = [head]
    left = MOST_BYTES - _size(head) - _size(pointer)
    missing = False
    for detail in _details(report, pointer):
        if _size(detail) > left:
            missing = True
            break
        parts.append(detail)
        left -= _size(detail)
    return "".join(parts) + (pointer if missing else "")


def calm(report: Report) -> str:
    """No more than what the repository's defaults leave out, and how much that is."""
    return f"{MARKER}{_title(report)}{_defaults(report)}{plain(totals(report))}\n"


def _title(report: Report) -> str:
    return f"### virtcatalog: {' → '.join(map(markdown_code, sides(report)))}\n\n"


def _defaults(report: Report) -> str:
    lines = "".join(f"- {plain(str(default))}\n" for default in report.defaults)
    return f"{lines}\n" if lines else ""


def _summary(report: Report) -> Iterator[str]:
    yield _title(report)
    problems = report.problems
    if problems:
        yield "**Broken: what is sound is compared, the rest is not.**\n\n"
        told = "".join(f"{single_line(str(problem))}\n" for problem in problems[:_MOST_PROBLEMS])
        more = f"and {len(problems) - _MOST_PROBLEMS} more\n" if len(problems) > _MOST_PROBLEMS else ""
        yield f"{markdown_block(told + more, 'text')}\n"
    yield _defaults(report)
    for title, lines in upgrades(report):
        yield f"**{plain(title)}**\n{plain(lines[0])}\n\n"
    if not report.differs:
        yield "No differences.\n"
        return
    for plan in plans(report):
        yield from _plan(plan)
    rows: list[tuple[str, int, str]] = []
    for change, number in counts(report).items():
        names = [each.name for each in report.objects if each.change == change]
        rows.append((f"objects {change}", number, some([markdown_code(name) for name in names], 3)))
    for title, lines in upgrades(report):
        rows += [(f"fields under {plain(title)}", len(lines) - 1, plain(_short(lines[1], 300)))] if lines[1:] else []
    if report.host:
        rows.append(("host profile", 1, plain(report.host)))
    short = shortages(report)
    if short:
        rows.append(("**shortages**", len(short), plain(_short(short[0], 300))))
    changed = requests(report)
    if changed:
        rows.append(("requests", len(report.fleet.requests), plain(_short(changed[0], 300))))
    groups = report.fleet.groups
    rows += [
        (f"{_which(group)}: {KINDS[group.kind]}", len(group.members), plain(_short(headline(group), 300)))
        for group in groups[:_MOST_ROWS]
    ]
    yield "| what | number | |\n|---|--:|---|\n"
    for what, number, said in rows:
        yield f"| {what} | {number:,} | {said} |\n"
    if len(groups) > _MOST_ROWS:
        yield f"| other changes of VMs | {len(groups) - _MOST_ROWS:,} | |\n"
    yield f"\n{plain(totals(report))}\n"


def _which(group: Group) -> str:
    """Whether only VMs that are created from now on meet what a group of them meets."""
    return "VMs" if any(member.effect == "started" for member in group.members) else "VMs created from now on"


def _plan(plan: Plan) -> Iterator[str]:
    """What becomes of the VMs that run: a headline, and a table of those that are touched."""
    yield f"**{markdown_prose(plan.headline)}**\n\n"
    if not plan.lines:
        return
    yield "| | VMs that run | what happens | because of |\n|---|---|---|---|\n"
    for line in plan.lines[:_MOST_LINES]:
        said = markdown_prose(_short(", ".join(line.said), 300)) or markdown_prose(FATES[line.kind])
        causes = "<br>".join(map(_cause, line.because[:3]))
        yield f"| {line.kind} | {markdown_prose(some(line.members, 3))} | {said} | {causes} |\n"
    if len(plan.lines) > _MOST_LINES:
        yield f"| | and {len(plan.lines) - _MOST_LINES:,} more groups | | |\n"
    yield "\n"


def _cause(cause: Cause) -> str:
    place = f"{cause.file}:{cause.line}" if cause.line else cause.file
    return f"{markdown_prose(cause.name)} {markdown_code(place)}" if place else markdown_prose(cause.name)


def _details(report: Report, pointer: str) -> Iterator[str]:
    for title, lines in upgrades(report):
        if lines[1:]:
            yield _folded(f"fields under {title}", "".join(f"- {plain(line)}\n" for line in lines[1:]), "", pointer)
    short = shortages(report)
    if short:
        yield _folded("shortages", "".join(f"- {plain(line)}\n" for line in short), "", pointer)
    changed = requests(report)
    if changed:
        yield _folded("requests", "".join(f"- {plain(line)}\n" for line in changed), "", pointer)
    shown: dict[str, str] = {}
    for group in report.fleet.groups:
        said = f"{plain(_short(members(group), 500))}  \n{plain(effects(group))}\n"
        title = _short(headline(group), 300)
        first = shown.setdefault(group.diff, title)
        if first != title and group.diff:
            said += f"\nThe same diff as: {plain(first)}\n"
        yield _folded(title, said, group.diff if first == title else "", pointer)
    for change in report.objects:
        renamed = f" (was {change.old_name})" if change.old_name else ""
        where = f" in {', '.join(change.environments)}" if change.environments else ""
        said = "".join(f"{plain(sentence)}\n" for sentence in consequences(change, report))
        if change.same_as:
            said += f"The same diff as {markdown_code(change.same_as)}.\n"
        diff = "" if change.same_as else change.diff
        yield _folded(f"{change.change} {change.name}{renamed}{where}", said, diff, pointer)


def _folded(title: str, said: str, diff: str, pointer: str) -> str:
    start = f"\n<details><summary>{html_prose(title)}</summary>\n\n{said}\n"
    end = "\n</details>\n"
    if not diff:
        return start + end
    block = markdown_block(diff, "diff")
    over = _size(start) + _size(block) + _size(end) - MOST_BYTES_EACH
    if over > 0:
        diff = log(diff)
        block = markdown_block(_cut(diff, _size(diff) - over - _size(pointer)), "diff")
        return f"{start}{block}{pointer}{end}"
    return f"{start}{block}{end}"


def _pointer(artifact: str) -> str:
    if not artifact:
        return "\n*Shortened: `virtcatalog diff` prints the whole report.*\n"
    shown = f"<{artifact}>" if re.fullmatch(r"https?://[^\s<>]+", artifact) else markdown_code(artifact)
    return f"\n*Shortened: the whole report is in {shown}.*\n"


def _cut(text: str, most: int) -> str:
    """The whole lines of a text that fit."""
    kept = text.encode()[: max(most, 0)].decode(errors="ignore")
    return kept[: kept.rfind("\n") + 1]


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _size(text: str) -> int:
    return len(text.encode())
