"""All that is so of one VM, as data: in Git, in the cluster and of its machine, each otherwise in one thing."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

import fleet
from virtcatalog.api.names import LAST_APPLIED
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.live.classify import drift_of
from virtcatalog.live.snapshot import Gap, Snapshot

Data = dict[str, Any]
NAME = "team-0/in-sync-0"
CLAIM = {"name": "data", "persistentVolumeClaim": {"claimName": "data", "hotpluggable": True}}


class Lab:
    """One VM in Git and in its cluster, with its machine; `start` is the revision that this was started with."""

    def __init__(self, objects: list[Data]) -> None:
        by_kind = {obj["kind"]: obj for obj in objects}
        self.git: Data | None = fleet.in_git(0)
        self.vm, self.vmi = by_kind["VirtualMachine"], by_kind["VirtualMachineInstance"]
        self.revisions = [obj for obj in objects if obj["kind"] == "ControllerRevision"]
        self.start = next(
            revision for revision in self.revisions if revision["metadata"]["name"].startswith("revision-start")
        )
        self.vm_is_there = self.vmi_is_there = True
        self.around = copy.deepcopy([fleet.KUBEVIRT, *fleet.TYPES, *fleet.PREFERENCES])
        self.gaps: list[Gap] = []
        self.past: list[Any] = []

    @property
    def spec(self) -> Data:
        """What the template says of the machine, in the cluster."""
        return self.vm["spec"]["template"]["spec"]

    @property
    def specs(self) -> Iterator[Data]:
        """The same in Git and in the cluster."""
        for vm in (self.git, self.vm):
            assert vm is not None
            yield vm["spec"]["template"]["spec"]

    @property
    def everywhere(self) -> Iterator[Data]:
        """The same of what it was started with and what runs, too."""
        yield from self.specs
        yield self.start["data"]["spec"]["template"]["spec"]
        yield self.vmi["spec"]

    def write(self, manager: str, fields: Data, operation: str = "Update") -> None:
        """Note that a manager alone wrote these fields."""
        entries = self.vm["metadata"]["managedFields"]
        for entry in entries:
            fleet._disown(entry["fieldsV1"], fleet.fields_of(fields))
        entries.append(fleet.managed(manager, operation, fleet.fields_of(fields), fleet.LATER))

    def without_type(self) -> None:
        """The VM says itself what its machine has."""
        for spec in (self.git["spec"] if self.git else {}, self.vm["spec"], self.start["data"]["spec"]):
            del spec["instancetype"]
            spec["template"]["spec"]["domain"] |= {"cpu": {"sockets": 1, "maxSockets": 4}, "memory": {"guest": "2Gi"}}
        del self.vm["status"]["instancetypeRef"]

    def drift(self) -> Data:
        snapshot = Snapshot("lab", self.gaps, complete=True)
        machine = [self.vmi] if self.vmi_is_there else []
        for obj in [*([self.vm] if self.vm_is_there else []), *machine, *self.revisions, *self.around]:
            snapshot.add(obj)
        cluster = Cluster(self.around)
        return msgspec.to_builtins(drift_of(NAME, self.git, snapshot, cluster, self.past))


@cache
def stored() -> bytes:
    return json.dumps(fleet.in_cluster(0)).encode()


Change = Callable[[Lab], None]
CASES: dict[str, Change] = {}


def case(change: Change) -> Change:
    CASES[change.__name__] = change
    return change


@case
def in_sync(lab: Lab) -> None:
    pass


@case
def only_in_git(lab: Lab) -> None:
    lab.vm_is_there = lab.vmi_is_there = False


@case
def only_in_git_and_a_machine_is_left(lab: Lab) -> None:
    lab.vm_is_there = False


@case
def only_in_git_where_vms_were_not_read(lab: Lab) -> None:
    lab.vm_is_there = lab.vmi_is_there = False
    lab.gaps = [Gap("VirtualMachine", "no right to list them")]


@case
def deleted(lab: Lab) -> None:
    lab.vm["metadata"]["deletionTimestamp"] = fleet.LATER


@case
def gone_from_git(lab: Lab) -> None:
    lab.git = None


@case
def in_no_repository(lab: Lab) -> None:
    lab.git = None
    lab.vm["metadata"]["managedFields"] = []


@case
def made_by_a_controller(lab: Lab) -> None:
    lab.git = None
    lab.vm["metadata"]["ownerReferences"] = [{"kind": "VirtualMachinePool", "name": "p", "controller": True}]


@case
def git_has_a_field_that_no_vm_has(lab: Lab) -> None:
    assert lab.git is not None
    lab.git["spec"]["template"]["spec"]["fromTheFuture"] = True


@case
def git_has_what_the_webhooks_refuse(lab: Lab) -> None:
    assert lab.git is not None
    lab.git["spec"]["template"]["spec"]["domain"]["devices"]["disks"].append({"name": "none", "disk": {}})


@case
def git_has_several_things_that_the_webhooks_refuse(lab: Lab) -> None:
    git_has_what_the_webhooks_refuse(lab)
    git_has_what_the_webhooks_refuse(lab)


@case
def git_has_no_more_than_a_part_of_a_vm(lab: Lab) -> None:
    """What a new VM of it would be nobody knows, so that nothing of the cluster's is beyond it."""
    assert lab.git is not None
    lab.git["spec"] = {"runStrategy": "Always"}
    lab.vm["metadata"]["managedFields"] = []


