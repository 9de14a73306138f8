"""Command lines of tests of artifacts, and commits."""

from __future__ import annotations

import subprocess
from pathlib import Path

from click.testing import CliRunner, Result
from registries import Running

from virtcatalog.cli import main


def run(*arguments: object) -> Result:
    """Run a command."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)


def push(registry: Running, name: str, *arguments: object, host: str = "") -> Result:
    """Push ./catalog to a registry."""
    return run("push", f"oci://{host or registry.host}/{name}", "--ca-file", registry.authority, *arguments)


def pull(registry: Running, name: str, *arguments: object) -> Result:
    """Pull from a registry."""
    return run("pull", f"oci://{registry.host}/{name}", "--ca-file", registry.authority, *arguments)


def digest(result: Result) -> str:
    """Return the digest that a command prints."""
    assert result.exit_code == 0, result.output
    return result.stdout.strip().rpartition("@")[2]


def git(folder: Path, *arguments: str) -> None:
    """Run git with a time and a name that are always the same."""
    time = "2026-01-02T03:04:05Z"
    who = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", "House"), ("EMAIL", "house@example.com"), ("DATE", time))
    }
    subprocess.run(["git", *arguments], cwd=folder, check=True, env={"PATH": "/usr/bin:/bin", "HOME": "/", **who})


def commit(folder: Path) -> None:
    """Commit all that is there."""
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "Catalog")
