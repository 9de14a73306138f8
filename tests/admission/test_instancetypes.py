"""What the webhooks of instance types and preferences refuse or warn of, and those of VMs about them."""

import pytest

import otheryaml
from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.admission.instancetypes import admit, apply_to_vm, warnings
from virtcatalog.kubevirt.cluster import Cluster

INSTANCETYPES = ["VirtualMachineInstancetype", "VirtualMachineClusterInstancetype"]
PREFERENCES = ["VirtualMachinePreference", "VirtualMachineClusterPreference"]


def made(kind, spec):
    values = otheryaml.load(spec)
    if kind in INSTANCETYPES:
        values.setdefault("cpu", {"guest": 4})
        values.setdefault("memory", {}).setdefault("guest", "4Gi")
    return {"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": kind, "metadata": {"name": "x"}, "spec": values}


def causes(kind, spec):
    return [(cause.type, cause.field) for cause in admit(made(kind, spec), Cluster([]))]


OVERCOMMIT = ("FieldValueInvalid", "spec.memory.overcommitPercent")


@pytest.mark.parametrize("kind", INSTANCETYPES)
@pytest.mark.parametrize(
    ("spec", "refused"),
    [
        ("{}", []),
        ("memory: {overcommitPercent: 0}", []),
        ("memory: {overcommitPercent: 100}", []),
        ("memory: {overcommitPercent: 101}", [OVERCOMMIT]),
        ("memory: {overcommitPercent: -1}", [OVERCOMMIT]),
        ("memory: {overcommitPercent: 1, hugepages: {pageSize: 2Mi}}", [OVERCOMMIT]),
        ("memory: {overcommitPercent: 101, hugepages: {}}", [OVERCOMMIT, OVERCOMMIT]),
        ("memory: {overcommitPercent: 0, hugepages: {pageSize: 2Mi}}", []),
    ],
)
def test_instance_types(kind, spec, refused):
    assert causes(kind, spec) == refused


TOPOLOGY = [("FieldValueInvalid", "spec.cpu.preferredCPUTopology")]
ACROSS = [("FieldValueInvalid", "spec.cpu.spreadOptions.across")]
THREADS = "{preferredCPUTopology: spread, spreadOptions: {across: CoresThreads}}"
RATIO = [("FieldValueInvalid", "spec.cpu.spreadOptions.ratio")]


@pytest.mark.parametrize("kind", PREFERENCES)
@pytest.mark.parametrize(
    ("spec", "refused"),
    [
        ("{}", []),
        ("cpu: {}", []),
        ("cpu: {preferredCPUTopology: sockets}", []),
        ("cpu: {preferredCPUTopology: preferAny}", []),
        ("cpu: {preferredCPUTopology: Sockets}", TOPOLOGY),
        ("cpu: {preferredCPUTopology: ''}", TOPOLOGY),
        ("cpu: {preferredCPUTopology: spread}", []),
        ("{cpu: {preferredCPUTopology: spread}, preferSpreadSocketToCoreRatio: 5}", []),
        ("cpu: {preferredCPUTopology: spread, spreadOptions: {across: Cores}}", ACROSS),
        ("cpu: {preferredCPUTopology: preferSpread, spreadOptions: {across: Cores}}", ACROSS),
        ("cpu: {preferredCPUTopology: cores, spreadOptions: {across: Cores}}", []),
        ("cpu: {spreadOptions: {across: Cores}}", []),
        ("cpu: {preferredCPUTopology: spread, spreadOptions: {across: CoresThreads}}", []),
        ("cpu: {preferredCPUTopology: spread, spreadOptions: {across: CoresThreads, ratio: 3}}", RATIO),
        (f"{{cpu: {THREADS}, preferSpreadSocketToCoreRatio: 3}}", RATIO),
        ("cpu: {preferredCPUTopology: spread, spreadOptions: {across: SocketsCoresThreads, ratio: 3}}", []),
    ],
)
def test_preferences(kind, spec, refused):
    assert causes(kind, spec) == refused


