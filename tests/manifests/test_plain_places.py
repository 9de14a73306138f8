"""Places found on the way to a field are those that are found among the nodes of the whole text."""

from __future__ import annotations

import json
import re
from copy import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from virtcatalog.api.findings import field_path
from virtcatalog.manifests.blocks import read_block
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.places import Mark, mark_behind

KEYS = st.sampled_from(["a", "b", "a.b", "a[0]", "spec", "spec.a", "a]b", "x/y", "ä", "<<", "no", "17"])
VALUES = st.recursive(
    st.sampled_from([1, True, None, "text", "a: b", "[x]", "two\nlines\n", "a\n\n- gap\n", "", "\u2028", "\r"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)
DOCUMENTS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=5)


class Composed(Text):
    """Finds places among nodes."""

    def place(self, document: int, field: Any, item: Any = ()) -> tuple[int, int]:
        self._starts, self._blocks = [], []
        return super().place(document, field, item)


def paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(below for key, item in inner for below in paths(item, (*path, key)))]


def assert_same_places(text: str, data: Any) -> None:
    """Places that are looked for one by one, and all at once."""
    plain, outlined, composed = Text(text), Text(text), Composed(text)
    assert [document for _, document in plain.documents()] == [document for _, document in composed.documents()]
    assert [document for _, document in outlined.documents()] == [document for _, document in composed.documents()]
    for _ in range(20):
        outlined.place(0, "")
    for path in paths(data):
        others = [(*path, "none", "a"), (*path, 7), (*path, "b"), (*path, 0, "a"), f"{field_path(path)}.a.none"]
        for wanted in (path, field_path(path), *others):
            place = composed.place(0, wanted)
            assert one_by_one(plain, wanted) == place, wanted
            assert outlined.place(0, wanted) == place, wanted


def one_by_one(text: Text, field: Any, item: Any = ()) -> Any:
    return copy(text).place(0, field, item)


@given(DOCUMENTS, st.sampled_from([None, 0, 1, 4]), st.booleans())
def test_places_in_json(data: dict[str, Any], indent: int | None, ascii_only: bool) -> None:
    assert_same_places(" \n" + json.dumps(data, indent=indent, ensure_ascii=ascii_only), data)


@given(st.lists(DOCUMENTS, min_size=1, max_size=3), st.sampled_from([None, 0, 4]), st.sampled_from(["\n", "\r", " "]))
def test_places_in_items_and_in_later_documents(data: list[dict[str, Any]], indent: int | None, end: str) -> None:
    """An item has the places that it has in its document, which has those that it has behind nothing but space."""
    whole: dict[str, Any] = {"a": ["items", {}], "items": [*data, {"a": [], "items": data}]}
    first, second = json.dumps({"b": [1, {}]}, indent=indent), json.dumps(whole, indent=indent)
    several, alone = Text(first + end + second), Text(re.sub(r"[^\r\n]", " ", first) + end + second)
    assert [document for _, document in several.documents()] == [{"b": [1, {}]}, whole]
    assert [document for _, document in alone.documents()] == [whole]
    outer: list[tuple[str | int, ...]] = [("items", number) for number in range(len(data))]
    for item in [*outer, *(("items", len(data), *outer_path) for outer_path in outer)]:
        for path in paths(data[int(item[-1])]):
            wanted = (*item, *path)
            assert several.place(1, path, item) == alone.place(0, wanted), wanted
            assert several.place(1, field_path(path), item) == alone.place(0, field_path(wanted)), wanted


@given(DOCUMENTS)
def test_places_in_blocks(data: dict[str, Any]) -> None:
    text = dump(data)
    if read_block(text) is not ...:
        assert_same_places(text, data)


@given(st.lists(DOCUMENTS, min_size=1, max_size=3))
def test_places_in_items_of_lists_in_blocks(data: list[dict[str, Any]]) -> None:
    text = dump({"a": ["items", {"b": 1}], "items": [*data, {"a": 1, "items": data}], "z": 1})
    plain, composed = Text(text), Composed(text)
    if read_block(text) is ...:
        return
    assert [document for _, document in plain.documents()] == [document for _, document in composed.documents()]
    outer: list[tuple[str | int, ...]] = [("items", number) for number in range(len(data))]
    for item in [*outer, *(("items", len(data), *outer_path) for outer_path in outer)]:
        for path in paths(data[int(item[-1])]):
            for field in (path, field_path(path)):
                place = composed.place(0, field, item)
                assert one_by_one(plain, field, item) == place, (item, field)
                assert plain.place(0, field, item) == place, (item, field)


@pytest.mark.parametrize("field", ["spec.a", "spec.a.b", "spec.b", "spec[0]"])
@pytest.mark.parametrize(
    "text",
    [
        '{"spec": {"a": 1, "a.b": 2}, "spec.a": 3}',
        '{"spec": {"a": 1, "\\u0061.b": 2}, "sp\\u0065c.a": 3}',
        '{"sp\\u0065c": {"\\u0061": 1}, "spec.a.b": 3}',
        '{"sp\\u0065c":{"\\u0061":{"b":1}}}',
        '{"x": "\\u0061", "spec" : {"a\\"": "\\n", "a" :  {"b" : 1 } } , "spec.b":3}',
    ],
)
def test_the_key_that_takes_most_of_a_field_is_its_place(field: str, text: str) -> None:
    plain, composed = Text(text), Composed(text)
    assert [document for _, document in plain.documents()] == [document for _, document in composed.documents()]
    assert plain.place(0, field) == composed.place(0, field)


