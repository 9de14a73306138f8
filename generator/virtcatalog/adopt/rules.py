"""Which fields of a VM the fields of instance types and preferences stand for.

Source: pkg/instancetype/apply and pkg/instancetype/preference/apply. The tables list what is worth
trying; that a field may be removed is proven by expanding the VM without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from virtcatalog.api.findings import Path, field_path
from virtcatalog.ask.replacement import FIELDS as MEANINGS
from virtcatalog.ask.replacement import TO_INSTANCETYPE, TO_PREFERENCE
from virtcatalog.kubevirt.preference.fill import filled_fields
from virtcatalog.manifests.fields import EVERY, Patterns, get

TEMPLATE: Path = ("spec", "template")
_ANNOTATIONS: Path = (*TEMPLATE, "metadata", "annotations")


def _same(kind: str, *but: str) -> dict[str, tuple[str, ...]]:
    """The fields of an instance type or preference that mean the same as one field of a domain, but for some."""
    fields = {field_path(field): path for path, (of_kind, field) in MEANINGS.items() if of_kind == kind}
    return {field: (field_path(("domain", *path)),) for field, path in fields.items() if field not in but}


#: Fields of a VM that KubeVirt refuses, or overwrites, once the instance type sets the field on the left.
_DECIDED = {
    **_same(TO_INSTANCETYPE, "ioThreads"),
    "cpu.guest": (
        "domain.cpu.sockets",
        "domain.cpu.cores",
        "domain.cpu.threads",
        "domain.resources.requests.cpu",
        "domain.resources.limits.cpu",
    ),
    "memory.guest": ("domain.memory.guest", "domain.resources.requests.memory", "domain.resources.limits.memory"),
    "nodeSelector": ("nodeSelector",),
    "schedulerName": ("schedulerName",),
    "ioThreads.supplementalPoolThreadCount": ("domain.ioThreads.supplementalPoolThreadCount",),
}

#: Fields that follow from an instance type where neither it nor the VM sets them: the limits of hotplug.
_IMPLIED = {"cpu.guest": ("domain.cpu.maxSockets",), "memory.guest": ("domain.memory.maxGuest",)}

#: Fields that a preference fills in where the VM is silent; those that fill in one field alone say it themselves.
_PREFERRED = {
    **{source: (target,) for source, target in filled_fields().items()},
    **_same(TO_PREFERENCE, "clock.preferredClockOffset.utc", "clock.preferredClockOffset.timezone"),
    "clock.preferredClockOffset": ("domain.clock.utc", "domain.clock.timezone"),
    "cpu.preferredCPUFeatures": ("domain.cpu.features[*]",),
    "devices.preferredAutoattachInputDevice": ("domain.devices.autoattachInputDevice", "domain.devices.inputs"),
    "devices.preferredInputBus": ("domain.devices.inputs[*].bus",),
    "devices.preferredInputType": ("domain.devices.inputs[*].type",),
    "devices.preferredDiskBus": ("domain.devices.disks[*].disk.bus",),
    "devices.preferredLunBus": ("domain.devices.disks[*].lun.bus",),
    "devices.preferredCdromBus": ("domain.devices.disks[*].cdrom.bus",),
    "devices.preferredDiskDedicatedIoThread": ("domain.devices.disks[*].dedicatedIOThread",),
    "devices.preferredDiskCache": ("domain.devices.disks[*].cache",),
    "devices.preferredDiskIO": ("domain.devices.disks[*].io",),
    "devices.preferredDiskBlockSize": ("domain.devices.disks[*].blockSize",),
    "devices.preferredInterfaceModel": ("domain.devices.interfaces[*].model",),
    "devices.preferredInterfaceMasquerade": ("domain.devices.interfaces[*].masquerade",),
    "devices.preferredPanicDeviceModel": ("domain.devices.panicDevices", "domain.devices.panicDevices[*].model"),
    "features.preferredHyperv": ("domain.features.hyperv.*",),
    "firmware.preferredUseEfi": ("domain.firmware.bootloader.efi",),
    "firmware.preferredUseSecureBoot": ("domain.firmware.bootloader.efi.secureBoot",),
    "preferredArchitecture": ("architecture",),
}

#: Fields of a preference that no field of a VM stands for: they decide parts of other fields, or nothing of the VM.
NOT_A_FIELD = frozenset(
    {
        "cpu.preferredCPUTopology",
        "cpu.spreadOptions",
        "preferSpreadSocketToCoreRatio",
        "requirements",
        "devices.preferredVirtualGPUOptions",
        "annotations",
        "volumes.preferredStorageClassName",
    }
)

_STORAGE_CLASS = "volumes.preferredStorageClassName"

#: Switches that say something only when they are on.
_SWITCHES = frozenset({"preferredUseBios", "preferredUseEfi"})

Rules = dict[Path, str]
"""Patterns of a VM's fields, and the fields of the object that stand for them."""


def _pattern(target: str) -> Path:
    return (*TEMPLATE, "spec", *target.replace("[*]", f".{EVERY}").split("."))


def _compile(table: Mapping[str, tuple[str, ...]]) -> dict[Path, tuple[Path, ...]]:
    return {tuple(source.split(".")): tuple(map(_pattern, targets)) for source, targets in table.items()}


_DECIDED_PATHS, _IMPLIED_PATHS, _PREFERRED_PATHS = _compile(_DECIDED), _compile(_IMPLIED), _compile(_PREFERRED)
SOURCES = frozenset(_PREFERRED) | NOT_A_FIELD
"""Every field of a preference that these tables cover."""
FIELDS = frozenset(
    pattern
    for table in (_DECIDED_PATHS, _IMPLIED_PATHS, _PREFERRED_PATHS)
    for patterns in table.values()
    for pattern in patterns
)
"""Every field of a VM that some instance type or preference could stand for."""
FIELD_PATTERNS = Patterns(FIELDS)


def decided(instancetype: dict[str, Any]) -> Rules:
    """Return the fields that must leave a VM for an instance type with this spec."""
    return _rules(instancetype, _DECIDED_PATHS) | _annotations(instancetype)


def implied(instancetype: dict[str, Any]) -> Rules:
    """Return the fields that may leave a VM for an instance type with this spec."""
    return _rules(instancetype, _IMPLIED_PATHS)


def preferred(preference: dict[str, Any]) -> Rules:
    """Return the fields that may leave a VM for a preference with this spec."""
    rules = _rules(preference, _PREFERRED_PATHS) | _annotations(preference)
    if get(preference, tuple(_STORAGE_CLASS.split("."))):
        for claim in ("pvc", "storage"):
            rules["spec", "dataVolumeTemplates", EVERY, "spec", claim, "storageClassName"] = _STORAGE_CLASS
    return rules


def _rules(spec: dict[str, Any], table: Mapping[Path, tuple[Path, ...]]) -> Rules:
    return {
        pattern: field_path(source)
        for source, patterns in table.items()
        if _is_set(source, get(spec, source))
        for pattern in patterns
    }


def _is_set(source: Path, value: Any) -> bool:
    return value is not None and value not in ("", []) and not (value is False and source[-1] in _SWITCHES)


def _annotations(spec: dict[str, Any]) -> Rules:
    return {(*_ANNOTATIONS, key): f"annotations[{key}]" for key in spec.get("annotations") or {}}
