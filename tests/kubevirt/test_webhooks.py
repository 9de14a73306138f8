"""What the mutating webhooks add to a new VM and a new VMI besides the defaults."""

import re

import pytest
from reading import read, read_vm

from virtcatalog.api.decode import convert
from virtcatalog.api.instancetype import VirtualMachinePreferenceSpec
from virtcatalog.api.kubevirt import DataVolumeTemplateSpec, VirtualMachineInstance
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.controller.vm import start_vmi
from virtcatalog.kubevirt.defaults.webhooks import mutate_updated_vm, mutate_vm, mutate_vmi, takes
from virtcatalog.kubevirt.identity import firmware_uuid

PCI = "kubevirt.io/pci-topology-version"
PARITY = "alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity"
QGS = "kubevirt.io/qgs-socket-path"
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def cluster_with(configuration="{}", annotations="{}"):
    kubevirt = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "annotations": read(annotations)},
        "spec": {"configuration": read(configuration)},
    }
    return Cluster([kubevirt])


def mutated_vm(template="{}", cluster=None, name="vm"):
    vm = read_vm("{}", template, name)
    assert mutate_vm(vm, cluster or Cluster()) == []
    return vm


def mutated_vmi(template="{}", cluster=None):
    cluster = cluster or Cluster()
    vmi = start_vmi(mutated_vm(template, cluster), cluster)
    assert mutate_vmi(vmi, cluster) == []
    return vmi


def test_a_vm_gets_firmware_identities_that_depend_on_its_name_alone():
    firmware, other = (mutated_vm(name=name).spec.template.spec.domain.firmware for name in ("vm", "other"))
    assert UUID.fullmatch(firmware.uuid)
    assert UUID.fullmatch(firmware.serial)
    assert len({firmware.uuid, firmware.serial, other.uuid, other.serial}) == 4
    assert mutated_vm().spec.template.spec.domain.firmware == firmware
    assert firmware_uuid("", "vm") == firmware_uuid("default", "vm") == firmware.uuid


def test_firmware_identities_that_are_set_stay():
    firmware = mutated_vm("{domain: {devices: {}, firmware: {uuid: u, serial: s}}}").spec.template.spec.domain.firmware
    assert (firmware.uuid, firmware.serial) == ("u", "s")


@pytest.mark.parametrize(("architecture", "version"), [("amd64", "v3"), ("arm64", "v3"), ("s390x", None)])
def test_pci_topology(architecture, version):
    template = mutated_vm(f"architecture: {architecture}").spec.template
    assert template.metadata.annotations.get(PCI) == version
    assert mutated_vmi(f"architecture: {architecture}").metadata.annotations.get(PCI) == version


def test_a_pci_topology_that_is_set_stays():
    vm = read_vm()
    vm.spec.template.metadata.annotations[PCI] = "v2"
    mutate_vm(vm, Cluster())
    assert vm.spec.template.metadata.annotations[PCI] == "v2"


ISOLATED = "{domain: {devices: {}, cpu: {isolateEmulatorThread: true, dedicatedCpuPlacement: true}}}"
GATE = "developerConfiguration: {featureGates: [AlignCPUs]}"


@pytest.mark.parametrize(
    ("template", "configuration", "annotations", "copied"),
    [
        (ISOLATED, GATE, f'{PARITY}: ""', True),
        (ISOLATED, "{}", f'{PARITY}: ""', False),
        (ISOLATED, GATE, "{}", False),
        ("{}", GATE, f'{PARITY}: ""', False),
    ],
)
def test_even_parity(template, configuration, annotations, copied):
    vmi = mutated_vmi(template, cluster_with(configuration, annotations))
    assert (PARITY in vmi.metadata.annotations) is copied


@pytest.mark.parametrize(
    ("security", "configuration", "path"),
    [
        ("{tdx: {}}", "{}", "/var/run/tdx-qgs/qgs.socket"),
        ("{tdx: {}}", "confidentialCompute: {tdx: {attestation: {qgsSocketPath: /q}}}", "/q"),
        ("{tdx: {}}", 'confidentialCompute: {tdx: {attestation: {qgsSocketPath: ""}}}', None),
        ("{sev: {}}", "{}", None),
    ],
)
def test_tdx_names_its_quote_generation_socket(security, configuration, path):
    template = f"{{domain: {{devices: {{}}, launchSecurity: {security}}}}}"
    assert mutated_vmi(template, cluster_with(configuration)).metadata.annotations.get(QGS) == path


