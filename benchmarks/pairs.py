"""How fast VMs are expanded: one VM with every cluster instance type and cluster preference of a catalog.

usage: pairs.py CATALOG [--profile]

CATALOG is a file of manifests: YAML documents, or JSON one a line (also gzipped). Prints VMs/s for admission and VMI
alone and for the whole chain to the domain XML, in one process; --profile names the ten functions that take longest.
"""

from __future__ import annotations

import argparse
import cProfile
import gzip
import itertools
import json
import pstats
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from virtcatalog.expand.cluster import Cluster
from virtcatalog.pipeline import Result, create_vmi, expand

Manifest = dict[str, Any]


def read(path: Path) -> list[Manifest]:
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    if text.lstrip().startswith("{"):
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    return [document for document in YAML(typ="safe").load_all(text) if document]


def pairs(manifests: list[Manifest]) -> list[Manifest]:
    names = {
        kind: [manifest["metadata"]["name"] for manifest in manifests if manifest["kind"] == kind]
        for kind in ("VirtualMachineClusterInstancetype", "VirtualMachineClusterPreference")
    }
    return [vm(instancetype, preference) for instancetype, preference in itertools.product(*names.values())]


def vm(instancetype: str, preference: str) -> Manifest:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": f"{instancetype}-{preference}", "namespace": "default"},
        "spec": {
            "instancetype": {"name": instancetype},
            "preference": {"name": preference},
            "runStrategy": "Always",
            "template": {
                "spec": {
                    "domain": {"devices": {}},
                    "volumes": [
                        {"name": "root", "containerDisk": {"image": "registry.example.org/guest:1"}},
                        {"name": "seed", "cloudInitNoCloud": {"userData": "#cloud-config\n"}},
                    ],
                }
            },
        },
    }


def chain(manifest: Manifest, cluster: Cluster) -> Result:
    result = expand(manifest, cluster)
    assert result.refused_by == "vm" or result.domain_xml
    return result


def measure(name: str, run: Callable[[Manifest, Cluster], Result], vms: list[Manifest], cluster: Cluster) -> None:
    started = time.perf_counter()
    admitted = sum(run(manifest, cluster).admitted for manifest in vms)
    seconds = time.perf_counter() - started
    print(f"{name:20}{len(vms) / seconds:>8.0f} VMs/s  ({admitted} of {len(vms)} admitted, {seconds:.2f} s)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("catalog", type=Path)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    manifests = read(arguments.catalog)
    vms, cluster = pairs(manifests), Cluster(manifests)
    for name, run in (("admission and VMI", create_vmi), ("whole chain", chain)):
        if not arguments.profile:
            measure(name, run, vms, cluster)
            continue
        profiler = cProfile.Profile()
        profiler.runcall(measure, name, run, vms, cluster)
        pstats.Stats(profiler).strip_dirs().sort_stats("tottime").print_stats(10)


if __name__ == "__main__":
    main()
