"""The Pod that a VM asks for, or why it has none; and the least VM that has an instance type."""

import json
from types import SimpleNamespace

import pytest

import otheryaml
from virtcatalog import Cluster
from virtcatalog.capacity.demand import Reader
from virtcatalog.capacity.launches import _launches, launch_of, type_vm
from virtcatalog.capacity.report import TypeFit, _type_demand, _type_fit

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
            (
                "refused: spec.template.spec.domain.resources.requests.memory: memory.guest 1Gi is less than "
                "one page of 2Gi (refused by the VM webhook)"
            ),
        ),
        (
            "memory: {guest: 1Gi}",
            "{additionalGuestMemoryOverheadRatio: '1e300'}",
            (
                "spec.configuration.additionalGuestMemoryOverheadRatio: not supported by virtcatalog: '1e300' "
                "makes an overhead that is no sensible number of bytes"
            ),
        ),
        (
            "memory: {guest: 1Gi}",
            "{developerConfiguration: {cpuAllocationRatio: 100000000}}",
            (
                "no Pod is made: developerConfiguration.cpuAllocationRatio: virt-controller crashes, as "
                "1/100000000 CPUs are too few to be written"
            ),
        ),
    ],
)
def test_why_a_vm_has_no_pod(domain, configuration, why):
    cluster = Cluster([otheryaml.load(CONFIGURED.replace("CONFIGURATION", configuration))])
    launch = launch_of(otheryaml.load(VM.replace("DOMAIN", domain)), cluster)
    assert (launch.name, bool(launch.pod)) == ("ns/a", not why)
    assert launch.why == why


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


@pytest.mark.parametrize(
    ("problems", "problems_of_a_vm", "became"),
    [
        ([], [[], []], ["admitted", "admitted"]),
        (["is no YAML"], [[]], ["unreadable"]),
        ([], [[], ["spec: is required"]], ["unreadable"]),
        ([], [], []),
    ],
)
def test_a_text_of_which_a_vm_cannot_be_read_fills_in_none(problems, problems_of_a_vm, became):
    vm = otheryaml.load(VM.replace("DOMAIN", "memory: {guest: 1Gi}"))
    manifests = [SimpleNamespace(data=vm, problems=faults) for faults in problems_of_a_vm]
    share = SimpleNamespace(manifests=lambda: (manifests, problems))
    expansions = list(_launches(share, Cluster([])))
    assert [expansion.became for expansion in expansions] == became
    assert [bool(expansion.output) for expansion in expansions] == [word != "unreadable" for word in became]


def test_a_refused_vm_is_one_without_a_pod():
    vm = otheryaml.load(VM.replace("DOMAIN", "memory: {guest: 1Gi, hugepages: {pageSize: 2Gi}}"))
    share = SimpleNamespace(manifests=lambda: ([SimpleNamespace(data=vm, problems=[])], []))
    (expansion,) = _launches(share, Cluster([]))
    assert (expansion.became, json.loads(expansion.output)["pod"]) == ("refused", None)


@pytest.mark.parametrize(
    ("metadata", "name"),
    [({"name": "m"}, "m"), ({"name": "m", "namespace": ""}, "m"), ({"name": "m", "namespace": "n"}, "n/m")],
)
def test_an_instance_type_that_no_vm_can_have_fits_nowhere(metadata, name):
    kind = "VirtualMachineInstancetype" if metadata.get("namespace") else "VirtualMachineClusterInstancetype"
    manifest = {"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": kind, "metadata": metadata}
    manifest["spec"] = {"cpu": {"guest": 1}, "memory": {"guest": "1Gi", "hugepages": {"pageSize": "2Gi"}}}
    called, why = _type_demand(manifest, Cluster([manifest]), Reader())
    assert called == name
    assert why.startswith("refused: ")
    assert _type_fit(called, why, (), (), None, None) == TypeFit(name=name, refused=why)
