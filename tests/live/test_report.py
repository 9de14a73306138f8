"""The VMs of Git beside those of a cluster: which are looked at, where Git has them, and what of them is not known."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import fleet
from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem, VirtcatalogError
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.live.clusters import Types
from virtcatalog.live.report import held_before, not_judged, report, shown
from virtcatalog.live.snapshot import Gap, Snapshot
from virtcatalog.live.verdict import Drift, Reason
from virtcatalog.repositories.model import Environment, Resource
from virtcatalog.repositories.placeholders import Open
from virtcatalog.review.side import Side, Vm
from virtcatalog.review.units import Views

Data = dict[str, Any]
NAME = "team-0/in-sync-0"
NO_MAP = "spec.domain.machine: must be a map, not the number 3"


def in_git(file: str = "web.yaml", environment: str = "", name: str = "in-sync-0", **more: Any) -> Vm:
    manifest = fleet.in_git(0)
    assert manifest is not None
    manifest["metadata"]["name"] = name
    key = f"team-0/{name}"
    return Vm(key=key, manifest=manifest, environment=environment, place=Source(file, 3, 5), **more)


def side(*vms: Vm, **more: Any) -> Side:
    objects = {"": copy.deepcopy([*fleet.TYPES, *fleet.PREFERENCES]), **more.pop("objects", {})}
    return Side(label="git", vms=vms, objects=objects, **more)


def cluster(*without: str) -> Snapshot:
    snapshot = Snapshot("lab", complete=True, taken="2026-03-01T08:00:00Z")
    for obj in fleet.cluster_objects(range(1)):
        if obj["metadata"]["name"] not in without:
            snapshot.add(obj)
    return snapshot


def reasons(git: Side, there: Snapshot | None = None, **options: Any) -> dict[str, list[tuple[str, str]]]:
    drift_report = report(git, there or cluster(), Conditions(), **options)
    return {drift.vm: [(reason.kind, reason.message) for reason in drift.reasons] for drift in drift_report.drifts}


def test_a_vm_is_found_by_its_name_and_has_the_place_of_its_manifest() -> None:
    drift_report = report(side(in_git(environment="prod")), cluster(), Conditions())
    (drift,) = drift_report.drifts
    assert (drift.vm, drift.environment, drift.place, drift.verdict) == (NAME, "prod", "web.yaml:3:5", "in-sync")
    assert (drift_report.git, drift_report.cluster, drift_report.taken, drift_report.partial, drift_report.status) == (
        "git",
        "lab",
        "2026-03-01T08:00:00Z",
        False,
        0,
    )


@pytest.mark.parametrize(
    ("vms", "message"),
    [
        ([in_git(), in_git("b.yaml")], "Git has it several times: web.yaml:3, b.yaml:3"),
        (
            [in_git(environment="lab"), in_git("b.yaml", "prod")],
            "it is in several environments (lab, prod), and nobody says which of them this cluster is: use -e",
        ),
        ([in_git(environment="lab"), in_git("b.yaml", "lab")], "Git has it several times: web.yaml:3, b.yaml:3"),
        ([in_git(), in_git("b.yaml", "lab")], "Git has it several times: web.yaml:3, b.yaml:3"),
    ],
)
def test_a_vm_that_git_has_several_times_is_not_known(vms: list[Vm], message: str) -> None:
    ((kind, sentence),) = reasons(side(*vms))[NAME]
    assert (kind, sentence.replace(":5", "")) == ("unread", message)


def test_one_of_its_environments_is_chosen() -> None:
    git = side(in_git(environment="lab"), in_git("b.yaml", "prod"))
    assert reasons(git, environments=["prod"]) == {NAME: []}


def test_what_is_not_in_the_repository_is_not_known() -> None:
    fields = (Open(("spec", "runStrategy"), "${A}"), Open(("spec", "template", "spec", "hostname"), "${B}"))
    ((kind, sentence), *_) = reasons(side(in_git(open=fields)))[NAME]
    assert kind == "unread"
    assert sentence == (
        "what Git asks for is not in the repository: is '${A}', and its value is not in the repository, "
        "is '${B}', and its value is not in the repository"
    )


def test_a_type_with_what_is_not_in_the_repository_is_not_known() -> None:
    small = copy.deepcopy(fleet.TYPES[0])
    opens = (Open(("spec", "cpu", "guest"), "${A}"), Open(("spec", "memory", "guest"), "${B}"))
    place = Source("types.yaml", 1, 1)
    resources = (Resource(small, lambda _: place, opens),)
    unit = Environment(name="lab", kind="flux", folder="", place=place, resources=resources)
    git = side(views=Views([unit]))
    vm = in_git()
    assert vm.manifest["spec"]["instancetype"]["name"] == small["metadata"]["name"] == "small"
    (reason,) = Types(git, [small], {}, lambda _: "").reasons(vm)
    assert reason.kind == "unread"
    assert reason.message == (
        "what Git asks for in its instancetype small: is '${A}', and its value is not in the repository, "
        "is '${B}', and its value is not in the repository"
    )


def test_a_field_has_the_place_of_its_line() -> None:
    vm = in_git(field=lambda field: Source("web.yaml", len(field), 1))
    vm.manifest["spec"]["template"]["spec"]["hostname"] = "other"
    (drift,) = report(side(vm), cluster(), Conditions()).drifts
    (reason,) = drift.reasons
    assert [field.place for field in reason.fields] == ["web.yaml:27:1"]
    without = in_git()
    without.manifest["spec"]["template"]["spec"]["hostname"] = "other"
    (drift,) = report(side(without), cluster(), Conditions()).drifts
    assert [field.place for field in drift.reasons[0].fields] == [""]


@pytest.mark.parametrize(
    ("only", "names"),
    [
        ([], [NAME, "team-0/new"]),
        (["new"], ["team-0/new"]),
        (["team-0/new"], ["team-0/new"]),
        (["in-sync-0", "new"], [NAME, "team-0/new"]),
    ],
)
def test_those_are_looked_at_that_are_named(only: list[str], names: list[str]) -> None:
    assert [*reasons(side(in_git(), in_git(name="new")), only=only)] == names


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"only": ["in-snyc-0"]},
            "there is no VM 'in-snyc-0', in Git or in the cluster; did you mean 'team-0/in-sync-0'?",
        ),
        ({"only": ["x"]}, "there is no VM 'x', in Git or in the cluster"),
        ({"environments": ["prd"]}, "git has no environment 'prd'; did you mean 'prod'?"),
        ({"environments": ["x"]}, "git has no environment 'x'; it has lab, prod"),
    ],
)  # fmt: skip
def test_what_there_is_not_is_an_error(options: Data, message: str) -> None:
    git = side(in_git(environment="lab"), in_git(environment="prod", name="other"))
    with pytest.raises(VirtcatalogError) as caught:
        report(git, cluster(), Conditions(), **options)
    assert str(caught.value) == message


def test_without_environments_there_is_none_to_choose() -> None:
    with pytest.raises(VirtcatalogError) as caught:
        report(side(in_git()), cluster(), Conditions(), environments=["x"])
    assert str(caught.value) == "git has no environment 'x'"


def test_templates_of_a_catalog_need_no_vm() -> None:
    assert reasons(side(in_git(name="template"), catalog=True)) == {
        NAME: [("deleted-in-git", "kustomize-controller brought it, and no manifest of it is left")]
    }


def test_what_could_not_be_read_is_named() -> None:
    there = Snapshot("lab")
    problems = (Problem("a.yaml", message="is wrong"), Problem("b.yaml", message="needs helm"))
    git = side(problems=problems[:1], unrendered=problems[1:])
    drift_report = report(git, there, Conditions(), domains=lambda _: None)
    assert (drift_report.gaps, drift_report.problems, drift_report.partial, drift_report.status) == (
        (Gap("VirtualMachine", "the dump has no VirtualMachine"),),
        problems,
        True,
        2,
    )
    drift_report = report(side(in_git()), cluster(), Conditions(), domains=lambda _: None)
    assert drift_report.gaps == (Gap("domain", f"there is no dumpxml of {NAME}"),)


def test_a_domain_that_cannot_be_compared_is_not_known() -> None:
    (drift,) = report(side(in_git()), cluster(), Conditions(), domains=lambda _: b"<domain").drifts
    (reason,) = drift.reasons
    assert (drift.stages.domain, reason.kind) == ("not known", "unread")
    assert reason.message.startswith("the domain cannot be compared: the domain of team-0/in-sync-0")


def test_a_domain_has_nothing_to_be_compared_with_where_its_vmi_cannot_be_read() -> None:
    there = Snapshot("lab", complete=True)
    for obj in fleet.cluster_objects(range(1)):
        if obj["kind"] == "VirtualMachineInstance":
            obj["spec"]["domain"]["machine"] = 3
        there.add(obj)
    (drift,) = report(side(in_git()), there, Conditions(), domains=lambda _: b"<domain/>").drifts
    assert drift.stages.domain == "not known"
    assert ("unread", f"the domain cannot be compared: VirtualMachineInstance/{NAME}: {NO_MAP}") in [
        (reason.kind, reason.message) for reason in drift.reasons
    ]


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({}, []),
        ({"cpu": {"guest": 3}}, [("spec.cpu.guest", 1, 3)]),
        ({"memory": {"guest": "2048Mi"}}, []),  # the same amount
        ({"memory": "no amount"}, [("spec.memory", {"guest": "2Gi"}, "no amount")]),
    ],
)
def test_a_type_that_the_cluster_has_otherwise(change: Data, fields: list[Any]) -> None:
    git = side(in_git())
    git.objects[""][0]["spec"] |= change
    (drift,) = report(git, cluster(), Conditions()).drifts
    assert [
        (reason.kind, reason.message, [(field.field, field.now, field.wanted) for field in reason.fields])
        for reason in drift.reasons
    ] == ([("behind", "its instancetype small is another one in Git", fields)] if fields else [])


def test_a_type_that_the_cluster_lacks_is_only_in_git_and_not_known_where_types_were_not_read() -> None:
    assert reasons(side(in_git()), cluster("small"))[NAME] == [("behind", "its instancetype small is only in Git")]
    unread = cluster("small")
    unread.gaps.append(Gap("VirtualMachineClusterInstancetype", "no right"))
    assert reasons(side(in_git()), unread)[NAME] == [
        ("unread", "what its instancetype small is now is not known: no right")
    ]


def test_other_kinds_have_no_verdict() -> None:
    vmis = [in_git(name=name) for name in "ab"]
    for vm in vmis:
        vm.manifest["kind"] = "VirtualMachineInstance"
    assert [*not_judged(side(in_git(), *vmis))] == ["2 VirtualMachineInstances in Git"]
    assert [*not_judged(side(*vmis, catalog=True))] == []


def test_the_gravest_are_shown_first() -> None:
    kinds = {"a": "paused", "b": "in-sync", "c": "edited", "d": "paused", "e": "migrating"}
    drifts = tuple(
        Drift(vm=name, reasons=(Reason(kind=kind),) if kind != "in-sync" else ()) for name, kind in kinds.items()
    )
    drift_report = report(side(), cluster(), Conditions(), only=[NAME])
    drift_report = type(drift_report)(git="git", cluster="lab", drifts=drifts)
    assert "".join(drift.vm for drift in shown(drift_report)) == "cade"
    assert "".join(drift.vm for drift in shown(drift_report, calm=True)) == "cadeb"


def test_those_of_releases_before_one() -> None:
    past = [("v1", {}), ("v2", {}), ("v3", {})]
    drifts = tuple(
        Drift(vm=name, runs=runs)
        for name, runs in {
            "a": {"instancetype": "v1"},
            "b": {"instancetype": "v3", "preference": "v2"},
            "c": {"preference": "v3"},
            "d": {},
        }.items()
    )
    drift_report = type(report(side(), cluster(), Conditions()))(git="git", cluster="lab", drifts=drifts)
    assert [
        "".join(drift.vm for drift in held_before(drift_report, name, past).drifts) for name in ("v1", "v2", "v3")
    ] == [
        "",
        "a",
        "ab",
    ]
    with pytest.raises(VirtcatalogError) as caught:
        held_before(drift_report, "v4", past)
    assert str(caught.value) == "the catalog has no release 'v4'"
