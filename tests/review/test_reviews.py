"""Whole reviews of small changes, one of each kind: the verdict on each VM, what it requests, and its causes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from virtcatalog.api.names import REPLACED_BY
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.manifests.folder import held
from virtcatalog.releases import find_release
from virtcatalog.review.compare import review
from virtcatalog.review.dumps import Dump
from virtcatalog.review.read import read_side
from virtcatalog.review.report import Report
from virtcatalog.review.text import text

Data = dict[str, Any]
GATES = ("spec", "configuration", "developerConfiguration", "featureGates")


def vm(
    name: str = "web",
    domain: Data | None = None,
    spec: Data | None = None,
    metadata: Data | None = None,
    **fields: Any,
) -> Data:
    """A VM that runs: what its machine's domain, its machine and itself have beside the least."""
    template = {"spec": {"domain": {"memory": {"guest": "1Gi"}, "devices": {}, **(domain or {})}, **(spec or {})}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": "shop", **(metadata or {})},
        "spec": {"runStrategy": "Always", "template": template, **fields},
    }


def typed(name: str = "web", domain: Data | None = None, stored: bool = False, **fields: Any) -> Data:
    """A VM of the type `small`."""
    manifest = vm(name, domain, **{"instancetype": {"name": "small"}, **fields})
    del manifest["spec"]["template"]["spec"]["domain"]["memory"]
    if stored:
        ref = {"name": "small", "controllerRevisionRef": {"name": "small-1"}}
        manifest["status"] = {"instancetypeRef": ref}
    return manifest


def instancetype(vcpus: int = 1, **spec: Any) -> Data:
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": "small"},
        "spec": {"cpu": {"guest": vcpus}, "memory": {"guest": "1Gi"}, **spec},
    }


def kubevirt(*gates: str, **configuration: Any) -> Data:
    developer = {"developerConfiguration": {"featureGates": list(gates)}} if gates else {}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {"configuration": {**developer, **configuration}},
    }


def pool(replicas: int = 2, hostname: str = "a", **spec: Any) -> Data:
    template = vm(spec={"hostname": hostname})["spec"]
    return {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "virtualMachineTemplate": {"metadata": {"labels": {"app": "web"}}, "spec": template},
            **spec,
        },
    }


def claim(name: str = "data", **spec: Any) -> Data:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}, **spec},
    }


UNKNOWN = {"ioThreads": {"supplementalPoolThreadCount": 10**6}, "ioThreadsPolicy": "supplementalPool"}
CRASH = {"features": {"hypervPassthrough": {}}}
REFUSED = {"cpu": {"sockets": 2, "maxSockets": 1}}
NO_DISK = {"domain": {"devices": {"disks": [{"name": "root", "disk": {}}]}}}
HALTED = {"runStrategy": "Halted"}
ON_CLAIM = {
    "domain": {"devices": {"disks": [{"name": "data", "disk": {}}]}},
    "spec": {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]},
}

REVISION = {
    "apiVersion": "apps/v1",
    "kind": "ControllerRevision",
    "metadata": {"name": "small-1", "namespace": "shop"},
    "revision": 1,
    "data": instancetype(),
}
UNREAD = {"machine": {"type": "q" * 257}}


def blank(size: str) -> Data:
    return {"spec": {"source": {"blank": {}}, "storage": {"resources": {"requests": {"storage": size}}}}}


BLANK = blank("1Gi")


def on_disks(*names: str, size: str = "1Gi") -> Data:
    """What a VM has that makes these disks."""
    return {
        "domain": {"devices": {"disks": [{"name": name, "disk": {}} for name in names]}},
        "spec": {"volumes": [{"name": name, "dataVolume": {"name": name}} for name in names]},
        "dataVolumeTemplates": [{"metadata": {"name": name}, **blank(size)} for name in names],
    }


def preference(**devices: Any) -> Data:
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterPreference",
        "metadata": {"name": "linux"},
        "spec": {"devices": devices},
    }


def pool_of_small(replicas: int = 2) -> Data:
    return pool_of(typed(), replicas)


def pool_of(of: Data, replicas: int = 2) -> Data:
    manifest = pool(replicas)
    manifest["spec"]["virtualMachineTemplate"]["spec"] = of["spec"]
    return manifest


