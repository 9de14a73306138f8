"""What keeps a VMI on its node."""

import pytest
from msgspec.structs import replace

import otheryaml
from rollout.conftest import kubevirt
from virtcatalog import Cluster
from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.kubevirt.hosts import HOSTS, TSC
from virtcatalog.kubevirt.rollout.migratable import action, note_migratability, obstacles, obstacles_now, required
from virtcatalog.kubevirt.rollout.running import AttachedVolume, MigratedVolume, Running

NO_TSC = replace(HOSTS["reference"], tsc=TSC(0))
NETWORK = "the interface of the pod network has a binding that does not migrate"
DEVICE = "a host device or GPU keeps it on its node"
SECRET = "a confidential guest stays on its node"
CLOCK = "the node does not tell its TSC frequency, which the guest depends on"
PASSTHROUGH = "hypervPassthrough keeps it on its node"
RESERVED = "a LUN with persistent reservations stays on its node"


def vmi(text, annotations=()):
    spec = otheryaml.load(text) or {}
    spec.setdefault("domain", {}).setdefault("devices", {})
    return convert({"metadata": {"annotations": dict(annotations)}, "spec": spec}, VirtualMachineInstance)


def on(interface, networks="[{name: a, pod: {}}]"):
    return f"{{domain: {{devices: {{interfaces: [{interface}]}}}}, networks: {networks}}}"


BINDINGS = {"moves": {"migration": {"method": "link-refresh"}}, "stays": {}}


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("{}", None),
        (on("{name: a, masquerade: {}}"), None),
        (on("{name: a, passtBinding: {}}"), None),
        (on("{name: a, bridge: {}}"), NETWORK),
        (on("{name: a, binding: {name: moves}}"), None),
        (on("{name: a, binding: {name: stays}}"), NETWORK),
        (on("{name: a, binding: {name: other}}"), NETWORK),
        (on("{name: a}"), NETWORK),
        (on("{name: b, bridge: {}}"), NETWORK),
        (on("{name: a, bridge: {}}", "[{name: a, multus: {networkName: n}}]"), None),
        (on("{name: a, bridge: {}}", "[]"), None),
        ("networks: [{name: a, pod: {}}]", None),
    ],
)
def test_the_binding_of_the_pod_network(spec, why):
    cluster = Cluster([kubevirt(network={"binding": BINDINGS})])
    assert obstacles(vmi(spec), cluster, {}) == ((why,) if why else ())


def test_an_annotation_lets_a_bridge_migrate():
    annotations = {"kubevirt.io/allow-pod-bridge-network-live-migration": ""}
    assert obstacles(vmi(on("{name: a, bridge: {}}"), annotations), Cluster(), {}) == ()


GPU, OTHER = "{name: g, deviceName: nvidia.com/A}", "{name: h, deviceName: nvidia.com/B}"


@pytest.mark.parametrize(
    ("devices", "gates", "stays"),
    [
        ("{}", ["VGPULiveMigration"], False),
        ("hostDevices: [{name: a, deviceName: d}]", ["VGPULiveMigration"], True),
        (f"gpus: [{GPU}]", ["VGPULiveMigration"], False),
        (f"gpus: [{GPU}]", [], True),
        (f"gpus: [{OTHER}]", ["VGPULiveMigration"], True),
        (f"gpus: [{GPU}, {GPU}]", ["VGPULiveMigration"], True),
    ],
)
def test_host_devices_and_all_gpus_but_one_mediated_one(devices, gates, stays):
    permitted = {"mediatedDevices": [{"mdevNameSelector": "A", "resourceName": "nvidia.com/A"}]}
    config = kubevirt(developerConfiguration={"featureGates": gates}, permittedHostDevices=permitted)
    reasons = obstacles(vmi(f"domain: {{devices: {{{devices.strip('{}')}}}}}"), Cluster([config]), {})
    assert reasons == ((DEVICE,) if stays else ())


