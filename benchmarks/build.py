"""How long `virtcatalog build` takes as a command, and how that grows: examples/common-instancetypes, and 100 of it.

usage: build.py [TIMES]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from virtcatalog.manifests.document import Text
from virtcatalog.manifests.emit import dump

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples/common-instancetypes"


def multiplied(folder: Path, times: int) -> Path:
    """Write a catalog with every class and preference of the example so many times, under other names."""
    folder.mkdir()
    for name in ("catalog.yaml", "components.yaml"):
        shutil.copy(EXAMPLE / name, folder)
    for path in sorted(EXAMPLE.glob("*/*.yaml")):
        ((_, data),) = Text(path.read_text()).documents()
        (folder / path.parent.name).mkdir(exist_ok=True)
        for number in range(times):
            text = dump(_renamed(data, number))
            (folder / path.parent.name / f"{path.stem}-{number}.yaml").write_text(text)
    return folder


def _renamed(data: dict, number: int) -> dict:
    start = f"x{number}-"
    if "class" in data:
        return {**data, "name": start + data["name"]}
    variants = {
        name: {
            **each,
            **({"preferences": [start + glob for glob in each["preferences"]]} if "preferences" in each else {}),
        }
        for name, each in data.get("variants", {}).items()
    }
    named = {start + name: each for name, each in data["preferences"].items()}
    return {**data, "variants": variants, "preferences": named}


def measure(catalog: Path, output: Path) -> tuple[float, float, int]:
    """Build once in a process of its own: wall and CPU seconds, and its peak memory in MiB."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "virtcatalog", "build", str(catalog), "--output-dir", str(output)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"virtcatalog build {catalog} failed")
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024


def report(name: str, catalog: Path, outputs: list[Path]) -> float:
    """Print the best of as many runs as there are output folders, and return its CPU seconds."""
    for what in ("fresh", "unchanged"):
        wall, cpu, memory = min(measure(catalog, output) for output in outputs)
        print(f"virtcatalog build {name}, {what}: {wall:.2f} s ({cpu:.2f} s CPU, {memory} MiB)")
    return cpu


def main(times: int = 100) -> None:
    with tempfile.TemporaryDirectory() as folder:
        report("catalog", ROOT / "catalog", [Path(folder, f"own{run}") for run in range(3)])
        once = report("common-instancetypes", EXAMPLE, [Path(folder, f"common{run}") for run in range(3)])
        many = multiplied(Path(folder, "many"), times)
        growth = report(f"common-instancetypes x {times}", many, [Path(folder, "tree")]) / once
        print(f"{times} times the catalog takes {growth:.0f} times the CPU")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
