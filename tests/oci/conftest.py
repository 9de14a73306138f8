"""A registry for the tests of artifacts, and a catalog in a repository."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import commit, git
from registries import Running, registry

from certificates import authority, signed

CATALOG = {
    "catalog.yaml": "name: house\nvendor: house.example.com\nkubevirt: v1.7.0\n",
    "instancetypes/m.yaml": "class: m\nversion: ''\nsizes:\n  small: {vcpus: 1, memory: 2Gi}\n",
    "overlays.yaml": "lab: {}\n",
}


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A registry behind TLS that wants a password."""
    folder = tmp_path_factory.mktemp("registry")
    ours = authority(folder, "authority")
    with registry(folder, ours, signed(ours, folder, "server", "-addext", "subjectAltName=IP:127.0.0.1")) as one:
        yield one


def built(name: str, source: str) -> Path:
    """Return a program that asks a consumer's own code: on a laptop only if it has been built before."""
    program = Path(__file__).parents[2] / "build/oci" / name
    if not program.exists():
        if os.environ.get("CI"):
            raise FileNotFoundError(f"{program}: .ci/run builds it")
        pytest.skip(f"{program} is not built: (cd {source} && go build -o ../../../build/oci/{name} .)")
    return program


@pytest.fixture(scope="session")
def consumers() -> Path:
    """What asks Flux' and cosign's code."""
    return built("consumers", "tests/oci/consumers")


@pytest.fixture(scope="session")
def argocd() -> Path:
    """What asks Argo CD's code."""
    return built("argocd", "tests/gitops/ocipull")


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No proxies, nobody's credentials, and a cache of the test's own."""
    for name in ("http_proxy", "https_proxy", "no_proxy", "REGISTRY_AUTH_FILE", "SOURCE_DATE_EPOCH"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "no-docker"))
    monkeypatch.setenv("VIRTCATALOG_CACHE", str(tmp_path / "cache"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


@pytest.fixture
def logged_in(running: Running, monkeypatch: pytest.MonkeyPatch) -> Running:
    """The registry, after `docker login`."""
    monkeypatch.setenv("DOCKER_CONFIG", str(running.docker))
    return running


@pytest.fixture
def house(surroundings: Path) -> Path:
    """A catalog that is committed; the current folder is the repository."""
    for path, text in CATALOG.items():
        place = surroundings / "catalog" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    git(surroundings, "init", "--quiet", "--initial-branch=main")
    git(surroundings, "remote", "add", "origin", "https://user:token@git.example.com/house.git")
    commit(surroundings)
    return surroundings / "catalog"