def test_a_gpu_that_nothing_is_known_of():
    config = kubevirt(developerConfiguration={"featureGates": ["VGPULiveMigration"]})
    assert obstacles(vmi(f"domain: {{devices: {{gpus: [{GPU}]}}}}"), Cluster([config]), {}) == (DEVICE,)


@pytest.mark.parametrize(
    ("spec", "host", "why"),
    [
        ("domain: {launchSecurity: {sev: {}}}", NO_TSC, (SECRET,)),
        ("domain: {launchSecurity: {snp: {}}}", NO_TSC, (SECRET,)),
        ("domain: {launchSecurity: {tdx: {}}}", NO_TSC, (SECRET,)),
        ("domain: {launchSecurity: {}}", NO_TSC, ()),
        ("{architecture: s390x, domain: {launchSecurity: {}}}", NO_TSC, (SECRET,)),
        ("domain: {features: {hypervPassthrough: {enabled: true}}}", NO_TSC, (PASSTHROUGH,)),
        ("domain: {features: {hypervPassthrough: {enabled: false}}}", NO_TSC, ()),
        ("domain: {features: {hypervPassthrough: {}}}", NO_TSC, ()),
        ("domain: {features: {hyperv: {reenlightenment: {enabled: true}}}}", NO_TSC, (CLOCK,)),
        ("domain: {features: {hyperv: {reenlightenment: {enabled: true}}}}", HOSTS["reference"], ()),
        ("domain: {features: {hyperv: {reenlightenment: {enabled: false}}}}", NO_TSC, ()),
    ],
)
def test_what_of_the_guest_needs_its_node(spec, host, why):
    assert obstacles(vmi(spec), Cluster([], host=host), {}) == why


@pytest.mark.parametrize(
    ("feature", "why"),
    [
        ("{name: invtsc, policy: disable}", (CLOCK,)),
        ("{name: vmx, policy: require}", (CLOCK,)),
        ("{name: invtsc, policy: require}", ()),
        ("{name: invtsc, policy: force}", ()),
    ],
)
def test_a_guest_with_invtsc_does_not_even_boot(feature, why):
    hyperv = "hyperv: {reenlightenment: {enabled: true}}"
    machine = vmi(f"domain: {{features: {{{hyperv}}}, cpu: {{features: [{feature}]}}}}")
    assert obstacles(machine, Cluster([], host=NO_TSC), {}) == why


@pytest.mark.parametrize(("release", "stays"), [("v1.8.4", True), ("v1.9.0", False)])
@pytest.mark.parametrize(
    ("disk", "reserves"),
    [("lun: {reservation: true}", True), ("lun: {}", False), ("disk: {}", False)],
)
def test_persistent_reservations_migrate_from_v1_9_on(release, stays, disk, reserves):
    machine = vmi(f"domain: {{devices: {{disks: [{{name: a, {disk}}}]}}}}")
    assert obstacles(machine, Cluster([], release=release), {}) == ((RESERVED,) if stays and reserves else ())


SHARED, ALONE = ("ReadOnlyMany", "ReadWriteMany"), ("ReadWriteOnce",)
NEEDS = "not shared: a migration needs ReadWriteMany"
IS_ALONE = f"volume 'v': claim 'c' is {NEEDS}"


@pytest.mark.parametrize(
    ("source", "attached", "why"),
    [
        ("persistentVolumeClaim: {claimName: c}", AttachedVolume(False, "c", SHARED), None),
        ("dataVolume: {name: c}", AttachedVolume(False, "c", SHARED), None),
        (
            "persistentVolumeClaim: {claimName: c}",
            AttachedVolume(False, "c", ALONE),
            IS_ALONE,
        ),
        ("dataVolume: {name: c}", AttachedVolume(False, "c", ("ReadOnlyMany",)), IS_ALONE),
        (
            "dataVolume: {name: c}",
            AttachedVolume(False, "c"),
            f"volume 'v': claim 'c' has no known access modes, and counts as {NEEDS}",
        ),
        ("persistentVolumeClaim: {claimName: c}", None, "the claim of volume 'v' is not known"),
        ("dataVolume: {name: c}", AttachedVolume(False), "the claim of volume 'v' is not known"),
        ("hostDisk: {path: /a, type: Disk}", AttachedVolume(False), "volume 'v': the host disk is not shared"),
        ("hostDisk: {path: /a, type: Disk, shared: true}", AttachedVolume(False), None),
        ("containerDisk: {image: i}", AttachedVolume(False), None),
    ],
)
def test_volumes_that_others_nodes_do_not_have(source, attached, why):
    machine = vmi(f"volumes: [{{name: v, {source}}}]")
    volumes = {"v": attached} if attached else {}
    assert obstacles(machine, Cluster(), volumes) == ((why,) if why else ())


