"""What a cluster stores otherwise than Git has it: out-of-sync, out-of-sync-merged, annotation-limit."""

import json
from datetime import date
from textwrap import dedent

import pytest
from click.testing import CliRunner

import otheryaml
from checkouts import write
from loading import read_manifests
from virtcatalog.api.names import LAST_APPLIED
from virtcatalog.check import sync
from virtcatalog.check.inventory import take
from virtcatalog.check.rules import check
from virtcatalog.cli import main
from virtcatalog.gitops.stored import stored
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.releases import RELEASES

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: one%(metadata)s}
spec:
  runStrategy: Always
%(spec)s  template:
    spec:
%(pod)s      domain: {%(domain)s, devices: {}}
"""


def vm(domain="memory: {guest: 1Gi}", metadata="", spec="", pod=""):
    return VM % {"domain": domain, "metadata": metadata, "spec": spec, "pod": pod}


def findings(text, release="v1.9.0"):
    conditions = Conditions(release=RELEASES[release])
    manifests = read_manifests(text, "beside.yaml")
    findings = check(take(manifests=manifests, today=date(2026, 1, 1), conditions=conditions))
    sync = ("out-of-sync", "out-of-sync-merged", "annotation-limit")
    return [(finding.rule, finding.field, finding.message) for finding in findings if finding.rule in sync]


@pytest.mark.parametrize(
    ("domain", "field", "message"),
    [
        ("resources: {requests: {cpu: 2}}", "resources.requests.cpu", 'is 2, and stored as "2": write that'),
        ("memory: {guest: 1024Mi}", "memory.guest", "is 1024Mi, and stored as 1Gi: write that"),
        ("resources: {limits: {cpu: 0.5}}", "resources.limits.cpu", "is 0.5, and stored as 500m: write that"),
        ('machine: {type: ""}', "machine.type", "is empty, and stored as q35: leave it out, or write that"),
        ("cpu: {features: []}", "cpu.features", "is [], which is not stored: leave it out"),
        (
            "cpu: {dedicatedCpuPlacement: false}",
            "cpu.dedicatedCpuPlacement",
            "is false, which is not stored: leave it out",
        ),
    ],
)
def test_a_field_of_a_vm_that_its_webhook_writes_otherwise(domain, field, message):
    assert findings(vm(domain)) == [("out-of-sync", f"spec.template.spec.domain.{field}", message)]


def test_maps_of_a_vm_that_go():
    assert findings(vm(metadata=", labels: {}", pod="      nodeSelector: {}\n")) == [
        ("out-of-sync", "metadata.labels", "is {}, which is not stored: leave it out"),
        ("out-of-sync", "spec.template.spec.nodeSelector", "is {}, which is not stored: leave it out"),
    ]


def test_empty_annotations_show_only_where_argo_cd_applies_on_the_server():
    assert findings(vm(metadata=", annotations: {}")) == [
        ("out-of-sync-merged", "metadata.annotations", "is {}, which is not stored: leave it out")
    ]


def test_what_the_cluster_writes_into_metadata():
    assert findings(vm(metadata=", generation: 3, uid: a-b, creationTimestamp: null")) == [
        ("out-of-sync", "metadata.generation", "is 3, which is not stored: leave it out"),
        ("out-of-sync", "metadata.uid", "is a-b, which is not stored: leave it out"),
    ]


def test_what_webhooks_add_to_maps_is_nobodys_fault():
    assert findings(vm("memory: {guest: 1Gi}", pod="      terminationGracePeriodSeconds: 0\n")) == []


def test_only_vms_are_written_anew():
    pool = dedent("""\
        apiVersion: pool.kubevirt.io/v1beta1
        kind: VirtualMachinePool
        metadata: {name: web}
        spec:
          replicas: 1
          selector: {matchLabels: {a: b}}
          virtualMachineTemplate:
            metadata: {creationTimestamp: null, labels: {a: b}}
            spec:
              runStrategy: Always
              template:
                metadata: {labels: {a: b}}
                spec: {domain: {resources: {requests: {cpu: 2, memory: 1024Mi}}, devices: {gpus: []}}}
        """)
    assert findings(pool) == []


TEMPLATES = """\
  dataVolumeTemplates:
  - metadata: {name: root%s}
    spec: {storage: {%s}, source: {blank: {}}}
