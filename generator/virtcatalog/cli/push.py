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
    from virtcatalog.publish.artifact import Declared, Origin


@click.command(
    "push",
    epilog="""\b
Examples:
  virtcatalog push oci://registry.example.com/platform/catalog:v1.2.0
  virtcatalog push oci://registry.example.com/platform/catalog:v1.2.0 --dry-run       its digest, without a registry
""",
)
@click.argument("reference", metavar="oci://HOST/REPOSITORY:TAG")
@options.about_catalog()
@click.option("--source", metavar="URL", help="The repository that it is from. [default: git's remote origin]")
@click.option("--revision", metavar="TEXT", help="Its revision. [default: sha1:COMMIT, which has to have these files]")
@click.option("--created", metavar="TIME", help="Its time. [default: $SOURCE_DATE_EPOCH, else the commit's]")
@options.registry
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
    dry_run: bool,
) -> int:
    """Publish CATALOG (default: catalog) as an OCI artifact, and print its name with its digest.

    It holds the output tree, which Flux and Argo CD sync, and the declarations, for catalogs that extend this one.
    Credentials are docker's (docker login).
    """
    from virtcatalog.oci.registry import Registry
    from virtcatalog.oci.transfer import push
    from virtcatalog.publish import artifact
    from virtcatalog.publish.promise import breaches

    place = _place(reference)
    declared = artifact.read(catalog)
    if declared.catalog.lock:
        broken = list(breaches(declared.catalog))
        if broken:
            return refuse(broken)
    image = artifact.artifact(declared, _origin(declared, catalog, source, revision, created))
    exact = place.at(image.descriptor.digest)
    if not dry_run:
        push(Registry(place, plain_http=plain_http, authority=authority), image, place.tag)
    data(f"{exact}\n")
    summary(f"{'would publish' if dry_run else 'published'} {declared.catalog.name} as {place}")
    return 0


def _place(reference: str) -> Reference:
    from virtcatalog.oci.reference import parse

    place = parse(reference)
    if place.digest or not place.tag:
        raise click.UsageError(f"{reference}: name what is published by a tag: {place.place}:TAG")
    return place


def _origin(declared: Declared, catalog: str, source: str | None, revision: str | None, created: str | None) -> Origin:
    """Return what the options say, and git where they say nothing: nothing of git's beside a revision of the user's."""
    from virtcatalog.publish.artifact import Origin, origin

    told = Origin() if revision is not None else origin(declared, catalog)
    time = _time(created)
    return Origin(
        told.source if source is None else source,
        told.revision if revision is None else revision,
        told.created if time is None else time,
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
