"""Volumes and interfaces that come and go while the machine runs."""

from copy import deepcopy

import pytest

from rollout.conftest import edited, kubevirt, shown


def spec_of(vm):
    return vm["spec"]["template"]["spec"]


def with_volume(vm, name="data", claim="data", *, bus="scsi", plugged=True, **disk):
    changed = deepcopy(vm)
    spec = spec_of(changed)
    target = disk or {"disk": {"bus": bus}}
    spec["domain"]["devices"]["disks"].append({"name": name, **target})
    source = {"claimName": claim} | ({"hotpluggable": True} if plugged else {})
    spec["volumes"].append({"name": name, "persistentVolumeClaim": source})
    return changed


def claim(name, *modes):
    spec = {"accessModes": list(modes), "resources": {"requests": {"storage": "1Gi"}}}
    metadata = {"name": name, "namespace": "shop"}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def names(outcome, path):
    return [item["name"] for item in shown(outcome.live).get(path, [])]


def test_a_hotpluggable_volume_comes_and_goes(vm, roll):
    more = with_volume(vm)
    outcome = roll(vm, more)
    assert names(outcome, "/spec/volumes") == names(outcome, "/spec/domain/devices/disks") == ["root", "data"]
    assert not outcome.restart_required
    assert names(roll(more, vm), "/spec/volumes") == ["root"]


def test_a_plugged_volume_that_changes_leaves_and_comes_back_at_the_end(vm, roll):
    two = with_volume(with_volume(vm), "more", "more")
    changed = deepcopy(two)
    spec_of(changed)["volumes"][1]["persistentVolumeClaim"]["claimName"] = "other"
    outcome = roll(two, changed)
    assert [volume.name for volume in outcome.machine.spec.volumes] == ["root", "more", "data"]
    assert outcome.machine.spec.volumes[2].persistent_volume_claim.claim_name == "other"


def test_between_two_claims_of_a_plugged_volume_the_machine_does_not_become_migratable(vm, roll):
    claims = claim("data", "ReadWriteOnce"), claim("other", "ReadWriteOnce")
    plugged = with_volume(vm)
    changed = edited(plugged, template__spec__domain__memory={"guest": "3Gi"})
    spec_of(changed)["volumes"][1]["persistentVolumeClaim"]["claimName"] = "other"
    outcome = roll(plugged, changed, *claims)
    assert outcome.machine.spec.volumes[1].persistent_volume_claim.claim_name == "other"
    assert outcome.restart.reason == "memory-not-migratable"


def test_a_permanent_volume_needs_a_restart_to_come_or_go(vm, roll):
    fixed = with_volume(vm, bus="virtio", plugged=False)
    assert roll(vm, fixed).restart.reason == roll(fixed, vm).restart.reason == "template"


@pytest.mark.parametrize(
    ("disk", "problem"),
    [
        ({"disk": {"bus": "sata"}}, "bus 'sata' has no hotplug"),
        ({"lun": {"bus": "virtio"}}, "no hotplug of a LUN"),
        ({}, ""),
    ],
)
def test_a_disk_that_cannot_be_plugged_in_stops_the_controller(vm, disk, problem, roll):
    more = with_volume(vm, **disk)
    spec_of(more)["domain"]["cpu"]["sockets"] = 4
    outcome = roll(vm, more)
    if problem:
        assert problem in outcome.error[0].message
        assert outcome.live == ()  # CPUs come after volumes
    else:
        assert outcome.error == ()
        assert shown(outcome.live)["/spec/domain/cpu/sockets"] == 4


def test_the_old_gate_turns_hotplug_by_declaration_off(vm, roll):
    outcome = roll(vm, with_volume(vm), kubevirt(developerConfiguration={"featureGates": ["HotplugVolumes"]}))
    assert (outcome.live, outcome.restart_required) == ((), False)
    assert any(path.startswith("/spec/volumes") for path in shown(outcome.following.changes))


def migrating(vm, target, **disk):
    changed = edited(vm, updateVolumesStrategy="Migration")
    spec_of(changed)["volumes"][1]["persistentVolumeClaim"]["claimName"] = target
    return changed


def test_claims_move_with_a_migration(vm, roll):
    fixed = with_volume(vm, claim="a", bus="virtio", plugged=False)
    outcome = roll(fixed, migrating(fixed, "b"), claim("a", "ReadWriteOnce"), claim("b", "ReadWriteOnce"))
    assert outcome.migrated_volumes == ("data:a>b",)
    assert shown(outcome.live) == {"/spec/volumes/1/persistentVolumeClaim/claimName": "b"}
    assert (outcome.migration.required, outcome.migration.action) == ("yes", "migrate")
    assert dict(outcome.conditions)["VolumesChange"] == "True"


def test_a_volume_of_one_node_that_stays_keeps_the_others(vm, roll):
    fixed = with_volume(
        with_volume(vm, claim="a", bus="virtio", plugged=False), "more", "c", bus="virtio", plugged=False
    )
    outcome = roll(fixed, migrating(fixed, "b"))
    assert outcome.restart.reason == "volumes"
    shared = [claim(name, "ReadWriteMany") for name in "abc"]
    assert roll(fixed, migrating(fixed, "b"), *shared).migrated_volumes == ("data:a>b",)


