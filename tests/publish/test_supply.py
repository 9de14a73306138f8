"""What is attached to an artifact of a catalog, and who signs what of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from publish.released import load
from virtcatalog._version import __version__
from virtcatalog.oci.image import Image, image_of
from virtcatalog.oci.reference import Reference
from virtcatalog.oci.statements import simple_payload, simple_signature
from virtcatalog.publish.artifact import Declared, Origin
from virtcatalog.publish.supply import about, signature

PLACE = Reference("r.example.com", "house", "v1")
IMAGE = image_of({"a": b"1"}, {})
DIGEST = IMAGE.descriptor.digest.removeprefix("sha256:")
CATALOG = replace(load({}), name="house", version="v1.2.0")
DECLARED = Declared(
    CATALOG,
    ("top", "house"),
    {
        ("top", "house", "catalog.yaml"): b"extends: common-instancetypes\n",
        ("top", "beside", "catalog.yaml"): b"name: beside\n",
    },
)
ORIGIN = Origin("https://git.example.org/house.git", "sha1:abc", "2026-01-02T03:04:05Z")
SIGNED, PROVENANCE, BOM = (
    "https://sigstore.dev/cosign/sign/v1",
    "https://slsa.dev/provenance/v1",
    "https://cyclonedx.org/bom",
)


class Signer:
    """Signs by writing "signed" in front."""

    def bundle(self, statement: bytes) -> bytes:
        return b"signed " + statement

    def simple(self, payload: bytes) -> bytes | None:
        return b"signed " + payload


@pytest.fixture(autouse=True)
def no_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_SERVER_URL", "GITHUB_WORKFLOW_REF"):
        monkeypatch.delenv(name, raising=False)


def content(image: Image) -> Any:
    return json.loads(image.blobs[1].content.removeprefix(b"signed "))


def shown(image: Image) -> tuple[str, dict[str, str]]:
    manifest = json.loads(image.manifest)
    assert manifest["subject"]["digest"] == f"sha256:{DIGEST}"
    return manifest["artifactType"], manifest.get("annotations", {})


def statement(kind: str, predicate: object) -> dict[str, object]:
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "r.example.com/house", "digest": {"sha256": DIGEST}}],
        "predicateType": kind,
        "predicate": predicate,
    }


def test_provenance_and_a_bill_of_materials() -> None:
    provenance, bill = about(DECLARED, IMAGE, PLACE, ORIGIN, None)
    assert shown(provenance) == ("application/vnd.in-toto+json", {"dev.sigstore.bundle.predicateType": PROVENANCE})
    assert content(provenance) == statement(
        PROVENANCE,
        {
            "buildDefinition": {
                "buildType": "https://virtcatalog.dev/push/v1",
                "externalParameters": {"catalog": "house", "source": ORIGIN.source, "revision": "sha1:abc"},
                "resolvedDependencies": [
                    {"uri": "git+https://git.example.org/house.git", "digest": {"gitCommit": "abc"}},
                    {"uri": f"pkg:pypi/virtcatalog@{__version__}#common-instancetypes"},
                ],
            },
            "runDetails": {
                "builder": {"id": "https://virtcatalog.dev/push", "version": {"virtcatalog": __version__}},
                "metadata": {"startedOn": "2026-01-02T03:04:05Z"},
            },
        },
    )
    assert shown(bill) == ("application/vnd.cyclonedx+json", {})
    listed = content(bill)
    assert listed["metadata"]["component"] == {
        "bom-ref": "data:house",
        "name": "house",
        "type": "data",
        "version": "v1.2.0",
    }
    assert listed["metadata"]["timestamp"] == "2026-01-02T03:04:05+00:00"
    assert listed["metadata"]["tools"]["components"][0]["version"] == __version__
    assert [part["name"] for part in listed["components"]] == [
        "common-instancetypes",
        "beside/catalog.yaml",
        "house/catalog.yaml",
    ]


def test_who_signs_signs_the_artifact_and_what_is_said_of_it() -> None:
    provenance, bill, *signed = about(DECLARED, IMAGE, PLACE, ORIGIN, Signer())
    assert [(provenance, bill)] == [tuple(about(DECLARED, IMAGE, PLACE, ORIGIN, None))]
    bundle = "application/vnd.dev.sigstore.bundle.v0.3+json"
    assert [shown(image) for image in signed] == [
        (bundle, {"dev.sigstore.bundle.content": "dsse-envelope", "dev.sigstore.bundle.predicateType": kind})
        for kind in (SIGNED, PROVENANCE, BOM)
    ]
    assert [content(image) for image in signed] == [
        statement(SIGNED, {}),
        content(provenance),
        statement(BOM, content(bill)),
    ]


@pytest.mark.parametrize(
    ("server", "workflow", "builder"),
    [
        (
            "https://github.com",
            "o/r/.github/workflows/push.yaml@refs/tags/v1",
            "https://github.com/o/r/.github/workflows/push.yaml@refs/tags/v1",
        ),
        ("https://github.com", "", "https://virtcatalog.dev/push"),
        ("", "o/r/.github/workflows/push.yaml@refs/tags/v1", "https://virtcatalog.dev/push"),
    ],
)
def test_a_workflow_is_who_builds(monkeypatch: pytest.MonkeyPatch, server: str, workflow: str, builder: str) -> None:
    monkeypatch.setenv("GITHUB_SERVER_URL", server)
    monkeypatch.setenv("GITHUB_WORKFLOW_REF", workflow)
    provenance, _ = about(DECLARED, IMAGE, PLACE, ORIGIN, None)
    assert content(provenance)["predicate"]["runDetails"]["builder"]["id"] == builder


def test_the_signature_of_cosign_2() -> None:
    payload = simple_payload(PLACE, f"sha256:{DIGEST}")
    assert signature(IMAGE, PLACE, Signer()) == simple_signature(payload, b"signed " + payload)
    assert signature(IMAGE, PLACE, None) is None

    class Keyless(Signer):
        def simple(self, payload: bytes) -> None:
            return None

    assert signature(IMAGE, PLACE, Keyless()) is None
