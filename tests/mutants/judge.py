"""A plugin that runs, for each mutant, the tests that run its line, in a fork that has the mutant in place.

What a function does is changed by giving it other code. What a module does when it is imported is not done again by
that: such a mutant is tried by a process of its own, in which this plugin has that module imported as the mutant.
"""

from __future__ import annotations

import functools
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import os
import pkgutil
import resource
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING

import pytest

from mutants import FOLDER, ROOT
from mutants.mutate import Mutant

if TYPE_CHECKING:
    from mutants.run import Draw

#: Where a process finds the mutant that is its own: the module's file, and the file that has the mutant's text.
_MODULE, _TEXT = "MUTANT_MODULE", "MUTANT_TEXT"
_CPU_SECONDS = 120


class _Imported(importlib.machinery.SourceFileLoader):
    """Load one module with another text."""

    def get_code(self, fullname: str) -> CodeType:
        return compile(Path(os.environ[_TEXT]).read_text(encoding="utf-8"), self.path, "exec", dont_inherit=True)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname: str, path: object, target: ModuleType | None = None) -> object:
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is not None and spec.origin == os.environ[_MODULE]:
            return importlib.util.spec_from_file_location(
                fullname, spec.origin, loader=_Imported(fullname, spec.origin)
            )
        return None


if _MODULE in os.environ:
    sys.meta_path.insert(0, _Finder())


class Judge:
    """Runs the tests of one mutant after another."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed |= report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        import virtcatalog

        for module in pkgutil.walk_packages(virtcatalog.__path__, "virtcatalog."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
        items = defaultdict(list)
        for item in session.items:
            items[item.path.relative_to(ROOT).as_posix()].append(item)
        functions = defaultdict(list)
        caches = []
        for value in gc.get_objects():
            if isinstance(value, FunctionType):
                code = value.__code__
                functions[code.co_filename, code.co_qualname, code.co_firstlineno].append(value)
            elif isinstance(value, functools._lru_cache_wrapper) and value.__module__.startswith("virtcatalog"):
                caches.append(value)
        session.config._tmp_path_factory.getbasetemp()
        gc.freeze()
        for mutant in self._draw.mutants:
            files = self._draw.files(mutant)
            changed = functions[str(mutant.file), mutant.qualified, mutant.first_line] if mutant.qualified else []
            if not files:
                fate = "lives: no test runs it"
            elif changed and not self._draw.imported(mutant):
                fate = self._forked(mutant, changed, caches, [item for file in files for item in items[file]])
            else:
                fate = _started(mutant, files)
            self._draw.report(mutant, fate)
        return True

    def _forked(
        self, mutant: Mutant, functions: list[FunctionType], caches: list[object], items: list[pytest.Item]
    ) -> str:
        child = os.fork()
        if child:
            _, status = os.waitpid(child, 0)
            return "lives" if status == 0 else "dies"
        status = 70
        try:
            _limit()
            nothing = os.open(os.devnull, os.O_RDWR)
            for file in (0, 1, 2):
                os.dup2(nothing, file)
            code = next(_codes(mutant.compiled(), mutant))
            for function in functions:
                function.__code__ = code
            for cache in caches:
                cache.cache_clear()
            status = self._run(items)
        finally:
            os._exit(status)

    def _run(self, items: list[pytest.Item]) -> int:
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._failed:
                return 1
        return 0


def _codes(code: CodeType, mutant: Mutant) -> Iterator[CodeType]:
    """The code of the mutant's function within that of its module."""
    for value in code.co_consts:
        if isinstance(value, CodeType):
            if (value.co_qualname, value.co_firstlineno) == (mutant.qualified, mutant.first_line):
                yield value
            yield from _codes(value, mutant)


def _limit() -> None:
    """A mutant may go on for ever, or take all memory there is."""
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def _started(mutant: Mutant, files: list[str]) -> str:
    text = FOLDER / f"mutant-{os.getpid()}.py"
    text.write_text(mutant.text, encoding="utf-8")
    environment = {**os.environ, _MODULE: str(mutant.file), _TEXT: str(text), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "mutants.judge", "-p", "no:cacheprovider", "-x", *files]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False, preexec_fn=_limit)
    text.unlink()
    return "lives" if done.returncode == 0 else "dies"
