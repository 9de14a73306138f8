"""Findings in each format."""

from __future__ import annotations

import json

from lxml import etree

from virtcatalog.check.finding import Finding, Rule, worst
from virtcatalog.check.report import as_json, github, junit, sarif, summary, text

RULES = {
    rule.id: rule
    for rule in (
        Rule("hugepages", "error", "Hugepages do not divide the memory.", "Pods stay pending.", "Round the memory."),
        Rule("deprecated", "note", "Deprecated object.", "It goes away.", "Use the replacement."),
        Rule("naming", "warning", "Name off the grammar.", "Users guess.", "Rename it."),
    )
}
HUGE = Finding(
    file="catalog/r.yaml", line=3, column=5, object="r.small", field="spec.memory", message="100%: odd,\nreally",
    rule="hugepages", severity="error",
)  # fmt: skip
NOTE = Finding(object="m.old", message="goes away", rule="deprecated", severity="note")


def test_text_names_place_object_field_message_and_rule():
    assert text([HUGE], RULES) == "catalog/r.yaml:3:5: r.small: spec.memory: 100%: odd,\nreally [hugepages]\n"
    assert text([NOTE], RULES) == "m.old: goes away [deprecated]\n"


def test_json_is_a_list_of_plain_objects():
    assert json.loads(as_json([NOTE], RULES)) == [
        {
            "file": "", "line": 0, "column": 0, "object": "m.old", "field": "", "message": "goes away",
            "rule": "deprecated", "severity": "note",
        }
    ]  # fmt: skip


def test_github_annotations_escape_what_their_syntax_uses():
    assert github([HUGE, NOTE], RULES) == (
        "::error file=catalog/r.yaml,line=3,col=5,title=hugepages::r.small: spec.memory: 100%25: odd,%0Areally\n"
        "::notice title=deprecated::m.old: goes away\n"
    )


def test_junit_has_a_case_a_rule_and_fails_those_with_findings_above_notes():
    suite = etree.fromstring(junit([HUGE, NOTE], RULES).encode()).find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    cases = {case.get("name"): [child.tag for child in case] for case in suite}
    assert cases == {"hugepages": ["failure"], "deprecated": ["system-out"], "naming": []}


def test_junit_leaves_out_what_xml_cannot_hold():
    bell = Finding(message="ring \a", rule="naming", severity="warning")
    assert "ring  [naming]" in junit([bell], RULES)


def test_sarif_points_each_result_at_its_rule_and_place():
    run = json.loads(sarif([HUGE, NOTE], RULES))["runs"][0]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["hugepages", "deprecated", "naming"]
    first, second = run["results"]
    assert (first["ruleId"], first["ruleIndex"], first["level"]) == ("hugepages", 0, "error")
    assert first["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "catalog/r.yaml"},
                "region": {"startLine": 3, "startColumn": 5},
            }
        }
    ]
    assert "locations" not in second


def test_the_summary_counts_by_severity():
    assert summary([HUGE, HUGE, NOTE]) == "2 errors, 1 note"
    assert summary([]) == "no findings"


def test_the_worst_severity():
    assert worst([NOTE, HUGE]) == "error"
    assert worst([]) is None
