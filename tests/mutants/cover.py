"""A plugin that keeps for every test file which lines it runs, and for how long, and which lines an import runs.

A file's part is there as soon as its tests have ended: a run may be of some files, and may be broken off. Only `-p
mutants.cover` imports it: it begins at once.
"""

from __future__ import annotations

import json
import time
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

from mutants import COVER, ROOT

_coverage = coverage.Coverage(data_file=None, source_pkgs=["virtcatalog"], config_file=False)
_coverage.start()
_seconds = 0.0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    global _seconds
    begun = time.process_time()
    result = yield
    _seconds += time.process_time() - begun
    if nextitem is None or nextitem.path != item.path:
        _keep(item.path.relative_to(ROOT).as_posix())
    return result


def pytest_collection_finish() -> None:
    _keep("")


def _keep(name: str) -> None:
    """Write what has run since the last time."""
    global _seconds
    _coverage.stop()
    data = _coverage.get_data()
    lines = {Path(file).relative_to(ROOT).as_posix(): data.lines(file) for file in data.measured_files()}
    part = COVER / f"{name or 'imports'}.json"
    part.parent.mkdir(parents=True, exist_ok=True)
    part.write_text(json.dumps({"test": name, "seconds": _seconds, "lines": lines}), encoding="utf-8")
    _seconds = 0.0
    _coverage.erase()
    _coverage.start()
