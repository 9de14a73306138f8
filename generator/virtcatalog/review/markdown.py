"""A report as a comment of a pull request: what matters first, everything else folded, within the size of a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from virtcatalog.review.outcome import KINDS
from virtcatalog.review.report import Report, consequences, counts, effects, headline, members, totals
from virtcatalog.review.text import printable

#: A comment of GitHub holds 65,536 characters; bytes are counted, so that other forges' limits hold too.
MOST_BYTES, MOST_BYTES_EACH = 65_000, 10_000
_MARKER = "<!-- virtcatalog diff -->\n"
_MOST_PROBLEMS, _MOST_ROWS = 20, 40
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~@&-])")


def markdown(report: Report, artifact: str = "") -> str:
    """The report; `artifact` says where the whole of it is, a URL or a name."""
    pointer = _pointer(artifact)
    head = _MARKER + "".join(_summary(report))
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


def _summary(report: Report) -> Iterator[str]:
    yield f"### virtcatalog: {_code(report.base.label)} → {_code(report.head.label)}\n\n"
    problems = report.problems
    if problems:
        yield "**Broken: what is sound is compared, the rest is not.**\n\n```text\n"
        yield "".join(f"{printable(str(each)).replace('```', '` ` `')}\n" for each in problems[:_MOST_PROBLEMS])
        yield f"and {len(problems) - _MOST_PROBLEMS} more\n" if len(problems) > _MOST_PROBLEMS else ""
        yield "```\n\n"
    if not report.differs:
        yield "No differences.\n"
        return
    rows = []
    for change, number in counts(report).items():
        names = [each.name for each in report.objects if each.change == change]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        rows.append((f"objects {change}", number, ", ".join(map(_code, names[:3])) + more))
    if report.host:
        rows.append(("host profile", 1, _plain(report.host)))
    groups = report.fleet.groups
    rows += [
        (f"VMs: {KINDS[group.kind]}", len(group.members), _plain(_short(headline(group), 300)))
        for group in groups[:_MOST_ROWS]
    ]
    yield "| what | number | |\n|---|--:|---|\n"
    for what, number, said in rows:
        yield f"| {what} | {number:,} | {said} |\n"
    if len(groups) > _MOST_ROWS:
        yield f"| other changes of VMs | {len(groups) - _MOST_ROWS:,} | |\n"
    yield f"\n{_plain(totals(report))}\n"


def _details(report: Report, pointer: str) -> Iterator[str]:
    for group in report.fleet.groups:
        said = f"{_plain(_short(members(group), 500))}  \n{_plain(effects(group))}\n"
        yield _folded(_short(headline(group), 300), said, group.diff, pointer)
    for change in report.objects:
        renamed = f" (was {change.old_name})" if change.old_name else ""
        where = f" in {', '.join(change.environments)}" if change.environments else ""
        said = "".join(f"{_plain(sentence)}\n" for sentence in consequences(change, report))
        if change.same_as:
            said += f"The same diff as {_code(change.same_as)}.\n"
        diff = "" if change.same_as else change.diff
        yield _folded(f"{change.change} {change.name}{renamed}{where}", said, diff, pointer)


def _folded(title: str, said: str, diff: str, pointer: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", diff)), default=0))
    start = f"\n<details><summary>{escape(printable(title)).replace('@', '&#64;')}</summary>\n\n{said}\n"
    end = "\n</details>\n"
    if not diff:
        return start + end
    left = MOST_BYTES_EACH - _size(start) - _size(end) - 2 * len(fence) - 10
    if _size(diff) > left:
        diff = _cut(diff, left - _size(pointer))
        return f"{start}{fence}diff\n{diff}{fence}\n{pointer}{end}"
    return f"{start}{fence}diff\n{diff}{fence}\n{end}"


def _pointer(artifact: str) -> str:
    if not artifact:
        return "\n*Shortened: `virtcatalog diff` prints the whole report.*\n"
    shown = f"<{artifact}>" if re.fullmatch(r"https?://[^\s<>]+", artifact) else _code(artifact)
    return f"\n*Shortened: the whole report is in {shown}.*\n"


def _cut(text: str, most: int) -> str:
    """The whole lines of a text that fit."""
    kept = text.encode()[: max(most, 0)].decode(errors="ignore")
    return kept[: kept.rfind("\n") + 1]


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _code(text: str) -> str:
    """Text as code, in a table too."""
    text = printable(text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


def _plain(text: str) -> str:
    """Text that means nothing to Markdown: names of VMs come from anybody."""
    return _SPECIAL.sub(r"\\\1", printable(text)).replace("\\@", "&#64;")


def _size(text: str) -> int:
    return len(text.encode())
