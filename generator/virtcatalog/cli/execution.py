"""The options that say who shares the work on many VMs, and where answers are cached."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from virtcatalog.cli.defaults import is_given
from virtcatalog.cli.options import completes

if TYPE_CHECKING:
    from virtcatalog.fleet.cache import Cache
    from virtcatalog.fleet.pool import Executor


def _jobs(_context: click.Context, _option: click.Parameter, value: str) -> int:
    from virtcatalog.fleet.pool import processors

    if value == "auto":
        return processors()
    if not value.isdecimal() or not int(value):
        raise click.BadParameter(f"{value!r} is neither a number from 1 on nor auto.")
    return int(value)


_JOBS = click.option(
    "-j",
    "--jobs",
    metavar="N|auto",
    default="1",
    callback=_jobs,
    help="Processes that share many VMs; auto: one for each CPU. [default: 1]",
)


def _workers(_context: click.Context, _option: click.Parameter, value: str) -> str | None:
    """Return the address of a scheduler, or None for processes of this machine."""
    if value == "local":
        return None
    match = re.fullmatch(r"dask://([^\s/]+:[0-9]+)/?", value)
    if not match:
        raise click.BadParameter(f"{value!r} is neither local nor dask://HOST:PORT.")
    return match[1]


_EXECUTOR = click.option(
    "--executor",
    metavar="local|dask://HOST:PORT",
    default="local",
    callback=_workers,
    help="Who shares many VMs: processes of this machine, or the workers of a Dask scheduler. [default: local]",
)


def executor(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `-j` and `--executor`, as `executor`: who shares the work on many VMs."""

    @wraps(command)
    def run(*args: Any, jobs: int, executor: str | None, **parameters: Any) -> Any:
        from virtcatalog.fleet.pool import Processes

        if executor is not None and is_given("jobs"):
            raise click.UsageError("--jobs is about processes of this machine: a scheduler has its own workers")
        return command(*args, executor=_of(executor) or Processes(jobs), **parameters)

    return _JOBS(_EXECUTOR(run))


def workers(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--executor`, as `executor`: None where it shares the work among processes as it sees fit."""

    @wraps(command)
    def run(*args: Any, executor: str | None, **parameters: Any) -> Any:
        return command(*args, executor=_of(executor), **parameters)

    return _EXECUTOR(run)


def _of(scheduler: str | None) -> Executor | None:
    if scheduler is None:
        return None
    from virtcatalog.fleet.workers import Workers

    return Workers(scheduler)


def cached(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--cache-dir` and `--no-cache`, as `cache`: where it keeps what it finds, None for nowhere."""

    @wraps(command)
    def run(*args: Any, cache_dir: str | None, no_cache: bool, **parameters: Any) -> Any:
        return command(*args, cache=None if no_cache else _cache(cache_dir), **parameters)

    return _CACHE_DIR(_NO_CACHE(run))


_CACHE_DIR = click.option(
    "--cache-dir",
    metavar="DIR",
    envvar="VIRTCATALOG_CACHE",
    shell_complete=completes("folders"),
    help="Where to keep what is found of VMs, for the next run; also $VIRTCATALOG_CACHE. [default: the user's cache]",
)
_NO_CACHE = click.option(
    "--no-cache", is_flag=True, envvar="VIRTCATALOG_NO_CACHE", help="Keep nothing, and look at nothing that is kept."
)


def _cache(folder: str | None) -> Cache | None:
    """The cache; without one of its own to use, the user's, where there is one."""
    from virtcatalog.cachefolder import CacheError, default_folder
    from virtcatalog.cli.console import summary
    from virtcatalog.fleet.cache import Cache

    usual = default_folder() if folder is None else None
    if folder is None and usual is None:
        return None
    try:
        return Cache(folder or usual or "")
    except CacheError as error:
        if folder is not None:
            raise
        summary(str(error))
        return None
