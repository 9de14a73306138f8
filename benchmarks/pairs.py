"""The VMs of the benchmarks: one with every cluster instance type and cluster preference of a catalog."""

from __future__ import annotations

import gzip
import itertools
import json
from pathlib import Path
from typing import Any

from virtcatalog.catalog.load import load_catalog
from virtcatalog.cli.inputs import catalog_objects

Manifest = dict[str, Any]


def read(path: Path) -> list[Manifest]:
    """Return the manifests of a catalog, an output tree, a folder, or a file of JSON, one a line (also gzipped)."""
    if path.suffix == ".gz":
        return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines() if line.strip()]
    if (path / "catalog.yaml").is_file():
        return load_catalog(path).objects()
    return catalog_objects(str(path))


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
