"""What a cluster takes from manifests, and how it finds it."""

import pytest
from answering import expand
from reading import read, read_vm

from virtcatalog.errors import ManifestError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.hosts import HOSTS

PVC = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk, namespace: blue, labels: {a: b}}
spec: {resources: {requests: {storage: 10Gi}}}
status: {phase: Bound, capacity: {storage: 11Gi}}
"""
INSTANCETYPE = """
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: small}
spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
"""
PRESET = """
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstancePreset
metadata: {name: fast, namespace: blue}
spec: {selector: {}, domain: {devices: {}}}
"""


def test_an_empty_cluster_finds_nothing():
    cluster = Cluster()
    assert cluster.pvc("default", "disk") is None
    assert cluster.presets("default") == ()
    assert (cluster.architecture, cluster.host) == ("amd64", HOSTS["reference"])


def test_objects_are_found_by_kind_namespace_and_name():
    cluster = Cluster(map(read, (PVC, INSTANCETYPE, PRESET)))
    assert cluster.pvc("blue", "disk").metadata.labels == {"a": "b"}
    assert cluster.pvc("default", "disk") is None
    assert cluster.data_volume("blue", "disk") is None
    assert cluster.instancetype("VirtualMachineClusterInstancetype", "", "small").spec.cpu.guest == 1
    assert cluster.instancetype("VirtualMachineInstancetype", "", "small") is None
    assert [preset.metadata.name for preset in cluster.presets("blue")] == ["fast"]


def test_a_claim_keeps_its_status():
    assert str(Cluster([read(PVC)]).pvc("blue", "disk").status.capacity["storage"]) == "11Gi"


@pytest.mark.parametrize(
    ("manifest", "look_up"),
    [
        ("{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: x}, revision: 0}", "controller_revision"),
        (
            "{apiVersion: cdi.kubevirt.io/v1beta1, kind: DataSource, metadata: {name: x}, spec: {source: {}}}",
            "data_source",
        ),
        ("{apiVersion: cdi.kubevirt.io/v1beta1, kind: DataVolume, metadata: {name: x}, spec: {}}", "data_volume"),
        (
            "{apiVersion: snapshot.storage.k8s.io/v1, kind: VolumeSnapshot, metadata: {name: x}, spec: {any: 1}}",
            "volume_snapshot",
        ),
    ],
)
def test_an_object_without_a_namespace_is_in_default(manifest, look_up):
    find = getattr(Cluster([read(manifest)]), look_up)
    assert find("default", "x").metadata.name == "x"
    assert find("elsewhere", "x") is None


@pytest.mark.parametrize("kind", ["Instancetype", "Preference"])
def test_objects_for_every_namespace_are_in_none(kind):
    spec = {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}} if kind == "Instancetype" else {}
    manifest = {"apiVersion": "instancetype.kubevirt.io/v1beta1", "metadata": {"name": "small"}, "spec": spec}
    wide, narrow = f"VirtualMachineCluster{kind}", f"VirtualMachine{kind}"
    cluster = Cluster([{**manifest, "kind": wide}, {**manifest, "kind": narrow}])
    assert cluster.names(wide, "blue") == ["small"]
    assert cluster.names(narrow, "default") == ["small"]
    assert cluster.names(narrow, "blue") == []


def test_a_namespace_is_found_by_its_name():
    cluster = Cluster([read("{apiVersion: v1, kind: Namespace, metadata: {name: blue, labels: {team: b}}}")])
    assert cluster.namespace_labels("blue") == {"team": "b", "kubernetes.io/metadata.name": "blue"}
    assert cluster.namespace_labels("green") == {"kubernetes.io/metadata.name": "green"}


def test_of_two_objects_with_one_identity_the_later_counts():
    first, second = read(PRESET), read(PRESET)
    second["metadata"]["labels"] = {"which": "second"}
    assert [preset.metadata.labels for preset in Cluster([first, second]).presets("blue")] == [{"which": "second"}]


def test_other_kinds_are_kept():
    service = read("{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {whatever: true}}")
    assert Cluster([service]).others == (service,)


def test_the_kubevirt_cr_configures_the_cluster():
    kubevirt = """
    apiVersion: kubevirt.io/v1
    kind: KubeVirt
    metadata: {name: kubevirt, namespace: kubevirt, annotations: {kubevirt.io/vga-display-efi-x86: ""}}
    spec: {configuration: {cpuModel: Haswell, developerConfiguration: {featureGates: [HostDisk]}}}
    """
    configuration = Cluster([read(kubevirt)], architecture="arm64").configuration
    assert configuration.cpu_model == "Haswell"
    assert configuration.feature_gate("HostDisk")
    assert configuration.vga_display_for_efi_guests
    assert configuration.default_architecture == "arm64"


def test_every_problem_of_every_manifest_is_reported():
    bad_claim, bad_type = read(PVC), read(INSTANCETYPE)
    bad_claim["spec"]["accessModes"] = "ReadWriteOnce"
    bad_type["spec"]["cpu"]["guest"] = "many"
    bad_type["spec"]["memory"]["guest"] = "lots"
    with pytest.raises(ManifestError) as caught:
        Cluster([bad_claim, bad_type, None, {"kind": "VirtualMachine"}])
    places = [(problem.object, problem.field) for problem in caught.value.problems]
    assert ("PersistentVolumeClaim/blue/disk", "spec.accessModes") in places
    assert ("VirtualMachineClusterInstancetype/small", "spec.cpu.guest") in places
    assert ("VirtualMachineClusterInstancetype/small", "spec.memory.guest") in places
    assert len(places) == 5


def test_the_manifests_are_left_as_they_are():
    manifests = [read(PVC), read(PRESET)]
    Cluster(manifests)
    assert manifests == [read(PVC), read(PRESET)]


NEWER = """
apiVersion: cdi.kubevirt.io/v1beta1
kind: DataVolume
metadata: {name: disk}
spec:
  serviceAccountName: importer
  source: {http: {url: "https://example.org/x.qcow2", checksum: "sha256:00"}}
  storage: {resources: {requests: {storage: 3Gi}}}
