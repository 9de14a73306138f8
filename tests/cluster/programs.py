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
    releases = (modules.name.removeprefix("kubevirt-") for modules in HERE.glob("kubevirt-*"))
    everything = _is_built() and all(_definitions_of(release).exists() for release in releases)
    return "" if everything else _lack_of_go()


def program() -> Path:
    """Build the program, unless it is there and up to date, and return where it is."""
    with _alone():
        if not _is_built():
            _run(["go", "build", "-trimpath", "-o", str(PROGRAM), "."], HERE)
            _built_of().write_text(_state(_sources()), encoding="utf-8")
    return PROGRAM


def _is_built() -> bool:
    """Whether the program is there, made of the sources as they are."""
    note = _built_of()
    return PROGRAM.exists() and note.exists() and note.read_text(encoding="utf-8") == _state(_sources())


def _built_of() -> Path:
    """The file that says of which sources the program is."""
    return PROGRAM.with_suffix(".sources")


def _sources() -> list[Path]:
    return sorted([*HERE.glob("*.go"), HERE / "go.mod", HERE / "go.sum"])


def _state(sources: Sequence[Path]) -> str:
    return sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]


def _lack_of_go() -> str:
    return "" if shutil.which("go") else "the API server is made of Go modules: install Go 1.26 or later"


def definitions(release: str) -> list[dict[str, Any]]:
    """Return the CustomResourceDefinitions of KubeVirt and CDI that a release installs."""
    path = _definitions_of(release)
    if not path.exists():
        text = _run([str(program()), "crds", str(_modules(release))], HERE)
        with _alone():
            partial = path.with_suffix(".partial")
            partial.write_text(text, encoding="utf-8")
            partial.rename(path)
    kinds: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return kinds


def _definitions_of(release: str) -> Path:
    sources = sorted([*_modules(release).iterdir(), HERE / "crds.go", HERE / "go.sum"])
    return BUILD / f"definitions-{release}-{_state(sources)}.json"


def _modules(release: str) -> Path:
    return HERE / f"kubevirt-{release}"


@contextmanager
def _alone() -> Iterator[None]:
    """Wait until no other process makes something here."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(command: Sequence[str], folder: Path) -> str:
    if lack := _lack_of_go():
        raise ClusterError(lack)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ClusterError(f"{' '.join(command)} fails:\n{done.stderr[-4000:]}")
    return done.stdout
