"""What VMs of an environment meet on both sides: what changes in it, what is gone, and of what nothing is known."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.api.names import REPLACED_BY
from virtcatalog.catalog.places import Source
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.manifests.identity import Data
from virtcatalog.releases import RELEASES
from virtcatalog.repositories.model import Resource
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.side import Side

TYPE = "VirtualMachineClusterInstancetype"
NAMESPACED = "VirtualMachineInstancetype"


def type_of(name: str, kind: str = TYPE, cpus: int = 1, **metadata: Any) -> Data:
    """An instance type of a shape of its own: one that is removed is not taken for another one renamed."""
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": kind,
        "metadata": {"name": name, **metadata},
        "spec": {"cpu": {"guest": cpus}, "memory": {"guest": f"{cpus}Gi"}},
    }


def kubevirt(**configuration: Any) -> Data:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {"configuration": configuration},
    }


SMALL, LARGE, CLAIM = type_of("small"), type_of("large", cpus=8), {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "root", "namespace": "shop"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}  # fmt: skip


LABELLED = {**CLAIM, "metadata": {**CLAIM["metadata"], "labels": {"a": "b"}}}


def compared(base: list[Data], head: list[Data], **more: Any) -> Comparison:
    conditions = more.pop("conditions", (Conditions(), Conditions()))
    left_out = more.pop("left_out", ((), ()))
    sides = [
        Side(label="side", objects={"": objects}, left_out=frozenset(files))
        for objects, files in zip((base, head), left_out, strict=True)
    ]
    return Comparison((sides[0], sides[1]), "", conditions, **more)


def refers(name: str, kind: str = TYPE, namespace: str = "") -> tuple[str, str, str]:
    return kind, namespace, name


@pytest.mark.parametrize(
    ("base", "head", "changed", "all_change"),
    [
        ([SMALL], [SMALL], set(), False),
        ([SMALL], [type_of("small", cpus=2)], {refers("small")}, False),
        ([SMALL], [type_of("small", labels={"a": "b"})], set(), False),
        ([SMALL], [SMALL, LARGE], {refers("large")}, False),
        ([SMALL, LARGE], [SMALL], {refers("large")}, False),
        ([SMALL], [SMALL, CLAIM], {("PersistentVolumeClaim", "shop", "root")}, True),
        ([CLAIM], [LABELLED], {("PersistentVolumeClaim", "shop", "root")}, True),
        ([kubevirt()], [kubevirt()], set(), False),
        ([kubevirt()], [kubevirt(vmRolloutStrategy="Stage")], {("KubeVirt", "kubevirt", "kubevirt")}, True),
    ],
)
def test_what_changes_and_whether_that_can_change_any_vm(
    base: list[Data], head: list[Data], changed: set[tuple[str, str, str]], all_change: bool
) -> None:
    comparison = compared(base, head)
    assert comparison.changed == changed
    assert comparison.all_change == all_change
    assert comparison.can_change(None)
    assert comparison.can_change([]) == all_change
    assert comparison.can_change([refers("large")]) == (all_change or refers("large") in changed)


def test_another_release_changes_any_vm() -> None:
    releases = RELEASES["v1.8.4"], RELEASES["v1.9.0"]
    conditions = tuple(Conditions(release=release) for release in releases)
    assert compared([SMALL], [SMALL], conditions=conditions).all_change


@pytest.mark.parametrize(
    ("base", "head", "sentences"),
    [
        ([SMALL], [SMALL], ()),
        ([SMALL], [], (f"there is no {TYPE} 'small' any more",)),
        ([SMALL], [type_of("tiny")], (f"{TYPE} 'small' is renamed to 'tiny': name that instead",)),
        ([], [SMALL], ()),
        ([], [], ()),
        (
            [type_of("small", annotations={REPLACED_BY: "large"})],
            [LARGE],
            (f"there is no {TYPE} 'small' any more; use 'large'",),
        ),
    ],
)
def test_which_of_what_a_vm_names_is_gone(base: list[Data], head: list[Data], sentences: tuple[str, ...]) -> None:
    comparison = compared(base, head)
    assert comparison.gone([refers("small")]) == sentences
    assert comparison.gone(None) == ()


def test_what_nothing_is_known_of_in_a_broken_catalog() -> None:
    whole = compared([], [])
    assert whole.is_known(None)
    assert whole.is_known([refers("small")])
    for left_out in ((("a.yaml",), ()), ((), ("a.yaml",))):
        broken = compared([SMALL], [SMALL], left_out=left_out)
        assert not broken.is_known(None)
        assert broken.is_known([])
        assert broken.is_known([refers("small")])
        assert not broken.is_known([refers("small"), refers("large")])
    one_side = compared([SMALL], [], left_out=((), ("a.yaml",)))
    assert not one_side.is_known([refers("small")])
    assert compared([SMALL], [], left_out=(("a.yaml",), ())).is_known([refers("small")])


def test_what_names_no_namespace_is_in_each_that_it_is_deployed_to() -> None:
    free, own = type_of("small", NAMESPACED), type_of("small", NAMESPACED, namespace="ops")
    spread = compared([free], [free], namespaces=["shop", "web"])
    assert spread.namespaces >= {"shop", "web"}
    assert spread.head.instancetype(NAMESPACED, "shop", "small") is not None
    assert spread.head.instancetype(NAMESPACED, "ops", "small") is None
    fixed = compared([own], [own], namespaces=["shop"])
    assert fixed.head.instancetype(NAMESPACED, "ops", "small") is not None
    assert fixed.head.instancetype(NAMESPACED, "shop", "small") is None
    assert compared([SMALL], [SMALL], namespaces=["shop"]).namespaces == {"default"}


def test_objects_of_the_cluster_are_on_both_sides_unless_a_side_has_its_own() -> None:
    comparison = compared([], [type_of("small", cpus=2)], shared=[SMALL, CLAIM])
    assert not comparison.all_change
    for cluster, cpus in ((comparison.base, None), (comparison.head, 2)):
        instancetype = cluster.instancetype(*refers("small"))
        assert (instancetype.spec.cpu.guest if instancetype else None) == cpus
        assert cluster.pvc("shop", "root") is not None
    beside = comparison.beside(LARGE)
    assert beside.base.instancetype(*refers("large")) is not None
    assert beside.head.instancetype(*refers("large")) is not None
    assert comparison.head.instancetype(*refers("large")) is None


def test_a_vm_keeps_types_of_before_among_all_else_of_after() -> None:
    comparison = compared([SMALL], [type_of("small", cpus=2), LARGE, CLAIM])
    keeping, before = comparison.keeping([refers("small")]), comparison.before
    for cluster in (keeping, before):
        assert cluster.instancetype(*refers("small")).spec.cpu.guest == 1
        assert cluster.pvc("shop", "root") is not None
    assert keeping.instancetype(*refers("large")) is not None
    assert before.instancetype(*refers("large")) is None
    assert comparison.keeping([refers("large")]) is comparison.head
    assert comparison.keeping([]) is comparison.head
    same = compared([SMALL], [SMALL, CLAIM])
    assert same.before is same.head


@pytest.mark.parametrize(
    ("base", "head", "is_configured", "stays_configured"),
    [
        ([SMALL], [SMALL], False, False),
        ([kubevirt()], [], True, False),
        ([], [kubevirt()], True, True),
        ([kubevirt()], [kubevirt()], True, True),
    ],
)
def test_whether_there_is_a_kubevirt_cr(
    base: list[Data], head: list[Data], is_configured: bool, stays_configured: bool
) -> None:
    comparison = compared(base, head)
    assert (comparison.is_configured, comparison.stays_configured) == (is_configured, stays_configured)


def test_a_cluster_without_gates_has_all_others() -> None:
    with_gates = kubevirt(developerConfiguration={"featureGates": ["HostDisk", "Sidecar"]})
    comparison = compared([with_gates], [with_gates, SMALL])
    cluster = comparison.without_gates(["Sidecar"])
    assert cluster.configuration.configured_feature_gates == ("HostDisk",)
    assert comparison.head.configuration.configured_feature_gates == ("HostDisk", "Sidecar")
    assert cluster.instancetype(*refers("small")) is not None


def test_a_configuration_that_is_given_counts_in_place_of_those_among_the_objects() -> None:
    own = resource(kubevirt(vmRolloutStrategy="Stage"))
    objects = {"": [kubevirt(vmRolloutStrategy="LiveUpdate"), SMALL]}
    sides = Side(label="old", objects=objects), Side(label="new", objects=objects, configuration=own)
    comparison = Comparison(sides, "", (Conditions(), Conditions()))
    assert comparison.all_change
    assert comparison.base.configuration.live_update
    assert not comparison.head.configuration.live_update
    assert comparison.head.instancetype(*refers("small")) is not None
    alone = Comparison((sides[1], sides[1]), "", (Conditions(), Conditions()))
    assert not alone.all_change


def resource(data: Data) -> Resource:
    return Resource(data, lambda _: Source("kubevirt.yaml"))


PRESET = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachineInstancePreset",
    "metadata": {"name": "small", "namespace": "shop"},
    "spec": {"selector": {"matchLabels": {"a": "b"}}, "domain": {"memory": {"guest": "1Gi"}, "devices": {}}},
}


@pytest.mark.parametrize(
    ("base", "head", "matter"),
    [([], [], False), ([PRESET], [], True), ([], [PRESET], True), ([PRESET], [PRESET], True)],
)
def test_labels_of_vms_matter_where_either_side_chooses_by_them(
    base: list[Data], head: list[Data], matter: bool
) -> None:
    assert compared(base, head, conditions=(Conditions(release=RELEASES["v1.7.4"]),) * 2).labels_matter == matter
