"""Flavors made instance types, images preferences, and of both together what only a preference can say of a flavor."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from virtcatalog.api.kinds import API_VERSIONS
from virtcatalog.api.quantity import Quantity
from virtcatalog.bring.openstack import handlers
from virtcatalog.bring.openstack.lost import lost
from virtcatalog.bring.openstack.read import Resource
from virtcatalog.bring.openstack.sheet import Fate, Handler, Said, Sheet, ValueFault
from virtcatalog.errors import Problem, nearest
from virtcatalog.manifests.merge import merge

_MIB = 2**20
_LONGEST_NAME = 240
_TOPOLOGY = tuple(f"hw:cpu_{most}{level}" for most in ("", "max_") for level in ("sockets", "cores", "threads"))
_KEYS = ("hw:cpu_thread_policy", "hw:watchdog_action", "hw:boot_menu", "hw:pmu", "hw_rng:rate_bytes", "hw:numa_cpus.0")
_DISKS = "the VM's volumes have sizes, and an instance type has no volumes"
NOVA: dict[str, Any] = {
    "clock": {
        "preferredClockOffset": {"utc": {}},
        "preferredTimer": {
            "pit": {"tickPolicy": "delay"},
            "rtc": {"tickPolicy": "catchup"},
            "hpet": {"present": False},
        },
    },
    "devices": {
        "preferredDiskBus": "virtio",
        "preferredInterfaceModel": "virtio",
        "preferredAutoattachInputDevice": True,
        "preferredInputBus": "usb",
        "preferredInputType": "tablet",
        "preferredRng": {},
        "preferredVideoType": "virtio",
    },
    "features": {"preferredAcpi": {}, "preferredApic": {}},
}
"""What nova's libvirt driver gives every guest on KVM whose image says nothing."""


class Property(NamedTuple):
    """A property of a flavor or image, what it says, what becomes of it, and where or why."""

    owner: str
    key: str
    value: str
    fate: Fate
    why: str
    file: str
    line: int
    column: int


class Imported(NamedTuple):
    """The objects that flavors and images became, the fates of all properties, and what is wrong with some.

    `needs` are resources of devices that nobody named.
    """

    objects: list[dict[str, Any]]
    properties: list[Property]
    needs: list[str]
    problems: list[Problem]


def import_resources(resources: Iterable[Resource], devices: Mapping[str, str]) -> Imported:
    """Return what flavors and images become; `devices` name the resources of aliases of PCI devices."""
    made = Imported([], [], [], [])
    resources = list(resources)
    taken: set[str] = set()
    images: list[tuple[str, Sheet]] = []
    for image in (resource for resource in resources if resource.kind == "image"):
        name, sheet = _free(image.name, taken), _image(image, made)
        images.append((name, sheet))
        made.objects.append(_object("VirtualMachineClusterPreference", name, image, sheet.preference))
    taken_types: set[str] = set()
    for flavor in (resource for resource in resources if resource.kind == "flavor"):
        name, sheet = _free(flavor.name, taken_types), _flavor(flavor, devices, made)
        made.objects.append(_object("VirtualMachineClusterInstancetype", name, flavor, sheet.instancetype))
        made.needs.extend(f"flavor {flavor.name}: {need}" for need in dict.fromkeys(sheet.needs))
        for other, image_sheet in images if sheet.preference else ():
            both = merge(image_sheet.preference, sheet.preference)
            made.objects.append(
                _object("VirtualMachineClusterPreference", _free(f"{other}.{name}", taken), flavor, both)
            )
        if sheet.preference and not images:
            alone = merge(NOVA, sheet.preference)
            made.objects.append(_object("VirtualMachineClusterPreference", _free(name, taken), flavor, alone))
    return made


def _free(name: str, taken: set[str]) -> str:
    plain = re.sub(r"[^a-z0-9.-]+", "-", name.lower())
    plain = (
        ".".join(filter(None, (part.strip("-")[:63].strip("-") for part in plain.split("."))))[:250].strip(".-")
        or "unnamed"
    )
    number, found = 1, plain
    while found in taken:
        number += 1
        found = f"{plain}-{number}"
    taken.add(found)
    return found


