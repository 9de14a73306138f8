"""Silence is no success: where nothing is looked at, a command says so and fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from virtcatalog.cli import main

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec: {runStrategy: Always, template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}}
"""
NOTHING = "there is no catalog.yaml, and no manifest of KubeVirt's"


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("empty", "full"):
        (tmp_path / name).mkdir()
    (tmp_path / "full" / "vm.yaml").write_text(VM)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("build", "catalog: there is no such file or folder"),
        ("build empty", "empty/catalog.yaml: is missing: it names the catalog and the oldest KubeVirt release"),
        ("check", "error: catalog: there is no such file or folder"),
        ("expand", "error: catalog is no catalog that holds VM templates: name VMs with -f"),
        ("expand -c empty", "error: empty is no catalog that holds VM templates: name VMs with -f"),
        ("expand -f empty", "empty: no .yaml, .yml or .json file in this folder"),
        ("explain -f empty --field memory", "empty: no .yaml, .yml or .json file in this folder"),
        ("adopt -f empty", "empty: no .yaml, .yml or .json file in this folder"),
        (
            "adopt -f full",
            (
                "error: there is no instance type and no preference in ./catalog: name a catalog with -c, such "
                "as common-instancetypes, which KubeVirt deploys"
            ),
        ),
        ("diff empty full", f"error: empty: {NOTHING}"),
        ("diff full empty", f"error: empty: {NOTHING}"),
        ("diff empty empty", f"error: empty: {NOTHING}"),
        ("impact m.large -c empty", f"error: empty: {NOTHING}"),
        ("impact m.large", "error: catalog: there is no such file or folder"),
    ],
)
def test_nothing_to_look_at(command, said):
    result = CliRunner().invoke(main, command.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.partition("\n")[0] == said


def test_what_is_beside_a_vm_and_cannot_be_read_is_told_by_explain():
    Path("full/other.yaml").write_text("a: [")
    result = CliRunner().invoke(main, ["explain", "-f", "full", "--field", "machine"])
    assert "full/other.yaml:" in result.stderr
    assert result.exit_code == 2
