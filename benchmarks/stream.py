"""How fast `virtcatalog expand` goes through a fleet, how much memory it takes, and when it writes the first result.

usage: stream.py [--vms N] [--against PYTHON] [--runs N] [--write FOLDER]

The fleet is the same each time: VMs over instance types, preferences, disks and networks, each with a name, claims, MAC
addresses, uid and cloud-init of its own. `alike` are files in which 95 of 100 VMs differ in nothing else. With
--against, the same commands run by another environment's python, by turns. Rates are by the CPU time of all processes,
the least of the runs.
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
from multiprocessing import Process
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from fleet import KINDS, mac
from pairs import Manifest, read

from virtcatalog.manifests.emit import dump

CATALOG = Path(__file__).parent.parent / "examples/common-instancetypes"
CLASSES = 5
"""How many sorts of VMs there are among those that are alike."""


def fleet(number: int, alike: float = 0.0, catalog: Path = CATALOG) -> Iterator[Manifest]:
    """Yield so many VMs, of which a share are alike: of five sorts."""
    manifests = read(catalog)
    names = [[each["metadata"]["name"] for each in manifests if each["kind"] == kind] for kind in KINDS]
    pairs = list(itertools.product(*names))
    chance = random.Random(1)
    chance.shuffle(pairs)
    sorts = [shape(pairs[index], random.Random(index)) for index in range(CLASSES)]
    for index in range(number):
        usual = chance.random() < alike
        yield vm(index, chance.choice(sorts) if usual else shape(pairs[index % len(pairs)], chance), chance)


class Shape(NamedTuple):
    """What VMs that are alike have in common."""

    instancetype: str
    preference: str
    disks: tuple[str, ...]
    networks: int
    labels: bool
    running: bool
    evict: str


def shape(pair: tuple[str, str], chance: random.Random) -> Shape:
    disks = tuple(chance.choice(("", "virtio", "scsi", "sata")) for _ in range(chance.randrange(1, 5)))
    evict = chance.choice(("", "LiveMigrate", "None"))
    return Shape(*pair, disks, chance.randrange(1, 4), chance.random() < 0.5, chance.random() < 0.9, evict)


def vm(number: int, of: Shape, chance: random.Random) -> Manifest:
    name, namespace = f"{chance.choice(('web', 'db', 'desktop'))}-{number}", f"team-{number % 200}"
    uid = "-".join(f"{chance.getrandbits(bits):0{bits // 4}x}" for bits in (32, 16, 16, 16, 48))
    volumes = [f"disk{index}" for index in range(len(of.disks))]
    networks = ["default", *(f"net{index}" for index in range(1, of.networks))]
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {
            "annotations": {"kubevirt.io/latest-observed-api-version": "v1"},
            "creationTimestamp": f"2026-05-04T12:{number % 60:02}:00Z",
            "finalizers": ["kubevirt.io/virtualMachineControllerFinalize"],
            "generation": 1 + number % 3,
            "labels": {"app": name, **({"tier": "front"} if of.labels else {})},
            "name": name,
            "namespace": namespace,
            "resourceVersion": str(10**6 + number),
            "uid": uid,
        },
        "spec": {
            "dataVolumeTemplates": [
                {
                    "metadata": {"creationTimestamp": None, "name": f"{name}-{volume}"},
                    "spec": {
                        "sourceRef": {"kind": "DataSource", "name": "guest", "namespace": "images"},
                        "storage": {"resources": {"requests": {"storage": "30Gi"}}},
                    },
                }
                for volume in volumes
            ],
            "instancetype": {"kind": "virtualmachineclusterinstancetype", "name": of.instancetype},
            "preference": {"kind": "virtualmachineclusterpreference", "name": of.preference},
            "runStrategy": "Always" if of.running else "Halted",
            "template": {
                "metadata": {"creationTimestamp": None, "labels": {"kubevirt.io/domain": name}},
                "spec": {
                    "architecture": "amd64",
                    "domain": {
                        "devices": {
                            "disks": [
                                {"name": volume, "disk": {"bus": bus} if bus else {}}
                                for volume, bus in zip(volumes, of.disks, strict=True)
                            ],
                            "interfaces": [
                                {
                                    "macAddress": mac(chance),
                                    **({"masquerade": {}} if network == "default" else {"bridge": {}}),
                                    "name": network,
                                }
                                for network in networks
                            ],
                        },
                        "firmware": {"uuid": uid},
                        "resources": {},
                    },
                    **({"evictionStrategy": of.evict} if of.evict else {}),
                    "networks": [
                        {
                            "name": network,
                            **({"pod": {}} if network == "default" else {"multus": {"networkName": network}}),
                        }
                        for network in networks
                    ],
                    "volumes": [
                        *({"dataVolume": {"name": f"{name}-{volume}"}, "name": volume} for volume in volumes),
                        {"cloudInitNoCloud": {"userData": f"#cloud-config\nhostname: {name}\n"}, "name": "init"},
                    ],
                },
            },
        },
        "status": {
            "conditions": [
                {
                    "lastProbeTime": None,
                    "lastTransitionTime": f"2026-05-04T12:{number % 60:02}:30Z",
                    "status": "True",
                    "type": condition,
                }
                for condition in ("Ready", "LiveMigratable", "AgentConnected")
            ],
            "created": True,
            "printableStatus": "Running",
            "ready": True,
            "runStrategy": "Always",
        },
    }


def write(folder: Path, number: int) -> None:
    """Write the fleets as kubectl prints them, and as a VM a line."""
    for name, share in (("different", 0.0), ("alike", 0.95)):
        with (folder / f"{name}.json").open("w") as text:
            text.write('{\n    "apiVersion": "v1",\n    "items": [')
            for index, each in enumerate(fleet(number, share)):
                item = json.dumps(each, indent=4).replace("\n", "\n        ")
                text.write(f"{',' if index else ''}\n        {item}")
            text.write('\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n')
        with (folder / f"{name}.jsonl").open("w") as text:
            text.writelines(f"{json.dumps(each, separators=(',', ':'))}\n" for each in fleet(number, share))
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