Objects = Sequence[Data]
CASES: dict[str, tuple[Objects, Objects]] = {
    "nothing changes": ([vm()], [vm()]),
    "a label": ([vm()], [vm(metadata={"labels": {"a": "b"}})]),
    "labels of two VMs": (
        [vm("a"), vm("b")],
        [vm("a", metadata={"labels": {"a": "b", "c": "d"}}), vm("b", metadata={"labels": {"a": "b"}})],
    ),
    "a hostname": ([vm()], [vm(spec={"hostname": "a"})]),
    "more sockets": ([vm()], [vm(domain={"cpu": {"sockets": 2}})]),
    "more memory than may be plugged": ([vm()], [vm(domain={"memory": {"guest": "64Gi"}})]),
    "it is switched off": ([vm()], [vm(**HALTED)]),
    "it is switched on": ([vm(**HALTED)], [vm()]),
    "it is off, and changes": ([vm(**HALTED)], [vm(domain={"cpu": {"sockets": 2}}, **HALTED)]),
    "it is switched on and changes": ([vm(**HALTED)], [vm(domain={"cpu": {"sockets": 2}})]),
    "it comes": ([], [vm()]),
    "it comes and is off": ([], [vm(**HALTED)]),
    "it comes and is refused": ([], [vm(domain=REFUSED)]),
    "it comes and crashes": ([], [vm(domain=CRASH)]),
    "it comes and is not modelled": ([], [vm(domain=UNKNOWN)]),
    "it comes on a claim that goes": ([claim()], [vm(**ON_CLAIM)]),
    "it goes": ([vm()], []),
    "it goes and was off": ([vm(**HALTED)], []),
    "it goes with its claim": ([vm(**ON_CLAIM), claim()], []),
    "its claim changes and cannot": ([vm(**ON_CLAIM), claim()], [vm(**ON_CLAIM), claim(volumeMode="Block")]),
    "its claim grows": (
        [vm(**ON_CLAIM), claim()],
        [vm(**ON_CLAIM), claim(resources={"requests": {"storage": "2Gi"}})],
    ),
    "the template of its disk changes, and the disk is there": (
        [vm(**on_disks("root"))],
        [vm(**on_disks("root", size="2Gi"))],
    ),
    "it changes with the template of its disk": (
        [vm(**on_disks("root"))],
        [vm(**{**on_disks("root", size="2Gi"), "metadata": {"labels": {"a": "b"}}}, **HALTED)],
    ),
    "the template of its disk changes, and it was refused": (
        [vm(**{**on_disks("root"), "domain": REFUSED})],
        [vm(**on_disks("root", size="2Gi"))],
    ),
    "its claim goes": ([vm(**ON_CLAIM), claim()], [vm(**ON_CLAIM)]),
    "it is refused from now on": ([vm()], [vm(domain=REFUSED)]),
    "it was refused": ([vm(domain=REFUSED)], [vm()]),
    "it is refused for another reason": ([vm(domain=REFUSED)], [vm(**NO_DISK)]),
    "it crashes from now on": ([vm()], [vm(domain=CRASH)]),
    "it crashed": ([vm(domain=CRASH)], [vm()]),
    "it is no longer modelled": ([vm()], [vm(domain=UNKNOWN)]),
    "it is modelled now": ([vm(domain=UNKNOWN)], [vm()]),
    "it is not modelled, and changes": ([vm(domain=UNKNOWN)], [vm(domain=UNKNOWN, spec={"hostname": "a"})]),
    "its type grows": ([typed(), instancetype()], [typed(), instancetype(2)]),
    "its type goes": ([typed(), instancetype()], [typed()]),
    "its type grows, and it changes": (
        [typed(), instancetype()],
        [typed(domain={"machine": {"type": "pc-q35-rhel9.6.0"}}), instancetype(2)],
    ),
    "its type grows, and it is switched off": ([typed(), instancetype()], [typed(**HALTED), instancetype(2)]),
    "its type grows, and it is off": ([typed(**HALTED), instancetype()], [typed(**HALTED), instancetype(2)]),
    "its type can no longer be used": (
        [typed(), instancetype()],
        [typed(), instancetype(gpus=[{"name": "a"}])],
    ),
    "its type could not be used": ([typed(), instancetype(gpus=[{"name": "a"}])], [typed(), instancetype()]),
    "its type is not modelled any more": (
        [typed(), instancetype()],
        [typed(), instancetype(ioThreads={"supplementalPoolThreadCount": 10**6}, ioThreadsPolicy="supplementalPool")],
    ),
    "it takes another type": (
        [typed(), instancetype()],
        [vm(instancetype={"name": "large"}), instancetype()],
    ),
    "it takes a type": ([vm(), instancetype()], [typed(), instancetype()]),
    "the CR asks for more CPU": (
        [vm(), kubevirt()],
        [vm(), kubevirt(developerConfiguration={"cpuAllocationRatio": 1})],
    ),
    "the CR asks for more CPU and the type grows": (
        [typed(), instancetype(), kubevirt()],
        [typed(), instancetype(2), kubevirt(developerConfiguration={"cpuAllocationRatio": 1})],
    ),
    "the CR has another machine type": ([vm(), kubevirt()], [vm(), kubevirt(machineType="pc-q35-rhel9.6.0")]),
    "the CR goes": ([vm(), kubevirt()], [vm()]),
    "the CR goes once there is no VM": (
        [{**kubevirt(), "spec": {"uninstallStrategy": "BlockUninstallIfWorkloadsExist"}}],
        [],
    ),
    "a gate comes that a new VM needs": (
        [vm(), kubevirt()],
        [vm(), vm("gpu", {"devices": {"hostDevices": [{"name": "a", "deviceName": "x/a"}]}}), kubevirt("HostDevices")],
    ),
    "a gate goes that a VM needs": (
        [vm(domain={"devices": {"autoattachVSOCK": True}}), kubevirt("VSOCK")],
        [vm(domain={"devices": {"autoattachVSOCK": True}}), kubevirt()],
    ),
    "gates come and go that nobody needs": (
        [vm(), kubevirt("HostDevices", "Sidecar", "Nonsense")],
        [vm(), kubevirt("VSOCK", "Snapshot", "Twaddle", "Root")],
    ),
    "a pool grows": ([pool()], [pool(3)]),
    "a pool shrinks": ([pool(3)], [pool(1)]),
    "a pool is emptied": ([pool()], [pool(0)]),
    "a pool changes its VMs": ([pool()], [pool(hostname="b")]),
    "a pool changes its VMs, some at once": (
        [pool(4, maxUnavailable="50%")],
        [pool(4, "b", maxUnavailable="50%")],
    ),
    "a pool changes its VMs and shrinks": ([pool(3)], [pool(1, "b")]),
    "a pool is paused and would change": ([pool()], [pool(hostname="b", paused=True)]),
    "a pool leaves its VMs alone": ([pool()], [pool(hostname="b", updateStrategy={"unmanaged": {}})]),
    "a pool has another selector": ([pool()], [pool(selector={"matchLabels": {"app": "b"}})]),
    "a pool comes": ([], [pool()]),
    "a pool goes": ([pool()], []),
    "a VM and a pool of its name change": ([vm(), pool()], [vm(spec={"hostname": "z"}), pool(hostname="b")]),
    "a VM gives way to a pool of its name": ([vm()], [pool()]),
    "a pool changes, and a VM of its name in Git alone": (
        [vm(), pool()],
        [vm(metadata={"labels": {"a": "b"}}), pool(hostname="b")],
    ),
    "a gate goes that a VM needs which changes": (
        [vm(domain={"devices": {"autoattachVSOCK": True}}), kubevirt("VSOCK")],
        [vm(domain={"devices": {"autoattachVSOCK": True}}, spec={"hostname": "a"}), kubevirt()],
    ),
    "it is not read any more": ([vm()], [vm(domain=UNREAD)]),
    "it is read now": ([vm(domain=UNREAD)], [vm()]),
    "it comes and is not read": ([], [vm(domain=UNREAD)]),
    "it goes and was not read": ([vm(domain=UNREAD)], []),
    "it is not modelled, and the CR changes": (
        [vm(domain=UNKNOWN), kubevirt()],
        [vm(domain=UNKNOWN), kubevirt(developerConfiguration={"cpuAllocationRatio": 1})],
    ),
    "it crashes, and the CR changes": (
        [vm(domain=CRASH), kubevirt()],
        [vm(domain=CRASH), kubevirt(developerConfiguration={"cpuAllocationRatio": 1})],
    ),
    "it is refused and becomes another that is refused": ([vm(domain=REFUSED)], [vm(domain=REFUSED, **HALTED)]),
    "it crashes and is off": ([vm(domain=CRASH)], [vm(domain=CRASH, **HALTED)]),
    "it goes with the disk that it makes": ([vm(**on_disks("a"))], []),
    "it changes and keeps the disk that it makes": ([vm(**on_disks("a"))], [vm(**on_disks("a", "b"))]),
    "it comes with the claim that it names": ([], [vm(**ON_CLAIM), claim()]),
    "its claim comes": ([vm(**ON_CLAIM)], [vm(**ON_CLAIM), claim()]),
    "it goes, and its claim stays": ([vm(**ON_CLAIM), claim()], [claim()]),
    "it was refused, and its type goes": ([typed(domain={"cpu": {"sockets": 2}}), instancetype()], [typed()]),
    "it was refused, and its type can no longer be used": (
        [typed(domain={"cpu": {"sockets": 2}}), instancetype()],
        [typed(), instancetype(gpus=[{"name": "a"}])],
    ),
    "it takes another type with the revision of the one before": (
        [typed(instancetype={"name": "small", "revisionName": "small-1"}), instancetype(), REVISION],
        [typed(instancetype={"name": "large", "revisionName": "small-1"}), instancetype(), REVISION],
    ),
    "its preference grows": (
        [typed(preference={"name": "linux"}), instancetype(), preference(preferredRng={})],
        [typed(preference={"name": "linux"}), instancetype(), preference(preferredDiskBus="sata", preferredRng={})],
    ),
    "its preference asks for more": (
        [typed(preference={"name": "linux"}), instancetype(), preference()],
        [
            typed(preference={"name": "linux"}),
            instancetype(),
            {**preference(), "spec": {"requirements": {"cpu": {"guest": 2}}}},
        ],
    ),
    "its preference goes, and it changes": (
        [typed(preference={"name": "linux"}), instancetype(), preference()],
        [typed(domain={"devices": {"rng": {}}}, preference={"name": "linux"}), instancetype()],
    ),
    "its type is renamed": ([typed(), instancetype()], [typed(), {**instancetype(), "metadata": {"name": "tiny"}}]),
    "its type goes and names another": (
        [typed(), {**instancetype(), "metadata": {"name": "small", "annotations": {REPLACED_BY: "large"}}}],
        [typed()],
    ),
    "a type that is expanded at once grows": (
        [typed(), instancetype(), kubevirt(instancetype={"referencePolicy": "expand"})],
        [typed(), instancetype(2), kubevirt(instancetype={"referencePolicy": "expand"})],
    ),
    "a type that is expanded at once grows, and the VM changes": (
        [typed(), instancetype(), kubevirt(instancetype={"referencePolicy": "expand"})],
        [typed(spec={"hostname": "a"}), instancetype(2), kubevirt(instancetype={"referencePolicy": "expand"})],
    ),
    "a pool of a type that grows": ([pool_of_small(), instancetype()], [pool_of_small(), instancetype(2)]),
    "a pool of a type that grows is scaled": ([pool_of_small(), instancetype()], [pool_of_small(4), instancetype(2)]),
    "a pool of a type that goes": ([pool_of_small(), instancetype()], [pool_of_small()]),
    "a pool makes disks and changes them": ([pool_of(vm(**on_disks("a")))], [pool_of(vm(**on_disks("a", "b")))]),
    "a pool makes disks and goes": ([pool_of(vm(**on_disks("a")))], []),
    "a pool makes disks and shrinks": ([pool_of(vm(**on_disks("a")), 3)], [pool_of(vm(**on_disks("a")), 1)]),
    "a pool is refused": ([], [pool(hostname="no name")]),
    "a pool is refused from now on": ([pool()], [pool(hostname="no name")]),
    "a pool was refused": ([pool(hostname="no name")], [pool()]),
    "a pool whose VMs follow a CR": (
        [pool(), kubevirt()],
        [pool(), kubevirt(developerConfiguration={"cpuAllocationRatio": 1})],
    ),
    "a pool is updated by its guests": (
        [pool(updateStrategy={"opportunistic": {}})],
        [pool(hostname="b", updateStrategy={"opportunistic": {}})],
    ),
    "two VMs come, of one name in two namespaces": (
        [],
        [vm(), vm(metadata={"namespace": "b"})],
    ),
}
#: VMs of a dump, of which Git has none.
DUMPED: dict[str, tuple[Objects, Objects, Objects]] = {
    "the type of VMs grows": ([instancetype()], [instancetype(2)], [typed(), typed("b")]),
    "the type of a VM that stored it grows": ([instancetype()], [instancetype(2)], [typed(stored=True)]),
    "the type of a VM that is off grows": ([instancetype()], [instancetype(2)], [typed(**HALTED)]),
    "the type of VMs goes": ([instancetype()], [], [typed(), typed("b", stored=True)]),
    "the type of VMs comes": ([], [instancetype()], [typed()]),
    "the machine type of VMs is another one": (
        [kubevirt()],
        [kubevirt(machineType="pc-q35-rhel9.6.0")],
        [vm(), vm("off", **HALTED), vm("none", REFUSED)],
    ),
    "the type of VMs is not modelled any more": (
        [instancetype()],
        [instancetype(ioThreads={"supplementalPoolThreadCount": 10**6}, ioThreadsPolicy="supplementalPool")],
        [typed(), typed("b", stored=True)],
    ),
    "a VM of the dump that is not modelled": ([instancetype()], [instancetype(2)], [typed(domain=UNKNOWN)]),
}


