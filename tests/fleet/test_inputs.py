"""What a VM can depend on changes its digest, and nothing else does."""

from __future__ import annotations

from copy import deepcopy
from types import MappingProxyType
from typing import Any

import pytest
from msgspec.structs import replace

from virtcatalog.api.kinds import CATALOG_API_VERSION
from virtcatalog.fleet.inputs import Inputs, either, encoded, identities_of, located, plain
from virtcatalog.fleet.sources import built_contents
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.hosts import HOSTS
from virtcatalog.manifests.folder import SourceError
from virtcatalog.releases import RELEASES

Manifest = dict[str, Any]
CONDITIONS = Conditions(release=RELEASES["v1.9.0"])
TYPE = "VirtualMachineClusterInstancetype", "", "medium"


def obj(version: str, kind: str, name: str, namespace: str = "", **others: Any) -> Manifest:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **others}


OBJECTS = [
    obj(CATALOG_API_VERSION, "VirtualMachineClusterInstancetype", "medium", spec={"cpu": {"guest": 2}}),
    obj(CATALOG_API_VERSION, "VirtualMachineClusterInstancetype", "large", spec={"cpu": {"guest": 4}}),
    obj(CATALOG_API_VERSION, "VirtualMachineInstancetype", "medium", "team", spec={"cpu": {"guest": 2}}),
    obj("kubevirt.io/v1", "KubeVirt", "kubevirt", "kubevirt", spec={"configuration": {}}),
    obj("kubevirt.io/v1", "VirtualMachineInstancePreset", "preset", "team", spec={}),
    obj("kubevirt.io/v1", "VirtualMachine", "another", "team", spec={}),
    obj("v1", "PersistentVolumeClaim", "claim", "other", spec={}),
    obj("cdi.kubevirt.io/v1beta1", "DataSource", "image", "images", spec={}),
    obj("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition", "net", "team"),
    obj("v1", "Namespace", "team"),
    obj("apps/v1", "ControllerRevision", "mine", "team", revision=1),
    obj("apps/v1", "ControllerRevision", "theirs", "other", revision=1),
    obj("example.org/v1", "Gadget", "gadget", "team"),
]


def of(objects: list[Manifest], conditions: Conditions = CONDITIONS, *references: tuple[str, str, str]) -> bytes:
    return Inputs(objects, conditions).of("team", references or (TYPE,))


def touched(index: int) -> list[Manifest]:
    objects = deepcopy(OBJECTS)
    objects[index]["metadata"]["labels"] = {"touched": "yes"}
    return objects


@pytest.mark.parametrize(
    ("kind", "name", "counts"),
    [
        ("VirtualMachineClusterInstancetype", "medium", True),
        ("VirtualMachineClusterInstancetype", "large", False),
        ("VirtualMachineInstancetype", "medium", False),
        ("KubeVirt", "kubevirt", True),
        ("VirtualMachineInstancePreset", "preset", True),
        ("VirtualMachine", "another", False),
        ("PersistentVolumeClaim", "claim", True),
        ("DataSource", "image", True),
        ("NetworkAttachmentDefinition", "net", True),
        ("Namespace", "team", True),
        ("ControllerRevision", "mine", True),
        ("ControllerRevision", "theirs", False),
        ("Gadget", "gadget", False),
    ],
)
def test_an_object_counts_for_those_who_can_meet_it(kind: str, name: str, counts: bool) -> None:
    (index,) = (
        at for at, manifest in enumerate(OBJECTS) if (manifest["kind"], manifest["metadata"]["name"]) == (kind, name)
    )
    assert (of(touched(index)) != of(OBJECTS)) is counts
    gone = [*OBJECTS[:index], *OBJECTS[index + 1 :]]
    assert (of(gone) != of(OBJECTS)) is counts


@pytest.mark.parametrize(
    "changes",
    [
        {"release": RELEASES["v1.8.4"]},
        {"architecture": "arm64"},
        {"host": replace(HOSTS["reference"], version=77)},
        {"environment": "production"},
    ],
)
def test_each_condition_counts(changes: dict[str, Any]) -> None:
    assert of(OBJECTS, replace(CONDITIONS, **changes)) != of(OBJECTS)


