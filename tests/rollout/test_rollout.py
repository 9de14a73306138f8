"""A running VM whose manifest changes: refused, stopped, restarted, updated live, or left as it is."""

from copy import deepcopy

import pytest

from rollout.conftest import edited, kubevirt, shown
from virtcatalog import Cluster, ManifestError, UnsupportedError, rollout


def test_the_same_manifest_changes_nothing(vm, roll):
    outcome = roll(vm, vm)
    assert (outcome.refused, outcome.restart_required, outcome.stopped) == (False, False, False)
    assert (outcome.live, outcome.vm_changes, outcome.following.changes) == ((), (), ())
    assert outcome.generation_observed


def test_more_sockets_are_plugged_in_and_a_migration_brings_them(vm, roll):
    outcome = roll(vm, edited(vm, template__spec__domain__cpu__sockets=4))
    assert shown(outcome.live) == {"/spec/domain/cpu/sockets": 4}
    assert outcome.conditions == (("HotVCPUChange", "True"),)
    assert (outcome.migration.required, outcome.migration.action) == ("yes", "migrate")
    assert not outcome.restart_required


def test_a_field_that_a_running_machine_cannot_get_needs_a_restart(vm, roll):
    outcome = roll(vm, edited(vm, template__spec__hostname="web"))
    assert (outcome.restart.reason, outcome.restart.fields) == ("template", ("spec.template.spec.hostname",))
    assert outcome.live == ()
    assert shown(outcome.following.changes) == {"/spec/hostname": "web"}


def test_gpus_in_another_order_need_a_restart(vm, roll):
    gpus = [{"name": name, "deviceName": "example.org/gpu"} for name in ("a", "b")]
    before = edited(vm, template__spec__domain__devices__gpus=gpus)
    outcome = roll(before, edited(before, template__spec__domain__devices__gpus=gpus[::-1]))
    assert (outcome.restart.reason, outcome.restart.fields) == (
        "template",
        ("spec.template.spec.domain.devices.gpus",),
    )


def test_an_update_that_the_webhook_refuses_changes_nothing(vm, roll):
    outcome = roll(vm, edited(vm, template__spec__domain__cpu__maxSockets=1))
    assert outcome.refused
    assert {cause.field for cause in outcome.causes} == {"spec.template.spec.domain.cpu.sockets"}
    assert outcome.to_dict().keys() == {"restartRequiredBefore", "updateAdmission"}
    nothing = {field: getattr(outcome, field) for field in outcome.__struct_fields__ if getattr(outcome, field)}
    assert nothing.keys() - {"reasons", "causes"} == {"runs", "migration", "revisions"}
    assert (outcome.migration.required, outcome.migration.action) == ("no", "none")
    assert outcome.revisions == (("", ""), ("", ""))


def test_what_is_no_amount_is_refused_without_any_cause(vm, roll):
    outcome = roll(vm, edited(vm, template__spec__domain__memory__guest="much"))
    assert (outcome.refused, outcome.causes) == (True, ())
    assert [reason.field for reason in outcome.reasons] == ["spec.template.spec.domain.memory.guest"]


def test_a_field_that_came_after_the_release_is_refused_with_a_cause_that_names_none(vm, roll):
    later = edited(vm, template__spec__serviceAccountName="web")
    assert roll(vm, later, release="v1.8.4").to_dict()["updateAdmission"]["fields"] == [""]
    assert not roll(vm, later, release="v1.9.0").refused


def test_a_vm_that_is_switched_off_is_stopped(vm, roll):
    outcome = roll(vm, edited(vm, runStrategy="Halted"))
    assert outcome.stopped
    assert outcome.following is None


def test_a_vm_that_did_not_run_is_told_of_at_its_next_start(vm, roll):
    halted = edited(vm, runStrategy="Halted")
    outcome = roll(halted, edited(halted, runStrategy="Always"))
    assert not outcome.runs
    assert outcome.following.refused_by is None


def test_a_vm_that_could_not_start_is_told_of_as_if_it_were_new(vm, roll):
    nameless = edited(vm, instancetype={"name": "missing"}, template__spec__domain={"devices": {}})
    outcome = roll(nameless, vm)
    assert (outcome.runs, outcome.refused) == (False, False)


def test_a_machine_that_waits_for_a_guest_is_not_modelled(vm, roll):
    gate = kubevirt(developerConfiguration={"featureGates": ["DecentralizedLiveMigration"]})
    waiting = edited(vm, runStrategy="WaitAsReceiver")
    with pytest.raises(UnsupportedError) as error:
        roll(waiting, vm, gate)
    message = "a machine that waits to receive a guest does not run yet"
    assert (error.value.field, error.value.message) == ("spec.runStrategy", message)
    outcome = roll(vm, waiting, gate)
    assert "needs a VMI that was started to receive a guest" in outcome.error[0].message


def test_what_replaces_a_manifest_keeps_nothing_that_the_cluster_added(vm, roll):
    assert not roll(vm, vm).restart_required
    outcome = roll(vm, vm, update="replace")
    assert outcome.restart.reason == "template"
    assert "spec.template.spec.domain.firmware.serial" in outcome.restart.fields


def test_under_stage_nothing_is_plugged_in(vm, roll):
    more = edited(vm, template__spec__domain__cpu__sockets=4)
    outcome = roll(vm, more, kubevirt(vmRolloutStrategy="Stage"))
    assert (outcome.restart.reason, outcome.live) == ("template", ())


