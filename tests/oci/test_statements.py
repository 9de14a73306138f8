"""What is said of an artifact beside it, byte by byte as in-toto, SLSA, DSSE and cosign have it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from virtcatalog.oci.image import Blob, Descriptor
from virtcatalog.oci.reference import Reference
from virtcatalog.oci.statements import (
    Build,
    attached,
    bundle,
    encoded,
    provenance,
    simple_payload,
    simple_signature,
    statement,
)

PLACE = Reference("r.example.com:5000", "team/house", "v1")
DIGEST = f"sha256:{'a' * 64}"


def test_a_statement() -> None:
    assert json.loads(statement(PLACE, DIGEST, "https://example.org/said", {"a": 1})) == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "r.example.com:5000/team/house", "digest": {"sha256": "a" * 64}}],
        "predicateType": "https://example.org/said",
        "predicate": {"a": 1},
    }


def build(**fields: Any) -> Build:
    nothing = {"source": "", "revision": "", "created": ""}
    return Build(**{"builder": "https://b.example.org", "version": "1.0.0", "catalog": "house", **nothing, **fields})


@pytest.mark.parametrize(
    ("fields", "parameters", "materials", "metadata"),
    [
        ({}, {}, [], {}),
        (
            {"source": "https://g.example.org/a.git", "revision": "sha1:abc", "created": "2026-01-02T03:04:05Z"},
            {"source": "https://g.example.org/a.git", "revision": "sha1:abc"},
            [{"uri": "git+https://g.example.org/a.git", "digest": {"gitCommit": "abc"}}],
            {"metadata": {"startedOn": "2026-01-02T03:04:05Z"}},
        ),
        (
            {"revision": "sha256:abc"},
            {"revision": "sha256:abc"},
            [{"uri": "git", "digest": {"gitCommit": "abc"}}],
            {},
        ),
        (
            {"revision": "main@sha1:abc"},
            {"revision": "main@sha1:abc"},
            [{"uri": "git", "digest": {"gitCommit": "abc"}}],
            {},
        ),
        (
            {"source": "https://g.example.org/a.git", "revision": "local"},
            {"source": "https://g.example.org/a.git", "revision": "local"},
            [{"uri": "git+https://g.example.org/a.git"}],
            {},
        ),
        ({"revision": "local"}, {"revision": "local"}, [], {}),
        ({"revision": "md5:abc"}, {"revision": "md5:abc"}, [{"uri": "git"}], {}),
        (
            {"extends": [(f"oci://r.example.com/b@{DIGEST}", DIGEST), ("common-instancetypes", "")]},
            {},
            [
                {"uri": f"oci://r.example.com/b@{DIGEST}", "digest": {"sha256": "a" * 64}},
                {"uri": "pkg:pypi/virtcatalog@1.0.0#common-instancetypes"},
            ],
            {},
        ),
    ],
)
def test_provenance(
    fields: dict[str, Any], parameters: dict[str, str], materials: list[object], metadata: dict[str, Any]
) -> None:
    assert provenance(build(**fields)) == {
        "buildDefinition": {
            "buildType": "https://virtcatalog.dev/push/v1",
            "externalParameters": {"catalog": "house", **parameters},
            "resolvedDependencies": materials,
        },
        "runDetails": {
            "builder": {"id": "https://b.example.org", "version": {"virtcatalog": "1.0.0"}},
            **metadata,
        },
    }


def test_what_cosign_2_signs() -> None:
    assert simple_payload(PLACE, DIGEST) == (
        b'{"critical":{"identity":{"docker-reference":"r.example.com:5000/team/house"},'
        b'"image":{"docker-manifest-digest":"' + DIGEST.encode() + b'"},"type":"cosign container image signature"},'
        b'"optional":null}'
    )
    assert simple_signature(b"payload", b"\xff\xfe") == (
        Blob("application/vnd.dev.cosign.simplesigning.v1+json", b"payload"),
        {"dev.cosignproject.cosign/signature": "//4="},
    )


def test_what_is_signed_of_a_statement() -> None:
    assert encoded(b"{}") == b"DSSEv1 28 application/vnd.in-toto+json 2 {}"
    assert encoded(b"a statement") == b"DSSEv1 28 application/vnd.in-toto+json 11 a statement"


def test_a_bundle() -> None:
    assert json.loads(bundle(b"{}", b"\xff\xfe", "hint")) == {
        "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
        "verificationMaterial": {"publicKey": {"hint": "hint"}},
        "dsseEnvelope": {
            "payload": "e30=",
            "payloadType": "application/vnd.in-toto+json",
            "signatures": [{"sig": "//4="}],
        },
    }


def test_a_bundle_is_attached_to_what_it_is_about() -> None:
    kind = "application/vnd.oci.image.manifest.v1+json"
    image = attached(Descriptor(kind, DIGEST, 7, {"a": "b"}, "c"), b"{}", "https://example.org/said")
    empty = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert json.loads(image.manifest) == {
        "schemaVersion": 2,
        "mediaType": kind,
        "artifactType": "application/vnd.dev.sigstore.bundle.v0.3+json",
        "config": {"mediaType": "application/vnd.oci.empty.v1+json", "digest": empty, "size": 2},
        "layers": [{"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json", "digest": empty, "size": 2}],
        "annotations": {
            "dev.sigstore.bundle.content": "dsse-envelope",
            "dev.sigstore.bundle.predicateType": "https://example.org/said",
        },
        "subject": {"mediaType": kind, "digest": DIGEST, "size": 7},
    }
