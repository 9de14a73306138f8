"""What `virtcatalog expand` says of VMs that are refused, cannot be read, or are not supported."""

from __future__ import annotations

import json

import pytest
from expanding import TYPES, UNSUPPORTED, Run, vm
from syrupy.assertion import SnapshotAssertion

import otheryaml


def refused(run: Run, text: str) -> list[str]:
    result = run("-f", "vm.yaml", vm_yaml=text)
    assert (result.exit_code, result.stdout) == (1, "")
    *lines, last = result.stderr.splitlines()
    assert last == "1 VM: 1 refused"
    return lines


def test_the_vm_webhook_refuses_at_fields_of_the_vm(run: Run) -> None:
    text = vm("x", "runStrategy: Never", devices="disks: [{name: a, disk: {bus: floppy}}]")
    assert refused(run, text) == [
        (
            "vm.yaml:5:3: VirtualMachine/x: spec.runStrategy: 'Never' is none of Halted, Manual, Always, "
            "RerunOnFailure, Once (refused by the VM webhook)"
        ),
        (
            "vm.yaml:9:35: VirtualMachine/x: spec.template.spec.domain.devices.disks[0].name: no volume is named 'a' "
            "(refused by the VM webhook)"
        ),
        (
            "vm.yaml:9:51: VirtualMachine/x: spec.template.spec.domain.devices.disks[0].disk.bus: disk 'a': bus "
            "'floppy' is none of virtio, scsi, sata, usb (refused by the VM webhook)"
        ),
    ]


def test_virt_controller_refuses_at_the_matcher(run: Run) -> None:
    text = vm("x", "runStrategy: Always\n          instancetype: {name: huge}", domain="")
    assert refused(run, text) == [
        (
            "vm.yaml:6:18: VirtualMachine/x: spec.instancetype.name: there is no VirtualMachineClusterInstancetype "
            "'huge' (refused by virt-controller)"
        )
    ]


def test_the_vmi_webhook_refuses_at_the_templates_field(run: Run) -> None:
    features = "memory: {guest: 1Gi}, features: {hyperv: {relaxed: {}}, hypervPassthrough: {enabled: true}}"
    (line,) = refused(run, vm("x", domain=features))
    assert line.startswith("vm.yaml:9:62: VirtualMachine/x: spec.template.spec.domain.features.hyperv: ")
    assert line.endswith(" (refused by the VMI webhook)")


def test_virt_launcher_refuses_at_the_templates_field(run: Run) -> None:
    cpu = "memory: {guest: 1Gi}, cpu: {cores: 129, dedicatedCpuPlacement: true}"
    assert refused(run, vm("x", domain=cpu)) == [
        (
            "vm.yaml:9:51: VirtualMachine/x: spec.template.spec.domain.cpu: the pod asks for 129 CPUs, and the node "
            "has 128 (refused by virt-launcher)"
        )
    ]


def test_what_virtcatalog_does_not_model_is_said_at_its_field(run: Run) -> None:
    result = run("-f", ".", vm_yaml=UNSUPPORTED)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [
        (
            "vm.yaml:9:51: VirtualMachine/many: spec.template.spec.domain.cpu: not supported by virtcatalog: "
            "a domain with a list of 280000 vCPUs is not made"
        ),
        "1 VM: 1 unknown",
    ]


def test_vms_do_not_stop_each_other(run: Run, snapshot: SnapshotAssertion) -> None:
    undecodable = vm("undecodable", domain="cpu: {cores: many}")
    stream = "---\n".join([vm("good"), undecodable, vm("refused", "runStrategy: Never"), UNSUPPORTED, vm("fine")])
    result = run("-f", "stream.yaml", "-o", "vmi", stream_yaml=stream)
    assert result.exit_code == 2
    assert [document["metadata"]["name"] for document in otheryaml.load_all(result.stdout)] == ["good", "fine"]
    assert result.stderr == snapshot