@pytest.mark.parametrize(
    ("kind", "spec", "path"),
    [
        ("VirtualMachineInstancetype", "cpu: {guest: many}", "cpu.guest"),
        ("VirtualMachineClusterPreference", "devices: {preferredDiskBuss: virtio}", "preferredDiskBuss"),
    ],
)
def test_what_is_not_of_the_api(kind, spec, path):
    found = admit(made(kind, spec), Cluster([]))
    assert [cause.field for cause in found] == [""]
    assert path in found[0].message


@pytest.mark.parametrize("manifest", [{"kind": "Namespace"}, {}, {"kind": ["x"]}, {"kind": "VirtualMachine"}])
def test_other_kinds_are_no_matter_of_these_webhooks(manifest):
    with pytest.raises(UnsupportedError, match=r"^kind: .* is no kind of instance type or preference"):
        admit(manifest, cluster=Cluster([]))
    assert warnings(manifest) == []


@pytest.mark.parametrize(
    ("kind", "spec", "says"),
    [
        ("VirtualMachineInstancetype", "launchSecurity: {}", "preferredLaunchSecurity"),
        ("VirtualMachineClusterPreference", "cpu: {preferredCPUTopology: preferCores}", "use cores"),
        ("VirtualMachineInstancetype", "{}", ""),
        ("VirtualMachinePreference", "{}", ""),
        ("VirtualMachinePreference", "cpu: {preferredCPUTopology: cores}", ""),
    ],
)
def test_deprecations(kind, spec, says):
    found = warnings(made(kind, spec))
    assert len(found) == bool(says)
    assert says in "".join(each.message for each in found)


def vm(instancetype="x", preference="x", template="{domain: {devices: {}}}"):
    spec = {
        "instancetype": {"name": instancetype},
        "preference": {"name": preference},
        "template": {"spec": otheryaml.load(template)},
    }
    return convert({"metadata": {"name": "vm"}, "spec": spec}, VirtualMachine)


CLUSTER = Cluster(
    [
        made("VirtualMachineClusterInstancetype", "{}"),
        made("VirtualMachineClusterPreference", "{cpu: {preferredCPUTopology: spread}, preferredSubdomain: lab}"),
        {
            **made("VirtualMachineClusterPreference", "{preferSpreadSocketToCoreRatio: 3}"),
            "metadata": {"name": "thirds"},
            "spec": {"cpu": {"preferredCPUTopology": "spread"}, "preferSpreadSocketToCoreRatio": 3},
        },
    ]
)


def test_both_are_applied_to_a_vm():
    raw_vm = vm()
    applied = apply_to_vm(raw_vm, CLUSTER)
    assert applied.causes == []
    assert (applied.instancetype.cpu.guest, applied.preference.preferred_subdomain) == (4, "lab")
    template = raw_vm.spec.template.spec
    assert (template.domain.cpu.sockets, template.domain.cpu.cores, template.subdomain) == (2, 2, "lab")


def test_what_does_not_exist_is_passed_over():
    raw_vm = vm(instancetype="no")
    applied = apply_to_vm(raw_vm, CLUSTER)
    assert (applied.instancetype, applied.causes) == (None, [])
    assert raw_vm.spec.template.spec.subdomain == "lab"


@pytest.mark.parametrize(
    ("preference", "template", "field"),
    [
        ("thirds", "{domain: {devices: {}}}", "instancetype.spec.cpu.guest"),
        ("x", "{domain: {cpu: {cores: 2}, devices: {}}}", "spec.template.spec.domain.cpu.cores"),
        ("thirds", "{domain: {cpu: {cores: 2}, devices: {}}}", "instancetype.spec.cpu.guest"),
    ],
)
def test_a_vm_that_does_not_go_with_them(preference, template, field):
    applied = apply_to_vm(vm(preference=preference, template=template), CLUSTER)
    assert [cause.field for cause in applied.causes] == [field]
    assert (applied.instancetype, applied.preference) == (None, None)
