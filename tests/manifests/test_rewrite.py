"""Text made to say something else: what stays keeps its bytes."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests.edits import UnwritableError
from virtcatalog.manifests.rewrite import rewritten


@pytest.mark.parametrize(
    ("text", "data", "expected"),
    [
        ("a:\n  b: 1  # one\n", {"a": {"b": {"c": [1, {"d": 2}]}}}, "a:\n  b:\n    c:\n    - 1\n    - d: 2  # one\n"),
        ("a: {b: 1}\n", {"a": {"b": {"c": [1]}}}, "a: {b: {c: [1]}}\n"),
        ("a: \"x\"\nb: 'y'\nc: z\n", {"a": "é", "b": "it's", "c": "yes"}, "a: \"é\"\nb: 'it''s'\nc: \"yes\"\n"),
        ("a: 'x'\n", {"a": "y\nz"}, 'a: "y\\nz"\n'),
        ("a:\nb: 1\n", {"a": 2, "b": 1}, "a: 2\nb: 1\n"),
        ("a: &x\nb: 1\n", {"a": 2, "b": 1}, "a: &x 2\nb: 1\n"),
        ("a:\n  b: 1\nc: 2\n", {"a": {}, "c": 2}, "a: {}\nc: 2\n"),
        ("a:\n- 1\nc: 2\n", {"a": [], "c": 2}, "a: []\nc: 2\n"),
        ("a:\n  - x: 1\n", {"a": [{"x": 1}, {"z": 2}]}, "a:\n  - x: 1\n  - z: 2\n"),
        ("a: [1]", {"a": [1, 2], "b": 3}, "a: [1, 2]\nb: 3\n"),
        ("a: [{x: 1}]\n", {"a": [{}]}, "a: [{}]\n"),
        ("x:\n  a: 1\n", {"x": {"a": 1, "b": {"c": 2}}}, "x:\n  a: 1\n  b:\n    c: 2\n"),
        ("x: {a: 1}\r\n", {"x": {"a": 1, "b": 2}, "c": 3}, "x: {a: 1, b: 2}\r\nc: 3\r\n"),
        ("x: {a: 1}  # one\n", {"x": {"b": 2, "c": []}}, "x: {b: 2, c: []}  # one\n"),
        ("x: {a: 1, b: 2}\n", {"x": {"c": 3}}, "x: {c: 3}\n"),
        ("x: {a: 1, b: 2}\n", {"x": {"a": 1, "c": 3}}, "x: {a: 1, c: 3}\n"),
        ('{"x": {"a": 1}}', {"x": {"b": 2}}, '{"x": {"b": 2}}'),
        ("old: 1\nb: 2\n", {"new": 3, "b": 2}, "new: 3\nb: 2\n"),
        ("\ufeffa: 1\n", {"a": 2}, "\ufeffa: 2\n"),
        ("a: \"x\"\nb: 'w'\n", {"a": 1, "b": True}, "a: 1\nb: true\n"),
        ("a:\nb: 1\n", {"a": {"c": 1}, "b": 1}, "a:\n  c: 1\nb: 1\n"),
        ("a: {b: 1}\n", {"a": {}}, "a: {}\n"),
        ("a: {b: 1}\n", {"a": [1, 2]}, "a: [1, 2]\n"),
        ("a:\n  b: 1\nc: 2\n", {"a": [1, {"d": 2}], "c": 2}, "a:\n- 1\n- d: 2\nc: 2\n"),
        ("a: x\nc: 2\n", {"a": [1, {"d": 2}], "c": 2}, "a:\n- 1\n- d: 2\nc: 2\n"),
        ("a: [1]\n", {"a": [1, 2, {"b": 1}]}, "a: [1, 2, {b: 1}]\n"),
        ("a:\n- 1\n", {"a": [1, 2, {"b": 1, "c": 2}]}, "a:\n- 1\n- 2\n- b: 1\n  c: 2\n"),
        ("a:\n- b: 1\n", {"a": [{}]}, "a:\n- {}\n"),
        ("a: 1\nold: {b: 1}\n", {"a": 1, "new": {"b": 2}}, "a: 1\nnew: {b: 2}\n"),
        ("a: &x {b: 1}\nc: *x\n", {"a": {"b": 2}, "c": {"b": 2}}, "a: &x {b: 2}\nc: *x\n"),
        ("a: 1 # one\nb: 2 # two\n", {"a": "x # w", "b": {"c": 1}}, 'a: "x # w" # one\nb:\n  c: 1 # two\n'),
        ("  a: 1\n  b: 2\n", {"a": 1, "b": 2, "c": 3}, "  a: 1\n  b: 2\n  c: 3\n"),
        ("a: 1\nb: 2\n", {"a": 1.0, "b": 2}, "a: 1\nb: 2\n"),
        ("a: 1\n", {"a": True}, "a: true\n"),
        ("{a: 1, b: 2}", {"b": 2, "c": {}}, '{b: 2, "c": {}}'),
        ('{"old": "x", "a": [1]}', {"new": "ä", "a": [1, {"b": None}]}, '{"new": "ä", "a": [1, {"b": null}]}'),
    ],
)
def test_values_keys_and_items_change_in_the_style_that_is_there(text: str, data: Any, expected: str) -> None:
    assert rewritten(text, {0: [data]}, {"old": "new"}) == expected


@pytest.mark.parametrize(
    ("text", "documents", "expected"),
    [
        ("a: 1", {0: [{"a": 1}, {"b": 2}]}, "a: 1\n---\nb: 2\n"),
        ("a: 1\r\n", {0: [{"a": 1}, {"b": 2}]}, "a: 1\r\n---\r\nb: 2\r\n"),
        ("a: 1\n---\nc: 3\n", {1: [{"c": 4}]}, "a: 1\n---\nc: 4\n"),
        ("a: 1\n---\nc: 3\n", {0: [{"a": 1}, {"b": 2}]}, "a: 1\n---\nb: 2\n---\nc: 3\n"),
        ('{"a": 1}\n', {0: [{"a": 1}, {"b": "ä"}]}, '{"a": 1}\n{\n  "b": "ä"\n}\n'),
    ],
)
def test_further_documents_follow_the_one_that_they_are_made_of(text: str, documents: Any, expected: str) -> None:
    assert rewritten(text, documents, {}) == expected


@pytest.mark.parametrize(
    ("text", "data", "message"),
    [
        ("a: 1\n", [1], "a document would become something else"),
        ("a: [1, 2]\n", {"a": [1, 3]}, "an item of a list would become something else"),
        ("a:\n- b: 1\n", {"a": ["c"]}, "an item of a list would become something else"),
        ("a:\n- {}\n", {"a": [{"b": 1}]}, "a document would become something else"),
        (
            "a: 1\n<<: {b: 1}\n",
            {"a": 1, "b": 2},
            "what must change is shared through YAML anchors, aliases or <<: write it out first",
        ),
        (
            "a: &x {b: 1}\nc: *x\n",
            {"a": {"b": 1}, "c": {"b": 2}},
            "what must change is shared through YAML anchors, aliases or <<: write it out first",
        ),
    ],
)
def test_what_cannot_be_written_in_place_is_told(text: str, data: Any, message: str) -> None:
    with pytest.raises(UnwritableError) as caught:
        rewritten(text, {0: [data]}, {})
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: @b\n", "<input>:1:4: is not YAML: text cannot begin with '@'; quote it"),
        (
            "---\na: 1\na: 2\n---\nb: 1\nb: 2\n",
            "<input>:3:1: the key 'a' is here twice, first in line 2",
        ),
    ],
)
def test_a_text_that_cannot_be_read_is_refused_with_its_first_fault(text: str, message: str) -> None:
    with pytest.raises(VirtcatalogError) as caught:
        rewritten(text, {}, {})
    assert str(caught.value) == message
