"""Components: which layers they are, and which of them clash."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from virtcatalog.catalog.compose import ComponentError, Components, Layer, take_out
from virtcatalog.catalog.work import Work
from virtcatalog.manifests.merge import merge

KEYS = st.sampled_from("abc")
SCALARS = st.one_of(st.integers(0, 3), st.text("xy", max_size=2), st.booleans())
LEAVES = st.one_of(SCALARS, st.lists(SCALARS, max_size=2))
LAYER = st.dictionaries(
    KEYS, st.recursive(st.none() | LEAVES, lambda inner: st.dictionaries(KEYS, inner, max_size=3), max_leaves=8)
)


def mix(components, names, own=None):
    library = Components({name: [Layer("components.yaml", (name,), data)] for name, data in components.items()}, Work())
    layers = library.mix(names, own or {})
    return merge({}, *[{k: v for k, v in layer.data.items() if k != "components"} for layer in layers], own or {})


def test_components_mix_left_to_right_and_own_fields_win():
    components = {"x": {"spec": {"a": 1}}, "y": {"spec": {"b": 2}}}
    assert mix(components, ["x", "y"], {"spec": {"b": 3}}) == {"spec": {"a": 1, "b": 3}}


def test_a_component_that_uses_others_is_a_layer_over_them():
    components = {"x": {"spec": {"a": 1, "b": 1}}, "y": {"components": ["x"], "spec": {"b": 2}}}
    assert mix(components, ["y"]) == {"spec": {"a": 1, "b": 2}}


ONE = "set it beside them, or leave one out"


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
    with pytest.raises(ComponentError, match=rf"^components 'x' and 'y' set a(\.b)? differently; {ONE}$") as caught:
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
    with pytest.raises(ComponentError, match=f"^components 'y' and 'z' set a differently; {ONE}$"):
        mix(components, ["y", "z"])


def test_a_component_that_does_not_exist_is_a_fault_with_the_nearest_name():
    with pytest.raises(ComponentError, match=r"^there is no component 'disk-virtoi'; did you mean 'disk-virtio'\?$"):
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


@pytest.mark.parametrize(
    ("path", "left"),
    [
        (("a", "b"), {"a": {"c": [1]}}),
        (("a", "c", 0), {"a": {"b": 1, "c": []}}),
        (("a",), {}),
        ((), {"a": {"b": 1, "c": [1]}}),
    ],
)
def test_a_faulty_value_is_taken_out_and_what_is_beside_it_stays(path: tuple[str | int, ...], left: object) -> None:
    data = {"a": {"b": 1, "c": [1]}}
    take_out(data, path)
    assert data == left
