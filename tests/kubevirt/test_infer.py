"""Instance type and preference inferred from the labels of what a volume comes from."""

import pytest
from reading import read, read_vm

from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.infer import infer_matchers

LABELS = {
    "instancetype.kubevirt.io/default-instancetype": "t",
    "instancetype.kubevirt.io/default-instancetype-kind": "VirtualMachineInstancetype",
    "instancetype.kubevirt.io/default-preference": "p",
}
INFER = "{instancetype: {inferFromVolume: root}, preference: {inferFromVolume: root}}"
IGNORE = (
    "{instancetype: {inferFromVolume: root, inferFromVolumeFailurePolicy: Ignore}, "
    "preference: {inferFromVolume: root, inferFromVolumeFailurePolicy: Ignore}}"
)
CLAIM = "volumes: [{name: root, persistentVolumeClaim: {claimName: claim}}]"
DATA_VOLUME = "volumes: [{name: root, dataVolume: {name: claim}}]"


def obj(kind, name="claim", namespace="default", labelled=True, spec="{}"):
    versions = {
        "PersistentVolumeClaim": "v1",
        "VolumeSnapshot": "snapshot.storage.k8s.io/v1",
    }
    manifest = {
        "apiVersion": versions.get(kind, "cdi.kubevirt.io/v1beta1"),
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace, "labels": LABELS if labelled else {}},
    }
    if kind != "VolumeSnapshot":
        manifest["spec"] = read(spec)
    return manifest


PVC, DV, DS, SNAPSHOT = "PersistentVolumeClaim", "DataVolume", "DataSource", "VolumeSnapshot"
FROM_SRC = "source: {pvc: {namespace: images, name: src}}"
FROM_SNAPSHOT = "source: {snapshot: {namespace: images, name: src}}"
REF = "sourceRef: {kind: DataSource, name: os, namespace: images}"
LOCAL_REF = "sourceRef: {kind: DataSource, name: os}"


def template(source):
    return f"{{dataVolumeTemplates: [{{metadata: {{name: claim}}, spec: {{{source}}}}}], {INFER[1:]}"


@pytest.mark.parametrize(
    ("vm", "volumes", "objects"),
    [
        pytest.param(INFER, CLAIM, [obj(PVC)], id="claim"),
        pytest.param(INFER, DATA_VOLUME, [obj(DV)], id="DataVolume"),
        pytest.param(INFER, DATA_VOLUME, [obj(PVC)], id="claim of a DataVolume that is gone"),
        pytest.param(
            INFER,
            DATA_VOLUME,
            [obj(DV, labelled=False, spec=FROM_SRC), obj(PVC, "src", "images")],
            id="DataVolume's source claim",
        ),
        pytest.param(
            INFER,
            DATA_VOLUME,
            [obj(DV, labelled=False, spec=FROM_SNAPSHOT), obj(SNAPSHOT, "src", "images")],
            id="DataVolume's source snapshot",
        ),
        pytest.param(
            INFER,
            DATA_VOLUME,
            [obj(DV, labelled=False, spec=REF), obj(DS, "os", "images")],
            id="DataVolume's DataSource",
        ),
        pytest.param(template(FROM_SRC), DATA_VOLUME, [obj(PVC, "src", "images")], id="template's source claim"),
        pytest.param(template(REF), DATA_VOLUME, [obj(DS, "os", "images")], id="template's DataSource"),
        pytest.param(template(LOCAL_REF), DATA_VOLUME, [obj(DS, "os")], id="DataSource in the VM's namespace"),
        pytest.param(
            template(REF),
            DATA_VOLUME,
            [obj(DS, "os", "images", labelled=False, spec=FROM_SRC), obj(PVC, "src", "images")],
            id="DataSource's claim",
        ),
        pytest.param(
            template(REF),
            DATA_VOLUME,
            [obj(DS, "os", "images", labelled=False, spec=FROM_SNAPSHOT), obj(SNAPSHOT, "src", "images")],
            id="DataSource's snapshot",
        ),
    ],
)
def test_infers(vm, volumes, objects):
    made = read_vm(vm, volumes)
    assert infer_matchers(made, Cluster(objects)) == []
    instancetype, preference = made.spec.instancetype, made.spec.preference
    assert (instancetype.name, instancetype.kind) == ("t", "VirtualMachineInstancetype")
    assert (preference.name, preference.kind) == ("p", "")
    assert not instancetype.infer_from_volume
    assert not preference.infer_from_volume


UNLABELLED = [
    pytest.param(INFER, CLAIM, [obj(PVC, labelled=False)], id="claim without labels"),
    pytest.param(INFER, CLAIM, [], id="claim that the input lacks"),
    pytest.param(INFER, DATA_VOLUME, [], id="DataVolume that the input lacks"),
    pytest.param(
        INFER, DATA_VOLUME, [obj(DV, labelled=False, spec="source: {blank: {}}")], id="DataVolume of something else"
    ),
    pytest.param(template("source: {http: {url: u}}"), DATA_VOLUME, [obj(PVC)], id="template of something else"),
    pytest.param(template("sourceRef: {kind: Other, name: os}"), DATA_VOLUME, [], id="reference to something else"),
    pytest.param(template(REF), DATA_VOLUME, [], id="DataSource that the input lacks"),
    pytest.param(
        template(REF),
        DATA_VOLUME,
        [obj(DS, "os", "images", labelled=False, spec="source: {dataSource: {namespace: images, name: other}}")],
        id="DataSource of a DataSource",
    ),
    pytest.param(INFER, "volumes: [{name: root, containerDisk: {image: i}}]", [], id="another kind of volume"),
]
ALWAYS_FATAL = [
    pytest.param(INFER, "{}", [], id="no such volume"),
    pytest.param(template(FROM_SNAPSHOT), DATA_VOLUME, [], id="no such snapshot"),
]


