"""`virtcatalog adopt`: what it writes where, and its exit status."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner, Result

from checkouts import write
from virtcatalog.cli import main

Run = Callable[..., Result]

CATALOG = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: small}
spec: {cpu: {guest: 2}, memory: {guest: 4Gi}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterPreference
metadata: {name: linux}
spec: {devices: {preferredDiskBus: virtio, preferredRng: {}}}
"""

VM = """\
# by hand
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: db   # the database
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        cpu:
          sockets: 2
          model: "host-passthrough"   # as the vendor asks
        memory: {guest: 4Gi}
        devices:
          rng: {}
          disks:
            - name: root
              disk:
                bus: virtio
      volumes:
        - name: root
          containerDisk: {image: 'example.org/db:1'}
"""

SHRUNK = """\
# by hand
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: db   # the database
spec:
  runStrategy: Always
  instancetype:
    name: small
  preference:
    name: linux
  template:
    spec:
      domain:
        cpu:
          model: "host-passthrough"   # as the vendor asks
        devices:
          disks:
            - name: root
      volumes:
        - name: root
          containerDisk: {image: 'example.org/db:1'}
"""
ODD = VM.replace("4Gi", "5Gi").replace("db ", "odd ")
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}   # stays\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("types.yaml").write_text(CATALOG)

    def invoke(*arguments: str, catalog: str = "types.yaml", text: str | None = None) -> Result:
        return CliRunner().invoke(main, ["adopt", *arguments, "--catalog", catalog], input=text)

    return invoke


def written(text: str, name: str = "vm.yaml") -> str:
    Path(name).write_text(text)
    return name


class TestExact:
    def test_the_shorter_manifest_is_printed_and_why_is_told(self, run):
        result = run("-f", written(VM))
        assert (result.exit_code, result.stdout) == (0, SHRUNK)
        first, _, rest = result.stderr.partition("\n")
        assert first == (
            "vm.yaml:2:1: VirtualMachine/db: adopts VirtualMachineClusterInstancetype small and "
            "VirtualMachineClusterPreference linux, domain unchanged; 12 values become 10"
        )
        assert rest == (
            "  removed, for VirtualMachineClusterInstancetype small says so:\n"
            "    spec.template.spec.domain.cpu.sockets: 2 (cpu.guest)\n"
            "    spec.template.spec.domain.memory.guest: 4Gi (memory.guest)\n"
            "  removed, for VirtualMachineClusterPreference linux says so:\n"
            "    spec.template.spec.domain.devices.disks[0].disk.bus: virtio (devices.preferredDiskBus)\n"
            "    spec.template.spec.domain.devices.rng: {} (devices.preferredRng)\n"
            "  stays: spec.template.spec.domain.cpu.model: host-passthrough (neither object says so)\n"
        )

    def test_what_was_shrunk_has_nothing_left_to_adopt(self, run):
        result = run("-f", written(SHRUNK))
        assert (result.exit_code, result.stdout) == (0, SHRUNK)
        assert "nothing to adopt" in result.stderr

    def test_other_documents_of_the_file_stay(self, run):
        result = run("-f", written(f"{CONFIG_MAP}---\n{VM}"))
        assert result.stdout == f"{CONFIG_MAP}---\n{SHRUNK}"

    def test_standard_input(self, run):
        result = run("-f", "-", text=VM)
        assert (result.exit_code, result.stdout) == (0, SHRUNK)

    def test_comments_that_go_with_a_field_are_told(self, run):
        result = run("-f", written(VM.replace("sockets: 2", "sockets: 2  # a licence each")))
        assert result.stdout == SHRUNK
        assert "vm.yaml:12:23: comment goes with its field: # a licence each\n" in result.stderr

    def test_a_diff(self, run):
        result = run("-f", written(VM), "-o", "diff")
        assert result.stdout.startswith("--- a/vm.yaml\n+++ b/vm.yaml\n")
        assert "+  instancetype:\n+    name: small\n" in result.stdout

    def test_json(self, run):
        document = json.loads(run("-f", written(VM), "-o", "json").stdout)
        assert document["outcome"] == "adopted"
        assert document["instancetype"] == {"kind": "VirtualMachineClusterInstancetype", "name": "small"}
        assert document["preference"] == {"kind": "VirtualMachineClusterPreference", "name": "linux"}
        assert document["place"] == {"file": "vm.yaml", "line": 2, "column": 1}
        assert document["size"] == {"before": 12, "after": 10}
        assert document["domainDifferences"] == []
        assert {
            "field": "spec.template.spec.domain.memory.guest",
            "value": "4Gi",
            "by": {"kind": "VirtualMachineClusterInstancetype", "name": "small", "field": "spec.memory.guest"},
        } in document["removed"]
        assert document["vm"]["spec"]["instancetype"] == {"name": "small"}


