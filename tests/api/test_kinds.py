"""Which kinds there are, which hold a VM, and where its spec is."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from virtcatalog.api.decode import decode_manifest
from virtcatalog.api.kinds import (
    API_VERSIONS,
    HOLDERS,
    KINDS,
    RETIRED,
    SERVED,
    holds_vm,
    is_halted,
    kind_type,
    may_matter,
    replicas,
    type_of,
    unserved,
    vm_spec,
    with_vm_spec,
)
from virtcatalog.errors import ManifestError

V1, OWNERS = "kubevirt.io/v1", {"ownerReferences": [{"kind": "VirtualMachine"}]}


def test_these_kinds_there_are(snapshot: SnapshotAssertion) -> None:
    assert {version: dict(kinds) for version, kinds in KINDS.items()} == snapshot
    assert dict(SERVED) == snapshot
    assert {" ".join(old): " ".join(new) for old, new in RETIRED.items()} == snapshot
    assert dict(HOLDERS) == snapshot


def test_every_kind_has_a_type_under_every_version_of_it() -> None:
    assert {kind_type(version, kind).__name__ for version, kinds in KINDS.items() for kind in kinds} == set(
        API_VERSIONS
    )
    for served, version in SERVED.items():
        assert all(kind_type(served, kind) is kind_type(version, kind) for kind in KINDS[version])
    assert kind_type(V1, "Pod") is None
    assert type_of({"apiVersion": V1, "kind": "VirtualMachine"}) is kind_type(V1, "VirtualMachine")
    assert type_of({}) is None


@pytest.mark.parametrize(
    ("manifest", "holds"),
    [
        ({"apiVersion": V1, "kind": "VirtualMachine"}, True),
        ({"apiVersion": "kubevirt.io/v1alpha3", "kind": "VirtualMachine"}, True),
        ({"kind": "VirtualMachine"}, True),
        ({"apiVersion": 1, "kind": "VirtualMachine"}, True),
        ({"apiVersion": "vmoperator.vmware.com/v1", "kind": "VirtualMachine"}, False),
        ({"apiVersion": "pool.kubevirt.io/v1beta1", "kind": "VirtualMachinePool"}, True),
        ({"apiVersion": V1, "kind": "VirtualMachinePool"}, False),
        ({"apiVersion": V1, "kind": "VirtualMachineInstance"}, True),
        ({"apiVersion": V1, "kind": "VirtualMachineInstance", "metadata": OWNERS}, False),
        ({"apiVersion": V1, "kind": "VirtualMachineInstance", "metadata": {"ownerReferences": []}}, True),
        ({"apiVersion": V1, "kind": "VirtualMachineInstance", "metadata": 1}, True),
        ({"apiVersion": V1, "kind": "VirtualMachine", "metadata": OWNERS}, True),
        ({"apiVersion": V1, "kind": "VirtualMachineInstanceReplicaSet"}, True),
        ({"apiVersion": V1, "kind": "KubeVirt"}, False),
        ({"apiVersion": V1, "kind": ["VirtualMachine"]}, False),
        ({}, False),
        ([], False),
        (None, False),
    ],
)
def test_what_holds_a_vm(manifest: Any, holds: bool) -> None:
    assert holds_vm(manifest) is holds


@pytest.mark.parametrize(
    ("manifest", "spec"),
    [
        ({"kind": "VirtualMachine", "spec": {"a": 1}}, {"a": 1}),
        ({"kind": "VirtualMachine", "spec": {"virtualMachineTemplate": 1}}, {"virtualMachineTemplate": 1}),
        ({"kind": "VirtualMachine"}, None),
        ({"kind": "VirtualMachinePool", "spec": {"virtualMachineTemplate": {"spec": {"a": 1}}}}, {"a": 1}),
        ({"kind": "VirtualMachinePool", "spec": {"virtualMachineTemplate": {}}}, None),
        ({"kind": "VirtualMachinePool", "spec": {"virtualMachineTemplate": "x"}}, None),
        ({"kind": "VirtualMachinePool", "spec": {}}, None),
        ({"kind": "VirtualMachinePool", "spec": "x"}, "x"),
    ],
)
def test_a_pool_has_its_vms_spec_in_a_template(manifest: dict[str, Any], spec: Any) -> None:
    assert vm_spec(manifest) == spec


@pytest.mark.parametrize(
    ("manifest", "number"),
    [
        ({"kind": "VirtualMachine", "spec": {"replicas": 3}}, None),
        ({"kind": "VirtualMachinePool", "spec": {"replicas": 3}}, 3),
        ({"kind": "VirtualMachinePool", "spec": {"replicas": 0}}, 0),
        ({"kind": "VirtualMachinePool", "spec": {"replicas": -1}}, 0),
        ({"kind": "VirtualMachinePool"}, 1),
        ({"kind": "VirtualMachinePool", "spec": None}, 1),
        ({"kind": "VirtualMachineInstanceReplicaSet", "spec": {}}, 1),
    ],
)
def test_a_pool_stands_for_some_vms(manifest: dict[str, Any], number: int | None) -> None:
    assert replicas(manifest) == number


@pytest.mark.parametrize(
    ("spec", "halted"),
    [
        ({"running": False}, True),
        ({"running": None}, False),
        ({"running": True}, False),
        ({"runStrategy": "Halted"}, True),
        ({"runStrategy": "Always"}, False),
        ({}, False),
        (None, False),
    ],
)
def test_a_vm_is_meant_to_run_unless_it_says_otherwise(spec: Any, halted: bool) -> None:
    assert is_halted({"kind": "VirtualMachine", "spec": spec}) is halted
    assert is_halted({"kind": "VirtualMachinePool", "spec": {"virtualMachineTemplate": {"spec": spec}}}) is halted


def test_another_spec_of_a_vm_leaves_all_else() -> None:
    vm = {"kind": "VirtualMachine", "metadata": {}, "spec": {"a": 1}}
    assert with_vm_spec(vm, {"b": 2}) == {**vm, "spec": {"b": 2}}
    pool = {
        "kind": "VirtualMachinePool",
        "spec": {"replicas": 2, "virtualMachineTemplate": {"metadata": {}, "spec": 1}},
    }
    template = {"metadata": {}, "spec": {"b": 2}}
    assert with_vm_spec(pool, {"b": 2}) == {**pool, "spec": {"replicas": 2, "virtualMachineTemplate": template}}
    assert (vm["spec"], pool["spec"]["virtualMachineTemplate"]["spec"]) == ({"a": 1}, 1)


@pytest.mark.parametrize(
    ("version", "kind", "instead"),
    [
        (V1, "VirtualMachine", None),
        ("kubevirt.io/v1alpha3", "VirtualMachine", None),
        ("kubevirt.io/v2", "VirtualMachine", (V1, "VirtualMachine")),
        ("other.io/v2", "VirtualMachine", None),
        ("kubevirt.io/v2", "Pod", None),
        ("kubevirt.io/v1alpha1", "Migration", (V1, "VirtualMachineInstanceMigration")),
    ],
)
def test_a_kind_of_ours_that_is_not_served_so_has_another_version(
    version: str, kind: str, instead: tuple[str, str] | None
) -> None:
    assert unserved(version, kind) == instead
    assert may_matter({"apiVersion": version, "kind": kind}) is (
        instead is not None or kind_type(version, kind) is not None
    )


@pytest.mark.parametrize(
    ("version", "kind", "message"),
    [
        ("kubevirt.io/v2", "VirtualMachine", "kubevirt.io/v2 of VirtualMachine is not served; use kubevirt.io/v1"),
        (
            "kubevirt.io/v1alpha2",
            "VirtualMachine",
            (
                "kubevirt.io/v1alpha2 of VirtualMachine is not served; convert it to kubevirt.io/v1 with "
                "`virtcatalog convert`"
            ),
        ),
        (
            "kubevirt.io/v1alpha1",
            "OfflineVirtualMachine",
            (
                "kubevirt.io/v1alpha1 of OfflineVirtualMachine is not served; convert it to kubevirt.io/v1 and "
                "VirtualMachine with `virtcatalog convert`"
            ),
        ),
    ],
)
def test_and_that_is_told(version: str, kind: str, message: str) -> None:
    with pytest.raises(ManifestError) as caught:
        decode_manifest({"apiVersion": version, "kind": kind, "metadata": {"name": "a"}})
    assert [problem.message for problem in caught.value.problems] == [message]


@pytest.mark.parametrize("manifest", [None, [], "x", {}, {"apiVersion": 1, "kind": {}}])
def test_what_is_no_manifest_matters_to_no_vm(manifest: Any) -> None:
    assert may_matter(manifest) is False
