"""The commands and the kinds that hold a VM besides VirtualMachine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from expanding import TYPES, Run, vm
from ruamel.yaml import YAML

from virtcatalog.cli import main

VMI = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: one}
spec:
  domain: {memory: {guest: 1Gi}, devices: {}}
"""
REPLICAS = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceReplicaSet
metadata: {name: several}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      domain: {memory: {guest: 1Gi}, devices: {}}
"""
POOL = """\
apiVersion: pool.kubevirt.io/v1alpha1
kind: VirtualMachinePool
metadata: {name: many}
spec:
  selector: {matchLabels: {app: web}}
  virtualMachineTemplate:
    metadata: {labels: {app: web}}
    spec:
      runStrategy: Always
      instancetype: {name: small}
      template:
        spec:
          domain: {devices: {}}
"""
ALL = "---\n".join((VMI, REPLICAS, POOL, TYPES))


def test_expand_shows_the_domain_of_each(run: Run) -> None:
    result = run("-f", "vm.yaml", vm_yaml=ALL)
    assert (result.exit_code, result.stderr) == (0, "3 VMs: 3 admitted\n")
    assert result.stdout.count("<domain ") == 3
    assert "<name>default_many-0</name>" in result.stdout


def test_expand_refuses_each_at_its_place(run: Run) -> None:
    bad = ALL.replace("devices: {}", "devices: {disks: [{name: a, disk: {}}]}")
    result = run("-f", "vm.yaml", vm_yaml=bad)
    assert result.exit_code == 1
    places = [line.split(": ")[:3] for line in result.stderr.splitlines()[:-1]]
    assert places == [
        ["vm.yaml:5:53", "VirtualMachineInstance/one", "spec.domain.devices.disks[0].name"],
        [
            "vm.yaml:15:57",
            "VirtualMachineInstanceReplicaSet/several",
            "spec.template.spec.domain.devices.disks[0].name",
        ],
        [
            "vm.yaml:29:39",
            "VirtualMachinePool/many",
            "spec.virtualMachineTemplate.spec.template.spec.domain.devices.disks[0].name",
        ],
    ]


def test_expand_tells_what_kubevirt_adds_and_where_it_comes_from(run: Run) -> None:
    diff = run("-f", "vm.yaml", "-o", "diff", vm_yaml=ALL).stdout
    assert "--- VirtualMachineInstance/default/one\n+++ VirtualMachineInstance/default/one\n" in diff
    assert "--- VirtualMachinePool/default/many\n" in diff
    answers = json.loads(run("-f", "vm.yaml", "-o", "json", vm_yaml=ALL).stdout)
    one, several, many = (answer["origins"] for answer in answers)
    assert one["spec.domain.memory.guest"] == several["spec.domain.memory.guest"] == ["VM"]
    assert many["spec.domain.memory.guest"] == ["instance type small"]
    assert one["spec.domain.machine.type"] == ["KubeVirt default"]


def test_a_vmi_that_a_vm_made_is_no_vm_of_its_own(run: Run) -> None:
    owned = VMI.replace(
        "{name: one}", "{name: one, ownerReferences: [{kind: VirtualMachine, name: x, uid: u, apiVersion: v}]}"
    )
    result = run("-f", "vm.yaml", vm_yaml=f"{vm('x')}---\n{owned}")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.count("<domain ") == 1


def test_files_that_hold_no_vm_are_counted_and_named(run: Run) -> None:
    other = "apiVersion: example.org/v1\nkind: VirtualMachine\nmetadata: {name: x}\n"
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: x}\nspec: {}\n"
    files = {"vm_yaml": vm("x"), "a_yaml": other, "b_yaml": service, "c_yaml": TYPES}
    result = run("-f", ".", **files)
    assert result.exit_code == 0
    assert result.stderr == "2 files hold no VM: a.yaml, b.yaml\n"


def test_explain_asks_a_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pool.yaml").write_text(f"{POOL}---\n{TYPES}")
    result = CliRunner().invoke(main, ["explain", "-f", "pool.yaml", "--field", "memory.guest"])
    assert result.exit_code == 0, result.stderr
    assert "instance type small: spec.memory.guest: 2Gi" in result.stdout


@pytest.mark.parametrize(
    ("text", "kind"), [(VMI, "VirtualMachineInstance"), (REPLICAS, "VirtualMachineInstanceReplicaSet")]
)
def test_adopt_says_why_it_leaves_them(text: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("vm.yaml").write_text(f"{text}---\n{TYPES}")
    result = CliRunner().invoke(main, ["adopt", "-f", "vm.yaml", "--in-place"])
    assert result.exit_code == 2
    assert f"a {kind} has no field for an instance type or preference" in result.stderr
    assert Path("vm.yaml").read_text() == f"{text}---\n{TYPES}"


def test_adopt_says_unknown_to_people_and_unsupported_to_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("vm.yaml").write_text(f"{VMI}---\n{REPLICAS}---\n{TYPES}")
    result = CliRunner().invoke(main, ["adopt", "-f", "vm.yaml", "-o", "json"])
    assert [machine["outcome"] for machine in json.loads(result.stdout)] == ["unsupported"] * 2
    assert [line.split()[1] for line in result.stderr.splitlines()[-2:]] == ["unknown"] * 2


DOMAIN = """\
          domain:
            cpu: {sockets: 2}
            memory: {guest: 2Gi}
            devices: {}
