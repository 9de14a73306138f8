"""The leaves of a layer: as trees and back, what one layer makes of another, and which leaves are the same."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.bring.objects.facts import (
    ABSENT,
    Expression,
    Facts,
    common,
    cost,
    difference,
    flatten,
    laid_over,
    possible,
    same,
    signature,
    tree,
)


def facts(**leaves: Any) -> Facts:
    """Leaves by their paths, with `__` between the steps."""
    return {tuple(path.split("__")): value for path, value in leaves.items()}


def test_a_tree_has_scalars_lists_and_empty_maps_as_leaves() -> None:
    assert flatten({"a": {"b": 1, "c": {}, "d": {"e": None}}, "f": [{"g": 1}]}) == facts(
        a__b=1, a__c={}, a__d__e=None, f=[{"g": 1}]
    )


@pytest.mark.parametrize(
    ("leaves", "data"),
    [
        (facts(a__b=1, a__c__d=2), {"a": {"b": 1, "c": {"d": 2}}}),
        (facts(a__b=None, a__c=ABSENT), {"a": {"b": None, "c": None}}),
        (facts(a={}, a__b=None), {"a": {"b": None}}),
        (facts(a__b=None, a={}), {"a": {"b": None}}),
        (facts(a={}), {"a": {}}),
        ({}, {}),
    ],
)
def test_leaves_are_a_tree(leaves: Facts, data: dict[str, Any]) -> None:
    assert tree(leaves) == data


@pytest.mark.parametrize(
    ("below", "patch", "expected"),
    [
        (facts(a=1), facts(b=2), facts(a=1, b=2)),
        (facts(a=1), facts(a=2), facts(a=2)),
        (facts(a__b=1, a__c__d=2, e=3), facts(a=None), facts(e=3)),
        (facts(a__b=1, ab=2), facts(a=None), facts(ab=2)),
        (facts(a=1), facts(b=None), facts(a=1)),
        (facts(a=1), facts(a__b=2), facts(a__b=2)),
        (facts(a__b=1), facts(a=2), facts(a=2)),
        (facts(a__b=1), facts(a={}), facts(a__b=1)),
        (facts(a=1), facts(a={}), facts(a={})),
        ({}, facts(a={}), facts(a={})),
        (facts(a={}), facts(a__b=1), facts(a__b=1)),
    ],
)
def test_a_patch_sets_removes_and_replaces(below: Facts, patch: Facts, expected: Facts) -> None:
    before = dict(below)
    assert laid_over(below, patch) == expected
    assert below == before


@pytest.mark.parametrize(
    ("below", "target", "patch"),
    [
        (facts(a=1), facts(a=1), {}),
        (facts(a=1), facts(a=True), facts(a=True)),
        (facts(a=1), facts(a=1, b=2), facts(b=2)),
        (facts(displayName="x", labels__a="y"), {}, facts(displayName=None, labels__a=None)),
        (facts(spec__a=1), {}, facts(spec__a=None)),
        (facts(spec__a__b=1, spec__a__c__d=2), {}, facts(spec__a=None)),
        (facts(spec__a__b=1, spec__a__c=2), facts(spec__a__b=1), facts(spec__a__c=None)),
        (facts(spec__a__b__c=1), facts(spec__a__d=1), facts(spec__a__b=None, spec__a__d=1)),
        (facts(a=1), facts(a__b=2), facts(a__b=2)),
        (facts(a__b=1), facts(a=2), facts(a=2)),
        (facts(spec__a__b=1), facts(spec__a={}), facts(spec__a__b=None, spec__a={})),
    ],
)
def test_a_difference_removes_as_high_as_it_can_but_never_a_whole_section(
    below: Facts, target: Facts, patch: Facts
) -> None:
    assert difference(below, target) == patch


@pytest.mark.parametrize(
    ("below", "staying", "patch"),
    [
        (facts(spec__a__b=1), [("spec", "a", "c")], facts(spec__a__b=None)),
        (facts(spec__a__b=1), [("spec", "c")], facts(spec__a=None)),
        (facts(spec__requirements__cpu__guest=2), [], facts(spec__requirements=None)),
        (facts(spec__requirements__cpu__guest=2), [("arch",)], facts(spec__requirements__cpu=None)),
        (facts(spec__devices__cpu__guest=2), [("arch",)], facts(spec__devices=None)),
    ],
)
def test_a_difference_leaves_what_others_say_and_requirements_beside_an_architecture(
    below: Facts, staying: list[tuple[str, ...]], patch: Facts
) -> None:
    assert difference(below, {}, staying) == patch


@pytest.mark.parametrize(
    ("leaf", "other", "is_same"),
    [
        (1, 1, True),
        (1, True, False),
        (1, 1.0, False),
        ("a", "a", True),
        ("a", Expression("a"), False),
        (Expression("a"), Expression("a"), True),
        (ABSENT, ABSENT, True),
        (ABSENT, "ABSENT", False),
        ([{"a": 1}], [{"a": 1}], True),
        ({}, [], False),
    ],
)
def test_leaves_are_the_same_where_they_are_of_one_type(leaf: Any, other: Any, is_same: bool) -> None:
    assert same(leaf, other) is is_same


def test_a_layer_has_a_signature_of_its_leaves_in_any_order() -> None:
    assert signature(facts(b=True, a=ABSENT, c={}, d=Expression("x"))) == (
        (("a",), "_Absent:ABSENT"),
        (("b",), "true"),
        (("c",), "{}"),
        (("d",), "Expression:'x'"),
    )


def test_common_are_those_of_all() -> None:
    assert common([facts(a=1, b=1, c=1, d=1), facts(a=1, b=2, c=True), facts(a=1, b=1, c=1, d=1)]) == facts(a=1)
    assert common(iter([facts(a=1)])) == facts(a=1)


def test_removing_costs_more_than_setting() -> None:
    assert (cost({}), cost(facts(a=1)), cost(facts(a=None)), cost(facts(a=1, b={}, c=None))) == (0, 1, 2.5, 4.5)


@pytest.mark.parametrize(
    ("below", "target", "is_possible"),
    [
        ({}, {}, True),
        (facts(spec__a=1), {}, True),
        (facts(labels__a=ABSENT), {}, False),
        (facts(labels__a=ABSENT), facts(labels__a="x"), True),
        (facts(arch="arm64"), {}, False),
        (facts(arch="arm64"), facts(arch="amd64"), True),
        (facts(spec__a=1, arch="arm64"), facts(spec__b=1), False),
    ],
)
def test_no_patch_unsets_an_absent_label_or_an_architecture(below: Facts, target: Facts, is_possible: bool) -> None:
    assert possible(below, target) is is_possible
