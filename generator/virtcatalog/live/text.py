"""A report on drift for people: a sentence, and a table of VMs that drift; on a terminal or as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from virtcatalog.errors import counted, some
from virtcatalog.escaping import markdown, single_line
from virtcatalog.live.report import Report, shown
from virtcatalog.live.verdict import KINDS, POOL, WORDS, Drift, Field, Kind, Noise, Reason
from virtcatalog.manifests.difference import shown as value_text

COLUMNS = ("VM", "Git", "cluster", "runs", "verdict")
_MOST_FIELDS = 2
_WINS = {
    "git": "Git has its way with the next sync",
    "hand": "it stays so",
    "controller": "KubeVirt has its way",
}
_TEMPLATE = "spec.template.spec."


def headline(report: Report) -> str:
    """Say all in one sentence."""
    counts = report.counts
    parts = [f"{counts[kind]:,} {_many(kind, counts[kind])}" for kind in KINDS if kind in counts]
    text = f"{_number(report)}: {', '.join(parts)}" if parts else "there is no VM"
    if not report.partial:
        return text
    return f"{text}; this is not all: {counted(len(report.gaps) + len(report.problems), 'thing')} could not be read"


def _number(report: Report) -> str:
    pools = sum(drift.kind == POOL for drift in report.drifts)
    vms = counted(len(report.drifts) - pools, "VM")
    return f"{vms} and {counted(pools, 'pool')}" if pools else vms


def _title(drift: Drift) -> str:
    return f"{drift.vm} (pool)" if drift.kind == POOL else drift.vm


def _many(kind: Kind, number: int) -> str:
    return WORDS[kind].one if number == 1 else WORDS[kind].many


def titles(report: Report) -> str:
    """Say what is compared, and how old it is where that is worth a word."""
    return f"{report.git} → {report.cluster}{_age(report.taken)}"


def _age(taken: str) -> str:
    """Say how long ago a dump was taken, "" within the hour, or where nobody says."""
    try:
        age = datetime.now(tz=UTC) - datetime.fromisoformat(taken)
    except (TypeError, ValueError):  # no time, or one of no zone
        return ""
    if age < timedelta(hours=1):
        return ""
    return f", {counted(age.days, 'day')} ago" if age.days else f", {counted(age.seconds // 3600, 'hour')} ago"


def unread(report: Report) -> Iterator[str]:
    """Say what could not be read, a line each."""
    yield from (f"not read of the cluster: {gap}" for gap in report.gaps)
    yield from (f"not read of Git: {problem}" for problem in report.problems)


def rows(report: Report, *, calm: bool = False) -> list[tuple[str, ...]]:
    """Return the rows of the table, under `COLUMNS`; with a column `domain` where domains were given."""
    domains = has_domains(report)
    return [_row(drift, domains=domains) for drift in shown(report, calm=calm)]


def has_domains(report: Report) -> bool:
    """Whether domains were compared."""
    return any(drift.stages.domain for drift in report.drifts)


def columns(report: Report) -> tuple[str, ...]:
    """Return the names of the columns."""
    return (*COLUMNS[:4], "domain", COLUMNS[4]) if has_domains(report) else COLUMNS


def _row(drift: Drift, *, domains: bool) -> tuple[str, ...]:
    stages = drift.stages
    words = (stages.git, stages.vm, stages.vmi, *((stages.domain,) if domains else ()))
    name = f"{_title(drift)} ({drift.environment})" if drift.environment else _title(drift)
    return name, *words, "; ".join(map(reason_words, drift.reasons)) or WORDS["in-sync"].short


def reason_words(reason: Reason) -> str:
    """Say a reason in some words."""
    texts = [field_words(field) for field in reason.fields[:_MOST_FIELDS]]
    more = len(reason.fields) - _MOST_FIELDS
    listed = some(texts, _MOST_FIELDS) + (f" and {counted(more, 'field')} more" if more > 0 else "")
    parts = [part for part in (reason.message, listed if reason.kind not in ("pinned", "refused") else "") if part]
    since = f"since {reason.since}" if reason.since else ""
    return f"{WORDS[reason.kind].short}: {', '.join(filter(None, ('; '.join(parts), since)))}".removesuffix(": ")


def field_words(field: Field) -> str:
    """Say what a field is and what it should be."""
    name = field.field.removeprefix(_TEMPLATE)
    return f"{name}: {_value(field.now)} → {_value(field.wanted)}"


def _value(value: object) -> str:
    """A value; what comes or goes as a whole is there, or is not."""
    if value is None:
        return "none"
    return "there" if isinstance(value, dict) and value else value_text(value)


def story(drift: Drift, *, noise: bool = False) -> Iterator[str]:
    """Tell all of one VM, a line each."""
    yield f"{_title(drift)}: {WORDS[drift.verdict].one}"
    if drift.place:
        yield f"  in Git: {drift.place}" + (f" ({drift.environment})" if drift.environment else "")
    stages = drift.stages
    chain = [("Git", stages.git), ("cluster", stages.vm), ("runs", stages.vmi), ("domain", stages.domain)]
    words = [f"{name}: {word}" for name, word in chain if word]
    if words:
        yield f"  {' → '.join(words)}"
    for which, release in sorted(drift.runs.items()):
        yield f"  its {which} is that of {release}"
    for reason in drift.reasons:
        yield from _reason_lines(reason)
    if noise:
        yield from map(noise_words, drift.noise)


def _reason_lines(reason: Reason) -> Iterator[str]:
    since = f", since {reason.since}" if reason.since else ""
    yield f"  {WORDS[reason.kind].one}{since}" + (f": {reason.message}" if reason.message else "")
    for field in reason.fields:
        same = field.now is None is field.wanted
        yield f"    {field.field}" + ("" if same else f": {_value(field.now)} → {_value(field.wanted)}")
        if field.applied not in (None, field.now):
            yield f"      applied last: {_value(field.applied)}"
        if field.writer is not None:
            yield f"      written by {field.writer}"
        if field.place:
            yield f"      in Git at {field.place}"
    if reason.wins:
        yield f"    if nobody does anything: {_WINS[reason.wins]}"


def noise_words(noise: Noise) -> str:
    """Say a difference that means nothing."""
    return f"  no drift: {noise.field}: {_value(noise.now)} → {_value(noise.wanted)}: {noise.why}"


def as_markdown(report: Report) -> str:
    """Return the report: one sentence, and a table of what drifts."""
    parts = [[f"### virtcatalog drift: {_cell(titles(report))}"], [_cell(headline(report))]]
    parts.append([f"- {_cell(text)}" for text in unread(report)])
    table = rows(report)
    if table:
        names = columns(report)
        head = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
        parts.append([*head, *(f"| {' | '.join(_cell(cell or '-') for cell in row)} |" for row in table)])
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _cell(text: str) -> str:
    return markdown(single_line(text))
