"""`virtcatalog release`: publish a catalog's objects under a version."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from virtcatalog.cli import options
from virtcatalog.cli.build import refuse
from virtcatalog.cli.console import data, failing, note, summary


@click.command(
    "release",
    epilog="""\b
Examples:
  virtcatalog release v1.3.0 > notes.md
  virtcatalog release v2.0.0 --accept 'u1.*'       nobody uses these yet
  virtcatalog release v2.0.0 --dry-run             what would it change?
""",
)
@click.argument("version", shell_complete=options.completes("versions"))
@options.about_catalog()
@options.output_dir("The tree's folder.", default="output")
@click.option(
    "--accept",
    multiple=True,
    metavar="GLOB",
    shell_complete=options.completes("items"),
    help="Change or remove these published names all the same.",
)
@options.day("The day of the release (default: today).")
@click.option("--dry-run", is_flag=True, help="Print the change summary, and write nothing.")
@click.option("--force", is_flag=True, help="Replace the tree of another catalog.")
@failing
def command(
    version: str, catalog: str, output: Path, accept: tuple[str, ...], day: date, dry_run: bool, force: bool
) -> int:
    """Publish CATALOG (default: catalog) as VERSION, and print the change summary for its release notes.

    Writes the output tree, whose bundles carry the version as a label, and catalog.lock, which holds what is published
    from then on. A published spec must not change and a published name must not go before its sunset, unless --accept
    says so.
    """
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.publish.notes import changes, notes
    from virtcatalog.publish.promise import accepts, breaches, publish, version_fault

    loaded = load_catalog(catalog)
    fault = version_fault(loaded, version)
    if fault:
        raise click.UsageError(fault)
    all_breaches = list(breaches(loaded, day))
    for glob in accept:
        if not any(accepts([glob], breach) for breach in all_breaches):
            raise click.UsageError(f"--accept {glob!r} accepts nothing: no published object of that name changes")
    broken = [breach for breach in all_breaches if not accepts(accept, breach)]
    if broken:
        return refuse(broken)
    before = loaded.lock.version if loaded.lock else ""
    different = changes(loaded)
    if version == before and different.any:
        raise click.UsageError(f"{version} is published already, with other objects; choose another version")
    if not dry_run:
        publish(loaded, version, output, force=force, say=note)
    data(notes(version, before, different))
    summary(f"{'would publish' if dry_run else 'published'} {version}: {output}, {Path(catalog, 'catalog.lock')}")
    return 0
