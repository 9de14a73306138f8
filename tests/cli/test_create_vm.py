"""`virtcatalog create vm`: what it prints where, and its exit status."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result
from syrupy.assertion import SnapshotAssertion

import otheryaml
from checkouts import write
from virtcatalog.cli import main

Run = Callable[..., Result]

CATALOG = {
    "catalog.yaml": "name: house\nkubevirt: v1.8.4\noperator: {commonInstancetypes: disabled}\n",
    "instancetypes/m.yaml": "class: m\nmemoryPerVcpu: 4Gi\nsizes: {large: {vcpus: 2}}\n",
    "preferences/linux.yaml": "preferences: {linux: {displayName: Linux, spec: {devices: {preferredDiskBus: sata}}}}\n",
    "overlays.yaml": "edge: {kubevirt: v1.8.4, scope: namespaced, namespace: types}\n",
}
DISK = "--volume-containerdisk=src:registry.example/fedora:43,name:root"
TYPED = ("--instancetype=m.large", "--preference=linux")


@pytest.fixture(name="run")
def run_create(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "types", CATALOG)

    def run(*arguments: str, stdin: str | None = None) -> Result:
        result = CliRunner().invoke(main, ["create", "vm", "--name=web", *arguments], input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return run


def test_without_a_catalog_the_manifest_is_printed(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run(DISK, "--memory=1024Mi", "-n", "team", "--user=fedora", "--ssh-key=ssh-rsa A,ssh-rsa B")
    assert (result.exit_code, result.stderr) == (0, "team/web: admitted\n")
    assert result.stdout == snapshot


def test_what_a_cluster_may_have_is_no_failure_without_a_catalog(run: Run) -> None:
    result = run(*TYPED)
    assert result.exit_code == 0
    assert "there is no VirtualMachineClusterInstancetype 'm.large'" in result.stderr
    assert result.stderr.endswith(
        "default/web: whether it is admitted is not known: name the catalog with -c, or the objects with -f\n"
    )
    Path("catalog").mkdir()
    Path("catalog/catalog.yaml").write_text("name: [\n")
    result = run(*TYPED)
    assert (result.exit_code, otheryaml.load(result.stdout)["kind"]) == (0, "VirtualMachine")
    assert "whether it is admitted is not known: catalog/catalog.yaml:" in result.stderr


def test_what_kubevirt_refuses_anywhere_is_told_as_virtctl_prints_it(run: Run) -> None:
    result = run(DISK, "--memory=1Gi", f"--cloud-init-user-data={b64encode(b'#' * 3000).decode()}")
    assert (result.exit_code, otheryaml.load(result.stdout)["kind"]) == (0, "VirtualMachine")
    assert result.stderr.endswith("default/web: refused\n")


def test_a_name_that_kubernetes_refuses_is_no_admitted_vm(run: Run) -> None:
    result = run("--memory=1Gi", "--name=Web")
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (0, "default/Web: refused")
    result = run("--memory=1Gi", "--name=Web", "-o", "yaml")
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (1, "default/Web: refused")


def test_beside_a_catalog_a_refused_vm_is_a_finding_too(run: Run) -> None:
    Path("types").rename("catalog")
    assert run(*TYPED).exit_code == 0
    result = run("--instancetype=m.larg", "--preference=linux")
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (1, "default/web: refused")


def test_with_a_catalog_a_refused_vm_is_a_finding(run: Run) -> None:
    assert run(*TYPED, "-c", "types").exit_code == 0
    result = run("--instancetype=m.larg", "--preference=linux", "-c", "types")
    assert (result.exit_code, otheryaml.load(result.stdout)["spec"]["instancetype"]) == (1, {"name": "m.larg"})
    assert result.stderr == (
        "VirtualMachine/web: spec.instancetype.name: there is no VirtualMachineClusterInstancetype 'm.larg'; "
        "did you mean 'm.large'? (refused by virt-controller)\ndefault/web: refused\n"
    )


def test_in_an_environment_its_objects_and_release_count(run: Run) -> None:
    result = run(*TYPED, "-c", "types", "-e", "edge", "-n", "types")
    assert result.exit_code == 0
    assert otheryaml.load(result.stdout)["spec"]["instancetype"] == {
        "kind": "virtualmachineinstancetype",
        "name": "m.large",
    }
    assert run(*TYPED, "-c", "types", "-e", "edge").exit_code == 1
    result = run("-c", "types", "-e", "egde")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: there is no environment 'egde' in types; did you mean 'edge'?\n"


@pytest.mark.parametrize("form", ["xml", "disks"])
def test_what_the_vm_becomes_is_printed_in_its_place(run: Run, snapshot: SnapshotAssertion, form: str) -> None:
    result = run(*TYPED, DISK, "-c", "types", "-o", form)
    assert (result.exit_code, result.stderr) == (0, "default/web: admitted\n")
    assert result.stdout == snapshot


def test_objects_of_the_cluster_are_read(run: Run) -> None:
    claim = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: db
  labels: {instancetype.kubevirt.io/default-instancetype: m.large}
spec: {volumeMode: Block, resources: {requests: {storage: 1Gi}}}
"""
    arguments = ("--volume-pvc=src:db", "--infer-instancetype", "-c", "types", "-o", "xml")
    result = run(*arguments, "-f", "-", stdin=claim)
    assert result.exit_code == 0
    assert '<source dev="/dev/db"' in result.stdout
    assert '<memory unit="b">8589934592</memory>' in result.stdout
    assert run(*arguments).exit_code == 1


def test_a_flag_that_cannot_be_used(run: Run) -> None:
    result = run("--volume-pvc=src:other/db")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: --volume-pvc: src: the claim has to be in the VM's own namespace: src:db\n"


def test_warnings_of_flags_are_told_also_when_it_is_quiet(run: Run) -> None:
    result = run("-q", "--volume-blank=size:1Gi,name:data")
    assert result.exit_code == 0
    assert result.stderr == (
        "warning: --volume-blank is deprecated: use --volume-import with type:blank and the same parameters\n"
    )


class TestPasswords:
    def test_are_read_from_a_file(self, run: Run) -> None:
        Path("p").write_text("secret\n")
        result = run("--password-file=p")
        assert "password: secret" in result.stdout
        assert "clear text" in result.stderr

    def test_a_dash_is_a_file_too(self, run: Run) -> None:
        Path("-").write_text("secret\n")
        assert "password: secret" in run("--password-file=-", stdin="other").stdout

    @pytest.mark.parametrize(
        ("name", "message"), [("none", "there is no such file"), ("types", "is a folder"), ("b", "is not UTF-8")]
    )
    def test_have_to_be_readable(self, run: Run, name: str, message: str) -> None:
        Path("b").write_bytes(b"\xff")
        result = run(f"--password-file={name}")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"error: --password-file: {name}: {message}")


@pytest.mark.parametrize(
    ("arguments", "incomplete", "names"),
    [
        (["-c", "types", "--instancetype"], "m", ["m.large"]),
        (["-c", "types", "--preference"], "", ["linux"]),
        (["-c", "nothing", "--preference"], "", []),
        (["--preference"], "", []),
    ],
)
def test_the_shell_completes_names(run: Run, arguments: list[str], incomplete: str, names: list[str]) -> None:
    shell = ShellComplete(main, {}, "virtcatalog", "_VIRTCATALOG_COMPLETE")
    items = shell.get_completions(["create", "vm", *arguments], incomplete)
    assert [item.value for item in items] == names
