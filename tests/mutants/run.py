"""Draw mutants of the program and say which of them no test notices: `make mutants SEED=2 NUMBER=300 ROOM=api`."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache
from itertools import accumulate, islice
from pathlib import Path
from random import Random

import pytest

from mutants import COVER, ROOT
from mutants.mutate import Mutant, mutants

PACKAGE = ROOT / "generator/virtcatalog"
MOST = 30.0
"""How many seconds of tests a mutant is tried by."""


def room(file: Path) -> str:
    """Return the room that a module is in: `review`, `kubevirt.pod`."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[: 2 if parts[0] == "kubevirt" else 1])


def name(file: Path) -> str:
    """Return a module's name, without the program's: `review.judge`."""
    return ".".join(file.relative_to(PACKAGE).with_suffix("").parts)


class Draw:
    """Some mutants, the tests that may notice them, and what became of them."""

    def __init__(self, rooms: list[str], number: int, seed: int, part: tuple[int, int], *, fates: bool) -> None:
        modules = sorted(PACKAGE.rglob("*.py"))
        files = [file for file in modules if not rooms or room(file) in rooms or name(file) in rooms]
        every = [mutant for file in files for mutant in mutants(file)]
        Random(seed).shuffle(every)
        drawn = list(islice((mutant for mutant in every if mutant.compiled()), number))
        self.mutants = drawn[part[0] - 1 :: part[1]]
        self.lived: list[Mutant] = []
        self._fates = fates
        self._counts: dict[str, Counter[bool]] = defaultdict(Counter)
        self._seconds: dict[str, float] = {}
        for file in COVER.glob("seconds.*.json"):
            self._seconds |= json.loads(file.read_text(encoding="utf-8"))
        self._of_file: dict[str, list[str]] = defaultdict(list)
        for test in self._seconds:
            file = test.partition("::")[0]
            if (ROOT / file).exists():  # it may have gone since
                self._of_file[file].append(test)
        from coverage import CoverageData

        self._data = [CoverageData(str(file)) for file in COVER.glob("lines.*")]
        for data in self._data:
            data.read()
        self._contexts = cache(self._contexts_of)
        self._text = cache(_with_snapshots)

    def _contexts_of(self, file: Path) -> dict[int, set[str]]:
        """Return which contexts each line of a module ran in."""
        lines: dict[int, set[str]] = defaultdict(set)
        for data in self._data:
            for line, contexts in data.contexts_by_lineno(file.relative_to(ROOT).as_posix()).items():
                lines[line].update(contexts)
        return lines

    def imported(self, mutant: Mutant) -> bool:
        """Whether the line runs when its module is imported."""
        return "" in self._of_line(mutant)

    def seconds(self, test: str) -> float:
        """Return how long a test takes."""
        return self._seconds[test]

    def tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that may notice it, at most as many as take `MOST` seconds.

        Those that run the line come first, then the others of their files, which may share what these made; among them
        those of files that hold the string that is changed, or are named as the module or the room, and the quickest.
        Of what an import runs, these are the ones that run anything of the module, behind those that hold its string.
        """
        contexts, words = self._of_line(mutant), mutant.words
        holding = {file for file in self._of_file if words in self._text(file)} if words else set()
        imported = self.imported(mutant) or not mutant.qualified
        if imported:
            contexts = set().union(*self._contexts(mutant.file).values())
        files = {context.partition("::")[0] for context in contexts - {""}}
        stem, folder = mutant.file.stem, room(mutant.file).rpartition(".")[2]
        files |= {file for file in self._of_file if Path(file).stem == f"test_{stem}" or folder in Path(file).parts}

        if imported and " " in words:
            files |= holding

        def order(test: str) -> tuple[bool | float, ...]:
            file = Path(test.partition("::")[0])
            holds, runs = file.as_posix() in holding, test in contexts or file.as_posix() in contexts
            which = (not holds, not runs) if imported and " " in words else (not runs, not holds)
            return (*which, stem not in file.stem, folder not in file.parts, self._seconds[test])

        tests = sorted((test for file in files for test in self._of_file.get(file, ())), key=order)
        sums = accumulate(map(self.seconds, tests))
        return [test for test, seconds in zip(tests, sums, strict=True) if seconds < MOST]

    def _of_line(self, mutant: Mutant) -> set[str]:
        lines = self._contexts(mutant.file)
        return lines[max((line for line in lines if line <= mutant.line), default=0)]

    def report(self, mutant: Mutant, fate: str) -> None:
        """Count what became of a mutant, and print one that lives."""
        lives = fate.startswith("lives")
        self._counts[room(mutant.file)][lives] += 1
        judged = sum(counts.total() for counts in self._counts.values())
        print(f"{judged} of {len(self.mutants)} judged, {len(self.lived) + lives} live", end="\r", file=sys.stderr)
        if lives:
            self.lived.append(mutant)
        if lives or self._fates:
            print(f"{mutant.file.relative_to(ROOT)}:{mutant.line}: {fate}\n{mutant.diff()}\n", flush=True)

    def summary(self) -> str:
        """Return how many of each room's mutants died."""
        lines = [
            f"{name:24} {counts[False]:4} of {counts.total():4} die" for name, counts in sorted(self._counts.items())
        ]
        died, drawn = (sum(counts[False] for counts in self._counts.values()), len(self.mutants))
        return "\n".join([*lines, f"{'all':24} {died:4} of {drawn:4} die: {died / (drawn or 1):.1%}"])


def _with_snapshots(file: str) -> str:
    """Return the text of a test file and of its snapshots."""
    path = ROOT / file
    snapshots = path.parent / "__snapshots__" / f"{path.stem}.ambr"
    return "".join(text.read_text(encoding="utf-8") for text in (path, snapshots) if text.exists())


def _part(text: str) -> tuple[int, int]:
    which, of = text.split("/")
    return int(which), int(of)


def main() -> int:
    """Draw, judge and report; 1 when a mutant lives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--room", action="append", default=[])
    parser.add_argument("--part", type=_part, default=(1, 1), metavar="1/2", help="judge only the first half of them")
    parser.add_argument("--fates", action="store_true", help="say of those that die, too, which test they die by")
    parser.add_argument("--cover", action="store_true", help="find out again which tests run which lines")
    arguments = parser.parse_args()
    if arguments.cover or not COVER.exists():
        command = [sys.executable, "-m", "pytest", "-p", "mutants.cover", "-n", "auto", "--dist", "loadfile"]
        shutil.rmtree(COVER, ignore_errors=True)
        COVER.mkdir(parents=True)
        subprocess.run(command, cwd=ROOT, check=True)
    from mutants.judge import Judge

    draw = Draw(arguments.room, arguments.number, arguments.seed, arguments.part, fates=arguments.fates)
    wanted = sorted({test.partition("::")[0] for mutant in draw.mutants for test in draw.tests(mutant)})
    pytest.main(
        ["-s", "-p", "no:cacheprovider", "-p", "no:terminal", "-o", "addopts=--import-mode=importlib", *wanted],
        plugins=[Judge(draw)],
    )
    print(draw.summary())
    return 1 if draw.lived else 0


if __name__ == "__main__":
    sys.exit(main())
