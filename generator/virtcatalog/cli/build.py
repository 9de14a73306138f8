"""`virtcatalog build`: render a catalog into its output tree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from virtcatalog.cli import options
from virtcatalog.cli.console import echo, failing, note, summary, write_diff
from virtcatalog.cli.watch import watched
from virtcatalog.errors import counted
from virtcatalog.escaping import shell
from virtcatalog.manifests.layout import OWNED

if TYPE_CHECKING:
    from virtcatalog.manifests.folder import Folder
    from virtcatalog.publish.promise import Breach
    from virtcatalog.render.tree import Change


@click.command(
    "build",
    epilog="""\b
Examples:
  virtcatalog build
  virtcatalog build examples/common-instancetypes --output-dir tree
  virtcatalog build --check        in CI: is the committed tree fresh?
  virtcatalog build --watch        while you edit: again after each change
""",
)
@options.about_catalog()
@options.output_dir("The tree's folder.", default="output")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 with the diff when the tree is stale.")
@click.option("--force", is_flag=True, help="Replace the tree of another catalog.")
@failing
@watched
def command(catalog: str, folder: Folder | None, output: Path, check: bool, force: bool) -> int:
    """Render CATALOG (default: catalog) into its output tree.

    The tree is replaced as a whole, or not at all. Files in it that virtcatalog did not write are left alone.
    """
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.publish.promise import breaches
    from virtcatalog.render import tree
    from virtcatalog.render.output import render

    loaded = load_catalog(catalog, folder)
    if broken := list(breaches(loaded)):
        return refuse(broken)
    rendered = render(loaded)
    if not check:
        changes = tree.replace(output, rendered, loaded.name, catalog=loaded.path, force=force, say=note)
        summary(f"{output}: {counted(len(rendered), 'file')}, {changed(changes)}")
        return 0
    changes = tree.compare(output, rendered, loaded.name)
    if changes:
        # Of a tree that was never built, all that it would hold says nothing.
        if any(change.old is not None for change in changes):
            write_diff("".join(change.diff() for change in changes))
        command = f"virtcatalog build {shell(catalog)} --output-dir {shell(str(output))}"
        summary(f"{output} is stale: {changed(changes)}; run: {command}")
        return 1
    summary(f"{output} is fresh: {counted(len(rendered), 'file')}")
    return 0


def refuse(broken: Sequence[Breach]) -> int:
    """Say what is published and would be another thing, and what to do instead; return the exit status."""
    from virtcatalog.publish.promise import ADVICE

    messages = dict.fromkeys(map(str, sorted(broken, key=lambda breach: (breach.problem, breach.environment))))
    for text in messages:
        echo(text, err=True)
    summary(f"{counted(len(messages), 'published field or name', 'published fields or names')} would change. {ADVICE}")
    return 1


def changed(changes: Sequence[Change]) -> str:
    """Count what changes; the list of the tree's files only where nothing else does."""
    files = [change for change in changes if change.path != OWNED]
    new = sum(change.old is None for change in files)
    gone = sum(change.new is None for change in files)
    parts = [f"{new} new", f"{len(files) - new - gone} changed", f"{gone} removed"]
    counts = ", ".join(part for part in parts if not part.startswith("0 "))
    return counts or (f"only {OWNED} changed" if changes else "nothing changed")
