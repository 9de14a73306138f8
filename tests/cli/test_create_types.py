"""`virtcatalog create instancetype` and `create preference`: where the declaration goes, and what is printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import otheryaml
from virtcatalog.cli import main

CLASS = "class: m\nmemoryPerVcpu: 4Gi\nsizes:\n  small: {vcpus: 1}  # the least\n"
LARGE = ("instancetype", "--name=m.large", "--cpu=2", "--memory=8Gi")


@pytest.fixture(name="house")
def make_house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    house = tmp_path / "house"
    (house / "instancetypes").mkdir(parents=True)
    (house / "catalog.yaml").write_text("name: house\nkubevirt: v1.7.0\n")
    (house / "instancetypes" / "m.yaml").write_text(CLASS)
    (house / "instancetypes" / "m.yaml").chmod(0o640)
    return house


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["create", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def texts(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_the_declaration_is_written_and_shown(house: Path) -> None:
    result = run(*LARGE, "-c", "house")
    assert result.exit_code == 0
    assert result.stdout == (
        "--- a/house/instancetypes/m.yaml\n+++ b/house/instancetypes/m.yaml\n@@ -2,3 +2,4 @@\n"
        " memoryPerVcpu: 4Gi\n sizes:\n   small: {vcpus: 1}  # the least\n+  large: {vcpus: 2}\n"
    )
    assert result.stderr == "m.large: declared in house/instancetypes/m.yaml\n"
    file = house / "instancetypes" / "m.yaml"
    assert file.read_text() == f"{CLASS}  large: {{vcpus: 2}}\n"
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_dry_run_writes_nothing(house: Path) -> None:
    before = texts(house)
    result = run(*LARGE, "-c", "house", "--dry-run")
    assert (result.exit_code, texts(house)) == (0, before)
    assert "+  large: {vcpus: 2}\n" in result.stdout
    assert result.stderr == "m.large: would be declared in house/instancetypes/m.yaml\n"


def test_a_new_file_comes_with_its_folder(house: Path) -> None:
    result = run("preference", "--name=linux.gentoo", "--machine-type=q35", "-c", "house")
    assert result.exit_code == 0
    assert result.stdout.startswith("--- /dev/null\n+++ b/house/preferences/linux.yaml\n")
    assert otheryaml.load((house / "preferences" / "linux.yaml").read_text()) == {
        "preferences": {"linux.gentoo": {"spec": {"machine": {"preferredMachineType": "q35"}}}}
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("instancetype", "--name=m.small", "--cpu=2", "--memory=8Gi"),
            "--name: there is already the instance type 'm.small', declared at house/instancetypes/m.yaml:4:3",
        ),
        (("instancetype", "--cpu=2", "--memory=8Gi"), "--name: is missing: what is declared in a catalog needs one"),
        (
            (*LARGE, "--namespaced"),
            "--namespaced: a catalog declares both scopes at once; its overlays choose, and say the namespace",
        ),
        (
            (*LARGE, "-n", "team"),
            "--namespace: a catalog declares both scopes at once; its overlays choose, and say the namespace",
        ),
        (
            ("instancetype", "--name=../x.y", "--cpu=2", "--memory=8Gi"),
            (
                "--name: Kubernetes refuses the name '../x.y': it may have lower-case letters, digits, '-' and '.', "
                "and each part starts and ends with a letter or digit"
            ),
        ),
        ((*LARGE, "--gpu=name:a"), "--gpu: devicename is missing"),
    ],
)
def test_what_cannot_be_declared_changes_nothing(house: Path, arguments: tuple[str, ...], message: str) -> None:
    before = texts(house.parent)
    result = run(*arguments, "-c", "house")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.partition("\n")[0] == f"error: {message}"
    assert texts(house.parent) == before


def test_only_a_catalog_that_is_named_is_written(house: Path) -> None:
    house.rename("catalog")
    before = texts(Path("catalog"))
    result = run(*LARGE)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\n"
        "metadata:\n  name: m.large\nspec:\n  cpu:\n    guest: 2\n  memory:\n    guest: 8Gi\n"
    )
    assert texts(Path("catalog")) == before
    assert "--dry-run shows what changes in a catalog: name one with -c\n" in run(*LARGE, "--dry-run").stderr
    assert run(*LARGE, "-c", "output").stderr == "error: output is no catalog: it has no catalog.yaml\n"


@pytest.mark.parametrize("noun", ["instancetype", "preference"])
def test_what_kubevirt_refuses_is_not_declared(house: Path, monkeypatch: pytest.MonkeyPatch, noun: str) -> None:
    monkeypatch.setattr(
        "virtcatalog.kubevirt.pipeline.admit", lambda manifest, _: [f"{manifest['kind']}: odd", "spec: is odd"]
    )
    before = texts(house)
    flags = LARGE if noun == "instancetype" else ("preference", "--name=m.large")
    result = run(*flags, "-c", "house")
    assert (result.exit_code, texts(house)) == (2, before)
    assert result.stderr == (
        f"error: KubeVirt would refuse 'm.large': VirtualMachineCluster{noun.capitalize()}: odd; spec: is odd\n"
    )


def test_a_file_that_cannot_be_written_stays(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("virtcatalog.writing.write_new", fail)
    result = run(*LARGE, "-c", "house")
    assert result.exit_code == 2
    assert "error: house/instancetypes/m.yaml: Permission denied; it is as it was" in result.stderr


def test_numbers_are_virtctls(house: Path) -> None:
    assert otheryaml.load(run("instancetype", "--cpu=0x10", "--memory=1Gi").stdout)["spec"]["cpu"] == {"guest": 16}
    for amount in ("-1", "+1", "4294967296"):
        assert run("instancetype", f"--cpu={amount}", "--memory=1Gi").exit_code == 2
