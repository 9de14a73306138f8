"""Manifests that are held as bytes come out as they went in."""

from __future__ import annotations

from virtcatalog.manifests.dump import Packed

VMS = [
    {"kind": "VirtualMachine", "metadata": {"name": "a", "labels": None}, "spec": {"running": True, "n": 1, "x": 0.5}},
    {"kind": "VirtualMachine", "spec": {"list": [], "map": {}, "text": "äöü\n\u0000", "large": 2**64, "deep": [[{}]]}},
    {"kind": "VirtualMachine", "spec": {"negative": -(2**63), "small": -(2**70), "empty": ""}},
]


def test_all_of_them_are_what_they_were() -> None:
    packed = Packed(VMS)
    assert len(packed) == 3
    assert list(packed) == list(packed) == VMS
    assert (packed[1], packed[-1], packed[1:]) == (VMS[1], VMS[2], VMS[1:])


def test_each_look_gives_a_copy() -> None:
    packed = Packed(VMS[:1])
    packed[0]["metadata"].clear()
    assert packed[0] == VMS[0]
