"""What a change does to the VMs of pools and ReplicaSets, by the strategy that they have."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

import otheryaml
from virtcatalog import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.holders import running_held, with_next
from virtcatalog.review.judge import judge_applied
from virtcatalog.review.pools import identity_risks
from virtcatalog.review.side import Side
from virtcatalog.review.verdict import Next, Part, Risk, Verdict

POOL = """
apiVersion: pool.kubevirt.io/v1beta1
kind: VirtualMachinePool
metadata: {name: web, namespace: shop}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  virtualMachineTemplate:
    metadata: {labels: {app: web}}
    spec:
      runStrategy: Always
      template:
        metadata: {labels: {app: web}}
        spec: {domain: {cpu: {sockets: 1}, memory: {guest: 1Gi}, devices: {}}}
"""
REPLICA_SET = """
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceReplicaSet
metadata: {name: web, namespace: shop}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {domain: {memory: {guest: 1Gi}, devices: {}}}
"""
HOSTNAME = ("virtualMachineTemplate__spec__template__spec__hostname", "w")
VMI_HOSTNAME = ("template__spec__hostname", "w")
_EMPTY = Side(label="side", objects={"": []})
NOTHING_AROUND = Comparison((_EMPTY, _EMPTY), "", (Conditions(), Conditions()))
CPUS = ("virtualMachineTemplate__spec__template__spec__domain__cpu", {"sockets": 2})


def disks(size: str) -> list[dict[str, Any]]:
    storage = {"resources": {"requests": {"storage": size}}}
    return [{"metadata": {"name": "data"}, "spec": {"source": {"blank": {}}, "storage": storage}}]


VOLUMES = (
    ("virtualMachineTemplate__spec__template__spec__volumes", [{"name": "data", "dataVolume": {"name": "data"}}]),
    ("virtualMachineTemplate__spec__dataVolumeTemplates", disks("1Gi")),
)
DISKS = ("virtualMachineTemplate__spec__dataVolumeTemplates", disks("2Gi"))


def changed(text: str, *fields: tuple[str, Any]) -> dict[str, Any]:
    """A manifest with other fields, each by its path below `spec`."""
    manifest: dict[str, Any] = otheryaml.load(text)
    for path, value in fields:
        *steps, last = path.split("__")
        place = manifest["spec"]
        for step in steps:
            place = place.setdefault(step, {})
        place[last] = value
    return manifest


def become(old: dict[str, Any], new: dict[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    machine = running_held(old, new, Cluster([]), Cluster([]))
    return machine.now, machine.next, machine.reasons


LABELS = ("virtualMachineTemplate__metadata__labels", {"app": "web", "b": "c"})
CANNOT_CHANGE = "spec.selector: it cannot be changed (refused by the VM webhook)"


@pytest.mark.parametrize(
    ("strategy", "change", "now", "reason"),
    [
        # By default a pool deletes VMIs whose template differs, labels included, and VMs whose DataVolumes do.
        ((), HOSTNAME, "restart", "by the pool itself: all at once"),
        ((("maxUnavailable", 1),), HOSTNAME, "restart", "by the pool itself: 1 VM at once"),
        ((("maxUnavailable", "50%"),), HOSTNAME, "restart", "by the pool itself: 2 VMs at once"),
        ((), CPUS, "restart", "by the pool itself: all at once"),
        (
            (("updateStrategy", {"proactive": {"selectionPolicy": {"selectors": {"labelSelector": {}}}}}),),
            HOSTNAME,
            "restart",
            "by the pool itself (those that its selectors choose): all at once",
        ),
        (VOLUMES, DISKS, "delete", "a pool replaces VMs when their dataVolumeTemplates change"),
        ((), ("virtualMachineTemplate__spec__runStrategy", "Halted"), "stop", "runStrategy Always → Halted"),
        # Opportunistic: its VMs change, and their machines as those of any VM.
        ((("updateStrategy", {"opportunistic": {}}),), HOSTNAME, "restart", "hostname cannot change while the VM runs"),
        ((("updateStrategy", {"opportunistic": {}}),), CPUS, "pending", "a binding that does not migrate"),
        ((("updateStrategy", {"opportunistic": {}}), *VOLUMES), DISKS, "unchanged", ""),
        ((), ("replicas", 6), "create", "replicas: 4 → 6"),
        ((), ("replicas", 3), "delete", "replicas: 4 → 3"),
        ((("scaleInStrategy", {"proactive": {}}),), ("replicas", 3), "delete", "replicas: 4 → 3"),
        ((("paused", True),), ("replicas", 6), "unchanged", "replicas: 4 → 6: the pool is paused"),
        (
            (("scaleInStrategy", {"unmanaged": {}}),),
            ("replicas", 3),
            "unchanged",
            "replicas: 4 → 3: scaleInStrategy unmanaged deletes none",
        ),
        (
            (("scaleInStrategy", {"opportunistic": {}}),),
            ("replicas", 3),
            "unchanged",
            "replicas: 4 → 3: scaleInStrategy opportunistic deletes none",
        ),
        (
            (),
            ("selector", {"matchLabels": {"app": "web", "b": "c"}}),
            "refused",
            "spec.selector: it does not select the labels of the template (refused by the VM webhook)",
        ),
        ((LABELS,), ("selector", {"matchLabels": {"b": "c"}}), "refused", CANNOT_CHANGE),
        ((), ("virtualMachineTemplate__spec__template__spec__networks", [{"name": "n"}]), "refused", "networks"),
    ],
)
def test_a_pool_changes_its_vms_by_its_strategy(
    strategy: tuple[tuple[str, Any], ...], change: tuple[str, Any], now: str, reason: str
) -> None:
    outcome, _, reasons = become(changed(POOL, *strategy), changed(POOL, *strategy, change))
    assert outcome == now
    assert reason in "; ".join(reasons)
    assert bool(reason) == bool(reasons)


@pytest.mark.parametrize(
    ("strategy", "reason"),
    [
        (("paused", True), "the pool is paused: its VMs stay as they are"),
        (("updateStrategy", {"unmanaged": {}}), "updateStrategy unmanaged: VMs that exist stay as they are"),
    ],
)
def test_vms_that_a_pool_leaves_alone_start_as_before(strategy: tuple[str, Any], reason: str) -> None:
    assert become(changed(POOL, strategy), changed(POOL, strategy, HOSTNAME)) == ("unchanged", "kept", (reason,))


def test_a_pool_that_shrinks_and_changes_does_both() -> None:
    now, _, reasons = become(changed(POOL), changed(POOL, HOSTNAME, ("replicas", 3)))
    assert (now, reasons) == ("delete", ("replicas: 4 → 3", "by the pool itself: all at once"))


SELECTED = ("updateStrategy", {"proactive": {"selectionPolicy": {"selectors": {"labelSelector": {}}}}})


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ((), (("replicas", 1),), Part("pool", 3, 4)),
        ((), (("replicas", 6),), Part("pool", 2, 6)),
        ((), (HOSTNAME,), Part("pool", 4, 4)),
        ((), (HOSTNAME, ("replicas", 6)), Part("pool", 4, 4)),
        ((), (HOSTNAME, ("replicas", 3)), Part("pool", 1, 4)),
        (VOLUMES, (*VOLUMES, DISKS, ("replicas", 3)), Part("pool", 4, 4)),
        ((SELECTED,), (SELECTED, HOSTNAME), Part("pool", None, 4)),
        ((("replicas", None),), (("replicas", None), HOSTNAME), Part("pool", 1, 1)),
        ((), (("paused", True), ("replicas", 6)), None),
        ((), (("selector", {"matchLabels": {"b": "c"}}),), None),
        ((("replicas", 0),), (("replicas", 0), HOSTNAME), None),
    ],
)
def test_a_change_says_how_many_vms_of_a_pool_meet_it(
    old: tuple[tuple[str, Any], ...], new: tuple[tuple[str, Any], ...], part: Part | None
) -> None:
    assert running_held(changed(POOL, *old), changed(POOL, *new), Cluster([]), Cluster([])).part == part


def test_a_pool_that_is_switched_off_restarts_none_of_its_vms() -> None:
    halted = ("virtualMachineTemplate__spec__runStrategy", "Halted")
    assert become(changed(POOL), changed(POOL, HOSTNAME, halted))[0] == "stop"
    assert become(changed(POOL, halted), changed(POOL, HOSTNAME))[0] == "start"


def test_a_pool_without_vms_has_none_to_restart() -> None:
    empty = ("replicas", 0)
    assert become(changed(POOL, empty), changed(POOL, empty, HOSTNAME)) == ("unchanged", "same", ())
    assert become(changed(POOL, empty), changed(POOL, HOSTNAME)) == ("create", "same", ("replicas: 0 → 4",))


def test_a_pool_that_cannot_be_read_before_has_its_vms_created() -> None:
    broken = changed(POOL, ("virtualMachineTemplate__spec__template__spec__networks", [{"name": "n"}]))
    assert become(broken, changed(POOL))[0] == "create"
    names = ({"name": "gone"}, {"name": "lost"})
    none_there = [changed(POOL, ("virtualMachineTemplate__spec__instancetype", name)) for name in names]
    assert become(none_there[0], none_there[1]) == ("unchanged", "same", ())


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ((VMI_HOSTNAME,), ("unchanged", "kept", ())),
        ((("replicas", 5),), ("create", "kept", ("replicas: 4 → 5",))),
        ((("replicas", 3),), ("delete", "kept", ("replicas: 4 → 3",))),
        ((("replicas", 3), ("paused", True)), ("unchanged", "kept", ("replicas: 4 → 3: the ReplicaSet is paused",))),
    ],
)
def test_a_replica_set_scales_and_leaves_its_vmis_alone(
    fields: tuple[tuple[str, Any], ...], expected: tuple[str, str, tuple[str, ...]]
) -> None:
    assert become(changed(REPLICA_SET), changed(REPLICA_SET, *fields)) == expected


@pytest.mark.parametrize(
    ("fields", "now", "following", "anew", "held"),
    [
        # A VMI is never started again, and a ReplicaSet makes new ones of its template only in place of those that end.
        ((VMI_HOSTNAME,), "unchanged", "kept", "changed", Part("ReplicaSet", 4, 4)),
        ((VMI_HOSTNAME, ("replicas", 6)), "create", "kept", "changed", Part("ReplicaSet", 4, 4)),
        ((VMI_HOSTNAME, ("replicas", 3)), "delete", "kept", "changed", Part("ReplicaSet", 3, 4)),
        ((VMI_HOSTNAME, ("replicas", 0)), "delete", "same", "same", None),
        ((("replicas", 6),), "create", "same", "same", None),
    ],
)
def test_vmis_of_a_replica_set_keep_what_they_have(
    fields: tuple[tuple[str, Any], ...], now: str, following: str, anew: str, held: Part | None
) -> None:
    verdict = judge_applied(changed(REPLICA_SET), changed(REPLICA_SET, *fields), NOTHING_AROUND, ())
    assert (verdict.now, verdict.next, verdict.anew, verdict.held) == (now, following, anew, held)


@pytest.mark.parametrize(
    ("number", "now", "vms", "guest", "when"),
    [
        (4, "unchanged", (None, 4), 4, "created anew"),
        (6, "create", (4, 6), 4, "now"),
        (3, "delete", (4, 3), -1, "now"),
    ],
)
def test_requests_are_of_those_vmis_alone_that_come_or_go(
    number: int, now: str, vms: tuple[int | None, int], guest: int, when: str
) -> None:
    fields = ("template__spec__domain__memory__guest", "2Gi"), ("replicas", number)
    verdict = judge_applied(changed(REPLICA_SET), changed(REPLICA_SET, *fields), NOTHING_AROUND, ())
    requests = verdict.requests
    assert requests is not None
    sizes = [of.guest if of is not None else 0 for of in (requests.before, requests.after)]
    numbers = requests.vms_before, requests.vms
    assert (verdict.now, numbers, sizes[1] - sizes[0], requests.when) == (now, vms, guest << 30, when)


def test_a_replica_set_that_stays_keeps_its_vmis_when_its_cluster_changes() -> None:
    assert become(changed(REPLICA_SET), changed(REPLICA_SET)) == ("unchanged", "kept", ())


@pytest.mark.parametrize("field", [("replicas", "four"), ("selector", {"matchLabels": {"app": "other"}})])
def test_a_pool_that_there_cannot_be_has_no_vms_that_a_cluster_changes(field: tuple[str, Any]) -> None:
    pool = changed(POOL, field)
    machine = running_held(pool, pool, Cluster([]), Cluster([], release="v1.7.4"))
    assert (machine.now, machine.next, machine.reasons) == ("unchanged", "same", ())


def test_a_vmi_cannot_change_but_for_its_labels() -> None:
    vmi = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstance",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"domain": {"memory": {"guest": "1Gi"}, "devices": {}}},
    }
    labelled = {**vmi, "metadata": {**vmi["metadata"], "labels": {"a": "b"}}}
    assert become(vmi, labelled)[0] == "unchanged"
    now, _, reasons = become(vmi, {**vmi, "spec": {**vmi["spec"], "hostname": "w"}})
    assert (now, reasons) == (
        "refused",
        ("a VirtualMachineInstance cannot be changed: delete it and create it anew",),
    )


@pytest.mark.parametrize(("release", "loses"), [("v1.7.4", True), ("v1.8.4", False), ("v1.9.0", False)])
def test_vms_that_a_pool_updates_lose_what_licences_go_by(release: str, loses: bool) -> None:
    cluster = Cluster([], release=release)
    old, new = changed(POOL), changed(POOL, HOSTNAME)
    reason = "takes SMBIOS uuid and serial from the VMs that it updates: licences go by them"
    assert identity_risks(old, new, cluster) == (Risk("activation", f"a pool of {release} {reason}"),) * loses
    assert identity_risks(old, changed(POOL, ("replicas", 5)), cluster) == ()
    firmware = {"uuid": "5d307ca9-b3ef-428c-8861-06e72d69f223", "serial": "a"}
    own = ("virtualMachineTemplate__spec__template__spec__domain__firmware", firmware)
    assert identity_risks(changed(POOL, own), changed(POOL, own, HOSTNAME), cluster) == ()


@pytest.mark.parametrize(
    ("old", "new", "held"),
    [
        ((), (HOSTNAME,), Part("pool", 4, 4)),
        ((), (HOSTNAME, ("replicas", 3)), Part("pool", 3, 4)),
        ((), (HOSTNAME, ("replicas", 6)), Part("pool", 4, 4)),
        ((SELECTED,), (SELECTED, HOSTNAME), Part("pool", None, 4)),
        ((), (("replicas", 6),), None),  # all that were there start as before
        ((("replicas", 0),), (("replicas", 0), HOSTNAME), None),
        ((), (("replicas", 0), HOSTNAME), None),
    ],
)
def test_a_change_says_how_many_vms_of_a_pool_start_as_others(
    old: tuple[tuple[str, Any], ...], new: tuple[tuple[str, Any], ...], held: Part | None
) -> None:
    verdict = judge_applied(changed(POOL, *old), changed(POOL, *new), NOTHING_AROUND, ())
    assert (verdict.held, verdict.next) == (held, "changed" if held else "same")


@pytest.mark.parametrize(
    ("following", "anew", "numbers", "expected"),
    [
        ("changed", "same", (4, 3), {"held": Part("pool", 3, 4)}),
        ("refused", "same", (4, 6), {"held": Part("pool", 4, 4)}),
        ("kept", "changed", (4, 3), {"held": Part("pool", 3, 4)}),
        ("none", "same", (4, 3), {}),
        ("same", "same", (4, 3), {}),
        # Where no VM stays, none starts as another one; what is refused is that of VMs to come, too.
        ("changed", "same", (4, 0), {"next": "same", "changes": (), "risks": ()}),
        ("kept", "changed", (4, 0), {"next": "same", "anew": "same", "changes": (), "risks": ()}),
        ("kept", "refused", (4, 0), {}),
        ("refused", "same", (0, 4), {}),
        ("crash", "same", (4, 0), {}),
    ],
)
def test_a_next_start_is_of_the_vms_of_a_pool_that_stay(
    following: Next, anew: Next, numbers: tuple[int, int], expected: dict[str, Any]
) -> None:
    pools = (changed(POOL, ("replicas", number)) for number in numbers)
    verdict = Verdict(next=following, anew=anew, changes=("a",), risks=(Risk("boot", "b"),))
    assert with_next(verdict, *pools) == replace(verdict, **expected)


def test_what_is_refused_is_about_none_of_the_vms() -> None:
    refused = ("selector", {"matchLabels": {"app": "db"}})
    assert judge_applied(changed(POOL), changed(POOL, refused), NOTHING_AROUND, ()).part == Part("pool", 0, 4)


def test_nobody_can_tell_of_any_vm_of_a_pool_that_waits_for_guests() -> None:
    opportunistic = ("updateStrategy", {"opportunistic": {}})
    waiting = (("virtualMachineTemplate__spec__runStrategy", "WaitAsReceiver"), opportunistic)
    gates = {"developerConfiguration": {"featureGates": ["DecentralizedLiveMigration"]}}
    cluster = Cluster([{"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "spec": {"configuration": gates}}])
    running = running_held(changed(POOL, *waiting), changed(POOL, *waiting, HOSTNAME), cluster, cluster)
    assert (running.now, running.next, running.part) == ("unknown", "unknown", None)
    assert "waits to receive a guest" in running.reasons[0]
