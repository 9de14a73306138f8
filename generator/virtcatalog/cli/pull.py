"""`virtcatalog pull`: fetch a catalog that is published as an OCI artifact."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from virtcatalog.cli import options
from virtcatalog.cli.build import changed
from virtcatalog.cli.console import data, failing, note, summary
from virtcatalog.errors import counted

if TYPE_CHECKING:
    from virtcatalog.manifests.folder import Folder
    from virtcatalog.oci.reference import Reference
    from virtcatalog.oci.store import Artifact


@click.command(
    "pull",
    epilog="""\b
Examples:
  virtcatalog pull oci://registry.example.com/platform/catalog:v1.2.0 upstream
  virtcatalog pull oci://registry.example.com/platform/catalog:v1.2.0       its digest, for `extends`
  virtcatalog pull catalog                       in CI, before the rest: what ./catalog extends
  virtcatalog pull catalog --base HEAD           and what it extended before, for `diff`
""",
)
@click.argument("reference", metavar="REFERENCE|CATALOG", shell_complete=options.completes("catalogs"))
@click.argument(
    "folder",
    required=False,
    metavar="[DIR]",
    type=click.Path(path_type=Path),
    shell_complete=options.completes("folders"),
)
@options.revision(
    "--base", "base", "Fetch what the CATALOG extends in this git revision, too: what `diff` compares with."
)
@click.option("--force", is_flag=True, help="Replace the tree of another catalog in DIR.")
@options.registry
@failing
def command(
    reference: str, folder: Path | None, base: str | None, force: bool, plain_http: bool, authority: str | None
) -> int:
    """Fetch a published catalog, keep it for catalogs that extend it, and print its name with its digest.

    REFERENCE is oci://HOST/REPOSITORY, with :TAG (default: latest) or @sha256:DIGEST. With a CATALOG in its place the
    artifacts are fetched that this extends, and those that these do; no other command asks a registry for them.

    With DIR its files are written there: the output tree, and the catalog below `declarations`. The folder is replaced
    as a whole, or not at all, and files in it that virtcatalog did not write are left alone.
    """
    from virtcatalog.oci import SCHEME
    from virtcatalog.oci.reference import parse
    from virtcatalog.oci.registry import Registry
    from virtcatalog.oci.store import Store
    from virtcatalog.oci.transfer import pull
    from virtcatalog.publish.artifact import tree_of
    from virtcatalog.render import tree

    def fetched(place: Reference) -> Artifact:
        return pull(Registry(place, plain_http=plain_http, authority=authority), place, Store())

    if not reference.startswith(SCHEME):
        if folder is not None:
            raise click.UsageError(f"what {reference} extends goes into no folder: leave out {folder}")
        return _extended(reference, base, fetched)
    if base is not None:
        raise click.UsageError("--base is for a CATALOG in the place of a reference")
    artifact = fetched(parse(reference))
    owner, files = tree_of(artifact)
    if folder is not None:
        changes = tree.replace(folder, files, owner, force=force, say=note)
        summary(f"{folder}: {counted(len(files), 'file')}, {changed(changes)}")
    data(f"{artifact.reference}\n")
    return 0


def _extended(catalog: str, base: str | None, fetched: Callable[[Reference], Artifact]) -> int:
    """Fetch the artifacts that a catalog extends, one after the other; those of a revision, too."""
    from virtcatalog.catalog.artifacts import catalog_in, extended
    from virtcatalog.catalog.load import open_catalog
    from virtcatalog.limits import EXTENDED_ARTIFACTS

    starts = [(open_catalog(catalog), catalog)]
    if base is not None:
        starts.append((_at(catalog, base), f"{base}:{catalog}"))
    names: dict[str, None] = {}
    for folder, path in starts:
        for _ in range(EXTENDED_ARTIFACTS):
            place = extended(folder, path)
            if place is None:
                break
            artifact = fetched(place)
            names[f"{artifact.reference}\n"] = None
            folder, home = catalog_in(artifact)
            path = f"{place.short}/{home}"
    data("".join(names))
    if not names:
        summary(f"{catalog} extends no artifact")
    return 0


def _at(catalog: str, revision: str) -> Folder:
    from virtcatalog.manifests.git import Repository
    from virtcatalog.manifests.gitprocess import GitError

    repository = Repository(Path(catalog))
    folder = repository.folder(repository.fetched(revision), ".")
    if folder is None:
        raise GitError(f"{revision}:{catalog}: there is nothing in this revision")
    return folder
