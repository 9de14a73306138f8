"""Which instance types are like another."""

from __future__ import annotations

from virtcatalog.site.facts import TypeRow
from virtcatalog.site.pairs import Neighbours

GIB = 2**30


def row(name: str, vcpus: int, gib: int, *features: str, deprecated: bool = False) -> TypeRow:
    return TypeRow(
        name=name,
        title="",
        description="",
        series=name.partition(".")[0],
        vcpus=vcpus,
        memory=gib * GIB,
        ratio=gib / vcpus,
        gpus=0,
        page="",
        dedicated=False,
        features=features,
        environments=(),
        deprecated=deprecated,
        retirement="",
    )


A2, A4, A8, A4X = row("a.2", 2, 8), row("a.4", 4, 16), row("a.8", 8, 32), row("a.4x", 4, 16, "realtime")
B4, B4X, B8, B64 = row("b.4", 4, 16), row("b.4x", 4, 16, "realtime"), row("b.8", 8, 32), row("b.64", 64, 256)
OLD = row("c.4", 4, 16, deprecated=True)
ALL = [A8, A2, A4X, A4, B64, B8, B4X, B4, OLD]


def test_the_next_sizes_are_of_its_class_with_its_features():
    near = Neighbours(ALL)
    assert (near.next_size(A4, -1), near.next_size(A4, 1)) == (A2, A8)
    assert (near.next_size(A2, -1), near.next_size(A8, 1)) == (None, None)
    assert (near.next_size(A4X, -1), near.next_size(A4X, 1)) == (None, None)


def test_the_next_size_is_another_size_with_no_less_of_anything():
    twin, lean, full = row("a.4b", 4, 16), row("a.6", 6, 8), row("a.7", 7, 16)
    near = Neighbours([A2, A4, twin, lean, full])
    assert (near.next_size(A4, 1), near.next_size(twin, 1)) == (full, full)
    assert (near.next_size(A4, -1), near.next_size(twin, -1), near.next_size(lean, -1)) == (
        A2,
        A2,
        A2,
    )


def test_what_is_deprecated_is_no_next_size_but_for_its_own_kind():
    old, older = row("a.4", 4, 16, deprecated=True), row("a.3", 3, 12, deprecated=True)
    near = Neighbours([A2, older, old, A8])
    assert (near.next_size(A2, 1), near.next_size(A8, -1)) == (A8, A2)
    assert (near.next_size(older, 1), near.next_size(old, -1)) == (old, older)


def test_similar_ones_are_of_other_classes_the_nearest_first():
    assert Neighbours(ALL).similar(A4) == [B4, OLD, B4X, B8, B64]
    assert Neighbours(ALL).similar(A4X)[0] == B4X


def test_of_thousands_the_nearest_are_found():
    many = [row(f"b.{vcpus}", vcpus, 4 * vcpus) for vcpus in range(1, 500)]
    near = Neighbours([A8, *many])
    assert [neighbour.name for neighbour in near.similar(A8)] == ["b.8", "b.9", "b.7", "b.10", "b.6"]