def test_status():
    vmi = mutated_vmi("{domain: {devices: {}, memory: {guest: 2Gi}, cpu: {sockets: 2, cores: 3, threads: 1}}}")
    status = vmi.status
    topology = status.current_cpu_topology
    assert (status.phase, status.runtime_user) == ("Pending", 107)
    assert (topology.sockets, topology.cores, topology.threads) == (2, 3, 1)
    memory = status.memory
    assert [str(amount) for amount in (memory.guest_at_boot, memory.guest_requested, memory.guest_current)] == [
        "2Gi"
    ] * 3
    root = cluster_with("developerConfiguration: {featureGates: [Root]}")
    assert mutated_vmi(cluster=root).status.runtime_user == 0


def test_a_vm_whose_matcher_is_wrong_is_refused():
    vm = read_vm("instancetype: {}")
    assert [cause.field for cause in mutate_vm(vm, Cluster())] == ["spec.instancetype"]


def schema_of(*specs, **metadata):
    """What the webhook says of a VM with data volumes of these specs."""
    templates = [{"metadata": {"name": f"d{number}"}, "spec": read(spec)} for number, spec in enumerate(specs)]
    for template in templates:
        template["metadata"].update(metadata)
    vm = read_vm()
    vm.spec.data_volume_templates = convert(templates, list[DataVolumeTemplateSpec])
    causes = mutate_vm(vm, Cluster())
    assert all((cause.type, cause.field) == ("FieldValueInvalid", "") for cause in causes)
    return [cause.message.removeprefix("spec.dataVolumeTemplates") for cause in causes]


@pytest.mark.parametrize(
    ("specs", "messages"),
    [
        (["pvc: {accessModes: [ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod]}", "storage: {}"], []),
        (
            ["pvc: {accessModes: [Any, ReadWriteOnc]}", "storage: {accessModes: [None]}"],
            [
                "[0].spec.pvc.accessModes: 'Any' is no access mode",
                "[0].spec.pvc.accessModes: 'ReadWriteOnc' is no access mode; did you mean 'ReadWriteOnce'?",
                "[1].spec.storage.accessModes: 'None' is no access mode",
            ],
        ),
        (
            ["pvc: {dataSource: {kind: k, name: n}}", "storage: {dataSourceRef: {kind: k, name: n}}"],
            ["[0].spec.pvc.dataSource.apiGroup: must be set", "[1].spec.storage.dataSourceRef.apiGroup: must be set"],
        ),
        (["pvc: {dataSource: {apiGroup: '', kind: k, name: n}}"], []),
        (
            ["pvc: {accessModes: [Any], dataSource: {kind: k, name: n}}"],
            ["[0].spec.pvc.accessModes: 'Any' is no access mode"],
        ),
    ],
)
def test_what_the_schema_wants_of_the_claims_of_data_volumes(specs, messages):
    assert schema_of(*specs) == messages


def test_the_schema_takes_no_fields_of_managers_of_data_volumes():
    assert schema_of("{}", managedFields=[{"manager": "m"}, {"fieldsV1": {}}]) == []
    assert schema_of("{}", "{}", managedFields=[{"fieldsV1": {}}, {"fieldsV1": {"f:spec": {}}}]) == [
        f"[{number}].metadata.managedFields: fieldsV1 has to be empty" for number in range(2)
    ]


def test_a_vm_that_is_updated_gets_no_firmware_and_no_pci_topology():
    vm = read_vm("{}", "{domain: {devices: {gpus: [{name: g, deviceName: d, claimName: ''}]}}}")
    assert mutate_updated_vm(vm, Cluster()) == []
    template = vm.spec.template
    assert (template.spec.domain.firmware, template.metadata.annotations) == (None, {})
    assert (template.spec.architecture, template.spec.domain.machine.type) == ("amd64", "q35")
    assert template.spec.domain.devices.gpus[0].claim_name is None


def test_an_update_is_refused_before_it_gets_anything():
    vm = read_vm("instancetype: {}")
    assert [cause.field for cause in mutate_updated_vm(vm, Cluster())] == ["spec.instancetype"]
    assert vm.spec.template.spec.architecture == ""


