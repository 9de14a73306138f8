"""`virtcatalog expand`: what it prints where, and its exit status."""

from __future__ import annotations

import json
import re
from textwrap import dedent

import pytest
from expanding import TYPES, VM, Run, vm
from syrupy.assertion import SnapshotAssertion

import otheryaml


@pytest.mark.parametrize("form", ["xml", "vmi", "vm", "diff", "explain"])
def test_one_vm(run: Run, snapshot: SnapshotAssertion, form: str) -> None:
    result = run("-f", "vm.yaml", "-f", "types.yaml", "-o", form, vm_yaml=VM, types_yaml=TYPES)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == snapshot


def test_the_domain_is_what_is_printed_by_default(run: Run) -> None:
    files = {"vm_yaml": VM, "types_yaml": TYPES}
    assert run("-f", ".", **files).stdout == run("-f", ".", "-o", "xml", **files).stdout != ""


def test_the_converters_domain_is_printed_when_asked_for(run: Run) -> None:
    files = {"vm_yaml": VM, "types_yaml": TYPES}
    launched, converted = (run("-f", ".", "-o", form, **files).stdout for form in ("xml", "converted"))
    assert '<target dev="tap0" managed="no"/>' in launched
    assert "tap0" not in converted
    assert "pcie-root-port" not in converted
    assert converted.startswith('<domain type="kvm" xmlns:qemu="http://libvirt.org/schemas/domain/qemu/1.0">')


ANY = """\
<grammar xmlns="http://relaxng.org/ns/structure/1.0">
  <start><ref name="any"/></start>
  <define name="any">
    <element>
      <anyName/><zeroOrMore><choice><attribute><anyName/></attribute><text/><ref name="any"/></choice></zeroOrMore>
    </element>
  </define>
</grammar>
"""
EMPTY = '<element name="domain" xmlns="http://relaxng.org/ns/structure/1.0"><empty/></element>\n'


@pytest.mark.parametrize(
    ("schema", "finding", "status"),
    [
        (ANY, "", 0),
        (
            EMPTY,
            "vm.yaml:1:1: VirtualMachine/web: domain.rng: line 1: <domain>: its frame does not fit the schema\n",
            1,
        ),
    ],
)
def test_domains_are_checked_against_a_schema_that_is_named(run: Run, schema: str, finding: str, status: int) -> None:
    options = ("-f", "vm.yaml", "-f", "types.yaml", "--libvirt-schema", "domain.rng")
    result = run(*options, vm_yaml=VM, types_yaml=TYPES, domain_rng=schema)
    assert result.stdout.startswith("<domain")
    assert result.stderr == f"{finding}domains are checked against domain.rng\n"
    assert result.exit_code == status


def test_who_uses_ignition_is_warned_where_the_guest_does_not_get_it(run: Run) -> None:
    annotations = """metadata: {annotations: {kubevirt.io/ignitiondata: '{"ignition": {}}'}, labels:"""
    text = vm("coreos", domain="memory: {guest: 4Gi}").replace("metadata: {labels:", annotations)
    gates = """\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt}
spec: {configuration: {developerConfiguration: {featureGates: [ExperimentalIgnitionSupport]}}}
"""
    result = run("-f", ".", vm_yaml=text, gates_yaml=gates)
    assert result.exit_code == 0
    assert "data.ign" not in result.stdout
    assert "data.ign" in run("-f", ".", "-o", "converted", vm_yaml=text, gates_yaml=gates).stdout
    (warning,) = result.stderr.splitlines()
    assert warning.startswith("vm.yaml:7:")
    assert "kubevirt.io/ignitiondata" in warning
    assert "kubevirt/kubevirt#16901" in warning


