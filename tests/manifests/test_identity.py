"""What tells one object from another, and what a list says of its items."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.manifests.identity import full_name, identity, listed, namespace_of
from virtcatalog.manifests.pieces import AS_LISTED, NO_VM, VM, Implied, Piece, Pieces, implied_by, is_vm_kind
from virtcatalog.manifests.places import Mark

V1 = "kubevirt.io/v1"


@pytest.mark.parametrize(
    ("manifest", "which", "name", "namespace"),
    [
        ({"kind": "A", "metadata": {"name": "b", "namespace": "c"}}, ("A", "c", "b"), "c/b", "c"),
        ({"kind": "A", "metadata": {"name": "b"}}, ("A", "", "b"), "default/b", "default"),
        ({"kind": "A", "metadata": {"name": "b", "namespace": ""}}, ("A", "", "b"), "default/b", "default"),
        ({"kind": "A", "metadata": {"generateName": "b-"}}, ("A", "", ""), "default/b-", "default"),
        ({"kind": "A", "metadata": {"name": 1, "namespace": 2}}, ("A", "2", "1"), "2/1", "2"),
        ({"metadata": None}, ("None", "", ""), "default/None", "default"),
        ({}, ("None", "", ""), "default/None", "default"),
    ],
)
def test_an_object_is_its_kind_namespace_and_name(
    manifest: dict[str, Any], which: tuple[str, str, str], name: str, namespace: str
) -> None:
    assert (identity(manifest), full_name(manifest), namespace_of(manifest)) == (which, name, namespace)


def test_metadata_that_is_no_map_names_nothing() -> None:
    assert identity({"kind": "A", "metadata": ["x"]}) == ("A", "", "")
    assert namespace_of({"metadata": ["x"]}) == "default"


@pytest.mark.parametrize(
    ("data", "items"),
    [
        ({"kind": "List", "apiVersion": "v1", "items": [{"a": 1}, 2]}, [{"a": 1}, 2]),
        (
            {"kind": "VirtualMachineList", "apiVersion": V1, "items": [{}, {"kind": "B"}, None]},
            [{"apiVersion": V1, "kind": "VirtualMachine"}, {"kind": "B"}, None],
        ),
        ({"kind": "List", "items": []}, []),
        ({"kind": "List", "items": None}, []),
        ({"kind": "List", "items": {}}, None),
        ({"kind": "List"}, None),
        ({"kind": "Lists", "items": []}, None),
        ({"kind": ["List"], "items": []}, None),
        ([], None),
        (None, None),
    ],
)
def test_a_list_says_what_its_items_are(data: Any, items: list[Any] | None) -> None:
    assert listed(data) == items


@pytest.mark.parametrize(
    ("version", "kind", "is_vm"),
    [
        (V1, "VirtualMachine", True),
        ("kubevirt.io/v1alpha3", "VirtualMachine", True),
        (None, "VirtualMachine", True),
        (1, "VirtualMachine", True),
        ("v1", "VirtualMachine", False),
        (V1, "VirtualMachineInstance", False),
        (V1, "VirtualMachineInstanceReplicaSet", True),
        ("pool.kubevirt.io/v1beta1", "VirtualMachinePool", True),
        (V1, "KubeVirt", False),
        (V1, None, False),
        (V1, ["VirtualMachine"], False),
    ],
)
def test_a_piece_is_a_vm_by_its_kind(version: Any, kind: Any, is_vm: bool) -> None:
    assert is_vm_kind(version, kind) is is_vm


@pytest.mark.parametrize(
    ("version", "kind", "implied"),
    [
        ("v1", "List", Implied({}, is_vm=False)),
        (V1, "VirtualMachineList", Implied({"apiVersion": V1, "kind": "VirtualMachine"}, is_vm=True)),
        ("v1", "PodList", Implied({"apiVersion": "v1", "kind": "Pod"}, is_vm=False)),
        (V1, "VirtualMachine", None),
        (None, None, None),
    ],
)
def test_a_lists_kind_implies_that_of_its_items(version: Any, kind: Any, implied: Implied | None) -> None:
    assert implied_by(version, kind) == implied


def test_pieces_are_documents_or_items_of_lists() -> None:
    pieces = Pieces()
    pieces.add(0, 5, Mark(0, 0))
    pieces.add(5, 9, Mark(1, 2), VM)
    pieces.add(9, 12, Mark(3, 4), AS_LISTED)
    pieces.add(12, 20, Mark(5, 6), NO_VM)
    pieces.add(20, 30, Mark(7, 8))
    assert (len(pieces), pieces.vms()) == (5, bytearray([0, 1, 0, 0, 0]))
    pieces.drop(4)
    implied = Implied({"kind": "VirtualMachine"}, is_vm=True)
    pieces.make_items(1, implied)
    items = [
        Piece(5, 9, Mark(1, 2), implied, True),
        Piece(9, 12, Mark(3, 4), implied, True),
        Piece(12, 20, Mark(5, 6), implied, False),
    ]
    assert list(pieces.between(0, 9)) == [Piece(0, 5, Mark(0, 0), None, False), *items]
    assert list(pieces.between(1, 3)) == items[:2]
    other = Implied({}, is_vm=False)
    pieces.add(20, 21, Mark(9, 9), AS_LISTED)
    pieces.make_items(4, other)
    assert list(pieces.between(3, 5)) == [items[2], Piece(20, 21, Mark(9, 9), other, False)]
