"""VMs that the judge of syncs is asked about: ours, other people's, and random ones in all kinds of spellings."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from pathlib import Path
from typing import Any

from duel.draw import Drawer
from loading import read_manifests
from virtcatalog import Cluster, ManifestError, UnsupportedError
from virtcatalog.api.decode import decode_manifest
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.pipeline import create_vmi

REPOSITORY = Path(__file__).parents[2]
#: Manifests of others, beside the checkout where there are any: they are run, and stay where they are.
REAL = REPOSITORY.parent / "shared/conformance/real/cases-real.jsonl.gz"
Data = dict[str, Any]
CLAIM: Data = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "root", "labels": {"instancetype.kubevirt.io/default-instancetype": "m.small"}},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}
#: A VM that infers its type from this claim. KubeVirt refuses it when it is applied again without a rule.
INFERRING: Data = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "inferring"},
    "spec": {
        "runStrategy": "Always",
        "instancetype": {"inferFromVolume": "root"},
        "template": {
            "spec": {
                "domain": {"devices": {}},
                "volumes": [{"name": "root", "persistentVolumeClaim": {"claimName": "root"}}],
            }
        },
    },
}


def candidates(number: int, seed: int, cluster: Cluster) -> list[Data]:
    """Return VMs that KubeVirt's webhooks admit: half are written by people, as far as there are so many."""
    by_people = [vm for vm in [*examples(), *real()] if _is_admitted(vm, cluster)]
    some = by_people[:: max(2 * len(by_people) // number, 1)]
    others = (vm for vm in drawn(seed, cluster.release.name) if _is_admitted(vm, cluster))
    return [*some, *islice(others, max(number - len(some), 0))]


def examples() -> Iterator[Data]:
    """Yield the repository's own VMs."""
    for folder in ("catalog/vms", "tests/elements/vms"):
        for file in sorted((REPOSITORY / folder).rglob("*.yaml")):
            yield from (manifest.data for manifest in read_manifests(file.read_bytes(), file.name))


def real() -> Iterator[Data]:
    """Yield other people's VMs, each once."""
    if not REAL.exists():
        return
    seen = set()
    with gzip.open(REAL, "rt") as lines:
        for line in lines:
            vm = json.loads(line)["vm"]
            text = json.dumps(vm, sort_keys=True)
            if text not in seen:
                seen.add(text)
                yield vm


def drawn(seed: int, release: str) -> Iterator[Data]:
    """Yield random VMs without end, spelled at random."""
    number = 0
    while True:
        drawer = Drawer(seed * 1_000_000 + number, release)
        number += 1
        yield misspelled(drawer.vm(f"drawn-{number}"), random.Random(seed * 1_000_000 + number))


def misspelled(vm: Data, chance: random.Random) -> Data:
    """Return a VM with what people write and clusters do not store."""
    vm = _respell(deepcopy(vm), chance)
    spec = vm["spec"]["template"].setdefault("spec", {})
    additions: list[tuple[Data, str, Any]] = [
        (vm["metadata"], "labels", {}),
        (vm["metadata"], "annotations", {}),
        (vm["metadata"], "creationTimestamp", None),
        (vm["metadata"], "generation", 4),
        (vm["spec"]["template"].setdefault("metadata", {}), "creationTimestamp", None),
        (spec, "nodeSelector", {}),
        (spec, "tolerations", []),
        (spec.setdefault("domain", {}), "machine", {"type": ""}),
        (spec["domain"].setdefault("devices", {}), "gpus", []),
        (spec["domain"].setdefault("cpu", {}), "dedicatedCpuPlacement", False),
    ]
    for template in vm["spec"].get("dataVolumeTemplates", ()):
        additions += [(template.setdefault("metadata", {}), "creationTimestamp", None)]
    for holder, name, value in additions:
        if chance.random() < 0.2:
            holder.setdefault(name, value)
    return vm


def _respell(value: Any, chance: random.Random, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _respell(item, chance, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_respell(item, chance, key) for item in value]
    if key in ("guest", "memory", "storage", "cpu") and isinstance(value, str) and chance.random() < 0.5:
        return _respelled_quantity(value, chance)
    return value


def _respelled_quantity(text: str, chance: random.Random) -> Any:
    try:
        amount = Quantity.parse(text)
    except ValueError:
        return text
    if text.endswith("Gi") and text[:-2].isdecimal():
        return f"{int(text[:-2]) * 1024}Mi"
    if text.isdecimal():
        return chance.choice((int(text), f"{text}000m"))
    return "0.5" if str(amount) == "500m" else text


def changes(manifest: Data) -> Iterator[tuple[str, Data]]:
    """Yield a manifest with a change of each kind that no rule may hide."""
    for what in ("cpu", "memory", "disk", "network", "firmware"):
        changed = deepcopy(manifest)
        spec = changed["spec"]["template"]["spec"]
        domain = spec["domain"]
        match what:
            case "cpu":
                domain["cpu"] = {**(domain.get("cpu") or {}), "cores": 7}
            case "memory":
                domain["memory"] = {**(domain.get("memory") or {}), "guest": "3333Mi"}
            case "disk":
                domain["devices"]["disks"] = [
                    *domain["devices"].get("disks", ()),
                    {"name": "new", "disk": {"bus": "scsi"}},
                ]
            case "network":
                spec["networks"] = [*spec.get("networks", ()), {"name": "new", "multus": {"networkName": "new"}}]
            case "firmware":
                firmware = domain.get("firmware") or {}
                efi, bios = {"efi": {"secureBoot": False}}, {"bios": {"useSerial": True}}
                domain["firmware"] = {**firmware, "bootloader": efi if firmware.get("bootloader") == bios else bios}
        yield what, changed
    if (manifest["spec"].get("instancetype") or {}).get("inferFromVolume"):
        changed = deepcopy(manifest)
        changed["spec"]["instancetype"]["inferFromVolume"] = "other"
        yield "type", changed


def _is_admitted(vm: Data, cluster: Cluster) -> bool:
    """Whether KubeVirt takes a VM that says all that it has to: of others `check` says that, and nothing of syncs."""
    try:
        decode_manifest(vm, VirtualMachine)
        return create_vmi(vm, cluster).refused_by != "vm"
    except (ManifestError, UnsupportedError):
        return False
