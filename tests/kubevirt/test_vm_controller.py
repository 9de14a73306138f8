"""The VirtualMachineInstance that virt-controller makes of a VirtualMachine."""

import pytest
from aliasing import scribble
from reading import read, read_vm

from virtcatalog.api.decode import to_manifest
from virtcatalog.kubevirt.admission.vm import admit_vm
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.controller.vm import ControllerError, expand_instancetype, start_vmi, sync_instancetype
from virtcatalog.kubevirt.defaults.webhooks import mutate_vmi

VERSION = "instancetype.kubevirt.io/v1beta1"
INSTANCETYPE = {
    "apiVersion": VERSION,
    "kind": "VirtualMachineClusterInstancetype",
    "metadata": {"name": "small"},
    "spec": {"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}},
}
VOLUMES = "volumes: [{name: root, containerDisk: {image: i}}]"


def preference(spec):
    return {
        "apiVersion": VERSION,
        "kind": "VirtualMachineClusterPreference",
        "metadata": {"name": "linux"},
        "spec": read(spec),
    }


def revision(labels):
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {"name": "r", "namespace": "default", "labels": labels},
        "revision": 0,
        "data": {**INSTANCETYPE, "metadata": {"name": "small", "uid": "u", "generation": 1}},
    }


def kubevirt(configuration):
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt"},
        "spec": {"configuration": read(configuration)},
    }


def start(spec="{}", template="{}", *objects):
    return start_vmi(read_vm(spec, template), Cluster(objects))


def test_the_vmi_has_the_vms_name_and_the_templates_labels_and_annotations():
    vm = read_vm()
    vm.metadata.namespace, vm.metadata.labels = "blue", {"vm": "only"}
    template = vm.spec.template.metadata
    template.labels, template.annotations = {"a": "b"}, {"c": "d", "kubevirt.io/vm-generation": "7"}
    template.name, template.generate_name = "ignored", "ignored-"
    metadata = start_vmi(vm, Cluster()).metadata
    assert (metadata.name, metadata.namespace, metadata.generate_name) == ("vm", "blue", "")
    assert metadata.labels == {"a": "b"}
    assert metadata.annotations == {"c": "d", "kubevirt.io/vm-generation": "1"}
    assert [(owner.kind, owner.name, owner.controller) for owner in metadata.owner_references] == [
        ("VirtualMachine", "vm", True)
    ]


def test_the_whole_vmi(snapshot):
    vm = read_vm("{instancetype: {name: small}, preference: {name: linux}}", VOLUMES)
    vm.metadata.namespace = "blue"
    vm.spec.template.metadata.finalizers = ["own"]
    assert to_manifest(start_vmi(vm, Cluster([INSTANCETYPE, preference("{}")]))) == snapshot


def test_identities_are_those_of_the_vm():
    assert start().metadata.uid == start().metadata.uid
    vm = read_vm()
    vm.metadata.uid = "known"
    assert start_vmi(vm, Cluster()).metadata.owner_references[0].uid == "known"


def test_the_vm_is_left_as_it_is_whatever_becomes_of_its_vmi():
    vm = read_vm(
        "{instancetype: {name: small}, runStrategy: Always}", VOLUMES + "\nlivenessProbe: {guestAgentPing: {}}"
    )
    cluster, before = Cluster([INSTANCETYPE]), to_manifest(vm)
    assert admit_vm(vm, cluster) == []
    vmi = start_vmi(vm, cluster)
    vmi.metadata.labels["x"] = "y"
    assert mutate_vmi(vmi, cluster) == []
    scribble(vmi.spec.domain)
    assert to_manifest(vm) == before
    assert vmi.spec.volumes[0].container_disk.image_pull_policy
    assert vmi.spec.liveness_probe.timeout_seconds


def test_the_vmis_of_one_vm_share_nothing_that_their_webhooks_change():
    vm, cluster = read_vm("{}", VOLUMES), Cluster()
    before, first, second = to_manifest(vm), start_vmi(vm, cluster), start_vmi(vm, cluster)
    assert mutate_vmi(first, cluster) == mutate_vmi(second, cluster) == []
    assert to_manifest(first) == to_manifest(second)
    assert first.metadata.finalizers == [
        "kubevirt.io/virtualMachineControllerFinalize",
        "kubevirt.io/foregroundDeleteVirtualMachine",
    ]
    scribble(first.spec.domain)
    assert to_manifest(first) != to_manifest(second)
    assert to_manifest(vm) == before


@pytest.mark.parametrize(("strategy", "annotated"), [("WaitAsReceiver", True), ("Always", False)])
def test_a_vm_that_waits_as_receiver(strategy, annotated):
    annotations = start(f"runStrategy: {strategy}").metadata.annotations
    assert ("kubevirt.io/create-migration-target" in annotations) is annotated


def test_volumes_get_their_disks_before_the_preference_is_applied():
    spec = start("{preference: {name: linux}}", VOLUMES, preference("devices: {preferredDiskBus: virtio}")).spec
    assert to_manifest(spec.domain.devices.disks[0]) == {"name": "root", "disk": {"bus": "virtio"}}