def test_a_volume_that_moves_need_not_be_shared():
    machine = vmi("volumes: [{name: v, dataVolume: {name: c}}, {name: w, dataVolume: {name: d}}]")
    volumes = {"v": AttachedVolume(False, "c", ALONE), "w": AttachedVolume(False, "d", ALONE)}
    assert obstacles(machine, Cluster(), volumes, ["w"]) == (IS_ALONE,)


VM = convert({"spec": {"template": {}}}, VirtualMachine)


def running(text="{}", conditions=(), **fields):
    running_vm = Running(Cluster([], release=fields.pop("release", None)), VM, vmi=vmi(text))
    running_vm.conditions.update(conditions)
    for name, value in fields.items():
        setattr(running_vm, name, value)
    return running_vm


@pytest.mark.parametrize(
    ("text", "release", "migratable", "storage"),
    [
        ("{}", "v1.9.0", True, True),
        ("domain: {launchSecurity: {sev: {}}}", "v1.9.0", False, False),
        ("domain: {devices: {disks: [{name: a, lun: {reservation: true}}]}}", "v1.9.0", True, False),
        ("domain: {devices: {disks: [{name: a, lun: {reservation: true}}]}}", "v1.8.4", False, False),
        ("volumes: [{name: a, hostDisk: {path: /a, type: Disk}}]", "v1.9.0", False, True),
    ],
)
def test_a_machine_and_its_storage_are_noted_apart(text, release, migratable, storage):
    of_vm = running(text, release=release)
    note_migratability(of_vm)
    assert of_vm.conditions == {"LiveMigratable": migratable, "StorageLiveMigratable": storage}


def test_without_a_machine_nothing_keeps_it():
    assert obstacles_now(Running(Cluster(), VM)) == ()


@pytest.mark.parametrize(
    ("conditions", "outdated", "wanted"),
    [
        ({}, False, "no"),
        ({}, True, "yes"),
        ({"HotVCPUChange": True}, False, "yes"),
        ({"HotVCPUChange": False}, False, "yes"),
        ({"HotMemoryChange": True}, False, "yes"),
        ({"HotMemoryChange": False}, False, "no"),
        ({"VolumesChange": True}, False, "yes"),
        ({"MigrationRequired": True}, False, "yes"),
        ({"MigrationRequired": False}, False, "pending"),
        ({"LiveMigratable": True}, False, "no"),
    ],
)
def test_what_requires_a_migration(conditions, outdated, wanted):
    assert required(running(conditions=conditions, outdated=outdated)) == wanted


MOVED = (MigratedVolume("v", "a", "b"),)


@pytest.mark.parametrize(
    ("conditions", "moved", "wanted"),
    [
        ({}, (), "none"),
        ({"LiveMigratable": True}, (), "none"),
        ({"HotVCPUChange": True, "LiveMigratable": True}, (), "migrate"),
        ({"HotVCPUChange": True}, (), "evict"),
        ({"HotVCPUChange": True}, MOVED, "migrate"),
        ({"HotVCPUChange": True, "StorageLiveMigratable": False}, MOVED, "evict"),
    ],
)
def test_what_the_workload_updater_does(conditions, moved, wanted):
    assert action(running(conditions=conditions, migrated_volumes=moved)) == wanted