@case
def in_sync_and_of_a_template_that_no_webhook_takes_any_more(lab: Lab) -> None:
    """The same: of an update that changes nothing no webhook is asked, and a new VM is refused."""
    claim = {"accessModes": ["ReadWriteEverywhere"], "resources": {"requests": {"storage": "1Gi"}}}
    template = {"metadata": {"name": "d"}, "spec": {"pvc": claim, "source": {"blank": {}}}}
    for vm in (lab.git, lab.vm, lab.start["data"]):
        assert vm is not None
        vm["spec"]["dataVolumeTemplates"] = [template]


@case
def the_cluster_has_a_field_that_no_vm_has(lab: Lab) -> None:
    lab.spec["fromTheFuture"] = True


@case
def halted_in_git_and_the_cluster_has_no_spec(lab: Lab) -> None:
    assert lab.git is not None
    lab.git["spec"]["runStrategy"] = "Halted"
    del lab.vm["spec"]


@case
def halted_in_the_cluster_and_git_has_no_spec(lab: Lab) -> None:
    assert lab.git is not None
    lab.git["spec"] = None
    lab.vm["spec"]["runStrategy"] = "Halted"


def switched(now: str, wanted: str, manager: str) -> Change:
    def change(lab: Lab) -> None:
        assert lab.git is not None
        lab.git["spec"]["runStrategy"], lab.vm["spec"]["runStrategy"] = wanted, now
        lab.vm["metadata"]["managedFields"] = []
        if manager:
            lab.write(manager, {"spec": {"runStrategy": now}})

    return change


for of in (
    ("Halted", "Always", "virt-api"),
    ("Halted", "Always", ""),
    ("Halted", "Always", "argocd-controller"),
    ("Always", "Halted", "kubectl-edit"),
    ("Always", "Halted", "helm"),
    ("Manual", "Always", "kubectl-edit"),
):
    CASES["switched_" + "_".join(of)] = switched(*of)


@case
def running_in_git_and_a_strategy_in_the_cluster(lab: Lab) -> None:
    assert lab.git is not None
    del lab.git["spec"]["runStrategy"]
    lab.git["spec"]["running"] = True


@case
def a_label_that_git_has_otherwise(lab: Lab) -> None:
    lab.vm["metadata"]["labels"]["app"] = "by-hand"
    lab.write("kubectl-edit", {"metadata": {"labels": {"app": ""}}})


@case
def a_field_that_somebody_took_away(lab: Lab) -> None:
    lab.vm["metadata"]["managedFields"] = []
    lab.vm["metadata"]["annotations"] = {LAST_APPLIED: json.dumps(lab.git)}
    del lab.spec["hostname"]


