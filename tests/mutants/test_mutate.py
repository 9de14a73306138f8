"""What can be changed in a module, and how the change is put into place."""

from __future__ import annotations

import functools
import runpy
import subprocess
import sys
from types import SimpleNamespace

import pytest

from mutants import ROOT
from mutants.judge import Judge, _codes, _outer
from mutants.mutate import mutants

MODULE = '''"""What it is for."""

from typing import Final, TypeVar, cast

T = TypeVar("T")
LIMIT: Final = 3
"""What a limit is for."""
SIGN: Final = cast("str", "Shut\\n" "Back in a quarter of an hour")


class Shelf:
    """Holds things."""

    @property
    def full(self):
        """Whether nothing more goes in."""
        if not self.open and self.count >= LIMIT:
            return True
        self.looked += 1
        assert self.things
        return "some" in self.things

    def pairs(self, file):
        """What stands where."""
        text = file.read(encoding="utf-8")
        return dict(zip(text, self.things, strict=True))
'''


@pytest.fixture
def module(tmp_path):
    file = tmp_path / "shelf.py"
    file.write_text(MODULE)
    return file


def test_each_kind_of_change_is_made_in_its_place(module):
    assert [(mutant.line, mutant.diff().splitlines()[1][1:].strip()) for mutant in mutants(module)] == [
        (6, "LIMIT: Final = 4"),
        (6, "LIMIT: Final = (2)"),
        (8, """SIGN: Final = cast("str", 'Shut\\nBack in a quarter of an hour!')"""),
        (17, "if (not self.open or self.count >= LIMIT):"),
        (17, "if (self.open) and self.count >= LIMIT:"),
        (17, "if not self.open and (self.count > LIMIT):"),
        (18, "return None"),
        (18, "return False"),
        (19, "pass"),
        (19, "self.looked += 2"),
        (19, "self.looked += (0)"),
        (21, "return None"),
        (21, "return ('some' not in self.things)"),
        (21, "return 'some!' in self.things"),
        (25, "pass"),
        (26, "return None"),
    ]


def test_a_change_in_a_method_has_the_code_of_that_method(module):
    (mutant,) = [mutant for mutant in mutants(module) if "not in" in mutant.new]
    assert (mutant.qualified, mutant.first_line) == ("Shelf.full", 14)
    (code,) = _codes(mutant.compiled(), mutant)
    assert code.co_name == "full"


def test_a_function_that_a_decorator_returns_is_known_by_the_decorator():
    def decorate():
        return lambda: None

    assert _outer(decorate().__code__) == _outer(decorate.__code__) == decorate.__qualname__.partition(".")[0]
    assert _outer(is_full.__code__) == ""


def test_a_changed_string_is_known_by_the_first_words_of_its_longest_line(module):
    assert [mutant.words for mutant in mutants(module) if mutant.words] == ["Back in a quarter", "some"]


def test_what_runs_on_import_has_no_function(module):
    assert {mutant.qualified for mutant in mutants(module) if mutant.line == 6} == {""}


def test_nothing_is_traced_where_no_run_asks_for_it():
    """What looks at every line that runs would make all tests of this process take twice as long."""
    code = "import sys, mutants.judge, mutants.run; sys.exit('coverage' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT / "tests", check=True)


class Item:
    """A test as the judge has it: a function that fails or not."""

    path = ROOT / "tests/shelf.py"

    def __init__(self, function):
        self.nodeid = function.func.__name__
        self.config = SimpleNamespace(hook=SimpleNamespace(pytest_runtest_protocol=self.run))
        self.function = function

    def run(self, item, nextitem):
        try:
            self.function()
        except AssertionError:
            self.judge.pytest_runtest_logreport(SimpleNamespace(failed=True))


@pytest.fixture
def fate(module):
    """What becomes of the mutant whose `full` says `some!` where it should say `some`."""
    shelf = runpy.run_path(str(module))["Shelf"]()
    shelf.open, shelf.looked, shelf.things = True, 0, ["some"]
    (mutant,) = [mutant for mutant in mutants(module) if "some!" in mutant.new]

    def fate(*tests):
        judge = Judge(SimpleNamespace(seconds=lambda name: 1))
        items = [Item(functools.partial(test, shelf)) for test in tests]
        for item in items:
            item.judge = judge
        return judge._forked(mutant, [type(shelf).full.fget], [], items)

    return fate


def is_full(shelf):
    assert shelf.full


def is_open(shelf):
    assert shelf.open


def is_closed(shelf):
    assert not shelf.open


def test_a_mutant_dies_by_the_first_test_that_fails_with_it(fate):
    assert fate(is_open, is_full, is_full) == "dies by is_full"


def test_a_mutant_lives_where_no_test_fails_with_it(fate):
    assert fate(is_open) == "lives"


def test_a_test_that_fails_without_a_mutant_kills_none(fate):
    assert fate(is_closed, is_open) == "lives"
    assert fate(is_closed, is_full) == "dies by is_full"


def test_a_test_that_fails_with_a_mutant_only_once_does_not_kill_it(fate, tmp_path):
    def is_full_once(shelf):
        if not shelf.full and not (tmp_path / "ran").exists():
            (tmp_path / "ran").touch()
            raise AssertionError

    assert fate(is_full_once) == "lives"
