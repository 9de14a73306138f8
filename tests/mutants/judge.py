"""A plugin that runs, for each mutant, the tests that run its line, in a fork that has the mutant in place.

What a function does is changed by giving it other code. What a module does when it is imported is not done again by
that, nor are the functions that a decorator has returned by then other ones: such a mutant is tried by a process of its
own, in which this plugin has that module imported as the mutant.

A mutant dies by a test that fails with it, and fails with it again, and passes without it: a machine that is busy, or
lacks something, kills none. Its time is limited by what its tests take without it.
"""

from __future__ import annotations

import functools
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import mmap
import os
import resource
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING

import pytest

from mutants import FOLDER, ROOT, import_all
from mutants.mutate import Mutant

if TYPE_CHECKING:
    from mutants.run import Draw

#: Where a process finds the mutant that is its own: the module's file, and the file that has the mutant's text; and
#: where it writes which test fails.
_MODULE, _TEXT, _FAILED = "MUTANT_MODULE", "MUTANT_TEXT", "MUTANT_FAILED"


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


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed and _FAILED in os.environ:
        Path(os.environ[_FAILED]).write_text(report.nodeid, encoding="utf-8")


class Judge:
    """Runs the tests of one mutant after another."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed |= report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        gc.unfreeze()  # conftest.py has set aside what was imported by then, and nobody would find its functions
        import_all()
        items = {item.nodeid: item for item in session.items}
        functions = defaultdict(list)
        returning = set()  # functions whose inner functions somebody has already
        caches = []
        for value in gc.get_objects():
            if isinstance(value, FunctionType):
                code = value.__code__
                functions[code.co_filename, code.co_qualname, code.co_firstlineno].append(value)
                if outer := _outer(code):
                    returning.add((code.co_filename, outer))
            elif isinstance(value, functools._lru_cache_wrapper) and value.__module__.startswith("virtcatalog"):
                caches.append(value)
        session.config._tmp_path_factory.getbasetemp()
        gc.freeze()
        for mutant in self._draw.mutants:
            tests = [test for test in self._draw.tests(mutant) if test in items]
            changed = functions[str(mutant.file), mutant.qualified, mutant.first_line] if mutant.qualified else []
            if not tests:
                fate = "lives: no test runs it"
            elif changed and not self._draw.imported(mutant) and (str(mutant.file), mutant.qualified) not in returning:
                fate = self._forked(mutant, changed, caches, [items[test] for test in tests])
            else:
                fate = _started(mutant, tests, sum(map(self._draw.seconds, tests)))
            self._draw.report(mutant, fate)
        return True

    def _forked(
        self, mutant: Mutant, functions: list[FunctionType], caches: list[object], items: list[pytest.Item]
    ) -> str:
        def change() -> None:
            code = next(_codes(mutant.compiled(), mutant))
            for function in functions:
                function.__code__ = code
            for cache in caches:
                cache.cache_clear()

        while items:
            failed = self._fails(items, change)
            if failed is None:
                return "lives"
            item, late = failed
            if not self._fails([item], lambda: None) and (late or self._fails([item], change)):
                return f"dies by {item.nodeid}{', which does not end' if late else ''}"
            items = items[items.index(item) + 1 :]
        return "lives"

    def _fails(self, items: list[pytest.Item], change: Callable[[], None]) -> tuple[pytest.Item, bool] | None:
        """Return which of the tests is the first to fail after a change, and whether it took too long."""
        at = mmap.mmap(-1, 8)
        child = os.fork()
        if child:
            _, status = os.waitpid(child, 0)
            if status == 0:
                return None
            late = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL, signal.SIGALRM)
            return items[int.from_bytes(at[:8], "big")], late
        status = 70
        try:
            nothing = os.open(os.devnull, os.O_RDWR)
            for file in (0, 1, 2):
                os.dup2(nothing, file)
            change()
            status = self._run(items, at)
        finally:
            os._exit(status)

    def _run(self, items: list[pytest.Item], at: mmap.mmap) -> int:
        for index, (item, following) in enumerate(zip(items, [*items[1:], None], strict=True)):
            at[:8] = index.to_bytes(8, "big")
            _limit(self._draw.seconds(item.nodeid))
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._failed:
                return 1
        return 0


def _outer(code: CodeType) -> str:
    """The outermost function that a function is defined in; "" for none."""
    outer, inner, _ = code.co_qualname.partition(".<locals>.")
    return outer if inner else ""


def _codes(code: CodeType, mutant: Mutant) -> Iterator[CodeType]:
    """The code of the mutant's function within that of its module."""
    for value in code.co_consts:
        if isinstance(value, CodeType):
            if (value.co_qualname, value.co_firstlineno) == (mutant.qualified, mutant.first_line):
                yield value
            yield from _codes(value, mutant)


def _limit(seconds: float) -> None:
    """Let this process take some more of memory and time than what takes so many seconds: a mutant may never end."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + 5 * seconds) + 60
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, resource.RLIM_INFINITY))
    signal.alarm(int(30 * seconds) + 600)  # it may also wait for ever


def _started(mutant: Mutant, tests: list[str], seconds: float) -> str:
    text, failed = FOLDER / f"mutant-{os.getpid()}.py", FOLDER / f"failed-{os.getpid()}"
    text.write_text(mutant.text, encoding="utf-8")
    changed = {_MODULE: str(mutant.file), _TEXT: str(text), _FAILED: str(failed)}

    def run(environment: dict[str, str], *arguments: str) -> int:
        failed.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-p", "mutants.judge", "-p", "no:cacheprovider", "-x", *arguments]
        return subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **environment, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            check=False,
            preexec_fn=lambda: _limit(seconds),
        ).returncode

    unsure: list[str] = []
    while True:
        status = run(changed, *tests, *(f"--deselect={name}" for name in unsure))
        if status == pytest.ExitCode.OK:
            return "lives"
        if status != pytest.ExitCode.TESTS_FAILED or not failed.exists():
            return "dies on import" if status >= 0 else "dies by a signal, such as that of time that is up"
        name = failed.read_text(encoding="utf-8")
        if run({}, name) == pytest.ExitCode.OK and run(changed, name) != pytest.ExitCode.OK:
            return f"dies by {name}"
        unsure.append(name)
