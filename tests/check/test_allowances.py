"""What catalog.yaml allows, and for which reason."""

import pytest

from virtcatalog.errors import CatalogError

OLD = {"preferences/old.yaml": "preferences: {linux.old: {deprecated: {}}, linux.older: {deprecated: {}}}"}


def allowing(*entries):
    lines = "".join(f"  - {{{entry}}}\n" for entry in entries)
    return OLD | {"catalog.yaml": f"name: test\nkubevirt: v1.9.0\nallow:\n{lines}"}


@pytest.mark.parametrize(
    "objects", ["", "objects: [linux.old, linux.older], ", "objects: ['linux.o*'], ", "objects: ['*Preference/*'], "]
)
def test_findings_that_are_allowed(bench, objects):
    assert bench(allowing(f"rule: no-replacement, {objects}reason: nothing takes their place")) == []


def test_only_the_objects_that_are_named(bench):
    (finding,) = bench(allowing("rule: no-replacement, objects: [linux.old], reason: x"))
    assert "linux.older" in finding


def test_an_allowance_that_matches_nothing(bench):
    findings = bench(allowing("rule: no-replacement, reason: x", "rule: no-replacement, objects: [m.*], reason: x"))
    expected = "there is no finding of no-replacement that this allows [warning: unused-allowance]"
    assert findings == [f"catalog.yaml:5:5: allow[1]: {expected}"]


def test_a_rule_that_does_not_exist(bench):
    (finding,) = bench(allowing("rule: no-replacement, reason: x", "rule: no-replacment, reason: x"))
    assert "allow[1].rule: 'no-replacment' is no rule; did you mean 'no-replacement'?" in finding
    assert finding.endswith("[error: unknown-rule]")


def test_a_rule_that_cannot_be_allowed(bench):
    findings = bench(allowing("rule: unused-allowance, reason: x", "rule: no-replacement, reason: x"))
    assert [finding.rpartition(" ")[2] for finding in findings] == ["unknown-rule]"]


@pytest.mark.parametrize("entry", ["rule: no-replacement", 'rule: no-replacement, reason: ""', "reason: x"])
def test_an_allowance_without_rule_or_reason_is_an_error(bench, entry):
    with pytest.raises(CatalogError):
        bench(allowing(entry))