"""
ROOT = "      volumes: [{name: root, dataVolume: {name: root}}]\n"
SIZE = "resources: {requests: {storage: 1Gi}}"


def test_lists_that_argo_cd_takes_as_a_whole():
    field = "spec.dataVolumeTemplates[0]"
    assert findings(vm(spec=TEMPLATES % ("", "storageClassName: fast"), pod=ROOT)) == [
        ("out-of-sync-merged", f"{field}.spec.storage.resources", "is not set, and stored as {}")
    ]
    assert findings(vm(spec=TEMPLATES % (", creationTimestamp: null", SIZE), pod=ROOT)) == [
        ("out-of-sync-merged", f"{field}.metadata.creationTimestamp", "is null, which is not stored: leave it out")
    ]


def test_the_null_that_older_releases_write_themselves():
    with_null = vm(spec=TEMPLATES % (", creationTimestamp: null", SIZE), pod=ROOT)
    without = vm(spec=TEMPLATES % ("", SIZE), pod=ROOT)
    assert findings(with_null, "v1.7.4") == []
    assert [rule for rule, _, _ in findings(without, "v1.7.4")] == ["out-of-sync-merged"]
    assert [rule for rule, _, _ in findings(with_null, "v1.8.4")] == ["out-of-sync-merged"]


def test_an_object_that_is_larger_than_an_annotation():
    padding = "x" * 262_000
    ((rule, _, message),) = findings(vm(metadata=f", annotations: {{example.org/a: {padding}}}"))
    assert (rule, message.partition(" bytes")[0]) == ("annotation-limit", "has 262,137")
    assert findings(vm(metadata=f", annotations: {{example.org/a: {padding[:100_000]}}}")) == []


LIMIT = 262_144


def applied(manifest):
    """The bytes of an object as a client writes it into an annotation, with Go's JSON and a line's end."""
    text = json.dumps(manifest, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return len(f"{LAST_APPLIED}{text}\n".encode())


@pytest.mark.parametrize(
    "annotations",
    [{"a": "x" * 140_000}, {"a": "x" * 140_000, "b": "ä"}, {"a": "<>&" * 15_000}, {"a": "x" * 131_000, "b": "&" * 200}],
)
@pytest.mark.parametrize("before", [None, "<" * 1000])
def test_by_how_much_an_object_is_too_large(annotations, before):
    of_client = {LAST_APPLIED: before} if before else {}
    text = vm(metadata=f", annotations: {json.dumps(annotations | of_client, ensure_ascii=False)}")
    manifest = otheryaml.load(vm(metadata=f", annotations: {json.dumps(annotations, ensure_ascii=False)}"))
    size = sum(len(f"{key}{value}".encode()) for key, value in annotations.items()) + applied(manifest)
    messages = [message for rule, _, message in findings(text) if rule == "annotation-limit"]
    assert messages == [
        f"has {size - LIMIT:,} bytes more than its annotations may have when clients apply it: apply on the server"
    ]


def test_what_fits_to_the_last_byte():
    def padded(number):
        return vm(metadata=f", annotations: {{a: {'x' * number}}}")

    room = LIMIT - applied(otheryaml.load(padded(1))) - 2
    assert findings(padded(1 + room // 2)) == []
    assert [rule for rule, _, _ in findings(padded(2 + room // 2))] == ["annotation-limit"]


def test_an_object_is_too_large_for_what_gos_json_writes_of_its_user_data():
    def machine(data):
        seed = f"{{name: seed, cloudInitNoCloud: {{userData: {json.dumps(data)}}}}}"
        return vm(pod=f"      volumes: [{seed}]\n")

    def messages(data):
        return [
            message.partition(" bytes")[0] for rule, _, message in findings(machine(data)) if rule.endswith("limit")
        ]

    assert messages("x" * 44_000) == []
    for character in "<>&":
        excess = applied(otheryaml.load(machine(character * 44_000))) - LIMIT
        assert messages(character * 44_000) == [f"has {excess:,}"]
        assert messages(character * (44_000 - excess // 6 - 1)) == []


def test_what_is_inferred_from_a_volume_is_not_stored():
    claim = """\
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: root, namespace: default, labels: {instancetype.kubevirt.io/default-preference: linux}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterPreference
metadata: {name: linux}
spec: {}
"""
    volumes = "      volumes: [{name: root, persistentVolumeClaim: {claimName: root}}]\n"
    infers = vm(spec="  preference: {inferFromVolume: root}\n", pod=volumes, metadata=", namespace: default")
    assert findings(infers + claim) == [
        (
            "out-of-sync",
            "spec.preference.inferFromVolume",
            (
                "is not stored: KubeVirt writes the name that it finds in its place, and refuses this beside a name, "
                "so that later syncs fail: write the name, or have Argo CD ignore this"
            ),
        )
    ]


@pytest.mark.parametrize(("length", "shown"), [(60, "x" * 60), (61, "x" * 60 + "…")])
def test_of_a_long_value_the_start_is_shown(length, shown):
    assert findings(vm(metadata=f", selfLink: {'x' * length}")) == [
        ("out-of-sync", "metadata.selfLink", f"is {shown}, which is not stored: leave it out")
    ]


def test_alike_vms_are_compared_once_unless_something_is_to_be_said(monkeypatch):
    compared = []

    def note(written, cluster):
        compared.append(written["metadata"]["name"])
        return stored(written, cluster)

    monkeypatch.setattr(sync, "stored", note)

    def named(text):
        return "---\n".join(text.replace("name: one", f"name: {name}") for name in ("one", "two", "ten"))

    assert findings(named(vm())) == []
    assert compared == ["one"]
    compared.clear()
    assert len(findings(named(vm("memory: {guest: 1024Mi}")))) == 3
    assert compared == ["one", "two", "ten"]


def test_alike_vms_may_differ_in_their_metadata():
    text = vm() + "---\n" + vm(metadata=", labels: {}").replace("name: one", "name: two")
    assert [field for _, field, _ in findings(text)] == ["metadata.labels"]


@pytest.mark.parametrize("kind", ["labels", "annotations"])
@pytest.mark.parametrize(("values", "field"), [("{}", ""), ("{a: null}", ".a")])
def test_of_alike_vms_one_may_have_no_labels_and_annotations_or_one_that_is_null(kind, values, field):
    text = "---\n".join(
        vm(metadata=f", {kind}: {value}").replace("name: one", f"name: {name}")
        for name, value in (("one", "{a: b}"), ("two", values))
    )
    alone = findings(vm(metadata=f", {kind}: {values}"))
    assert findings(text) == alone
    assert field or [field for _, field, _ in alone] == [f"metadata.{kind}"]


def test_an_object_that_is_no_vm_and_too_large():
    disk = "apiVersion: cdi.kubevirt.io/v1beta1\nkind: DataVolume\nmetadata: {name: data, annotations: {a: %s}}\n"
    ((rule, _, _),) = findings(disk % ("x" * 200_000) + "spec: {storage: {}, source: {blank: {}}}\n")
    assert rule == "annotation-limit"


def test_an_object_of_a_kustomization_beside_a_catalog(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    disk = "apiVersion: cdi.kubevirt.io/v1beta1\nkind: DataVolume\nmetadata: {name: data, labels: {}}\nspec: {}\n"
    files = {
        "catalog/catalog.yaml": "name: house\nkubevirt: v1.9.0\n",
        "catalog/overlays.yaml": "production: {scope: cluster}\n",
        "vms/kustomization.yaml": "namespace: web\nresources: [disk.yaml, vm.yaml]\n",
        "vms/disk.yaml": disk,
        "vms/vm.yaml": vm("memory: {guest: 1024Mi}"),
    }
    write(tmp_path, files)
    result = CliRunner().invoke(main, ["check", "-f", "vms"])
    assert "vms/disk.yaml:3:24: DataVolume/web/data: metadata.labels: is {}, which is not stored" in result.stdout
    assert "VirtualMachine/web/one: spec.template.spec.domain.memory.guest: is 1024Mi, and stored" in result.stdout


def test_defaults_of_the_schema_in_items_of_lists():
    volumes = "      volumes: [{name: a, containerPath: {path: /x}}, {name: b, sysprep: {configMap: {}}}]\n"
    assert findings(vm(pod=volumes)) == [
        (
            "out-of-sync-merged",
            "spec.template.spec.volumes[0].containerPath.readOnly",
            "is not set, and stored as true",
        ),
        ("out-of-sync-merged", "spec.template.spec.volumes[1].sysprep.configMap.name", 'is not set, and stored as ""'),
    ]
