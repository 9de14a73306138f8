"""What the controllers note and keep: revisions, data volumes, generations, interfaces."""

import pytest

import otheryaml
from rollout.conftest import edited, kubevirt, shown
from rollout.test_types import LARGE, SERVER, SMALL, instancetype, preference
from virtcatalog import Cluster
from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.identity import type_uid
from virtcatalog.kubevirt.rollout import controller
from virtcatalog.kubevirt.rollout.controller import pinned, run_strategy, settle
from virtcatalog.kubevirt.rollout.instance import boot, note, note_unplugged
from virtcatalog.kubevirt.rollout.interfaces import needs_restart, plug, unplug
from virtcatalog.kubevirt.rollout.restart import restart_required
from virtcatalog.kubevirt.rollout.revisions import applied, forget_references, revision_names, sync_references
from virtcatalog.kubevirt.rollout.rollout import start
from virtcatalog.kubevirt.rollout.running import (
    AttachedVolume,
    Guest,
    MigratedVolume,
    PluggedInterface,
    Running,
    SyncError,
)

SMALL_KIND = "VirtualMachineClusterInstancetype"


class TestIdentities:
    """A type is stored under its uid and generation."""

    def identity(self, now, before=None, kind=SMALL_KIND):
        vm = convert({"spec": {"template": {}}}, VirtualMachine)
        cluster = Cluster([now])
        earlier = None if before is None else Cluster(before)
        running = Running(cluster, vm, earlier=earlier)
        name = now["metadata"]["name"]
        find = cluster.instancetype if "nstancetype" in kind else cluster.preference
        return running.identity_of(kind, find(kind, "", name))

    def meta(self, obj, **metadata):
        return {**obj, "metadata": {**obj["metadata"], **metadata}}

    def test_the_cluster_s_own_count(self):
        vmi_meta = self.meta(SMALL, uid="u", generation=7)
        assert self.identity(vmi_meta) == self.identity(vmi_meta, [instancetype(vcpus=3)]) == ("u", 7)

    def test_others_are_made_up(self):
        assert self.identity(SMALL) == (type_uid(SMALL_KIND, "", "small"), 1)
        assert self.identity(SMALL, []) == (type_uid(SMALL_KIND, "", "small"), 1)

    @pytest.mark.parametrize(("before", "more"), [(SMALL, 0), (instancetype(vcpus=3), 1)])
    def test_another_spec_is_the_next_generation(self, before, more):
        assert self.identity(SMALL, [before])[1] == 1 + more
        assert self.identity(SMALL, [self.meta(before, generation=4)])[1] == 4 + more
        assert self.identity(SMALL, [self.meta(before, name="other", generation=4)])[1] == 1

    @pytest.mark.parametrize(("spec", "generation"), [({}, 1), ({"devices": {"preferredRng": {}}}, 2)])
    def test_so_it_is_with_preferences(self, spec, generation):
        kind = "VirtualMachineClusterPreference"
        assert self.identity(SERVER, [preference(**spec)], kind) == (type_uid(kind, "", "server"), generation)


