"""`adopt` in a repository: it writes where the VM is written, or says why it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from repository_cases import HELM_RELEASE, REMOTE_CHART, manifest

from virtcatalog.cli import main

VM = manifest("vm web cores= memory=4Gi").replace("domain:", "domain:\n        cpu:\n          sockets: 2")
OVERLAY = "resources: [../base]\nnamespace: NAME\n"
PATCH = (
    "patches:\n  - target: {kind: VirtualMachine}\n"
    "    patch: '- {op: replace, path: /spec/template/spec/domain/memory/guest, value: 8Gi}'\n"
)
RELEASE = f"{HELM_RELEASE}{REMOTE_CHART}  values:\n    resources:\n"
FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: vms, namespace: flux-system}
spec:
  path: ./vms
  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild: {substitute: {SOCKETS: "2"}}
"""


@pytest.fixture
def overlays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A base with a VM, and two overlays of it."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "base/kustomization.yaml", "resources: [web.yaml]\n")
    written(tmp_path, "base/web.yaml", VM)
    for name in ("lab", "prod"):
        written(tmp_path, f"{name}/kustomization.yaml", OVERLAY.replace("NAME", name))
    return tmp_path


def written(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(exist_ok=True)
    (folder / path).write_text(text)


def adopt(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["adopt", "-f", ".", "-c", "common-instancetypes", "-i", *arguments])


def test_the_file_of_the_base_is_changed_once(overlays: Path) -> None:
    done = adopt()
    assert done.exit_code == 0
    text = (overlays / "base/web.yaml").read_text()
    assert "name: u1.2xmedium" in text
    assert "sockets" not in text
    assert "lab/web (in lab)" in done.stderr
    assert "prod/web (in prod)" in done.stderr


def test_what_a_patch_gives_is_refused_at_the_patch(overlays: Path) -> None:
    written(overlays, "prod/kustomization.yaml", OVERLAY.replace("NAME", "prod") + PATCH)
    done = adopt("-e", "prod")
    assert done.exit_code == 2
    assert "spec.template.spec.domain.memory.guest: is written otherwise than it is deployed" in done.stderr
    assert "prod/kustomization.yaml:5:" in done.stderr
    assert (overlays / "base/web.yaml").read_text() == VM


def test_a_file_beside_the_folder_that_is_named_stays(overlays: Path) -> None:
    done = CliRunner().invoke(main, ["adopt", "-f", "prod", "-c", "common-instancetypes", "-i"])
    assert done.exit_code == 2
    place = "base/web.yaml:1:1: VirtualMachine/prod/web: "
    assert f"{place}is rendered, and does not stand in this file: change it by hand\n" in done.stderr
    assert f"{place}adopts VirtualMachineClusterInstancetype u1.2xmedium, " in done.stderr
    assert (overlays / "base/web.yaml").read_text() == VM


def test_nothing_is_written_that_changes_another_environment(overlays: Path) -> None:
    written(overlays, "prod/kustomization.yaml", OVERLAY.replace("NAME", "prod") + PATCH)
    done = adopt("-e", "lab")
    assert done.exit_code == 2
    assert "would change otherwise than it should, so that nothing is written (in prod)" in done.stderr
    assert (overlays / "base/web.yaml").read_text() == VM


def test_environments_that_would_have_it_otherwise(overlays: Path) -> None:
    written(overlays, "prod/kustomization.yaml", OVERLAY.replace("NAME", "prod") + PATCH)
    done = adopt()
    assert done.exit_code == 2
    assert "would not be the same in each environment that deploys it" in done.stderr
    assert (overlays / "base/web.yaml").read_text() == VM


def test_a_vm_in_the_values_of_a_release_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = VM.splitlines()
    text = RELEASE + "".join(f"      {'- ' if number == 0 else '  '}{line}\n" for number, line in enumerate(lines))
    written(tmp_path, "release.yaml", text)
    done = adopt()
    assert done.exit_code == 2
    assert "release.yaml:8:9: VirtualMachine/shop/web: is rendered, and does not stand in this file" in done.stderr
    assert (tmp_path / "release.yaml").read_text() == text


def test_a_variable_is_refused_where_it_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "clusters/vms.yaml", FLUX)
    written(tmp_path, "vms/web.yaml", VM.replace("sockets: 2", "sockets: ${SOCKETS}"))
    done = adopt()
    assert done.exit_code == 2
    assert "vms/web.yaml:11:11: VirtualMachine/web: spec.template.spec.domain.cpu.sockets: is written otherwise" in (
        done.stderr
    )
    assert "${SOCKETS}" in (tmp_path / "vms/web.yaml").read_text()
