"""VirtualMachineInstancePresets as an instance type and a preference.

A preset gives parts of a domain to the VMIs that its selector picks; an instance type and a preference have fields of
their own for many of them, and are named by each VM.
"""

from __future__ import annotations

from typing import Any

from virtcatalog.api.findings import Path
from virtcatalog.bring.convert.change import Changes, inner, inner_map, vcpus
from virtcatalog.catalog.model import API_VERSION
from virtcatalog.kubevirt.matchers import INSTANCETYPE, PREFERENCE
from virtcatalog.manifests.merge import fresh

Data = dict[str, Any]

_TYPE, _PREFERENCE = "instancetype", "preference"
#: Where fields of a domain stand in an instance type's or a preference's spec.
_CARRIED: dict[Path, tuple[str, Path]] = {
    ("cpu", "model"): (_TYPE, ("cpu", "model")),
    ("cpu", "maxSockets"): (_TYPE, ("cpu", "maxSockets")),
    ("cpu", "dedicatedCpuPlacement"): (_TYPE, ("cpu", "dedicatedCPUPlacement")),
    ("cpu", "isolateEmulatorThread"): (_TYPE, ("cpu", "isolateEmulatorThread")),
    ("cpu", "numa"): (_TYPE, ("cpu", "numa")),
    ("cpu", "realtime"): (_TYPE, ("cpu", "realtime")),
    ("cpu", "features"): (_PREFERENCE, ("cpu", "preferredCPUFeatures")),
    ("memory", "guest"): (_TYPE, ("memory", "guest")),
    ("memory", "maxGuest"): (_TYPE, ("memory", "maxGuest")),
    ("memory", "hugepages"): (_TYPE, ("memory", "hugepages")),
    ("ioThreadsPolicy",): (_TYPE, ("ioThreadsPolicy",)),
    ("ioThreads",): (_TYPE, ("ioThreads",)),
    ("launchSecurity",): (_TYPE, ("launchSecurity",)),
    ("devices", "gpus"): (_TYPE, ("gpus",)),
    ("devices", "hostDevices"): (_TYPE, ("hostDevices",)),
    ("machine", "type"): (_PREFERENCE, ("machine", "preferredMachineType")),
    ("firmware", "bootloader", "efi"): (_PREFERENCE, ("firmware", "preferredEfi")),
    ("firmware", "bootloader", "bios", "useSerial"): (_PREFERENCE, ("firmware", "preferredUseBiosSerial")),
    ("clock", "utc"): (_PREFERENCE, ("clock", "preferredClockOffset", "utc")),
    ("clock", "timezone"): (_PREFERENCE, ("clock", "preferredClockOffset", "timezone")),
    ("clock", "timer"): (_PREFERENCE, ("clock", "preferredTimer")),
    **{
        ("features", name): (_PREFERENCE, ("features", f"preferred{name.capitalize()}"))
        for name in ("acpi", "apic", "hyperv", "kvm", "pvspinlock", "smm")
    },
    **{
        ("devices", name): (_PREFERENCE, ("devices", f"preferred{name[0].upper()}{name[1:]}"))
        for name in (
            *("autoattachGraphicsDevice", "autoattachMemBalloon", "autoattachPodInterface", "autoattachSerialConsole"),
            *("autoattachInputDevice", "disableHotplug", "useVirtioTransitional", "rng", "blockMultiQueue"),
        )
    },
    ("devices", "networkInterfaceMultiqueue"): (_PREFERENCE, ("devices", "preferredNetworkInterfaceMultiQueue")),
    ("devices", "tpm"): (_PREFERENCE, ("devices", "preferredTPM")),
    ("devices", "sound", "model"): (_PREFERENCE, ("devices", "preferredSoundModel")),
    ("devices", "video", "type"): (_PREFERENCE, ("devices", "preferredVideoType")),
}
_TOPOLOGY = ("sockets", "cores", "threads")