def test_json_of_one_vm_is_an_object_with_everything(run: Run) -> None:
    document = json.loads(run("-f", ".", "-o", "json", vm_yaml=VM, types_yaml=TYPES).stdout)
    assert document["name"] == "default/web"
    assert document["admitted"] is True
    assert document["refusedBy"] is None
    assert document["domainXml"].startswith("<domain")
    assert document["vmi"]["kind"] == "VirtualMachineInstance"
    assert document["pod"]["kind"] == "Pod"
    assert document["podError"] is None
    assert document["origins"]["spec.domain.cpu.cores"] == ["instance type small", "preference linux"]
    assert document["origins"]["spec.domain.devices.disks[0].name"] == ["VM"]


def test_json_of_several_vms_is_a_list(run: Run) -> None:
    result = run("-f", ".", "-o", "json", a_yaml=vm("a"), b_yaml=vm("b", "runStrategy: Never"))
    documents = json.loads(result.stdout)
    assert [(document["name"], document["refusedBy"]) for document in documents] == [
        ("default/a", None),
        ("default/b", "vm"),
    ]
    assert documents[1]["causes"][0]["field"] == "spec.runStrategy"
    assert documents[1]["origins"] is None


def test_input_may_come_from_stdin(run: Run) -> None:
    result = run("-f", "-", stdin=f"{TYPES}---\n{VM}")
    assert result.exit_code == 0
    assert "<name>default_web</name>" in result.stdout
    assert run("-f", "-", stdin="a: b: c\n").stderr.startswith("<stdin>:1:5: is not YAML")


def test_explain_tells_every_source(run: Run) -> None:
    cluster = """\
        apiVersion: kubevirt.io/v1
        kind: KubeVirt
        metadata: {name: kubevirt}
        spec: {configuration: {evictionStrategy: LiveMigrate}}
        ---
        apiVersion: kubevirt.io/v1
        kind: VirtualMachineInstancePreset
        metadata: {name: watched}
        spec:
          selector: {matchLabels: {app: web}}
          domain: {devices: {watchdog: {name: dog, i6300esb: {action: reset}}}}
        """
    files = {"vm_yaml": VM, "types_yaml": TYPES, "cluster_yaml": dedent(cluster)}
    output = run("-f", ".", "-o", "explain", **files).stdout
    rows = {line.split()[0]: line.rsplit("  ", 1)[1] for line in output.splitlines()}
    assert rows["spec.volumes[0].containerDisk.image"] == "VM"
    assert rows["spec.domain.memory.guest"] == "instance type small"
    assert rows["spec.domain.devices.disks[0].disk.bus"] == "preference linux"
    assert rows["spec.domain.cpu.cores"] == "instance type small, preference linux"
    assert rows["spec.domain.devices.watchdog.name"] == "preset watched"
    assert rows["spec.evictionStrategy"] == "cluster configuration"
    assert rows["spec.domain.machine.type"] == "KubeVirt default"
    painted = run("-f", ".", "-o", "explain", "--color", "always", **files).stdout.splitlines()
    lines = (re.fullmatch(r"(?:\x1b\[(\d+)m)?spec.*  (\w+)[^\x1b]*(?:\x1b\[0m)?", line) for line in painted)
    assert {(line[2], line[1]) for line in lines if line} == {
        ("VM", "1"), ("instance", "32"), ("preference", "36"), ("preset", "35"), ("cluster", "33"), ("KubeVirt", None),
    }  # fmt: skip


DUMP = {
    "apiVersion": "v1",
    "kind": "List",
    "metadata": {"resourceVersion": ""},
    "items": [
        {
            **otheryaml.load(VM),
            "metadata": {
                "name": "web",
                "namespace": "shop",
                "uid": "2c4cf5c4-6b0e-4a61-9b6a-0f3d6c1b9a11",
                "resourceVersion": "4711",
                "generation": 2,
                "creationTimestamp": "2026-01-01T00:00:00Z",
                "finalizers": ["kubevirt.io/virtualMachineControllerFinalize"],
                "managedFields": [
                    {
                        "manager": "kubectl",
                        "operation": "Update",
                        "apiVersion": "kubevirt.io/v1",
                        "time": "2026-01-01T00:00:00Z",
                        "fieldsType": "FieldsV1",
                        "fieldsV1": {"f:spec": {".": {}}},
                    }
                ],
            },
            "status": {
                "ready": True,
                "printableStatus": "Running",
                "conditions": [{"type": "Ready", "status": "True", "lastProbeTime": None}],
                "volumeSnapshotStatuses": [{"name": "root", "enabled": False, "reason": "no"}],
                "somethingNewer": {"a": [1]},
            },
        },
        *otheryaml.load_all(TYPES),
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}},
    ],
}


