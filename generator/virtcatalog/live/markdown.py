"""A report on drift as Markdown, for a job's summary or an issue."""

from __future__ import annotations

from virtcatalog.escaping import markdown, single_line
from virtcatalog.live.report import Report
from virtcatalog.live.text import columns, headline, rows, titles, unread


def as_markdown(report: Report) -> str:
    """Return the report: one sentence, and a table of what drifts."""
    lines = [f"### virtcatalog drift: {_line(titles(report))}", "", _line(headline(report)), ""]
    lines += [f"- {_line(text)}" for text in unread(report)]
    table = rows(report)
    if table:
        names = columns(report)
        lines += ["", f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
        lines += [f"| {' | '.join(_line(cell or '-') for cell in row)} |" for row in table]
    return "\n".join(lines).rstrip() + "\n"


def _line(text: str) -> str:
    return markdown(single_line(text))
