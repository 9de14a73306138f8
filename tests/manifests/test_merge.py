"""Data laid over data, as laws and by example."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from virtcatalog.manifests.merge import changed_in, fresh, lay_over, merge

KEYS = st.sampled_from("abc")
SCALARS = st.one_of(st.integers(0, 3), st.text("xy", max_size=2), st.booleans())
LEAVES = st.one_of(SCALARS, st.lists(SCALARS, max_size=2))
PLAIN = st.dictionaries(
    KEYS, st.recursive(LEAVES, lambda inner: st.dictionaries(KEYS, inner, max_size=3), max_leaves=8)
)
LAYER = st.dictionaries(
    KEYS, st.recursive(st.none() | LEAVES, lambda inner: st.dictionaries(KEYS, inner, max_size=3), max_leaves=8)
)


def leaves(value, path=()):
    for key, child in value.items():
        if isinstance(child, dict):
            yield from leaves(child, (*path, key))
        else:
            yield (*path, key), child


def at(value, path):
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


@given(PLAIN, LAYER)
def test_a_later_layer_wins_and_null_removes(base, layer):
    merged = merge(base, layer)
    for path, value in leaves(layer):
        assert at(merged, path) == value
    assert None not in [value for _, value in leaves(merged)]


@given(PLAIN, LAYER)
def test_what_a_layer_does_not_name_stays(base, layer):
    merged = merge(base, layer)
    assert {key: value for key, value in merged.items() if key not in layer} == {
        key: value for key, value in base.items() if key not in layer
    }


@given(PLAIN, LAYER)
def test_merging_the_same_layer_twice_changes_nothing_more(base, layer):
    assert merge(base, layer, layer) == merge(base, layer)


@given(PLAIN)
def test_an_empty_layer_changes_nothing(base):
    assert merge(base, {}) == merge({}, base) == base


MAPS = st.dictionaries(KEYS, st.dictionaries(KEYS, st.dictionaries(KEYS, SCALARS, max_size=3), max_size=3), max_size=3)


@given(MAPS, MAPS, MAPS)
def test_layers_of_one_shape_merge_associatively(one, two, three):
    assert merge(merge(one, two), three) == merge(one, merge(two, three))


@given(PLAIN, LAYER, LAYER)
def test_layers_apply_one_after_the_other(base, one, two):
    assert merge(base, one, two) == merge(merge(base, one), two)


@given(PLAIN, LAYER)
def test_merging_changes_and_shares_nothing(base, layer):
    before = deepcopy((base, layer))
    merged = merge(base, layer)

    def spoil(value):
        if isinstance(value, dict):
            for child in value.values():
                spoil(child)
            value["spoilt"] = True
        elif isinstance(value, list):
            value.append("spoilt")

    spoil(merged)
    assert (base, layer) == before


@pytest.mark.parametrize(
    ("base", "layer", "merged"),
    [
        ({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}),
        ({"a": {"b": 1}}, {"a": {"b": None}}, {"a": {}}),
        ({"a": {"b": 1}}, {"a": None}, {}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": {"b": 1}}, {"a": 5}, {"a": 5}),
        ({"a": 5}, {"a": {"b": None, "c": 1}}, {"a": {"c": 1}}),
        ({}, {"a": [{"b": None, "c": 1}]}, {"a": [{"c": 1}]}),
    ],
)
def test_merging_by_example(base, layer, merged):
    assert merge(base, layer) == merged


def test_patches_are_merged_in_their_order():
    assert merge({"a": 1, "n": None, "m": {"n": None}}) == {"a": 1, "m": {}}
    assert merge({"a": 1}, {"a": None, "b": {"c": 2}}, {"a": 3, "b": {"d": 4}}) == {"a": 3, "b": {"c": 2, "d": 4}}


def test_copies_share_nothing():
    inner = {"x": [1, {"z": None}]}
    data = {"a": inner, "b": [inner, inner], "c": "text"}
    for copy in (fresh(data), merge(data)):
        copy["a"]["x"].append(2)
        copy["b"][0]["x"].append(3)
        copy["b"].append(4)
        assert copy["b"][1]["x"] in ([1, {"z": None}], [1, {}])
        assert data == {"a": {"x": [1, {"z": None}]}, "b": [inner, inner], "c": "text"}
    assert fresh([1, [2]]) == [1, [2]]
    assert fresh({"a": None}) == {"a": None}


@pytest.mark.parametrize(
    ("below", "above", "joined"),
    [
        ({"a": {"b": 1}}, {"a": {"c": None}}, {"a": {"b": 1, "c": None}}),
        ({"a": {"b": 1}}, {"a": None}, {"a": None}),
        ({"a": [1]}, {"a": [2]}, {"a": [2]}),
        ({"a": None}, {"a": {"b": None}}, {"a": {"b": None}}),
    ],
)
def test_what_is_laid_over_keeps_null(below, above, joined):
    assert lay_over(below, above) == joined


@given(PLAIN, PLAIN)
def test_without_null_both_ways_are_the_same(below, above):
    before = deepcopy((below, above))
    assert lay_over(below, above) == merge(below, above)
    assert (below, above) == before


@pytest.mark.parametrize(
    ("after", "before", "changes"),
    [
        ({"a": 1}, {"a": 1}, {}),
        ({"a": 1, "b": 2}, {"a": 1}, {"b": 2}),
        ({"a": None}, {}, {"a": None}),
        ({"a": True}, {"a": 1}, {"a": True}),
        ({"a": {"x": 1, "y": 2}, "b": {"z": 1}}, {"a": {"x": 1}, "b": {"z": 1}}, {"a": {"y": 2}}),
        ({"a": {}}, {"a": 1}, {"a": {}}),
        ({"a": [{"x": 1}]}, {"a": [{"x": True}]}, {"a": [{"x": 1}]}),
        ({"a": [1]}, {"a": [1, 2]}, {"a": [1]}),
    ],
)
def test_what_changed_in_a_map(after, before, changes):
    assert changed_in(after, before) == changes
    assert lay_over(before, changes) == after
