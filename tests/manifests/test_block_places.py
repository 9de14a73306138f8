"""Places of fields in YAML whose maps and lists stand in blocks."""

from __future__ import annotations

import pytest

from virtcatalog.manifests.blocks import BlockPlaces, read_blocks

TEXT = """\
kind: VirtualMachine
metadata:
  name: web
spec:
  disks:
  - name: root
    disk:
      bus: virtio
  - name: data
  networks:
    - name: lan
      pod:
    - name: wan
  empty:
status: ready
"""


def places_in(text: str) -> BlockPlaces:
    documents = read_blocks(text)
    assert documents is not None
    return BlockPlaces(text, documents)


def place(text: str, *field: str | int) -> tuple[int, int]:
    """The line and column of a field, both from 1, as a message has them."""
    line, column = places_in(text).place(0, field)
    return line + 1, column + 1


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ((), (1, 1)),
        (("kind",), (1, 1)),
        (("metadata", "name"), (3, 3)),
        (("spec",), (4, 1)),
        (("spec", "disks"), (5, 3)),
        (("spec", "disks", 0), (6, 5)),
        (("spec", "disks", 0, "disk", "bus"), (8, 7)),
        (("spec", "disks", 1, "name"), (9, 5)),
        (("spec", "networks", 0, "name"), (11, 7)),
        (("spec", "networks", 0, "pod"), (12, 7)),
        (("spec", "networks", 1), (13, 7)),
        (("spec", "empty"), (14, 3)),
        (("status",), (15, 1)),
    ],
)
def test_a_field_has_the_place_of_its_key(field: tuple[str | int, ...], expected: tuple[int, int]) -> None:
    assert place(TEXT, *field) == expected


@pytest.mark.parametrize(
    ("field", "around"),
    [
        (("gone",), ()),
        (("metadata", "labels"), ("metadata",)),
        (("kind", "name"), ("kind",)),
        (("spec", "disks", 2), ("spec", "disks")),
        (("spec", "disks", 1, "disk"), ("spec", "disks", 1)),
        (("spec", "networks", 0, "pod", "vmNetworkCIDR"), ("spec", "networks", 0, "pod")),
        (("spec", "empty", "name"), ("spec", "empty")),
    ],
)
def test_what_is_not_there_has_the_place_of_what_is_around_it(
    field: tuple[str | int, ...], around: tuple[str | int, ...]
) -> None:
    assert place(TEXT, *field) == place(TEXT, *around)


@pytest.mark.parametrize(
    ("text", "field", "around"),
    [
        ("a:\nb: 1\n", ("a", "b"), ("a",)),
        ("- x:\n- z: 1\n", (0, "x", 0), (0, "x")),
        ("a:\n- x\nb:\n- y\n", ("a", 1), ("a",)),
        ("a:\n  b:\n  - x\nc:\n  - y\n", ("a", "b", 1), ("a", "b")),
        ("a: |\n  b: text\nc: 1\n", ("a", "b"), ("a",)),
    ],
)
def test_what_follows_is_not_taken_for_what_is_inside(
    text: str, field: tuple[str | int, ...], around: tuple[str | int, ...]
) -> None:
    assert place(text, *field) == place(text, *around)


def test_a_list_may_be_the_whole_document() -> None:
    text = "- name: a\n- name: b\n  size: 1\n"
    assert place(text, 1, "size") == (3, 3)
    assert place(text, 1) == (2, 3)


def test_an_item_goes_before_the_field_in_it() -> None:
    assert places_in(TEXT).place(0, ("disk", "bus"), ("spec", "disks", 0)) == (7, 6)


def test_asking_twice_gives_the_same() -> None:
    places = places_in(TEXT)
    for _ in range(2):
        assert places.place(0, ("spec", "disks", 1, "name")) == (8, 4)
        assert places.place(0, ("spec", "disks", 0, "disk", "bus")) == (7, 6)


def test_each_document_has_places_of_its_own() -> None:
    places = places_in("# ours\n\na:\n- x\n---\n# b\na:\n- y\n- z: 1\n")
    assert [places.place(document, ("a", 1, "z")) for document in (0, 1)] == [(2, 0), (8, 2)]
    assert places.place(1, "none") == (6, 0)
