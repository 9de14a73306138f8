"""What VMs use, as Prometheus tells it: the JSON of its HTTP API, or CSV. What is no amount is a problem."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from virtcatalog.errors import ManifestError, Problem
from virtcatalog.manifests.fields import map_at

CPU, MEMORY = "cpu", "memory"
RESOURCES: Final = (CPU, MEMORY)
_HEADER: Final = ["namespace", "name", CPU, MEMORY]
_MOST: Final = 2**60
"""More CPUs or bytes than any machine has."""


class Usage(msgspec.Struct, frozen=True):
    """What a VM uses: CPUs, and bytes of memory; None where the metrics do not say."""

    cpu: float | None = None
    memory: float | None = None


class Metrics(msgspec.Struct, frozen=True):
    """Usage by `namespace/name`, and what is wrong with the metrics: such values do not count."""

    usage: Mapping[str, Usage]
    problems: tuple[Problem, ...] = ()


class Sample(msgspec.Struct, frozen=True):
    """One amount: whose, of what, where it stands in the file; `values` are several of a range."""

    vm: str
    resource: str
    values: tuple[str, ...]
    where: str
    line: int = 0


def read_metrics(content: bytes, file: str, percentile: float) -> Metrics:
    """Read the metrics of a file; ManifestError for what is neither Prometheus' JSON nor such CSV.

    Of a range of samples the given percentile counts, by nearest rank.
    """
    text = content.decode("utf-8-sig", "replace")
    samples = _json(text, file) if text.lstrip()[:1] == "{" else _csv(text, file)
    amounts: dict[tuple[str, str], float] = {}
    problems: list[Problem] = []
    keys: set[tuple[str, str]] = set()
    for sample in samples:
        key = sample.vm, sample.resource
        values = [_amount(value) for value in sample.values]
        if key in keys:
            amounts.pop(key, None)
            problems.append(_problem(file, sample, "stands there several times: aggregate over its other labels"))
        elif not values:
            problems.append(_problem(file, sample, "has no samples: ask for a range in which the VM ran"))
        elif any(value is None for value in values):
            problems.append(_problem(file, sample, "is no amount: NaN, infinite, negative or no number"))
        else:
            amounts[key] = _percentile([value for value in values if value is not None], percentile)
        keys.add(key)
    vms = dict.fromkeys(vm for vm, _ in amounts)
    return Metrics({vm: Usage(amounts.get((vm, CPU)), amounts.get((vm, MEMORY))) for vm in vms}, tuple(problems))


def _problem(file: str, sample: Sample, message: str) -> Problem:
    column = 1 if sample.line else 0
    return Problem(file=file, line=sample.line, column=column, object=sample.vm, field=sample.where, message=message)


def _amount(text: str) -> float | None:
    """A number of Prometheus' or of a table's; None for what is no amount."""
    try:
        number = float(text) if len(text) <= 64 else math.nan
    except ValueError:
        return None
    return number if 0 <= number <= _MOST else None


def _percentile(values: list[float], percentile: float) -> float:
    ordered = sorted(values)
    return ordered[max(math.ceil(percentile / 100 * len(ordered)), 1) - 1]


def _csv(text: str, file: str) -> Iterator[Sample]:
    """The rows of a table, whatever the order of its columns."""
    reader = csv.reader(text.splitlines(), strict=True)
    try:
        header = next(reader, [])
        if sorted(header) != sorted(_HEADER):
            message = f"is neither JSON of Prometheus' HTTP API nor CSV with the header {','.join(_HEADER)}"
            raise ManifestError(Problem(file=file, line=1, column=1, message=message))
        for row in reader:
            if not row:
                continue
            if len(row) != len(_HEADER):
                message = f"has {len(row)} columns, not {len(_HEADER)}"
                raise ManifestError(Problem(file=file, line=reader.line_num, column=1, message=message))
            cells = dict(zip(header, row, strict=True))
            for resource in RESOURCES:
                if value := cells[resource]:
                    yield Sample(f"{cells['namespace']}/{cells['name']}", resource, (value,), resource, reader.line_num)
    except csv.Error as error:
        raise ManifestError(
            Problem(file=file, line=reader.line_num, column=1, message=f"is no CSV: {error}")
        ) from error


def _json(text: str, file: str) -> Iterator[Sample]:
    """The series of an answer to `query` (a vector) or `query_range` (a matrix)."""
    try:
        answer = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ManifestError(Problem(file=file, message=f"is no JSON: {error}")) from error
    if isinstance(answer, dict) and answer.get("status") == "error":
        raise ManifestError(Problem(file=file, message=f"is an error of Prometheus: {answer.get('error')}"))
    data = map_at(answer, "data")
    series, kind = data.get("result"), data.get("resultType")
    if map_at(answer).get("status") != "success" or kind not in ("vector", "matrix") or not isinstance(series, list):
        message = "is no answer of Prometheus' HTTP API: status success, and a result of type vector or matrix"
        raise ManifestError(Problem(file=file, message=message))
    return _series(series, file)


def _series(series: Iterable[Any], file: str) -> Iterator[Sample]:
    for number, entry in enumerate(series):
        where = f"data.result[{number}]"
        labels = entry.get("metric") if isinstance(entry, dict) else None
        if not isinstance(labels, dict):
            raise ManifestError(Problem(file=file, field=where, message="has no labels"))
        namespace, name, resource = (labels.get(key) for key in ("namespace", "name", "resource"))
        if not (isinstance(namespace, str) and isinstance(name, str)) or resource not in RESOURCES:
            message = f"needs the labels namespace, name and resource, which is {' or '.join(RESOURCES)}"
            raise ManifestError(Problem(file=file, field=where, message=message))
        points = entry.get("values") if "values" in entry else [entry.get("value")]
        pairs = points if isinstance(points, list) else [points]
        values = [str(point[1]) if isinstance(point, list) and len(point) == 2 else "" for point in pairs]
        yield Sample(f"{namespace}/{name}", str(resource), tuple(values), where)