@pytest.mark.parametrize(("vm", "volumes", "objects"), [*UNLABELLED, *ALWAYS_FATAL])
def test_a_failure_refuses_the_vm(vm, volumes, objects):
    causes = infer_matchers(read_vm(vm, volumes), Cluster(objects))
    assert [(cause.type, cause.field) for cause in causes] == [("", "")]
    assert causes[0].message


def ignoring(vm):
    return vm.replace(INFER[1:], IGNORE[1:])


@pytest.mark.parametrize(("vm", "volumes", "objects"), UNLABELLED)
def test_a_failure_may_be_ignored(vm, volumes, objects):
    made = read_vm(ignoring(vm), f"{{{volumes}, domain: {{devices: {{}}, memory: {{guest: 1Gi}}}}}}")
    assert infer_matchers(made, Cluster(objects)) == []
    assert made.spec.instancetype is None
    assert made.spec.preference is None
    assert made.spec.template.spec.domain.memory is not None


@pytest.mark.parametrize(("vm", "volumes", "objects"), ALWAYS_FATAL)
def test_some_failures_cannot_be_ignored(vm, volumes, objects):
    assert infer_matchers(read_vm(ignoring(vm), volumes), Cluster(objects))


@pytest.mark.parametrize(
    ("vm", "kept"),
    [(INFER, True), (INFER.replace("root}", "root, inferFromVolumeFailurePolicy: Reject}"), True), (IGNORE, False)],
)
def test_memory_for_the_case_of_failure_gives_way(vm, kept):
    """Under `Ignore` a VM brings its own memory, which would conflict with what is inferred."""
    made = read_vm(vm, f"{{{CLAIM}, domain: {{devices: {{}}, memory: {{guest: 1Gi}}}}}}")
    assert infer_matchers(made, Cluster([obj(PVC)])) == []
    assert (made.spec.template.spec.domain.memory is not None) is kept


def test_matchers_that_name_are_left_alone():
    made = read_vm("{instancetype: {name: a, revisionName: r}, preference: {name: b, kind: k}}")
    before = read_vm("{instancetype: {name: a, revisionName: r}, preference: {name: b, kind: k}}")
    assert infer_matchers(made, Cluster([])) == []
    assert made == before


@pytest.mark.parametrize(
    ("matcher", "causes"),
    [
        ("{}", [("FieldValueNotFound", "")]),
        ("{kind: k}", [("FieldValueNotFound", "")]),
        ("{inferFromVolume: root, name: n}", [("FieldValueNotSupported", ".name")]),
        (
            "{inferFromVolume: root, name: n, kind: k, inferFromVolumeFailurePolicy: x}",
            [
                ("FieldValueNotSupported", ".name"),
                ("FieldValueNotSupported", ".kind"),
                ("FieldValueInvalid", ".inferFromVolumeFailurePolicy"),
            ],
        ),
        ("{name: n, inferFromVolumeFailurePolicy: ''}", [("FieldValueInvalid", ".inferFromVolumeFailurePolicy")]),
    ],
)
@pytest.mark.parametrize("path", ["instancetype", "preference"])
def test_what_a_matcher_may_say(path, matcher, causes):
    found = infer_matchers(read_vm(f"{path}: {matcher}", CLAIM), Cluster([]))
    assert [(cause.type, cause.field) for cause in found] == [(kind, f"spec.{path}{field}") for kind, field in causes]


def test_the_instance_types_matcher_is_looked_at_first():
    causes = infer_matchers(read_vm("{instancetype: {}, preference: {}}"), Cluster([]))
    assert [cause.field for cause in causes] == ["spec.instancetype"]


SOURCE = """
apiVersion: cdi.kubevirt.io/v1beta1
kind: DataSource
metadata: {name: image, ANNOTATIONS}
spec: {source: {}}
"""


def inferring(*objects):
    vm = read_vm(
        "{instancetype: {inferFromVolume: root}, dataVolumeTemplates: "
        "[{metadata: {name: disk}, spec: {sourceRef: {kind: DataSource, name: image}}}]}",
        "{domain: {devices: {}}, volumes: [{name: root, dataVolume: {name: disk}}]}",
    )
    (cause,) = infer_matchers(vm, Cluster(objects))
    return cause.message


def test_a_data_source_that_was_not_given_is_said_to_be_missing():
    assert "DataSource default/image is not among the files" in inferring()
    assert "has no label instancetype.kubevirt.io/default-instancetype" in inferring(
        read(SOURCE.replace(", ANNOTATIONS", ""))
    )


@pytest.mark.parametrize("name", ["default-instancetype", "defaultInstancetype"])
def test_an_annotation_that_a_label_has_replaced_gets_a_hint(name):
    key = f"instancetype.kubevirt.io/{name}"
    said = inferring(read(SOURCE.replace("ANNOTATIONS", f"annotations: {{{key}: small}}")))
    assert f"its annotation {key} counts for nothing" in said


def test_a_claim_that_was_not_given_is_said_to_be_missing():
    vm = read_vm(
        "{preference: {inferFromVolume: root}}",
        "{domain: {devices: {}}, volumes: [{name: root, persistentVolumeClaim: {claimName: disk}}]}",
    )
    (cause,) = infer_matchers(vm, Cluster())
    assert "PersistentVolumeClaim default/disk is not among the files" in cause.message
