"""What is said of an artifact beside it: in-toto statements, their envelopes, and bundles of signatures.

Among them are the provenance and, in CycloneDX's JSON, the bill of materials.
Source: in-toto/attestation (spec/v1), secure-systems-lab/dsse (protocol.md, envelope.md), SLSA provenance 1.0, and
sigstore/cosign 3, specs/BUNDLE_SPEC.md and SIGNATURE_SPEC.md.
"""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from virtcatalog.oci.image import Blob, Descriptor, Image, as_json, referrer
from virtcatalog.oci.reference import Reference, need

IN_TOTO: Final = "application/vnd.in-toto+json"
CYCLONEDX: Final = "application/vnd.cyclonedx+json"
BUNDLE: Final = "application/vnd.dev.sigstore.bundle.v0.3+json"
SIMPLE: Final = "application/vnd.dev.cosign.simplesigning.v1+json"
SIGNATURE: Final = "dev.cosignproject.cosign/signature"
PREDICATE: Final = "dev.sigstore.bundle.predicateType"

#: The types of predicates. The first says no more than that the artifact is signed.
SIGNED: Final = "https://sigstore.dev/cosign/sign/v1"
PROVENANCE: Final = "https://slsa.dev/provenance/v1"
BOM: Final = "https://cyclonedx.org/bom"
_STATEMENT: Final = "https://in-toto.io/Statement/v1"
_BUILD_TYPE: Final = "https://virtcatalog.dev/push/v1"


class Build(msgspec.Struct, frozen=True, kw_only=True):
    """How an artifact was made: by whom (a URI), of which commit, of which other catalogs (URIs) and with what."""

    builder: str
    version: str
    catalog: str
    source: str
    revision: str
    created: str
    extends: Sequence[tuple[str, str]] = ()
    """Names of catalogs that come with virtcatalog, and of artifacts with their digests."""


def statement(reference: Reference, digest: str, predicate_type: str, predicate: Mapping[str, Any]) -> bytes:
    """Return what is said of an artifact."""
    subject = {"name": reference.place.partition("://")[2], "digest": {"sha256": digest.partition(":")[2]}}
    content = {"_type": _STATEMENT, "subject": [subject], "predicateType": predicate_type, "predicate": dict(predicate)}
    return as_json(content)


def provenance(build: Build) -> dict[str, Any]:
    """Return the predicate that says what an artifact was made of."""
    scheme, _, commit = build.revision.rpartition("@")[2].partition(":")
    materials: list[dict[str, Any]] = []
    if build.source or commit:
        digest = {"digest": {"gitCommit": commit}} if scheme in ("sha1", "sha256") and commit else {}
        materials.append({"uri": f"git+{build.source}" if build.source else "git", **digest})
    for name, digest_of_it in build.extends:
        own = {"digest": {"sha256": digest_of_it.partition(":")[2]}} if digest_of_it else {}
        materials.append({"uri": name if digest_of_it else f"pkg:pypi/virtcatalog@{build.version}#{name}", **own})
    return {
        "buildDefinition": {
            "buildType": _BUILD_TYPE,
            "externalParameters": {
                key: value
                for key, value in (("catalog", build.catalog), ("source", build.source), ("revision", build.revision))
                if value
            },
            "resolvedDependencies": materials,
        },
        "runDetails": {
            "builder": {"id": build.builder, "version": {"virtcatalog": build.version}},
            **({"metadata": {"startedOn": build.created}} if build.created else {}),
        },
    }


def bom(
    name: str, version: str, files: Mapping[str, bytes], extends: Sequence[tuple[str, str]], created: str, tool: str
) -> dict[str, Any]:
    """Return the bill of materials of a catalog; `extends` are names of other catalogs, with digests of artifacts.

    `created` is a time or "", `tool` virtcatalog's version. The same catalog gives the same bytes.
    """
    need("cyclonedx.model.bom")
    from cyclonedx.model import HashAlgorithm, HashType
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.output.json import JsonV1Dot6

    def component(kind: ComponentType, name: str, digest: str, version: str | None = None) -> Component:
        hashes = [HashType(alg=HashAlgorithm.SHA_256, content=digest)] if digest else []
        return Component(type=kind, name=name, version=version, bom_ref=f"{kind.value}:{name}", hashes=hashes)

    top = component(ComponentType.DATA, name, "", version or None)
    parts = [
        component(ComponentType.FILE, path, hashlib.sha256(content).hexdigest())
        for path, content in sorted(files.items())
    ]
    extended = [component(ComponentType.DATA, other, digest.partition(":")[2]) for other, digest in extends]
    document = Bom(components=[*parts, *extended])
    document.metadata.component = top
    document.metadata.tools.components.add(component(ComponentType.APPLICATION, "virtcatalog", "", tool))
    identity = hashlib.sha256("".join(f"{path}\0" for path in files).encode() + b"".join(files.values())).hexdigest()
    document.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, f"{name}#{identity}")
    if created:
        document.metadata.timestamp = datetime.fromisoformat(created)
    document.register_dependency(top, [*parts, *extended])
    listing: dict[str, Any] = json.loads(JsonV1Dot6(document).output_as_string())
    if not created:
        del listing["metadata"]["timestamp"]  # which is that of this moment
    return listing


def simple_payload(reference: Reference, digest: str) -> bytes:
    """Return what cosign 2 signs: that an artifact has this digest."""
    return as_json(
        {
            "critical": {
                "identity": {"docker-reference": reference.place.partition("://")[2]},
                "image": {"docker-manifest-digest": digest},
                "type": "cosign container image signature",
            },
            "optional": None,
        }
    )


def encoded(statement: bytes) -> bytes:
    """Return the bytes that are signed of a statement: DSSE's pre-authentication encoding."""
    return b"DSSEv1 %d %s %d %s" % (len(IN_TOTO), IN_TOTO.encode(), len(statement), statement)


def bundle(statement: bytes, signature: bytes, hint: str) -> bytes:
    """Return a statement with its signature by a key, as cosign 3 keeps both; the key is not in it."""
    content = {
        "mediaType": BUNDLE,
        "verificationMaterial": {"publicKey": {"hint": hint}},
        "dsseEnvelope": {
            "payload": base64.b64encode(statement).decode(),
            "payloadType": IN_TOTO,
            "signatures": [{"sig": base64.b64encode(signature).decode()}],
        },
    }
    return as_json(content)


def attached(subject: Descriptor, content: bytes, predicate_type: str) -> Image:
    """Return a bundle as an artifact about another one."""
    annotations = {"dev.sigstore.bundle.content": "dsse-envelope", PREDICATE: predicate_type}
    return referrer(subject, BUNDLE, content, annotations)


def simple_signature(payload: bytes, signature: bytes) -> tuple[Blob, dict[str, str]]:
    """Return a payload and what is written beside it."""
    return Blob(SIMPLE, payload), {SIGNATURE: base64.b64encode(signature).decode()}
