"""Instance types and preferences of a running VM: stored, renewed, expanded, gone."""

from copy import deepcopy

import pytest

from rollout.conftest import edited, kubevirt, shown


def instancetype(name="small", vcpus=2, memory="4Gi", **spec):
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": name},
        "spec": {"cpu": {"guest": vcpus}, "memory": {"guest": memory}, **spec},
    }


def preference(name="server", **spec):
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterPreference",
        "metadata": {"name": name},
        "spec": {"cpu": {"preferredCPUTopology": "sockets"}, **spec},
    }


SMALL, LARGE, SERVER = instancetype(), instancetype("large", 4, "8Gi"), preference()


def test_a_type_that_changes_in_place_changes_nothing_not_even_at_a_restart(typed, roll):
    outcome = roll(typed, typed, SMALL, SERVER, later=[instancetype(vcpus=3), preference(devices={"preferredRng": {}})])
    assert (outcome.live, outcome.restart_required, outcome.following.changes) == ((), False, ())
    assert outcome.revisions[0] == outcome.revisions[1]


def test_a_vmi_knows_the_generation_that_it_was_started_from(typed, roll):
    """Also where the annotations of its type make its template another one than the VM's."""
    outcome = roll(typed, typed, instancetype(annotations={"tier": "web"}), SERVER)
    assert outcome.generation_observed


def test_a_type_that_is_gone_changes_nothing(typed, roll):
    outcome = roll(typed, typed, SMALL, SERVER, later=[SERVER], update="keep")
    assert (outcome.live, outcome.restart_required, outcome.error, outcome.following.changes) == ((), False, (), ())


def test_resize_by_rename_is_live(typed, roll):
    outcome = roll(typed, edited(typed, instancetype={"name": "large"}), SMALL, LARGE, SERVER)
    assert shown(outcome.live) == {"/spec/domain/cpu/sockets": 4, "/spec/domain/memory/guest": "8Gi"}
    (old, same_server), (new, same) = outcome.revisions
    assert ("-small-" in old, "-large-" in new, same_server == same) == (True, True, True)


def test_spelling_the_kind_out_renews_the_revision(typed, roll):
    spelt = edited(typed, instancetype={"name": "small", "kind": "VirtualMachineClusterInstancetype"})
    outcome = roll(typed, spelt, SMALL, SERVER, later=[instancetype(vcpus=3), SERVER])
    assert shown(outcome.live) == {"/spec/domain/cpu/sockets": 3}
    assert outcome.revisions[0][0] != outcome.revisions[1][0]


@pytest.mark.parametrize(
    "matcher", [{"name": "missing"}, {"name": "small", "kind": "Nope"}, {"name": "small", "revisionName": "gone"}]
)
def test_what_is_not_there_is_not_refused_but_stops_the_controller(typed, matcher, roll):
    outcome = roll(typed, edited(typed, instancetype=matcher, template__spec__hostname="w"), SMALL, SERVER)
    assert (outcome.refused, bool(outcome.error), outcome.restart_required) == (False, True, False)
    assert outcome.following.refused_by == "controller"


def test_a_revision_belongs_to_its_object(typed, roll):
    revision = {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {"name": "r", "namespace": "shop", "labels": {"instancetype.kubevirt.io/object-name": "small"}},
        "revision": 0,
        "data": {**SMALL, "metadata": {"name": "small"}},
    }
    pinned = edited(typed, instancetype={"name": "small", "revisionName": "r"})
    objects = (SMALL, LARGE, SERVER, revision)
    outcome = roll(pinned, edited(pinned, instancetype={"name": "large", "revisionName": "r"}), *objects)
    assert [cause.field for cause in outcome.causes] == ["spec.instancetype.revisionName"]
    assert not roll(pinned, edited(pinned, instancetype={"name": "large"}), *objects).refused


def test_a_conflict_with_the_type_is_refused(typed, roll):
    outcome = roll(typed, edited(typed, template__spec__domain__memory={"guest": "1Gi"}), SMALL, SERVER)
    assert [cause.field for cause in outcome.causes] == ["spec.template.spec.domain.memory.guest"]


def test_a_vm_that_is_expanded_has_its_type_in_its_template(typed, roll):
    expanding = kubevirt(instancetype={"referencePolicy": "expand"})
    outcome = roll(typed, typed, SMALL, SERVER, later=[SMALL, SERVER, expanding])
    assert outcome.vm_changes == ()  # it has revisions: the policy leaves it alone
    outcome = roll(
        typed, typed, SMALL, SERVER, later=[SMALL, SERVER, kubevirt(instancetype={"referencePolicy": "expandAll"})]
    )
    assert {"/spec/instancetype", "/spec/preference"} <= {change.path for change in outcome.vm_changes}
    assert (outcome.restart_required, outcome.revisions[1]) == (False, ("", ""))


def test_what_the_controller_writes_is_refused_as_the_user_s_own_update(typed, roll):
    disk = {"name": "root", "hostDisk": {"path": "/data/disk.img", "type": "DiskOrCreate", "capacity": "1Gi"}}
    on_host = edited(typed, template__spec__volumes=[disk])
    gate, policy = {"featureGates": ["HostDisk"]}, {"referencePolicy": "expandAll"}
    gated, ungated = kubevirt(developerConfiguration=gate), kubevirt(instancetype=policy)
    outcome = roll(on_host, on_host, SMALL, SERVER, gated, later=[SMALL, SERVER, ungated], update="keep")
    message = "hostDisk needs the feature gate HostDisk"
    assert [(cause.field, cause.message) for cause in outcome.error] == [("spec.template.spec.volumes[0]", message)]
    assert outcome.vm_changes == ()


def test_applying_the_type_again_to_an_expanded_vm_is_refused(typed, roll):
    expanding = kubevirt(instancetype={"referencePolicy": "expand"})
    outcome = roll(typed, typed, SMALL, SERVER, expanding)
    assert {cause.field for cause in outcome.causes} >= {"spec.template.spec.domain.memory.guest"}


def test_an_annotation_of_the_type_leaves_the_machine_again(typed, roll):
    """The controller follows the VM's template, which does not have it."""
    evict = "descheduler.alpha.kubernetes.io/evict"
    outcome = roll(typed, typed, instancetype(annotations={evict: "true"}), SERVER)
    assert evict not in outcome.machine.metadata.annotations


def test_a_type_that_goes_from_the_vm_needs_a_restart(typed, roll):
    bare = deepcopy(typed)
    del bare["spec"]["instancetype"]
    bare["spec"]["template"]["spec"]["domain"]["memory"] = {"guest": "4Gi"}
    assert roll(typed, bare, SMALL, SERVER).restart.reason == "template"


def test_an_update_that_names_a_type_that_is_not_there_is_told_so_alone(typed, roll):
    """The webhook passes over the type, and then misses the size that the preference requires."""
    asking = preference(requirements={"memory": {"guest": "2Gi"}})
    outcome = roll(typed, edited(typed, instancetype={"name": "smal"}), SMALL, asking)
    assert outcome.refused
    (reason,) = outcome.reasons
    assert str(reason).startswith("spec.instancetype.name: there is no VirtualMachineClusterInstancetype 'smal'; did")
    assert "memory" in outcome.causes[0].message
