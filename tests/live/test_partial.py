"""Dumps that are not all of a cluster: what they lack is named, and never taken for in sync, or for gone."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from test_drift import drift, one, vms

import fleet
from virtcatalog.cli import main

#: Whatever a test looks at, its words are held against a snapshot, too.
pytestmark = pytest.mark.usefixtures("in_words")

Data = dict[str, Any]


@pytest.fixture
def git(tmp_path: Path) -> str:
    fleet.write_git(tmp_path / "git", range(6))
    return f"{tmp_path}/git"


def dump(folder: Path, items: list[Data], name: str = "lab") -> str:
    file = folder / f"{name}.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return str(file)


def without(*kinds: str) -> list[Data]:
    return [obj for obj in fleet.cluster_objects(range(6)) if obj["kind"] not in kinds]


def test_no_vm_in_git_nor_in_a_dump_without_vms_is_no_sync(tmp_path):
    (tmp_path / "git").mkdir()
    (tmp_path / "git" / "types.json").write_text(json.dumps(fleet.TYPES[0]))
    result = drift("-f", f"{tmp_path}/git", "--live", dump(tmp_path, [fleet.KUBEVIRT]))
    assert result.exit_code == 2
    assert "not read of the cluster: VirtualMachine: the dump has no VirtualMachine" in result.stderr


@pytest.mark.parametrize("kind", ["VirtualMachine", "VirtualMachineInstance", "VirtualMachineClusterInstancetype"])
def test_a_dump_of_a_dump_lacks_the_same(git, tmp_path, kind):
    first = dump(tmp_path, without(kind))
    printed = CliRunner().invoke(main, ["dump", "--live", first], prog_name="virtcatalog").stdout
    (tmp_path / "again.json").write_text(printed)
    answers = [drift("-f", git, "--live", file, "-o", "json") for file in (first, f"{tmp_path}/again.json")]
    assert vms(answers[0]) == vms(answers[1])
    assert answers[0].exit_code == answers[1].exit_code


def test_vms_of_other_namespaces_than_the_dumps_are_not_known(git, tmp_path):
    shop = [obj for obj in without() if obj["metadata"].get("namespace") in ("team-0", None)]
    result = drift("-f", git, "--live", dump(tmp_path, shop), "-o", "json")
    verdicts = {name: vm["verdict"] for name, vm in vms(result).items()}
    assert verdicts == {
        "team-0/in-sync-0": "in-sync",
        "team-0/paused-5": "paused",
        "team-1/edited-1": "unread",
        "team-2/template-2": "unread",
        "team-3/type-3": "unread",
        "team-4/preference-4": "unread",
    }
    assert result.exit_code == 2


def test_two_clusters_with_a_vm_of_one_name_are_no_cluster(git, tmp_path):
    other = without()
    one(other, "VirtualMachine")["spec"]["template"]["spec"]["hostname"] = "other"
    files = dump(tmp_path, without()), dump(tmp_path, other, "other")
    result = drift("-f", git, "--live", files[0], "--live", files[1], "team-0/in-sync-0")
    assert result.exit_code == 2
    assert "VirtualMachine: team-0/in-sync-0 is there twice, and not alike" in result.stderr
    again = drift("-f", git, "--live", files[0], "--live", files[0], "team-0/in-sync-0")
    assert (again.exit_code, again.stderr) == (0, "")


@pytest.mark.parametrize(
    ("change", "gap"),
    [
        ({"metadata": {"namespace": "team-0"}}, "VirtualMachine: one of them has no name"),
        ({"apiVersion": "kubevirt.io/v1alpha3"}, "VirtualMachine: kubevirt.io/v1alpha3 is not read, kubevirt.io/v1 is"),
    ],
)
def test_a_vm_that_cannot_be_taken_is_named(git, tmp_path, change, gap):
    objects = without()
    one(objects, "VirtualMachine").update(change)
    result = drift("-f", git, "--live", dump(tmp_path, objects))
    assert result.exit_code == 2
    assert f"not read of the cluster: {gap}" in result.stderr
    assert "only in Git" not in result.stdout


def test_what_has_no_verdict_is_named(git, tmp_path):
    machine = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance", "metadata": {"name": "alone"}}
    (tmp_path / "git" / "machine.json").write_text(json.dumps(machine | {"spec": {"domain": {"devices": {}}}}))
    result = drift("-f", git, "--live", dump(tmp_path, without()))
    assert "not judged: 1 VirtualMachineInstance in Git" in result.stderr


class TestDomains:
    def test_a_machine_without_its_dumpxml_is_named(self, git, tmp_path):
        (tmp_path / "xml").mkdir()
        file = dump(tmp_path, without())
        result = drift("-f", git, "--live", file, "--domains", f"{tmp_path}/xml", "in-sync-0")
        assert result.exit_code == 2
        assert "not read of the cluster: domain: there is no dumpxml of team-0/in-sync-0" in result.stderr
        words = ["verify", "--live", file, "--domains", f"{tmp_path}/xml"]
        result = CliRunner().invoke(main, words, prog_name="virtcatalog")
        assert result.exit_code == 2
        assert "domain: not compared: team-0/in-sync-0: there is no dumpxml of it" in result.stderr

    def test_a_folder_that_is_not_there_is_told(self, git, tmp_path):
        result = drift("-f", git, "--live", dump(tmp_path, without()), "--domains", f"{tmp_path}/xml")
        assert result.exit_code == 2
        assert "xml: is no folder" in result.stderr


@pytest.mark.parametrize(("age", "words"), [(timedelta(minutes=5), ""), (timedelta(days=3, hours=2), ", 3 days ago")])
def test_an_old_dump_says_how_old_it_is(git, tmp_path, age, words):
    taken = (datetime.now(tz=UTC) - age).strftime("%Y-%m-%dT%H:%M:%SZ")
    header = {"apiVersion": "virtcatalog.dev/v1", "kind": "ClusterDump", "cluster": "lab", "taken": taken}
    result = drift("-f", git, "--live", dump(tmp_path, [header, *without()]))
    assert result.stdout.splitlines()[1] == f"{git} → lab{words}"


def test_a_number_that_no_api_has_is_no_answer_and_told(git, tmp_path):
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": without()})
    file = tmp_path / "lab.json"
    file.write_text(text.replace('"generation": 1', '"generation": 1e999', 1))
    result = drift("-f", git, "--live", str(file))
    assert result.exit_code == 2
    assert f"{file}: has a VirtualMachine that cannot be read: Number out of range" in result.stderr
