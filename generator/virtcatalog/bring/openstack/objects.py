"""Instance types of flavors, preferences of images, and of both where a flavor has fields of a preference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from virtcatalog.api.kinds import API_VERSIONS, CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE
from virtcatalog.api.quantity import Quantity
from virtcatalog.bring.imports import Fate, Verdict, carried, free_name, lost
from virtcatalog.bring.openstack import cpu, handlers
from virtcatalog.bring.openstack.handlers import unsupported
from virtcatalog.bring.openstack.read import Resource
from virtcatalog.bring.openstack.sheet import Handler, Sheet, ValueFault
from virtcatalog.errors import Problem, nearest
from virtcatalog.manifests.merge import merge

_MIB = 2**20
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
"""The defaults of nova's libvirt driver for guests on KVM."""


class Property(NamedTuple):
    """A property of a flavor or image, with its value, fate and place in the file."""

    owner: str
    key: str
    value: str
    fate: Fate
    why: str
    file: str
    line: int
    column: int


class Imported(NamedTuple):
    """The objects made of flavors and images, all properties with their fates, and the problems of some.

    `needs` are resources of devices that no rule names.
    """

    objects: list[dict[str, Any]]
    properties: list[Property]
    needs: list[str]
    problems: list[Problem]


def import_resources(resources: Iterable[Resource], devices: Mapping[str, str]) -> Imported:
    """Return the objects of flavors and images; `devices` are the resources of aliases of PCI devices."""
    imported = Imported([], [], [], [])
    resources = list(resources)
    preference_names: set[str] = set()

    def add_preference(text: str, resource: Resource, spec: dict[str, Any]) -> str:
        name = free_name(text, preference_names)
        imported.objects.append(_object(CLUSTER_PREFERENCE, name, resource, spec))
        return name

    images: list[tuple[str, dict[str, Any]]] = []
    for image in (resource for resource in resources if resource.kind == "image"):
        preference = _image(image, imported).preference
        images.append((add_preference(image.name, image, preference), preference))
    type_names: set[str] = set()
    for flavor in (resource for resource in resources if resource.kind == "flavor"):
        name, sheet = free_name(flavor.name, type_names), _flavor(flavor, devices, imported)
        imported.objects.append(_object(CLUSTER_INSTANCETYPE, name, flavor, sheet.instancetype))
        imported.needs.extend(f"flavor {flavor.name}: {need}" for need in dict.fromkeys(sheet.needs))
        if sheet.preference:
            for image_name, preference in images:
                add_preference(f"{image_name}.{name}", flavor, merge(preference, sheet.preference))
            if not images:
                add_preference(name, flavor, merge(NOVA, sheet.preference))
    return imported


def _object(kind: str, name: str, resource: Resource, spec: dict[str, Any]) -> dict[str, Any]:
    annotations = {"annotations": {"openshift.io/display-name": resource.name}} if name != resource.name else {}
    return {
        "apiVersion": API_VERSIONS[kind],
        "kind": kind,
        "metadata": {"name": name, **annotations},
        "spec": merge(spec),
    }


def _flavor(flavor: Resource, devices: Mapping[str, str], imported: Imported) -> Sheet:
    sheet = Sheet(flavor.vcpus, devices)
    sheet.type("cpu.guest", flavor.vcpus)
    sheet.type("memory.guest", str(Quantity.of(flavor.ram * _MIB)))
    _note(imported, flavor, "vcpus", str(flavor.vcpus), carried("instance type: cpu.guest"))
    _note(imported, flavor, "ram", str(flavor.ram), carried("instance type: memory.guest"))
    for name, size in flavor.sizes.items():
        _note(imported, flavor, name, str(size), lost(_DISKS))
    properties = dict(flavor.properties)
    layout = {key: properties.pop(key) for key in _TOPOLOGY if key in properties}
    handled = [key for key in handlers.FLAVOR if key in properties]
    for key in [*handled, *(key for key in properties if key not in handlers.FLAVOR)]:
        handler = cpu.trait if key.startswith("trait:") else handlers.FLAVOR.get(key)
        _apply(imported, flavor, sheet, key, properties[key], handler)
    if layout:
        _topology(imported, flavor, sheet, layout)
    return sheet


def _topology(imported: Imported, flavor: Resource, sheet: Sheet, layout: dict[str, str]) -> None:
    exact: dict[str, int] = {}
    most: dict[str, int] = {}
    for key, value in layout.items():
        if not value.isdecimal() or not 0 < int(value[:9]) < 2**16:
            imported.problems.append(flavor.problem(key, f"{value!r} is no whole number from 1 on"))
            return
        (most if "max_" in key else exact)[key.rpartition("_")[2]] = int(value)
    try:
        verdict = cpu.topology(sheet, exact, most)
    except ValueFault as error:
        imported.problems.append(flavor.problem(next(iter(layout)), f"the layout {error}"))
        return
    for key, value in layout.items():
        _note(imported, flavor, key, value, verdict)


def _image(image: Resource, imported: Imported) -> Sheet:
    sheet = Sheet()
    sheet.preference = merge(NOVA, {})
    handled = [key for key in handlers.IMAGE if key in image.properties]
    for key in [*handled, *(key for key in image.properties if key not in handlers.IMAGE)]:
        _apply(imported, image, sheet, key, image.properties[key], handlers.IMAGE.get(key))
    if image.sizes.get("min_ram"):
        size = str(Quantity.of(image.sizes["min_ram"] * _MIB))
        verdict = sheet.prefer("requirements.memory.guest", size)
        _note(imported, image, "min_ram", str(image.sizes["min_ram"]), verdict)
    if image.sizes.get("min_disk"):
        _note(imported, image, "min_disk", str(image.sizes["min_disk"]), lost(_DISKS))
    return sheet


def _apply(imported: Imported, resource: Resource, sheet: Sheet, key: str, value: str, handler: Handler | None) -> None:
    if handler is None:
        verdict = unsupported(key)
        if verdict is None:
            like = nearest(key, [*handlers.FLAVOR, *_TOPOLOGY, *_KEYS] if resource.kind == "flavor" else handlers.IMAGE)
            imported.problems.append(resource.problem(key, f"OpenStack knows no such property{like}"))
            return
    else:
        try:
            verdict = handler(sheet, key, value)
        except ValueFault as error:
            imported.problems.append(resource.problem(key, f"{value!r} {error}"))
            return
    _note(imported, resource, key, value, verdict)


def _note(imported: Imported, resource: Resource, key: str, value: str, verdict: Verdict) -> None:
    line, column = resource.place(key)
    owner = f"{resource.kind} {resource.name}"
    imported.properties.append(Property(owner, key, value, verdict.fate, verdict.why, resource.file, line, column))
