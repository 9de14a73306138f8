"""`virtcatalog expand`: what it prints where, and its exit status."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from syrupy.assertion import SnapshotAssertion

from virtcatalog.cli import main

Run = Callable[..., Result]

TYPES = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: small}
spec:
  cpu: {guest: 2}
  memory: {guest: 2Gi}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterPreference
metadata: {name: linux}
spec:
  cpu: {preferredCPUTopology: cores}
  devices: {preferredDiskBus: virtio}
"""

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
spec:
  runStrategy: Always
  instancetype: {name: small}
  preference: {name: linux}
  template:
    metadata:
      labels: {app: web}
    spec:
      domain:
        devices:
          disks:
            - name: root
              disk: {}
      volumes:
        - name: root
          containerDisk: {image: "registry.example.org/web:1"}
"""


def vm(name: str, spec: str = "runStrategy: Always", domain: str = "memory: {guest: 1Gi}", **rest: str) -> str:
    volumes = rest.get("volumes", "[]")
    return dedent(f"""\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {{name: {name}}}
        spec:
          {spec}
          template:
            metadata: {{labels: {{vm: {name}}}}}
            spec:
              domain: {{devices: {{{rest.get("devices", "")}}}, {domain}}}
              volumes: {volumes}
        """)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `virtcatalog expand` in a folder of its own that holds these files."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: str | None = None, **files: str) -> Result:
        for name, text in files.items():
            Path(name.replace("_", ".")).write_text(text)
        result = CliRunner().invoke(main, ["expand", *arguments], input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return run


@pytest.mark.parametrize("form", ["xml", "vmi", "vm", "diff", "explain"])
def test_one_vm(run: Run, snapshot: SnapshotAssertion, form: str) -> None:
    result = run("-f", "vm.yaml", "-f", "types.yaml", "-o", form, vm_yaml=VM, types_yaml=TYPES)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == snapshot


def test_the_domain_is_what_is_printed_by_default(run: Run) -> None:
    files = {"vm_yaml": VM, "types_yaml": TYPES}
    assert run("-f", ".", **files).stdout == run("-f", ".", "-o", "xml", **files).stdout != ""


def test_json_of_one_vm_is_an_object_with_everything(run: Run) -> None:
    document = json.loads(run("-f", ".", "-o", "json", vm_yaml=VM, types_yaml=TYPES).stdout)
    assert document["name"] == "default/web"
    assert document["admitted"] is True
    assert document["refusedBy"] is None
    assert document["domainXml"].startswith("<domain")
    assert document["vmi"]["kind"] == "VirtualMachineInstance"
    assert document["origins"]["spec.domain.cpu.cores"] == ["instance type small", "preference linux"]
    assert document["origins"]["spec.domain.devices.disks[0].name"] == ["VM"]


def test_json_of_several_vms_is_a_list(run: Run) -> None:
    result = run("-f", ".", "-o", "json", a_yaml=vm("a"), b_yaml=vm("b", "runStrategy: Never"))
    documents = json.loads(result.stdout)
    assert [(each["name"], each["refusedBy"]) for each in documents] == [("default/a", None), ("default/b", "vm")]
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
    output = run("-f", ".", "-o", "explain", vm_yaml=VM, types_yaml=TYPES, cluster_yaml=dedent(cluster)).stdout
    rows = {line.split()[0]: line.rsplit("  ", 1)[1] for line in output.splitlines()}
    assert rows["spec.volumes[0].containerDisk.image"] == "VM"
    assert rows["spec.domain.memory.guest"] == "instance type small"
    assert rows["spec.domain.devices.disks[0].disk.bus"] == "preference linux"
    assert rows["spec.domain.cpu.cores"] == "instance type small, preference linux"
    assert rows["spec.domain.devices.watchdog.name"] == "preset watched"
    assert rows["spec.evictionStrategy"] == "cluster configuration"
    assert rows["spec.domain.machine.type"] == "KubeVirt default"


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


UNSUPPORTED = vm("dra", devices="gpus: [{name: g, claimName: c, requestName: r}]").replace(
    "volumes: []", "resourceClaims: [{name: c, resourceClaimName: claim}]"
)
GATES = """\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt}
spec: {configuration: {developerConfiguration: {featureGates: [GPUsWithDRA]}}}
"""


def test_what_virtcatalog_does_not_model_is_said_at_its_field(run: Run) -> None:
    result = run("-f", ".", vm_yaml=UNSUPPORTED, gates_yaml=GATES)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [
        (
            "vm.yaml:9:43: VirtualMachine/dra: spec.template.spec.domain.devices.gpus[0].claimName: not supported by "
            "virtcatalog: dynamic resource allocation is not modelled"
        ),
        "1 VM: 1 unsupported",
    ]


def test_vms_do_not_stop_each_other(run: Run, snapshot: SnapshotAssertion) -> None:
    undecodable = vm("undecodable", domain="cpu: {cores: many}")
    stream = "---\n".join(
        [vm("good"), undecodable, vm("refused", "runStrategy: Never"), UNSUPPORTED, vm("fine"), GATES]
    )
    result = run("-f", "stream.yaml", "-o", "vmi", stream_yaml=stream)
    assert result.exit_code == 2
    assert [each["metadata"]["name"] for each in yaml.safe_load_all(result.stdout)] == ["good", "fine"]
    assert result.stderr == snapshot


def test_a_file_that_cannot_be_read_does_not_stop_the_others(run: Run) -> None:
    result = run("-f", ".", a_yaml="a: b: c\n", b_yaml=vm("b"), c_yaml="apiVersion: v1\nkind: Pod\nspec: {}\n")
    assert result.exit_code == 2
    assert "<name>default_b</name>" in result.stdout
    *problems, last = result.stderr.splitlines()
    assert problems[0] == "a.yaml:1:5: is not YAML: mapping values are not allowed in this context"
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
                "VirtualMachineInstancetype is not served; use instancetype.kubevirt.io/v1beta1"
            ),
        ),
    ],
)
def test_an_object_of_the_cluster_that_cannot_be_read_stops_all(run: Run, name: str, text: str, message: str) -> None:
    result = run("-f", ".", **{name: text, "vm_yaml": vm("a")})
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [message, "1 problem"]


DUMP = {
    "apiVersion": "v1",
    "kind": "List",
    "metadata": {"resourceVersion": ""},
    "items": [
        {
            **yaml.safe_load(VM),
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
        *yaml.safe_load_all(TYPES),
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}},
    ],
}


@pytest.mark.parametrize("text", [yaml.safe_dump(DUMP), json.dumps(DUMP)], ids=["yaml", "json"])
def test_a_dump_of_a_cluster(run: Run, text: str) -> None:
    result = run("-f", "-", "-o", "vmi", stdin=text)
    assert (result.exit_code, result.stderr) == (0, "")
    vmi = yaml.safe_load(result.stdout)
    assert vmi["metadata"]["namespace"] == "shop"
    assert vmi["metadata"]["ownerReferences"][0]["uid"] == "2c4cf5c4-6b0e-4a61-9b6a-0f3d6c1b9a11"
    assert vmi["spec"]["domain"]["cpu"]["cores"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-f", "missing.yaml"], "missing.yaml: No such file or directory"),
        (["-f", "types.yaml"], "error: no VirtualMachine in types.yaml"),
        (["-f", "vm.yaml", "-o", "pdf"], "'pdf' is not one of"),
        (["-f", "vm.yaml", "--pin", "-o", "xml"], "--pin prints manifests"),
        (["-f", "vm.yaml", "--catalog", "missing"], "missing: No such file or directory"),
        ([], "catalog is no catalog that holds VM templates: name VMs with -f"),
    ],
)
def test_wrong_usage(run: Run, arguments: list[str], message: str) -> None:
    result = run(*arguments, vm_yaml=VM, types_yaml=TYPES)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_the_architecture_of_vms_that_name_none(run: Run) -> None:
    assert '<type arch="aarch64"' in run("-f", ".", "--arch", "arm64", vm_yaml=vm("a")).stdout


def documents(result: Result) -> list[Any]:
    assert result.exit_code == 0, result.stderr
    return list(yaml.safe_load_all(result.stdout))


def test_a_pinned_vm_names_the_revisions_that_follow_it(run: Run) -> None:
    result = run("-f", ".", "--pin", vm_yaml=VM, types_yaml=TYPES)
    pinned, instancetype, preference = documents(result)
    assert pinned["spec"]["instancetype"] == {"name": "small", "revisionName": instancetype["metadata"]["name"]}
    assert pinned["spec"]["preference"] == {"name": "linux", "revisionName": preference["metadata"]["name"]}
    assert pinned["spec"]["template"] == yaml.safe_load(VM)["spec"]["template"]
    assert {each["kind"] for each in (instancetype, preference)} == {"ControllerRevision"}
    assert instancetype["data"]["spec"] == {"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}}


def test_a_pinned_vm_becomes_the_same_without_its_instance_type(run: Run) -> None:
    before = run("-f", ".", vm_yaml=VM, types_yaml=TYPES).stdout
    pinned = run("-f", ".", "--pin").stdout
    assert run("-f", "-", stdin=pinned).stdout == before
    assert run("-f", "-", "--pin", stdin=pinned).stdout == pinned.partition("---")[0]


def test_pins_as_json_are_a_list(run: Run) -> None:
    result = run("-f", ".", "--pin", "-o", "json", vm_yaml=VM, types_yaml=TYPES)
    assert [each["kind"] for each in json.loads(result.stdout)["items"]] == [
        "VirtualMachine",
        *["ControllerRevision"] * 2,
    ]


def test_a_vm_that_is_refused_is_not_pinned(run: Run) -> None:
    result = run("-f", ".", "--pin", vm_yaml=vm("a", "runStrategy: Never"))
    assert (result.exit_code, result.stdout) == (1, "")


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


CATALOG = {
    "catalog.yaml": "name: shop\nkubevirt: v1.9.0\n",
    "instancetypes/m.yaml": "class: m\nsizes: {small: {vcpus: 1, memory: 1Gi}}\nname: '{{ class }}.{{ size }}'\n",
    "preferences/linux.yaml": "preferences: {shop.linux: {spec: {devices: {preferredDiskBus: scsi}}}}\n",
    "overlays.yaml": (
        "lab:\n  scope: namespaced\n  namespace: lab\n"
        "  patches: [{select: {names: [m.small]}, spec: {memory: {guest: 3Gi}}}]\n"
        "live: {scope: cluster}\n"
    ),
    "vms.yaml": "web.yaml.j2: {environments: {lab: {}, live: {}}}\n",
    "vms/db.yaml": vm("db"),
    "vms/web.yaml.j2": vm(
        "web",
        "runStrategy: Always\n          instancetype: {kind: '{{ instancetypeKind }}', name: m.small}",
        domain="",
    ).replace("{name: web}", "{name: web, namespace: '{{ namespace }}'}"),
}


@pytest.fixture
def catalog(tmp_path: Path) -> str:
    for name, text in CATALOG.items():
        file = tmp_path / "catalog" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return "catalog"


def guests(result: Result) -> list[tuple[str, str]]:
    vmis = documents(result)
    return [(each["metadata"]["name"], each["spec"]["domain"]["memory"]["guest"]) for each in vmis]


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], [("db", "1Gi"), ("web", "3Gi"), ("web", "1Gi")]),
        (["-f", "catalog"], [("db", "1Gi"), ("web", "3Gi"), ("web", "1Gi")]),
        (["-f", "catalog/vms"], [("db", "1Gi"), ("web", "3Gi"), ("web", "1Gi")]),
        (["-f", "catalog/vms/db.yaml"], [("db", "1Gi")]),
        (["-f", "catalog/vms/web.yaml.j2"], [("web", "3Gi"), ("web", "1Gi")]),
        (
            ["-f", "catalog/vms/db.yaml", "-f", "catalog/vms/web.yaml.j2"],
            [("db", "1Gi"), ("web", "3Gi"), ("web", "1Gi")],
        ),
    ],
)
def test_vm_templates_meet_what_their_environment_deploys(
    run: Run, arguments: list[str], expected: list[tuple[str, str]]
) -> None:
    assert guests(run("-o", "vmi", *arguments)) == expected


@pytest.mark.usefixtures("catalog")
def test_a_refused_template_is_placed_in_the_template(run: Run, tmp_path: Path) -> None:
    Path("catalog/vms/db.yaml").write_text(vm("db", "runStrategy: Never"))
    assert run("-f", "catalog/vms/db.yaml").stderr.startswith("catalog/vms/db.yaml:5:3: VirtualMachine/db: spec.runSt")


@pytest.mark.usefixtures("catalog")
def test_a_kubevirt_cr_beside_a_catalog_counts_for_its_templates(run: Run) -> None:
    cr = GATES.replace("developerConfiguration: {featureGates: [GPUsWithDRA]}", "evictionStrategy: External")
    vmi, *_ = documents(run("-o", "vmi", "-f", "catalog/vms/db.yaml", "-f", "cr.yaml", cr_yaml=cr))
    assert vmi["spec"]["evictionStrategy"] == "External"


@pytest.mark.usefixtures("catalog")
def test_other_vms_meet_the_catalogs_objects(run: Run) -> None:
    text = vm("x", "runStrategy: Always\n          instancetype: {name: m.small}", domain="")
    assert guests(run("-o", "vmi", "-f", "x.yaml", "--catalog", "catalog", x_yaml=text)) == [("x", "1Gi")]
    assert guests(run("-o", "vmi", "-f", "x.yaml")) == [("x", "1Gi")]


@pytest.mark.usefixtures("catalog")
def test_a_template_that_is_not_there(run: Run) -> None:
    result = run("-f", "catalog/vms/missing.yaml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("catalog/vms/missing.yaml: No such file or directory")
