"""Who shares the work on many VMs, and where answers are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from virtcatalog.cli import execution
from virtcatalog.fleet import pool
from virtcatalog.fleet.cache import Cache


def parsed(option: Any, *arguments: str, **environment: str) -> Any:
    """What a command is given, or what is said of wrong usage."""
    seen: list[Any] = []
    command = click.command()(option(lambda **parameters: seen.append(parameters)))
    result = CliRunner().invoke(command, arguments, env=environment)
    if result.exit_code == 2:
        return result.stderr.partition("Error: ")[2]
    assert result.exit_code == 0, result.exception
    return seen[0]


NO_NUMBER = "Invalid value for '-j' / '--jobs': {!r} is neither a number from 1 on nor auto.\n"
NO_EXECUTOR = "Invalid value for '--executor': {!r} is neither local nor dask://HOST:PORT.\n"
BOTH = "--jobs is about processes of this machine: a scheduler has its own workers\n"


@pytest.mark.parametrize(
    ("arguments", "executor"),
    [
        ((), "processes 1"),
        (("-j", "3"), "processes 3"),
        (("--jobs", "auto"), "processes 5"),
        (("-j", "0"), NO_NUMBER.format("0")),
        (("-j", "-1"), NO_NUMBER.format("-1")),
        (("-j", "two"), NO_NUMBER.format("two")),
        (("--executor", "local", "-j", "2"), "processes 2"),
        (("--executor", "dask://host:8786"), "workers host:8786"),
        (("--executor", "dask://host:8786/"), "workers host:8786"),
        (("--executor", "dask://host:8786", "-j", "1"), BOTH),
        (("--executor", "dask://host:8786//"), NO_EXECUTOR.format("dask://host:8786//")),
        (("--executor", "dask://ho st:1"), NO_EXECUTOR.format("dask://ho st:1")),
    ],
)
def test_who_shares_the_work(monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], executor: str) -> None:
    monkeypatch.setattr(pool, "processors", lambda: 5)
    shares = parsed(execution.executor, *arguments)
    if isinstance(shares, dict):
        (chosen,) = shares.values()
        shares = f"{type(chosen).__name__.lower()} {chosen[0]}"
    assert shares == executor


@pytest.mark.parametrize(
    ("arguments", "address"), [((), None), (("--executor", "local"), None), (("--executor", "dask://h:1"), "h:1")]
)
def test_workers_alone(arguments: tuple[str, ...], address: str | None) -> None:
    (chosen,) = parsed(execution.workers, *arguments).values()
    assert (chosen and chosen.address) == address


def test_where_answers_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VIRTCATALOG_NO_CACHE", "VIRTCATALOG_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "usual"))

    def folder(*arguments: str, **environment: str) -> str | None:
        cache = parsed(execution.cached, *arguments, **environment)["cache"]
        assert cache is None or isinstance(cache, Cache)
        return cache and str(Path(cache._folder).relative_to(tmp_path))

    assert folder() == "usual/virtcatalog"
    assert folder("--cache-dir", str(tmp_path / "named")) == "named"
    assert folder(VIRTCATALOG_CACHE=str(tmp_path / "of environment")) == "of environment"
    assert folder("--no-cache", "--cache-dir", str(tmp_path / "named")) is None
    assert folder(VIRTCATALOG_NO_CACHE="1") is None
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", "relative")
    assert folder() is None
    assert folder("--cache-dir", str(tmp_path / "named")) == "named"
