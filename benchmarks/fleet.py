"""How long `virtcatalog diff` takes for a fleet, and how much memory.

usage: fleet.py CATALOG [--vms N] [--json]

CATALOG is a catalog, a file or folder of manifests, or JSON one a line, gzipped. The fleet's VMs, as `kubectl get vm
-A -o yaml` prints them, go over all pairs of its instance types and preferences, each with a name, disk, MAC address,
uid and cloud-init of its own. Three changes are compared: every Windows preference gains a Hyper-V feature, which most
VMs do not meet; the cluster's configuration changes, which all of them do; and KubeVirt is upgraded.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import os
import random
import subprocess
import sys
import time
from multiprocessing import Process
from pathlib import Path
from tempfile import TemporaryDirectory

from machines import KINDS, Shape, pairs_of_names, vm
from pairs import Manifest, read

from virtcatalog.manifests.emit import dump, join


def fleet(manifests: list[Manifest], number: int) -> Manifest:
    chance = random.Random(1)
    pairs = itertools.cycle(pairs_of_names(manifests))
    items = [
        vm(number, Shape(*next(pairs), listed=chance.random() < 0.5, revised=True), chance) for number in range(number)
    ]
    return {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}}


def changed(manifests: list[Manifest]) -> list[Manifest]:
    new = copy.deepcopy(manifests)
    for each in new:
        if each["kind"] in KINDS and each["metadata"]["name"].startswith("windows"):
            hyperv = each["spec"].setdefault("features", {}).setdefault("preferredHyperv", {})
            hyperv["evmcs"] = {}
    return new


def write(catalog: Path, folder: Path, number: int, *, as_json: bool) -> None:
    manifests = read(catalog)
    for name, objects in (("base.yaml", manifests), ("head.yaml", changed(manifests))):
        (folder / name).write_text(join(map(dump, objects)))
    vms = fleet(manifests, number)
    (folder / "fleet.yaml").write_text(json.dumps(vms, indent=4) if as_json else dump(vms))
    for name, options in (("old.yaml", {}), ("new.yaml", {"disableSerialConsoleLog": {}})):
        kubevirt = {
            "apiVersion": "kubevirt.io/v1",
            "kind": "KubeVirt",
            "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
            "spec": {"configuration": {"virtualMachineOptions": options}},
        }
        (folder / name).write_text(dump(kubevirt))


def measure(name: str, folder: Path, *arguments: str) -> None:
    report = folder / "report.json"
    started = time.perf_counter()
    with report.open("w") as output:
        command = [sys.executable, "-m", "virtcatalog", "diff", *arguments, "-o", "json"]
        process = subprocess.Popen(command, stdout=output)
        _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    assert os.waitstatus_to_exitcode(status) == 1
    sentence = json.loads(report.read_text())["summary"]["sentence"]
    cpu = used.ru_utime + used.ru_stime
    print(f"{name:24}{seconds:>6.1f} s ({cpu:.1f} s of CPU){used.ru_maxrss / 1024:>7.0f} MiB  ({sentence})", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("catalog", type=Path)
    parser.add_argument("--vms", type=int, default=10_000)
    parser.add_argument("--json", action="store_true", help="a dump as JSON, not YAML")
    arguments = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        # In a process of its own: what a process starts is taken to have used as much memory as it has itself.
        writer = Process(
            target=write, args=(arguments.catalog, folder, arguments.vms), kwargs={"as_json": arguments.json}
        )
        writer.start()
        writer.join()
        base, head, dumped, old, new = (
            str(folder / f"{name}.yaml") for name in ("base", "head", "fleet", "old", "new")
        )
        measure("preferences change", folder, base, head, "-f", dumped)
        measure("configuration changes", folder, base, base, "-f", dumped, "--config", old, new)
        measure("KubeVirt is upgraded", folder, base, base, "-f", dumped, "--kubevirt", "v1.8.4", "v1.9.0")


if __name__ == "__main__":
    main()
