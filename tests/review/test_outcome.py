"""What becomes of one VM on two sides, and what kind of change that is."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

import pytest
from msgspec.structs import replace

from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.launcher.xml import own
from virtcatalog.review.outcome import compare, deleted_claims, outcome, refusals, removed_claims

VM = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "web-1"},
    "spec": {
        "runStrategy": "Always",
        "template": {"spec": {"domain": {"cpu": {"cores": 2}, "memory": {"guest": "1Gi"}, "devices": {}}}},
    },
}


def changed(**spec: Any) -> dict[str, Any]:
    vm = deepcopy(VM)
    template = vm["spec"]["template"]["spec"]
    template["domain"].update(spec.pop("domain", {}))
    template.update(spec)
    return vm


def kind_and_summary(old: dict[str, Any], new: dict[str, Any]) -> tuple[str, tuple[str, ...]] | None:
    change = compare(outcome(old, Cluster([])), outcome(new, Cluster([])))
    return (change.kind, change.summary) if change else None


REFUSED = changed(domain={"cpu": {"cores": 2, "maxSockets": 1, "sockets": 2}})
REFUSED_OTHERWISE = changed(domain={"memory": {"guest": "1Gi", "maxGuest": "1Ki"}})


def test_the_same_vm_does_not_change() -> None:
    assert kind_and_summary(VM, deepcopy(VM)) is None
    assert kind_and_summary(REFUSED, deepcopy(REFUSED)) is None


def test_what_the_domain_does_not_show_is_a_change_of_the_vmi() -> None:
    assert kind_and_summary(VM, changed(priorityClassName="high")) == (
        "vmi",
        ("priorityClassName: high is new",),
    )


def test_a_domain_that_differs_is_a_change_of_the_domain_whatever_the_vmi_does() -> None:
    kind, summary = kind_and_summary(VM, changed(domain={"cpu": {"cores": 3}}, priorityClassName="high"))
    assert kind == "domain"
    assert summary[0] == "2 → 3 vCPUs"


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (VM, REFUSED, "refused"),
        (REFUSED, VM, "admitted"),
        (REFUSED, REFUSED_OTHERWISE, "reason"),
    ],
)
def test_refusals(old: dict[str, Any], new: dict[str, Any], kind: str) -> None:
    assert kind_and_summary(old, new)[0] == kind


def test_a_change_is_said_with_the_vms_own_names_and_addresses() -> None:
    mac = "02:00:00:00:0a:01"
    old, new = (
        changed(
            domain={"devices": {"interfaces": [{"name": "default", "masquerade": {}, **interface}]}},
            networks=[{"name": "default", "pod": {}}],
        )
        for interface in ({}, {"macAddress": mac})
    )
    assert kind_and_summary(old, new) == ("domain", (f"domain.devices.interfaces[default].macAddress: {mac} is new",))


def configured(**configuration: Any) -> Cluster:
    spec = {"configuration": configuration}
    metadata = {"name": "kubevirt", "namespace": "kubevirt"}
    return Cluster([{"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": metadata, "spec": spec}])


NO_SHARE = configured(developerConfiguration={"cpuAllocationRatio": 10_000_000})
NO_NUMBER = configured(additionalGuestMemoryOverheadRatio="1e300")
NO_POD = "no Pod is made: developerConfiguration.cpuAllocationRatio: virt-controller crashes, as 1/10000000 CPUs "
NO_POD += "are too few to be written"
NOT_KNOWN = "spec.configuration.additionalGuestMemoryOverheadRatio: not supported by virtcatalog: '1e300' makes an "
NOT_KNOWN += "overhead that is no sensible number of bytes"


@pytest.mark.parametrize(
    ("before", "after", "summary"),
    [
        (Cluster([]), NO_SHARE, NO_POD),
        (NO_SHARE, Cluster([]), f"was: {NO_POD}"),
        (Cluster([]), NO_NUMBER, NOT_KNOWN),
        (NO_NUMBER, Cluster([]), f"was: {NOT_KNOWN}"),
        (NO_SHARE, NO_NUMBER, NOT_KNOWN),
        (
            Cluster([]),
            configured(developerConfiguration={"cpuAllocationRatio": 1}),
            "Pod requests.cpu: 105m → 1005m",
        ),
    ],
)
def test_what_becomes_of_the_pod_where_nothing_else_changes(before: Cluster, after: Cluster, summary: str) -> None:
    vm = changed(domain={"cpu": {"cores": 1}})
    change = compare(outcome(vm, before), outcome(vm, after))
    assert change is not None
    assert (change.kind, change.summary) == ("pod", (summary,))
    assert change.make_diff().startswith("--- before\n+++ after\n")
    assert compare(outcome(vm, after), outcome(vm, after)) is None


DISK = {
    "domain": {"devices": {"disks": [{"name": "root", "disk": {"bus": "virtio"}}]}},
    "volumes": [{"name": "root", "persistentVolumeClaim": {"claimName": "root"}}],
}


def claim(name: str = "root", kind: str = "PersistentVolumeClaim", namespace: str = "default") -> dict[str, Any]:
    version = "v1" if kind == "PersistentVolumeClaim" else "cdi.kubevirt.io/v1beta1"
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    spec = spec if version == "v1" else {"source": {"blank": {}}, "storage": spec}
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": namespace}, "spec": spec}


@pytest.mark.parametrize("there", [claim(), claim(kind="DataVolume")])
def test_a_claim_that_goes_while_a_vm_names_it_is_said_first(there: dict[str, Any]) -> None:
    vm = changed(**deepcopy(DISK))
    with_it, without = Cluster([there]), Cluster([claim("other"), claim(namespace="shop")])
    change = compare(outcome(vm, with_it), outcome(vm, without))
    assert change is not None
    assert change.summary[0] == "claim root is gone"
    assert not any(line.startswith("<disk root>") for line in change.summary)
    renamed = changed(hostname="w", **deepcopy(DISK))
    both = compare(outcome(vm, with_it), outcome(renamed, without))
    assert both is not None
    assert both.summary[0] == "claim root is gone"
    assert "hostname: w is new" in both.summary[1:]
    assert compare(outcome(vm, without), outcome(vm, without)) is None
    back = compare(outcome(vm, without), outcome(vm, with_it))
    assert back is None or "claim root is gone" not in back.summary


def test_a_claim_that_the_vm_makes_itself_is_there() -> None:
    vm = changed(**deepcopy(DISK))
    vm["spec"]["dataVolumeTemplates"] = [
        {"metadata": {"name": "root"}, "spec": {"source": {"blank": {}}, "storage": {}}}
    ]
    change = compare(outcome(vm, Cluster([claim()])), outcome(vm, Cluster([])))
    assert change is None or "claim root is gone" not in change.summary
    deleted = outcome(vm, Cluster([])).result
    assert deleted is not None
    assert deleted_claims(deleted, Cluster([])) == ["root"]
    assert deleted_claims(deleted, Cluster([claim()])) == ["root"]


def test_claims_that_go_with_a_vm_or_before_it_comes() -> None:
    vm = changed(**deepcopy(DISK))
    before, after = Cluster([claim()]), Cluster([])
    there, gone = outcome(vm, before).result, outcome(vm, after).result
    assert there is not None
    assert gone is not None
    assert deleted_claims(there, after) == ["root"]
    assert deleted_claims(there, before) == []
    assert deleted_claims(there, after, of_pool=True) == []
    assert deleted_claims(gone, after) == []
    assert removed_claims(gone, before) == ["root"]
    assert removed_claims(gone, after) == []
    assert removed_claims(there, before) == []


def test_refusals_show_their_diff_where_one_reason_follows_another() -> None:
    change = compare(outcome(REFUSED, Cluster([])), outcome(REFUSED_OTHERWISE, Cluster([])))
    assert change is not None
    lines = change.make_diff().splitlines()
    before, after = refusals(outcome(REFUSED, Cluster([]))), refusals(outcome(REFUSED_OTHERWISE, Cluster([])))
    assert lines == [*(f"-{line}" for line in before), *(f"+{line}" for line in after)]
    refused = compare(outcome(VM, Cluster([])), outcome(REFUSED, Cluster([])))
    admitted = compare(outcome(REFUSED, Cluster([])), outcome(VM, Cluster([])))
    assert refused is not None
    assert admitted is not None
    assert (refused.summary, refused.make_diff()) == (tuple(before), "")
    assert (admitted.summary, admitted.make_diff()) == (tuple(f"was: {line}" for line in before), "")


def test_disks_of_two_buses_that_change_places_are_told_in_their_order() -> None:
    disks = [{"name": "a", "disk": {"bus": "virtio"}}, {"name": "b", "disk": {"bus": "sata"}}]
    volumes = [{"name": name, "emptyDisk": {"capacity": "1Gi"}} for name in "ab"]
    old, new = (
        changed(domain={"devices": {"disks": deepcopy(order)}}, volumes=volumes) for order in (disks, disks[::-1])
    )
    assert kind_and_summary(old, new) == ("domain", ('domain.devices.disks: ["a", "b"] → ["b", "a"]',))


def test_a_domain_in_another_order_of_the_same_vmi_says_so() -> None:
    old = outcome(VM, Cluster([]))
    assert old.result is not None
    domain = old.result.domain
    assert domain is not None
    turned = own(domain.tag, *domain[::-1], **domain.attrib)
    change = compare(old, replace(old, result=replace(old.result, raw_domain=turned)))
    assert change is not None
    assert (change.kind, change.summary) == ("domain", ("elements change their order",))


def test_a_change_shows_its_diff() -> None:
    def diff(new: dict[str, Any]) -> str:
        change = compare(outcome(VM, Cluster([])), outcome(new, Cluster([])))
        assert change is not None
        return change.make_diff()

    of_domain, of_vmi = diff(changed(domain={"cpu": {"cores": 3}})), diff(changed(priorityClassName="high"))
    assert [line for line in of_vmi.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")] == [
        "+  priorityClassName: high"
    ]
    assert re.search(r'^-.*cores="2"', of_domain, re.MULTILINE)
    assert re.search(r'^\+.*cores="3"', of_domain, re.MULTILINE)
    assert "<!--" not in of_domain