def preset(data: Data, changes: Changes, memory: str) -> list[Data]:
    """Return the instance type and the preference that carry a preset, as far as there is something for them.

    `memory` is what an instance type gets of a preset that says none, or "".
    """
    spec = inner_map(data, "spec")
    made: dict[str, Data] = {_TYPE: {}, _PREFERENCE: {}}
    moves: list[tuple[Path, str, Path]] = []
    _walk(inner_map(spec, "domain"), (), made, moves, changes)
    _amounts(inner_map(spec, "domain"), made, moves, changes)
    instancetype = made[_TYPE]
    if inner(instancetype, "cpu", "guest") and memory and not inner(instancetype, "memory", "guest"):
        instancetype.setdefault("memory", {})["guest"] = memory
        changes.added(("spec", "domain", "memory", "guest"), f"the instance type gets {memory}, as it was asked for")
    short = [
        what
        for what, part in (("no number of vCPUs", "cpu"), ("no memory", "memory"))
        if not inner(instancetype, part, "guest")
    ]
    for path, kind, to in moves:
        if kind == _TYPE and short:
            changes.lost(path, f"an instance type would say it, and needs more: the preset has {' and '.join(short)}")
        else:
            name = INSTANCETYPE if kind == _TYPE else PREFERENCE
            changes.moved(path, f"{name} spec.{'.'.join(map(str, to))}")
    kinds = ([] if short else [INSTANCETYPE]) + ([PREFERENCE] if made[_PREFERENCE] else [])
    if not kinds:
        changes.clear()
        wanted = f"an instance type would have to say more than the preset, which has {' and '.join(short)}"
        changes.kept(("spec",), f"the preset stays: a preference says nothing of it, and {wanted}")
        return [{**data, "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstancePreset"}]
    changes.changed(("kind",), data["kind"], " and ".join(kinds))
    _selector(spec, kinds, data, changes)
    return [_object(data, kind, made[_TYPE if kind == INSTANCETYPE else _PREFERENCE]) for kind in kinds]


def _walk(value: Any, path: Path, made: dict[str, Data], moves: list[tuple[Path, str, Path]], changes: Changes) -> None:
    """Carry what can be carried of a part of the domain."""
    if path in _CARRIED:
        kind, to = _CARRIED[path]
        _put(made[kind], to, fresh(value))
        moves.append((("spec", "domain", *path), kind, to))
    elif path == ("firmware", "bootloader", "bios") and isinstance(value, dict):
        _put(made[_PREFERENCE], ("firmware", "preferredUseBios"), True)
        moves.append((("spec", "domain", *path), _PREFERENCE, ("firmware", "preferredUseBios")))
        for key, each in value.items():
            _walk(each, (*path, key), made, moves, changes)
    elif path in (("cpu", "sockets"), ("cpu", "cores"), ("cpu", "threads"), ("resources", "requests", "memory")):
        return  # with the others of their kind
    elif isinstance(value, dict) and value:
        for key, each in value.items():
            _walk(each, (*path, key), made, moves, changes)
    elif path and value not in ({}, [], None):
        changes.lost(("spec", "domain", *path), "neither an instance type nor a preference says it: each VM has to")


def _amounts(domain: Data, made: dict[str, Data], moves: list[tuple[Path, str, Path]], changes: Changes) -> None:
    """The vCPUs with their topology, and the memory where only the request says how much."""
    cpu = inner_map(domain, "cpu")
    counts = {key: cpu[key] for key in _TOPOLOGY if cpu.get(key)}
    if counts:
        _put(made[_TYPE], ("cpu", "guest"), vcpus(counts, ("spec", "domain", "cpu")))
        moves += [(("spec", "domain", "cpu", key), _TYPE, ("cpu", "guest")) for key in counts]
        levels = [key for key, count in counts.items() if count > 1]
        if len(levels) == 1:
            _put(made[_PREFERENCE], ("cpu", "preferredCPUTopology"), levels[0])
            changes.added(
                ("spec", "domain", "cpu", levels[0]), f"the preference's preferredCPUTopology {levels[0]} keeps them so"
            )
        elif levels:
            changes.lost(
                ("spec", "domain", "cpu"),
                f"the topology of {' x '.join(f'{counts[key]} {key}' for key in levels)}: "
                "an instance type says the number of vCPUs only",
            )
    requested = inner(domain, "resources", "requests", "memory")
    if requested is None:
        return
    path: Path = ("spec", "domain", "resources", "requests", "memory")
    if inner(made, _TYPE, "memory", "guest") is None:
        _put(made[_TYPE], ("memory", "guest"), str(requested))
        moves.append((path, _TYPE, ("memory", "guest")))
    elif str(made[_TYPE]["memory"]["guest"]) != str(requested):
        changes.lost(path, "an instance type has the guest's memory; overcommitPercent lowers the request for it")
    else:
        moves.append((path, _TYPE, ("memory", "guest")))


def _selector(spec: Data, kinds: list[str], data: Data, changes: Changes) -> None:
    selector, name = spec.get("selector"), inner(data, "metadata", "name")
    fields = {INSTANCETYPE: "spec.instancetype", PREFERENCE: "spec.preference"}
    named = " and ".join(f"{fields[kind]}: {{kind: {kind}, name: {name}}}" for kind in kinds)
    whom = "that it selects" if selector else "of its namespace"
    changes.lost(("spec", "selector"), f"nothing is applied by labels: each VM {whom} has to say {named}")


def _object(data: Data, kind: str, spec: Data) -> Data:
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": fresh(inner_map(data, "metadata")), "spec": spec}


def _put(target: dict[Any, Any], path: Path, value: Any) -> None:
    for key in path[:-1]:
        target = target.setdefault(key, {})
    target[path[-1]] = value
