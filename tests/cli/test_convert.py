"""`virtcatalog convert`: what it prints and writes, and that other commands name it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from syrupy.assertion import SnapshotAssertion

from virtcatalog.cli import main

FILES = {
    "flavor.yaml": """\
# What the cluster offered.
apiVersion: flavor.kubevirt.io/v1alpha1
kind: VirtualMachineFlavor
metadata:
  name: small  # for tests
spec:
  cpu:
    guest: 2  # two
  memory:
    guest: 2Gi
""",
    "preset.yaml": """\
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstancePreset
metadata:
  name: windows
spec:
  # VMs of this label
  selector:
    matchLabels: {os: windows}
  domain:
    cpu: {cores: 4}
    resources:
      requests: {memory: 8Gi, cpu: "2"}
    clock:
      utc: {}
""",
    "vm.yaml": """\
apiVersion: kubevirt.io/v1alpha3
kind: VirtualMachine
metadata:
  name: web
spec:
  running: true
  flavor:  # its size
    name: small
    kind: VirtualMachineFlavor
  template:
    spec:
      domain:
        devices:
          disks:
            - name: root
              volumeName: image
      volumes:
        - name: image
          containerDisk: {image: example.org/web:1}
""",
    "served.yaml": "# stays\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)


def call(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=stdin)


def test_prints_the_objects_and_says_what_changes(snapshot: SnapshotAssertion) -> None:
    result = call("convert", "-f", ".")
    assert result.exit_code == 1
    assert result.stdout == snapshot(name="objects")
    assert result.stderr == snapshot(name="report")
    assert {name: Path(name).read_text() for name in FILES} == FILES


def test_diff(snapshot: SnapshotAssertion) -> None:
    assert call("convert", "-f", "vm.yaml", "-f", "flavor.yaml", "-o", "diff").stdout == snapshot


def test_json_has_objects_and_changes() -> None:
    result = call("convert", "-f", "preset.yaml", "-o", "json")
    ((file,),) = [json.loads(result.stdout)]
    assert file["file"] == "preset.yaml"
    (obj,) = file["objects"]
    assert (obj["object"], obj["line"]) == ("VirtualMachineInstancePreset/windows", 1)
    assert [obj["kind"] for obj in obj["objects"]] == ["VirtualMachineInstancetype", "VirtualMachinePreference"]
    assert {
        "what": "lost",
        "field": "spec.domain.resources.requests.cpu",
        "to": "",
        "message": "neither an instance type nor a preference says it: each VM has to",
    } in obj["changes"]


def test_in_place_changes_the_files_alone() -> None:
    result = call("convert", "-i", "-f", ".")
    assert (result.exit_code, result.stdout) == (1, "")
    assert Path("served.yaml").read_text() == FILES["served.yaml"]
    assert Path("flavor.yaml").read_text() == FILES["flavor.yaml"].replace(
        "flavor.kubevirt.io/v1alpha1", "instancetype.kubevirt.io/v1beta1"
    ).replace("VirtualMachineFlavor", "VirtualMachineInstancetype")
    again = call("convert", "-f", ".")
    assert (again.exit_code, again.stderr) == (
        0,
        "nothing to convert: everything is of an API that KubeVirt serves\n",
    )


def test_nothing_is_lost_and_nothing_said_but_changes() -> None:
    result = call("convert", "-f", "-", stdin=FILES["flavor.yaml"])
    assert result.exit_code == 0
    assert "1 object converted to 1: 2 fields changed, 0 lost" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-i", "-f", "-"], "--in-place changes files, and -f - is none"),
        (["-f", "vm.yaml", "--memory", "x"], "--memory: 'x' is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9"),
        (["-f", "vm.yaml", "--memory", "0"], "--memory 0: must be more than 0"),
        (["-f", "gone.yaml"], "gone.yaml: there is no such file or folder"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str) -> None:
    result = call("convert", *arguments)
    assert result.exit_code == 2
    assert f"{message}\n" in result.stderr


def test_anchors_are_not_written_in_place() -> None:
    text = "x: &v instancetype.kubevirt.io/v1alpha2\nkind: VirtualMachinePreference\napiVersion: *v\nspec: {}\n"
    Path("shared.yaml").write_text(text)
    result = call("convert", "-i", "-f", "shared.yaml")
    assert (result.exit_code, Path("shared.yaml").read_text()) == (2, text)
    (line,) = [line for line in result.stderr.splitlines() if "rewritten" in line]
    assert line.startswith("shared.yaml: cannot be rewritten in its own text: ")
    assert line.endswith("; printed, it has no comments")


@pytest.mark.parametrize("command", ["expand", "check"])
@pytest.mark.parametrize(
    ("version", "kind", "served"),
    [
        ("flavor.kubevirt.io/v1alpha1", "VirtualMachineFlavor", "v1beta1 and VirtualMachineInstancetype"),
        ("instancetype.kubevirt.io/v1alpha2", "VirtualMachinePreference", "v1beta1"),
        ("kubevirt.io/v1alpha1", "OfflineVirtualMachine", "v1 and VirtualMachine"),
        ("kubevirt.io/v1alpha2", "VirtualMachine", "v1"),
    ],
)
def test_other_commands_say_that_it_can_be_converted(command: str, version: str, kind: str, served: str) -> None:
    Path("old.yaml").write_text(f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: x}}\nspec: {{}}\n")
    Path("catalog").mkdir()
    Path("catalog/catalog.yaml").write_text("name: x\nkubevirt: v1.9.0\n")
    result = call(command, "-f", "old.yaml")
    assert result.exit_code == {"expand": 2, "check": 1}[command]
    sentence = f"old.yaml:1:1: {kind}/x: apiVersion: {version} of {kind} is not served; convert it to "
    assert sentence in result.output
    assert f"/{served} with `virtcatalog convert`" in result.output


def test_what_stays_as_it_is_is_not_counted() -> None:
    """A preset of which nothing can be said otherwise is kept, and told."""
    Path("kept.yaml").write_text(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachineInstancePreset\nmetadata: {name: x}\n"
        "spec: {selector: {matchLabels: {a: b}}, domain: {devices: {disks: [{name: d}]}}}\n"
    )
    result = call("convert", "-f", "kept.yaml")
    assert result.stderr.splitlines()[-1] == "nothing to convert: everything is of an API that KubeVirt serves"
    both = call("convert", "-f", "kept.yaml", "-f", "flavor.yaml")
    assert both.stderr.splitlines()[-1] == "1 object converted to 1: 2 fields changed, 0 lost"
