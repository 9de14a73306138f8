"""The rules about a VirtualMachine itself."""

import pytest

import otheryaml
from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.kubevirt.admission.vm import admit_vm, validate_data_volume_templates, vm_warnings
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.defaults.schema import validate_data_volume_schema, validate_mutated_data_volume_schema
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm

GUEST = "spec.template.spec.domain.memory.guest"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((f"runStrategy: {strategy}", []) for strategy in ("Halted", "Manual", "Always", "RerunOnFailure", "Once")),
        ("running: false", []),
        ("runStrategy: always", ["Invalid spec.runStrategy"]),
        ("runStrategy: Sometimes", ["Invalid spec.runStrategy"]),
        ("runStrategy: ''", ["Invalid spec.runStrategy"]),
        ("running: true\nrunStrategy: Always", ["Invalid spec.running"]),
        ("running: true\nrunStrategy: Sometimes", ["Invalid spec.running", "Invalid spec.runStrategy"]),
    ],
)
def test_run_strategy(refused, text, expected):
    assert refused(text) == expected


def test_a_vm_has_a_run_strategy(refused):
    assert refused("{running: null, runStrategy: null}") == ["Invalid spec.running"]


def test_waiting_for_a_migration_needs_a_gate(refused):
    off = "developerConfiguration.disabledFeatureGates: [DecentralizedLiveMigration]"
    assert refused("runStrategy: WaitAsReceiver", off) == ["Invalid spec.runStrategy"]
    assert refused("runStrategy: WaitAsReceiver", gates=["DecentralizedLiveMigration"]) == []


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        ("memory: {guest: 1Gi, maxGuest: 4Gi}", []),
        ("memory: {guest: 1Gi, maxGuest: 1Gi}", []),
        ("memory: {guest: 2Gi, maxGuest: 1Gi}", [f"Invalid {GUEST}"]),
        ("memory: {maxGuest: 1Gi}", [f"Invalid {GUEST}"]),
        ("memory: {guest: 1025Mi, maxGuest: 4Gi}", [f"Invalid {GUEST}"]),
        ("memory: {guest: 1Gi, maxGuest: 4097Mi}", [f"Invalid {GUEST}"]),
        ("memory: {guest: 1Gi, maxGuest: 1026Mi, hugepages: {pageSize: 2Mi}}", []),
        ("memory: {guest: 1Gi, maxGuest: 1026Mi, hugepages: {pageSize: 1Gi}}", [f"Invalid {GUEST}"]),
        ("memory: {guest: 512Mi, maxGuest: 4Gi}", [f"Invalid {GUEST}"]),
    ],
)
def test_memory_that_can_grow(refused, domain, expected):
    assert refused(f"template.spec.domain: {{devices: {{}}, {domain}}}") == expected
    assert refused(f"template.spec.domain: {{devices: {{}}, {domain}}}", "vmRolloutStrategy: Stage") == []


def test_memory_grows_on_amd64_alone(refused):
    spec = "template.spec: {architecture: arm64, domain: {machine: {type: virt}, devices: {}, memory: %s}}"
    assert refused(spec % "{guest: 1Gi, maxGuest: 4Gi}") == [f"Invalid {GUEST}"]
    assert refused(spec % "{guest: 1Gi}") == []


def test_sockets_are_within_max_sockets_and_both_rules_say_so(refused):
    cpu = "template.spec.domain: {devices: {}, cpu: {sockets: %d, maxSockets: 2}}"
    sockets = "Invalid spec.template.spec.domain.cpu.sockets"
    assert refused(cpu % 2) == []
    assert refused(cpu % 3) == [sockets, sockets]


