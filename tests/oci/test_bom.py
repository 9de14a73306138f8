"""The bill of materials of a catalog: what it lists, and that it is the same each time."""

from __future__ import annotations

import pytest

from virtcatalog.oci.bom import bom

EXTENDS = [("common", "sha256:" + "1" * 64)]


@pytest.mark.parametrize("created", ["", "2026-01-02T03:04:05+00:00"])
def test_it_has_a_time_if_one_is_given(created: str) -> None:
    listing = bom("house", "v1.2.0", {"b": b"2", "a": b"1"}, EXTENDS, created, "1.0.0")
    assert listing == bom("house", "v1.2.0", {"b": b"2", "a": b"1"}, EXTENDS, created, "1.0.0")
    assert listing["metadata"].get("timestamp") == (created or None)
    assert listing["metadata"]["component"] == {
        "bom-ref": "data:house",
        "name": "house",
        "type": "data",
        "version": "v1.2.0",
    }
    assert [(part["type"], part["name"], part["hashes"][0]["content"]) for part in listing["components"]] == [
        ("data", "common", "1" * 64),
        ("file", "a", "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"),
        ("file", "b", "d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35"),
    ]
