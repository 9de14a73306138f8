"""The chain as a whole: who refuses what, what the result holds, and that it depends on nothing else."""

import xml.etree.ElementTree as ET

import pytest
from answering import expand
from reading import read

import virtcatalog
from virtcatalog import HOSTS, Cluster
from virtcatalog.errors import Warning
from virtcatalog.kubevirt import pipeline
from virtcatalog.kubevirt.pipeline import create_vmi

VERSION = "instancetype.kubevirt.io/v1beta1"
OBJECTS = """
- apiVersion: instancetype.kubevirt.io/v1beta1
  kind: VirtualMachineClusterInstancetype
  metadata: {name: small}
  spec: {cpu: {guest: 2}, memory: {guest: 2Gi}, ioThreadsPolicy: auto, annotations: {from: instancetype}}
- apiVersion: instancetype.kubevirt.io/v1beta1
  kind: VirtualMachineClusterPreference
  metadata: {name: linux}
  spec:
    devices: {preferredDiskBus: virtio, preferredInterfaceModel: virtio, preferredRng: {}}
    features: {preferredHyperv: {synictimer: {direct: {}}}}
    clock: {preferredTimer: {hpet: {present: false}}}
    firmware: {preferredEfi: {secureBoot: false}}
    requirements: {cpu: {guest: 1}}
- apiVersion: instancetype.kubevirt.io/v1beta1
  kind: VirtualMachineClusterPreference
  metadata: {name: large}
  spec: {requirements: {memory: {guest: 64Gi}}}
- apiVersion: kubevirt.io/v1
  kind: VirtualMachineInstancePreset
  metadata: {name: cores}
  spec: {selector: {matchLabels: {preset: cores}}, domain: {devices: {}, ioThreadsPolicy: shared}}
"""
CLUSTER = Cluster(read(OBJECTS))


def vm(spec="{}", template="{}", labels="{}", **metadata):
    """Return a manifest of the YAML of its spec and of its template's spec."""
    template = {"domain": {"devices": {}, "memory": {"guest": "1Gi"}}, **read(template)}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "vm", **metadata},
        "spec": {
            "runStrategy": "Always",
            "template": {"metadata": {"labels": read(labels)}, "spec": template},
            **read(spec),
        },
    }


def test_an_admitted_vm_has_everything():
    result = expand(vm(), CLUSTER)
    assert result.admitted
    assert (result.refused_by, result.causes, result.reasons, result.warnings) == (None, (), (), ())
    assert result.vm["spec"]["template"]["spec"]["domain"]["machine"] == {"type": "q35"}
    assert result.vmi["spec"]["domain"]["cpu"]["model"] == "host-model"
    assert result.domain_xml.count("<domain ") == 1


def test_the_first_comment_names_the_host_profile_and_the_release():
    result = expand(vm(), Cluster(read(OBJECTS), release="v1.8.4", host=HOSTS["reference"]))
    for text in (result.domain_xml, result.converted_xml):
        first, second, *_ = text.splitlines()
        assert first == '<domain type="kvm" xmlns:qemu="http://libvirt.org/schemas/domain/qemu/1.0">'
        assert second == "  <!-- host profile reference v1, KubeVirt v1.8.4 -->"


def test_a_refusal_names_who_and_why():
    result = expand(vm("runStrategy: Perhaps"), CLUSTER)
    assert (result.admitted, result.refused_by) == (False, "vm")
    assert [cause.field for cause in result.causes] == ["spec.runStrategy"]
    (reason,) = result.reasons
    assert (reason.by, reason.field, reason.message) == ("vm", "spec.runStrategy", result.causes[0].message)
    assert result.vm is not None
    assert (result.vmi, result.domain_xml) == (None, None)


def test_a_missing_name_is_an_empty_one_to_the_webhooks():
    """The API server's schema may be stricter: that is remarked."""
    devices = "domain: {devices: {watchdog: {i6300esb: {}}, disks: [{disk: {}}]}, memory: {guest: 1Gi}}"
    result = expand(vm(template=devices), CLUSTER)
    fields = {cause.field for cause in result.causes}
    assert (result.refused_by, "spec.template.spec.domain.devices.disks[0].name" in fields) == ("vm", True)
    assert result.warnings == (
        Warning("Missing", "spec.template.spec.domain.devices.disks[0].name", "is required"),
        Warning("Missing", "spec.template.spec.domain.devices.watchdog.name", "is required"),
    )


def test_a_webhook_answers_with_ten_causes_at_most():
    disks = ", ".join(f"{{name: d{number}, disk: {{}}}}" for number in range(12))
    result = expand(vm(template=f"domain: {{devices: {{disks: [{disks}]}}, memory: {{guest: 1Gi}}}}"), CLUSTER)
    assert [cause.field for cause in result.causes] == [
        f"spec.template.spec.domain.devices.disks[{number}].name" for number in range(10)
    ]
    assert [reason.message for reason in result.reasons][:10] == [cause.message for cause in result.causes]
    assert len(result.reasons) == 12
    assert "'d11'" in result.reasons[-1].message