class TestWriting:
    def test_output_is_the_form_and_never_a_file(self, run):
        result = run("-f", written(VM), "--output", "json")
        assert json.loads(result.stdout)["outcome"] == "adopted"
        assert sorted(path.name for path in Path().iterdir()) == ["types.yaml", "vm.yaml"]

    def test_in_place_with_the_permissions_that_the_file_had(self, run):
        Path(written(VM)).chmod(0o600)
        result = run("-f", "vm.yaml", "--in-place")
        assert (result.exit_code, result.stdout, Path("vm.yaml").read_text()) == (0, "", SHRUNK)
        assert Path("vm.yaml").stat().st_mode & 0o777 == 0o600
        assert sorted(path.name for path in Path().iterdir()) == ["types.yaml", "vm.yaml"]

    def test_not_through_a_link(self, run):
        Path("link.yaml").symlink_to(written(VM))
        result = run("-f", "link.yaml", "--in-place")
        assert result.exit_code == 2
        assert "link.yaml is a symbolic link, and nothing is written through one" in result.stderr
        assert Path("vm.yaml").read_text() == VM

    def test_in_place_is_for_files_alone(self, run):
        result = run("-f", "-", "--in-place", text=VM)
        assert result.exit_code == 2
        assert "--in-place" in result.stderr


class TestNearest:
    def test_is_described_and_not_written(self, run):
        result = run("-f", written(ODD))
        assert (result.exit_code, result.stdout) == (1, "")
        assert "the nearest are VirtualMachineClusterInstancetype small" in result.stderr
        assert "  domain: memory: 5 GiB becomes 4 GiB\n" in result.stderr
        assert "  VMI: spec.template.spec.domain.memory.guest: 5Gi becomes 4Gi\n" in result.stderr

    def test_is_not_written_in_place(self, run):
        run("-f", written(ODD), "--in-place")
        assert Path("vm.yaml").read_text() == ODD

    def test_is_written_when_asked_for(self, run):
        result = run("-f", written(ODD), "--nearest")
        assert (result.exit_code, result.stdout) == (1, SHRUNK.replace("db ", "odd "))


class TestMany:
    def test_each_is_on_its_own_and_a_table_sums_up(self, run):
        result = run("-f", written(f"{VM}---\n{ODD}"))
        assert (result.exit_code, result.stdout) == (1, f"{SHRUNK}---\n{ODD}")
        assert result.stderr.endswith(
            dedent("""\
            VM           OUTCOME  INSTANCE TYPE  PREFERENCE  VALUES
            default/db   adopted  small          linux       12 -> 10
            default/odd  nearest  small          linux       12 -> 10
            """)
        )

    def test_each_file_is_changed_in_its_place(self, run):
        Path("vms").mkdir()
        written(VM, "vms/a.yaml")
        written(ODD, "vms/b.yaml")
        assert run("-f", "vms", "--in-place").exit_code == 1
        assert Path("vms/a.yaml").read_text() == SHRUNK
        assert Path("vms/b.yaml").read_text() == ODD

    def test_json_is_a_list(self, run):
        documents = json.loads(run("-f", written(f"{VM}---\n{ODD}"), "-o", "json").stdout)
        assert [document["outcome"] for document in documents] == ["adopted", "nearest"]

    def test_one_that_cannot_be_read_does_not_stop_the_others(self, run):
        result = run("-f", written(f"{VM.replace('sockets: 2', 'sockets: two')}---\n{VM}"))
        assert result.exit_code == 2
        assert "vm.yaml:12:11: VirtualMachine/db: spec.template.spec.domain.cpu.sockets: " in result.stderr
        assert result.stdout.endswith(SHRUNK)


