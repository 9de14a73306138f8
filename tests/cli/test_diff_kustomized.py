"""What `virtcatalog diff` blames where folders that kustomize builds come, go, or call their VMs otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

import pytest
from click.testing import CliRunner

from checkouts import write
from virtcatalog.cli import main

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        memory: {guest: 1Gi}
        devices:
          disks: [{name: root, disk: {bus: virtio}}]
      volumes: [{name: root, persistentVolumeClaim: {claimName: root}}]
"""
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: root}
spec: {accessModes: [ReadWriteMany], volumeMode: Block, resources: {requests: {storage: 10Gi}}}
"""
REPOSITORY = {
    "base/kustomization.yaml": "resources: [db.yaml, claim.yaml]\n",
    "base/db.yaml": VM,
    "base/claim.yaml": CLAIM,
    "prod/kustomization.yaml": "resources: [../base]\nnamespace: prod\n",
    "lab/kustomization.yaml": "resources: [../base]\nnamespace: lab\n",
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "old", REPOSITORY)
    copytree("old", "new")


def unwrapped(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["diff", "old", "new", "--no-cache", *arguments])
    assert result.exit_code == 1, result.output
    assert arguments or max(map(len, result.stdout.splitlines())) <= 80
    return " ".join(result.stdout.split())


def causes() -> set[tuple[str, str, str]]:
    vms = json.loads(unwrapped("-o", "json"))["vms"]
    return {
        (verdict["vm"], cause["name"], f"{cause['file']}:{cause['line']}")
        for verdict in vms
        for cause in verdict["because"]
    }


def test_a_kustomization_that_goes_is_the_cause_and_not_the_file_of_the_vm() -> None:
    Path("new/lab/kustomization.yaml").unlink()
    assert causes() == {("lab/db", "the deleted kustomization", "old/lab/kustomization.yaml:1")}
    assert unwrapped().startswith("1 of 2 VMs: lab/db deleted with its disks; objects: 1 removed, 1 disk among them ")


def test_a_kustomization_that_comes_is_the_cause_of_its_vms() -> None:
    write(Path("new"), {"test/kustomization.yaml": "resources: [../base]\nnamespace: test\n"})
    assert causes() == {("test/db", "the new kustomization", "new/test/kustomization.yaml:1")}


def test_a_file_that_is_no_longer_listed_is_not_deleted() -> None:
    Path("new/base/kustomization.yaml").write_text("resources: [claim.yaml]\n")
    assert causes() == {
        ("prod/db", "the kustomization", "old/prod/kustomization.yaml:1"),
        ("lab/db", "the kustomization", "old/lab/kustomization.yaml:1"),
    }


def test_another_namespace_is_a_cause_at_its_line() -> None:
    Path("new/lab/kustomization.yaml").write_text("resources: [../base]\nnamespace: test\n")
    line = "metadata.namespace", "new/lab/kustomization.yaml:2"
    assert causes() == {("lab/db", *line), ("test/db", *line)}
    assert "objects: 1 added, 1 removed, 1 disk among them" in unwrapped()


def test_another_name_is_a_cause_and_a_claim_that_is_called_otherwise_is_missed() -> None:
    Path("new/lab/kustomization.yaml").write_text("resources: [../base]\nnamespace: lab\nnamePrefix: eu-\n")
    line = "metadata.name", "new/lab/kustomization.yaml:3"
    assert causes() == {("lab/db", *line), ("lab/eu-db", *line)}
    assert unwrapped().startswith("2 of 3 VMs: lab/db deleted with its disks, lab/eu-db created and may not boot; ")
    reason = "boot: claim root is gone with this change, and the VM does not start"
    assert f"! may not boot, create lab: lab/eu-db {reason}" in unwrapped().replace(
        " because of metadata.name (new/lab/kustomization.yaml:3)", ""
    )
    assert reason in unwrapped("-o", "markdown")
    levels = {verdict["vm"]: verdict["level"] for verdict in json.loads(unwrapped("-o", "json"))["vms"]}
    assert levels == {"lab/db": "delete", "lab/eu-db": "boot"}


def test_objects_of_two_namespaces_are_two() -> None:
    Path("new/base/claim.yaml").write_text(CLAIM.replace("10Gi", "20Gi"))
    assert "2 objects changed: PersistentVolumeClaim/lab/root, PersistentVolumeClaim/prod/root" in unwrapped()


def test_of_a_claim_that_goes_it_is_said_once() -> None:
    Path("new/base/kustomization.yaml").write_text("resources: [db.yaml]\n")
    text = unwrapped()
    assert text.startswith(
        "none of 2 VMs is touched now; at their next start lab/db and prod/db change and may not boot; "
    )
    row = (
        "! may not boot lab: lab/db boot: claim root of disk 'root' is gone: where that is pruned, its data is lost, "
        "and the VM does not start because of PersistentVolumeClaim root"
    )
    assert row in text
    assert "<disk root>" not in text


FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: lab, namespace: flux-system}
spec: {path: ./lab, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}
"""


def test_claims_of_a_unit_that_goes_are_gone_though_their_folder_stays() -> None:
    for folder in ("old", "new"):
        write(Path(folder), {"clusters/prod.yaml": FLUX.replace("lab", "prod")})
    write(Path("old"), {"clusters/lab.yaml": FLUX})
    text = unwrapped()
    assert text.startswith("1 of 2 VMs: lab/db deleted with its disks; ")
    assert "disks: deleted with the VM: root" in text
    assert "because of the deleted Kustomization (old/clusters/lab.yaml:1)" in text
    assert "objects: 1 removed, 1 disk among them" in text