def test_a_file_that_cannot_be_read_does_not_stop_the_others(run: Run) -> None:
    result = run("-f", ".", a_yaml="a: b: c\n", b_yaml=vm("b"), c_yaml="apiVersion: v1\nkind: Pod\nspec: {}\n")
    assert result.exit_code == 2
    assert "<name>default_b</name>" in result.stdout
    *problems, last = result.stderr.splitlines()
    assert problems[0] == "a.yaml:1:5: is not YAML: a second ': ' in one line; quote the text that has it"
    assert problems[1].startswith("c.yaml:")
    assert last == f"1 VM: 1 admitted; {len(problems)} other problems"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "type.yaml",
            TYPES.replace("guest: 2}", "guest: two}"),
            (
                "type.yaml:5:9: VirtualMachineClusterInstancetype/small: spec.cpu.guest: must be an integer, not "
                "the string 'two'"
            ),
        ),
        (
            "snapshot.yaml",
            "apiVersion: snapshot.storage.k8s.io/v1\nkind: VolumeSnapshot\nmetadata: {name: s, labels: 3}\n",
            "snapshot.yaml:3:21: VolumeSnapshot/s: metadata.labels: must be a map, not the number 3",
        ),
        (
            "old.yaml",
            "apiVersion: instancetype.kubevirt.io/v1alpha1\nkind: VirtualMachineInstancetype\nmetadata: {name: s}\n",
            (
                "old.yaml:1:1: VirtualMachineInstancetype/s: apiVersion: instancetype.kubevirt.io/v1alpha1 of "
                "VirtualMachineInstancetype is not served; convert it to instancetype.kubevirt.io/v1beta1 with "
                "`virtcatalog convert`"
            ),
        ),
    ],
)
def test_an_object_of_the_cluster_that_cannot_be_read_stops_all(run: Run, name: str, text: str, message: str) -> None:
    result = run("-f", ".", **{name: text, "vm_yaml": vm("a")})
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [message, "1 problem"]


def test_a_name_that_kubernetes_refuses_is_said_where_it_stands(run: Run) -> None:
    result = run("-f", "vm.yaml", vm_yaml=vm("Fedora_1"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(
        "vm.yaml:3:12: VirtualMachine/Fedora_1: metadata.name: Kubernetes refuses the name 'Fedora_1': "
    )


def test_a_virtual_machine_of_another_api_group_is_somebody_elses(run: Run) -> None:
    other = "apiVersion: compute.example.org/v1\nkind: VirtualMachine\nmetadata: {name: other}\nspec: {size: 3}\n"
    assert "no VirtualMachine in vm.yaml" in run("-f", "vm.yaml", vm_yaml=other).stderr
    both = run("-f", "vm.yaml", vm_yaml=f"{vm('x')}\n---\n{other}")
    assert (both.exit_code, both.stderr) == (0, "")
    assert both.stdout.count("<domain ") == 1


@pytest.mark.parametrize(
    ("head", "hint"),
    [
        ("{apiVersion: v1, kind: VirtualMachine", "; a VirtualMachine is of kubevirt.io/v1, not 'v1'"),
        ("{apiVersion: kubevirt.io/v1, kind: virtualmachine", "; did you mean 'VirtualMachine' by the kind 'virt"),
        ("{apiVersion: kubevirt.io/v1, kind: VirtualMachin", "; did you mean 'VirtualMachine' by the kind 'Virt"),
        ("{apiVersion: v1, kind: VM", "; did you mean 'VirtualMachine' by the kind 'VM'?"),
        ("{apiVersion: clone.kubevirt.io/v1beta1, kind: VirtualMachineClone", "\n"),
    ],
)
def test_what_was_meant_for_a_virtual_machine_is_told(run: Run, head: str, hint: str) -> None:
    stderr = run("-f", "vm.yaml", vm_yaml=f"{head}, metadata: {{name: a}}, spec: {{}}}}\n").stderr
    assert stderr.startswith(f"error: no VirtualMachine in vm.yaml{hint}")


def test_what_a_newer_cdi_knows_of_a_data_volume_is_a_warning_at_its_place(run: Run) -> None:
    volume = """\
apiVersion: cdi.kubevirt.io/v1beta1
kind: DataVolume
metadata: {name: disk}
spec:
  source: {http: {url: "https://example.org/x", checksum: "sha256:00"}}
  storage: {resources: {requests: {storage: 3Gi}}}
"""
    text = vm("x", volumes="[{name: root, dataVolume: {name: disk}}]")
    again = vm("z", volumes="[{name: root, dataVolume: {name: disk}}]")
    result = run("-f", "vm.yaml", "-f", "dv.yaml", vm_yaml=f"{text}\n---\n{again}", dv_yaml=volume)
    assert result.exit_code == 0, result.stderr
    assert [line for line in result.stderr.splitlines() if line.startswith("dv.yaml")] == [
        "dv.yaml:5:49: DataVolume/disk: spec.source.http.checksum: warning: unknown field 'checksum'; it is left out"
    ]


def test_refusals_as_a_sarif_log(run: Run) -> None:
    text = vm("x", "running: true", devices="disks: [{name: a, disk: {bus: floppy}}]")
    result = run("-f", "vm.yaml", "-o", "sarif", vm_yaml=text)
    assert result.exit_code == 1
    results = json.loads(result.stdout)["runs"][0]["results"]
    places = [result_["locations"][0]["physicalLocation"]["region"] for result_ in results]
    assert [(result_["level"], place["startLine"]) for result_, place in zip(results, places, strict=True)] == [
        ("error", 9),
        ("error", 9),
    ]
    assert json.loads(run("-f", "vm.yaml", "-o", "sarif", vm_yaml=vm("x")).stdout)["runs"][0]["results"] == []
