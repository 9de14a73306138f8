"""Which instance types and preferences of KubeVirt's operator a repository's VMs need, and get."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.releases import find_release
from virtcatalog.repositories.operator import deployed

TYPES = find_release("v1.8").common_instancetypes
ALL = deployed(TYPES, [{"spec": {"instancetype": {"name": "u1.medium"}}}], [])
Data = dict[str, Any]


def vm(**spec: Any) -> Data:
    return {"kind": "VirtualMachine", "metadata": {"name": "web"}, "spec": spec}


def volume(**labels: str) -> Data:
    labels = {f"instancetype.kubevirt.io/default-{key}": name for key, name in labels.items()}
    return {"kind": "DataVolume", "metadata": {"name": "root", "labels": {**labels, "x": "y"}}}


def kubevirt(deployment: Any) -> Data:
    configuration = {"commonInstancetypesDeployment": deployment}
    return {"kind": "KubeVirt", "metadata": {"name": "kubevirt"}, "spec": {"configuration": configuration}}


def names(manifests: list[Data]) -> set[tuple[str, str]]:
    return {(manifest["kind"], manifest["metadata"]["name"]) for manifest in manifests}


def test_it_deploys_cluster_wide_types_and_preferences() -> None:
    assert {manifest["kind"] for manifest in ALL} == {
        "VirtualMachineClusterInstancetype",
        "VirtualMachineClusterPreference",
    }
    assert {("VirtualMachineClusterInstancetype", "u1.medium"), ("VirtualMachineClusterPreference", "fedora")} < names(
        ALL
    )


INFERRING = {"inferFromVolume": "root"}
TEMPLATED = vm(instancetype=INFERRING, dataVolumeTemplates=[volume(instancetype="u1.small")])


@pytest.mark.parametrize(
    ("vm", "objects", "are_needed"),
    [
        (vm(), [], False),
        (vm(instancetype={"name": "u1.medium"}), [], True),
        (vm(instancetype={"name": "house"}), [], False),
        (vm(instancetype={"name": "fedora"}), [], False),
        (vm(preference={"name": "fedora"}), [], True),
        (vm(preference={"name": "u1.medium"}), [], False),
        (vm(instancetype="u1.medium"), [], False),
        (vm(instancetype=INFERRING), [], False),
        (vm(instancetype=INFERRING), [volume(instancetype="u1.small")], True),
        (vm(instancetype=INFERRING), [volume(preference="fedora")], False),
        (vm(preference=INFERRING), [volume(preference="fedora")], True),
        (vm(instancetype={"name": "house"}), [volume(instancetype="u1.small")], False),
        (TEMPLATED, [], True),
        (vm(preference=INFERRING, dataVolumeTemplates=[volume(instancetype="u1.small")]), [], False),
        (vm(preference=INFERRING, dataVolumeTemplates="x"), [], False),
        ({"kind": "VirtualMachine", "metadata": {"name": "web"}, "spec": "x"}, [], False),
        (vm(instancetype={"name": "u1.medium"}), [kubevirt({"enabled": False})], False),
        (vm(instancetype={"name": "u1.medium"}), [kubevirt({"enabled": True})], True),
        (vm(instancetype={"name": "u1.medium"}), [kubevirt({})], True),
        (vm(instancetype={"name": "u1.medium"}), [kubevirt(None)], True),
        (vm(instancetype={"name": "u1.medium"}), [{"kind": "KubeVirt", "metadata": {"name": "kubevirt"}}], True),
        (vm(instancetype={"name": "u1.medium"}), [{**kubevirt({"enabled": False}), "kind": "Other"}], True),
    ],
)
def test_they_are_there_if_vms_need_any(vm: Data, objects: list[Data], are_needed: bool) -> None:
    assert deployed(TYPES, [vm], objects) == (ALL if are_needed else [])


def test_what_the_repository_has_itself_counts_before_them() -> None:
    own = {"kind": "VirtualMachineClusterInstancetype", "metadata": {"name": "u1.medium"}}
    assert deployed(TYPES, [vm(instancetype={"name": "u1.medium"})], [own]) == []
    objects = deployed(TYPES, [vm(instancetype={"name": "u1.small"})], [own])
    assert names(objects) == names(ALL) - {("VirtualMachineClusterInstancetype", "u1.medium")}
    other = {**own, "kind": "VirtualMachineInstancetype"}
    assert deployed(TYPES, [vm(instancetype={"name": "u1.medium"})], [other]) == ALL
