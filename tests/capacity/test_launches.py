"""The Pod that a VM asks for, or why it has none; and the least VM that has an instance type."""

import pytest

import otheryaml
from virtcatalog import Cluster
from virtcatalog.capacity.launches import launch_of, type_vm

VM = """
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: a, namespace: ns}
spec: {runStrategy: Always, template: {spec: {domain: {DOMAIN, devices: {}}}}}
"""


CONFIGURED = """
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt, namespace: kubevirt}
spec: {configuration: CONFIGURATION}
"""


@pytest.mark.parametrize(
    ("domain", "configuration", "why"),
    [
        ("memory: {guest: 1Gi}", "{}", ""),
        (
            "memory: {guest: 1Gi, hugepages: {pageSize: 2Gi}}",
            "{}",
            "refused: spec.template.spec.domain.resources.requests.memory: memory.guest 1Gi is less than one page",
        ),
        (
            "memory: {guest: 1Gi}",
            "{additionalGuestMemoryOverheadRatio: '1e300'}",
            "spec.configuration.additionalGuestMemoryOverheadRatio: not supported by virtcatalog: '1e300' makes",
        ),
        (
            "memory: {guest: 1Gi}",
            "{developerConfiguration: {cpuAllocationRatio: 100000000}}",
            "no Pod is made: developerConfiguration.cpuAllocationRatio: virt-controller crashes, as 1/100000000 CPUs",
        ),
    ],
)
def test_why_a_vm_has_no_pod(domain, configuration, why):
    cluster = Cluster([otheryaml.load(CONFIGURED.replace("CONFIGURATION", configuration))])
    launch = launch_of(otheryaml.load(VM.replace("DOMAIN", domain)), cluster)
    assert (launch.name, bool(launch.pod)) == ("ns/a", not why)
    assert launch.why.startswith(why)
    assert bool(launch.why) == bool(why)


@pytest.mark.parametrize(
    ("kind", "namespace", "spec", "domain", "home"),
    [
        ("VirtualMachineClusterInstancetype", None, {}, {"devices": {}}, "default"),
        ("VirtualMachineInstancetype", "shop", {}, {"devices": {}}, "shop"),
        (
            "VirtualMachineClusterInstancetype",
            None,
            {"launchSecurity": {"sev": {}}},
            {"devices": {}, "firmware": {"bootloader": {"efi": {"secureBoot": False}}}},
            "default",
        ),
    ],
)
def test_the_least_vm_of_an_instance_type(kind, namespace, spec, domain, home):
    metadata = {"name": "m", **({"namespace": namespace} if namespace else {})}
    volume = {"name": "root", "containerDisk": {"image": "registry.example.org/guest:1"}}
    assert type_vm({"kind": kind, "metadata": metadata, "spec": spec}) == {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "capacity", "namespace": home},
        "spec": {
            "runStrategy": "Always",
            "instancetype": {"kind": kind, "name": "m"},
            "template": {"spec": {"domain": domain, "volumes": [volume]}},
        },
    }
