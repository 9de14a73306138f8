"""`virtcatalog diff` of a KubeVirt CR in the repository: feature gates that come or go, and a CR that is removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from virtcatalog.cli import main

KUBEVIRT = """\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt, namespace: kubevirt}
spec:
  configuration:
    developerConfiguration:
      featureGates:
      - HostDisk
"""
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: shop}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        memory: {guest: 1Gi}
        devices: {}
"""
METRICS = VM.replace("devices: {}", "devices: {disks: [{name: metrics, disk: {bus: virtio}}]}") + (
    "      volumes: [{name: metrics, downwardMetrics: {}}]\n"
)
NEW = METRICS.replace("{name: web", "{name: new")
ADDED = f"{KUBEVIRT}      - DownwardMetrics\n"
WORDS = "was: spec.template.spec.volumes[0]: volume 'metrics': downwardMetrics needs the feature gate DownwardMetrics"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(folder: str, **files: str) -> None:
    Path(folder).mkdir()
    for name, content in files.items():
        Path(folder, f"{name}.yaml").write_text(content)


def diff(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["diff", "old", "new", "--no-cache", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def unwrapped(*arguments: str) -> str:
    return " ".join(diff(*arguments).stdout.replace("\\", "").split())


def test_a_vm_that_missed_a_gate_is_created_because_of_its_line() -> None:
    put("old", kubevirt=KUBEVIRT, vm=METRICS)
    put("new", kubevirt=f"{KUBEVIRT}      - Sidecar\n      - DownwardMetrics\n", vm=METRICS)
    text = diff().stdout
    assert max(map(len, text.splitlines())) <= 80
    assert text.startswith("1 of 1 VM: shop/web created; objects: 1 changed\n")
    assert "because of feature gate DownwardMetrics (new/kubevirt.yaml:10)" in unwrapped()
    assert "KubeVirt CR" not in unwrapped()
    assert WORDS in unwrapped()
    assert "feature gate Sidecar: on from now on, and no VM here needs it or changes by it" in unwrapped()
    assert "feature gate DownwardMetrics `new/kubevirt.yaml:10`" in unwrapped("-o", "markdown")
    (verdict,) = json.loads(diff("-o", "json").stdout)["vms"]
    assert (verdict["now"], verdict["level"], verdict["requests"]["when"]) == ("create", "changed", "now")
    assert verdict["because"] == [{"name": "feature gate DownwardMetrics", "file": "new/kubevirt.yaml", "line": 10}]
    assert (diff().exit_code, diff("--fail-on", "live").exit_code) == (1, 0)


def test_a_gate_that_comes_with_the_vm_that_needs_it_is_a_cause_beside_it() -> None:
    put("old", kubevirt=KUBEVIRT, vm=VM)
    put("new", kubevirt=ADDED, vm=VM, new=NEW)
    assert (
        "+ create shop/new because of the new manifest (new/new.yaml:1), "
        "feature gate DownwardMetrics (new/kubevirt.yaml:9)"
    ) in unwrapped()
    assert "from now on" not in unwrapped()


def test_a_gate_that_an_edit_of_a_vm_needs_is_a_cause_beside_it() -> None:
    put("old", kubevirt=KUBEVIRT, vm=VM)
    put("new", kubevirt=ADDED, vm=METRICS)
    assert "feature gate DownwardMetrics (new/kubevirt.yaml:9)" in unwrapped()


def test_a_kubevirt_cr_that_is_new_is_a_cause_by_its_gates() -> None:
    put("old", vm=METRICS, other=KUBEVIRT.replace("KubeVirt\n", "Other\n"))
    put("new", vm=METRICS, kubevirt=ADDED)
    assert "no VM here" not in unwrapped().replace("feature gate HostDisk: on from now on, and no VM here", "")


@pytest.mark.parametrize(
    ("gates", "sentence"),
    [
        ("[HostDisk, Sidecar]", "feature gate Sidecar: on from now on, and no VM here needs it or changes by it"),
        (
            "[HostDisk, Sidecar, DownwardMetrics]",
            "feature gates DownwardMetrics and Sidecar: on from now on, and no VM here needs it or changes by it",
        ),
        ("[]", "feature gate HostDisk: off from now on, and no VM here needs it"),
        ("[HostDisk, Snapshot]", "feature gate Snapshot: on in v1.9.0 anyway, named or not"),
        ("[HostDisk, Snapshots]", "feature gate Snapshots: none that v1.9.0 knows"),
    ],
)
def test_gates_that_change_no_vm_are_told_in_a_line(gates: str, sentence: str) -> None:
    put("old", kubevirt=KUBEVIRT, vm=VM)
    put("new", kubevirt=KUBEVIRT.replace("\n      - HostDisk", f" {gates}"), vm=VM)
    text = diff().stdout
    assert max(map(len, text.splitlines())) <= 80
    assert text.startswith("1 VM: nothing changes; objects: 1 changed\n")
    assert f" {sentence} " in unwrapped()
    assert f"- {sentence}" in unwrapped("-o", "markdown")
    assert json.loads(diff("-o", "json").stdout)["remarks"] == [sentence]
    assert diff().exit_code == 1


def test_gates_in_another_order_are_no_change_of_them() -> None:
    put("old", kubevirt=ADDED, vm=VM)
    put("new", kubevirt=KUBEVIRT.replace("- HostDisk", "- DownwardMetrics\n      - HostDisk"), vm=VM)
    assert "feature gate" not in unwrapped()


@pytest.mark.parametrize(
    ("strategy", "sentence"),
    [
        ("", "KubeVirt is uninstalled where that is applied, and all VMs of the cluster are deleted"),
        ("RemoveWorkloads", "KubeVirt is uninstalled where that is applied, and all VMs of the cluster are deleted"),
        (
            "BlockUninstallIfWorkloadsExist",
            "KubeVirt is uninstalled once there is no VM: until then the CR cannot be deleted",
        ),
    ],
)
def test_a_cr_that_is_removed_takes_kubevirt_with_it(strategy: str, sentence: str) -> None:
    kubevirt = KUBEVIRT + (f"  uninstallStrategy: {strategy}\n" if strategy else "")
    put("old", kubevirt=kubevirt, vm=VM)
    put("new", vm=VM)
    remark = f"KubeVirt/kubevirt/kubevirt is removed: {sentence}"
    assert remark in unwrapped()
    assert f"- {remark}" in unwrapped("-o", "markdown")
    assert json.loads(diff("-o", "json").stdout)["remarks"] == [remark]
    assert f"{sentence}." in unwrapped("--full")


TYPE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: small}
spec:
  cpu: {guest: 2}
  memory: {guest: 2Gi}
"""
TYPED = VM.replace("  template:", "  instancetype: {name: small}\n  template:").replace(
    "memory: {guest: 1Gi}\n        ", ""
)
GROWN = TYPE.replace("2Gi", "3Gi")


def test_a_type_that_grows_is_kept_whatever_else_changes_in_the_cr() -> None:
    put("old", kubevirt=KUBEVIRT, vm=TYPED, type=TYPE)
    put("new", kubevirt=ADDED, vm=TYPED, type=GROWN)
    assert unwrapped().startswith("none of 1 VM is touched now; shop/web keeps what it has; objects: 2 changed ")
    assert "= kept shop/web because of small (new/type.yaml:6) if created anew" in unwrapped()
    (verdict,) = json.loads(diff("-o", "json").stdout)["vms"]
    assert (verdict["next"], verdict["anew"]) == ("kept", "changed")


def test_what_the_cr_changes_is_because_of_the_cr_and_what_the_type_does_is_said_beside_it() -> None:
    model = KUBEVIRT.replace("    developer", "    cpuModel: Haswell\n    developer")
    put("old", kubevirt=KUBEVIRT, vm=TYPED, type=TYPE)
    put("new", kubevirt=model, vm=TYPED, type=GROWN)
    text = unwrapped()
    assert "activation: CPU model host-model → Haswell" in text
    assert "if created anew: memory 2 → 3 GiB" in text
    assert "because of the KubeVirt CR (new/kubevirt.yaml:6), small (new/type.yaml:6)" in text
    put("only", kubevirt=model, vm=TYPED, type=TYPE)
    result = CliRunner().invoke(main, ["diff", "old", "only", "--no-cache"])
    assert "because of the KubeVirt CR (only/kubevirt.yaml:6)" in result.stdout