@pytest.mark.parametrize("text", [otheryaml.dump(DUMP), json.dumps(DUMP)], ids=["yaml", "json"])
def test_a_dump_of_a_cluster(run: Run, text: str) -> None:
    result = run("-f", "-", "-o", "vmi", stdin=text)
    assert (result.exit_code, result.stderr) == (0, "")
    vmi = otheryaml.load(result.stdout)
    assert vmi["metadata"]["namespace"] == "shop"
    assert vmi["metadata"]["ownerReferences"][0]["uid"] == "2c4cf5c4-6b0e-4a61-9b6a-0f3d6c1b9a11"
    assert vmi["spec"]["domain"]["cpu"]["cores"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-f", "missing.yaml"], "missing.yaml: there is no such file or folder"),
        (["-f", "types.yaml"], "error: no VirtualMachine in types.yaml"),
        (
            ["-f", "vm.yaml", "-o", "pdf"],
            (
                "'pdf' is not one of 'xml', 'converted', 'vmi', 'vm', 'pod', 'json', 'yaml', 'diff', 'explain', "
                "'disks', 'sarif'."
            ),
        ),
        (["-f", "vm.yaml", "--pin", "-o", "xml"], "--pin prints manifests, as YAML or with -o json; it has no -o xml"),
        (["-f", "vm.yaml", "--catalog", "missing"], "missing: there is no such file or folder"),
        ([], "catalog is no catalog that holds VM templates: name VMs with -f"),
    ],
)
def test_wrong_usage(run: Run, arguments: list[str], message: str) -> None:
    result = run(*arguments, vm_yaml=VM, types_yaml=TYPES)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{message}\n" in result.stderr


def test_the_architecture_of_vms_that_name_none(run: Run) -> None:
    assert '<type arch="aarch64"' in run("-f", ".", "--arch", "arm64", vm_yaml=vm("a")).stdout


WATCHED = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstancePreset
metadata: {name: big}
spec:
  selector: {matchLabels: {preset: big}}
  domain:
    cpu: {cores: 4, model: Nehalem}
    memory: {guest: 8Gi}
    ioThreadsPolicy: auto
    clock: {timezone: Europe/Berlin}
    firmware: {serial: abc}
    devices: {watchdog: {name: dog, i6300esb: {action: reset}}}