def reviewed(base: Objects, head: Objects, dump: Objects = (), *releases: str) -> Report:
    sides = (
        read_side(held({f"{number}.json": json.dumps(obj).encode() for number, obj in enumerate(objects)}), label)
        for objects, label in ((base, "base"), (head, "head"))
    )
    conditions = [Conditions(release=find_release(name)) for name in releases] or [Conditions(), Conditions()]
    return review(*sides, (conditions[0], conditions[1]), [Dump(dump)] if dump else [])


def shown(report: Report) -> Data:
    """What a report says, without what is so of most VMs."""
    usual = {"now": "unchanged", "next": "same", "anew": "same", "environment": "", "template": False}
    verdicts = [msgspec.to_builtins(verdict) for verdict in report.fleet.verdicts]
    return {
        "sentence": report.headline,
        "verdicts": [
            {key: value for key, value in verdict.items() if value not in (None, []) and usual.get(key) != value}
            for verdict in verdicts
        ],
        "requests": report.requests.all_lines,
        "assumed": [*report.fleet.assumed],
        "remarks": [*report.remarks],
        "unknown": list(report.fleet.unknown),
        "text": text(report, 120).splitlines()[1:-1],
    }


@pytest.mark.parametrize("name", CASES)
def test_a_change_of_manifests(name: str, snapshot: SnapshotAssertion) -> None:
    assert shown(reviewed(*CASES[name])) == snapshot


