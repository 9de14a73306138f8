"""The quick reading of kubectl's YAML says what the YAML reader says, or nothing."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from virtcatalog.manifests import blocks
from virtcatalog.manifests.blocks import read_block, read_blocks
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.emit import dump

SCALARS = st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=20)
DATA = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abz-./", min_size=1, max_size=8), inner, max_size=4)
    ),
    max_leaves=20,
)


def composed(text: str) -> list[tuple[int, Any]] | None:
    """What the YAML reader says; None for a text that is at fault."""
    source = Text(text)
    with patch("virtcatalog.manifests.document.read_blocks", return_value=None):
        documents = list(source.documents())
    return None if source.problems else documents


def whole(text: str) -> Any:
    documents = composed(text)
    return documents[0][1] if documents else None


@given(st.dictionaries(st.text("abz-./", min_size=1, max_size=8), DATA, min_size=1, max_size=4))
def test_what_it_reads_is_what_was_written(data: dict[str, Any]) -> None:
    read = read_block(dump(data))
    assert read is ... or read == whole(dump(data))


LINES = st.sampled_from(
    [
        "a:",
        "a: 1",
        "b: x",
        "- a: 1",
        "- x",
        "- ",
        "  a: 1",
        "  b:",
        "    c: d",
        "  - e",
        "a: |",
        "   text",
        "",
        "a: 'q'",
        'a: "x"',
        "# c",
        "a: [1]",
        "a: {}",
        "a: &x 1",
        "? a",
        "a: b: c",
        "a: b #c",
        "a : b",
        "-",
        "a: yes",
        "on: 1",
        "---",
        "  \tx",
        "",
    ]
)


@given(st.lists(LINES, min_size=1, max_size=8).map("\n".join))
@example("a: |\n  a: 1")
def test_it_never_says_anything_else_than_the_yaml_reader(text: str) -> None:
    read = read_block(text)
    assert read is ... or read == whole(text)


@given(st.lists(LINES, min_size=1, max_size=12).map("\n".join))
@example("# c\n---\na: 1\n---\n---\nb: x")
@example("---\n---\n# c\n\na: 1\n---\n")
@example("a: |\n   text\n\n---\nb: x\n--- \na: 1")
@example("# \r a: 1\nb: x\n")
@example("# \u2028\n---\nb: x\n")
def test_documents_are_those_of_the_yaml_reader_at_their_places(text: str) -> None:
    blocks = read_blocks(text)
    if blocks is not None:
        documents = composed(text)
        assert [(document.number, document.data) for document in blocks] == documents
        assert documents is not None
        quick, nodes = Text(text), Text(text)
        assert list(quick.documents()) == documents
        for index, data in documents:
            for field in ("", *(data if isinstance(data, dict) else map(str, range(len(data))))):
                with patch.object(nodes, "_blocks", []):
                    assert quick.place(index, field) == nodes.place(index, field)


def test_documents_have_comments_before_them_and_may_be_empty() -> None:
    text = "# ours\n---\n# one\n\na: 1\n---\n# nothing\n---\nb:\n- x\n---\n"
    assert read_blocks(text) == [(0, {"a": 1}, 4, 5), (2, {"b": ["x"]}, 8, 10)]


@pytest.mark.parametrize("text", ["", "# c\n", "---\n", "a: 1\n--- \nb: 1\n", "a: 1\n...\n", "%YAML 1.1\n---\na: 1\n"])
def test_other_streams_are_left_to_the_yaml_reader(text: str) -> None:
    assert read_blocks(text) is None


@given(st.from_regex(r"[0-9][0-9A-Za-z_.+-]{0,5}", fullmatch=True))
@example("0x1")
@example("1e5")
@example("1_0")
def test_a_key_that_starts_with_a_digit_may_be_a_number(key: str) -> None:
    read = read_block(f"{key}: x")
    assert read is ... or read == whole(f"{key}: x")


def test_sizes_are_no_numbers() -> None:
    assert read_block("2xlarge: {}\n1gi: x\n") == {"2xlarge": {}, "1gi": "x"}


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nb:\n- c: x\n  d: [] \n",
        "a: *b\n",
        "a: !!str 1\n",
        "a: 'x\n  y'\n",
        "a: >\n  folded\n",
        "a: 1\na: 2\n",
        "a: 1.5\n",
        "1: x\n",
        "1e5: x\n",
        "a:\n\tb: 1\n",
        "a: x\n  y\n",
        "  a: 1\n",
        "  - a\n",
        "- x\n  y\n",
        "a:\n- x\n  y\nb: 1\n",
        "a: |\n",
        "a: |\nb: 1\n",
        "a: |\n   x\n  y\nb: 1\n",
        "a: |\n  x\n \nb: 1\n",
        "a: |\n  x",
        "a: 'x'y'\n",
        'a: "x"y"\n',
        'a: "\\n"\n',
        "a: '\n",
    ],
)
def test_what_is_written_otherwise_is_left_to_the_yaml_reader(text: str) -> None:
    assert read_block(text) is ...


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("a: 'it''s'\n", {"a": "it's"}),
        ("a: ''\nb: \"\"\n", {"a": "", "b": ""}),
        ("a: |\n  x\n\nb: |-\n    y\n      z\n\n\n", {"a": "x\n", "b": "y\n  z"}),
        ("a:\nb:\n- c:\n- d\n", {"a": None, "b": [{"c": None}, "d"]}),
        ("a:\n  - {}\n  - []\n", {"a": [{}, []]}),
        ("a: null\nb: true\nc: 012\nd: 12\n", {"a": None, "b": True, "c": 10, "d": 12}),
        ("- a: 1\n  b:\n  - 2\n- c\n", [{"a": 1, "b": [2]}, "c"]),
    ],
)
def test_what_is_in_blocks(text: str, data: Any) -> None:
    assert read_block(text) == whole(text) == data


def test_blocks_are_read_a_hundred_levels_deep() -> None:
    texts = ["".join(f"{' ' * level}a:\n" for level in range(levels)) for levels in (101, 102)]
    assert [read_block(text) is ... for text in texts] == [False, True]


def test_lines_are_remembered_up_to_a_bound() -> None:
    lines = [f"key{number}: {number}" for number in range(20)]
    with patch("virtcatalog.manifests.blocks._REMEMBERED", 3):
        assert read_block("\n".join(lines)) == {f"key{number}": number for number in range(20)}
        assert len(blocks._ENTRIES) == 2


def test_a_vm_as_kubectl_prints_it() -> None:
    text = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  creationTimestamp: "2026-05-04T12:00:00Z"
  name: vm
spec:
  template:
    spec:
      volumes:
      - cloudInitNoCloud:
          userData: |-
            #cloud-config
              indented: x

            last: y
        name: init
      - containerDisk:
          image: example.org/disk:v1.2@sha256:abc
        name: '1'
      terminationGracePeriodSeconds: 0
      networks: []
"""
    assert read_block(text) == whole(text) != None  # noqa: E711
