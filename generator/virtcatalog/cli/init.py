"""`virtcatalog init`: a new catalog's repository."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from virtcatalog._version import __version__
from virtcatalog.cli.console import echo, failing, note, summary
from virtcatalog.errors import counted

if TYPE_CHECKING:
    from virtcatalog.scaffold.content import Tool


@click.command(
    "init",
    epilog="""\b
Examples:
  virtcatalog init house-catalog
  virtcatalog init house --package git+https://git.example.com/virtcatalog@v1.0.0
  virtcatalog init . --name house --gitops argocd --repo-url https://git.example.com/platform/house.git
""",
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--name", help="The catalog's name (default: the folder's).")
@click.option(
    "--gitops", "tool", type=click.Choice(["argocd", "flux", "none"]), default="none", help="What is to sync it."
)
@click.option("--repo-url", default="", help="Where --gitops finds the repository, or oci:// and the artifact.")
@click.option(
    "--package",
    metavar="SPEC",
    default="",
    help="What the repository installs virtcatalog from: a wheel, a git URL, or `virtcatalog==1.2` of an index. "
    "[default: what this one was installed from]",
)
@failing
def command(folder: Path, name: str | None, tool: Tool, repo_url: str, package: str) -> int:
    """Write a new catalog's repository into DIR: a catalog that works, its tests, and what builds and delivers it.

    All files are written, or none; a file that is there already is never replaced.
    """
    from virtcatalog.api.names import name_fault
    from virtcatalog.scaffold.content import contents, installs_a_file, write

    name = name or Path(os.path.realpath(folder)).name
    fault = name_fault(name)
    if fault:
        raise click.UsageError(f"{fault}; choose another --name.")
    if repo_url and tool == "none":
        raise click.UsageError("--repo-url is for --gitops argocd or flux.")
    files = contents(name, tool, repo_url, package)
    written = write(folder, files, note)
    for path in written:
        echo(str(folder / path))
    if "requirements.txt" in written:
        where = folder / "requirements.txt"
        index = f"virtcatalog[pytest]=={__version__}"
        if installs_a_file(files):
            note(
                f"{where}: virtcatalog comes from a file of this machine there, which CI does not have. "
                f"Put a URL there, or {index} of an index; or use --package."
            )
        elif not package and index in files["requirements.txt"]:
            note(f"{where}: {index} is to be found in an index. Where none has it, put a URL there, or use --package.")
    count = counted(len(written), "file")
    summary(f"{folder}: {count}; next: make build test" if written else f"{folder}: nothing to add")
    return 0
