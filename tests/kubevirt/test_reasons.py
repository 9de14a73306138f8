"""Why a VM is refused: at which field of its manifest, and where the value comes from when it does not say it."""

import pickle

import pytest
from answering import expand
from reading import read

from virtcatalog import Cluster, UnsupportedError
from virtcatalog.api.decode import to_manifest
from virtcatalog.errors import Cause
from virtcatalog.kubevirt import reasons
from virtcatalog.kubevirt.reasons import field_in_template, field_of_holder, field_of_vm

OBJECTS = """
- apiVersion: instancetype.kubevirt.io/v1beta1
  kind: VirtualMachineClusterInstancetype
  metadata: {name: realtime}
  spec: {cpu: {guest: 2, realtime: {}}, memory: {guest: 2Gi}}
- apiVersion: instancetype.kubevirt.io/v1beta1
  kind: VirtualMachineClusterInstancetype
  metadata: {name: small}
  spec: {cpu: {guest: 2}, memory: {guest: 2Gi}, annotations: {example.org/from: type}}
- apiVersion: instancetype.kubevirt.io/v1beta1
  kind: VirtualMachineInstancetype
  metadata: {name: local, namespace: default}
  spec: {cpu: {guest: 2}, memory: {guest: 2Gi}}
- apiVersion: instancetype.kubevirt.io/v1beta1
  kind: VirtualMachineClusterPreference
  metadata: {name: blocks}
  spec: {devices: {preferredDiskBlockSize: {custom: {logical: 4096, physical: 4096}}, preferredDiskBus: sata}}
- apiVersion: instancetype.kubevirt.io/v1beta1
  kind: VirtualMachineClusterPreference
  metadata: {name: arm}
  spec: {requirements: {architecture: arm64}}
- apiVersion: kubevirt.io/v1
  kind: VirtualMachineInstancePreset
  metadata: {name: watched, namespace: default}
  spec:
    selector: {matchLabels: {preset: watched}}
    domain: {devices: {watchdog: {name: w, i6300esb: {action: reset}}}}
"""
CLUSTER = Cluster(read(OBJECTS))
MEMORY = "memory: {guest: 1Gi}"


def vm(spec="{}", domain=f"{{devices: {{}}, {MEMORY}}}", template="{}", metadata="{}"):
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "vm"},
        "spec": {
            "runStrategy": "Always",
            "template": {"metadata": read(metadata), "spec": {"domain": read(domain), **read(template)}},
            **read(spec),
        },
    }


def origins_of(manifest, cluster=CLUSTER):
    return [(reason.field, reason.origin) for reason in expand(manifest, cluster).reasons]


@pytest.mark.parametrize(
    ("field", "of_vmi", "wanted"),
    [
        ("spec.runStrategy", False, "spec.runStrategy"),
        ("spec.instancetype.name", False, "spec.instancetype.name"),
        ("spec.template.spec.domain.cpu", False, "spec.template.spec.domain.cpu"),
        ("spec.domain.cpu.cores", True, "spec.template.spec.domain.cpu.cores"),
        ("spec.domain.devices.interfaces[0].macvtap", False, "spec.template.spec.domain.devices.interfaces[0].macvtap"),
        ("metadata.labels[a.b/c]", True, "spec.template.metadata.labels[a.b/c]"),
        ("metadata.labels[a.b/c]", False, "metadata.labels[a.b/c]"),
        ("metadata.name", True, "metadata.name"),
        ("status.instancetypeRef.name", False, "status.instancetypeRef.name"),
        ("annotations.example.org/a", False, "spec.template.metadata.annotations[example.org/a]"),
        ("instancetype.spec.cpu.guest", False, "spec.instancetype"),
        ("spec.dataVolumeTemplate[1].name", False, "spec.dataVolumeTemplates[1].metadata.name"),
        ("spec.dataVolumeTemplate[1]", False, "spec.dataVolumeTemplates[1]"),
        ("spec.template.spec.HostDevices", False, "spec.template.spec.domain.devices.hostDevices"),
        ("spec.template.spec.launchSecurity", False, "spec.template.spec.domain.launchSecurity"),
        ("spec.template.spec.acpi", False, "spec.template.spec.domain.firmware.acpi"),
        ("spec.template.spec.acpi.slicNameRef", False, "spec.template.spec.domain.firmware.acpi.slicNameRef"),
        ("spec.template.spec.acpix", False, "spec.template.spec"),
        ("spec.nodeAffinity", True, "spec.template.spec.affinity.nodeAffinity"),
        ("spec.podAffinity", True, "spec.template.spec.affinity.podAffinity"),
        ("spec.template.spec.podAntiAffinity", False, "spec.template.spec.affinity.podAntiAffinity"),
        (
            "spec.domain.cpu.dedicatedCPUPlacement",
            True,
            "spec.template.spec.domain.cpu.dedicatedCpuPlacement",
        ),
        ("spec.domain.hugepages.size", True, "spec.template.spec.domain.memory.hugepages.pageSize"),
        (
            "spec.domain.ioThreads.count",
            True,
            "spec.template.spec.domain.ioThreads.supplementalPoolThreadCount",
        ),
        ("spec.launchSecurity", True, "spec.template.spec.domain.launchSecurity"),
        (
            "spec.domain.devices.disks.domain.devices.disks[2].io",
            True,
            "spec.template.spec.domain.devices.disks[2].io",
        ),
        (
            "spec.template.spec.domain.cpu.cores, spec.template.spec.domain.cpu.sockets",
            False,
            "spec.template.spec.domain.cpu",
        ),
        ("spec.template.spec.domain.cpu.colour.shade", False, "spec.template.spec.domain.cpu"),
        ("nothing.of.it", True, ""),
        ("", True, ""),
    ],
)
def test_the_field_of_the_vm_that_is_meant(field, of_vmi, wanted):
    assert field_of_vm(field, of_vmi=of_vmi) == wanted


