"""Dumps of fleets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from virtcatalog.errors import ManifestError
from virtcatalog.manifests import dump as dumps
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.spool import Spool
from virtcatalog.manifests.stream import Stream


def vm(name: str, **more: Any) -> dict[str, Any]:
    return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": name}, "spec": {}, **more}


def read_dump(text: str) -> list[dict[str, Any]]:
    return list(dumps.read_dump(Stream(Spool().copy(text.encode()), "dump")))


def names(text: str) -> list[str]:
    return [each["metadata"]["name"] for each in read_dump(text)]


LIST = {"apiVersion": "v1", "items": [vm("a"), vm("b")], "kind": "List", "metadata": {"resourceVersion": ""}}


@pytest.mark.parametrize(
    "text",
    [
        dump(LIST),
        json.dumps(LIST),
        json.dumps(LIST, indent=4),
        dump({**LIST, "items": [], "kind": "List"}).replace(
            "items: []", "items: [" + json.dumps(vm("a")) + "," + json.dumps(vm("b")) + "]"
        ),
        dump(vm("a")) + "---\n" + dump(vm("b")),
        "---\n" + dump(vm("a")) + "---\n" + dump({**LIST, "items": [vm("b")]}),
    ],
    ids=["yaml", "json", "indented", "flow", "documents", "both"],
)
def test_vms_of_every_form(text: str) -> None:
    assert names(text) == ["a", "b"]


def test_a_typed_list_gives_its_items_their_kind() -> None:
    items = [{"metadata": {"name": "a"}, "spec": {}}]
    text = dump({"apiVersion": "kubevirt.io/v1", "items": items, "kind": "VirtualMachineList"})
    (read,) = read_dump(text)
    assert (read["apiVersion"], read["kind"]) == ("kubevirt.io/v1", "VirtualMachine")


def test_of_the_status_only_the_stored_revisions_are_kept() -> None:
    ref = {"name": "m", "controllerRevisionRef": {"name": "r"}}
    (read,) = read_dump(dump(vm("a", status={"ready": True, "instancetypeRef": ref})))
    assert read["status"] == {"instancetypeRef": ref}


def test_a_quoted_text_with_a_dash_at_the_start_of_a_line_is_no_item() -> None:
    item = '- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n  data: {a: "x\n\n- y"}\n'
    (read,) = read_dump(f"apiVersion: v1\nitems:\n{item}kind: List\n")
    assert read["data"] == {"a": "x\n- y"}


@pytest.mark.parametrize("text", ["", "a: [", "a: 1\n", "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\n", "- 1\n"])
def test_what_is_no_dump_is_an_error_with_its_place(text: str) -> None:
    with pytest.raises(ManifestError) as caught:
        names(text)
    assert caught.value.problems[0].file == "dump"
