"""What tables show of instance types: features beside vCPUs and memory, and names in the order people expect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from virtcatalog.errors import counted


def features(spec: Mapping[str, Any]) -> list[str]:
    """Return the features of an instance type's spec, in a fixed order."""
    cpu, memory = spec.get("cpu", {}), spec.get("memory", {})
    words = []
    if cpu.get("dedicatedCPUPlacement"):
        words.append("dedicated CPUs")
    if cpu.get("isolateEmulatorThread"):
        words.append("isolated emulator thread")
    if "guestMappingPassthrough" in cpu.get("numa", {}):
        words.append("NUMA passthrough")
    if "realtime" in cpu:
        words.append("realtime")
    if "model" in cpu:
        words.append(f"CPU model {cpu['model']}")
    if "hugepages" in memory:
        words.append(f"{memory['hugepages']['pageSize']} hugepages")
    if memory.get("overcommitPercent"):
        words.append(f"memory overcommitted by {memory['overcommitPercent']}%")
    if spec.get("ioThreadsPolicy"):
        words.append(f"IO threads: {spec['ioThreadsPolicy']}")
    words += _devices(spec.get("gpus", ()), "GPU")
    words += _devices(spec.get("hostDevices", ()), "host device")
    words += [f"launch security: {name}" for name in spec.get("launchSecurity", {})]
    return words


def _devices(devices: Any, what: str) -> list[str]:
    counts: dict[str, int] = {}
    for device in devices:
        resource = device.get("deviceName", device.get("name", ""))
        counts[resource] = counts.get(resource, 0) + 1
    return [f"{counted(count, what)} ({resource})" for resource, count in counts.items()]


_NUMBER = re.compile(r"(\d+)")


def natural(name: str) -> tuple[tuple[int, str], ...]:
    """Return a sort key that compares the numbers within names as numbers."""
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in _NUMBER.split(name))