@pytest.mark.parametrize(
    ("field", "kind", "wanted"),
    [
        ("spec.template.spec.domain.cpu", None, "spec.template.spec.domain.cpu"),
        ("spec.template.spec.domain.cpu", "VirtualMachineInstance", "spec.domain.cpu"),
        ("spec.template.spec.domain.cpu", "VirtualMachineInstanceReplicaSet", "spec.template.spec.domain.cpu"),
        (
            "spec.template.spec.domain.cpu",
            "VirtualMachinePool",
            "spec.virtualMachineTemplate.spec.template.spec.domain.cpu",
        ),
        ("spec.runStrategy", "VirtualMachinePool", "spec.virtualMachineTemplate.spec.runStrategy"),
        ("spec.maxUnavailable", "VirtualMachinePool", "spec.maxUnavailable"),
        ("metadata.name", "VirtualMachinePool", "metadata.name"),
        ("spec", "VirtualMachinePool", "spec"),
    ],
)
def test_the_field_of_what_holds_the_vm(field, kind, wanted):
    assert field_of_holder(field, kind) == wanted


@pytest.mark.parametrize(
    ("field", "wanted"),
    [
        (
            "spec.virtualMachineTemplate.spec.acpi",
            "spec.virtualMachineTemplate.spec.template.spec.domain.firmware.acpi",
        ),
        ("spec.template.spec.acpi", "spec.template.spec.domain.firmware.acpi"),
        ("spec.selector", "spec.selector"),
        ("spec.acpi", "spec.acpi"),
    ],
)
def test_the_field_of_a_template_in_a_set_or_pool(field, wanted):
    assert field_in_template(field) == wanted


@pytest.mark.parametrize(
    ("cause", "field", "message"),
    [
        (Cause("T", "", "spec.template.spec.domain.cpu: is\nwrong"), "spec.template.spec.domain.cpu", "is\nwrong"),
        (Cause("T", "", "spec.a[0]: is: wrong"), "spec.template.spec", "is: wrong"),
        (Cause("T", "spec.runStrategy", "spec.a: is wrong"), "spec.runStrategy", "spec.a: is wrong"),
        (Cause("T", "", "nothing is said"), "", "nothing is said"),
    ],
)
def test_a_message_may_begin_with_its_field(cause, field, message):
    (reason,) = reasons.reasons("vm", [cause], {}, CLUSTER)
    assert (reason.field, reason.message, reason.type, reason.by) == (field, message, "T", "vm")


def test_what_the_author_wrote_has_no_other_origin():
    bus = f"{{devices: {{disks: [{{name: a, disk: {{bus: floppy}}}}]}}, {MEMORY}}}"
    fields = {field: origin for field, origin in origins_of(vm(domain=bus)) if field.endswith("bus")}
    assert fields == {"spec.template.spec.domain.devices.disks[0].disk.bus": ""}


def test_what_the_instance_type_decides_is_its():
    by_field = dict(origins_of(vm("instancetype: {name: realtime}", "{devices: {}}")))
    assert by_field["spec.template.spec.domain.cpu.dedicatedCpuPlacement"] == "the instance type realtime sets it"


def test_an_annotation_that_the_instance_type_decides_too():
    metadata = "annotations: {example.org/from: vm}"
    field = "spec.template.metadata.annotations[example.org/from]"
    assert origins_of(vm("instancetype: {name: small}", "{devices: {}}", metadata=metadata)) == [(field, "")]


