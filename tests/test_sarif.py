"""The form in which code scanning takes findings."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog import __version__
from virtcatalog.sarif import log, result


def test_a_log_has_one_run_of_a_tool() -> None:
    rules, results = [{"id": "r"}], [{"ruleId": "r"}]
    run = {
        "tool": {"driver": {"name": "tool", "version": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    whole = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    assert log("tool", rules, results) == whole
    assert log("tool", rules, results, {"a": 1}) == {**whole, "runs": [{**run, "properties": {"a": 1}}]}


@pytest.mark.parametrize(
    ("place", "locations"),
    [
        ((), {}),
        (("", 3, 4), {}),
        (("a b.yaml",), {"artifactLocation": {"uri": "a%20b.yaml"}}),
        (("a", 3), {"artifactLocation": {"uri": "a"}, "region": {"startLine": 3, "startColumn": 1}}),
        (("a", 3, 4), {"artifactLocation": {"uri": "a"}, "region": {"startLine": 3, "startColumn": 4}}),
        (("a", 0, 4), {"artifactLocation": {"uri": "a"}}),
    ],
)
def test_a_result_has_a_place_as_far_as_it_is_known(place: tuple[Any, ...], locations: dict[str, Any]) -> None:
    entry = {"ruleId": "r", "ruleIndex": 2, "level": "note", "message": {"text": "m"}}
    if locations:
        entry["locations"] = [{"physicalLocation": locations}]
    assert result("r", 2, "note", "m", *place) == entry
