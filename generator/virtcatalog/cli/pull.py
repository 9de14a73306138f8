"""`virtcatalog pull`: fetch a catalog that is published as an OCI artifact."""

from __future__ import annotations

from pathlib import Path

import click

from virtcatalog.cli import options
from virtcatalog.cli.build import changed
from virtcatalog.cli.console import data, failing, note, summary
from virtcatalog.errors import counted


@click.command(
    "pull",
    epilog="""\b
Examples:
  virtcatalog pull oci://registry.example.com/platform/catalog:v1.2.0 upstream
  virtcatalog pull oci://registry.example.com/platform/catalog:v1.2.0       its digest, for `extends`
""",
)
@click.argument("reference", metavar="oci://HOST/REPOSITORY[:TAG][@DIGEST]")
@click.argument(
    "folder",
    required=False,
    metavar="[DIR]",
    type=click.Path(path_type=Path),
    shell_complete=options.completes("folders"),
)
@click.option("--force", is_flag=True, help="Replace the tree of another catalog in DIR.")
@options.registry
@failing
def command(reference: str, folder: Path | None, force: bool, plain_http: bool, authority: str | None) -> int:
    """Fetch a published catalog, keep it for catalogs that extend it, and print its name with its digest.

    With DIR its files are written there: the output tree, and the catalog below `declarations`. The folder is replaced
    as a whole, or not at all, and files in it that virtcatalog did not write are left alone.
    """
    from virtcatalog.oci.reference import parse
    from virtcatalog.oci.registry import Registry
    from virtcatalog.oci.store import Store
    from virtcatalog.oci.transfer import pull
    from virtcatalog.publish.artifact import tree_of
    from virtcatalog.render import tree

    place = parse(reference)
    artifact = pull(Registry(place, plain_http=plain_http, authority=authority), place, Store())
    owner, files = tree_of(artifact)
    if folder is not None:
        changes = tree.replace(folder, files, owner, force=force, say=note)
        summary(f"{folder}: {counted(len(files), 'file')}, {changed(changes)}")
    data(f"{artifact.reference}\n")
    return 0
