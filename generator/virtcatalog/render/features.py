"""What tables show of instance types: features beside vCPUs and memory, and names in the order people expect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from virtcatalog.errors import counted


class Feature(NamedTuple):
    """A feature in words, and as a short tag for narrow columns."""

    tag: str
    text: str


def features(spec: Mapping[str, Any]) -> list[str]:
    """Return the features of an instance type's spec, in a fixed order."""
    return [feature.text for feature in tagged(spec)]


def tagged(spec: Mapping[str, Any]) -> list[Feature]:
    """Return the features of an instance type's spec with their tags, in a fixed order."""
    cpu, memory = spec.get("cpu", {}), spec.get("memory", {})
    tags = []
    if cpu.get("dedicatedCPUPlacement"):
        tags.append(Feature("dedicated", "dedicated CPUs"))
    if cpu.get("isolateEmulatorThread"):
        tags.append(Feature("emulator", "isolated emulator thread"))
    if "guestMappingPassthrough" in cpu.get("numa", {}):
        tags.append(Feature("NUMA", "NUMA passthrough"))
    if "realtime" in cpu:
        tags.append(Feature("realtime", "realtime"))
    if "model" in cpu:
        tags.append(Feature(cpu["model"], f"CPU model {cpu['model']}"))
    if "hugepages" in memory:
        tags.append(Feature(str(memory["hugepages"]["pageSize"]), f"{memory['hugepages']['pageSize']} hugepages"))
    if memory.get("overcommitPercent"):
        percent = memory["overcommitPercent"]
        tags.append(Feature(f"+{percent}%", f"memory overcommitted by {percent}%"))
    if spec.get("ioThreadsPolicy"):
        tags.append(Feature("IO threads", f"IO threads: {spec['ioThreadsPolicy']}"))
    tags += _devices(spec.get("gpus", ()), "GPU", "GPU")
    tags += _devices(spec.get("hostDevices", ()), "device", "host device")
    tags += [Feature(name, f"launch security: {name}") for name in spec.get("launchSecurity", {})]
    return tags


def _devices(devices: Any, tag: str, noun: str) -> list[Feature]:
    counts: dict[str, int] = {}
    for device in devices:
        resource = device.get("deviceName", device.get("name", ""))
        counts[resource] = counts.get(resource, 0) + 1
    return [
        Feature(f"{count} {tag}s" if count > 1 else tag, f"{counted(count, noun)} ({resource})")
        for resource, count in counts.items()
    ]


_NUMBER = re.compile(r"(\d+)")


def natural(name: str) -> tuple[tuple[int, str], ...]:
    """Return a sort key that compares the numbers within names as numbers."""
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in _NUMBER.split(name))
