"""The commands that take manifests take a folder that kustomize builds as it is."""

from __future__ import annotations

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