SOURCE = "source: {blank: {}}"
USED = "template.spec.volumes: [{name: v, dataVolume: {name: d}}]"


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (f"metadata: {{name: d}}, spec: {{storage: {{}}, {SOURCE}}}", []),
        ("metadata: {name: d}, spec: {pvc: {dataSource: {apiGroup: '', kind: PersistentVolumeClaim, name: s}}}", []),
        ("metadata: {name: d}, spec: {pvc: {}, sourceRef: {kind: DataSource, name: s}}", []),
        (f"metadata: {{name: other}}, spec: {{storage: {{}}, {SOURCE}}}", ["Required spec.dataVolumeTemplate[0]"]),
        (f"spec: {{storage: {{}}, {SOURCE}}}", ["Required spec.dataVolumeTemplate[0].name"]),
        (f"metadata: {{name: d}}, spec: {{{SOURCE}}}", ["Invalid spec.dataVolumeTemplate[0].PVC.Storage"]),
        (
            f"metadata: {{name: d}}, spec: {{pvc: {{}}, storage: {{}}, {SOURCE}}}",
            ["Invalid spec.dataVolumeTemplate[0].PVC.Storage"],
        ),
        ("metadata: {name: d}, spec: {storage: {}}", ["Invalid spec.dataVolumeTemplate[0].source.sourceRef"]),
        (
            f"metadata: {{name: d}}, spec: {{pvc: {{dataSourceRef: {{apiGroup: g, kind: K, name: s}}}}, {SOURCE}}}",
            ["Invalid spec.dataVolumeTemplate[0].source"],
        ),
        ("metadata: {name: d}, spec: {storage: {}, source: {}}", ["Invalid spec.dataVolumeTemplate[0].source"]),
        (
            "metadata: {name: d}, spec: {storage: {}, source: {blank: {}, upload: {}}}",
            ["Invalid spec.dataVolumeTemplate[0].source"],
        ),
    ],
)
def test_data_volume_templates(refused, template, expected):
    assert refused(f"{USED}\ndataVolumeTemplates: [{{{template}}}]") == expected


@pytest.mark.parametrize(
    ("namespace", "metadata", "expected"),
    [
        ("vms", {"namespace": "vms"}, []),
        ("default", {}, []),
        ("vms", {}, ["Invalid spec.dataVolumeTemplates[0]"]),
        ("default", {"namespace": "vms"}, ["Invalid spec.dataVolumeTemplates[0]"]),
    ],
)
def test_data_volumes_live_in_the_vms_namespace(refused, namespace, metadata, expected):
    template = f"{{metadata: {{name: d, namespace: {namespace}}}, spec: {{storage: {{}}, {SOURCE}}}}}"
    assert refused(f"{USED}\ndataVolumeTemplates: [{template}]", **metadata) == expected


def test_the_first_step_that_finds_something_is_the_last(refused):
    spec = "runStrategy: Sometimes\ntemplate.spec.domain.devices.interfaces: [{name: a, macvtap: {}}]"
    assert refused(spec, gates=["Macvtap"]) == ["NotSupported "]
    assert refused(spec) == ["Invalid spec.domain.devices.interfaces[0].macvtap"]


def test_the_template_has_no_labels_that_kubevirt_keeps(refused):
    metadata = "template.metadata.labels: {kubevirt.io/nodeName: n}"
    assert refused(metadata) == ["NotSupported spec.template.metadata.labels"]


@pytest.mark.parametrize(
    ("spec", "warnings"),
    [
        ("running: true", [("Deprecated", "spec.running", "is deprecated: use spec.runStrategy")]),
        ("running: false", [("Deprecated", "spec.running", "is deprecated: use spec.runStrategy")]),
        ("runStrategy: Always", []),
        (
            "{runStrategy: Always, template: {spec: {domain: {memory: {guest: 4}, devices: {}}}}}",
            [
                (
                    "Suspect",
                    "spec.template.spec.domain.memory.guest",
                    "4 is a memory of 4 bytes: give it a unit, such as 4Gi",
                )
            ],
        ),
    ],
)
def test_what_is_remarked_on_a_vm(spec, warnings):
    vm = convert({"spec": {"template": {"spec": {"domain": {"devices": {}}}}, **otheryaml.load(spec)}}, VirtualMachine)
    assert [(warning.type, warning.field, warning.message) for warning in vm_warnings(vm)] == warnings


