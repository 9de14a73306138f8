"""Many VMs are judged on several CPUs, and the verdicts are the same."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.api.kinds import CATALOG_API_VERSION
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.places import Source
from virtcatalog.review import cached
from virtcatalog.review.dumps import Dump, vms_of
from virtcatalog.review.fleet import Fleet
from virtcatalog.review.judge import next_of
from virtcatalog.review.outcome import Kind, VmChange
from virtcatalog.review.reviewer import Reviewer
from virtcatalog.review.side import Side


def side(*objects: tuple[str, str, dict[str, Any]]) -> Side:
    manifests = [
        {"apiVersion": CATALOG_API_VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec}
        for kind, name, spec in objects
    ]
    return Side(label="side", objects={"": manifests})


def preference(**devices: Any) -> tuple[str, str, dict[str, Any]]:
    return "VirtualMachineClusterPreference", "p", {"devices": devices}


def instancetype(vcpus: int) -> tuple[str, str, dict[str, Any]]:
    spec = {"cpu": {"guest": vcpus}, "memory": {"guest": "1Gi"}}
    return "VirtualMachineClusterInstancetype", "i", spec


def vm(number: int, *stored: str) -> dict[str, Any]:
    refs = {
        f"{matcher}Ref": {"name": matcher[0], "controllerRevisionRef": {"name": f"vm-{number}-{matcher}"}}
        for matcher in stored
    }
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": f"vm-{number}", "namespace": "team"},
        "spec": {
            "runStrategy": "Always",
            "instancetype": {"name": "i"},
            "preference": {"name": "p"},
            "template": {
                "spec": {"domain": {"devices": {}}, "terminationGracePeriodSeconds": number, "volumes": []},
            },
        },
        "status": refs,
    }


def review(base: Side, head: Side, *vms: dict[str, Any]) -> Fleet:
    reviewer = Reviewer(base, head)
    reviewer.vms(vms_of([Dump(vms)]))
    return reviewer.done()


def test_other_processes_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    base, head = side(instancetype(1), preference()), side(instancetype(2), preference(preferredRng={}))
    fleet = [vm(number) for number in range(60)]
    alone = review(base, head, *fleet)
    monkeypatch.setattr(cached, "WORTH_IT", 2)
    assert review(base, head, *fleet).verdicts == alone.verdicts
    assert len(alone.verdicts) == 60
    assert "+    <rng" in alone.diff(alone.verdicts[0])


@pytest.mark.parametrize(
    ("stored", "next_start"),
    [
        ((), "kept"),  # nothing is known of it: it is taken to run, and then it has stored revisions
        (("instancetype", "preference"), "kept"),
        (("preference",), "kept"),
        (("instancetype",), "changed"),
    ],
)
def test_a_vm_is_spared_if_what_changes_is_what_it_has_stored(stored: tuple[str, ...], next_start: str) -> None:
    base, head = side(instancetype(1), preference()), side(instancetype(1), preference(preferredRng={}))
    (verdict,) = review(base, head, vm(1, *stored)).verdicts
    assert (verdict.now, verdict.next) == ("unchanged", next_start)


def test_a_vm_that_goes_on_is_told_what_its_guest_would_not_survive_once_it_is_made_anew() -> None:
    base, head = (side(instancetype(1), preference(preferredDiskBus=bus)) for bus in ("virtio", "sata"))
    stored = vm(1, "instancetype", "preference")
    spec = stored["spec"]["template"]["spec"]
    spec["domain"]["devices"]["disks"] = [{"name": "root", "disk": {}}]
    spec["volumes"] = [{"name": "root", "persistentVolumeClaim": {"claimName": "root"}}]
    (verdict,) = review(base, head, stored).verdicts
    assert (verdict.next, verdict.anew) == ("kept", "changed")
    assert [risk.kind for risk in verdict.risks] == ["boot", "disks"]


@pytest.mark.parametrize(
    ("kind", "becomes"),
    [
        ("refused", "refused"),
        ("reason", "refused"),
        ("crash", "crash"),
        ("unsupported", "unknown"),
        ("domain", "changed"),
        ("vmi", "changed"),
        ("pod", "changed"),
        ("admitted", "changed"),
        ("recovered", "changed"),
    ],
)
def test_what_changes_says_what_a_start_gives(kind: Kind, becomes: str) -> None:
    assert next_of(VmChange(kind=kind, summary=())) == becomes
    assert next_of(None) == "same"


def test_a_vm_whose_instance_type_is_gone_is_told_so() -> None:
    base, head = side(instancetype(1), preference()), side(preference())
    (verdict,) = review(base, head, vm(1)).verdicts
    assert (verdict.next, verdict.anew, verdict.level) == ("kept", "refused", "refused")
    assert verdict.changes == ("there is no VirtualMachineClusterInstancetype 'i' any more",)


def test_a_vm_that_names_a_type_of_its_namespace_meets_what_the_environment_deploys_there() -> None:
    def lab(vcpus: int) -> Side:
        namespaced = {
            "apiVersion": CATALOG_API_VERSION,
            "kind": "VirtualMachineInstancetype",
            "metadata": {"name": "i", "namespace": "team"},
            "spec": {"cpu": {"guest": vcpus}, "memory": {"guest": "1Gi"}},
        }
        base = side(instancetype(4 * vcpus), preference())
        overlay = Overlay(
            name="lab", scope="both", namespace="team", namespaces=("team",), source=Source("overlays.yaml")
        )
        objects = {**base.objects, "lab": [namespaced, *side(preference()).objects[""]]}
        return Side(label="side", objects=objects, overlays=(overlay,), catalog=True)

    of_the_namespace, of_the_cluster = vm(1), vm(2)
    of_the_cluster["metadata"]["namespace"] = "other"
    of_the_namespace["spec"]["instancetype"]["kind"] = "VirtualMachineInstancetype"
    verdicts = review(lab(1), lab(2), of_the_namespace, of_the_cluster).verdicts
    assert {(verdict.environment, verdict.vm, verdict.changes[0]) for verdict in verdicts} == {
        ("lab", "team/vm-1", "1 → 2 vCPUs"),
        ("", "other/vm-2", "4 → 8 vCPUs"),
    }
