"""What becomes of one VM on two sides, and what kind of change that is."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.review.outcome import compare, outcome

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
