"""What is held of a fleet that `kubectl get` has printed, and which of it is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from virtcatalog.errors import ManifestError
from virtcatalog.manifests import emit
from virtcatalog.manifests.dump import Packed, others_in, read_dump, vms_in
from virtcatalog.manifests.spool import Spool
from virtcatalog.manifests.stream import Stream


def vm(**metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata, "spec": {"template": {}}}


def thing(**metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def printed(text: str) -> Stream:
    return Stream(Spool().copy(text.encode()), "dump")


def stream(*objects: Any) -> Stream:
    return printed(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))


def refused(*objects: Any) -> list[str]:
    with pytest.raises(ManifestError) as caught:
        list(read_dump(stream(*objects)))
    return [f"{problem.field}: {problem.message}" for problem in caught.value.problems]


def test_what_holds_no_vm_comes_first() -> None:
    assert list(read_dump(stream(vm(name="a"), thing(name="c"), vm(name="b")))) == [
        thing(name="c"),
        vm(name="a"),
        vm(name="b"),
    ]


def test_of_a_vms_metadata_and_status_only_what_bears_on_its_domain_is_held() -> None:
    held = {"name": "a", "generateName": "a-", "namespace": "n", "labels": {"l": "1"}, "annotations": {"a": "1"}}
    status = {"instancetypeRef": {"name": "t"}, "preferenceRef": {"name": "p"}}
    whole = vm(**held, uid="u", resourceVersion="1", managedFields=[{}], creationTimestamp=None)
    assert list(vms_in(stream(whole | {"status": {**status, "ready": True, "conditions": [{}]}}).vms())) == [
        vm(**held) | {"status": status}
    ]
    assert list(vms_in(stream(whole | {"status": {"ready": True}}).vms())) == [vm(**held) | {"status": {}}]
    assert list(vms_in(stream(whole | {"status": None}).vms())) == [vm(**held)]


@pytest.mark.parametrize("text", [json.dumps(vm(name="a"), indent=4), "{kind: VirtualMachine, metadata: {name: a}}"])
def test_what_no_api_would_take_is_held_as_long_as_it_has_a_name(text: str) -> None:
    (held,) = read_dump(printed(text.replace("template", "templates")))
    assert (held["kind"], held["metadata"]) == ("VirtualMachine", {"name": "a"})


@pytest.mark.parametrize(
    ("objects", "problems"),
    [
        ([{"kind": "ConfigMap"}], ["apiVersion: is required"]),
        ([thing(name=1)], ["metadata.name: must be a string, not the number 1"]),
        ([thing(name="a", namespace=1)], ["metadata.namespace: must be a string, not the number 1"]),
        (["text"], [": a manifest is a map, not the string 'text'"]),
    ],
)
def test_what_is_no_object_is_refused(objects: list[Any], problems: list[str]) -> None:
    assert refused(*objects) == problems


def test_what_vms_may_refer_to_is_refused_where_it_is_wrong_and_other_objects_are_not() -> None:
    wrong = {"metadata": {"name": "t"}, "spec": {"cpu": {"guest": "two"}, "memory": {"guest": "1Gi"}}}
    kind = {"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachineInstancetype"}
    fault = "spec.cpu.guest: must be an integer, not the string 'two'"
    assert refused({**kind, **wrong}) == [fault]
    assert others_in(stream(thing(name="c") | {"data": {"a": 1}})) == [thing(name="c") | {"data": {"a": 1}}]


def test_the_problems_of_vms_are_told_with_those_of_other_objects() -> None:
    assert refused({"kind": "ConfigMap"}, vm(), vm(name=1)) == [
        "apiVersion: is required",
        "metadata.name: is required",
        "metadata.name: must be a string, not the number 1: quote it",
    ]


def test_those_of_all_vms_are_told_and_the_others_are_there_before() -> None:
    vms = vms_in(stream(vm(name=1), vm(name="a"), vm(name=2), vm(name="b")).vms())
    assert [next(vms)["metadata"]["name"] for _ in range(2)] == ["a", "b"]
    with pytest.raises(ManifestError) as caught:
        next(vms)
    assert [problem.field for problem in caught.value.problems] == ["metadata.name", "metadata.name"]


def test_a_vm_that_gets_its_name_later_is_held() -> None:
    assert list(read_dump(stream(vm(generateName="a-")))) == [vm(generateName="a-")]


def test_manifests_that_are_held_are_added_to_others() -> None:
    packed = Packed([vm(name="a")])
    packed.append(vm(name="b"))
    packed.extend(Packed([vm(name="c")]))
    assert [obj["metadata"]["name"] for obj in packed] == ["a", "b", "c"]


def names(text: str) -> list[str]:
    return [obj["metadata"]["name"] for obj in read_dump(printed(text))]


LIST = {"apiVersion": "v1", "items": [vm(name="a"), vm(name="b")], "kind": "List", "metadata": {"resourceVersion": ""}}


@pytest.mark.parametrize(
    "text",
    [
        emit.dump(LIST),
        json.dumps(LIST),
        json.dumps(LIST, indent=4),
        emit.dump({**LIST, "items": [], "kind": "List"}).replace(
            "items: []", "items: [" + json.dumps(vm(name="a")) + "," + json.dumps(vm(name="b")) + "]"
        ),
        emit.dump(vm(name="a")) + "---\n" + emit.dump(vm(name="b")),
        "---\n" + emit.dump(vm(name="a")) + "---\n" + emit.dump({**LIST, "items": [vm(name="b")]}),
    ],
    ids=["yaml", "json", "indented", "flow", "documents", "both"],
)
def test_vms_of_every_form(text: str) -> None:
    assert names(text) == ["a", "b"]


def test_a_typed_list_gives_its_items_their_kind() -> None:
    items = [{"metadata": {"name": "a"}, "spec": {}}]
    text = emit.dump({"apiVersion": "kubevirt.io/v1", "items": items, "kind": "VirtualMachineList"})
    (read,) = read_dump(printed(text))
    assert (read["apiVersion"], read["kind"]) == ("kubevirt.io/v1", "VirtualMachine")


def test_a_quoted_text_with_a_dash_at_the_start_of_a_line_is_no_item() -> None:
    item = '- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n  data: {a: "x\n\n- y"}\n'
    (read,) = read_dump(printed(f"apiVersion: v1\nitems:\n{item}kind: List\n"))
    assert read["data"] == {"a": "x\n- y"}


@pytest.mark.parametrize("text", ["", "a: [", "a: 1\n", "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\n", "- 1\n"])
def test_what_is_no_dump_is_an_error_with_its_place(text: str) -> None:
    with pytest.raises(ManifestError) as caught:
        names(text)
    assert caught.value.problems[0].file == "dump"
