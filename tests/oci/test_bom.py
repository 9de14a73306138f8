"""The bill of materials of a catalog: what it lists, and that it is the same each time."""

from __future__ import annotations

import pytest

from virtcatalog.oci.statements import bom

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


def test_it_is_written_as_cyclonedx_has_it() -> None:
    artifact = f"oci://r.example.com/common@sha256:{'1' * 64}"
    extends = [(artifact, f"sha256:{'1' * 64}"), ("common-instancetypes", "")]

    def hashes(content: str) -> list[dict[str, str]]:
        return [{"alg": "SHA-256", "content": content}]

    parts = [
        {"bom-ref": "data:common-instancetypes", "name": "common-instancetypes", "type": "data"},
        {"bom-ref": f"data:{artifact}", "hashes": hashes("1" * 64), "name": artifact, "type": "data"},
        {
            "bom-ref": "file:a",
            "hashes": hashes("6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"),
            "name": "a",
            "type": "file",
        },
    ]
    refs = [part["bom-ref"] for part in parts]
    assert bom("house", "", {"a": b"1"}, extends, "2026-01-02T03:04:05+00:00", "1.0.0") == {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "serialNumber": "urn:uuid:b7ef31aa-13ba-5c7d-9d2a-ed6a73a15eb0",
        "metadata": {
            "component": {"bom-ref": "data:house", "name": "house", "type": "data"},
            "timestamp": "2026-01-02T03:04:05+00:00",
            "tools": {
                "components": [
                    {
                        "bom-ref": "application:virtcatalog",
                        "name": "virtcatalog",
                        "type": "application",
                        "version": "1.0.0",
                    }
                ]
            },
        },
        "components": parts,
        "dependencies": [
            {"ref": refs[0]},
            {"ref": "data:house", "dependsOn": refs},
            *({"ref": ref} for ref in refs[1:]),
        ],
    }


def test_its_number_is_that_of_the_catalog_and_its_files() -> None:
    def serial(name: str, files: dict[str, bytes]) -> str:
        number: str = bom(name, "", files, [], "", "1.0.0")["serialNumber"]
        return number

    files = {"a": b"1", "b": b"2"}
    assert serial("house", files) == serial("house", dict(files))
    others = [serial("lab", files), serial("house", {"a": b"1", "c": b"2"}), serial("house", {"a": b"1", "b": b"3"})]
    assert len({serial("house", files), *others}) == 4
