"""Instance type and preference inferred from the labels of what a volume comes from."""

import pytest
from reading import read, read_vm

from virtcatalog.errors import Cause
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
    inferred = read_vm(vm, volumes)
    assert infer_matchers(inferred, Cluster(objects)) == []
    instancetype, preference = inferred.spec.instancetype, inferred.spec.preference
    assert (instancetype.name, instancetype.kind) == ("t", "VirtualMachineInstancetype")
    assert (preference.name, preference.kind) == ("p", "")
    assert not instancetype.infer_from_volume
    assert not preference.infer_from_volume


TYPE_LABEL = "instancetype.kubevirt.io/default-instancetype"
SOURCE_OF_SOURCE = "source: {dataSource: {namespace: images, name: other}}"
UNLABELLED = [
    (INFER, CLAIM, [obj(PVC, labelled=False)], f"PersistentVolumeClaim default/claim has no label {TYPE_LABEL}"),
    (INFER, CLAIM, [], "PersistentVolumeClaim default/claim is not among the files: nothing to infer"),
    (INFER, DATA_VOLUME, [], "PersistentVolumeClaim default/claim is not among the files: nothing to infer"),
    (
        INFER,
        DATA_VOLUME,
        [obj(DV, labelled=False, spec="source: {blank: {}}")],
        "the DataVolume's source is no claim, snapshot or DataSource: nothing to infer",
    ),
    (
        template("source: {http: {url: u}}"),
        DATA_VOLUME,
        [obj(PVC)],
        "the DataVolume's source is no claim, snapshot or DataSource: nothing to infer",
    ),
    (
        template("sourceRef: {kind: Other, name: os}"),
        DATA_VOLUME,
        [],
        "the DataVolume's sourceRef is of kind 'Other', not DataSource",
    ),
    (template(REF), DATA_VOLUME, [], "DataSource images/os is not among the files: nothing to infer"),
    (
        template(REF),
        DATA_VOLUME,
        [obj(DS, "os", "images", labelled=False, spec=SOURCE_OF_SOURCE)],
        f"DataSource images/os has no label {TYPE_LABEL} and no claim or snapshot as its source",
    ),
    (
        template(REF),
        DATA_VOLUME,
        [obj(DS, "os", "images", labelled=False, spec=FROM_SNAPSHOT), obj(SNAPSHOT, "src", "images", labelled=False)],
        f"VolumeSnapshot images/src has no label {TYPE_LABEL}",
    ),
    (
        INFER,
        "volumes: [{name: root, containerDisk: {image: i}}]",
        [],
        "volume 'root' is neither a persistentVolumeClaim nor a dataVolume: nothing to infer",
    ),
]
ALWAYS_FATAL = [
    (INFER, "{}", [], "there is no volume 'root' to infer from"),
    (INFER, CLAIM.replace("root", "other"), [obj(PVC)], "there is no volume 'root' to infer from"),
    (template(FROM_SNAPSHOT), DATA_VOLUME, [], "VolumeSnapshot images/src does not exist"),
]


@pytest.mark.parametrize(("vm", "volumes", "objects", "message"), [*UNLABELLED, *ALWAYS_FATAL])
def test_a_failure_refuses_the_vm(vm, volumes, objects, message):
    assert infer_matchers(read_vm(vm, volumes), Cluster(objects)) == [Cause("", "", message)]


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        (
            [obj(DV, labelled=False, spec=FROM_SNAPSHOT), obj(SNAPSHOT, "src", "images")],
            "the DataVolume's source is no claim or DataSource: nothing to infer",
        ),
        (
            [obj(DV, labelled=False, spec=REF), obj(DS, "os", "images", labelled=False, spec=FROM_SNAPSHOT)],
            f"DataSource images/os has no label {TYPE_LABEL} and no claim as its source",
        ),
    ],
)
def test_older_releases_do_not_infer_from_snapshots(objects, message):
    causes = infer_matchers(read_vm(INFER, DATA_VOLUME), Cluster(objects, release="v1.8.4"))
    assert causes == [Cause("", "", message)]


def ignoring(vm):
    return vm.replace(INFER[1:], IGNORE[1:])


