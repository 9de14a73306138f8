"""A plugin that keeps for every test which lines it runs, and for how long.

A line's contexts are those of coverage.py: "" for what an import runs, a test file for what its fixtures run, a test
for what that runs itself. Only `-p mutants.cover` imports this module: it begins at once.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

from mutants import COVER, ROOT, import_all

_coverage = coverage.Coverage(
    data_file=COVER / "lines", data_suffix=True, source_pkgs=["virtcatalog"], config_file=False
)
_coverage.set_option("run:relative_files", True)  # what one checkout learns holds in another
_coverage.start()
_seconds: dict[str, float] = {}


def pytest_collection_finish() -> None:
    import_all()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    begun = time.process_time()
    result = yield
    _seconds[item.nodeid] = time.process_time() - begun
    return result


def pytest_runtest_setup(item: pytest.Item) -> None:
    _coverage.switch_context(item.path.relative_to(ROOT).as_posix())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    _coverage.switch_context(item.nodeid)
    result = yield
    _coverage.switch_context(item.path.relative_to(ROOT).as_posix())
    return result


def pytest_sessionfinish() -> None:
    _coverage.stop()
    _coverage.save()
    file = Path(COVER / f"seconds.{os.getpid()}.json")
    file.write_text(json.dumps(_seconds), encoding="utf-8")
