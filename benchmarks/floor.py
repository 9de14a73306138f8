"""How near `expand` is to what no program that reads JSON and writes XML can do without.

usage: floor.py [--vms N] [--runs N]

The floor knows nothing of KubeVirt: the VMs' JSON is decoded by msgspec, the fastest decoder of plain data that there
is for Python, and text of the domains' size is written, by lxml out of trees that are there already, and as nothing but
characters. Beside it stands the chain from the decoded VM to the domain's text, in one process, of VMs that all differ.
CPU time, the least of the runs, which go by turns.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterable

import msgspec
from lxml import etree
from pairs import Manifest, read
from stream import CATALOG, fleet

from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import expand


def floors(vms: Iterable[Manifest], cluster: Cluster, runs: int = 3) -> None:
    """Print the floors and the chain's rate beside them."""
    lines = [json.dumps(vm).encode() for vm in vms]
    decoded = [msgspec.json.decode(line) for line in lines]
    texts = [text for each in decoded if (text := expand(each, cluster).domain_xml)]
    trees = [etree.fromstring(text.encode()) for text in texts]
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 it is no path of a file
        ways: dict[str, Callable[[], object]] = {
            "JSON read (msgspec)": lambda: deque(map(msgspec.json.decode, lines), maxlen=0),
            "XML written (lxml)": lambda: [nowhere.write(etree.tostring(tree, encoding="unicode")) for tree in trees],
            "the same text written": lambda: [nowhere.write(text) for text in texts],
            "expand": lambda: [nowhere.write(expand(each, cluster).domain_xml or "") for each in decoded],
        }
        seconds = {name: min(spent) / len(lines) for name, spent in _by_turns(ways, runs).items()}
    floor = seconds["JSON read (msgspec)"] + seconds["XML written (lxml)"]
    size = sum(map(len, texts)) // len(texts)
    print(f"{len(lines):,} VMs, {sum(map(len, lines)) // len(lines):,} bytes of JSON and {size:,} of XML each")
    for name, each in [*seconds.items(), ("floor: JSON read and XML written", floor)]:
        print(f"{name:34}{1e6 * each:>8.1f} us a VM {1 / each:>10,.0f} VMs/s {each / floor:>8.2f} of the floor")


def _by_turns(ways: dict[str, Callable[[], object]], runs: int) -> dict[str, list[float]]:
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(runs):
        for name, way in ways.items():
            begun = time.process_time()
            way()
            spent[name].append(time.process_time() - begun)
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vms", type=int, default=2_000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    floors(fleet(arguments.vms), Cluster(read(CATALOG)), arguments.runs)


if __name__ == "__main__":
    main()
