"""Draw mutants of the program and say which of them no test notices: `make mutants SEED=2 NUMBER=300 ROOM=api`."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter, defaultdict
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from mutants import COVER, ROOT
from mutants.mutate import Mutant, mutants

PACKAGE = ROOT / "generator/virtcatalog"


def room(file: Path) -> str:
    """Return the room that a module is in: `review`, `kubevirt.pod`."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[: 2 if parts[0] == "kubevirt" else 1])


class Draw:
    """Some mutants, the tests that may notice them, and what became of them."""

    def __init__(self, rooms: list[str], number: int, seed: int, part: tuple[int, int], *, fates: bool) -> None:
        files = [file for file in sorted(PACKAGE.rglob("*.py")) if not rooms or room(file) in rooms]
        every = [mutant for file in files for mutant in mutants(file)]
        Random(seed).shuffle(every)
        drawn = list(islice((mutant for mutant in every if mutant.compiled()), number))
        self.mutants = drawn[part[0] - 1 :: part[1]]
        self.lived: list[Mutant] = []
        self._fates = fates
        self._counts: dict[str, Counter[bool]] = defaultdict(Counter)
        self._lines: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._seconds: Counter[str] = Counter()
        for part in COVER.rglob("*.json"):
            read = json.loads(part.read_text(encoding="utf-8"))
            self._seconds[read["test"]] = read["seconds"]
            for file, lines in read["lines"].items():
                for line in lines:
                    self._lines[file][line].add(read["test"])

    def imported(self, mutant: Mutant) -> bool:
        """Whether the line runs when its module is imported."""
        return "" in self._names(mutant)

    def seconds(self, name: str) -> float:
        """Return how long the tests of a file take."""
        return self._seconds[name]

    def files(self, mutant: Mutant) -> list[str]:
        """Return the test files that run the line, those named as the module or the room first, then the quickest.

        Of what runs when it is imported, these are the ones that run anything of the module, or else of the room, and
        those of the room's folder or the module's name, which may look at what it has without running it.
        """
        names = self._names(mutant)
        folder = room(mutant.file).rpartition(".")[2]
        if self.imported(mutant) or not mutant.qualified:
            names = set().union(*self._of(mutant).values())
            named = f"test_{mutant.file.stem}"
            names |= {name for name in self._seconds if folder in Path(name).parts or Path(name).stem == named}
        if not names - {""}:
            names = set().union(
                *(names for file, lines in self._lines.items() if self._near(mutant, file) for names in lines.values())
            )
        words = (mutant.file.stem, folder)

        def order(name: str) -> tuple[bool, bool, float]:
            return (words[0] not in Path(name).stem, words[1] not in Path(name).parts, self._seconds[name])

        return sorted(names - {""}, key=order)

    def _near(self, mutant: Mutant, file: str) -> bool:
        return room(ROOT / file) == room(mutant.file)

    def _of(self, mutant: Mutant) -> dict[int, set[str]]:
        return self._lines[mutant.file.relative_to(ROOT).as_posix()]

    def _names(self, mutant: Mutant) -> set[str]:
        lines = self._of(mutant)
        at = max((line for line in lines if line <= mutant.line), default=0)
        return lines[at]

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
    given = parser.parse_args()
    if given.cover or not COVER.exists():
        command = [sys.executable, "-m", "pytest", "-p", "mutants.cover", "-n", "auto", "--dist", "loadfile"]
        subprocess.run(command, cwd=ROOT, check=True)
    from mutants.judge import Judge

    draw = Draw(given.room, given.number, given.seed, given.part, fates=given.fates)
    wanted = sorted({file for mutant in draw.mutants for file in draw.files(mutant)})
    pytest.main(
        ["-s", "-p", "no:cacheprovider", "-p", "no:terminal", "-o", "addopts=--import-mode=importlib", *wanted],
        plugins=[Judge(draw)],
    )
    print(draw.summary())
    return 1 if draw.lived else 0


if __name__ == "__main__":
    sys.exit(main())
