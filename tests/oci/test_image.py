"""Artifacts as bytes."""

from __future__ import annotations

import gzip
import json
import tarfile
from io import BytesIO

import pytest

from virtcatalog.oci.image import (
    Descriptor,
    Manifest,
    as_json,
    digest_of,
    gzipped,
    image_of,
    packed,
    read_manifest,
)

A, B = f"sha256:{'a' * 64}", f"sha256:{'b' * 64}"
TAR = "sha256:725d44982de63a323913cf7f6422eddeefe87cb5b64c1633f8c980628bb51d40"
"""The digest of the tar file of these two files."""
FILES = {"b": b"2", "a": b"1"}


@pytest.mark.parametrize(
    ("annotations", "created"),
    [
        ({"org.opencontainers.image.created": "2026-01-02T03:04:05Z", "a": "b"}, {"created": "2026-01-02T03:04:05Z"}),
        ({"z": "1", "a": "b"}, {}),
        ({}, {}),
    ],
)
def test_files_are_one_layer_with_a_config_and_a_manifest(annotations: dict[str, str], created: dict[str, str]) -> None:
    image = image_of(FILES, annotations)
    config, layer = image.blobs
    assert json.loads(config.content) == {
        "architecture": "",
        **created,
        "os": "",
        "config": {},
        "rootfs": {"type": "layers", "diff_ids": [TAR]},
        "history": [created],
    }
    assert digest_of(gzip.decompress(layer.content)) == TAR
    described = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {
            "mediaType": "application/vnd.cncf.flux.config.v1+json",
            "digest": digest_of(config.content),
            "size": len(config.content),
        },
        "layers": [
            {
                "mediaType": "application/vnd.oci.image.layer.v1.tar+gzip",
                "digest": digest_of(layer.content),
                "size": len(layer.content),
            }
        ],
        **({"annotations": annotations} if annotations else {}),
    }
    assert json.loads(image.manifest) == described
    assert list(json.loads(image.manifest).get("annotations", {})) == sorted(annotations)
    assert image.descriptor == Descriptor(
        "application/vnd.oci.image.manifest.v1+json", digest_of(image.manifest), len(image.manifest), annotations
    )


def test_a_tar_file_has_no_owner_and_no_time() -> None:
    with tarfile.open(fileobj=BytesIO(packed({"b/c": b"22", "a": b"1"}))) as archive:
        members = archive.getmembers()
        contents = [archive.extractfile(member).read() for member in members]
    assert contents == [b"1", b"22"]
    assert [(member.name, member.size, member.mode, member.mtime, member.uid, member.uname) for member in members] == [
        ("a", 1, 0o644, 0, 0, ""),
        ("b/c", 2, 0o644, 0, 0, ""),
    ]


@pytest.mark.parametrize("content", [b"", b"x", b"long" * 100_000])
def test_gzip_gives_back_what_was_packed(content: bytes) -> None:
    packed_content = gzipped(content)
    assert gzip.decompress(packed_content) == content
    assert packed_content[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
    assert len(packed_content) < max(len(content) // 100, 64)


def test_json_is_short_and_keeps_its_order_and_letters() -> None:
    assert as_json({"b": [1, None], "a": "ö"}) == '{"b":[1,null],"a":"ö"}'.encode()


def test_a_manifest_that_is_read() -> None:
    content = {
        "schemaVersion": 2,
        "config": {"mediaType": "c", "digest": A, "size": 0},
        "layers": [{"mediaType": "l", "digest": B, "size": 3, "annotations": {"a": "b"}, "urls": []}],
        "artifactType": "t",
        "subject": {"mediaType": "s", "digest": A, "size": 1},
        "unknown": True,
    }
    assert read_manifest(json.dumps(content).encode()) == Manifest(
        schema_version=2,
        config=Descriptor("c", A, 0),
        layers=[Descriptor("l", B, 3, {"a": "b"})],
        artifact_type="t",
        subject=Descriptor("s", A, 1),
    )
