"""A report as one page of HTML that needs nothing else: what becomes of VMs first, all else folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from virtcatalog.escaping import html as escaped
from virtcatalog.escaping import html_block
from virtcatalog.review.groups import Group, grouped
from virtcatalog.review.report import Report
from virtcatalog.review.rows import causes, change_lines, elsewhere, meaning, sign, who, word
from virtcatalog.review.users import consequences

_MOST_NAMES = 3

_META = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1f2328 }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% } th { text-align: left }
td, th { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid #d1d9e0; vertical-align: top }
td { overflow-wrap: anywhere } td:first-child, td:nth-child(2) { overflow-wrap: normal }
pre { background: #f6f8fa; padding: .75rem; overflow-x: auto } code { background: #f6f8fa }
.refused, .unknown, .crash, .boot { color: #b3140a; font-weight: 600 }
.delete, .stop, .restart, .pending, .risk { color: #8a4600; font-weight: 600 }
.live { color: #0a5ab3 } summary { cursor: pointer; padding: .25rem 0 }
@media (max-width: 45rem) {
  body { margin: 1rem auto } table, tbody, tr, td { display: block } th { display: none }
  td { border: 0; padding: .1rem 0 } tr { border-bottom: 1px solid #d1d9e0; padding: .5rem 0 }
  td:last-child:not(:empty)::before { content: "because of " }
}
"""


def html(report: Report) -> str:
    """The whole report as a page; nothing of it is cut."""
    title = escaped(f"virtcatalog: {report.compared}")
    body = "".join(_body(report, title))
    start = f'<!DOCTYPE html>\n<html lang="en">\n<head>{_META}<title>{title}</title>'
    return f"{start}\n<style>{_STYLE}</style></head>\n<body>\n{body}</body>\n</html>\n"


def _body(report: Report, title: str) -> Iterator[str]:
    yield f"<h1>{title}</h1>\n"
    if report.problems:
        yield "<p><strong>Broken: what is sound is compared, the rest is not.</strong></p>\n"
        yield _list(map(str, report.problems))
    if report.defaults:
        yield _list(map(str, report.defaults))
    groups = grouped(report.fleet.verdicts)
    yield f"<h2>{escaped(report.headline)}</h2>\n"
    if groups:
        yield "<table>\n<tr><th></th><th>VMs</th><th>what happens</th><th>because of</th></tr>\n"
        yield "".join(_row(group, report.fleet.diff(group.verdict)) for group in groups) + "</table>\n"
    for title, lines in report.upgrade_words:
        yield f"<h2>{escaped(title)}</h2>\n{_list(lines)}"
    for title, lines in (
        ("Migration", report.migrations),
        ("Deprecated", report.deprecated),
        ("Requests", report.requests.all_lines),
        ("Shortages", report.shortages),
        ("Not rendered", list(map(str, report.unrendered))),
        ("Assumed", [*report.fleet.assumed]),
        ("Notes", [*report.remarks]),
    ):
        yield f"<h2>{title}</h2>\n{_list(lines)}" if lines else ""
    if report.objects:
        yield "<h2>Objects</h2>\n"
    for change in report.objects:
        same = [f"The same diff as {change.same_as}."] if change.same_as else []
        text = _list([*consequences(change, report.fleet.users), *same])
        yield _folded(change.title, text, "" if change.same_as else change.diff)
    yield f"<p>{escaped(report.headline)}</p>\n"


def _row(group: Group, diff: str) -> str:
    verdict = group.verdict
    more = group.vms[_MOST_NAMES:]
    names = escaped(who(replace(group, vms=group.vms[:_MOST_NAMES]), _MOST_NAMES))
    if more:
        names += f"<details><summary>and {len(more):,} more</summary>{escaped(', '.join(more))}</details>"
    text = "<br>".join(map(escaped, change_lines(verdict))) or escaped(meaning(verdict))
    folded = _folded("the domain", "", diff) if diff else ""
    because = "<br>".join(escaped(f"{name} ({places})" if places else name) for name, places in causes(verdict))
    because += elsewhere(group)
    kind = f'<td class="{verdict.level}">{sign(verdict)} {word(verdict)}</td>'
    return f"<tr>{kind}<td>{names}</td><td>{text}{folded}</td><td>{because}</td></tr>\n"


def _list(lines: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escaped(line)}</li>' for line in lines)}</ul>\n"


def _folded(title: str, text: str, diff: str) -> str:
    block = f"<pre>{html_block(diff)}</pre>" if diff else ""
    return f"<details><summary>{escaped(title)}</summary>\n{text}{block}</details>\n"