@case
def a_field_that_somebody_took_away_and_git_has_otherwise_now(lab: Lab) -> None:
    a_field_that_somebody_took_away(lab)
    a_field_that_git_has_and_nobody_synced(lab)


@case
def a_field_that_git_has_and_nobody_synced(lab: Lab) -> None:
    assert lab.git is not None
    lab.git["spec"]["template"]["spec"]["hostname"] = "renamed"


def pooled(lab: Lab) -> None:
    """kubemacpool has given its NIC an address."""
    lab.vm["metadata"]["annotations"] = {"kubemacpool.io/transaction-timestamp": fleet.TIME}
    for spec in (lab.spec, lab.start["data"]["spec"]["template"]["spec"], lab.vmi["spec"]):
        spec["domain"]["devices"]["interfaces"][0]["macAddress"] = "02:00:00:00:00:01"


@case
def an_address_of_kubemacpool(lab: Lab) -> None:
    pooled(lab)


@case
def an_address_that_a_sync_leaves_to_kubemacpool(lab: Lab) -> None:
    pooled(lab)
    lab.vm["metadata"]["managedFields"] = []


@case
def an_address_that_kubemacpool_gives_again(lab: Lab) -> None:
    pooled(lab)
    assert lab.git is not None
    lab.git["spec"]["template"]["spec"]["domain"]["devices"]["interfaces"][0]["macAddress"] = "02:00:00:00:00:02"


@case
def an_address_of_nobody_known(lab: Lab) -> None:
    pooled(lab)
    del lab.vm["metadata"]["annotations"]


def extra(manager: str, *, applied: bool = True) -> Change:
    def change(lab: Lab) -> None:
        for spec in (lab.spec, lab.start["data"]["spec"]["template"]["spec"], lab.vmi["spec"]):
            spec["terminationGracePeriodSeconds"] = 5
        if not applied:
            lab.vm["metadata"]["managedFields"] = []
        if manager:
            lab.write(manager, {"spec": {"template": {"spec": {"terminationGracePeriodSeconds": 5}}}})

    return change


for manager in ("kubectl-edit", "virt-controller", "kustomize-controller", "virt-api", ""):
    CASES[f"a_field_beyond_git_by_{manager or 'nobody'}"] = extra(manager)
for manager in ("helm", "helm-controller"):
    CASES[f"a_field_beyond_git_by_{manager}_which_notes_nothing"] = extra(manager, applied=False)


@case
def a_revision_that_the_controller_names(lab: Lab) -> None:
    names = lab.vm["status"]["instancetypeRef"]["controllerRevisionRef"]["name"]
    lab.vm["spec"]["instancetype"]["revisionName"] = names
    lab.vm["metadata"]["managedFields"] = []


@case
def another_default_by_hand(lab: Lab) -> None:
    lab.spec["domain"]["machine"] = {"type": "pc-q35-rhel9.2.0"}
    lab.write("kubectl-edit", {"spec": {"template": {"spec": {"domain": {"machine": {"type": ""}}}}}})


@case
def another_default_by_hand_when_it_was_created(lab: Lab) -> None:
    another_default_by_hand(lab)
    lab.vm["metadata"]["creationTimestamp"] = fleet.LATER


@case
def another_default_of_another_day(lab: Lab) -> None:
    for spec in (lab.spec, lab.start["data"]["spec"]["template"]["spec"], lab.vmi["spec"]):
        spec["domain"]["machine"] = {"type": "pc-q35-rhel9.2.0"}


@case
def an_amount_that_git_writes_otherwise(lab: Lab) -> None:
    lab.without_type()
    assert lab.git is not None
    lab.git["spec"]["template"]["spec"]["domain"]["memory"]["guest"] = "2048Mi"


@case
def a_type_that_nobody_has(lab: Lab) -> None:
    lab.around = [lab.around[0], *lab.around[4:]]


@case
def without_its_machine(lab: Lab) -> None:
    lab.vmi_is_there = False


