"""What is said of a published catalog beside it: how it was made, what it consists of, and who signs that."""

from __future__ import annotations

import os
from typing import Final

from virtcatalog._version import __version__
from virtcatalog.oci.image import Blob, Image, as_json, referrer
from virtcatalog.oci.reference import Reference
from virtcatalog.oci.signing import Signer
from virtcatalog.oci.statements import (
    BOM,
    CYCLONEDX,
    IN_TOTO,
    PREDICATE,
    PROVENANCE,
    SIGNED,
    Build,
    attached,
    bom,
    provenance,
    simple_payload,
    simple_signature,
    statement,
)
from virtcatalog.publish.artifact import Declared, Origin

_BUILDER: Final = "https://virtcatalog.dev/push"


def about(declared: Declared, image: Image, place: Reference, origin: Origin, signer: Signer | None) -> list[Image]:
    """Return the artifacts about a catalog's: provenance and bill of materials, and both signed, if anybody signs.

    The same catalog, commit and key give the same bytes.
    """
    catalog, subject = declared.catalog, image.descriptor
    build = Build(
        builder=_builder(),
        version=__version__,
        catalog=catalog.name,
        source=origin.source,
        revision=origin.revision,
        created=origin.created,
        extends=declared.extends,
    )
    files = {"/".join(path[len(declared.at) - 1 :]): content for path, content in declared.files.items()}
    bill = bom(catalog.name, catalog.version, files, build.extends, origin.created, __version__)
    provenance_statement = statement(place, subject.digest, PROVENANCE, provenance(build))
    images = [
        referrer(subject, IN_TOTO, provenance_statement, {PREDICATE: PROVENANCE}),
        referrer(subject, CYCLONEDX, as_json(bill)),
    ]
    if signer is not None:
        listed = statement(place, subject.digest, BOM, bill)
        signed = statement(place, subject.digest, SIGNED, {})
        for kind, content in ((SIGNED, signed), (PROVENANCE, provenance_statement), (BOM, listed)):
            images.append(attached(subject, signer.bundle(content), kind))
    return images


def signature(image: Image, place: Reference, signer: Signer | None) -> tuple[Blob, dict[str, str]] | None:
    """Return the signature that cosign 2 looks for; None where nobody gives one."""
    payload = simple_payload(place, image.descriptor.digest)
    signed = None if signer is None else signer.simple(payload)
    return None if signed is None else simple_signature(payload, signed)


def _builder() -> str:
    """Who makes it: a workflow of GitHub's by its name, as its own attestations have it."""
    server, workflow = os.environ.get("GITHUB_SERVER_URL"), os.environ.get("GITHUB_WORKFLOW_REF")
    return f"{server}/{workflow}" if server and workflow else _BUILDER
