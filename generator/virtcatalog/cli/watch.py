"""`--watch`: a command that runs again whenever what it read has changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from virtcatalog.cli.console import refuse, summary
from virtcatalog.cli.inputs import file_paths
from virtcatalog.errors import VirtcatalogError, counted

if TYPE_CHECKING:
    from virtcatalog.manifests.folder import Folder
    from virtcatalog.manifests.watch import Changed

#: Seconds between two looks, at least; and how many times as long as a look takes.
EVERY, REST = 0.25, 9
#: How many changed files are named.
_SHOWN = 5


def watched(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command that is about a catalog alone `--watch`: it is called again whenever what it read has changed.

    It gets the catalog's `folder`, None where nothing is watched and it may read the catalog itself.
    """

    @wraps(command)
    def run(*, catalog: str, watch: bool, **parameters: Any) -> int:
        if not watch:
            return command(catalog=catalog, folder=None, **parameters)
        if parameters["check"]:
            raise click.UsageError("--check looks once and --watch goes on: give one of them")
        from virtcatalog.kubevirt.hosts import HOSTS

        files = file_paths(parameters.get("sources", ()), "--watch reads files again")
        host = parameters.get("host")
        files += filter(None, [parameters.get("prices"), None if host in HOSTS else host])
        return watching(
            catalog, files, parameters["output"], lambda folder: command(catalog=catalog, folder=folder, **parameters)
        )

    return click.option("--watch", is_flag=True, help="Go on, and do it again whenever the catalog changes.")(run)


def watching(catalog: str, files: Iterable[str], output: Path, run: Callable[[Folder], int]) -> int:
    """Call `run` with the catalog's folder, and again after each change of what it read, until it is interrupted.

    That is the catalog, and `files`, which may be folders; what lies in `output` is what it writes.
    What is wrong with the catalog is told, and may be mended; that there is none at the start is wrong usage.
    """
    from virtcatalog.catalog.load import open_catalog
    from virtcatalog.manifests.watch import Watch

    watch = Watch(leaving_out=output)
    open_catalog(catalog)
    summary(f"watching {catalog}; Ctrl-C ends")
    while True:
        watch.begin(catalog, files)
        try:
            run(watch.over(open_catalog(catalog), catalog))
        except VirtcatalogError as error:
            refuse(error)
            watch.broken()
        _report(watch.wait(_pause))


def _report(changed: Sequence[Changed]) -> None:
    for path, was, is_there in changed[:_SHOWN]:
        summary(f"{os.path.relpath(path)} {'changed' if was and is_there else 'is new' if is_there else 'is gone'}")
    more = len(changed) - _SHOWN
    if more > 0:
        summary(f"and {counted(more, 'further file')}")


def _pause(took: float) -> None:
    time.sleep(max(EVERY, REST * took))