@case
def without_its_machine_where_machines_were_not_read(lab: Lab) -> None:
    lab.vmi_is_there = False
    lab.gaps = [Gap("VirtualMachineInstance", "no right to list them")]


@case
def virt_controller_gets_no_further(lab: Lab) -> None:
    failed = {"type": "Failure", "status": "True", "reason": "FailedCreate", "lastTransitionTime": fleet.LATER}
    lab.vm["status"]["conditions"] = [failed]


@case
def a_machine_that_moves(lab: Lab) -> None:
    lab.vmi["status"]["migrationState"] = {"startTimestamp": fleet.LATER, "targetNode": "node-2"}


@case
def a_machine_that_has_ended(lab: Lab) -> None:
    lab.vmi["status"]["phase"] = "Succeeded"


@case
def a_machine_that_is_to_move(lab: Lab) -> None:
    required = {"type": "MigrationRequired", "status": "False", "lastTransitionTime": fleet.LATER}
    lab.vmi["status"]["conditions"].append(required)


@case
def a_machine_that_is_to_move_since_nobody_knows_when(lab: Lab) -> None:
    lab.vmi["status"]["conditions"].append({"type": "MigrationRequired", "status": "True"})


@case
def a_machine_of_another_api(lab: Lab) -> None:
    lab.vmi["spec"]["fromTheFuture"] = True


@case
def started_otherwise(lab: Lab) -> None:
    for spec in lab.specs:
        spec["hostname"] = "other"
    lab.write("argocd-controller", {"spec": {"template": {"spec": {"hostname": ""}}}}, "Apply")


@case
def started_otherwise_and_told(lab: Lab) -> None:
    started_otherwise(lab)
    required = {"type": "RestartRequired", "status": "True", "lastTransitionTime": fleet.TIME}
    lab.vm["status"]["conditions"] = [required]


@case
def on_a_disk_that_an_older_template_made(lab: Lab) -> None:
    def spec(size: str) -> Data:
        return {"source": {"blank": {}}, "storage": {"resources": {"requests": {"storage": size}}}}

    for vm in (lab.git, lab.vm):
        assert vm is not None
        vm["spec"]["dataVolumeTemplates"] = [{"metadata": {"name": "disk"}, "spec": spec("2Gi")}]
    lab.start["data"]["spec"]["dataVolumeTemplates"] = [{"metadata": {"name": "disk"}, "spec": spec("1Gi")}]
    metadata = {"name": "disk", "namespace": "team-0"}
    data_volume = {
        "apiVersion": "cdi.kubevirt.io/v1beta1",
        "kind": "DataVolume",
        "metadata": metadata,
        "spec": spec("1Gi"),
    }
    lab.around.append(data_volume)


@case
def another_preference_than_it_was_started_with(lab: Lab) -> None:
    for vm in (lab.git, lab.vm):
        assert vm is not None
        vm["spec"]["preference"] = {"name": "old-linux", "kind": "VirtualMachineClusterPreference"}
    del lab.vm["status"]["preferenceRef"]


@case
def not_known_as_what_it_was_started(lab: Lab) -> None:
    lab.revisions.remove(lab.start)
    for spec in lab.specs:
        spec["hostname"] = "other"


@case
def not_known_as_what_it_was_started_and_it_would_be_refused(lab: Lab) -> None:
    lab.revisions.remove(lab.start)
    for spec in lab.specs:
        spec["domain"]["devices"]["disks"] += [{"name": "none", "disk": {}}, {"name": "nor", "disk": {}}]


@case
def more_sockets(lab: Lab) -> None:
    lab.without_type()
    for spec in lab.specs:
        spec["domain"]["cpu"]["sockets"] = 2


@case
def more_sockets_and_it_is_to_move(lab: Lab) -> None:
    more_sockets(lab)
    a_machine_that_is_to_move(lab)