def test_what_the_preference_gives_to_a_disk_is_its():
    spec = "{instancetype: {name: small}, preference: {name: blocks}}"
    volumes = "volumes: [{name: root, containerDisk: {image: i}}]"
    assert origins_of(vm(spec, "{devices: {}}", volumes)) == [
        ("spec.template.spec.domain.devices.disks[0].blockSize.custom.logical", "the preference blocks sets it")
    ]


def test_what_a_preset_gives_is_its():
    by_field = origins_of(vm(template="architecture: s390x", metadata="labels: {preset: watched}"))
    assert ("spec.template.spec.domain.devices.watchdog", "the preset watched sets it") in by_field


def test_what_nobody_gives_is_kubevirts():
    assert origins_of(vm("preference: {name: arm}")) == [
        ("spec.template.spec.architecture", "KubeVirt's configuration or default sets it")
    ]


def test_what_the_preference_gives_to_the_network_that_nobody_names_is_its():
    preference = """
    - apiVersion: instancetype.kubevirt.io/v1beta1
      kind: VirtualMachineClusterPreference
      metadata: {name: cards}
      spec: {devices: {preferredInterfaceModel: ne2000}}
    """
    assert origins_of(vm("preference: {name: cards}"), Cluster(read(preference))) == [
        ("spec.template.spec.domain.devices.interfaces[0].model", "the preference cards sets it")
    ]


def test_virt_launchers_reasons_are_at_the_vms_fields():
    (reason,) = expand(vm(domain="{devices: {}, memory: {guest: -1Gi}}"), CLUSTER).reasons
    assert (reason.by, reason.field) == ("launcher", "spec.template.spec.domain.memory.guest")
    assert reason.sentence.endswith("(refused by virt-launcher)")


@pytest.mark.parametrize(
    ("matcher", "hint"),
    [
        ("{name: smal}", "; did you mean 'small'?"),
        (
            "{name: local}",
            "; there is a VirtualMachineInstancetype of that name, which spec.instancetype.kind has to say",
        ),
        ("{name: unheard-of-thing}", ""),
    ],
)
def test_a_name_that_is_not_there_has_a_hint(matcher, hint):
    (reason,) = expand(vm(f"instancetype: {matcher}", "{devices: {}}"), CLUSTER).reasons
    name = read(matcher)["name"]
    assert reason.message == f"there is no VirtualMachineClusterInstancetype {name!r}{hint}"


def test_what_is_not_supported_is_at_the_vms_field_and_travels():
    with pytest.raises(UnsupportedError) as caught:
        expand(vm(domain=f"{{devices: {{}}, cpu: {{sockets: 70000}}, {MEMORY}}}"), CLUSTER)
    sent = pickle.loads(pickle.dumps(caught.value))
    assert sent.field == caught.value.field == "spec.template.spec.domain.cpu"
    assert (sent.message, str(sent)) == (caught.value.message, str(caught.value))


def test_what_a_preference_requires_of_a_type_that_is_not_there_is_no_second_reason():
    instancetype = """
    apiVersion: instancetype.kubevirt.io/v1beta1
    kind: VirtualMachineClusterInstancetype
    metadata: {name: std.medium}
    spec: {cpu: {guest: 2}, memory: {guest: 4Gi}}
    """
    preference = """
    apiVersion: instancetype.kubevirt.io/v1beta1
    kind: VirtualMachineClusterPreference
    metadata: {name: linux}
    spec: {requirements: {memory: {guest: 2Gi}}}
    """
    vm = """
    apiVersion: kubevirt.io/v1
    kind: VirtualMachine
    metadata: {name: web}
    spec:
      runStrategy: Always
      instancetype: {name: std.meduim}
      preference: {name: linux}
      template: {spec: {domain: {devices: {}}}}
    """
    result = expand(read(vm), Cluster([read(instancetype), read(preference)]))
    assert result.refused_by == "vm"
    assert [cause.field for cause in result.causes] == ["spec.template.spec.domain.memory"]
    (reason,) = result.reasons
    assert (reason.field, reason.by) == ("spec.instancetype.name", "controller")
    assert reason.message.endswith("'std.meduim'; did you mean 'std.medium'?")


def test_the_vm_is_looked_at_once_however_many_faults_it_has(monkeypatch):
    looks = []
    monkeypatch.setattr(reasons, "to_manifest", lambda obj: looks.append(obj) or to_manifest(obj))

    def number(disks):
        looks.clear()
        listed = ", ".join(f"{{name: d{number}, disk: {{bus: floppy}}}}" for number in range(disks))
        assert len(origins_of(vm(domain=f"{{devices: {{disks: [{listed}]}}, {MEMORY}}}"))) >= disks
        return len(looks)

    assert number(2) == number(4)
