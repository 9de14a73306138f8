"""VirtualMachineInstancePresets as an instance type and a preference.

A preset sets fields of the domains of the VMIs that its selector matches. Instance types and preferences have fields of
their own for many of these, and VMs name them.
"""

from __future__ import annotations

from typing import Any

from virtcatalog.api.findings import Path
from virtcatalog.api.kinds import CATALOG_API_VERSION, INSTANCETYPE, PREFERENCE
from virtcatalog.ask.replacement import BIOS, FIELDS, TO_INSTANCETYPE, TO_PREFERENCE, put
from virtcatalog.bring.convert.change import Changes, vcpus
from virtcatalog.manifests.fields import get, map_at
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.merge import fresh

_TOPOLOGY = ("sockets", "cores", "threads")
#: Maps below the parts of a domain that mean nothing while they are empty; others are switches, as `clientPassthrough`.
_CONTAINERS = frozenset({("resources", "requests"), ("resources", "limits"), ("firmware", "bootloader")})


def preset(data: Data, changes: Changes, memory: str) -> list[Data]:
    """Return the instance type and the preference that replace a preset, or those of them that would have fields.

    `memory` is for an instance type whose preset has none, or "".
    """
    spec = map_at(data, "spec")
    specs: dict[str, Data] = {TO_INSTANCETYPE: {}, TO_PREFERENCE: {}}
    moved: list[tuple[Path, str, Path]] = []
    _walk(map_at(spec, "domain"), (), specs, moved, changes)
    _amounts(map_at(spec, "domain"), specs, moved, changes)
    instancetype = specs[TO_INSTANCETYPE]
    if get(instancetype, ("cpu", "guest")) and memory and not get(instancetype, ("memory", "guest")):
        instancetype.setdefault("memory", {})["guest"] = memory
        changes.added(("spec", "domain", "memory", "guest"), f"the instance type gets {memory}, as it was asked for")
    lacking = [
        lack
        for lack, part in (("no number of vCPUs", "cpu"), ("no memory", "memory"))
        if not get(instancetype, (part, "guest"))
    ]
    for path, kind, to in moved:
        if kind == TO_INSTANCETYPE and lacking:
            changes.lost(path, f"an instance type would say it, and needs more: the preset has {' and '.join(lacking)}")
        else:
            name = INSTANCETYPE if kind == TO_INSTANCETYPE else PREFERENCE
            changes.moved(path, f"{name} spec.{'.'.join(map(str, to))}")
    kinds = ([] if lacking else [INSTANCETYPE]) + ([PREFERENCE] if specs[TO_PREFERENCE] else [])
    if not kinds:
        changes.clear()
        lack_text = f"an instance type would have to say more than the preset, which has {' and '.join(lacking)}"
        changes.kept(("spec",), f"the preset stays: a preference says nothing of it, and {lack_text}")
        return [{**data, "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstancePreset"}]
    changes.changed(("kind",), data["kind"], " and ".join(kinds))
    _selector(spec, kinds, data, changes)
    return [_object(data, kind, specs[TO_INSTANCETYPE if kind == INSTANCETYPE else TO_PREFERENCE]) for kind in kinds]


def _walk(
    value: Any, path: Path, specs: dict[str, Data], moved: list[tuple[Path, str, Path]], changes: Changes
) -> None:
    """Move the fields of a part of the domain, as far as possible."""
    if path in FIELDS and (path != BIOS or isinstance(value, dict)):
        kind, to = FIELDS[path]
        put(specs[kind], to, True if path == BIOS else fresh(value))
        moved.append((("spec", "domain", *path), kind, to))
        for key, item in value.items() if path == BIOS else ():
            _walk(item, (*path, key), specs, moved, changes)
    elif path in (("cpu", "sockets"), ("cpu", "cores"), ("cpu", "threads"), ("resources", "requests", "memory")):
        return  # `_amounts` moves them
    elif isinstance(value, dict) and value:
        for key, item in value.items():
            _walk(item, (*path, key), specs, moved, changes)
    elif value not in ({}, [], None) or (value == {} and len(path) > 1 and path not in _CONTAINERS):
        changes.lost(("spec", "domain", *path), "neither an instance type nor a preference says it: each VM has to")


def _amounts(domain: Data, specs: dict[str, Data], moved: list[tuple[Path, str, Path]], changes: Changes) -> None:
    """Move the vCPUs with their topology, and the memory where only its request is set."""
    cpu = map_at(domain, "cpu")
    counts = {key: cpu[key] for key in _TOPOLOGY if cpu.get(key)}
    if counts:
        put(specs[TO_INSTANCETYPE], ("cpu", "guest"), vcpus(counts, ("spec", "domain", "cpu")))
        moved += [(("spec", "domain", "cpu", key), TO_INSTANCETYPE, ("cpu", "guest")) for key in counts]
        levels = [key for key, count in counts.items() if count > 1]
        if len(levels) == 1:
            put(specs[TO_PREFERENCE], ("cpu", "preferredCPUTopology"), levels[0])
            changes.added(
                ("spec", "domain", "cpu", levels[0]), f"the preference's preferredCPUTopology {levels[0]} keeps them so"
            )
        elif levels:
            changes.lost(
                ("spec", "domain", "cpu"),
                f"the topology of {' x '.join(f'{counts[key]} {key}' for key in levels)}: "
                "an instance type says the number of vCPUs only",
            )
    requested = get(domain, ("resources", "requests", "memory"))
    if requested is None:
        return
    path: Path = ("spec", "domain", "resources", "requests", "memory")
    if get(specs, (TO_INSTANCETYPE, "memory", "guest")) is None:
        put(specs[TO_INSTANCETYPE], ("memory", "guest"), str(requested))
        moved.append((path, TO_INSTANCETYPE, ("memory", "guest")))
    elif str(specs[TO_INSTANCETYPE]["memory"]["guest"]) != str(requested):
        changes.lost(path, "an instance type has the guest's memory; overcommitPercent lowers the request for it")
    else:
        moved.append((path, TO_INSTANCETYPE, ("memory", "guest")))


def _selector(spec: Data, kinds: list[str], data: Data, changes: Changes) -> None:
    selector, name = spec.get("selector"), get(data, ("metadata", "name"))
    fields = {INSTANCETYPE: "spec.instancetype", PREFERENCE: "spec.preference"}
    matchers = " and ".join(f"{fields[kind]}: {{kind: {kind}, name: {name}}}" for kind in kinds)
    whom = "that it selects" if selector else "of its namespace"
    changes.lost(("spec", "selector"), f"nothing is applied by labels: each VM {whom} has to say {matchers}")


def _object(data: Data, kind: str, spec: Data) -> Data:
    return {"apiVersion": CATALOG_API_VERSION, "kind": kind, "metadata": fresh(map_at(data, "metadata")), "spec": spec}
