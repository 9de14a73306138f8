"""A plugin that keeps which test files run which lines: {file: {line: [test files]}}, "" for what an import runs.

Only `-p mutants.cover` imports it: it begins at once.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

from mutants import FOLDER, ROOT

_coverage = coverage.Coverage(data_file=None, source_pkgs=["virtcatalog"], config_file=False)
_coverage.start()
_seconds: Counter[str] = Counter()
_current = [""]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    name = item.path.relative_to(ROOT).as_posix()
    if _current != [name]:
        _current[:] = [name]
        _coverage.switch_context(name)
    begun = time.process_time()
    result = yield
    _seconds[name] += time.process_time() - begun
    return result


def pytest_sessionfinish() -> None:
    _coverage.stop()
    if not _seconds:  # it only gave the tests to others
        return
    data = _coverage.get_data()
    lines = {
        Path(file).relative_to(ROOT).as_posix(): {
            line: sorted(names) for line, names in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    FOLDER.mkdir(parents=True, exist_ok=True)
    part = FOLDER / f"cover-{os.environ.get('PYTEST_XDIST_WORKER', 'all')}.json"
    part.write_text(json.dumps({"lines": lines, "seconds": _seconds}), encoding="utf-8")