BLOCK = """\
metadata:
  name: web
  labels:
    a/b: x
items:
- name: first
  list:
  - 1
  - two
- plain
- inner:
    text: |
      key: no key
      - no item

      more
    after: 1
spec:
  - name: indented
    value: {}
"""


@pytest.mark.parametrize(
    ("field", "place"),
    {
        "": (1, 1),
        "metadata.labels.a/b": (4, 5),
        "items": (5, 1),
        "items[0]": (6, 3),
        "items[0].list[1]": (9, 5),
        "items[1]": (10, 3),
        "items[1].name": (10, 3),
        "items[2].inner.text": (12, 5),
        "items[2].inner.text.key": (12, 5),
        "items[2].inner.after": (17, 5),
        "items[3]": (5, 1),
        "spec[0].value": (20, 5),
        "spec[0].value.x": (20, 5),
        "nothing": (1, 1),
    }.items(),
)
def test_places_in_a_block(field: str, place: tuple[int, int]) -> None:
    text = Text(BLOCK)
    assert len(list(text.documents())) == 1
    assert text.place(0, field) == place
    assert Composed(BLOCK).place(0, field) == place


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(
    ("field", "place"),
    [
        ("items[0].b", (2, 3)),
        ("items[1].a", (4, 3)),
        ("items[1].b", (4, 3)),
        ("items[2]", (1, 1)),
        ("z", (8, 1)),
        ("items[1].c[1].d", (7, 5)),
    ],
)
def test_what_an_item_has_not_is_not_taken_of_the_next_one(many: bool, field: str, place: tuple[int, int]) -> None:
    text = Text("items:\n- a: 1\n  c: []\n- b: 2\n  c:\n  - 1\n  - d: 2\nz: 1\n")
    assert list(text.documents())
    if many:
        for number in range(20):
            text.place(0, f"items[{number % 3}].c[0]")
    assert text.place(0, field) == place


MERGED = """\
base: &base
  cpu: 2
  memory: 4Gi
vm:
  <<: *base
  memory: 8Gi
several:
  disks: 1
  <<: [*base, {disks: 3, nics: 4}]
quoted:
  "<<": {cpu: 1}
tagged:
  !!merge <<: {cpu: 1}
on: 1
"off": 2
? [list]
: 3
"""


@pytest.mark.parametrize(
    ("field", "place"),
    {
        ("vm", "cpu"): (2, 3),
        ("vm", "memory"): (6, 3),
        ("several", "cpu"): (2, 3),
        ("several", "disks"): (8, 3),
        ("several", "nics"): (9, 26),
        ("quoted", "<<", "cpu"): (11, 10),
        ("quoted", "cpu"): (10, 1),
        ("tagged", "cpu"): (13, 16),
        ("vm", "<<"): (4, 1),
        ("vm", 0): (4, 1),
        ("off",): (15, 1),
    }.items(),
)
def test_what_is_merged_into_a_map_is_where_it_was_written(
    field: tuple[str | int, ...], place: tuple[int, int]
) -> None:
    for where in (field, field_path(field)):
        assert Composed(MERGED).place(0, where) == place


def test_a_key_that_is_no_text_is_found_as_data_has_it_and_as_it_is_written() -> None:
    text = Composed(MERGED)
    assert [text.place(0, field) for field in (("true",), ("on",), "on", "true")] == [(14, 1), (1, 1), (14, 1), (1, 1)]


NODES = "{l: [a, [b, {c: 1}]], a.b: {c: 1, 'd[0]': 2}, a: {b: {c: 3, e: 4}, 'x]y': 5}, '[z]': 6, z: [7]}"


@pytest.mark.parametrize(
    ("field", "column"),
    [
        ("l", 2),
        ("l[0]", 6),
        ("l[1]", 9),
        ("l[1][0]", 10),
        ("l[1][1].c", 14),
        ("l[2]", 2),
        ("l.x", 2),
        (("l", 1, 1, "c"), 14),
        (("l", -1), 2),
        (("l", "x"), 2),
        (("l", 2), 2),
        ("a.b", 23),
        ("a.b.c", 29),
        ("[a.b].c", 29),
        ("a.b.d[0]", 35),
        ("a.b.e", 23),
        ("a[b].e", 61),
        (("a", "b", "e"), 61),
        ("a.x]y", 68),
        ("a[x]y]", 68),
        ("[z]", 79),
        ("z", 89),
        ("z[0]", 93),
        ("[a", 1),
        ("none", 1),
    ],
)
def test_fields_lead_through_nodes_by_the_longest_keys(field: str | tuple[str | int, ...], column: int) -> None:
    assert Composed(NODES).place(0, field) == (1, column)


@pytest.mark.parametrize(
    ("before", "mark"),
    [
        ("", (0, 0)),
        ("ab", (0, 2)),
        ("a\nb", (1, 1)),
        ("a\r\nb\rc", (2, 1)),
        ("\u00e4\n\u00e4\u00e4", (1, 2)),
        ("\u00e4\u2028b\x85cd", (2, 2)),
        ("\n\n", (2, 0)),
    ],
)
def test_a_place_is_behind_so_many_lines_and_characters(before: str, mark: tuple[int, int]) -> None:
    assert mark_behind(before) == mark
    assert Mark(3, 5).then(mark_behind(before)) == ((3 + mark[0], mark[1]) if mark[0] else (3, 5 + mark[1]))
