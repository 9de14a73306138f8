"""What all tests go by."""

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

import commands
from sampling import ALL, examples

if TYPE_CHECKING:
    from cluster.running import RunningCluster

# How fast a machine is, and what else it does, is no property of the code: benchmarks/ has those.
settings.register_profile(
    "virtcatalog", deadline=None, max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("virtcatalog")

# A test finds out itself what it asserts; those of the cache say where theirs is.
os.environ["VIRTCATALOG_NO_CACHE"] = "1"
# `git init` copies samples of hooks into each new repository.
os.environ["GIT_TEMPLATE_DIR"] = ""


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem() -> Generator[None, Any, Any]:
    """Take the first case of each test for a sample."""
    made = yield
    return made if ALL or not isinstance(made, list) else made[:1]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not ALL:
        terminalreporter.write_line("This was a sample: `make test TESTS=all` runs all tests.")


def pytest_collection_finish() -> None:
    """What is imported by now stays: it is not searched for circles again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def programs() -> Iterator[Path]:
    """A folder for PATH whose `virtcatalog` needs no start: see commands.py."""
    with commands.serving() as folder:
        yield folder


@pytest.fixture(scope="session")
def schema():
    """libvirt's newest schema that is installed; a laptop may have none."""
    from virtcatalog.kubevirt.launcher.lint import SchemaMissingError, newest_schema

    try:
        return newest_schema()
    except SchemaMissingError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def api_server() -> None:
    """What tests ask for that start an API server: on a laptop only if `make cluster` has built it before."""
    from cluster.programs import PROGRAM, missing

    lack = missing() or ("" if PROGRAM.exists() else "there is no API server yet: `make cluster` builds it")
    if lack and not os.environ.get("CI"):
        pytest.skip(lack)


@pytest.fixture(scope="session")
def cluster(api_server) -> Iterator["RunningCluster"]:
    """An API server with KubeVirt's kinds and webhooks."""
    from cluster.running import running_cluster

    with running_cluster() as running:
        yield running
