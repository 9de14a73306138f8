"""The objects of an environment as they count: filled in, and without those that are broken."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem
from virtcatalog.repositories.checked import checked, wrapped
from virtcatalog.repositories.model import Environment, Resource

Data = dict[str, Any]
VM: Data = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "web"},
    "spec": {"runStrategy": "Always", "template": {"spec": {"domain": {"devices": {}}}}},
}
TYPE: Data = {
    "apiVersion": "instancetype.kubevirt.io/v1beta1",
    "kind": "VirtualMachineClusterInstancetype",
    "metadata": {"name": "small"},
    "spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}},
}


def environment(*manifests: Data) -> Environment:
    resources = tuple(Resource(manifest, lambda field: Source(f"f.yaml#{field}", 1, 1)) for manifest in manifests)
    own = Problem("f.yaml", message="before")
    return Environment(name="x", kind="folder", folder="x", place=Source("x"), resources=resources, problems=(own,))


def objects_and_problems(manifest: Data) -> tuple[list[Data], list[str]]:
    """The objects that are left of one, and what is said of it."""
    result = checked(environment(manifest))
    assert replace(result, resources=(), problems=()) == replace(environment(), problems=())
    assert result.problems[0].message == "before"
    problems = [str(problem).partition("#")[2].replace(":1:1: ", ": ") for problem in result.problems[1:]]
    return [resource.data for resource in result.resources], problems


OTHER = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "${NAME}"}, "spec": {"ports": "${PORTS}"}}


@pytest.mark.parametrize(
    "manifest",
    [VM, TYPE, OTHER, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}],
    ids=["VM", "type", "other", "node"],
)
def test_what_is_sound_stays(manifest: Data) -> None:
    assert objects_and_problems(manifest) == ([manifest], [])


def test_a_value_that_is_not_there_leaves_a_vm_open_and_a_type_out() -> None:
    vm = {**VM, "spec": {**VM["spec"], "runStrategy": "${RUN}"}}
    result = checked(environment(vm))
    ((data, _, is_open),) = result.resources
    assert data["spec"] == {"template": VM["spec"]["template"]}
    assert [(open_field.field, open_field.text) for open_field in is_open] == [("spec.runStrategy", "${RUN}")]
    instancetype = {**TYPE, "spec": {"cpu": {"guest": "${CPU}"}, "memory": {"guest": "${MEMORY}"}}}
    unknown = "and its value is not in the repository"
    objects, problems = objects_and_problems(instancetype)
    assert objects == []
    assert [text.partition(": ")[2].partition(": ")[2] for text in problems] == [
        f"spec.cpu.guest: is '${{CPU}}', {unknown}",
        f"spec.memory.guest: is '${{MEMORY}}', {unknown}",
    ]


@pytest.mark.parametrize(
    ("manifest", "sentences"),
    [
        (
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": "x"}},
            ["metadata.labels: Node/n: metadata.labels: must be a map, not the string 'x'"],
        ),
        (
            {**VM, "metadata": {}, "spec": {"runStrategy": "${RUN}"}},
            ["metadata.name: VirtualMachine: metadata.name: is required"],
        ),
        (
            {**VM, "metadata": "x", "spec": {"runStrategy": "${RUN}"}},
            ["metadata.name: VirtualMachine: metadata.name: is required"],
        ),
        (
            {**VM, "spec": {**VM["spec"], "runStrategy": 1}},
            ["spec.runStrategy: VirtualMachine/web: spec.runStrategy: must be"],
        ),
        (
            {**TYPE, "spec": {"cpu": {"guest": "x"}, "memory": {"guest": "1Gi"}}},
            ["spec.cpu.guest: VirtualMachineClusterInstancetype/small: spec.cpu.guest: must be"],
        ),
    ],
)
def test_what_is_wrong_is_left_out_and_said(manifest: Data, sentences: list[str]) -> None:
    objects, problems = objects_and_problems(manifest)
    assert objects == []
    assert [problem[: len(text)] for problem, text in zip(problems, sentences, strict=True)] == sentences


@pytest.mark.parametrize("key", ["name", "generateName"])
def test_a_vm_with_open_fields_has_a_name_of_one_sort(key: str) -> None:
    vm = {**VM, "metadata": {key: "web"}, "spec": {"runStrategy": "${RUN}"}}
    assert objects_and_problems(vm) == ([{**vm, "spec": {}}], [])


def test_what_is_in_no_namespace_has_none() -> None:
    placed = {**TYPE, "metadata": {"name": "small", "namespace": "shop"}}
    assert objects_and_problems(placed) == ([TYPE], [])
    assert placed["metadata"] == {"name": "small", "namespace": "shop"}
    namespaced = {**placed, "kind": "VirtualMachineInstancetype"}
    assert objects_and_problems(namespaced) == ([namespaced], [])


WORK: Data = {"apiVersion": "x.example.org/v1", "kind": "Work", "metadata": {"name": "w"}, "status": {"vm": VM}}


@pytest.mark.parametrize(
    ("spec", "number"),
    [
        ({"manifest": VM}, 1),
        ({"manifests": [VM, {"more": [VM]}]}, 2),
        ({"manifest": {key: VM[key] for key in VM if key != "spec"}}, 0),
        ({"manifest": {**VM, "kind": "Other"}}, 0),
        ({"text": "VirtualMachine"}, 0),
    ],
)
def test_vms_that_stand_whole_in_other_objects(spec: Data, number: int) -> None:
    (resource,) = environment({**WORK, "spec": spec}).resources
    opaque = list(wrapped(resource))
    sentence = "f.yaml#:1:1: Work/w: holds VirtualMachine/web, and what becomes of that is not known here"
    assert [str(part.problem) for part in opaque] == [sentence] * number


def test_such_a_vm_is_another_once_the_object_is() -> None:
    def digest(**changes: Any) -> bytes:
        (resource,) = environment({**WORK, "spec": {"manifest": VM}, **changes}).resources
        (opaque,) = wrapped(resource)
        return opaque.digest

    assert digest() == digest(metadata={"name": "w", "labels": {}}) == digest(status={})
    assert digest() != digest(spec={"manifest": VM, "more": 1})
    assert digest() != digest(other={})


def test_what_deploys_something_is_looked_into_by_its_own_rules() -> None:
    release = {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": {"name": "w"}}
    (resource,) = environment({**release, "spec": {"values": {"vm": VM}}}).resources
    assert list(wrapped(resource)) == []
