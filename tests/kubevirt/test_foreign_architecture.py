"""A guest of another architecture than its node's: emulated in software, where the feature gate is on."""

from lxml import etree
from msgspec.structs import replace

from virtcatalog import HOSTS, Cluster, expand

VM = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "guest"},
    "spec": {
        "runStrategy": "Always",
        "template": {"spec": {"architecture": "arm64", "domain": {"memory": {"guest": "1Gi"}, "devices": {}}}},
    },
}


def domain(node: str, *gates: str) -> etree._Element:
    """The domain of an arm64 VM on a node."""
    configuration = {"developerConfiguration": {"featureGates": list(gates)}}
    kubevirt = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {"configuration": configuration},
    }
    cluster = Cluster([kubevirt], host=replace(HOSTS["reference"], architecture=node))
    return etree.fromstring(expand(VM, cluster).domain_xml)


def test_another_architecture_is_emulated():
    emulated = domain("amd64", "CrossArchitectureVirtualization")
    assert emulated.get("type") == "qemu"
    assert emulated.findtext("devices/emulator") == "/usr/bin/qemu-system-aarch64"
    assert emulated.findtext("cpu/model") == "max"
    assert emulated.find("devices/graphics") is None


def test_its_own_is_not():
    native = domain("arm64", "CrossArchitectureVirtualization")
    assert native.get("type") == "kvm"
    assert native.find("devices/emulator") is None


def test_without_the_gate_the_node_is_taken_to_be_one_of_the_guest():
    assert domain("amd64").get("type") == "kvm"