@pytest.mark.parametrize(
    ("claim", "refused"),
    [
        ("{accessModes: [ReadWriteOnce], dataSource: {apiGroup: '', kind: PersistentVolumeClaim, name: c}}", False),
        ("{accessModes: [Shared], dataSource: {apiGroup: '', kind: PersistentVolumeClaim, name: c}}", True),
        ("{dataSource: {kind: PersistentVolumeClaim, name: c}}", True),
        ("{dataSourceRef: {kind: PersistentVolumeClaim, name: c}}", True),
    ],
)
def test_the_schema_of_data_volume_templates_names_no_field(claim, refused):
    used = "domain: {devices: {}, memory: {guest: 1Gi}}\nvolumes: [{name: v, dataVolume: {name: d}}]"
    for kind in ("pvc", "storage"):
        template = f"{{metadata: {{name: d}}, spec: {{{kind}: {claim}}}}}"
        result = expand(vm(f"dataVolumeTemplates: [{template}]", used), CLUSTER)
        assert [cause.field for cause in result.causes] == ([""] if refused else [])


def test_both_claims_of_a_data_volume_template_have_a_schema():
    template = "{metadata: {name: d}, spec: {pvc: {}, storage: {dataSource: {kind: DataVolume, name: c}}}}"
    result = expand(vm(f"dataVolumeTemplates: [{template}]"), CLUSTER)
    assert [cause.field for cause in result.causes] == [""]


@pytest.mark.parametrize(
    ("manifest", "refused_by", "fields"),
    [
        (vm("preference: {name: large}"), "vm", ["spec.template.spec.domain.memory"]),
        (vm("instancetype: {name: small}"), "vm", ["spec.template.spec.domain.memory.guest"]),
        (vm("instancetype: {}"), "vm", ["spec.instancetype"]),
        (
            vm(
                "{instancetype: {}, dataVolumeTemplates: [{metadata: {name: d}, spec: {pvc: {dataSource: {name: c}}}}]}"
            ),
            "vm",
            ["spec.instancetype"],
        ),
        (vm("instancetype: {name: missing}"), "controller", []),
        (vm("{}", "{domain: {devices: {}}}"), "vmi", [""]),
        (vm("{}", "architecture: riscv64"), "vmi", ["spec.architecture"]),
        (vm("{}", "{domain: {devices: {}, memory: {guest: -1Gi}}}"), "launcher", []),
    ],
)
def test_every_stage_can_refuse(manifest, refused_by, fields):
    result = expand(manifest, CLUSTER)
    assert (result.refused_by, [cause.field for cause in result.causes]) == (refused_by, fields)
    assert {reason.by for reason in result.reasons} == {refused_by}
    assert result.domain_xml is None
    assert (result.vmi is not None) == (refused_by in ("vmi", "launcher"))


@pytest.mark.parametrize(
    ("manifest", "paths"),
    [
        (vm("colour: blue"), ["spec.colour"]),
        (vm("{runStrategy: 7, colour: blue}"), ["spec.colour", "spec.runStrategy"]),
        ({**vm(), "spec": {}}, ["spec.template"]),
        ({**vm(), "kind": "Pod"}, ["kind"]),
        ({}, ["spec"]),
        ([], [""]),
    ],
)
def test_what_is_no_vm_is_refused_by_the_vm_webhook_without_a_field(manifest, paths):
    result = expand(manifest, CLUSTER)
    assert result.refused_by == "vm"
    assert [cause.field for cause in result.causes] == [""] * len(paths)
    assert [reason.field for reason in result.reasons] == paths
    for cause, path in zip(result.causes, paths, strict=True):
        assert path in cause.message
    assert result.vm is None


def test_presets_come_before_the_defaults_of_the_vmi():
    result = expand(vm(labels="{preset: cores}"), CLUSTER)
    assert result.vmi["spec"]["domain"]["ioThreadsPolicy"] == "shared"
    assert result.vmi["metadata"]["annotations"]["virtualmachinepreset.kubevirt.io/cores"] == "kubevirt.io/v1"
    (warning,) = result.warnings
    assert (warning.type, warning.object) == ("Deprecated", "VirtualMachineInstancePreset/default/cores")


def test_a_vm_of_an_older_version_is_one_of_v1():
    result = expand({**vm(), "apiVersion": "kubevirt.io/v1alpha3"}, CLUSTER)
    assert (result.vm["apiVersion"], result.vm["kind"]) == ("kubevirt.io/v1", "VirtualMachine")


def test_a_vm_without_a_namespace_is_in_default():
    result = expand(vm(), CLUSTER)
    assert result.vm["metadata"]["namespace"] == result.vmi["metadata"]["namespace"] == "default"


