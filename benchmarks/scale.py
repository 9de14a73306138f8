"""What virtcatalog takes for large fleets on one machine, as docs/scale.md has it.

usage: scale.py [--vms N] [--write docs/scale.md]

Whole commands over the fleets of stream.py and the catalog examples/common-instancetypes: CPU time of all processes,
time by the clock, and the peak of memory. What grows with the number of VMs, of VMs that differ, of instance types, and
what a Dask scheduler with two workers on this machine adds. The last table is arithmetic with these figures: ten
million VMs in a thousand clusters. With --write, the tables between the marks of the page are replaced.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import Process
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from build import multiplied
from stream import CATALOG, write

VMS, CLUSTERS = 10_000_000, 1_000
_MARKS = re.compile(r"(<!-- figures -->\n).*?(<!-- end of figures -->)", re.DOTALL)
CHANGED = """\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt, namespace: kubevirt}
spec: {configuration: {virtualMachineOptions: {disableSerialConsoleLog: {}}}}
"""


class Used(NamedTuple):
    """Seconds of CPU and of the clock, and MiB at the peak of the largest process."""

    cpu: float
    wall: float
    memory: float


def used(*arguments: str) -> Used:
    """Run a command of virtcatalog, whose results nobody reads."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "virtcatalog", *arguments]
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"failed: {' '.join(arguments)}")
    return Used(usage.ru_utime + usage.ru_stime, time.perf_counter() - begun, usage.ru_maxrss / 1024)


@contextmanager
def workers(folder: Path, number: int) -> Iterator[str]:
    """Start a Dask scheduler with so many workers on this machine; give its address."""
    dask, log = [sys.executable, "-m", "dask"], folder / "scheduler.log"
    local = ("--host", "127.0.0.1", "--no-dashboard")
    with log.open("w") as output:
        started = [subprocess.Popen([*dask, "scheduler", "--port", "0", *local], stderr=output, cwd=folder)]
    try:
        while not (found := re.search(r"Scheduler at:\s+tcp://(\S+)", log.read_text())):
            time.sleep(0.05)
        arguments = ("worker", found[1], "--no-nanny", "--nthreads", "1", *local)
        started += (subprocess.Popen([*dask, *arguments], stderr=subprocess.DEVNULL, cwd=folder) for _ in range(number))
        yield found[1]
    finally:
        for each in reversed(started):
            each.terminate()
            each.wait()


def figures(folder: Path, vms: int) -> Iterator[tuple[str, int, Used]]:
    """Yield what was done, for how many VMs, and what it used."""
    catalog, changed = str(CATALOG), folder / "changed.yaml"
    unchanged = folder / "unchanged.yaml"
    changed.write_text(CHANGED)
    unchanged.write_text(CHANGED.replace("disableSerialConsoleLog: {}", ""))
    larger = str(multiplied(folder / "larger", 10))
    files = {number: folder / str(number) for number in (vms // 10, vms // 5, vms)}
    for number, place in files.items():
        place.mkdir()
        # In a process of its own: what a process starts is taken to have used as much memory as it has itself.
        writer = Process(target=write, args=(place, number))
        writer.start()
        writer.join()
    for number in (vms // 10, vms):
        different = str(files[number] / "different.json")
        yield "`expand -o xml`", number, used("expand", "-f", different, "-c", catalog, "-o", "xml")
    yield "`expand -o json`", vms, used("expand", "-f", different, "-c", catalog, "-o", "json")
    text = str(files[vms] / "different.yaml")
    yield "`expand -o xml` of YAML", vms, used("expand", "-f", text, "-c", catalog, "-o", "xml")
    for form in ("xml", "json"):
        words = ("expand", "-f", different, "-c", catalog, "-o", form, "-j", "2")
        yield f"`expand -o {form} -j 2`", vms, used(*words)
    with workers(folder, 2) as address:
        words = ("expand", "-f", different, "-c", catalog, "-o", "xml", "--executor", f"dask://{address}")
        yield "`expand -o xml --executor dask://…`, without its workers' CPU", vms, used(*words)
    alike = str(files[vms] / "alike.json")
    yield "`expand -o xml`, 95 % of the VMs alike", vms, used("expand", "-f", alike, "-c", catalog, "-o", "xml")
    yield "`expand -o xml`, ten times the types", vms, used("expand", "-f", different, "-c", larger, "-o", "xml")
    few = vms // 5
    yield "`adopt` of VMs that name no type", few, used("adopt", "-f", str(files[few] / "sized.json"), "-c", catalog)
    cache = ("--cache-dir", str(folder / "cache"))
    change = ("diff", catalog, catalog, "--config", str(unchanged), str(changed), "-f", different, *cache)
    yield "`diff`, a change that every VM meets", vms, used(*change)
    yield "`diff`, the same again, from the cache", vms, used(*change)


def tables(found: list[tuple[str, int, Used]], load: float) -> Iterator[str]:
    """Yield the lines of the tables."""
    yield f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} CPUs, one run of each;"
    yield f"the machine's load before them was {load:.1f}. What else runs at the same time makes CPU times longer.\n"
    yield "| | VMs | CPU | VMs a second of CPU | by the clock | peak |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, vms, (cpu, wall, memory) in found:
        yield f"| {name} | {vms:,} | {cpu:.1f} s | {vms / cpu:,.0f} | {wall:.1f} s | {memory:.0f} MiB |"
    yield ""
    yield f"What that makes for {VMS:,} VMs in {CLUSTERS:,} clusters, of {VMS // CLUSTERS:,} VMs each:\n"
    yield "| | CPU a cluster | CPU in all | on 100 CPUs |"
    yield "|---|---:|---:|---:|"
    for name, vms, each in found:
        if vms == found[-1][1] and not any(other in name for other in ("dask", "types", "-j")):
            seconds = each.cpu * VMS / CLUSTERS / vms
            hours = seconds * CLUSTERS / 3600
            yield f"| {name} | {seconds:.1f} s | {hours:.1f} h | {_time(36 * hours)} |"


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds / 60:.1f} min"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vms", type=int, default=10_000)
    parser.add_argument("--write", metavar="PAGE", type=Path)
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    with TemporaryDirectory() as temporary:
        found = []
        for figure in figures(Path(temporary), arguments.vms):
            print(*figure, file=sys.stderr, flush=True)
            found.append(figure)
    text = "\n".join(tables(found, load)) + "\n"
    if arguments.write:
        page = arguments.write.read_text()
        assert _MARKS.search(page), f"{arguments.write} has no marks for figures"
        arguments.write.write_text(_MARKS.sub(lambda marks: f"{marks[1]}{text}{marks[2]}", page))
    else:
        print(text)


if __name__ == "__main__":
    main()