class TestBadInput:
    def test_a_refused_vm_is_not_adopted_and_says_why(self, run):
        result = run(
            "-f", written(VM.replace("- name: root\n          container", "- name: other\n          container"))
        )
        assert (result.exit_code, result.stdout) == (1, "")
        assert "vm.yaml:18:15: VirtualMachine/db: spec.template.spec.domain.devices.disks[0].name: no volume" in (
            result.stderr
        )

    def test_no_catalog(self, run):
        result = run("-f", written(VM), catalog="missing")
        assert result.exit_code == 2
        assert "missing" in result.stderr

    def test_a_catalog_without_anything_to_adopt(self, run):
        result = run("-f", written(VM), catalog=written(CONFIG_MAP, "config.yaml"))
        assert result.exit_code == 2
        assert "no instance type and no preference in config.yaml" in result.stderr

    def test_no_vm(self, run):
        result = run("-f", written(CONFIG_MAP))
        assert result.exit_code == 2
        assert result.stderr.endswith("no VirtualMachine in vm.yaml\n")

    def test_no_yaml(self, run):
        result = run("-f", written("{"))
        assert result.exit_code == 2
        assert "vm.yaml:" in result.stderr

    def test_what_virtcatalog_does_not_model_is_said_at_its_line(self, run):
        result = run("-f", written(VM.replace("sockets: 2", "sockets: 70000")))
        assert result.exit_code == 2
        assert "not supported by virtcatalog" in result.stderr
        assert "vm.yaml:11:" in result.stderr

    def test_text_that_shares_what_must_go_is_left_alone(self, run):
        shared = VM.replace("sockets: 2", "sockets: &two 2")
        result = run(
            "-f",
            written(shared.replace("              disk:\n", "              bootOrder: *two\n              disk:\n")),
        )
        assert (result.exit_code, result.stdout) == (2, "")
        assert "vm.yaml:2:1: VirtualMachine/db: cannot be rewritten: " in result.stderr


def test_what_is_adopted_is_there_in_every_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "catalog/catalog.yaml": "name: test\nkubevirt: v1.9.0\n",
        "catalog/overlays.yaml": "one: {}\ntwo: {select: {names: [k.*]}}\nlab: {scope: namespaced, namespace: lab}\n",
        "catalog/instancetypes/m.yaml": "class: m\nsizes: {small: {vcpus: 1, memory: 2Gi}}\n",
        "catalog/instancetypes/n.yaml": "class: k\nsizes: {small: {vcpus: 1, memory: 3Gi}}\n",
        "vm.yaml": """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  template: {spec: {domain: {devices: {}, cpu: {sockets: 1}, memory: {guest: 2Gi}}}}
""",
    }
    write(".", files)

    def adopted(*arguments: str) -> str:
        return CliRunner().invoke(main, ["adopt", "-f", "vm.yaml", *arguments]).output

    assert "adopts VirtualMachineClusterInstancetype m.small" in adopted("-e", "one")
    assert "adopts" not in adopted()
    assert "adopts" not in adopted("-e", "two")
    result = CliRunner().invoke(main, ["adopt", "-f", "two=vm.yaml", "-e", "three"])
    assert (result.exit_code, "there is no environment 'three' in catalog" in result.stderr) == (2, True)
