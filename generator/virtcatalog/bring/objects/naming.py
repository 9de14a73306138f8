"""The names of components, by their facts."""

from __future__ import annotations

import re
from typing import Any

from virtcatalog.bring.objects.facts import Facts, Path

_WORDS = {
    "preferredDiskBus": "disk",
    "preferredCdromBus": "cdrom",
    "preferredLunBus": "lun",
    "preferredInterfaceModel": "nic",
    "preferredVideoType": "video",
    "preferredSoundModel": "sound",
    "preferredMachineType": "machine",
    "preferredDiskDedicatedIoThread": "disk-iothread",
    "preferredDiskCache": "disk-cache",
    "preferredDiskIO": "disk-io",
    "preferredBlockMultiQueue": "disk-multiqueue",
    "preferredNetworkInterfaceMultiQueue": "nic-multiqueue",
    "preferredStorageClassName": "storage",
    "preferredTPM": "tpm",
    "preferredRng": "rng",
    "preferredPanicDeviceModel": "panic",
}
_SECTIONS = {
    "Disks and network": ("disk", "cdrom", "lun", "nic", "virtio"),
    "Firmware": ("secureboot", "efi", "bios", "tpm", "firmware"),
    "CPUs and memory": ("topology", "cpu", "memory", "dedicated"),
}
_SLUG = re.compile(r"[^a-z0-9]+")


def component_name(facts: Facts) -> str:
    """Return a name for a fragment of one unit."""
    if all(value is None for value in facts.values()):
        name = max(facts)[-1]
        return f"no-{_WORDS.get(name, _slug(name))}"
    paths = {path[1:]: value for path, value in facts.items() if value is not None}
    first = min(paths)
    if first[0] == "firmware" or first[:2] == ("features", "preferredSmm"):
        return _firmware(paths)
    if first[0] in ("clock", "features"):
        hyperv = any("preferredHyperv" in path for path in paths)
        return "hyperv" if hyperv else first[0] if len(paths) > 1 else _switch(first, paths[first])
    if first[0] == "cpu" and any(path[-1] == "preferredCPUTopology" for path in paths):
        return _topology(paths)
    if first[0] == "annotations":
        return _annotations(paths)
    if first[0] == "devices" and "Input" in first[-1]:
        values = [
            str(paths[path])
            for path in (("devices", "preferredInputType"), ("devices", "preferredInputBus"))
            if path in paths
        ]
        return "-".join(values) or "input-device"
    if first[0] == "preferredTerminationGracePeriodSeconds":
        return f"grace-{_duration(paths[first])}"
    return _plain(first, paths)


def _switch(path: Path, value: Any) -> str:
    """The name of a feature or timer, of which `enabled` or `present` says that it is off."""
    name = _slug(path[-2] if path[-1] in ("enabled", "present") else path[-1])
    return f"no-{name}" if value is False else name


def _firmware(paths: dict[Path, Any]) -> str:
    values = {path[-1]: value for path, value in paths.items()}
    if values.get("secureBoot") is True or values.get("preferredUseSecureBoot") is True:
        name = "secureboot"
    elif values.get("preferredUseBios") is True:
        name = "bios"
    elif (
        "preferredEfi" in values
        or "secureBoot" in values
        or values.get("preferredUseEfi") is True
        or "persistent" in values
    ):
        name = "efi"
    else:
        name = next((_switch(path, value) for path, value in paths.items() if path[0] == "features"), "firmware")
    return f"{name}-persistent" if values.get("persistent") is True else name


def _topology(paths: dict[Path, Any]) -> str:
    values = {path[-1]: value for path, value in paths.items()}
    parts = ["topology", str(values["preferredCPUTopology"])]
    if "across" in values:
        parts.append("threads" if "Threads" in str(values["across"]) else str(values["across"]))
    parts += [str(values["ratio"])] if "ratio" in values else []
    return _slug("-".join(parts))


def _annotations(paths: dict[Path, Any]) -> str:
    if len(paths) > 1:
        domains = {path[-1].partition("/")[0].split(".")[-2:][0] for path in paths}
        return _slug(f"{min(domains)}-annotations")
    ((path, value),) = paths.items()
    key = path[-1].rpartition("/")[2]
    return _slug(key if str(value).lower() == "true" else f"{key}-{value}")


def _plain(first: Path, paths: dict[Path, Any]) -> str:
    value = paths[first] if len(paths) == 1 else None
    field = next(
        (key for key in first if key in _WORDS), first[1] if first[0] == "devices" and len(first) > 1 else first[0]
    )
    name = _WORDS.get(field) or _slug(field)
    if value is False:
        return f"no-{name}"
    if isinstance(value, (str, int)) and not isinstance(value, bool) and field == first[-1]:
        return f"{name}-{_slug(str(value))}"
    return name


def _duration(seconds: Any) -> str:
    for unit, length in (("h", 3600), ("m", 60)):
        if isinstance(seconds, int) and seconds and seconds % length == 0:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"


def _slug(text: str) -> str:
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text.removeprefix("preferred"))
    return _SLUG.sub("-", text.lower()).strip("-") or "other"


def section(name: str) -> str:
    """Return the heading of a component's section."""
    plain = name.removeprefix("no-")
    return next((title for title, starts in _SECTIONS.items() if plain.startswith(starts)), "Other")