@pytest.mark.parametrize(
    ("disk", "problem"),
    [({"disk": {"bus": "virtio"}, "shareable": True}, "shareable"), ({"lun": {"bus": "scsi"}}, "LUN")],
)
def test_some_disks_move_with_no_migration(vm, disk, problem, roll):
    fixed = with_volume(vm, claim="a", plugged=False, **disk)
    outcome = roll(fixed, migrating(fixed, "b"), *[claim(name, "ReadWriteMany") for name in "ab"])
    assert outcome.restart.reason == "volumes"
    assert problem in outcome.restart.message


def test_under_stage_a_claim_that_is_to_move_does_nothing_and_nothing_says_so(vm, roll):
    fixed = with_volume(vm, claim="a", bus="virtio", plugged=False)
    outcome = roll(fixed, migrating(fixed, "b"), kubevirt(vmRolloutStrategy="Stage"))
    assert (outcome.live, outcome.restart_required) == ((), False)
    assert outcome.following.changes


def test_an_unknown_strategy_stops_the_controller(vm, roll):
    outcome = roll(vm, edited(vm, updateVolumesStrategy="Sometimes"))
    assert "'Sometimes' is no strategy" in outcome.error[0].message


def with_interface(vm, name="lan", network="blue", **binding):
    changed = deepcopy(vm)
    spec = spec_of(changed)
    spec["domain"]["devices"]["interfaces"].append({"name": name, **(binding or {"bridge": {}})})
    spec["networks"].append({"name": name, "multus": {"networkName": network}})
    return changed


@pytest.mark.parametrize(
    ("binding", "plugged", "required"),
    [({"bridge": {}}, True, "pending"), ({"sriov": {}}, True, "yes"), ({"binding": {"name": "x"}}, False, "no")],
)
def test_interfaces_are_plugged_in_by_a_migration(vm, binding, plugged, required, roll):
    config = kubevirt(network={"binding": {"x": {"sidecarImage": "i"}}})
    outcome = roll(vm, with_interface(vm, **binding), config)
    assert (names(outcome, "/spec/networks") == ["default", "lan"]) is plugged
    assert (outcome.migration.required, outcome.restart_required) == (required, False)


def test_an_interface_is_unplugged_by_its_state(vm, roll):
    both = with_interface(vm)
    absent = deepcopy(both)
    spec_of(absent)["domain"]["devices"]["interfaces"][1]["state"] = "absent"
    outcome = roll(both, absent)
    assert shown(outcome.live) == {"/spec/domain/devices/interfaces/1/state": "absent"}
    assert outcome.migration.required == "pending"
    assert roll(both, vm).restart.reason == "template"


def test_an_interface_that_is_absent_moves_to_no_other_network(vm, roll):
    both = with_interface(vm)
    absent = deepcopy(both)
    spec_of(absent)["domain"]["devices"]["interfaces"][1]["state"] = "absent"
    spec_of(absent)["networks"][1]["multus"]["networkName"] = "other"
    outcome = roll(both, absent)
    assert shown(outcome.live)["/spec/networks/1/multus/networkName"] == "other"
    assert outcome.migration.required == "pending"


def test_an_interface_that_is_absent_from_the_start_leaves_machine_and_vm(vm, roll):
    absent = with_interface(vm, bridge={}, state="absent")
    outcome = roll(absent, absent)
    assert len(outcome.machine.spec.networks) == 1
    assert [change.path for change in outcome.vm_changes] == [
        "/spec/template/spec/domain/devices/interfaces",
        "/spec/template/spec/networks",
    ]


@pytest.mark.parametrize(("gates", "plugged"), [([], True), (["LiveUpdateNADRef"], False)])
def test_a_machine_that_has_lost_its_last_network_gets_none_where_networks_are_live(vm, gates, plugged, roll):
    spec = spec_of(vm)
    spec["networks"] = [{"name": "gone", "multus": {"networkName": "gone"}}]
    spec["domain"]["devices"]["interfaces"] = [{"name": "gone", "bridge": {}, "state": "absent"}]
    config = kubevirt(developerConfiguration={"featureGates": gates})
    outcome = roll(vm, with_interface(vm), config, release="v1.8.4")
    assert (names(outcome, "/spec/networks") == ["lan"], not outcome.error) == (plugged, plugged)


def test_networks_without_an_interface_go_and_the_others_take_their_order(vm, roll):
    both = with_interface(vm)
    spec_of(both)["networks"].reverse()
    outcome = roll(both, both)
    assert {change.path for change in outcome.vm_changes} >= {"/spec/template/spec/networks/0/name"}
    assert [network.name for network in outcome.machine.spec.networks] == ["default", "lan"]


def test_a_network_is_the_same_with_and_without_its_namespace(vm, roll):
    outcome = roll(with_interface(vm), with_interface(vm, network="shop/blue"))
    assert (outcome.migration.required, outcome.restart_required) == ("no", False)
    assert roll(with_interface(vm), with_interface(vm, network="red")).migration.required == "yes"