def test_a_configuration_that_kubevirt_ignores_is_remarked_on():
    kubevirt = read(
        "{apiVersion: kubevirt.io/v1, kind: KubeVirt, metadata: {name: k},"
        " spec: {configuration: {network: {defaultNetworkInterface: sriov}}}}"
    )
    (warning,) = expand(vm(), Cluster([kubevirt])).warnings
    assert (warning.type, warning.field, warning.object, warning.message) == (
        "Ignored",
        "spec.configuration",
        "KubeVirt",
        (
            "KubeVirt ignores its whole configuration: "
            "network.defaultNetworkInterface 'sriov' is none of bridge, masquerade"
        ),
    )


def test_the_public_names_are_these():
    assert virtcatalog.expand(vm(), CLUSTER).domain_xml == expand(vm(), CLUSTER).domain_xml
    assert create_vmi(vm(), CLUSTER).vmi == expand(vm(), CLUSTER).vmi


def test_what_the_module_exports_is_there():
    assert [getattr(pipeline, name).__name__ for name in pipeline.__all__] == pipeline.__all__


def test_names_that_kubernetes_refuses_are_warnings_of_that_type():
    result = expand(vm(name="A b", annotations={"a b": "x"}), CLUSTER)
    assert result.admitted
    assert [(warning.type, warning.field) for warning in result.warnings] == [
        ("Refused", "metadata.name"),
        ("Refused", "metadata.annotations[a b]"),
    ]


def test_labels_of_the_template_that_no_machine_can_have_are_a_warning() -> None:
    (warning,) = expand(vm(labels="{app: web server}"), CLUSTER).warnings
    assert (warning.type, warning.field, warning.message) == (
        "Refused",
        "spec.template.metadata.labels.app",
        (
            "Kubernetes refuses the label value 'web server': it may have at most 63 letters, digits, '-', '_' "
            "and '.', and starts and ends with a letter or digit; virt-controller cannot create the machine"
        ),
    )


def test_a_launch_that_fails_is_a_refusal_of_the_launcher_after_the_domain_was_made():
    template = """
    domain: {memory: {guest: 1Gi}, devices: {disks: [{name: e, disk: {bus: virtio}}]}}
    volumes: [{name: e, emptyDisk: {capacity: 100Ki}}]
    """
    result = expand(vm(template=template), CLUSTER)
    assert (result.refused_by, result.causes, result.domain_xml) == ("launcher", (), None)
    assert [reason.field for reason in result.reasons] == ["spec.template.spec.volumes[0].emptyDisk.capacity"]
    assert "<name>default_vm</name>" in result.converted_xml


def test_a_claim_has_the_size_that_the_api_server_stores():
    """Of `1.5Gi` that is `1536Mi`; what is no whole number of bytes has no capacity."""
    claim = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: default}, spec: %s}"
    template = """
    domain: {memory: {guest: 1Gi}, devices: {disks: [{name: d, disk: {bus: virtio}}]}}
    volumes: [{name: d, persistentVolumeClaim: {claimName: c}}]
    """
    for text, capacity in (("1.5Gi", "1610612736"), ("1000000000500m", None)):
        size = f"{{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: {text}}}}}}}"
        result = expand(vm(template=template), Cluster([read(claim % size)]))
        assert ET.fromstring(result.domain_xml).findtext("devices/disk/capacity") == capacity


@pytest.mark.parametrize("directory", ["/usr/share/edk2/ovmf/", "/usr/share//edk2/./ovmf", "/usr/x/../share/edk2/ovmf"])
def test_a_firmware_directory_may_be_spelled_in_several_ways(directory):
    kubevirt = "{apiVersion: kubevirt.io/v1, kind: KubeVirt, metadata: {name: kubevirt}, spec: {configuration: %s}}"
    cluster = Cluster([read(kubevirt % f"{{architectureConfiguration: {{amd64: {{ovmfPath: {directory}}}}}}}")])
    template = "domain: {memory: {guest: 1Gi}, devices: {}, firmware: {bootloader: {efi: {secureBoot: false}}}}"
    loader = ET.fromstring(expand(vm(template=template), cluster).domain_xml).findtext("os/loader")
    assert loader == "/usr/share/edk2/ovmf/OVMF_CODE.secboot.fd"


def test_the_converters_domain_does_not_change_by_the_launch():
    template = """
    domain: {memory: {guest: 1Gi}, devices: {disks: [{name: e, disk: {bus: virtio}}]}}
    volumes: [{name: e, emptyDisk: {capacity: 1Gi}}]
    """
    first = expand(vm(template=template), CLUSTER)
    before = first.converted_xml
    assert expand(vm(template=template), CLUSTER).domain_xml == first.domain_xml
    assert expand(vm(template=template), CLUSTER).converted_xml == before != first.domain_xml
    assert "cache=" not in before
