"""Which fields an Application's `ignoreDifferences` names."""

from __future__ import annotations

import pytest

from virtcatalog.gitops.comparison import Drift
from virtcatalog.gitops.rules import Rules, expression, rules_for, valued_expression

VM = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "web", "namespace": "shop"}}
ITEM = {"group": "kubevirt.io", "kind": "VirtualMachine"}


def rules_of(**rule: object) -> Rules:
    return rules_for([{**ITEM, **rule}], VM)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        (".spec", ("spec",)),
        (".spec.running", ("spec", "running")),
        (".spec.template?.spec?", ("spec", "template", "spec")),
        ('.spec."a.b"', ("spec", "a.b")),
        ('.spec["a\\"b"]', ("spec", 'a"b')),
        ('.spec.["a"]?', ("spec", "a")),
        (".spec.volumes[]", ("spec", "volumes", None)),
        (".spec.volumes[]?.name", ("spec", "volumes", None, "name")),
        (".spec.volumes.[].name", ("spec", "volumes", None, "name")),
        (".spec.volumes[12].name", ("spec", "volumes", 12, "name")),
        (".spec.volumes[1]?", ("spec", "volumes", 1)),
        (".spec.volumes.[0]", ("spec", "volumes", 0)),
    ],
)
def test_an_expression_that_names_a_field(text, steps):
    assert rules_of(jqPathExpressions=[text]) == Rules((steps,), frozenset({text}))


@pytest.mark.parametrize(
    "text", ["..|.guest?", ".", "", ".spec | .running", "spec", ".spec.volumes[-1]", ".größe", ".spec[1:2]"]
)
def test_an_expression_that_does_more_is_not_read(text):
    assert rules_of(jqPathExpressions=[text]) == Rules((), frozenset({text}), (text,))


def test_what_virtcatalog_writes_is_known_as_a_whole():
    drift = Drift(("spec", "instancetype", "inferFromVolume"), "dropped", "root")
    text = '(.spec.instancetype | select(.inferFromVolume == "root")).inferFromVolume'
    rules = rules_of(jqPathExpressions=[text])
    assert valued_expression(drift) == text
    assert rules == Rules((), frozenset({text}))
    assert rules.ignore_drift(drift)
    assert not rules.ignore_drift(Drift(drift.path, "dropped", "data"))
    other = f"{text} | length"
    assert rules_of(jqPathExpressions=[other]).unread == (other,)


@pytest.mark.parametrize(
    ("pointer", "steps"),
    [
        ("/spec/running", ("spec", "running")),
        ("/metadata/annotations/a~1b~0c", ("metadata", "annotations", "a/b~c")),
        ("/metadata/annotations/~01", ("metadata", "annotations", "~1")),
        ("/spec/volumes/3/name", ("spec", "volumes", 3, "name")),
    ],
)
def test_a_pointer_names_a_field(pointer, steps):
    assert rules_of(jsonPointers=[pointer]) == Rules((steps,))


@pytest.mark.parametrize(
    ("about", "is_about"),
    [
        ({}, True),
        ({"group": "*.io"}, True),
        ({"group": "kubevirt*", "kind": "Virtual*"}, True),
        ({"group": "*", "kind": "*"}, True),
        ({"group": ""}, False),
        ({"group": None}, False),
        ({"group": "KubeVirt.io"}, False),
        ({"kind": "VirtualMachineInstance"}, False),
        ({"kind": "virtualmachine"}, False),
        ({"name": "web", "namespace": "shop"}, True),
        ({"name": "", "namespace": ""}, True),
        ({"name": None, "namespace": None}, True),
        ({"name": "db"}, False),
        ({"name": "web", "namespace": "lab"}, False),
    ],
)
def test_which_objects_a_rule_is_about(about, is_about):
    rules = rules_of(**about, jsonPointers=["/spec"], jqPathExpressions=[".metadata"])
    assert rules == (Rules((("spec",), ("metadata",)), frozenset({".metadata"})) if is_about else Rules())


def test_objects_of_the_core_have_no_group():
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}
    assert rules_for([{"kind": "Secret", "jsonPointers": ["/data"]}], secret) == Rules((("data",),))
    assert rules_for([{"group": "v1", "kind": "Secret", "jsonPointers": ["/data"]}], secret) == Rules()


def test_what_is_no_text_says_nothing():
    assert rules_of(jsonPointers="/spec", jqPathExpressions={".spec": 1}) == Rules()
    assert rules_of(jsonPointers=["/spec", 7], jqPathExpressions=[None, ".status"]) == Rules(
        (("spec",), ("status",)), frozenset({".status"})
    )


def test_the_rules_of_several_items_are_taken_together():
    items = [{**ITEM, "jsonPointers": ["/spec/a"]}, {"kind": "Pod"}, {**ITEM, "jqPathExpressions": ["..", ".spec.b"]}]
    assert rules_for(items, VM) == Rules((("spec", "a"), ("spec", "b")), frozenset({"..", ".spec.b"}), ("..",))


@pytest.mark.parametrize(
    ("steps", "path", "covers"),
    [
        (("spec",), ("spec",), True),
        (("spec",), ("spec", "a"), True),
        (("spec", "a"), ("spec",), False),
        (("spec", "b"), ("spec", "a"), False),
        (("spec", None), ("spec", 3, "a"), True),
        (("spec", None), ("spec", "a"), False),
        (("spec", 3), ("spec", 3), True),
        (("spec", 2), ("spec", 3), False),
    ],
)
def test_a_rule_leaves_out_a_field_and_all_below_it(steps, path, covers):
    rules = Rules((("status",), steps))
    assert rules.ignore(path) is covers
    assert rules.ignore_drift(Drift(path, "respelled", 1, 2)) is covers
    assert Rules().ignore(path) is False


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("spec", "volumes", 0, "name"), ".spec.volumes[]?.name"),
        (("metadata", "labels", "a/b"), '.metadata.labels."a/b"'),
        (("metadata", "labels", 'a"b'), '.metadata.labels."a\\"b"'),
        (("metadata", "labels", "größe"), '.metadata.labels."gr\\u00f6\\u00dfe"'),
        (("_a1", "1a"), '._a1."1a"'),
    ],
)
def test_the_expression_of_a_field(path, text):
    assert expression(path) == text


@pytest.mark.parametrize(
    ("drift", "text"),
    [
        (Drift(("spec", "a"), "added", None, {"b": 1}), '(.spec | select(.a == {"b": 1})).a'),
        (Drift(("spec", "a"), "dropped", None, 1), "(.spec | select(.a == null)).a"),
        (Drift(("spec", 0, "a.b"), "respelled", "1", 2), '(.spec[]? | select(."a.b" == "1"))."a.b"'),
    ],
)
def test_the_expression_of_a_field_with_its_value(drift, text):
    assert valued_expression(drift) == text
