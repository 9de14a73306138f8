"""The program that is the API server, and the CustomResourceDefinitions: made once, and kept in build/cluster/."""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build" / "cluster"
PROGRAM = BUILD / "cluster"
#: Seconds after which what a running API server has not done will not be done.
PATIENCE = 60.0


class ClusterError(Exception):
    """Why there is no cluster."""


def missing() -> str:
    """Say what a cluster needs and this machine lacks, "" when nothing does."""
    return "" if shutil.which("go") else "the API server is made of Go modules: install Go 1.26 or later"


def program() -> Path:
    """Build the program, unless it is there and up to date, and return where it is."""
    with _alone():
        _run(["go", "build", "-trimpath", "-o", str(PROGRAM), "."], HERE)
    return PROGRAM


def definitions(release: str) -> list[dict[str, Any]]:
    """Return the CustomResourceDefinitions of KubeVirt and CDI that a release installs."""
    modules = HERE / f"kubevirt-{release}"
    sources = sorted([*modules.iterdir(), HERE / "crds.go", HERE / "go.sum"])
    state = sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]
    path = BUILD / f"definitions-{release}-{state}.json"
    if not path.exists():
        made = _run([str(program()), "crds", str(modules)], HERE)
        with _alone():
            partial = path.with_suffix(".partial")
            partial.write_text(made, encoding="utf-8")
            partial.rename(path)
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


@contextmanager
def _alone() -> Iterator[None]:
    """Wait until no other process makes something here."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(command: Sequence[str], folder: Path) -> str:
    if lack := missing():
        raise ClusterError(lack)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ClusterError(f"{' '.join(command)} fails:\n{done.stderr[-4000:]}")
    return done.stdout
