"""Objects that go away."""

from datetime import date

import pytest


def old(deprecated):
    return {"preferences/old.yaml": f"preferences: {{linux.old: {{deprecated: {deprecated}}}}}"}


@pytest.mark.parametrize(
    ("deprecated", "rule"),
    [
        ("{replacedBy: linux.one}", ""),
        ("{replacedBy: linux.one, sunset: 2026-01-02}", ""),
        ("{replacedBy: linux.one, sunset: 2026-01-01}", ""),
        ("{replacedBy: linux.one, sunset: 2025-12-31}", "warning: sunset-passed"),
        ("{}", "note: no-replacement"),
    ],
)
def test_a_deprecated_object(bench, deprecated, rule):
    findings = bench(old(deprecated), today=date(2026, 1, 1))
    assert [finding.rpartition("[")[2] for finding in findings] == ([f"{rule}]"] if rule else [])


def test_nothing_to_use_instead_is_told_in_words(bench):
    (finding,) = bench(old("{}"))
    assert finding.endswith("linux.old: is deprecated, and nothing says what to use instead [note: no-replacement]")


def test_an_object_past_its_sunset_is_of_the_environments_that_still_have_it(bench):
    overlays = """\
        prod: {}
        lab: {scope: namespaced, namespace: lab}
        both: {scope: both, namespace: lab}
        others: {select: {names: [linux.one]}}
        none: {deprecated: false}
        """
    files = old("{replacedBy: linux.one, sunset: 2025-12-31}")
    (finding,) = bench.findings({**files, "overlays.yaml": overlays}, today=date(2026, 1, 1))
    assert finding.message == "was to be removed on 2025-12-31"
    assert finding.environments == ("prod", "lab", "both")


def test_one_that_an_environment_leaves_out_early_may_be_used_by_nobody_here(bench):
    files = {**old("{replacedBy: linux.one, sunset: 2026-06-01}"), "overlays.yaml": "lab: {deprecated: false}\n"}
    (finding,) = bench.findings(files)
    assert finding.message == (
        "leaves out linux.old, which is deprecated and stays until 2026-06-01: that removes it; it is used by "
        "no VM known here"
    )


def test_a_replacement_that_is_deprecated_itself(bench):
    text = "preferences: {linux.a: {deprecated: {replacedBy: linux.b}}, linux.b: {deprecated: {replacedBy: linux.one}}}"
    (finding,) = bench({"preferences/old.yaml": text})
    assert (
        "linux.a: is to be replaced by linux.b, which is deprecated itself [warning: replacement-deprecated]" in finding
    )


def test_a_replacement_that_is_not_there(imported):
    text = """\
        apiVersion: instancetype.kubevirt.io/v1beta1
        kind: VirtualMachineClusterPreference
        metadata:
          name: old
          labels: {instancetype.kubevirt.io/deprecated: "true"}
          annotations: {instancetype.kubevirt.io/replacedBy: new}
        spec: {}
        """
    (finding,) = imported(text)
    assert finding.endswith("old: is to be replaced by new, which is not there [error: replacement-missing]")


def test_vms_that_use_what_goes_away(bench):
    spec = """\
        runStrategy: Always
        instancetype: {name: m.small}
        preference: {name: %s}
        template: {spec: {domain: {devices: {}}}}
        """
    files = old("{replacedBy: linux.one, sunset: 2027-06-30}")
    assert bench.vm(spec % "linux.one", files) == []
    (finding,) = bench.vm(spec % "linux.old", files)
    assert finding == (
        "vms/one.yaml:7:16: VirtualMachine/one: spec.preference.name: linux.old is deprecated: use linux.one, "
        "until 2027-06-30 [warning: uses-deprecated]"
    )
