"""The commands that take manifests take a repository as it is: its environments apart, places in its own files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from repository_cases import manifest

from virtcatalog.cli import main
from virtcatalog.errors import Problem
from virtcatalog.fleet.outcome import unplaced


@pytest.fixture
def overlay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An overlay beside its base: the VM has 2 cores there, and 4 here."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "prod"
    for path, text in {
        "base/kustomization.yaml": "resources: [web.yaml]\n",
        "base/web.yaml": manifest("vm web"),
        "prod/kustomization.yaml": "resources: [../base]\nnamespace: prod\npatches: [{path: cores.yaml}]\n",
        "prod/cores.yaml": (
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web}\n"
            "spec: {template: {spec: {domain: {cpu: {cores: 4}}}}}\n"
        ),
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return folder


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_a_vm_is_expanded_as_kustomize_builds_it(overlay: Path) -> None:
    done = run("expand", "-f", "prod")
    assert done.exit_code == 0
    assert "<name>prod_web</name>" in done.stdout
    assert 'cores="4"' in done.stdout


def test_it_is_checked(overlay: Path) -> None:
    assert "no findings in 1 VM" in run("check", "-f", "prod").stderr


def test_what_cannot_be_built_is_a_problem(overlay: Path) -> None:
    (overlay / "kustomization.yaml").write_text("resources: [../base, gone.yaml, 'https://example.org/x.yaml']\n")
    done = run("expand", "-f", "prod")
    assert done.exit_code == 2
    assert "gone.yaml" in done.stderr
    assert "https://example.org/x.yaml is elsewhere" in done.stderr


def test_files_are_changed_as_they_stand(overlay: Path) -> None:
    before = (overlay / "cores.yaml").read_text()
    run("convert", "-f", "prod", "-i")
    assert (overlay / "cores.yaml").read_text() == before


def test_what_an_instance_type_is_to_a_folder_of_manifests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "types").mkdir()
    (tmp_path / "types/small.yaml").write_text(manifest("type small"))
    (tmp_path / "web.yaml").write_text(manifest("vm web type=small"))
    (impact,) = json.loads(run("impact", "small", "-c", ".", "-o", "json").stdout)
    (verdict,) = impact["without"]
    assert (verdict["vm"], verdict["next"], verdict["anew"]) == ("web", "kept", "refused")


NODES = "nodes: [{name: big, count: 2, allocatable: {cpu: '4', memory: 16Gi}}]\n"
FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: NAME, namespace: flux-system}
spec:
  path: ./vms
  targetNamespace: NAME
  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild: {substitute: {CORES: "NUMBER"}}
"""


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of Flux with two environments of one folder: the VM has no cores in the second."""
    monkeypatch.chdir(tmp_path)
    for path, text in {
        "clusters/lab.yaml": FLUX.replace("NAME", "lab").replace("NUMBER", "2"),
        "clusters/prod.yaml": FLUX.replace("NAME", "prod").replace("NUMBER", "6"),
        "vms/web.yaml": manifest("vm web cores=${CORES}"),
        "vms/type.yaml": manifest("type s.small cpus=2"),
        "Taskfile.yaml": "tasks: {x: '{{.A}}'}\n",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "nodes").write_text(NODES)
    return tmp_path


def test_vms_of_one_name_in_two_environments_are_two(fleet: Path) -> None:
    done = run("expand", "-f", ".")
    assert "<name>lab_web</name>" in done.stdout
    assert "<name>prod_web</name>" in done.stdout
    assert "2 VMs: 2 admitted" in done.stderr


def test_an_environment_is_chosen(fleet: Path) -> None:
    assert "lab_web" not in run("expand", "-f", ".", "-e", "prod").stdout
    assert "no findings in 1 instance type, 1 VM" in run("check", ".", "-e", "prod", "--fail-on", "error").stderr


def test_an_environment_that_is_not_there_is_refused(fleet: Path) -> None:
    for arguments in (("expand", "-f", "."), ("check", "."), ("impact", "s.small"), ("capacity", "-f", ".")):
        done = run(*arguments, "-e", "prd")
        assert done.exit_code == 2
        assert "there is no environment 'prd' in .; did you mean 'prod'?" in done.stderr


def test_what_is_wrong_is_said_at_the_line_in_git_and_for_the_environment(fleet: Path) -> None:
    file = fleet / "clusters/prod.yaml"
    patch = "- {op: add, path: /spec/instancetype, value: {name: s.small}}"
    file.write_text(f"{file.read_text()}  patches: [{{target: {{kind: VirtualMachine}}, patch: '{patch}'}}]\n")
    done = run("check", "-f", ".")
    assert done.exit_code == 1
    assert "vms/web.yaml:11:" in done.stdout
    assert "(in prod)" in done.stdout
    assert "(in lab)" not in done.stdout


def test_a_vm_that_only_the_cluster_knows_is_no_vm_without_faults(fleet: Path) -> None:
    file = fleet / "clusters/prod.yaml"
    secret = "postBuild: {substituteFrom: [{kind: Secret, name: cores}]}"
    file.write_text(file.read_text().replace('postBuild: {substitute: {CORES: "6"}}', secret))
    done = run("expand", "-f", ".")
    assert done.exit_code == 2
    assert "lab_web" in done.stdout
    assert "'${CORES}', and its value is not in the repository (in prod)" in done.stderr
    assert run("check", "-f", ".").exit_code == 1
    assert run("capacity", "-f", ".", "--nodes", "nodes").exit_code == 2


def test_a_broken_file_leaves_its_neighbours(fleet: Path) -> None:
    (fleet / "bad.yaml").write_text("apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: x}\nspec: [\n")
    assert "2 VMs: 2 admitted; 1 other problem" in run("expand", "-f", ".").stderr
    done = run("check", "-f", ".")
    assert "bad.yaml:" in done.stdout
    assert "2 VMs" in done.stderr


def test_capacity_asks_about_what_is_rendered(fleet: Path) -> None:
    done = run("capacity", "-f", ".", "--nodes", "nodes", "-o", "json")
    assert [vm["name"] for vm in json.loads(done.stdout)["vms"]] == ["lab/web", "prod/web"]
    (vm,) = json.loads(run("capacity", "-f", ".", "-e", "lab", "--nodes", "nodes", "-o", "json").stdout)["vms"]
    assert vm["name"] == "lab/web"


def test_impact_needs_no_catalog(fleet: Path) -> None:
    (fleet / "vms/web.yaml").write_text(manifest("vm web type=s.small"))
    (impact,) = json.loads(run("impact", "s.small", "-o", "json").stdout)
    assert [verdict["environment"] for verdict in impact["without"]] == ["lab", "prod"]
    (impact,) = json.loads(run("impact", "s.small", "-e", "lab", "-o", "json").stdout)
    assert [verdict["environment"] for verdict in impact["without"]] == ["lab"]


def test_explain_says_where_it_stands_in_git(fleet: Path) -> None:
    done = run("explain", "-f", ".", "-e", "lab", "--xml", "string(//vcpu)")
    assert "(vms/web.yaml:11:" in done.stdout


def test_a_fault_of_an_object_that_stands_in_no_file_names_the_object() -> None:
    vm = {"kind": "VirtualMachine", "metadata": {"name": "web", "namespace": "shop"}}
    assert unplaced(vm).problem("spec.a", "is odd") == Problem(
        object="VirtualMachine/shop/web", field="spec.a", message="is odd"
    )
