"""How artifacts are named, and what a manifest of a stranger's may say."""

from __future__ import annotations

import json

import pytest

from virtcatalog.oci.image import FLUX_LAYER, LAYER, content_layer, gzipped, packed, read_manifest
from virtcatalog.oci.reference import OciError, Reference, parse

DIGEST = "sha256:" + "a1" * 32


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("oci://h/r", Reference("h", "r")),
        ("oci://localhost:5000/a/b-c:v1.0", Reference("localhost:5000", "a/b-c", "v1.0")),
        (f"oci://[::1]:5000/a@{DIGEST}", Reference("[::1]:5000", "a", "", DIGEST)),
        ("oci://a--b.c-d/r", Reference("a--b.c-d", "r")),
        ("oci://h/" + "r" * 255, Reference("h", "r" * 255)),
        (f"oci://h.example.com/a__b/c.d:V_1@{DIGEST}", Reference("h.example.com", "a__b/c.d", "V_1", DIGEST)),
    ],
)
def test_references(text: str, reference: Reference) -> None:
    assert parse(text) == reference
    assert str(reference) == text


@pytest.mark.parametrize(
    "text",
    [
        "h/r:v1",
        "oci://h",
        "oci://h/R",
        "oci://h/../r",
        "oci://user:word@h/r",
        "oci://h/r:",
        "oci://h/r@sha256:abc",
        "oci://h/r@sha512:" + "a" * 128,
        "oci://h/r?x=1",
        "oci://h\n/r",
        "oci://h/r:v1\n",
        "oci://h..example/r",
        "oci://h.-example/r",
        "oci://h-.example/r",
        "oci://-h/r",
        "oci://h/" + "r" * 256,
        "oci://h/" + "r" * 600,
    ],
)
def test_what_is_no_reference(text: str) -> None:
    with pytest.raises(OciError, match=r"is no artifact: write oci://HOST/REPOSITORY:TAG"):
        parse(text)


def manifest(*layers: str, digest: str = DIGEST, size: int = 1) -> bytes:
    described = [{"mediaType": kind, "digest": digest, "size": size} for kind in layers]
    config = {"mediaType": "application/vnd.oci.empty.v1+json", "digest": DIGEST, "size": 2}
    return json.dumps({"schemaVersion": 2, "config": config, "layers": described}).encode()


@pytest.mark.parametrize("kind", [LAYER, FLUX_LAYER])
def test_the_layer_is_ours_or_one_of_flux(kind: str) -> None:
    assert content_layer(read_manifest(manifest(kind))).digest == DIGEST


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is none of one artifact"),
        (b"[]", "is none of one artifact"),
        (b'{"schemaVersion": 2, "manifests": []}', "is none of one artifact: .*config"),
        (manifest(LAYER, digest="sha256:../../x"), "names 'sha256:../../x', which is no sha256 digest"),
        (manifest(LAYER, size=-1), "has -1 bytes"),
        (manifest(), r"and has 0 \(none\)"),
        (manifest(LAYER, LAYER), "and has 2"),
        (manifest("application/vnd.docker.image.rootfs.diff.tar.gzip"), "and has 1 .application/vnd.docker"),
    ],
)
def test_manifests_that_are_none_of_an_artifact_of_files(content: bytes, message: str) -> None:
    with pytest.raises(OciError, match=message):
        content_layer(read_manifest(content))


def test_bytes_are_the_same_in_any_order_of_the_files() -> None:
    assert packed({"a": b"1", "b": b"2"}) == packed({"b": b"2", "a": b"1"})
    assert gzipped(b"x")[4:10] == bytes(4) + b"\x02\xff"  # no time, no system
