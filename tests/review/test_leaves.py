"""The leaves of a manifest, and which of them other manifests have as well."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.ask.leaves import ABSENT, blot, changed, leaves

WHOLE = {
    "kind": "X",
    "metadata": {"labels": {"app": "web", "example.org/tier": "front"}},
    "spec": {"disks": [{"name": "a"}, {"name": "b", "bus": "sata"}], "cpu": {}, "hooks": []},
}


def firsts(zero: Any, one: Any, two: Any) -> dict[str, int]:
    others = ({"spec": zero}, {"spec": one}, {"spec": two})
    return {field: first for field, _, first in leaves(WHOLE, others, ["spec"])}


def test_leaves_are_scalars_and_what_is_empty_in_their_order_and_at_the_keys_that_were_asked_for() -> None:
    assert leaves(WHOLE, ({}, {}, {}), ["metadata", "spec", "status"]) == [
        ("metadata.labels.app", "web", 3),
        ("metadata.labels[example.org/tier]", "front", 3),
        ("spec.disks[0].name", "a", 3),
        ("spec.disks[1].name", "b", 3),
        ("spec.disks[1].bus", "sata", 3),
        ("spec.cpu", {}, 3),
        ("spec.hooks", [], 3),
    ]


def test_each_leaf_is_in_the_first_that_has_it() -> None:
    assert firsts({"disks": [{"name": "a"}]}, {"disks": WHOLE["spec"]["disks"]}, {"cpu": {}}) == {
        "spec.disks[0].name": 0,
        "spec.disks[1].name": 1,
        "spec.disks[1].bus": 1,
        "spec.cpu": 2,
        "spec.hooks": 3,
    }


def test_a_part_that_one_has_whole_may_be_in_an_earlier_one_by_half() -> None:
    found = firsts({}, {"disks": [{"name": "x"}, {"name": "b"}]}, WHOLE["spec"])
    assert found["spec.disks[0].name"] == 2
    assert found["spec.disks[1].name"] == 1
    assert found["spec.disks[1].bus"] == 2


@pytest.mark.parametrize("other", [{"disks": "a", "cpu": [], "hooks": {}}, {"disks": {"0": {"name": "a"}}}, None, 3])
def test_another_kind_of_value_has_no_leaf_of_it(other: Any) -> None:
    assert set(firsts(other, {}, {}).values()) == {3}


@pytest.mark.parametrize(
    ("other", "fields"),
    [
        (WHOLE["spec"], set()),
        ({**WHOLE["spec"], "more": 1}, set()),
        ({**WHOLE["spec"], "cpu": {"cores": 1}}, {"spec.cpu"}),
        ({**WHOLE["spec"], "disks": [{"name": "a", "boot": 1}, {"name": "c", "bus": "sata"}]}, {"spec.disks[1].name"}),
        ({**WHOLE["spec"], "disks": []}, {"spec.disks[0].name", "spec.disks[1].name", "spec.disks[1].bus"}),
    ],
)
def test_changed_is_what_another_has_otherwise_or_not_at_all(other: Any, fields: set[str]) -> None:
    assert changed(WHOLE, {"spec": other}, ["spec"]) == fields


def test_what_another_has_as_a_known_one_is_not_told() -> None:
    other = {"spec": {"disks": [{"name": "x"}, {"name": "b"}], "cpu": {"cores": 1}, "hooks": [1]}}
    known = [{"spec": {"disks": [{"name": "x"}], "hooks": [2]}}, {"spec": {"cpu": {"cores": 1}}}]
    assert changed(WHOLE, other, ["spec"]) == {"spec.disks[0].name", "spec.disks[1].bus", "spec.cpu", "spec.hooks"}
    assert changed(WHOLE, other, ["spec"], known) == {"spec.hooks"}


def test_only_empty_maps_that_are_not_given_are_blotted_out() -> None:
    value = {"a": {}, "b": {"c": {}, "d": {}, "e": []}, "f": [{"g": {}}], "h": 1}
    blot(value, {"a": {}, "b": {"d": None}, "f": [{}], "h": 2})
    assert value == {"a": {}, "b": {"c": ABSENT, "d": ABSENT, "e": []}, "f": [{"g": ABSENT}], "h": 1}