def test_a_vm_that_is_updated_may_have_what_is_discontinued():
    spec = "{runStrategy: Always, template: {spec: {domain: {devices: {interfaces: [{name: a, %s: {}}]}}}}}"
    vm = convert({"metadata": {}, "spec": otheryaml.load(spec % "macvtap")}, VirtualMachine)
    binding = "spec.domain.devices.interfaces[0].macvtap"
    assert [cause.field for cause in admit_vm(vm, Cluster())] == [binding]
    assert binding not in {cause.field for cause in admit_vm(vm, Cluster(), updated=True)}


@pytest.mark.parametrize(
    ("templates", "hint"),
    [
        (["date"], "; did you mean 'data'?"),
        (["root"], ""),
        (["date", "data"], ""),
    ],
)
def test_a_template_that_nobody_uses_may_be_misspelt(templates, hint):
    listed = ", ".join(f"{{metadata: {{name: {name}}}, spec: {{storage: {{}}, {SOURCE}}}}}" for name in templates)
    volumes = "[{name: v, persistentVolumeClaim: {claimName: data}}]"
    template = f"{{spec: {{domain: {{devices: {{}}}}, volumes: {volumes}}}}}"
    vm = convert({"spec": otheryaml.load(f"{{dataVolumeTemplates: [{listed}], template: {template}}}")}, VirtualMachine)
    (cause,) = validate_data_volume_templates(vm.spec, "spec")
    assert cause.message == f"no volume of the template uses the DataVolume {templates[0]!r}{hint}"


@pytest.mark.parametrize(
    ("claim", "messages"),
    [
        ("pvc: {accessModes: [ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod]}", []),
        ("pvc: {accessModes: [ReadWriteOnce, Any]}", ["pvc.accessModes: 'Any' is no access mode"]),
        ("storage: {accessModes: [Any]}", ["storage.accessModes: 'Any' is no access mode"]),
        ("pvc: {dataSource: {kind: k, name: n}}", ["pvc.dataSource.apiGroup: must be set"]),
        ("pvc: {dataSource: {apiGroup: '', kind: k, name: n}}", []),
        ("storage: {dataSourceRef: {kind: k, name: n}}", ["storage.dataSourceRef.apiGroup: must be set"]),
    ],
)
def test_the_schema_of_data_volume_templates(claim, messages):
    spec = otheryaml.load(
        f"dataVolumeTemplates: [{{spec: {{{claim}}}}}]\ntemplate: {{spec: {{domain: {{devices: {{}}}}}}}}"
    )
    vm = convert({"metadata": {}, "spec": spec}, VirtualMachine)
    causes = [*validate_data_volume_schema(vm), *validate_mutated_data_volume_schema(vm)]
    assert [cause.message for cause in causes] == [
        f"spec.dataVolumeTemplates[0].spec.{message}" for message in messages
    ]
    assert {cause.field for cause in causes} <= {""}


def test_where_the_webhook_fails_nobody_learns_of_other_faults(refused):
    template = (
        "template: {spec: {domain: {devices: {}, memory: {guest: 1Gi, hugepages: {pageSize: '0'}}}, subdomain: '-'}}"
    )
    assert refused(f"{{runStrategy: Perhaps, {template}}}") == [" "]


def test_the_schema_is_looked_at_before_matchers():
    spec = "{dataVolumeTemplates: [{spec: {pvc: {accessModes: [Any]}}}], preference: {}, template: {spec: %s}}"
    spec %= "{domain: {devices: {}}}"
    vm = convert({"metadata": {"namespace": "default"}, "spec": otheryaml.load(spec)}, VirtualMachine)
    assert [cause.field for cause in mutate_vm(vm, Cluster())] == [""]


def test_managed_fields_of_a_data_volume_template_are_empty():
    spec = "{dataVolumeTemplates: [{metadata: {managedFields: [{fieldsV1: %s}]}, spec: {}}],"
    spec += " template: {spec: {domain: {devices: {}}}}}"
    for fields, refused in (("{}", 0), ("{'f:spec': {}}", 1)):
        vm = convert({"metadata": {}, "spec": otheryaml.load(spec % fields)}, VirtualMachine)
        assert len(list(validate_data_volume_schema(vm))) == refused
