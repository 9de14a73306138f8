"""`virtcatalog push`: publish a catalog as an OCI artifact."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from virtcatalog.cli import options
from virtcatalog.cli.build import refuse
from virtcatalog.cli.console import data, failing, summary

if TYPE_CHECKING:
    from virtcatalog.oci.reference import Reference
    from virtcatalog.oci.signing import Signer
    from virtcatalog.publish.artifact import Declared, Origin


@click.command(
    "push",
    epilog="""\b
Examples:
  virtcatalog push oci://registry.example.com/platform/catalog:v1.2.0
  virtcatalog push oci://registry.example.com/platform/catalog:v1.2.0 --dry-run       its digest, without a registry
  virtcatalog push oci://registry.example.com/platform/catalog:v1.2.0 --sign          in a workflow, as its identity
  COSIGN_PASSWORD=… virtcatalog push oci://registry.example.com/platform/catalog:v1.2.0 --sign --key cosign.key
""",
)
@click.argument("reference", metavar="oci://HOST/REPOSITORY:TAG")
@options.about_catalog()
@click.option("--source", metavar="URL", help="The repository that it is from. [default: git's remote origin]")
@click.option("--revision", metavar="TEXT", help="Its revision. [default: sha1:COMMIT, which has to have these files]")
@click.option("--created", metavar="TIME", help="Its time. [default: $SOURCE_DATE_EPOCH, else the commit's]")
@options.registry
@click.option("--sign", is_flag=True, help="Sign as cosign does: by --key, else as the identity of the CI job.")
@options.file("--key", "A key of `cosign generate-key-pair`, whose password is in COSIGN_PASSWORD.")
@options.file("--trust-config", "Another Sigstore than the public one, for --sign without a key.")
@click.option("--dry-run", is_flag=True, help="Print the artifact's name with its digest, and send nothing.")
@failing
def command(
    reference: str,
    catalog: str,
    source: str | None,
    revision: str | None,
    created: str | None,
    plain_http: bool,
    authority: str | None,
    sign: bool,
    key: str | None,
    trust_config: str | None,
    dry_run: bool,
) -> int:
    """Publish CATALOG (default: catalog) as an OCI artifact, and print its name with its digest.

    It holds the output tree, which Flux and Argo CD sync, and the declarations, for catalogs that extend this one.
    Provenance and a bill of materials are attached to it; --sign signs it and both. Credentials are docker's
    (docker login).
    """
    from virtcatalog.oci.registry import Registry
    from virtcatalog.oci.transfer import push
    from virtcatalog.publish import artifact
    from virtcatalog.publish.promise import breaches
    from virtcatalog.publish.supply import about, signature

    place = _place(reference)
    if (key or trust_config) and not sign:
        raise click.UsageError("--key and --trust-config are for --sign")
    if key and trust_config:
        raise click.UsageError("either a --key signs, or an identity that --trust-config is for")
    declared = artifact.read(catalog)
    if broken := list(breaches(declared.catalog)):
        return refuse(broken)
    origin = _origin(declared, catalog, source, revision, created)
    image = artifact.artifact(declared, origin)
    if not dry_run:
        registry = Registry(place, plain_http=plain_http, authority=authority)
        signer = _signer(key, trust_config) if sign else None
        statements = about(declared, image, place, origin, signer)
        push(registry, image, place.tag, statements, signature(image, place, signer))
    data(f"{place.at(image.descriptor.digest)}\n")
    title = f"{declared.catalog.name}, signed," if sign else declared.catalog.name
    summary(f"{'would publish' if dry_run else 'published'} {title} as {place}")
    return 0


def _place(reference: str) -> Reference:
    from virtcatalog.oci.reference import parse

    place = parse(reference)
    if place.digest or not place.tag:
        raise click.UsageError(f"{reference}: name what is published by a tag: {place.place}:TAG")
    return place


def _signer(key: str | None, trust_config: str | None) -> Signer:
    from virtcatalog.oci.signing import Identity, Key

    if key is None:
        return Identity(os.environ.get("SIGSTORE_ID_TOKEN"), trust_config)
    password = os.environ.get("COSIGN_PASSWORD")
    if password is None:
        raise click.UsageError(f"COSIGN_PASSWORD has to hold the password of {key}")
    return Key(key, password.encode())


def _origin(declared: Declared, catalog: str, source: str | None, revision: str | None, created: str | None) -> Origin:
    """Return what the options say, and git where they say nothing: nothing of git's beside a revision of the user's."""
    from virtcatalog.publish.artifact import Origin, origin

    recorded = Origin() if revision is not None else origin(declared, catalog)
    time = _time(created)
    return Origin(
        recorded.source if source is None else source,
        recorded.revision if revision is None else revision,
        recorded.created if time is None else time,
    )


def _time(created: str | None) -> str | None:
    from virtcatalog.publish.artifact import stamp

    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        if created is not None:
            time = datetime.fromisoformat(created)
            return stamp(time if time.tzinfo else time.replace(tzinfo=UTC))
        return stamp(datetime.fromtimestamp(int(epoch), UTC)) if epoch else None
    except (ValueError, OverflowError, OSError):
        raise click.UsageError(f"{created or epoch} is no time: write 2026-01-31T12:00:00Z") from None
