"""`virtcatalog expand --pin`."""

from __future__ import annotations

import json

from expanding import TYPES, VM, Run, documents, vm

import otheryaml


def test_a_pinned_vm_names_the_revisions_that_follow_it(run: Run) -> None:
    result = run("-f", ".", "--pin", vm_yaml=VM, types_yaml=TYPES)
    pinned, instancetype, preference = documents(result)
    assert pinned["spec"]["instancetype"] == {"name": "small", "revisionName": instancetype["metadata"]["name"]}
    assert pinned["spec"]["preference"] == {"name": "linux", "revisionName": preference["metadata"]["name"]}
    assert pinned["spec"]["template"] == otheryaml.load(VM)["spec"]["template"]
    assert {each["kind"] for each in (instancetype, preference)} == {"ControllerRevision"}
    assert instancetype["data"]["spec"] == {"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}}


def test_a_pinned_vm_becomes_the_same_without_its_instance_type(run: Run) -> None:
    before = run("-f", ".", vm_yaml=VM, types_yaml=TYPES).stdout
    pinned = run("-f", ".", "--pin").stdout
    assert run("-f", "-", stdin=pinned).stdout == before
    assert run("-f", "-", "--pin", stdin=pinned).stdout == pinned.partition("---")[0]


def test_pins_as_json_are_a_list(run: Run) -> None:
    result = run("-f", ".", "--pin", "-o", "json", vm_yaml=VM, types_yaml=TYPES)
    assert [each["kind"] for each in json.loads(result.stdout)["items"]] == [
        "VirtualMachine",
        *["ControllerRevision"] * 2,
    ]


def test_a_vm_that_is_refused_is_not_pinned(run: Run) -> None:
    result = run("-f", ".", "--pin", vm_yaml=vm("a", "runStrategy: Never"))
    assert (result.exit_code, result.stdout) == (1, "")
