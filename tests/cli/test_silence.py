"""Silence is no success: where nothing is looked at, a command says so and fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from virtcatalog.cli import main
from virtcatalog.manifests.sources import shipped

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec: {runStrategy: Always, template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}}
"""
GONE = "there is no such file or folder"
AWAY = f"{GONE}: name a catalog, such as common-instancetypes, or make one with virtcatalog init"
ASK = "with -c common-instancetypes and -f VMS, it is told which of them use it"
NOTHING = "there is no catalog.yaml, and no manifest of KubeVirt's"


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("empty", "full"):
        (tmp_path / name).mkdir()
    (tmp_path / "full" / "vm.yaml").write_text(VM)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("build", f"catalog: {AWAY}"),
        ("build empty", "empty/catalog.yaml: is missing: it names the catalog and the oldest KubeVirt release"),
        ("check", f"error: catalog: {AWAY}"),
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
        ("list -c common-instancetype", f"error: common-instancetype: {GONE}; did you mean 'common-instancetypes'?"),
        (
            "list -c common-instancetypes@v1",
            f"error: common-instancetypes@v1: {GONE}; virtcatalog comes with {', '.join(shipped())}",
        ),
        ("impact u1.small -c full", f"error: full: there is no 'u1.small', which is KubeVirt's own: {ASK}"),
        ("impact m.large", f"error: catalog: {AWAY}"),
    ],
)
def test_nothing_to_look_at(command, message):
    result = CliRunner().invoke(main, command.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.partition("\n")[0] == message


def test_a_repository_whose_files_cannot_be_read_is_not_an_empty_one():
    Path("full/kustomization.yaml").write_text("resources: [vm.yaml]\n")
    Path("full/vm.yaml").write_text("a: {b\n")
    result = CliRunner().invoke(main, ["check", "-f", "full"])
    assert result.exit_code == 1
    assert result.stdout.startswith("full/vm.yaml:1:4: is not YAML")


def test_files_of_kustomizations_are_no_dump():
    for name, text in (("base", "resources: [vm.yaml]\n"), ("prod", "resources: [../base]\nnamespace: prod\n")):
        Path("full", name).mkdir()
        Path("full", name, "kustomization.yaml").write_text(text)
    Path("full/vm.yaml").rename("full/base/vm.yaml")
    for command in (["impact", "u1.small", "-c"], ["diff", "common-instancetypes"]):
        arguments = [*command, "common-instancetypes"]
        result = CliRunner().invoke(main, [*arguments, "-f", "full"])
        why = "has kustomizations, and no VM is deployed as it stands there; name what is built, such as -f full/prod"
        assert (result.exit_code, result.stderr) == (2, f"error: full: {why}\n")
        assert CliRunner().invoke(main, [*arguments, "-f", "full/prod"]).exit_code == 0


def test_what_is_beside_a_vm_and_cannot_be_read_is_told_by_explain():
    Path("full/other.yaml").write_text("a: [")
    result = CliRunner().invoke(main, ["explain", "-f", "full", "--field", "machine"])
    assert "full/other.yaml:" in result.stderr
    assert result.exit_code == 2