"""


def test_what_others_write_loses_its_unknown_fields_and_says_so():
    kubevirt = {"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": {"name": "kubevirt"}}
    kubevirt["spec"] = {"configuration": {"cpuModel": "Haswell", "brandNew": {"x": 1}}}
    cluster = Cluster([read(NEWER), kubevirt])
    assert cluster.data_volume("default", "disk").spec.storage.resources.requests["storage"].value == 3 * 2**30
    assert cluster.configuration.cpu_model == "Haswell"
    warnings = [(warning.type, warning.object, warning.field) for warning in cluster.warnings]
    assert warnings == [
        ("Pruned", "DataVolume/disk", "spec.serviceAccountName"),
        ("Pruned", "DataVolume/disk", "spec.source.http.checksum"),
        ("Pruned", "KubeVirt/kubevirt", "spec.configuration.brandNew"),
    ]
    assert "unknown field 'checksum'" in cluster.warnings[1].message


def test_a_vm_is_told_of_what_was_left_out_of_the_objects_that_it_names():
    vm = """
    apiVersion: kubevirt.io/v1
    kind: VirtualMachine
    metadata: {name: web}
    spec:
      runStrategy: Always
      template:
        spec:
          domain: {memory: {guest: 1Gi}, devices: {}}
          volumes: [{name: root, VOLUME}]
    """
    cluster = Cluster([read(NEWER)])
    naming = expand(read(vm.replace("VOLUME", "dataVolume: {name: disk}")), cluster)
    assert [warning.object for warning in naming.warnings] == ["DataVolume/disk", "DataVolume/disk"]
    other = expand(read(vm.replace("VOLUME", "dataVolume: {name: another}")), cluster)
    assert naming.admitted
    assert other.admitted
    assert other.warnings == ()


def test_what_its_user_writes_stays_strict():
    instancetype = read(INSTANCETYPE)
    instancetype["spec"]["brandNew"] = 1
    with pytest.raises(ManifestError, match="brandNew"):
        Cluster([instancetype])


def test_a_cluster_does_not_change():
    with pytest.raises(AttributeError) as error:
        Cluster().configuration = None
    assert str(error.value) == "a Cluster does not change: make another one with another configuration"


def test_a_cluster_without_some_of_its_presets():
    other = read(PRESET)
    other["metadata"]["name"] = "slow"
    cluster = Cluster([read(PRESET), other])
    assert [preset.metadata.name for preset in cluster.without_presets("fast").presets("blue")] == ["slow"]
    assert cluster.without_presets("fast", "slow").presets("blue") == ()
    assert [preset.metadata.name for preset in cluster.presets("blue")] == ["fast", "slow"]


def test_a_cluster_without_its_configuration():
    kubevirt = {"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": {"name": "kubevirt"}}
    kubevirt["spec"] = {"configuration": {"cpuModel": "Haswell"}}
    cluster = Cluster([kubevirt, read(PVC)], release="v1.8.4", architecture="arm64")
    plain = cluster.without_configuration()
    assert (plain.configuration.cpu_model, plain.release.name, plain.architecture) == ("", "v1.8.4", "arm64")
    assert plain.configuration.default_architecture == "arm64"
    assert plain.pvc("blue", "disk") is not None
    assert cluster.configuration.cpu_model == "Haswell"


def test_a_cluster_with_further_revisions_computes_nothing_again():
    revision = read("{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: r}, revision: 0}")
    cluster, calls = Cluster([revision]), []

    def number(of):
        calls.append(of)
        return len(calls)

    stored = cluster.controller_revision("default", "r")
    assert (cluster.computed(number), cluster.computed(number)) == (1, 1)
    more = cluster.with_revisions({("blue", "s"): stored, ("default", "r"): None})
    assert more.controller_revision("blue", "s") is stored
    assert more.controller_revision("default", "r") is None
    assert cluster.controller_revision("blue", "s") is None
    assert more.computed(number) == 1
    assert cluster.without_presets().computed(number) == 2


def test_what_a_cluster_is_asked_for_can_be_watched():
    cluster, lookups = Cluster([read(PVC), read(INSTANCETYPE)]), set()
    watched = cluster.watched(lookups)
    assert watched.pvc("blue", "disk") is cluster.pvc("blue", "disk")
    assert watched.data_volume("blue", "none") is None
    assert watched.names("VirtualMachineClusterInstancetype", "blue") == ["small"]
    assert lookups == {("PersistentVolumeClaim", "blue", "disk"), ("DataVolume", "blue", "none")}


@pytest.mark.parametrize(
    ("manifest", "limits"),
    [
        ("{apiVersion: v1, kind: Node, metadata: {name: n}}", True),
        ("{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}}", True),
        ("{apiVersion: v1, kind: LimitRange, metadata: {name: l}}", True),
        ("{apiVersion: aaq.kubevirt.io/v1alpha1, kind: ApplicationAwareResourceQuota, metadata: {name: a}}", True),
        ("{apiVersion: aaq.kubevirt.io/v1alpha1, kind: AAQ, metadata: {name: a}}", False),
        ("{apiVersion: v1, kind: Namespace, metadata: {name: n}}", False),
    ],
)
def test_objects_that_limit_pods(manifest, limits):
    cluster = Cluster([read(manifest)])
    assert cluster.limits_pods is limits
    limiting = [
        *cluster.nodes,
        *cluster.quotas,
        *cluster.limit_ranges,
        *cluster.application_quotas,
        *([cluster.application_quota_configuration] if cluster.application_quota_configuration else []),
        *([1] if cluster.has_namespace("n") else []),
    ]
    assert len(limiting) == 1


def test_the_node_that_a_vm_runs_on():
    vmi = """
    apiVersion: kubevirt.io/v1
    kind: VirtualMachineInstance
    metadata: {name: web}
    spec: {domain: {devices: {}}}
    """
    assert Cluster([{**read(vmi), "status": {"nodeName": "n1"}}]).node_of("default", "web") == "n1"
    assert Cluster([read(vmi)]).node_of("default", "web") == ""
    assert Cluster().node_of("default", "web") == ""


def test_a_vm_is_told_of_each_kind_of_object_that_it_names():
    def pruned(kind, name, spec, version="cdi.kubevirt.io/v1beta1"):
        return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": {**spec, "brandNew": 1}}

    claim = {"resources": {"requests": {"storage": "1Gi"}}}
    kubevirt = pruned("KubeVirt", "kubevirt", {}, "kubevirt.io/v1")
    objects = [
        kubevirt,
        pruned("DataVolume", "a", {}),
        pruned("PersistentVolumeClaim", "b", claim, "v1"),
        pruned("PersistentVolumeClaim", "a", claim, "v1"),
        pruned("DataSource", "c", {"source": {}}),
        pruned("DataVolume", "d", {}),
        pruned("DataSource", "e", {"source": {}}),
    ]
    spec = """
    dataVolumeTemplates: [{metadata: {name: t}, spec: {sourceRef: {kind: DataSource, name: c}}}]
    """
    volumes = "volumes: [{name: v, dataVolume: {name: a}}, {name: w, persistentVolumeClaim: {claimName: b}}]"
    warnings = Cluster(objects).warnings_about(read_vm(spec, volumes))
    assert [warning.object for warning in warnings] == [
        "KubeVirt/kubevirt",
        "DataVolume/a",
        "PersistentVolumeClaim/a",
        "PersistentVolumeClaim/b",
        "DataSource/c",
    ]
    assert Cluster().warnings_about(read_vm(spec, volumes)) == []
