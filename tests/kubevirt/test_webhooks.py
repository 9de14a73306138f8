"""What the mutating webhooks add to a new VM and a new VMI besides the defaults."""

import re

import pytest
from reading import read, read_vm

from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.controller.vm import start_vmi
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm, mutate_vmi
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
    assert str(status.memory.guest_at_boot) == "2Gi"
    root = cluster_with("developerConfiguration: {featureGates: [Root]}")
    assert mutated_vmi(cluster=root).status.runtime_user == 0


def test_a_vm_whose_matcher_is_wrong_is_refused():
    vm = read_vm("instancetype: {}")
    assert [cause.field for cause in mutate_vm(vm, Cluster())] == ["spec.instancetype"]
