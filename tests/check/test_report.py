"""Findings in each format."""

from __future__ import annotations

import json

import jsonschema
import pytest
from lxml import etree

from virtcatalog.check.finding import Finding, Rule, fails
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
NAME = Finding(object="m.odd", message="off", rule="naming", severity="warning")


def record(*required, **properties):
    return {"type": "object", "required": list(required), "properties": properties, "additionalProperties": False}


def several(items):
    return {"type": "array", "items": items}


STRING = {"type": "string", "minLength": 1}
POSITIVE = {"type": "integer", "minimum": 1}
TEXT = record("text", text=STRING)
LEVEL = {"enum": ["none", "note", "warning", "error"]}
DESCRIPTOR = record(
    "id",
    id=STRING,
    shortDescription=TEXT,
    fullDescription=TEXT,
    help=TEXT,
    defaultConfiguration=record(level=LEVEL),
)
LOCATION = record(
    physicalLocation=record(
        "artifactLocation",
        artifactLocation=record("uri", uri={"type": "string", "pattern": "^[!-~]+$"}),
        region=record(startLine=POSITIVE, startColumn=POSITIVE),
    )
)
RESULT = record(
    "message",
    ruleId=STRING,
    ruleIndex={"type": "integer", "minimum": -1},
    level=LEVEL,
    message=TEXT,
    locations=several(LOCATION),
)
RUN = record(
    "tool",
    tool=record("driver", driver=record("name", name=STRING, version=STRING, rules=several(DESCRIPTOR))),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results=several(RESULT),
)
# What SARIF 2.1.0 (OASIS) says of the properties that are written here.
SARIF = record("version", "runs", version={"const": "2.1.0"}, runs=several(RUN), **{"$schema": STRING})


def test_text_names_place_object_field_message_and_rule():
    assert text([HUGE], RULES) == "catalog/r.yaml:3:5: r.small: spec.memory: 100%: odd, really [error: hugepages]\n"
    assert text([NOTE], RULES) == "m.old: goes away [note: deprecated]\n"


def test_json_is_a_list_of_plain_objects():
    assert json.loads(as_json([NOTE], RULES)) == [
        {
            "file": "", "line": 0, "column": 0, "object": "m.old", "field": "", "message": "goes away",
            "rule": "deprecated", "severity": "note", "environments": [], "vms": [],
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


def test_junit_shows_what_xml_cannot_hold():
    bell = Finding(message="ring \a", rule="naming", severity="warning")
    assert r"ring \x07 [warning: naming]" in junit([bell], RULES)


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


def test_sarif_is_of_the_structure_that_2_1_0_prescribes():
    odd = Finding(file="a b/ü.yaml", line=2, column=0, message="x", rule="naming", severity="warning")
    log = json.loads(sarif([HUGE, NOTE, odd], RULES))
    jsonschema.validate(log, SARIF)
    uri = log["runs"][0]["results"][2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "a%20b/%C3%BC.yaml"


def test_the_summary_counts_by_severity():
    assert summary([HUGE, HUGE, NOTE], None) == "2 errors, 1 note"
    assert summary([], None) == "no findings"


@pytest.mark.parametrize(
    ("findings", "least", "failing"),
    [
        ([NOTE, HUGE], "error", True),
        ([NOTE], "note", True),
        ([NOTE], "warning", False),
        ([NAME], "warning", True),
        ([NAME], "error", False),
        ([], "note", False),
    ],
)
def test_what_is_less_grave_does_not_fail(findings, least, failing):
    assert fails(findings, least) is failing


def of(name: str, line: int, message: str = "refused") -> Finding:
    return Finding(
        file="a.yaml", line=line, column=1, object=f"VM/{name}", message=message, rule="hugepages", severity="error"
    )  # fmt: skip


class TestManyThatSayTheSame:
    """A mistake that a thousand VMs share is told once."""

    MANY = [of(f"v{number}", number) for number in range(1, 1001)]

    def test_are_two_lines_of_text(self):
        first, others, other = text([*self.MANY, of("w", 9, "else")], RULES).splitlines()
        assert first == "a.yaml:1:1: VM/v1: refused [error: hugepages]"
        shown = "VM/v2 (a.yaml:2), VM/v3 (a.yaml:3), VM/v4 (a.yaml:4) and 996 more"
        assert others == f"  and the same of 999 more objects: {shown}"
        assert other == "a.yaml:9:1: VM/w: else [error: hugepages]"

    def test_are_one_annotation(self):
        (line,) = github(self.MANY, RULES).splitlines()
        assert "and the same of 999 more objects" in line

    def test_are_all_there_for_programs(self):
        assert len(json.loads(as_json(self.MANY, RULES))) == 1000

    def test_a_few_have_a_line_each_unless_they_come_from_one_place(self):
        assert len(text(self.MANY[:10], RULES).splitlines()) == 10
        assert len(text(self.MANY[:11], RULES).splitlines()) == 2
        assert text([of("v", 1), of("w", 1)], RULES).splitlines()[1:] == [
            "  and the same of 1 more object: VM/w (a.yaml:1)"
        ]