@pytest.mark.parametrize("name", DUMPED)
def test_a_change_around_the_vms_of_a_cluster(name: str, snapshot: SnapshotAssertion) -> None:
    assert shown(reviewed(*DUMPED[name])) == snapshot


@pytest.mark.parametrize("release", ["v1.7.4", "v1.8.4"])
def test_a_pool_of_a_release_that_takes_identities_away(release: str, snapshot: SnapshotAssertion) -> None:
    assert shown(reviewed([pool()], [pool(hostname="b")], (), release, release)) == snapshot


def test_another_release(snapshot: SnapshotAssertion) -> None:
    fleet = [vm(), vm("off", **HALTED), vm("unknown", UNKNOWN), vm("crash", CRASH), vm("refused", REFUSED)]
    assert shown(reviewed(fleet, fleet, [vm("dumped")], "v1.8.4", "v1.9.0")) == snapshot


@pytest.mark.parametrize("policy", ["expand", "expandAll"])
@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        ({"memory": {"guest": "1Gi"}, "cpu": {"sockets": 2, "cores": 1, "threads": 1}}, []),
        ({"memory": {"guest": "1Gi"}, "cpu": {"sockets": 2}}, [("unchanged", "kept", "changed")]),
        ({"cpu": {"sockets": 2}}, [("unchanged", "kept", "refused")]),
    ],
)
def test_what_only_its_type_gave_stays_in_a_vm_that_was_expanded(
    domain: Data, expected: list[tuple[str, str, str]], policy: str
) -> None:
    around = [instancetype(2), kubevirt(instancetype={"referencePolicy": policy})]
    untyped = vm()
    untyped["spec"]["template"]["spec"]["domain"] = {"devices": {}, **domain}
    verdicts = reviewed([typed(), *around], [untyped, *around]).fleet.verdicts
    assert [(verdict.now, verdict.next, verdict.anew) for verdict in verdicts] == expected


def test_a_vm_and_a_pool_of_one_name_in_a_dump_have_each_its_own_diff() -> None:
    base, head = ([instancetype(vcpus), {**instancetype(4 * vcpus), "metadata": {"name": "large"}}] for vcpus in (1, 2))
    of_large = pool_of_small()
    of_large["spec"]["virtualMachineTemplate"]["spec"]["instancetype"]["name"] = "large"
    fleet = reviewed(base, head, [of_large, typed()]).fleet
    assert [re.findall("[+-] .*<topology (.*) cores", fleet.diff(verdict)) for verdict in fleet.verdicts] == [
        ['sockets="16"', 'sockets="32"'],
        ['sockets="4"', 'sockets="8"'],
    ]