@pytest.mark.parametrize(("name", "shown"), [("db", "VirtualMachine/shop/db"), ("", "VirtualMachine/shop")])
def test_two_vms_are_no_update(vm, name, shown, roll):
    other = {**vm, "metadata": {**vm["metadata"], "name": name}}
    with pytest.raises(ManifestError) as error:
        roll(vm, other)
    (problem,) = error.value.problems
    message = f"is {shown}, and what runs is VirtualMachine/shop/web"
    assert (problem.object, problem.field, problem.message) == (shown, "metadata.name", message)


def test_a_vm_of_another_namespace_is_another_vm(vm, roll):
    named, nameless = deepcopy(vm), deepcopy(vm)
    named["metadata"]["namespace"] = "default"
    del nameless["metadata"]["namespace"]
    assert not roll(named, nameless).refused
    with pytest.raises(ManifestError):
        roll(named, vm)


def test_an_update_is_applied_or_replaces(vm, roll):
    with pytest.raises(ValueError, match=r"^update is 'apply', 'replace' or 'keep', not 'patch'$"):
        roll(vm, vm, update="patch")


def test_what_only_the_cluster_says_of_a_vm_is_none_of_its_manifest(vm, roll):
    """A manifest that was read from the cluster is applied, or replaces, like the one that was written."""
    of_cluster = {"uid": "u", "resourceVersion": "7", "generation": 3, "creationTimestamp": "2026-01-01T00:00:00Z"}
    more = edited(vm, template__spec__domain__cpu__sockets=4)
    read = {**more, "metadata": {**more["metadata"], **of_cluster}, "status": {"ready": False}}
    for update in ("apply", "replace"):
        assert roll(vm, read, update=update).to_dict() == roll(vm, more, update=update).to_dict()


def test_a_vm_that_nobody_touches_is_asked_by_no_webhook(vm, roll):
    gated = kubevirt(developerConfiguration={"featureGates": ["HostDisk"]})
    disks = {"name": "root", "hostDisk": {"path": "/data/disk.img", "type": "DiskOrCreate", "capacity": "1Gi"}}
    vm = edited(vm, template__spec__volumes=[disks])
    assert roll(vm, vm, gated, later=[kubevirt()]).refused
    assert not roll(vm, vm, gated, later=[kubevirt()], update="keep").refused


def test_another_release_moves_the_machine_to_its_own_launcher(vm):
    outcome = rollout(vm, vm, Cluster(release="v1.8.4"), Cluster(release="v1.9.0"), update="keep")
    assert (outcome.migration.required, outcome.migration.action) == ("yes", "migrate")
    assert not outcome.restart_required


def secondary(vm, network):
    devices = {"interfaces": [{"name": "default", "masquerade": {}}, {"name": "n", "bridge": {}}]}
    networks = [{"name": "default", "pod": {}}, {"name": "n", "multus": {"networkName": network}}]
    vm = edited(vm, template__spec__networks=networks)
    vm["spec"]["template"]["spec"]["domain"]["devices"].update(devices)
    return vm


@pytest.mark.parametrize(
    ("release", "gates", "live"),
    [
        ("v1.9.0", [], True),
        ("v1.8.4", ["LiveUpdateNADRef"], True),
        ("v1.8.4", [], False),
        ("v1.7.4", [], False),
    ],
)
def test_an_interface_moves_to_another_network_where_its_gate_is_on(vm, release, gates, live, roll):
    configured = kubevirt(developerConfiguration={"featureGates": gates})
    outcome = roll(secondary(vm, "blue"), secondary(vm, "red"), configured, release=release)
    assert shown(outcome.live) == ({"/spec/networks/1/multus/networkName": "red"} if live else {})
    assert outcome.restart_required is not live
    assert outcome.migration.required == ("yes" if live else "no")


@pytest.mark.parametrize(("release", "needed"), [("v1.9.0", True), ("v1.8.4", True), ("v1.7.4", False)])
def test_the_pod_network_is_joined_at_a_restart(vm, release, needed, roll):
    apart = edited(vm, template__spec__networks=[])
    apart["spec"]["template"]["spec"]["domain"]["devices"].update(interfaces=[], autoattachPodInterface=False)
    joined = edited(vm)
    joined["spec"]["template"]["spec"]["domain"]["devices"]["autoattachPodInterface"] = False
    assert roll(apart, joined, release=release).restart_required is needed


@pytest.mark.parametrize(("release", "noted"), [("v1.9.0", False), ("v1.8.4", True), ("v1.7.4", True)])
def test_volumes_that_stay_without_their_vm_are_noted(vm, release, noted, roll):
    """Without declarative hotplug, a volume that the VM drops stays plugged in."""
    plugged = edited(vm)
    spec = plugged["spec"]["template"]["spec"]
    for name in ("data", "logs"):
        spec["domain"]["devices"]["disks"].append({"name": name, "disk": {"bus": "scsi"}})
        spec["volumes"].append({"name": name, "persistentVolumeClaim": {"claimName": name, "hotpluggable": True}})
    off = kubevirt(developerConfiguration={"featureGates": ["HotplugVolumes"]})
    outcome = roll(plugged, vm, off, release=release)
    expected = {"/annotations/kubevirt.io~1ephemeral-hotplug-volumes": '["data","logs"]'} if noted else {}
    assert shown(outcome.live) == expected
    assert not outcome.restart_required
