"""Fuzz the targets: by atheris, which is led by coverage, where it is installed, else by random bytes.

usage: run.py [--seconds S] [--inputs N | --total N] [--seed N] [--random] [TARGET …]

Each target runs in a process of its own. An input that ends in a traceback, takes more than five seconds of CPU, or
fills more than 500 MB is written to tests/fuzz/found/ and named; the exit status is 1 then.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import resource
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
FOUND = HERE / "found"
#: The targets, and how many of a thousand inputs each gets where a number for all is given: by how long one takes.
NAMES = {
    "catalogs": 12,
    "conversions": 15,
    "imports": 6,
    "templates": 80,
    "expressions": 25,
    "quantities": 185,
    "yaml": 185,
    "vms": 70,
    "clusters": 60,
    "dumps": 60,
    "hosts": 70,
    "descriptors": 30,
    "exports": 40,
    "inventories": 30,
    "mappings": 60,
    "workbooks": 40,
    "domains": 30,
    "clouds": 50,
    "metrics": 60,
    "git": 1,
    "cli": 2,
    "kustomizations": 3,
    "capacities": 2,
    "declarations": 1,
    "machines": 2,
    "names": 3,
    "settings": 50,
    "differences": 5,
    "escapings": 55,
    "repositories": 10,
    "documents": 60,
    "chart_values": 20,
    "artifacts": 20,
}
#: What takes more than linear work takes minutes; the largest linear input takes 1.7 s, and 3 s on a slow machine.
CPU_SECONDS, MEGABYTES, LONGEST = 5.0, 500, 1000


class Watched:
    """A target, watched: what it takes, and what must not be."""

    def __init__(self, name: str, target: Callable[[bytes], None]) -> None:
        self.name, self.target = name, target
        self.inputs, self.failures, self.slowest = 0, 0, 0.0
        self.seen: set[str] = set()

    def __call__(self, data: bytes) -> None:
        self.inputs += 1
        started = time.process_time()
        try:
            self.target(data)
        except Exception as error:
            at = traceback.extract_tb(error.__traceback__)[-1]
            self.keep(data, f"{type(error).__name__} at {at.filename}:{at.lineno}", traceback.format_exc())
        taken = time.process_time() - started
        self.slowest = max(self.slowest, taken)
        if taken > CPU_SECONDS and self.inputs > 1:  # the first one loads what it needs
            self.keep(data, f"{taken:.1f} s of CPU", "")
        if megabytes() > MEGABYTES:
            self.keep(data, f"{megabytes()} MB", "")

    def keep(self, data: bytes, what: str, details: str) -> None:
        """Write an input that must not be, once a kind."""
        kind = what if details else what.split()[-1]
        if kind in self.seen:
            return
        self.seen.add(kind)
        self.failures += 1
        FOUND.mkdir(exist_ok=True)
        file = FOUND / f"{self.name}-{hashlib.sha256(data).hexdigest()[:12]}"
        file.write_bytes(data)
        print(f"{file}: {what}\n{details}", flush=True)

    def report(self, seconds: float) -> str:
        return (
            f"{self.name}: {self.inputs:,} inputs in {seconds:.0f} s, slowest {self.slowest:.2f} s of CPU, "
            f"{megabytes()} MB at most, {self.failures} found"
        )


def megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def by_random(watched: Watched, seconds: float, inputs: int, seed: int) -> None:
    """Random bytes, of random lengths."""
    maker, started = random.Random(f"{watched.name} {seed}"), time.monotonic()
    while time.monotonic() - started < seconds and (not inputs or watched.inputs < inputs):
        watched(maker.randbytes(int(LONGEST ** maker.random())))


def by_coverage(watched: Watched, seconds: float, inputs: int, seed: int) -> None:
    """What atheris makes of coverage; it ends the process."""
    import atheris

    started = time.monotonic()

    def watch(data: bytes) -> None:
        watched(data)
        taken = time.monotonic() - started
        if taken > seconds or watched.inputs == inputs:
            print(watched.report(taken), flush=True)
            os._exit(1 if watched.failures else 0)  # libFuzzer has no other way out

    corpus = Path(os.environ.get("FUZZ_CORPUS", HERE / "corpus"), watched.name)
    corpus.mkdir(parents=True, exist_ok=True)
    options = [f"-seed={seed}", f"-max_len={LONGEST}", "-verbosity=0", "-rss_limit_mb=0"]
    atheris.Setup(["run", str(corpus), *options], watch)
    atheris.Fuzz()


def find(name: str) -> Callable[[bytes], None]:
    """Return a target by its name."""
    import foreign
    import large
    import machines
    import published
    import targets

    return (targets.TARGETS | large.TARGETS | machines.TARGETS | foreign.TARGETS | published.TARGETS)[name]


def one(name: str, *, seconds: float, inputs: int, seed: int, at_random: bool) -> int:
    """Fuzz one target in this process."""
    sys.path[:0] = [str(HERE), str(HERE.parent / "live")]
    if at_random:
        target = find(name)
    else:
        import atheris

        with atheris.instrument_imports(include=["virtcatalog"]):
            target = find(name)
    watched = Watched(name, target)
    watched(b"")
    started = time.monotonic()
    if not at_random:
        by_coverage(watched, seconds, inputs, seed)
    by_random(watched, seconds, inputs, seed)
    print(watched.report(time.monotonic() - started), flush=True)
    return 1 if watched.failures else 0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60, help="for each target")
    parser.add_argument("--inputs", type=int, default=0, help="for each target, at most")
    parser.add_argument("--total", type=int, default=0, help="for all targets together, each having its share")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", action="store_true", help="random bytes, even where atheris is installed")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("targets", nargs="*")
    args = parser.parse_args()
    if args.here:
        options = {"seconds": args.seconds, "inputs": args.inputs, "seed": args.seed, "at_random": args.random}
        return one(args.targets[0], **options)
    at_random = args.random or not _has_atheris()
    names = args.targets or list(NAMES)
    before = set(FOUND.glob("*"))
    failed = False
    for name in names:
        command = [sys.executable, __file__, "--here", name, "--seconds", str(args.seconds), "--seed", str(args.seed)]
        inputs = args.total * NAMES[name] // sum(map(NAMES.__getitem__, names)) if args.total else args.inputs
        command += ["--inputs", str(inputs), *(["--random"] if at_random else [])]
        # What atheris says of itself is of interest only where it is all there is.
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
        if done.returncode not in (0, 1):
            print(f"{name}: ended with status {done.returncode}\n{done.stderr[-3000:]}", flush=True)
        failed = done.returncode != 0 or failed
    return 1 if failed or set(FOUND.glob("*")) - before else 0


def _has_atheris() -> bool:
    from importlib.util import find_spec

    return find_spec("atheris") is not None


if __name__ == "__main__":
    sys.exit(main())
