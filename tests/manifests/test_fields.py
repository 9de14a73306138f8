"""Fields of plain data by path: matched, got, put and taken out."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.manifests.fields import (
    EVERY,
    Patterns,
    get,
    map_at,
    matches,
    outermost,
    pointer_step,
    pointer_steps,
    put,
    without,
)

DATA = {"a": {"b": [1, {"c": 2}], "*": 3}, "d": [{"e": {}}, [], {"e": 1}], "f": None}


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        (("a", "b"), [("a", "b")]),
        ((), [()]),
        (("a", EVERY), [("a", "b"), ("a", "*")]),
        ((EVERY, EVERY), [("a", "b"), ("a", "*"), ("d", 0), ("d", 1), ("d", 2)]),
        (("d", EVERY, "e"), [("d", 0, "e"), ("d", 2, "e")]),
        (("f", EVERY), []),
        (("d", 0), []),
        (("none",), []),
    ],
)
def test_a_pattern_matches_keys_and_every_item(pattern: tuple[str, ...], paths: list[Any]) -> None:
    assert matches(DATA, Patterns([pattern])) == ({pattern: paths} if paths else {})


def test_patterns_are_matched_together() -> None:
    patterns = [("a",), ("a", "b"), (EVERY, "b"), ("x",)]
    assert matches({"a": {"b": 1}}, Patterns(patterns)) == {
        ("a",): [("a",)],
        ("a", "b"): [("a", "b")],
        (EVERY, "b"): [("a", "b")],
    }


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((), DATA),
        (("a", "b", 1, "c"), 2),
        (("d", 1), []),
        (("d", 3), None),
        (("d", "e"), None),
        (("a", "b", 0, "c"), None),
        (("f", "x"), None),
        (("x", "y"), None),
    ],
)
def test_the_value_at_a_path_or_none(path: tuple[str | int, ...], value: object) -> None:
    assert get(DATA, path) == value
    assert map_at(DATA, *path) == (value if isinstance(value, dict) else {})


def test_paths_within_others_are_left_out() -> None:
    assert outermost({("a",), ("a", "b"), ("a", "b", "c"), ("ab",), ("c", 0)}) == {("a",), ("ab",), ("c", 0)}


def test_what_is_put_changes_the_maps_on_its_way_alone() -> None:
    data: dict[str, Any] = {"a": {"b": 1}, "c": {"d": 2}, "e": None}
    changed = put(put(data, ("a", "x", "y"), 3), ("e", "z"), 4)
    assert changed == {"a": {"b": 1, "x": {"y": 3}}, "c": {"d": 2}, "e": {"z": 4}}
    assert changed["c"] is data["c"]
    assert data == {"a": {"b": 1}, "c": {"d": 2}, "e": None}


@pytest.mark.parametrize(
    ("gone", "required", "left", "emptied"),
    [
        (set(), set(), {"a": {"b": {"c": 1}}, "l": [{"x": 1}, 2]}, set()),
        ({("a", "b", "c")}, set(), {"l": [{"x": 1}, 2]}, {("a",), ("a", "b")}),
        ({("a", "b", "c")}, {("a",)}, {"a": {}, "l": [{"x": 1}, 2]}, {("a", "b")}),
        ({("a", "b", "c"), ("a",)}, set(), {"l": [{"x": 1}, 2]}, set()),
        ({("l", 0, "x")}, set(), {"a": {"b": {"c": 1}}, "l": [{}, 2]}, set()),
        ({("l", 0)}, set(), {"a": {"b": {"c": 1}}, "l": [2]}, set()),
        ({("l", 0), ("l", 1)}, set(), {"a": {"b": {"c": 1}}}, {("l",)}),
        ({("l", 0), ("l", 1)}, {("l",)}, {"a": {"b": {"c": 1}}, "l": []}, set()),
        ({("x",)}, set(), {"a": {"b": {"c": 1}}, "l": [{"x": 1}, 2]}, set()),
    ],
)
def test_what_becomes_empty_goes_unless_it_is_required(
    gone: set[Any], required: set[Any], left: dict[str, Any], emptied: set[Any]
) -> None:
    assert without({"a": {"b": {"c": 1}}, "l": [{"x": 1}, 2]}, gone, required) == (left, emptied)


def test_a_key_is_one_step_of_a_pointer() -> None:
    for key in ("a", "kubevirt.io/os", "~", "~1", "/~0/", ""):
        assert pointer_steps(f"/spec/{pointer_step(key)}") == ["spec", key]
    assert pointer_steps("") == []