@pytest.mark.parametrize(("vm", "volumes", "objects"), [failure[:3] for failure in UNLABELLED])
def test_a_failure_may_be_ignored(vm, volumes, objects):
    inferred = read_vm(ignoring(vm), f"{{{volumes}, domain: {{devices: {{}}, memory: {{guest: 1Gi}}}}}}")
    assert infer_matchers(inferred, Cluster(objects)) == []
    assert inferred.spec.instancetype is None
    assert inferred.spec.preference is None
    assert inferred.spec.template.spec.domain.memory is not None


@pytest.mark.parametrize(("vm", "volumes", "objects", "message"), ALWAYS_FATAL)
def test_some_failures_cannot_be_ignored(vm, volumes, objects, message):
    assert infer_matchers(read_vm(ignoring(vm), volumes), Cluster(objects)) == [Cause("", "", message)]


@pytest.mark.parametrize(
    ("vm", "stays"),
    [(INFER, True), (INFER.replace("root}", "root, inferFromVolumeFailurePolicy: Reject}"), True), (IGNORE, False)],
)
def test_memory_for_the_case_of_failure_gives_way(vm, stays):
    """Under `Ignore` a VM brings its own memory, which would conflict with what is inferred."""
    inferred = read_vm(vm, f"{{{CLAIM}, domain: {{devices: {{}}, memory: {{guest: 1Gi}}}}}}")
    assert infer_matchers(inferred, Cluster([obj(PVC)])) == []
    assert (inferred.spec.template.spec.domain.memory is not None) is stays


def test_matchers_that_name_are_left_alone():
    inferred = read_vm("{instancetype: {name: a, revisionName: r}, preference: {name: b, kind: k}}")
    before = read_vm("{instancetype: {name: a, revisionName: r}, preference: {name: b, kind: k}}")
    assert infer_matchers(inferred, Cluster([])) == []
    assert inferred == before


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
    refused = infer_matchers(read_vm(f"{path}: {matcher}", CLAIM), Cluster([]))
    assert [(cause.type, cause.field) for cause in refused] == [(kind, f"spec.{path}{field}") for kind, field in causes]


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


@pytest.mark.parametrize(
    ("annotations", "hint"),
    [
        ("", ""),
        (", annotations: {instancetype.kubevirt.io/default-preference: p}", ""),
        *(
            (
                f", annotations: {{{key}: small}}",
                f" (its annotation {key} counts for nothing: labels have replaced annotations)",
            )
            for key in (TYPE_LABEL, "instancetype.kubevirt.io/defaultInstancetype")
        ),
    ],
)
def test_an_annotation_that_a_label_has_replaced_gets_a_hint(annotations, hint):
    assert inferring(read(SOURCE.replace(", ANNOTATIONS", annotations))) == (
        f"DataSource default/image has no label {TYPE_LABEL}{hint} and no claim or snapshot as its source"
    )


def test_the_vms_namespace_is_that_of_its_claims():
    vm = read_vm(INFER, CLAIM)
    vm.metadata.namespace = "team"
    assert infer_matchers(vm, Cluster([obj(PVC, namespace="team"), obj(PVC, labelled=False)])) == []


def test_only_the_template_of_that_name_counts():
    templates = "dataVolumeTemplates: [{metadata: {name: other}, spec: {source: {blank: {}}}}]"
    vm = read_vm(f"{{{templates}, {INFER[1:]}", DATA_VOLUME)
    assert infer_matchers(vm, Cluster([obj(PVC)])) == []


def test_a_missing_instance_type_is_told_before_a_missing_preference():
    """Nothing is inferred for the preference once the instance type has failed."""
    vm = read_vm("{instancetype: {inferFromVolume: a}, preference: {inferFromVolume: b}}")
    assert infer_matchers(vm, Cluster()) == [Cause("", "", "there is no volume 'a' to infer from")]
    vm = read_vm("{instancetype: {name: t}, preference: {inferFromVolume: b}}")
    assert infer_matchers(vm, Cluster()) == [Cause("", "", "there is no volume 'b' to infer from")]
