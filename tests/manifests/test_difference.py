"""Where data differs, and how it is said."""

from copy import deepcopy

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from virtcatalog.api.findings import Item
from virtcatalog.manifests.difference import alike, differences, leaves, shown

NAMES = st.sampled_from("abc")
VALUES = st.recursive(
    st.integers(0, 2) | st.booleans() | st.sampled_from("xy"),
    lambda inner: st.one_of(
        st.dictionaries(NAMES, inner, max_size=3),
        st.lists(inner, max_size=2),
        st.lists(st.fixed_dictionaries({"name": NAMES, "value": inner}), max_size=2),
    ),
    max_leaves=8,
)


def lines_of(old, new, *, named=True):
    return [str(difference) for difference in differences(old, new, by_name=named)]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ({"cpu": {"sockets": 1}}, {"cpu": {"sockets": 2}}, ["cpu.sockets: 1 → 2"]),
        ({}, {"cpu": {"sockets": 2, "cores": 1}}, ["cpu.cores: 1 is new", "cpu.sockets: 2 is new"]),
        ({"cpu": {"sockets": 2}}, {}, ["cpu.sockets: 2 is gone"]),
        ({"rng": {}}, {}, ["rng: {} is gone"]),
        ({"rng": {}}, {"rng": {"a": 1}}, ["rng.a: 1 is new"]),
        ({"a": 1}, {"a": True}, ["a: 1 → true"]),
        ({"a": {"b": [{"c": 1}]}}, {"a": {"b": [{"c": True}]}}, ["a.b[0].c: 1 → true"]),
        ({"a": {"b": 1}}, {"a": "x y"}, ['a: {"b": 1} → x y']),
        ({"a": ""}, {"a": " x"}, ['a: "" → " x"']),
        ({"labels": {"a.b/c": "x"}}, {"labels": {}}, ["labels[a.b/c]: x is gone"]),
        ({"a": [1, 2]}, {"a": [1, 3, 4]}, ["a[1]: 2 → 3", "a[2]: 4 is new"]),
        ({"a": [1]}, {"a": []}, ["a[0]: 1 is gone"]),
    ],
)
def test_fields_that_differ(old, new, lines):
    assert lines_of(old, new) == lines


def test_items_are_compared_by_their_name():
    old = {"disks": [{"name": "a", "bus": "sata"}, {"name": "b", "bus": "sata"}]}
    new = {"disks": [{"name": "c", "bus": "sata"}, {"name": "b", "bus": "virtio"}]}
    assert lines_of(old, new) == [
        "disks[a].bus: sata is gone",
        "disks[a].name: a is gone",
        "disks[b].bus: sata → virtio",
        "disks[c].bus: sata is new",
        "disks[c].name: c is new",
    ]


def named(*names):
    return {"disks": [{"name": name} for name in names]}


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        (named("a", "b"), named("b", "a"), ['disks: ["a", "b"] → ["b", "a"]']),
        (named("a", "b"), named("b", "c", "a"), ["disks[c].name: c is new", 'disks: ["a", "b"] → ["b", "c", "a"]']),
        (named("a", "b", "c"), named("c", "a"), ["disks[b].name: b is gone", 'disks: ["a", "b", "c"] → ["c", "a"]']),
        (named("a", "b"), named("c", "a", "b"), ["disks[c].name: c is new"]),
        (named("a", "b"), named("b"), ["disks[a].name: a is gone"]),
    ],
)
def test_items_that_change_their_order_are_a_difference_of_the_list(old, new, lines):
    assert lines_of(old, new) == lines


def test_items_without_names_of_their_own_are_compared_by_number():
    old, new = [{"name": "a"}, {"name": "a"}], [{"name": "a"}, {"name": "b"}]
    assert lines_of({"x": old}, {"x": new}) == ["x[1].name: a → b"]


def test_unless_named_lists_of_other_lengths_differ_as_a_whole():
    old, new = {"x": [{"name": "a"}]}, {"x": [{"name": "b"}]}
    assert lines_of(old, new, named=False) == ["x[0].name: a → b"]
    assert lines_of(old, {"x": []}, named=False) == ['x: [{"name": "a"}] → []']
    assert lines_of({}, old, named=False) == ['x: [{"name": "a"}] is new']


def test_what_counts_as_the_same_can_be_said():
    def same(old, new, path):
        return old == new or path == ("a",)

    assert [difference.field for difference in differences({"a": 1, "b": 1}, {"a": 2, "b": 2}, same=same)] == ["b"]


@pytest.mark.parametrize(
    ("old", "new", "items", "expected"),
    [
        ({"d": [{"name": "a", "x": 1}]}, {"d": []}, True, [(("d", "a"), {"name": "a", "x": 1}, None)]),
        ({"d": []}, {"d": [{"name": "a"}]}, True, [(("d", "a"), None, {"name": "a"})]),
        ({"d": [{"name": "a"}]}, {"d": []}, False, [(("d", "a", "name"), "a", None)]),
        (
            {"d": [{"name": "a", "x": 1}]},
            {"d": [{"name": "a", "x": 2}]},
            True,
            [(("d", "a", "x"), 1, 2)],
        ),
        ({"d": [1]}, {"d": []}, True, [(("d", 0), 1, None)]),
        (
            {"d": [{"name": "a"}, {"name": "a"}]},
            {},
            True,
            [(("d", 0, "name"), "a", None), (("d", 1, "name"), "a", None)],
        ),
        ({"d": {"a": True}}, {"d": {"a": 1}}, True, [(("d", "a"), True, 1)]),
        ({"d": [[True]], "e": 1}, {"d": [[1]], "e": True}, True, [(("d", 0, 0), True, 1), (("e",), 1, True)]),
        ({"d": [{"b": [True, {"c": False}]}]}, {"d": [{"b": [True, {"c": False}]}]}, True, []),
    ],
)
def test_items_that_come_or_go_may_be_told_as_a_whole(old, new, items, expected):
    differ = list(differences(old, new, items=items))
    assert [(difference.path, difference.old, difference.new) for difference in differ] == expected


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        (True, True, True),
        ({"a": [1, {"b": 0}]}, {"a": [1, {"b": False}]}, False),
        ({"a": [1, {"b": 0}]}, {"a": [1, {"b": 0}]}, True),
        ({"a": "x", "b": True}, {"a": "x", "b": 1}, False),
        ([], [1], False),
        (None, None, True),
    ],
)
def test_a_boolean_is_no_number(old, new, same):
    assert alike(old, new) is same


def test_leaves():
    data = {"b": [{"name": "x", "v": 1}], "a": {}, "c": [1, []]}
    assert dict(leaves(data)) == {
        ("a",): {},
        ("b", Item("x"), "name"): "x",
        ("b", Item("x"), "v"): 1,
        ("c", 0): 1,
        ("c", 1): [],
    }


@given(VALUES, VALUES, st.booleans())
@example([{"name": "a"}, {"name": "b"}], [{"name": "b"}, {"name": "a"}], True)
def test_data_differs_where_it_is_not_the_same(old, new, named):
    before = deepcopy((old, new))
    assert not list(differences(old, deepcopy(old), by_name=named))
    forth = list(differences(old, new, by_name=named))
    assert forth or old == new
    assert {difference.field for difference in differences(new, old, by_name=named)} == {
        difference.field for difference in forth
    }
    assert (old, new) == before


def test_values_as_people_read_them():
    assert [shown(value) for value in ("a b", "", "a\n", True, None, 1.5)] == [
        "a b",
        '""',
        '"a\\n"',
        "true",
        "null",
        "1.5",
    ]
