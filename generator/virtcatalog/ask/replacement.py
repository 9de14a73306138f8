"""The instance type and preference that would replace a preset, and the fields of domains that these two have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from virtcatalog.api.decode import to_manifest
from virtcatalog.api.findings import Path
from virtcatalog.api.kubevirt import VirtualMachineInstancePreset
from virtcatalog.manifests.fields import get

Fragment = dict[str, Any]

TO_INSTANCETYPE, TO_PREFERENCE = "instancetype", "preference"
BIOS: Final[Path] = ("firmware", "bootloader", "bios")
"""The preference only says that it is used, and has its fields beside that."""
FIELDS: Final[dict[Path, tuple[str, Path]]] = {
    ("cpu", "model"): (TO_INSTANCETYPE, ("cpu", "model")),
    ("cpu", "dedicatedCpuPlacement"): (TO_INSTANCETYPE, ("cpu", "dedicatedCPUPlacement")),
    ("cpu", "numa"): (TO_INSTANCETYPE, ("cpu", "numa")),
    ("cpu", "isolateEmulatorThread"): (TO_INSTANCETYPE, ("cpu", "isolateEmulatorThread")),
    ("cpu", "realtime"): (TO_INSTANCETYPE, ("cpu", "realtime")),
    ("cpu", "maxSockets"): (TO_INSTANCETYPE, ("cpu", "maxSockets")),
    ("cpu", "features"): (TO_PREFERENCE, ("cpu", "preferredCPUFeatures")),
    ("memory", "guest"): (TO_INSTANCETYPE, ("memory", "guest")),
    ("memory", "maxGuest"): (TO_INSTANCETYPE, ("memory", "maxGuest")),
    ("memory", "hugepages"): (TO_INSTANCETYPE, ("memory", "hugepages")),
    ("ioThreadsPolicy",): (TO_INSTANCETYPE, ("ioThreadsPolicy",)),
    ("ioThreads",): (TO_INSTANCETYPE, ("ioThreads",)),
    ("launchSecurity",): (TO_INSTANCETYPE, ("launchSecurity",)),
    ("devices", "gpus"): (TO_INSTANCETYPE, ("gpus",)),
    ("devices", "hostDevices"): (TO_INSTANCETYPE, ("hostDevices",)),
    ("machine", "type"): (TO_PREFERENCE, ("machine", "preferredMachineType")),
    ("firmware", "bootloader", "efi"): (TO_PREFERENCE, ("firmware", "preferredEfi")),
    BIOS: (TO_PREFERENCE, ("firmware", "preferredUseBios")),
    (*BIOS, "useSerial"): (TO_PREFERENCE, ("firmware", "preferredUseBiosSerial")),
    **{
        ("features", name): (TO_PREFERENCE, ("features", f"preferred{name.capitalize()}"))
        for name in ("acpi", "apic", "hyperv", "kvm", "pvspinlock", "smm")
    },
    ("clock", "utc"): (TO_PREFERENCE, ("clock", "preferredClockOffset", "utc")),
    ("clock", "timezone"): (TO_PREFERENCE, ("clock", "preferredClockOffset", "timezone")),
    ("clock", "timer"): (TO_PREFERENCE, ("clock", "preferredTimer")),
    **{
        ("devices", name): (TO_PREFERENCE, ("devices", f"preferred{name[0].upper()}{name[1:]}"))
        for name in (
            *("autoattachGraphicsDevice", "autoattachMemBalloon", "autoattachPodInterface", "autoattachSerialConsole"),
            *("autoattachInputDevice", "disableHotplug", "useVirtioTransitional", "rng", "blockMultiQueue"),
        )
    },
    ("devices", "networkInterfaceMultiqueue"): (TO_PREFERENCE, ("devices", "preferredNetworkInterfaceMultiQueue")),
    ("devices", "tpm"): (TO_PREFERENCE, ("devices", "preferredTPM")),
    ("devices", "sound", "model"): (TO_PREFERENCE, ("devices", "preferredSoundModel")),
    ("devices", "video", "type"): (TO_PREFERENCE, ("devices", "preferredVideoType")),
}
"""Fields of a domain, with the fields of the spec of an instance type or of a preference that have the same meaning."""

# pkg/virt-api/webhooks/mutating-webhook/mutators/preset.go: the fields of a preset that KubeVirt applies.
_REPLACED_PARTS = ("cpu", "ioThreadsPolicy", "firmware", "features", "clock")
_APPLIED = frozenset({*_REPLACED_PARTS, "resources", "devices"})


class Replacement(msgspec.Struct, frozen=True):
    """Fragments of the specs of an instance type and of a preference; `vm` are the fields that neither can have.

    `needed` are required fields of an instance type that the preset lacks; `idle` are fields of the preset that
    KubeVirt never applied.
    """

    instancetype: Fragment
    preference: Fragment
    vm: tuple[str, ...]
    needed: tuple[str, ...]
    idle: tuple[str, ...]


def replacement(preset: VirtualMachineInstancePreset) -> Replacement:
    """Split the domain of a preset into what an instance type has, what a preference has, and the rest."""
    domain = preset.spec.domain
    if domain is None:
        return Replacement({}, {}, (), (), ())
    written = to_manifest(domain)
    vm: list[str] = []
    specs: dict[str, Fragment] = {TO_INSTANCETYPE: {}, TO_PREFERENCE: {}}
    vcpus = domain.cpu.vcpus if domain.cpu is not None else 0
    for name, amount in domain.resources.requests.items():
        if name == "memory":
            put(specs[TO_INSTANCETYPE], ("memory", "guest"), str(amount))
        elif name == "cpu" and not vcpus and amount.milli_value % 1000 == 0:
            put(specs[TO_INSTANCETYPE], ("cpu", "guest"), amount.value)
        else:
            vm.append(f"resources.requests[{name}]")
    if vcpus:
        put(specs[TO_INSTANCETYPE], ("cpu", "guest"), vcpus)
        levels = [name for name in ("sockets", "cores", "threads") if written["cpu"].get(name, 1) > 1]
        if len(levels) > 1:
            vm.append("cpu." + ", cpu.".join(levels))
        elif levels and levels != ["sockets"]:  # the default of preferences
            put(specs[TO_PREFERENCE], ("cpu", "preferredCPUTopology"), levels[0])
    for path, value in _fields(written):
        kind, to = FIELDS[path]
        put(specs[kind], to, True if path == BIOS else value)
    fields = {path[:2] for path in FIELDS}
    vm += [
        f"{part}.{key}"
        for part in ("firmware", "features")
        for key in written.get(part, {})
        if (part, key) not in fields
    ]
    vm += ["devices.watchdog"] if domain.devices.watchdog is not None else []
    idle = [field for field in written if field not in _APPLIED]
    idle += [f"devices.{field}" for field in written["devices"] if field != "watchdog"]
    idle += [f"resources.{field}" for field in written.get("resources", {}) if field != "requests"]
    instancetype = specs[TO_INSTANCETYPE]
    needed = [f"{part}.guest" for part in ("cpu", "memory") if "guest" not in instancetype.get(part, {})]
    return Replacement(
        instancetype, specs[TO_PREFERENCE], tuple(vm), tuple(needed) if instancetype else (), tuple(idle)
    )


def _fields(domain: Fragment) -> Iterator[tuple[Path, Any]]:
    """The fields of a preset's domain that an instance type or preference has, and that KubeVirt applied."""
    has_efi = get(domain, (*BIOS[:-1], "efi")) is not None
    for path in FIELDS:
        value = get(domain, path) if path[0] in _REPLACED_PARTS else None
        # The API writes `acpi: {}` out by itself: it is on without a preference, too.
        if value in (None, []) or (path == ("features", "acpi") and not value) or (has_efi and path[:3] == BIOS):
            continue
        yield path, value


def put(target: dict[Any, Any], path: Path, value: Any) -> None:
    """Set a value at a path of keys, in place."""
    for key in path[:-1]:
        target = target.setdefault(key, {})
    target[path[-1]] = value
