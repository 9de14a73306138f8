"""The commands that take manifests take a folder that kustomize builds as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from repository_cases import manifest

from virtcatalog.cli import main


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