def _object(kind: str, name: str, resource: Resource, spec: dict[str, Any]) -> dict[str, Any]:
    annotations = {"annotations": {"openshift.io/display-name": resource.name}} if name != resource.name else {}
    version = API_VERSIONS["VirtualMachineClusterInstancetype"]
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **annotations}, "spec": merge(spec)}


def _flavor(flavor: Resource, devices: Mapping[str, str], made: Imported) -> Sheet:
    sheet = Sheet(flavor.vcpus, devices)
    sheet.type("cpu.guest", flavor.vcpus)
    sheet.type("memory.guest", str(Quantity.of(flavor.ram * _MIB)))
    _note(made, flavor, "vcpus", str(flavor.vcpus), Said("carried", "instance type: cpu.guest"))
    _note(made, flavor, "ram", str(flavor.ram), Said("carried", "instance type: memory.guest"))
    for name, size in flavor.sizes.items():
        _note(made, flavor, name, str(size), Said("lost", _DISKS))
    left = dict(flavor.properties)
    wanted = {key: left.pop(key) for key in _TOPOLOGY if key in left}
    known = [key for key in handlers.FLAVOR if key in left]
    for key in [*known, *(each for each in left if each not in handlers.FLAVOR)]:
        handler = handlers.trait if key.startswith("trait:") else handlers.FLAVOR.get(key)
        _apply(made, flavor, sheet, key, left[key], handler)
    if wanted:
        _topology(made, flavor, sheet, wanted)
    return sheet


def _topology(made: Imported, flavor: Resource, sheet: Sheet, wanted: dict[str, str]) -> None:
    exact: dict[str, int] = {}
    most: dict[str, int] = {}
    for key, value in wanted.items():
        if not value.isdecimal() or not 0 < int(value[:9]) < 2**16:
            made.problems.append(flavor.problem(key, f"{value!r} is no whole number from 1 on"))
            return
        (most if "max_" in key else exact)[key.rpartition("_")[2]] = int(value)
    try:
        said = handlers.topology(sheet, exact, most)
    except ValueFault as error:
        made.problems.append(flavor.problem(next(iter(wanted)), f"the layout {error}"))
        return
    for key, value in wanted.items():
        _note(made, flavor, key, value, said)


def _image(image: Resource, made: Imported) -> Sheet:
    sheet = Sheet()
    sheet.preference = merge(NOVA, {})
    known = [key for key in handlers.IMAGE if key in image.properties]
    for key in [*known, *(each for each in image.properties if each not in handlers.IMAGE)]:
        _apply(made, image, sheet, key, image.properties[key], handlers.IMAGE.get(key))
    if image.sizes.get("min_ram"):
        size = str(Quantity.of(image.sizes["min_ram"] * _MIB))
        said = sheet.prefer("requirements.memory.guest", size)
        _note(made, image, "min_ram", str(image.sizes["min_ram"]), said)
    if image.sizes.get("min_disk"):
        _note(made, image, "min_disk", str(image.sizes["min_disk"]), Said("lost", _DISKS))
    return sheet


def _apply(made: Imported, resource: Resource, sheet: Sheet, key: str, value: str, handler: Handler | None) -> None:
    if handler is None:
        said = lost(key)
        if said is None:
            like = nearest(key, [*handlers.FLAVOR, *_TOPOLOGY, *_KEYS] if resource.kind == "flavor" else handlers.IMAGE)
            made.problems.append(resource.problem(key, f"OpenStack knows no such property{like}"))
            return
    else:
        try:
            said = handler(sheet, key, value)
        except ValueFault as error:
            made.problems.append(resource.problem(key, f"{value!r} {error}"))
            return
    _note(made, resource, key, value, said)


def _note(made: Imported, resource: Resource, key: str, value: str, said: Said) -> None:
    line, column = resource.place(key)
    owner = f"{resource.kind} {resource.name}"
    made.properties.append(Property(owner, key, value, said.fate, said.why, resource.file, line, column))