def test_a_revision_of_that_name_that_holds_something_else_is_in_the_way(typed, roll):
    name = f"web-large-v1beta1-{type_uid(SMALL_KIND, '', 'large')}-1"
    other = {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {"name": name, "namespace": "shop"},
        "revision": 0,
        "data": {**LARGE, "spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}},
    }
    objects = (SMALL, LARGE, SERVER)
    outcome = roll(typed, edited(typed, instancetype={"name": "large"}), *objects, later=[*objects, other])
    message = f"there is a ControllerRevision shop/{name} already, which holds something else"
    assert outcome.error == (Cause("FieldValueInvalid", "", message),)
    same = {**other, "data": LARGE}
    assert roll(typed, edited(typed, instancetype={"name": "large"}), *objects, later=[*objects, same]).error == ()


@pytest.mark.parametrize("policy", ["reference", "expand", "expandAll"])
def test_what_the_type_decides_stops_the_controller(vm, policy):
    vm = edited(vm, instancetype={"name": "small"}, preference={"name": "server"})
    cluster = Cluster([SMALL, SERVER, kubevirt(instancetype={"referencePolicy": policy})])
    template = "spec.template.spec.domain"
    fields = [f"{template}.{field}" for field in ("cpu.sockets", "cpu.cores", "cpu.threads", "memory.guest")]
    machine = convert(vm, VirtualMachine)
    for step in (lambda: sync_references(Running(cluster, machine), machine), lambda: applied(machine, cluster)):
        with pytest.raises(SyncError) as error:
            step()
        assert [cause.field for cause in error.value.causes] == fields
        assert {cause.message.partition(":")[0] for cause in error.value.causes} == {"the instance type decides this"}


@pytest.mark.parametrize(
    ("objects", "field", "name"),
    [
        ([], "instancetype", "VirtualMachineClusterInstancetype 'small'"),
        ([SMALL], "preference", "VirtualMachineClusterPreference 'server'"),
    ],
)
def test_what_is_not_there_stops_the_controller(typed, objects, field, name):
    cluster, machine = Cluster(objects), convert(typed, VirtualMachine)
    for step in (lambda: sync_references(Running(cluster, machine), machine), lambda: applied(machine, cluster)):
        with pytest.raises(SyncError) as error:
            step()
        assert error.value.causes == (Cause("FieldValueNotFound", f"spec.{field}.name", f"there is no {name}"),)


def test_a_vm_has_the_revisions_that_its_status_names(typed):
    running = start(typed, Cluster([SMALL, SERVER]))
    stored = revision_names(running.vm)
    small, server = type_uid(SMALL_KIND, "", "small"), type_uid("VirtualMachineClusterPreference", "", "server")
    assert stored == (f"web-small-v1beta1-{small}-1", f"web-server-v1beta1-{server}-1")
    spec = pinned(running.vm)
    assert (spec.instancetype.revision_name, spec.preference.revision_name) == stored
    assert running.vm.spec.instancetype.revision_name == ""
    assert {place[1] for place in running.revisions} == set(stored)
    forget_references(running, running.vm)
    assert revision_names(running.vm) == ("", "")
    assert all(running.cluster.controller_revision("shop", name) is None for name in stored)


@pytest.mark.parametrize(
    ("spec", "strategy"),
    [
        ({"runStrategy": "Manual"}, "Manual"),
        ({"running": True}, "Always"),
        ({"running": False}, "Halted"),
        ({}, "Halted"),
    ],
)
def test_the_run_strategy_of_older_vms(spec, strategy):
    assert run_strategy(convert({"spec": {"template": {}, **spec}}, VirtualMachine).spec) == strategy


DISK = {
    "metadata": {"name": "disk"},
    "spec": {"source": {"blank": {}}, "storage": {"resources": {"requests": {"storage": "1Gi"}}}},
}


@pytest.mark.parametrize(
    ("status", "annotation", "followed"),
    [
        ({"phase": "ImportInProgress"}, None, False),
        ({"phase": "ImportInProgress"}, "true", False),
        ({"phase": "ImportInProgress"}, "false", True),
        ({"phase": "Succeeded"}, None, True),
        ({"phase": "WaitForFirstConsumer"}, None, True),
        ({"phase": "PendingPopulation"}, None, True),
        ({"phase": ""}, None, True),
        ({}, None, True),
        (None, None, True),
    ],
)
def test_a_machine_follows_when_its_data_volumes_are_ready(vm, status, annotation, followed, roll):
    volumes = [{"name": "root", "dataVolume": {"name": "disk"}}]
    vm = edited(vm, dataVolumeTemplates=[DISK], template__spec__volumes=volumes)
    if annotation:
        vm["metadata"]["annotations"] = {"kubevirt.io/immediate-data-volume-creation": annotation}
    data_volume = {"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataVolume", **DISK}
    data_volume["metadata"] = {"name": "disk", "namespace": "shop"}
    later = [] if status is None else [{**data_volume, "status": status} if status else data_volume]
    more = edited(vm, template__spec__domain__cpu__sockets=4)
    assert bool(roll(vm, more, later=later).live) is followed


def vmi(text="{}", **status):
    """A VMI of `{interfaces, networks, …}`."""
    read = otheryaml.load(text)
    devices = {key: read.pop(key) for key in ("interfaces", "disks") if key in read}
    domain = {**read.pop("domain", {}), "devices": devices}
    return convert({"spec": {"domain": domain, **read}, "status": status}, VirtualMachineInstance)


def running(text="{}", *objects, release=None, **status):
    vm = convert(
        {"metadata": {"namespace": "shop"}, "spec": {"template": {"spec": {"domain": {"devices": {}}}}}}, VirtualMachine
    )
    return Running(Cluster(objects, release=release), vm, vmi=vmi(text, **status))


TWO = """
interfaces: [{name: a, masquerade: {}}, {name: b, bridge: {}}, {name: c, bridge: {}, state: absent}]
networks: [{name: a, pod: {}}, {name: b, multus: {networkName: lan}}, {name: c, multus: {networkName: x/lan}}]
volumes: [{name: r, containerDisk: {image: i}}, {name: d, persistentVolumeClaim: {claimName: p, hotpluggable: true}},
          {name: m, memoryDump: {claimName: q}}]
domain: {cpu: {sockets: 2, cores: 3}}
"""


def test_what_a_machine_has_that_has_just_started():
    machine = running(
        TWO,
        currentCPUTopology={"sockets": 2, "cores": 3, "threads": 1},
        memory={"guestAtBoot": "1Gi", "guestCurrent": "2Gi", "guestRequested": "2Gi"},
    )
    boot(machine)
    assert machine.volumes == {
        "r": AttachedVolume(hotplugged=False),
        "d": AttachedVolume(hotplugged=True, claim="p"),
        "m": AttachedVolume(hotplugged=True, claim="q"),
    }
    assert machine.interfaces == {"a": PluggedInterface(""), "b": PluggedInterface("shop/lan")}
    guest = machine.guest
    assert (guest.vcpus, guest.memory_at_boot, guest.memory) == (6, Quantity.parse("1Gi"), Quantity.parse("2Gi"))
    assert machine.conditions == {"LiveMigratable": False, "StorageLiveMigratable": True}


def test_what_is_not_known_of_a_machine():
    machine = running("{}")
    boot(machine)
    assert (machine.guest.vcpus, machine.guest.memory_at_boot, machine.guest.memory) == (None, None, None)


def test_what_leaves_is_noted():
    machine = running(TWO)
    boot(machine)
    machine.vmi.spec.volumes = machine.vmi.spec.volumes[:1]
    machine.vmi.spec.domain.devices.interfaces[1].state = "absent"
    note_unplugged(machine)
    assert list(machine.volumes) == ["r"]
    assert machine.interfaces == {"a": PluggedInterface(""), "b": PluggedInterface("shop/lan", in_guest=False)}


@pytest.mark.parametrize(
    ("plugged", "interface", "network", "gates", "condition"),
    [
        (PluggedInterface("shop/lan"), "bridge: {}", "lan", [], None),
        (PluggedInterface("shop/lan"), "bridge: {}", "shop/lan", [], None),
        (PluggedInterface("shop/lan"), "bridge: {}", "wan", ["LiveUpdateNADRef"], True),
        (PluggedInterface("shop/lan"), "bridge: {}, state: absent", "lan", [], None),
        (PluggedInterface("shop/lan", in_guest=False), "bridge: {}, state: absent", "lan", [], False),
        (None, "bridge: {}", "lan", [], False),
        (None, "sriov: {}", "lan", [], True),
        (None, "bridge: {}, state: absent", "lan", [], None),
    ],
)
def test_when_networks_take_a_migration(plugged, interface, network, gates, condition):
    text = f"{{interfaces: [{{name: b, {interface}}}], networks: [{{name: b, multus: {{networkName: {network}}}}}]}}"
    config = kubevirt(developerConfiguration={"featureGates": gates})
    machine = running(text, config, release="v1.8.4")
    machine.interfaces = {"b": plugged} if plugged else {}
    note(machine)
    assert machine.conditions.get("MigrationRequired") is condition


def test_a_migration_that_is_required_stays_so():
    text = "{interfaces: [{name: b, bridge: {}}], networks: [{name: b, multus: {networkName: lan}}]}"
    machine = running(text)
    machine.conditions["MigrationRequired"] = True
    note(machine)
    assert machine.conditions["MigrationRequired"] is True
    machine.interfaces = {"b": PluggedInterface("shop/lan")}
    note(machine)
    assert "MigrationRequired" not in machine.conditions


@pytest.mark.parametrize(
    ("domain", "guest", "conditions"),
    [
        ("cpu: {sockets: 2, cores: 2, maxSockets: 4}", Guest(4), {}),
        ("cpu: {sockets: 2, cores: 2, maxSockets: 4}", Guest(2), {"HotVCPUChange": True}),
        ("cpu: {sockets: 2, cores: 2, maxSockets: 4}", Guest(), {}),
        ("cpu: {sockets: 2, cores: 2}", Guest(2), {}),
        ("{}", Guest(2), {}),
        ("memory: {guest: 2Gi, maxGuest: 4Gi}", Guest(memory=Quantity.parse("2048Mi")), {}),
        ("memory: {guest: 2Gi, maxGuest: 4Gi}", Guest(memory=Quantity.parse("1Gi")), {"HotMemoryChange": True}),
        ("memory: {guest: 2Gi, maxGuest: 4Gi}", Guest(), {}),
        ("memory: {guest: 2Gi}", Guest(memory=Quantity.parse("1Gi")), {}),
        ("memory: {maxGuest: 4Gi}", Guest(memory=Quantity.parse("1Gi")), {}),
        ("{}", Guest(memory=Quantity.parse("1Gi")), {}),
    ],
)
def test_what_the_guest_lacks(domain, guest, conditions):
    machine = running(f"domain: {domain if domain == '{}' else f'{{{domain}}}'}")
    machine.guest = guest
    note(machine)
    noted = {name: value for name, value in machine.conditions.items() if name.startswith("Hot")}
    assert noted == conditions
    assert machine.vmi.metadata.labels == {}


@pytest.mark.parametrize(
    ("claims", "moved", "noted"),
    [
        (["y"], [("a", "x", "y")], True),
        (["x"], [("a", "x", "y")], False),
        (["x", "z"], [("a", "x", "y")], True),
        (["y"], [], False),
    ],
)
def test_claims_beside_those_that_volumes_move_away_from(claims, moved, noted):
    volumes = [f"{{name: v{number}, dataVolume: {{name: {claim}}}}}" for number, claim in enumerate(claims)]
    machine = running(f"volumes: [{', '.join(volumes)}, {{name: i, containerDisk: {{image: i}}}}]")
    machine.migrated_volumes = tuple(MigratedVolume(*volume) for volume in moved)
    note(machine)
    assert machine.conditions.get("VolumesChange", False) is noted
    machine.conditions["VolumesChange"] = False
    note(machine)
    assert machine.conditions["VolumesChange"] is False


def spec(text):
    return vmi(text).spec


LAN, OFF = "{name: b, bridge: {}}", "{name: b, bridge: {}, state: absent}"
DOWN = "{name: b, bridge: {}, state: down}"
NET = "{name: b, multus: {networkName: lan}}"


def of(interfaces="", networks=""):
    return spec(f"{{interfaces: [{interfaces}], networks: [{networks}]}}")


@pytest.mark.parametrize(
    ("wanted", "machine", "gates", "restarts"),
    [
        (of(LAN, NET), of(LAN, NET), [], False),
        (of(LAN, NET), of(), [], False),
        (of(), of(LAN, NET), [], True),
        (of("{name: b, sriov: {}}", NET), of(LAN, NET), [], True),
        (of(OFF, NET), of(LAN, NET), [], False),
        (of("{name: b, bridge: {}, state: up}", NET), of(DOWN, NET), [], False),
        (of(LAN, NET.replace("lan", "wan")), of(LAN, NET), [], True),
        (of(LAN, NET.replace("lan", "wan")), of(LAN, NET), ["LiveUpdateNADRef"], False),
        (of(LAN, "{name: b, pod: {}}"), of(LAN, NET), ["LiveUpdateNADRef"], True),
        (of(LAN, "{name: c, pod: {}}"), of(LAN, NET), ["LiveUpdateNADRef"], True),
        (of("", "{name: a, pod: {}}"), of(), [], True),
        (of("", "{name: a, pod: {}}"), of("", "{name: a, pod: {}}"), [], False),
    ],
)
def test_networks_that_a_machine_cannot_follow(wanted, machine, gates, restarts):
    config = Cluster([kubevirt(developerConfiguration={"featureGates": gates})], release="v1.8.4").configuration
    assert needs_restart(wanted, machine, config, migratable=True) is restarts


@pytest.mark.parametrize(
    ("wanted", "machine", "attached", "plugged"),
    [
        (of(LAN, NET), of(), [], of(LAN, NET)),
        (of("{name: b, sriov: {}}", NET), of(), [], of("{name: b, sriov: {}}", NET)),
        (of("{name: b, masquerade: {}}", NET), of(), [], of()),
        (of(OFF, NET), of(), [], of()),
        (of(OFF, NET), of(LAN, NET), ["b"], of(OFF, NET)),
        (of(OFF, NET), of(LAN, NET), [], of()),
        (of(DOWN, NET), of(LAN, NET), ["b"], of(DOWN, NET)),
        (
            of(DOWN, NET),
            of(OFF, NET),
            ["b"],
            of(OFF, NET),
        ),
        (of(), of(LAN, NET), ["b"], of(LAN, NET)),
    ],
)  # fmt: skip
def test_interfaces_that_a_machine_gets(wanted, machine, attached, plugged):
    config = Cluster(release="v1.9.0").configuration
    assert plug(wanted, machine, attached, config, migratable=True) == plugged


@pytest.mark.parametrize(
    ("machine", "attached", "left"),
    [
        (of(LAN, NET), [], True),
        (of(), ["b"], True),
        (of(), [], False),
        (None, [], False),
        (None, ["b"], True),
    ],
)
def test_an_absent_interface_leaves_its_vm_when_it_has_left_the_machine(machine, attached, left):
    absent = of("{name: a, bridge: {}}, {name: b, bridge: {}, state: absent}", f"{NET}, {{name: a, pod: {{}}}}")
    after = absent if left else of("{name: a, bridge: {}}", "{name: a, pod: {}}")
    after.networks = sorted(after.networks, key=lambda network: network.name)
    assert unplug(absent, machine, attached) == after


def test_an_error_of_a_controller_is_its_sentence():
    error = SyncError(Cause("", "a", "is wrong"), Cause("", "b", "too"), by="vm")
    assert (str(error), error.by, SyncError().by) == ("a: is wrong; b: too", "vm", "controller")


def test_a_restart_sees_what_the_guest_s_memory_and_firmware_became(vm, roll):
    """Memory and uuid that the VM gets later are no reasons to restart."""
    bare = edited(
        vm, template__spec__domain__memory=None, template__spec__domain__resources={"requests": {"memory": "2Gi"}}
    )
    outcome = roll(bare, edited(bare, template__spec__domain__memory={"guest": "2Gi"}))
    assert outcome.restart is None or outcome.restart.reason != "template"
    assert shown(outcome.vm_changes) == {}


@pytest.mark.parametrize(
    ("started", "current", "machine", "fields"),
    [
        (None, {"uuid": "a"}, {"uuid": "a"}, None),
        ({"serial": "s"}, {"serial": "s", "uuid": "a"}, {"uuid": "a"}, None),
        ({"uuid": "b"}, {"uuid": "a"}, {"uuid": "a"}, None),
        (None, {"uuid": "a"}, {"uuid": "b"}, ["firmware.uuid"]),
        (None, {"uuid": "a"}, None, ["firmware.uuid"]),
        ({"uuid": "a"}, None, {"uuid": "a"}, ["firmware.uuid"]),
        (None, {"uuid": "a", "serial": "s"}, {"uuid": "a"}, ["firmware.serial"]),
    ],
)
def test_the_uuid_that_the_machine_has_needs_no_restart(vm, started, current, machine, fields):
    before, now, vmi = (
        convert(edited(vm, template__spec__domain__firmware=firmware), VirtualMachine).spec
        for firmware in (started, current, machine)
    )
    restart = restart_required(before, now, vmi.template.spec, Cluster().configuration, migratable=True)
    expected = None if fields is None else [f"spec.template.spec.domain.{field}" for field in fields]
    assert (restart and list(restart.fields)) == expected


def test_a_vm_that_settles_changes_no_more(vm):
    machine = start(vm, Cluster())
    before = machine.state()
    settle(machine)
    assert machine.state() == before
    assert isinstance(machine.vmi.spec, VirtualMachineInstanceSpec)


@pytest.mark.parametrize(
    ("passes", "message"),
    [(0, "the controllers do not come to rest"), (1, "the VM's controller does not come to rest")],
)
def test_controllers_do_not_work_for_ever(vm, passes, message, monkeypatch):
    monkeypatch.setattr(controller, "_PASSES", passes)
    with pytest.raises(AssertionError) as error:
        start(vm, Cluster())
    assert str(error.value) == message
