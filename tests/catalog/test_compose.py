"""The merge rules, as laws and by example."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from virtcatalog.catalog.compose import ComponentError, Components, Layer, merge

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
    for key, each in value.items():
        if isinstance(each, dict):
            yield from leaves(each, (*path, key))
        else:
            yield (*path, key), each


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
            for each in value.values():
                spoil(each)
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


def mix(components, names, own=None):
    library = Components({name: [Layer("components.yaml", (name,), data)] for name, data in components.items()})
    layers = library.mix(names, own or {})
    return merge({}, *[{k: v for k, v in layer.data.items() if k != "components"} for layer in layers], own or {})


def test_components_mix_left_to_right_and_own_fields_win():
    components = {"x": {"spec": {"a": 1}}, "y": {"spec": {"b": 2}}}
    assert mix(components, ["x", "y"], {"spec": {"b": 3}}) == {"spec": {"a": 1, "b": 3}}


def test_a_component_that_uses_others_is_a_layer_over_them():
    components = {"x": {"spec": {"a": 1, "b": 1}}, "y": {"components": ["x"], "spec": {"b": 2}}}
    assert mix(components, ["y"]) == {"spec": {"a": 1, "b": 2}}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"a": True}),
        ({"a": 1}, {"a": None}),
        ({"a": 1}, {"a": {"b": 1}}),
        ({"a": {"b": 1}}, {"a": 1}),
        ({"a": {"b": 1}}, {"a": None}),
        ({"a": [1]}, {"a": [2]}),
    ],
)
def test_components_that_set_a_leaf_differently_clash(one, other):
    with pytest.raises(ComponentError, match=r"components 'x' and 'y' set a(\.b)? differently") as caught:
        mix({"x": one, "y": other}, ["x", "y"])
    assert caught.value.index == 1
    assert mix({"x": one, "y": other}, ["x", "y"], {"a": 5}) == {"a": 5}
    assert mix({"x": one, "y": other}, ["x", "y"], {"a": None}) == {}


@pytest.mark.parametrize(
    ("one", "other"), [({"a": 1}, {"a": 1}), ({"a": {}}, {"a": {"b": 1}}), ({"a": {"b": 1}}, {"a": {"c": 1}}), ({}, {})]
)
def test_components_that_agree_do_not_clash(one, other):
    assert mix({"x": one, "y": other}, ["x", "y"]) == mix({"x": one, "y": other}, ["y", "x"])


def test_a_component_hides_what_its_own_components_set():
    components = {"x": {"a": 1}, "y": {"components": ["x"], "a": 2}, "z": {"a": 2}}
    assert mix(components, ["y", "z"]) == {"a": 2}


def test_a_component_that_removes_a_map_clashes_with_one_that_fills_it():
    components = {"x": {"a": {"b": 1}}, "y": {"components": ["x"], "a": None}, "z": {"a": {"c": 1}}}
    with pytest.raises(ComponentError, match="'y' and 'z' set a differently"):
        mix(components, ["y", "z"])


def test_a_component_that_does_not_exist_is_a_fault_with_the_nearest_name():
    with pytest.raises(ComponentError, match=r"no component 'disk-virtoi'; did you mean 'disk-virtio'\?"):
        mix({"disk-virtio": {}}, ["disk-virtoi"])


@given(st.dictionaries(KEYS, LAYER, max_size=3), st.lists(KEYS, max_size=3))
def test_the_order_of_components_that_do_not_clash_does_not_matter(components, names):
    names = [name for name in dict.fromkeys(names) if name in components]
    try:
        mixed = mix(components, names)
    except ComponentError:
        return
    for layer in ({"a": {"b": 1}}, {}):
        assert merge(layer, mixed) == merge(layer, mix(components, names[::-1]))