@pytest.mark.parametrize(
    ("device", "claim", "wanted"),
    [
        ("claimName: '', requestName: ''", None, None),
        ("claimName: c, requestName: ''", "c", None),
        ("claimName: '', requestName: r", None, "r"),
        ("claimName: c, requestName: r", "c", "r"),
        ("deviceName: d", None, None),
    ],
)
@pytest.mark.parametrize("kind", ["gpus", "hostDevices"])
def test_empty_names_of_claims_are_none(kind, device, claim, wanted):
    devices = f"{{domain: {{devices: {{{kind}: [{{name: g, {device}}}]}}}}}}"

    def names(vm):
        devices = vm.spec.template.spec.domain.devices
        (one,) = devices.gpus + devices.host_devices
        return one.claim_name, one.request_name

    assert names(mutated_vm(devices)) == (claim, wanted)
    older = mutated_vm(devices, Cluster(release="v1.7.4"))
    assert names(older) == (
        "" if "claimName: ''" in device else claim,
        "" if "requestName: ''" in device else wanted,
    )


def test_a_vmi_waits_for_its_removal():
    vmi = a_vmi()
    assert mutate_vmi(vmi, Cluster()) == []
    assert vmi.metadata.finalizers == ["mine", "kubevirt.io/foregroundDeleteVirtualMachine"]


def a_vmi():
    metadata = {"name": "vm", "finalizers": ["mine"]}
    return convert({"metadata": metadata, "spec": {"domain": {"devices": {}}}}, VirtualMachineInstance)


PRESET = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachineInstancePreset",
    "metadata": {"name": "p", "namespace": "default"},
    "spec": {"selector": {}},
}


@pytest.mark.parametrize(
    ("cluster", "message"),
    [
        (
            cluster_with("network: {permitBridgeInterfaceOnPodNetwork: false}"),
            "the cluster does not permit a bridge interface on the pod network",
        ),
        (Cluster([PRESET]), "preset p has no spec.domain, on which KubeVirt fails"),
    ],
)
def test_a_vmi_is_refused_for_its_network_and_its_presets(cluster, message):
    assert mutate_vmi(a_vmi(), cluster) == [Cause("", "", message)]


def preferring(spec):
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterPreference",
        "metadata": {"name": "p"},
        "spec": read(spec),
    }


def test_a_vm_takes_architecture_machine_and_storage_class_of_its_preference():
    preference = "{preferredArchitecture: arm64, machine: {preferredMachineType: virt-9}, "
    preference += "volumes: {preferredStorageClassName: fast}}"
    templates = "{metadata: {name: a}, spec: {pvc: {}}}, {metadata: {name: b}, spec: {storage: {}, pvc: {}}}, "
    templates += "{metadata: {name: c}, spec: {storage: {storageClassName: slow}, pvc: {storageClassName: ''}}}"
    vm = read_vm(f"{{preference: {{name: p}}, dataVolumeTemplates: [{templates}]}}")
    assert mutate_vm(vm, Cluster([preferring(preference)])) == []
    spec = vm.spec.template.spec
    assert (spec.architecture, spec.domain.machine.type) == ("arm64", "virt-9")
    classes = [
        [claim and claim.storage_class_name for claim in (template.spec.pvc, template.spec.storage)]
        for template in vm.spec.data_volume_templates
    ]
    assert classes == [["fast", None], ["fast", "fast"], ["", "slow"]]


@pytest.mark.parametrize(
    ("preference", "taken"),
    [
        ("{preferredArchitecture: arm64}", True),
        ("{machine: {}}", True),
        ("{volumes: {preferredStorageClassName: fast}}", True),
        ("{volumes: {}}", False),
        ("{cpu: {preferredCPUTopology: sockets}}", False),
    ],
)
def test_of_which_preferences_the_webhook_takes_anything(preference, taken):
    assert takes(convert(read(preference), VirtualMachinePreferenceSpec)) is taken


def test_a_preference_that_is_not_there_is_left_to_virt_controller():
    assert mutate_vm(read_vm("preference: {name: none}"), Cluster()) == []


def test_a_vmi_without_guest_memory_has_none_in_its_status():
    status = mutated_vmi().status
    assert status.memory is None
