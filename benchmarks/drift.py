"""How long `virtcatalog drift` takes for a cluster, and how much memory.

usage: drift.py [--vms N]

The VMs are those of tests/live/fleet.py in its twelve states, again and again under other names. They are read from a
server that lists them in pages, from the dump of it, and from that dump with ten VMs changed; Git is a file a VM.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from pathlib import Path
from subprocess import DEVNULL, Popen
from tempfile import TemporaryDirectory
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / part) for part in ("live", "")]

from fakeapi import Server, serving  # noqa: E402

import fleet  # noqa: E402

Data = dict[str, Any]
CHANGED = 10


def renamed(text: str, number: int, copy: int) -> str:
    """The objects of a VM as those of another one."""
    _, name = fleet.name_of(number)
    text = re.sub(rf'"{name}(?=["-])', f'"{name}-c{copy}', text)
    text = text.replace("0000-4000-8000", f"{copy:04d}-4000-8000")
    return re.sub(rf'"(host|renamed)-{number}"', rf'"\1-{number}-{copy}"', text)


def write(folder: Path, number: int) -> list[Data]:
    """Write Git's side, and return the cluster's objects."""
    folder.mkdir()
    shared = [*fleet.TYPES, *fleet.PREFERENCES]
    (folder / "types.yaml").write_text("\n---\n".join(json.dumps(obj, indent=1) for obj in shared))
    objects: list[Data] = [fleet.KUBEVIRT, *shared]
    texts = [(json.dumps(fleet.in_git(model)), json.dumps(fleet.in_cluster(model))) for model in range(fleet.NUMBER)]
    for index in range(number):
        copy, model = divmod(index, fleet.NUMBER)
        vm, in_cluster = (json.loads(renamed(text, model, copy)) for text in texts[model])
        objects += in_cluster
        if vm is not None:
            file = folder / vm["metadata"]["namespace"] / f"{vm['metadata']['name']}.yaml"
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps(vm, indent=1))
    return objects


@contextmanager
def served(folder: Path, number: int) -> Iterator[str]:
    """Write Git's side, and yield the kubeconfig of a server that is a process of its own: this one stays small."""
    ours, theirs = Pipe()
    process = Process(target=_serve, args=(folder, number, theirs), daemon=True)
    process.start()
    yield ours.recv()
    ours.send(None)
    process.join()


def _serve(folder: Path, number: int, asks: Connection) -> None:
    with serving(Server(write(folder / "git", number)), folder) as file:
        asks.send(file)
        asks.recv()


def run(title: str, *arguments: str, cache: Path, output: Path) -> None:
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "VIRTCATALOG_CACHE": str(cache)}
    command = [sys.executable, "-m", "virtcatalog", *arguments]
    with output.open("wb") as to, Popen(command, stdout=to, stderr=DEVNULL, env=environment) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = sum(getattr(after, key) - getattr(before, key) for key in ("ru_utime", "ru_stime"))
    if process.returncode not in (0, 1):
        raise SystemExit(f"{title}: status {process.returncode}")
    print(f"| {title} | {seconds:.1f} s | {cpu:.1f} s | {used.ru_maxrss >> 10:,} MiB |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vms", type=int, default=10_000)
    number = parser.parse_args().vms
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        git, out, dump = ("-f", str(folder / "git")), folder / "out", folder / "lab.json"
        print(f"| {number:,} VMs, load {os.getloadavg()[0]:.1f} | time | CPU | memory of the largest process |")
        print("|---|--:|--:|--:|")
        with served(folder, number) as file:
            run("from the server", "drift", *git, "--kubeconfig", file, cache=folder / "first", output=out)
            run("dump", "dump", "--kubeconfig", file, cache=folder / "first", output=dump)
        run("from the dump", "drift", *git, "--live", str(dump), cache=folder / "second", output=out)
        left, other = CHANGED, folder / "other" / "lab.json"
        other.parent.mkdir()
        with dump.open() as lines, other.open("w") as to:
            for line in lines:
                changed = line.replace('"printableStatus":"Running"', '"printableStatus":"Starting"') if left else line
                left -= changed != line
                to.write(changed)
        title = f"from the dump, {CHANGED - left} VMs changed"
        run(title, "drift", *git, "--live", str(other), cache=folder / "second", output=out)


if __name__ == "__main__":
    main()
