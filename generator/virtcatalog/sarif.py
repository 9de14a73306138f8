"""SARIF 2.1.0, the form in which code scanning takes findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from virtcatalog import escaping
from virtcatalog._version import __version__

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def log(
    name: str,
    rules: Sequence[dict[str, Any]],
    results: Sequence[dict[str, Any]],
    properties: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a log of one run of a tool; its properties are what is to be said of it as a whole."""
    driver = {"name": name, "version": __version__, "rules": list(rules)}
    run: dict[str, Any] = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": list(results)}
    if properties:
        run["properties"] = dict(properties)
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def result(
    rule: str, index: int, level: str, message: str, file: str = "", line: int = 0, column: int = 0
) -> dict[str, Any]:
    """Return one result; lines and columns count from 1, and 0 is none."""
    entry: dict[str, Any] = {"ruleId": rule, "ruleIndex": index, "level": level, "message": {"text": message}}
    if file:
        place: dict[str, Any] = {"artifactLocation": {"uri": escaping.uri(file)}}
        if line:
            place["region"] = {"startLine": line, "startColumn": max(column, 1)}
        entry["locations"] = [{"physicalLocation": place}]
    return entry