def test_of_what_is_not_there_the_names_count_that_may_have_been_meant() -> None:
    missing = "VirtualMachineClusterInstancetype", "", "medum"
    others = [*OBJECTS, obj(CATALOG_API_VERSION, "VirtualMachineClusterInstancetype", "medums", spec={})]
    assert of(OBJECTS, CONDITIONS, missing) != of(others, CONDITIONS, missing)
    assert of(OBJECTS) == of(others)


def test_what_is_not_known_depends_on_all_of_them() -> None:
    inputs = [Inputs(objects, CONDITIONS).of("team", None) for objects in (OBJECTS, touched(0), touched(1), touched(2))]
    assert len(set(inputs)) == 4


def test_the_order_counts_in_which_objects_replace_each_other() -> None:
    assert of([*OBJECTS, touched(3)[3]]) != of([touched(3)[3], *OBJECTS])


def test_references_of_two_sides_count_together() -> None:
    assert either([TYPE], [TYPE, ("k", "", "n")]) == [TYPE, ("k", "", "n")]
    assert either([TYPE], None) is None


def test_a_value_that_nobody_can_write_does_not_count() -> None:
    with pytest.raises(NotImplementedError) as caught:
        plain({"a": object()})
    assert str(caught.value) == "nothing says how a object counts"


def referring(**spec: Any) -> Manifest:
    return obj("kubevirt.io/v1", "VirtualMachine", "vm", "team", spec=spec)


@pytest.mark.parametrize(
    ("vm", "identities"),
    [
        (referring(), []),
        (referring(instancetype=None, preference={}), []),
        (referring(instancetype={"name": "medium"}), [TYPE]),
        (
            referring(instancetype={"name": "m", "kind": "VirtualMachineInstancetype"}, preference={"name": "linux"}),
            [("VirtualMachineInstancetype", "team", "m"), ("VirtualMachineClusterPreference", "", "linux")],
        ),
        (referring(instancetype={"inferFromVolume": "root"}), None),
        (referring(instancetype={"name": "medium", "inferFromVolume": "root"}), None),
        (referring(instancetype={"name": "medium"}, preference={"name": "x", "kind": "Gadget"}), None),
        (referring(instancetype="medium"), None),
        (obj("kubevirt.io/v1", "VirtualMachine", "vm", spec=[]), None),
    ],
)
def test_the_types_that_a_vm_names(vm: Manifest, identities: list[Any] | None) -> None:
    assert identities_of(vm) == identities


@pytest.mark.parametrize(
    ("manifest", "identity"),
    [
        (obj("v1", "Secret", "a"), ("Secret", "default", "a")),
        (obj("v1", "Secret", "a", "team"), ("Secret", "team", "a")),
        (
            obj(CATALOG_API_VERSION, "VirtualMachineClusterInstancetype", "a", "team"),
            ("VirtualMachineClusterInstancetype", "", "a"),
        ),
    ],
)
def test_a_cluster_finds_an_object_by_these(manifest: Manifest, identity: tuple[str, str, str]) -> None:
    assert located(manifest) == identity


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ({"b": 1, "a": [None, "ü"]}, '{"b":1,"a":[null,"ü"]}'),
        ({"a": 2**70}, '{"a":1180591620717411303424}'),
        ("\ud800", '"\\ud800"'),
    ],
)
def test_plain_data_is_bytes_in_its_own_order(value: Any, content: str) -> None:
    assert encoded(value) == content.encode()


def test_views_are_plain_data_in_order() -> None:
    assert plain({"b": MappingProxyType({"x": (1, 2)}), "a": frozenset({"y"})}) == {"a": ["y"], "b": {"x": (1, 2)}}


def test_several_lists_of_references_count_once_each_in_their_order() -> None:
    one, other = ("k", "", "n"), ("k", "", "m")
    assert either() == []
    assert either([], [one], [other, one]) == [one, other]
    assert either(None, [one]) is None


def test_a_kustomization_that_cannot_be_read_is_a_problem(tmp_path, monkeypatch):
    (tmp_path / "kustomization.yaml").write_text("resources: []\n")

    def fail(*_):
        raise SourceError("cannot be read: input/output error")

    monkeypatch.setattr("virtcatalog.repositories.kustomize.build.build", fail)
    problems = []
    assert [*built_contents(str(tmp_path), problems)] == []
    assert [str(problem) for problem in problems] == [f"{tmp_path}: cannot be read: input/output error"]
