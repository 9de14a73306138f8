"""Ends of runs that few come to: what is printed and said, and the exit status."""

from __future__ import annotations

from pathlib import Path
from shlex import split

import pytest
from click.testing import CliRunner
from syrupy.assertion import SnapshotAssertion

from checkouts import write
from virtcatalog.cli import main
from virtcatalog.scaffold.content import contents

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: a}
spec:
  runStrategy: Always
  instancetype: INSTANCETYPE
  template: {spec: {domain: {devices: {}}}}
"""
INSTANCETYPES = "".join(
    f"""\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {{name: {name}}}
spec: {{cpu: {{guest: {cpus}}}, memory: {{guest: {memory}}}}}
---
"""
    for name, cpus, memory in (("small", 1, "1Gi"), ("large", 4, "8Gi"))
)
FILES = {
    "manifests/vm.yaml": VM.replace("INSTANCETYPE", "{name: small, kind: virtualmachineclusterinstancetype}"),
    "anchored.yaml": VM.replace("INSTANCETYPE", "&type {name: large}").replace("{domain:", "{x: *type, domain:"),
    "large.yaml": VM.replace("INSTANCETYPE", "{name: large}"),
    "types.yaml": INSTANCETYPES,
    "broken.yaml": INSTANCETYPES.replace("cpu: {", "cpu: {isolateEmulatorThread: true, "),
    "usage.csv": "namespace,name,cpu,memory\ndefault,a,0.2,100000000\ndefault,gone,1,1\n",
    "needed/catalog.yaml": "name: needed\nkubevirt: v1.9.0\n",
    "needed/components.yaml": "amount: {spec: {memory: {guest: 1Gi}}}\nunused: {}\n",
    "needed/instancetypes/m.yaml": "class: m\nsizes: {x: {vcpus: 1, components: [amount]}}\n",
    "bundle.yaml": INSTANCETYPES,
}
LINES = """\
check catalog --fix -q
check manifests --fix -q
check -f large.yaml -c types.yaml --fix
expand -f large.yaml -c types.yaml -j auto -o vm
gitops flux --repo-url oci://registry.example.com/a -e lab --revision v1 --verify-key cosign-pub
gitops flux --repo-url oci://registry.example.com/a -e lab --verify-identity https://issuer.example.com ^me$
impact amount -c needed
impact unused -c needed
import objects -f bundle.yaml --output-dir imported --name imported
rightsize -f large.yaml -c types.yaml --metrics usage.csv
rightsize -f large.yaml -c types.yaml --metrics usage.csv -o csv
rightsize -f large.yaml -c types.yaml --metrics usage.csv -o markdown
rightsize -f large.yaml -c types.yaml --metrics usage.csv -o json
rightsize -f large.yaml -f large.yaml -c types.yaml --metrics usage.csv
rightsize -f anchored.yaml -c types.yaml --metrics usage.csv -i
show small -c broken.yaml
show small -c types.yaml
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ends")
    write(root, contents("house", package="virtcatalog==1.0.0"))
    write(root, FILES)
    return root


@pytest.mark.parametrize("line", LINES.splitlines(), ids=LINES.splitlines())
def test_a_run_ends(
    line: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(main, split(line), prog_name="virtcatalog", env={"COLUMNS": "120"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert f"{result.stdout}{result.stderr}exit status {result.exit_code}" == snapshot


@pytest.mark.parametrize(
    ("mode", "message"), [(0o777, "{}/virtcatalog: can be written by others: nothing is kept there\n"), (0o700, "")]
)
def test_the_user_s_cache_is_used_where_it_is_the_user_s_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, message: str
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("VIRTCATALOG_NO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "virtcatalog").mkdir()
    (tmp_path / "virtcatalog").chmod(mode)
    result = CliRunner().invoke(main, ["check", "catalog"])
    assert result.exit_code == 0
    assert result.stderr.startswith(message.format(tmp_path))
    assert ("can be written" in result.stderr) == bool(message)


def test_without_a_home_nothing_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("VIRTCATALOG_NO_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "relative")
    assert CliRunner().invoke(main, ["check", "catalog"]).exit_code == 0
    assert not Path("relative").exists()


def test_an_artifact_is_of_a_time_that_an_option_or_the_environment_says(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    line = "push oci://registry.example.com/a:v1 --dry-run --source https://git.example.com/a --revision r"

    def digest(*arguments: str, epoch: str = "") -> str:
        result = CliRunner().invoke(main, [*split(line), *arguments], env={"SOURCE_DATE_EPOCH": epoch})
        assert (result.exit_code, result.stderr) == (0, "would publish house as oci://registry.example.com/a:v1\n")
        assert result.stdout.startswith("oci://registry.example.com/a:v1@sha256:")
        return result.stdout

    first = digest("--created", "2026-01-31")
    assert digest("--created", "2026-01-31T01:00:00+01:00") == digest(epoch="1769817600") == first
    assert digest("--created", "2026-01-31", epoch="0") == first
    assert len({first, digest("--created", "2026-01-30"), digest(epoch="0"), digest()}) == 4
