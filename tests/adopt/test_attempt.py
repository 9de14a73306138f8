"""A VM and an attempt to shrink it: what counts as a value, and as a difference."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from inline_vms import machine

from virtcatalog.adopt.attempt import Attempt, Original, _same, count
from virtcatalog.adopt.candidates import Candidates
from virtcatalog.kubevirt.pipeline import expand

CLUSTER = Candidates([]).cluster
DOMAIN = (
    "cpu: {sockets: 2, cores: 1, threads: 1}\nmemory: {guest: 4Gi}\ndevices: {}\nresources: {requests: {memory: 4Gi}}"
)


@pytest.mark.parametrize(
    ("data", "number"),
    [(1, 1), (None, 1), ({}, 1), ([], 1), ({"a": {}, "b": [1, [], {"c": 2, "d": None}]}, 5)],
)
def test_values_are_scalars_and_what_is_empty(data, number):
    assert count(data) == number


def attempt(before: dict[str, Any], after: dict[str, Any]) -> Attempt:
    return Attempt(Original(before, expand(before, CLUSTER)), after, set(), expand(after, CLUSTER))


def fields(tried: Attempt) -> list[str]:
    return [difference.field.removeprefix("spec.template.spec.domain.") for difference in tried.vmi]


@pytest.mark.parametrize(
    ("before", "after", "differing"),
    [
        pytest.param("guest: 4Gi", "guest: 4096Mi", [], id="an amount written otherwise"),
        pytest.param("guest: 4Gi", "guest: 4097Mi", ["memory.guest", "memory.maxGuest"], id="another amount"),
        pytest.param(", threads: 1", "", [], id="a thread left out"),
        pytest.param(", cores: 1", "", [], id="a core left out"),
        pytest.param(", threads: 1", ", threads: 2", ["cpu.threads"], id="another number of threads"),
        pytest.param("requests: {memory: 4Gi}", "limits: {memory: 4Gi}", ["resources.limits.memory"], id="a limit"),
        pytest.param("requests: {memory: 4Gi}", "requests: {}", [], id="a request of the guest's memory left out"),
        pytest.param(
            "requests: {memory: 4Gi}", "requests: {memory: 3Gi}", ["resources.requests.memory"], id="a request"
        ),
    ],
)
def test_where_a_vmi_differs(before, after, differing):
    old, new = machine(DOMAIN), machine(DOMAIN.replace(before, after))
    assert fields(attempt(old, new)) == differing


def test_names_of_instance_types_in_annotations_are_no_difference():
    old, new = machine(DOMAIN), machine(DOMAIN)
    new["spec"]["template"]["metadata"] = {
        "annotations": {"kubevirt.io/cluster-instancetype-name": "small", "kubevirt.io/cluster-preference-name": "p"}
    }
    assert fields(attempt(old, new)) == []
    new["spec"]["template"]["metadata"] = {"annotations": {"a": "b"}, "labels": {"c": "d"}}
    assert fields(attempt(old, new)) == ["spec.template.metadata.annotations.a", "spec.template.metadata.labels.c"]


def test_disks_that_are_made_for_a_vm_are_compared():
    claim = "spec: {pvc: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}, source: {blank: {}}}"
    old = machine(
        DOMAIN,
        "volumes: [{name: root, dataVolume: {name: root}}]",
        f"dataVolumeTemplates:\n- metadata: {{name: root}}\n  {claim}",
    )
    new = copy.deepcopy(old)
    new["spec"]["dataVolumeTemplates"][0]["spec"]["pvc"]["storageClassName"] = "fast"
    tried = attempt(old, new)
    assert fields(tried) == ["spec.dataVolumeTemplates[0].spec.pvc.storageClassName"]
    assert (tried.keeps_domain, tried.domain) == (True, [])


MEMORY = ("spec", "domain", "memory", "guest")


@pytest.mark.parametrize(
    ("old", "new", "path", "same"),
    [
        ("1Gi", "1024Mi", MEMORY, True),
        ("1Gi", "2Gi", MEMORY, False),
        (1, "1", ("spec", "domain", "resources", "requests", "cpu"), True),
        ("1Gi", "1024Mi", ("metadata", "labels", "a"), False),
        (None, None, MEMORY, True),
        (None, "1Gi", MEMORY, False),
        ("1Gi", None, MEMORY, False),
        ("x", "x", MEMORY, True),
        ("x", "1Gi", MEMORY, False),
        ([], {}, MEMORY, False),
    ],
)
def test_amounts_are_the_same_however_they_are_written(old, new, path, same):
    assert _same(old, new, path) is same
