"""`virtcatalog site`: a catalog as a static web site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from virtcatalog.cli import options
from virtcatalog.cli.conditions import conditioned
from virtcatalog.cli.console import failing, summary
from virtcatalog.errors import counted

if TYPE_CHECKING:
    from virtcatalog.kubevirt.conditions import Conditions


@click.command(
    "site",
    epilog="""\b
Examples:
  virtcatalog site                                   then open site/index.html
  virtcatalog site examples/common-instancetypes --output-dir public
  virtcatalog site --check                           in CI: is the committed site fresh?
""",
)
@options.about_catalog()
@options.output_dir("The site's folder.", default="site", tree=False)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when the site in the folder is another one.")
@click.option("--force", is_flag=True, help="Replace the site of another catalog.")
@failing
@conditioned
def command(catalog: str, output: Path, check: bool, force: bool, conditions: Conditions) -> int:
    """Make a web site of CATALOG (default: catalog): tables with filters, a page for each type, what fits what.

    It is made of plain files: open index.html from the folder, or put it on any web server. The same catalog makes the
    same bytes, so that the site can be committed.
    """
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.render import tree
    from virtcatalog.site.pages import render

    loaded = load_catalog(catalog)
    pages = render(loaded, conditions)
    owner = f"{loaded.name} (web site)"  # which is no output tree, and does not take the place of one
    if check:
        stale = tree.compare(output, pages, owner)
        summary(f"{output} is stale: {counted(len(stale), 'file')}" if stale else f"{output} is fresh")
        return 1 if stale else 0
    changes = tree.replace(output, pages, owner, catalog=loaded.path, force=force, say=summary)
    summary(f"{output}: {counted(len(pages), 'file')}, {len(changes)} changed; open {output / 'index.html'}")
    return 0