@pytest.mark.parametrize(
    ("template", "prefer", "inputs"),
    [
        ("{}", "{}", []),
        ("{domain: {devices: {autoattachInputDevice: true}}}", "{}", [("default-0", "", "")]),
        ("{domain: {devices: {autoattachInputDevice: false}}}", "{preferredAutoattachInputDevice: true}", []),
        ("{}", "{preferredAutoattachInputDevice: true}", [("default-0", "", "")]),
        (
            "{}",
            "{preferredAutoattachInputDevice: true, preferredInputBus: virtio, preferredInputType: tablet}",
            [("default-0", "tablet", "virtio")],
        ),
        (
            "{domain: {devices: {autoattachInputDevice: true, inputs: [{name: a, type: tablet, bus: usb}]}}}",
            "{}",
            [("a", "tablet", "usb")],
        ),
    ],
)
def test_input_device(template, prefer, inputs):
    vmi = start("preference: {name: linux}", template, preference(f"devices: {prefer}"))
    assert [(device.name, device.type, device.bus) for device in vmi.spec.domain.devices.inputs] == inputs


def test_a_preference_against_the_pod_interface_is_heard_before_it_is_attached():
    vmi = start("preference: {name: linux}", "{}", preference("devices: {preferredAutoattachPodInterface: false}"))
    assert vmi.spec.networks == []
    assert start().spec.networks[0].name == "default"


def test_instance_type_and_preference_are_applied_and_noted():
    vmi = start("{instancetype: {name: small}, preference: {name: linux}}", "{}", INSTANCETYPE, preference("{}"))
    assert vmi.spec.domain.cpu.sockets == 2
    assert vmi.metadata.annotations["kubevirt.io/cluster-instancetype-name"] == "small"
    assert vmi.metadata.annotations["kubevirt.io/cluster-preference-name"] == "linux"


@pytest.mark.parametrize(
    ("spec", "template", "configuration"),
    [
        ("instancetype: {name: missing}", "{}", "{}"),
        ("preference: {name: missing}", "{}", "{}"),
        ("instancetype: {name: small, kind: Odd}", "{}", "{}"),
        ("instancetype: {name: small}", "{domain: {devices: {}, cpu: {sockets: 2}}}", "{}"),
        ("{}", "{}", "network: {permitBridgeInterfaceOnPodNetwork: false}"),
        ("{}", "{domain: {devices: {interfaces: [{name: a, slirp: {}}]}}}", "{}"),
    ],
)
def test_what_virt_controller_cannot_start(spec, template, configuration, snapshot):
    with pytest.raises(ControllerError) as error:
        start(spec, template, INSTANCETYPE, kubevirt(configuration))
    assert [str(error.value), *(f"{cause.type} {cause}" for cause in error.value.causes)] == snapshot


@pytest.mark.parametrize("policy", ["expand", "expandAll"])
def test_a_reference_policy_can_expand_the_vm_for_good(policy):
    cluster = Cluster([INSTANCETYPE, kubevirt(f"instancetype: {{referencePolicy: {policy}}}")])
    vm = read_vm("instancetype: {name: small}", VOLUMES)
    expanded = sync_instancetype(vm, cluster)
    assert expanded.spec.instancetype is None
    assert expanded.spec.template.spec.domain.cpu.sockets == 2
    assert [disk.name for disk in expanded.spec.template.spec.domain.devices.disks] == ["root"]
    assert vm.spec.instancetype.name == "small"
    assert vm.spec.template.spec.domain.cpu is None
    assert "kubevirt.io/cluster-instancetype-name" not in start_vmi(expanded, cluster).metadata.annotations


def test_the_whole_vm_that_is_expanded(snapshot):
    vm = read_vm("{instancetype: {name: small}, preference: {name: linux}}", VOLUMES)
    objects = INSTANCETYPE, preference("{devices: {preferredDiskBus: virtio}}")
    assert to_manifest(expand_instancetype(vm, Cluster(objects))) == snapshot
    plain = read_vm()
    assert expand_instancetype(plain, Cluster(objects)) is plain
    assert sync_instancetype(plain, Cluster([kubevirt("instancetype: {referencePolicy: expand}")])) is plain


def test_by_default_the_vm_keeps_its_reference():
    vm = read_vm("instancetype: {name: small}")
    assert sync_instancetype(vm, Cluster([INSTANCETYPE])) is vm


@pytest.mark.parametrize("policy", ["reference", "expand", "expandAll"])
def test_a_missing_instance_type_stops_the_controller_under_every_policy(policy):
    cluster = Cluster([kubevirt(f"instancetype: {{referencePolicy: {policy}}}")])
    with pytest.raises(ControllerError, match="missing"):
        start_vmi(sync_instancetype(read_vm("instancetype: {name: missing}"), cluster), cluster)


@pytest.mark.parametrize("labels", [{}, {f"{VERSION.split('/')[0]}/object-version": "v1alpha2"}])
def test_a_revision_without_the_label_of_its_version_is_replaced_and_then_missing(labels):
    vm = read_vm("{instancetype: {name: small, revisionName: r}}")
    vm.metadata.namespace = "default"
    with pytest.raises(ControllerError) as caught:
        sync_instancetype(vm, Cluster([revision(labels)]))
    assert [cause.field for cause in caught.value.causes] == ["spec.instancetype.revisionName"]
    labelled = revision({f"{VERSION.split('/')[0]}/object-version": "v1beta1"})
    assert sync_instancetype(vm, Cluster([labelled])) is vm
    expand = kubevirt("instancetype: {referencePolicy: expand}")
    assert sync_instancetype(vm, Cluster([revision(labels), expand])).spec.instancetype is None
