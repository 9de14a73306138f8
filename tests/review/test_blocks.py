"""The quick reading of kubectl's YAML says what the YAML reader says, or nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from virtcatalog.manifests.blocks import read_block
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


def whole(text: str) -> Any:
    source = Text(text)
    documents = [data for _, data in source.documents()]
    return documents[0] if documents and not source.problems else None


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
    ],
)
def test_what_is_written_otherwise_is_left_to_the_yaml_reader(text: str) -> None:
    assert read_block(text) is ...


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
