"""How fast `virtcatalog expand` goes through a fleet, how much memory it takes, and when it writes the first result.

usage: stream.py [--vms N] [--against PYTHON] [--runs N] [--write FOLDER]

The fleet is the same each time: VMs over instance types, preferences, disks and networks, each with a name, claims, MAC
addresses, uid and cloud-init of its own; `plain` are those of one disk and one network each. `alike` are files in which
95 of 100 VMs differ in nothing else; `sized` are of VMs that say their CPUs and memory themselves. With --against, the
same commands run by another environment's python, by turns. Rates are by the CPU time of all processes, the least of
the runs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from multiprocessing import Process
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from machines import Shape, pairs_of_names, vm
from pairs import Manifest, read

from virtcatalog.manifests.emit import dump

CATALOG = Path(__file__).parent.parent / "examples/common-instancetypes"
CLASSES = 5
"""How many sorts of VMs there are among those that are alike."""


def plain(number: int, catalog: Path = CATALOG) -> Iterator[Manifest]:
    """Yield so many VMs of a disk and a network each."""
    pairs = itertools.cycle(pairs_of_names(read(catalog)))
    chance = random.Random(1)
    yield from (vm(index, Shape(*next(pairs)), chance) for index in range(number))


def fleet(number: int, alike: float = 0.0, catalog: Path = CATALOG) -> Iterator[Manifest]:
    """Yield so many VMs, of which a share are alike: of five sorts."""
    pairs = pairs_of_names(read(catalog))
    chance = random.Random(1)
    chance.shuffle(pairs)
    sorts = [shape(pairs[index], random.Random(index)) for index in range(CLASSES)]
    for index in range(number):
        usual = chance.random() < alike
        yield vm(index, chance.choice(sorts) if usual else shape(pairs[index % len(pairs)], chance), chance)


def sized(number: int, catalog: Path = CATALOG) -> Iterator[Manifest]:
    """Yield so many VMs that name no instance type and no preference, of this and that size."""
    chance = random.Random(2)
    for each in fleet(number, catalog=catalog):
        spec = {key: value for key, value in each["spec"].items() if key not in ("instancetype", "preference")}
        domain = spec["template"]["spec"]["domain"]
        domain["cpu"] = {chance.choice(("cores", "sockets")): chance.choice((1, 2, 3, 4, 8))}
        domain["memory"] = {"guest": f"{chance.choice((1, 2, 4, 5, 8, 16))}Gi"}
        yield each | {"spec": spec}


def shape(pair: tuple[str, str], chance: random.Random) -> Shape:
    disks = tuple(chance.choice(("", "virtio", "scsi", "sata")) for _ in range(chance.randrange(1, 5)))
    evict = chance.choice(("", "LiveMigrate", "None"))
    networks, labels, running = chance.randrange(1, 4), chance.random() < 0.5, chance.random() < 0.9
    return Shape(*pair, disks=disks, networks=networks, labels=labels, running=running, evict=evict)


def write(folder: Path, number: int) -> None:
    """Write the fleets as kubectl prints them, and as a VM a line."""
    fleets = {"different": fleet, "plain": plain, "alike": partial(fleet, alike=0.95), "sized": sized}
    for name, vms in fleets.items():
        with (folder / f"{name}.json").open("w") as text:
            text.write('{\n    "apiVersion": "v1",\n    "items": [')
            for index, each in enumerate(vms(number)):
                item = json.dumps(each, indent=4).replace("\n", "\n        ")
                text.write(f"{',' if index else ''}\n        {item}")
            text.write('\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n')
        with (folder / f"{name}.jsonl").open("w") as text:
            text.writelines(f"{json.dumps(vm, separators=(',', ':'))}\n" for vm in vms(number))
    with (folder / "different.yaml").open("w") as text:
        text.write("apiVersion: v1\nitems:\n")
        text.writelines(dump([each]) for each in fleet(number))
        text.write('kind: List\nmetadata:\n  resourceVersion: ""\n')


class Used(NamedTuple):
    """What a run used: seconds of CPU and of the clock, seconds to the first output, MiB at the peak."""

    cpu: float
    wall: float
    first: float
    memory: float


def run(python: str, folder: Path, *arguments: str) -> Used:
    """Run the command, and read what it writes."""
    command = [python, "-m", "virtcatalog", "expand", *arguments, "-c", str(CATALOG)]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    with (folder / "messages").open("w") as messages:
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=messages, env=environment)
        assert process.stdout is not None
        first = time.perf_counter() - begun if os.read(process.stdout.fileno(), 1 << 16) else 0.0
        while os.read(process.stdout.fileno(), 1 << 20):
            pass
        _, status, used = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 1), (folder / "messages").read_text()[-2000:]
    return Used(used.ru_utime + used.ru_stime, time.perf_counter() - begun, first, used.ru_maxrss / 1024)


WAYS = {
    "XML of JSON": ("different.json", "-o", "xml"),
    "XML of plain VMs": ("plain.json", "-o", "xml"),
    "XML of JSON lines": ("different.jsonl", "-o", "xml"),
    "XML of YAML": ("different.yaml", "-o", "xml"),
    "JSON of JSON": ("different.json", "-o", "json"),
    "XML, -j 2": ("different.json", "-o", "xml", "-j", "2"),
    "XML, 95 % alike": ("alike.json", "-o", "xml"),
    "JSON, 95 % alike": ("alike.json", "-o", "json"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vms", type=int, default=10_000)
    parser.add_argument("--against", metavar="PYTHON", help="the python of another environment, measured by turns")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--only", metavar="TEXT", default="", help="only what is called so")
    parser.add_argument("--write", metavar="FOLDER", type=Path, help="only write the fleets")
    arguments = parser.parse_args()
    if arguments.write:
        arguments.write.mkdir(exist_ok=True)
        write(arguments.write, arguments.vms)
        return
    pythons = [sys.executable, *([arguments.against] if arguments.against else [])]
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        # In a process of its own: what a process starts is taken to have used as much memory as it has itself.
        writer = Process(target=write, args=(folder, arguments.vms))
        writer.start()
        writer.join()
        for name, (file, *options) in WAYS.items():
            if arguments.only not in name:
                continue
            runs: dict[str, list[Used]] = {python: [] for python in pythons}
            for _, python in itertools.product(range(arguments.runs), pythons):
                runs[python].append(run(python, folder, "-f", str(folder / file), *options))
            for python, found in runs.items():
                least = Used(*map(min, zip(*found, strict=True)))
                print(
                    f"{name:18} {arguments.vms / least.cpu:7,.0f} VMs/s of CPU, {arguments.vms / least.wall:7,.0f} by"
                    f" the clock, first after {least.first:.2f} s, {least.memory:4.0f} MiB"
                    f"{'  (the other)' if python != sys.executable else ''}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
