"""What virtcatalog makes of VMs is what KubeVirt makes, for a spread of the cases; `make conformance` asks all."""

from collections import Counter, defaultdict

import pytest

from conformance import commands, rollouts
from conformance.agree import check, held, recorded
from conformance.cases import CATALOG_KINDS, DEFAULT_RELEASE, cases, spread
from sampling import sample
from virtcatalog import expand

RELEASES = sorted({release for release, _ in recorded()})


@pytest.mark.parametrize("release", RELEASES)
def test_no_more_cases_differ_than_are_recorded_to(release):
    differing = defaultdict(list)
    for case in spread():
        if case.release == release:
            for stage, lines in check(case).items():
                if lines:
                    differing[release, stage].append(f"{case}: {stage}: {lines[0]}")
    allowed = held(cases()) - recorded()
    assert not [line for key, lines in differing.items() if len(lines) > allowed[key] for line in lines]


def test_the_spread_has_every_release_group_and_stage():
    assert held_by_group(spread()).keys() == held_by_group(cases()).keys()
    assert len(spread()) < len(cases()) / 5


def held_by_group(chosen):
    return Counter((case.release, case.group, stage) for case in chosen for stage in case.expected)


def test_every_expanded_vm_expands_to_itself():
    """Of one case of each group, as the whole would take long."""
    for case in {case.group: case for case in cases() if case.release == "v1.9.0"}.values():
        first = expand(case.vm, case.cluster())
        if first.vm is not None:
            again = expand(first.vm, case.cluster())
            assert (again.vm, again.vmi, again.domain_xml) == (first.vm, first.vmi, first.domain_xml), case.name


def test_every_release_has_cases():
    assert {case.release for case in cases()} == {*RELEASES}


def test_names_are_unique_in_a_release():
    names = Counter((case.release, case.name) for case in cases())
    assert set(names.values()) == {1}


def test_kubevirts_sentences_are_not_held():
    assert {key for case in cases() for key in case.expected} == {
        "admission", "objects", "vmi", "xml", "launch", "pod", "podError",
    }  # fmt: skip
    assert {key for case in cases() for key in case.expected["admission"]} == {"allowed", "refusedBy", "fields"}
    assert {case.expected.get("podError", True) for case in cases()} == {True}


def test_objects_are_asked_where_the_cluster_has_types_or_preferences():
    for case in cases():
        assert ("objects" in case.expected) == any(obj["kind"] in CATALOG_KINDS for obj in case.objects), case


@pytest.mark.parametrize("stage", commands.STAGES)
def test_command_lines_make_what_virtctl_makes(stage):
    held = [command for command in commands.commands() if command.stage == stage]
    differing = {str(command): lines for command in sample(held, 10) if (lines := commands.check(command))}
    assert len(held) - len(differing) >= recorded()[DEFAULT_RELEASE, stage] > 0, differing


def test_running_vms_become_what_kubevirt_makes_of_them():
    differing = {str(pair): lines for pair in rollouts.spread() if (lines := rollouts.check(pair))}
    allowed = len(rollouts.pairs()) - sum(recorded()[release, rollouts.STAGE] for release in RELEASES)
    assert len(differing) <= allowed, differing
    for release in RELEASES:
        held = [pair for pair in rollouts.pairs() if pair.release == release]
        tried = [pair for pair in rollouts.spread() if pair.release == release]
        assert {pair.group for pair in tried} == {pair.group for pair in held} != set()