"""


def test_a_preset_is_deprecated_and_what_replaces_it_is_told_once(run: Run, snapshot: SnapshotAssertion) -> None:
    vms = [vm(name).replace(f"vm: {name}", "preset: big") for name in ("a", "b")]
    result = run("-f", ".", "-o", "vmi", vms_yaml="---\n".join(vms), preset_yaml=WATCHED)
    assert result.exit_code == 0
    assert result.stderr == snapshot


@pytest.mark.parametrize(
    ("domain", "words"),
    [
        (
            "{devices: {watchdog: {name: dog, i6300esb: {action: reset}}}}",
            "no instance type or preference holds what it sets; to be set in the VM: devices.watchdog",
        ),
        (
            "{cpu: {sockets: 2}, resources: {requests: {memory: 2Gi}}, devices: {}}",
            'in its place: an instance type with spec {"memory": {"guest": "2Gi"}, "cpu": {"guest": 2}}',
        ),
    ],
)
def test_what_replaces_a_preset_is_what_it_sets(domain: str, words: str, run: Run) -> None:
    start, _, _ = WATCHED.partition("  domain:")
    big = vm("a").replace("vm: a", "preset: big")
    result = run("-f", ".", "-o", "vmi", vm_yaml=big, preset_yaml=f"{start}  domain: {domain}\n")
    where = "preset.yaml:1:1: VirtualMachineInstancePreset/big"
    assert (result.exit_code, result.stderr) == (0, f"{where}: warning: presets are deprecated; {words}\n")


def test_deprecated_spellings_are_told_at_their_fields(run: Run) -> None:
    old = TYPES.replace("preferredCPUTopology: cores", "preferredCPUTopology: preferCores")
    running = VM.replace("runStrategy: Always", "running: true")
    assert run("-f", "vm.yaml", "-f", "types.yaml", vm_yaml=running, types_yaml=old).stderr.splitlines() == [
        "vm.yaml:6:3: VirtualMachine/web: spec.running: warning: is deprecated: use spec.runStrategy",
        (
            "types.yaml:12:9: VirtualMachineClusterPreference/linux: spec.cpu.preferredCPUTopology: warning: "
            "preferCores is deprecated: use cores"
        ),
    ]


def test_what_the_release_drops_of_an_object_is_told_once_at_its_place(run: Run) -> None:
    newer = TYPES.replace("{preferredDiskBus: virtio}", "{preferredVideoType: vga}")
    vms = "---\n".join([VM, VM.replace("name: web", "name: other")])
    lines = run("-f", ".", "--kubevirt", "v1.8.4", "-o", "vmi", vms_yaml=vms, types_yaml=newer).stderr.splitlines()
    (line,) = [line for line in lines if "preferredVideoType" in line]
    start = "types.yaml:13:13: VirtualMachineClusterPreference/linux: spec.devices.preferredVideoType: warning: "
    assert line.startswith(start)


def test_the_pod(run: Run) -> None:
    result = run("-f", ".", "-o", "pod", vm_yaml=VM, types_yaml=TYPES)
    assert (result.exit_code, result.stderr) == (0, "")
    pod = otheryaml.load(result.stdout)
    assert (pod["kind"], pod["metadata"]["generateName"]) == ("Pod", "virt-launcher-web-")
    assert pod["spec"]["containers"][0]["resources"]["requests"]["cpu"]


def test_a_vm_without_a_pod_is_told_where_the_pod_is_asked_for(run: Run) -> None:
    text = vm("windows", domain="memory: {guest: 1Gi}").replace("volumes: []", "volumes: [{name: s, sysprep: {}}]")
    text = text.replace("devices: {}", "devices: {disks: [{name: s, cdrom: {}}]}")
    assert run("-f", ".", "-o", "vmi", vm_yaml=text).exit_code == 0
    result = run("-f", ".", "-o", "pod", vm_yaml=text)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "spec.template.spec.volumes[0].sysprep: no Pod is made: names neither" in result.stderr


def test_a_pod_that_cannot_be_told_is_an_error(run: Run) -> None:
    kubevirt = """\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt}
spec: {configuration: {additionalGuestMemoryOverheadRatio: "1e300"}}
"""
    result = run("-f", ".", "-o", "pod", vm_yaml=vm("web", domain="memory: {guest: 1Gi}"), kubevirt_yaml=kubevirt)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "not supported by virtcatalog" in result.stderr


def test_yaml_says_what_json_says(run):
    document = json.loads(run("-f", ".", "-o", "json", vm_yaml=VM, types_yaml=TYPES).stdout)
    assert otheryaml.load(run("-f", ".", "-o", "yaml", vm_yaml=VM, types_yaml=TYPES).stdout) == document
    files = {"a_yaml": vm("a"), "b_yaml": vm("b", "runStrategy: Never")}
    documents = list(otheryaml.load_all(run("-f", ".", "-o", "yaml", **files).stdout))
    assert documents == json.loads(run("-f", ".", "-o", "json", **files).stdout)
