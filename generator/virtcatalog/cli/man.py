"""`virtcatalog man`: the manual pages."""

from __future__ import annotations

from pathlib import Path

import click

from virtcatalog.cli import options
from virtcatalog.cli.console import data, failing, note, summary


@click.command(
    "man",
    epilog="""\b
Examples:
  virtcatalog man --output-dir ~/.local/share/man/man1
  virtcatalog man expand | man -l -
""",
)
@click.argument("name", metavar="[COMMAND]", nargs=-1, shell_complete=options.completes("commands"))
@options.output_dir("Where to write the pages of all commands.")
@failing
def command(name: tuple[str, ...], output: Path | None) -> int:
    """Print the man page of a command, or write those of all commands.

    What they say is what --help says.
    """
    from virtcatalog.cli import main
    from virtcatalog.cli.manual import file_name, pages, roff
    from virtcatalog.errors import VirtcatalogError, nearest
    from virtcatalog.writing import write_files

    manual = {page.name: page for page in pages(main)}
    if output is None:
        wanted = " ".join(("virtcatalog", *name))
        if wanted not in manual:
            raise VirtcatalogError(f"there is no command {wanted!r}{nearest(wanted, manual)}")
        data(roff(manual[wanted]))
        return 0
    if name:
        raise click.UsageError("--output-dir writes the pages of all commands: name none.")
    write_files(output, {file_name(page): roff(page) for page in manual.values()}, note, replaces=True)
    summary(f"{output}: {len(manual)} pages")
    return 0