"""
INLINE = POOL.replace("instancetype: {name: small}", "# its size").replace("          domain: {devices: {}}\n", DOMAIN)


def test_adopt_rewrites_the_template_of_a_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pool.yaml").write_text(f"{INLINE}---\n{TYPES}")
    result = CliRunner().invoke(main, ["adopt", "-f", "pool.yaml", "--in-place"])
    assert result.exit_code == 0, result.stderr
    text = Path("pool.yaml").read_text()
    pool = next(iter(YAML(typ="safe").load_all(text)))
    spec = pool["spec"]["virtualMachineTemplate"]["spec"]
    assert spec["instancetype"] == {"name": "small"}
    assert spec["template"]["spec"]["domain"] == {"devices": {}}
    assert "# its size" in text
    assert "spec.virtualMachineTemplate.spec.template.spec.domain.memory.guest: 2Gi" in result.stderr


def test_adopt_tells_at_a_pools_own_fields_why_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pool.yaml").write_text(f"{INLINE.replace('Always', 'Never')}---\n{TYPES}")
    result = CliRunner().invoke(main, ["adopt", "-f", "pool.yaml"])
    assert result.exit_code == 1
    assert "spec.virtualMachineTemplate.spec.runStrategy: 'Never' is none of" in result.stderr


def test_diff_shows_what_an_instance_type_does_to_a_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for side, memory in (("old", "2Gi"), ("new", "4Gi")):
        Path(side).mkdir()
        Path(side, "all.yaml").write_text(f"{POOL}---\n{TYPES.replace('2Gi', memory)}")
    result = CliRunner().invoke(main, ["diff", "old", "new", "--full"])
    assert result.exit_code == 1, result.stderr
    assert "= kept  pool many  because of small" in result.stdout
    assert '+  <memory unit="b">4294967296</memory>' in result.stdout


def test_a_catalogs_vms_may_be_of_each_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["init", "catalog"]).exit_code == 0
    Path("catalog/catalog/vms").mkdir(exist_ok=True)
    Path("catalog/catalog/vms/pool.yaml").write_text(POOL.replace("v1alpha1", "v1beta1"))
    Path("catalog/catalog/vms/vmi.yaml").write_text(VMI)
    Path("types.yaml").write_text(TYPES)
    result = CliRunner().invoke(
        main,
        ["expand", "-f", "catalog/catalog/vms/pool.yaml", "-f", "catalog/catalog/vms/vmi.yaml", "-f", "types.yaml"],
    )
    assert result.exit_code == 0, result.stderr
    assert "<name>default_many-0</name>" in result.stdout
    assert "<name>default_one</name>" in result.stdout
    Path("catalog/catalog/vms/vmi.yaml").write_text(VMI.replace("kubevirt.io/v1", "kubevirt.io/v1alpha3"))
    old = CliRunner().invoke(main, ["expand", "-f", "catalog/catalog/vms/vmi.yaml"])
    assert "a VirtualMachineInstance is of kubevirt.io/v1, not 'kubevirt.io/v1alpha3'" in old.stderr