@case
def a_nic_that_is_unplugged(lab: Lab) -> None:
    for spec in lab.everywhere:
        spec["domain"]["devices"]["interfaces"].append({"name": "blue", "bridge": {}})
        spec["networks"].append({"name": "blue", "multus": {"networkName": "blue"}})
    for spec in lab.specs:
        spec["domain"]["devices"]["interfaces"][-1]["state"] = "absent"


def plug(spec: Data) -> None:
    spec["domain"]["devices"]["disks"].append({"name": "data", "disk": {"bus": "scsi"}})
    spec["volumes"].append(copy.deepcopy(CLAIM))


@case
def a_volume_of_another_claim(lab: Lab) -> None:
    for spec in lab.everywhere:
        plug(spec)
    for spec in lab.specs:
        spec["volumes"][-1]["persistentVolumeClaim"]["claimName"] = "other"


@case
def a_volume_that_is_unplugged(lab: Lab) -> None:
    for spec in (lab.start["data"]["spec"]["template"]["spec"], lab.vmi["spec"]):
        plug(spec)


@case
def a_volume_that_was_plugged_into_the_machine_alone(lab: Lab) -> None:
    plug(lab.vmi["spec"])


@case
def required_to_restart_for_nothing(lab: Lab) -> None:
    required = {"type": "RestartRequired", "status": "True", "lastTransitionTime": fleet.LATER}
    lab.vm["status"]["conditions"] = [required]


@case
def required_to_restart_for_nothing_since_nobody_knows_when(lab: Lab) -> None:
    lab.vm["status"]["conditions"] = [{"type": "RestartRequired", "status": "True"}]


@case
def required_to_restart_for_nothing_and_not_known_as_what_it_was_started(lab: Lab) -> None:
    required_to_restart_for_nothing(lab)
    lab.revisions.remove(lab.start)


@case
def a_revision_that_could_not_be_read(lab: Lab) -> None:
    lab.revisions = [lab.start]


@case
def a_revision_that_is_broken(lab: Lab) -> None:
    for revision in lab.revisions:
        if revision is not lab.start:
            revision["data"] = {"apiVersion": "v1", "kind": "Pod"}


@case
def an_older_revision(lab: Lab) -> None:
    lab.around[1]["spec"]["memory"]["guest"] = "4Gi"
    lab.around[1]["spec"]["cpu"]["guest"] = 2


@case
def an_older_revision_which_a_release_has(lab: Lab) -> None:
    lab.around[1]["spec"]["memory"]["guest"] = "4Gi"
    spec = '{"cpu":{"guest":1},"memory":{"guest":"2Gi"}}'
    key = ("instancetype", "small")
    lab.past = [("v0", {key: "{}"}), ("v1", {key: spec}), ("v2", {key: spec}), ("v3", {key: "{}"})]


@case
def an_older_revision_and_a_refresh_is_refused(lab: Lab) -> None:
    lab.around[1]["spec"]["cpu"]["guest"] = 0
    lab.around[1]["spec"]["cpu"]["maxSockets"] = 1
    lab.around[1]["spec"]["gpus"] = [{"name": "a"}]


@case
def an_older_revision_and_nobody_knows_what_a_refresh_does(lab: Lab) -> None:
    lab.around[1]["spec"]["memory"]["guest"] = "4Gi"
    machine = {"type": "q" * 300}
    for spec in lab.everywhere:
        spec["domain"]["machine"] = machine


@case
def an_older_revision_of_no_consequence(lab: Lab) -> None:
    lab.around[1]["spec"]["cpu"]["dedicatedCPUPlacement"] = False


@case
def a_type_that_is_gone(lab: Lab) -> None:
    lab.around[1]["metadata"]["name"] = "renamed"


@case
def a_type_that_was_not_read(lab: Lab) -> None:
    lab.around[1]["metadata"]["name"] = "renamed"
    lab.gaps = [Gap("VirtualMachineClusterInstancetype", "no right to list them")]


@pytest.mark.parametrize("name", CASES)
def test_all_that_is_so_of_a_vm(name: str, snapshot: SnapshotAssertion) -> None:
    lab = Lab(json.loads(stored()))
    CASES[name](lab)
    assert lab.drift() == snapshot
