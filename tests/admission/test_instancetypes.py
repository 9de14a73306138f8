"""What the webhooks of instance types and preferences refuse or warn of, and those of VMs about them."""

import pytest

import otheryaml
from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.admission.instancetypes import admit, apply_to_vm, warnings
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.releases import RELEASES

INSTANCETYPES = ["VirtualMachineInstancetype", "VirtualMachineClusterInstancetype"]
PREFERENCES = ["VirtualMachinePreference", "VirtualMachineClusterPreference"]


def manifest(kind, spec):
    values = otheryaml.load(spec)
    if kind in INSTANCETYPES:
        values.setdefault("cpu", {"guest": 4})
        values.setdefault("memory", {}).setdefault("guest", "4Gi")
    return {"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": kind, "metadata": {"name": "x"}, "spec": values}


@pytest.fixture
def causes(recorded):
    """Ask the webhook of a type or preference for the types and fields of what it finds, as `recorded` does."""
    return lambda kind, spec: recorded(admit(manifest(kind, spec), Cluster([])))


OVERCOMMIT = "Invalid spec.memory.overcommitPercent"


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
def test_instance_types(causes, kind, spec, refused):
    assert causes(kind, spec) == refused


TOPOLOGY = ["Invalid spec.cpu.preferredCPUTopology"]
ACROSS = ["Invalid spec.cpu.spreadOptions.across"]
THREADS = "{preferredCPUTopology: spread, spreadOptions: {across: CoresThreads}}"
RATIO = ["Invalid spec.cpu.spreadOptions.ratio"]


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
def test_preferences(causes, kind, spec, refused):
    assert causes(kind, spec) == refused


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("VirtualMachineInstancetype", "cpu: {guest: many}"),
        ("VirtualMachineClusterPreference", "devices: {preferredDiskBuss: virtio}"),
    ],
)
def test_what_is_not_of_the_api(causes, kind, spec):
    assert causes(kind, spec) == [" "]


@pytest.mark.parametrize(
    ("kind", "hint"), [("Namespace", ""), (None, ""), (["x"], ""), ("VirtualMachine", "; expand tells of VMs")]
)
def test_other_kinds_are_no_matter_of_these_webhooks(kind, hint):
    manifest = {"kind": kind} if kind else {}
    with pytest.raises(UnsupportedError) as error:
        admit(manifest, cluster=Cluster([]))
    message = f"{kind!r} is no kind of instance type or preference{hint}"
    assert (error.value.field, error.value.message) == ("kind", message)
    assert warnings(manifest) == []


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("VirtualMachineInstancetype", "launchSecurity: {}"),
        ("VirtualMachineClusterPreference", "cpu: {preferredCPUTopology: preferCores}"),
        ("VirtualMachineClusterPreference", "cpu: {preferredCPUTopology: preferAny}"),
    ],
)
def test_deprecations(kind, spec, snapshot):
    assert [
        f"{warning.type} {warning.object} {warning.field}: {warning.message}"
        for warning in warnings(manifest(kind, spec))
    ] == snapshot


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("VirtualMachineInstancetype", "{}"),
        ("VirtualMachinePreference", "{}"),
        ("VirtualMachinePreference", "cpu: {}"),
        ("VirtualMachinePreference", "cpu: {preferredCPUTopology: cores}"),
    ],
)
def test_what_is_not_deprecated(kind, spec):
    assert warnings(manifest(kind, spec)) == []


def test_launch_security_is_deprecated_where_a_preference_has_it():
    of_type = manifest("VirtualMachineInstancetype", "launchSecurity: {}")
    assert [bool(warnings(of_type, RELEASES[name])) for name in RELEASES] == [False, False, True]


def vm(instancetype="x", preference="x", template="{domain: {devices: {}}}"):
    spec = {
        "instancetype": {"name": instancetype},
        "preference": {"name": preference},
        "template": {"spec": otheryaml.load(template)},
    }
    return convert({"metadata": {"name": "vm"}, "spec": spec}, VirtualMachine)


CLUSTER = Cluster(
    [
        manifest("VirtualMachineClusterInstancetype", "{}"),
        manifest("VirtualMachineClusterPreference", "{cpu: {preferredCPUTopology: spread}, preferredSubdomain: lab}"),
        {
            **manifest("VirtualMachineClusterPreference", "{preferSpreadSocketToCoreRatio: 3}"),
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
def test_a_vm_that_does_not_go_with_them(recorded, preference, template, field):
    applied = apply_to_vm(vm(preference=preference, template=template), CLUSTER)
    assert [cause.split()[1] for cause in recorded(applied.causes)] == [field]
    assert (applied.instancetype, applied.preference) == (None, None)
