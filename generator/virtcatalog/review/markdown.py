"""A report as a comment of a pull request: what matters first, everything else folded, within the size of a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator

from virtcatalog.errors import counted, cut, some
from virtcatalog.escaping import html_prose, log, markdown_block, markdown_code, markdown_prose, single_line
from virtcatalog.escaping import markdown as plain
from virtcatalog.review.groups import Group, grouped
from virtcatalog.review.report import Report
from virtcatalog.review.rows import causes, change_lines, elsewhere, meaning, shortened, sign, who, word
from virtcatalog.review.users import consequences

#: A comment of GitHub holds 65,536 characters; bytes are counted, so that other forges' limits hold too.
MOST_BYTES, MOST_BYTES_EACH = 65_000, 10_000
#: What a report begins with, so that the comment that it becomes is found again.
MARKER = "<!-- virtcatalog diff -->\n"
_MOST_PROBLEMS, _MOST_ROWS, _MOST_CHANGES, _MOST_CAUSES, _MOST_UNRENDERED, _MOST_MOVES = 20, 20, 4, 3, 5, 3


def markdown(report: Report, artifact: str = "") -> str:
    """The report; `artifact` says where the whole of it is, a URL or a name."""
    pointer = _pointer(artifact)
    head = MARKER + "".join(_summary(report))
    most = MOST_BYTES - 2 * _size(pointer)
    if _size(head) > most:
        return _cut(head, most) + pointer
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
    return f"{MARKER}{_title(report)}{_defaults(report)}{plain(report.headline)}\n"


def _title(report: Report) -> str:
    return f"### virtcatalog: {' → '.join(map(markdown_code, report.labels))}\n\n"


def _defaults(report: Report) -> str:
    lines = "".join(f"- {plain(str(default))}\n" for default in report.defaults)
    return f"{lines}\n" if lines else ""


def _summary(report: Report) -> Iterator[str]:
    yield _title(report)
    problems = report.problems
    if problems:
        yield "**Broken: what is sound is compared, the rest is not.**\n\n"
        shown = "".join(f"{cut(single_line(str(problem)), 500)}\n" for problem in problems[:_MOST_PROBLEMS])
        more = f"and {len(problems) - _MOST_PROBLEMS} more\n" if len(problems) > _MOST_PROBLEMS else ""
        yield f"{markdown_block(shown + more, 'text')}\n"
    yield _defaults(report)
    for title, lines in report.upgrade_words:
        yield f"**{plain(title)}**\n{plain(lines[0])}\n\n"
    yield f"**{markdown_prose(report.headline)}**\n\n"
    groups = grouped(report.fleet.verdicts)
    if groups:
        yield "| | VMs | what happens | because of |\n|---|---|---|---|\n"
        yield from map(_row, groups[:_MOST_ROWS])
        left_out = len(groups) - _MOST_ROWS
        yield f"| | and {counted(left_out, 'more group')} | | |\n" if left_out > 0 else ""
        yield "\n"
    for change in report.object_counts:
        names = [published.called(markdown_code) for published in report.objects if published.change == change]
        yield f"- objects {change}: {some(names, 3)}\n"
    if report.host:
        yield f"- host profile: {plain(report.host)}\n"
    yield from (f"- deprecated: {plain(cut(line, 300))}\n" for line in report.deprecated)
    yield from (f"- migration: {plain(cut(line, 300))}\n" for line in report.migrations[: _MOST_MOVES + 1])
    yield from (f"- requests: {plain(cut(line, 300))}\n" for line in report.requests.short)
    yield from (f"- **shortages**: {plain(cut(line, 300))}\n" for line in report.shortages[:1])
    for problem in report.unrendered[:_MOST_UNRENDERED]:
        yield f"- not rendered: {plain(cut(str(problem), 300))}\n"
    left_out = len(report.unrendered) - _MOST_UNRENDERED
    yield f"- and {left_out:,} more not rendered\n" if left_out > 0 else ""
    yield from (f"- assumed: {plain(line)}\n" for line in report.fleet.assumed)
    yield from (f"- {plain(line)}\n" for line in report.remarks)
    yield f"- passed over: {plain(report.passed_over)}\n" if report.passed_over else ""
    yield f"\n{plain(report.headline)}\n"


def _row(group: Group) -> str:
    verdict = group.verdict
    text = markdown_prose(cut("; ".join(change_lines(verdict, _MOST_CHANGES)), 300))
    happens = text or markdown_prose(meaning(verdict))
    because = "<br>".join(shortened([_cause(*cause) for cause in causes(verdict)], _MOST_CAUSES)) + elsewhere(group)
    return f"| `{sign(verdict)}` {word(verdict)} | {markdown_prose(who(group, 3))} | {happens} | {because} |\n"


def _cause(name: str, places: str) -> str:
    return f"{markdown_prose(name)} {markdown_code(places)}" if places else markdown_prose(name)


def _details(report: Report, pointer: str) -> Iterator[str]:
    for title, lines in report.upgrade_words:
        if lines[1:]:
            yield _folded(f"fields under {title}", "".join(f"- {plain(line)}\n" for line in lines[1:]), "", pointer)
    for title, lines in _folded_lists(report):
        if lines:
            yield _folded(title, "".join(f"- {plain(line)}\n" for line in lines), "", pointer)
    for group in grouped(report.fleet.verdicts):
        diff = report.fleet.diff(group.verdict)
        text = "".join(f"- {plain(cut(line, 500))}\n" for line in change_lines(group.verdict))
        title = cut(f"{word(group.verdict)}: {who(group, 20)}", 500)
        if text or diff:
            yield _folded(title, text, diff, pointer)
    for change in report.objects:
        text = "".join(f"{plain(sentence)}\n" for sentence in consequences(change, report.fleet.users))
        if change.same_as:
            text += f"The same diff as {markdown_code(change.same_as)}.\n"
        diff = "" if change.same_as else change.diff
        yield _folded(change.title, text, diff, pointer)


def _folded_lists(report: Report) -> Iterator[tuple[str, list[str]]]:
    yield "migration", report.migrations[1:]
    yield "shortages", report.shortages
    yield "requests", report.requests.all_lines


def _folded(title: str, text: str, diff: str, pointer: str) -> str:
    start = f"\n<details><summary>{html_prose(title)}</summary>\n\n{text}\n"
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
    fitting = text.encode()[: max(most, 0)].decode(errors="ignore")
    return fitting[: fitting.rfind("\n") + 1]


def _size(text: str) -> int:
    return len(text.encode())
