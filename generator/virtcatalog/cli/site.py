"""`virtcatalog site`: a catalog as a static web site."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from virtcatalog.cli import execution, options
from virtcatalog.cli.conditions import conditioned
from virtcatalog.cli.console import failing, note, summary
from virtcatalog.cli.defaults import settings
from virtcatalog.cli.inputs import placed
from virtcatalog.cli.items import prices_for
from virtcatalog.cli.previews import note_previews
from virtcatalog.cli.watch import watched
from virtcatalog.errors import ManifestError, VirtcatalogError, counted

if TYPE_CHECKING:
    from virtcatalog.catalog.model import Catalog
    from virtcatalog.fleet.pool import Executor
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.manifests.folder import Folder
    from virtcatalog.site.changes import History
    from virtcatalog.site.usage import Fleet


@click.command(
    "site",
    epilog="""\b
Examples:
  virtcatalog site                                   then open site/index.html
  virtcatalog site examples/common-instancetypes --output-dir public
  kubectl get vm -A -o yaml | virtcatalog site -f -  with who uses what
  virtcatalog site --check                           in CI: is the committed site fresh?
  virtcatalog site --watch                           while you edit: again after each change
""",
)
@options.about_catalog()
@options.output_dir("The site's folder.", default="site", tree=False)
@options.manifests("VMs, such as a dump of the fleet: pages say how many use what, by namespace, and name the first.")
@click.option("--count-only", is_flag=True, help="Of the VMs of -f say how many there are, and name none of them.")
@options.prices
@click.option("--git/--no-git", "git", default=True, help="Tell the past of the catalog, out of git. [default: --git]")
@options.revision(
    "--revision",
    "revisions",
    "What changed is told between these git revisions, the oldest first. [default: the releases]",
    multiple=True,
)
@click.option(
    "--tree",
    metavar="DIR",
    shell_complete=options.completes("folders"),
    default=lambda: settings().output_dir or "output",
    help="The output tree whose history is told. [default: output]",
)
@click.option(
    "--domains/--no-domains",
    default=None,
    help="Make the domain of every pair for the form. [default: where there are 20,000 pairs at most]",
)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when the site in the folder is another one.")
@click.option("--force", is_flag=True, help="Replace the site of another catalog.")
@failing
@watched
@conditioned
@execution.executor
def command(
    catalog: str,
    folder: Folder | None,
    output: Path,
    sources: tuple[str, ...],
    count_only: bool,
    prices: str | None,
    git: bool,
    revisions: tuple[str, ...],
    tree: str,
    domains: bool | None,
    check: bool,
    force: bool,
    conditions: Conditions,
    executor: Executor,
) -> int:
    """Make a web site of CATALOG (default: catalog): tables with filters, a page for each type, what fits what.

    It is made of plain files: open index.html from the folder, or put it on any web server. The same catalog makes the
    same bytes, so that the site can be committed.
    """
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.cli.build import changed
    from virtcatalog.render.tree import compare, replace
    from virtcatalog.site.pages import previews, render

    if revisions and not git:
        raise click.UsageError("--revision is about git, and --no-git leaves it alone")
    loaded = load_catalog(catalog, folder)
    note_previews(previews(loaded, conditions))
    loaded = msgspec.structs.replace(loaded, prices=prices_for(loaded, prices))
    fleet = _fleet(loaded, sources, anonymous=count_only) if sources else None
    pages = render(loaded, conditions, _past(loaded, tree, revisions, git=git), fleet, executor, with_domains=domains)
    owner = f"{loaded.name} (web site)"  # which is no output tree, and does not take the place of one
    if check:
        stale = compare(output, pages, owner)
        summary(f"{output} is stale: {changed(stale)}" if stale else f"{output} is fresh")
        return 1 if stale else 0
    changes = replace(output, pages, owner, catalog=loaded.path, force=force, say=note)
    summary(f"{output}: {counted(len(pages), 'file')}, {changed(changes)}; open {output / 'index.html'}")
    return 0


def _fleet(catalog: Catalog, sources: Sequence[str], *, anonymous: bool) -> Fleet:
    """The VMs of files and folders, counted; ManifestError for what cannot be read."""
    from virtcatalog.environments import check_places
    from virtcatalog.fleet.files import Fleet as Stream
    from virtcatalog.fleet.files import Share
    from virtcatalog.site.usage import Fleet

    stream = Stream(map(placed, sources))
    check_places(stream.places, catalog.overlays, f"in {catalog.path}")
    fleet, problems = Fleet(catalog, anonymous=anonymous), stream.problems
    for part, where in stream.parts():
        manifests, faults = Share(part).manifests()
        problems += faults
        for manifest in manifests:
            # What is wrong with a VM otherwise does not matter: it is there, and names what it names.
            fleet.add(manifest.data, where)
    if problems:
        raise ManifestError(*problems)
    if not fleet.total:
        raise VirtcatalogError(f"no VirtualMachine in {', '.join(sources)}")
    return fleet


def _past(catalog: Catalog, tree: str, revisions: Sequence[str], *, git: bool) -> History:
    """The past by git and the lock; without git by the lock alone, so that the site is the same whenever it is made."""
    from virtcatalog.manifests.history import history_of
    from virtcatalog.publish.releases import releases
    from virtcatalog.publish.rendered import past
    from virtcatalog.site.changes import History

    if not git:
        return History(releases=releases(catalog, None).releases)
    published = releases(catalog, history_of(catalog.path), revisions)
    rendered = past(catalog, tree)
    return History(
        releases=published.releases,
        omissions=published.omissions,
        events=rendered.events,
        event_omission=rendered.omission,
    )
