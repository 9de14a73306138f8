"""Fleets drawn by chance: VMs of few shapes and many names, some with stored revisions, and changes around them."""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random
from typing import Any

from virtcatalog.api.kinds import CATALOG_API_VERSION

Data = dict[str, Any]

TYPES = ("small", "large", "pinned", "gone")
PREFERENCES = ("linux", "windows", "bare")
CONFIGURATIONS: tuple[Data, ...] = (
    {},
    {"instancetype": {"referencePolicy": "expand"}},
    {"virtualMachineOptions": {"disableSerialConsoleLog": {}}},
    {"developerConfiguration": {"featureGates": ["HostDisk", "DeclarativeHotplugVolumes"]}},
)
EDITS: tuple[tuple[str, Any], ...] = (
    ("runStrategy", "Halted"),
    ("runStrategy", "Always"),
    ("template/spec/hostname", "w"),
    ("template/spec/tolerations", [{"key": "a", "operator": "Exists"}]),
    ("template/spec/domain/firmware", {"bootloader": {"efi": {"secureBoot": False}}}),
    ("template/spec/domain/clock", {"timezone": "Europe/Berlin"}),
    ("template/spec/domain/devices/interfaces/0/model", "e1000"),
    ("template/spec/networks", []),
    ("template/metadata/labels", {"app": "b"}),
    ("template/spec/domain/memory", {"guest": "2Gi"}),
    ("template/spec/domain/cpu", {"sockets": 2}),
)
"""Fields of a VM below its spec, and what becomes of them."""


def catalog() -> list[Data]:
    specs: dict[str, Data] = {
        "small": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}},
        "large": {"cpu": {"guest": 4}, "memory": {"guest": "8Gi"}},
        "pinned": {"cpu": {"guest": 2, "dedicatedCPUPlacement": True}, "memory": {"guest": "2Gi"}},
        "linux": {"devices": {"preferredDiskBus": "virtio", "preferredRng": {}}},
        "windows": {"features": {"preferredHyperv": {"relaxed": {}}}, "requirements": {"cpu": {"guest": 2}}},
        "bare": {},
    }
    return [
        {"apiVersion": CATALOG_API_VERSION, "kind": kind_of(name), "metadata": {"name": name}, "spec": spec}
        for name, spec in specs.items()
    ]


def kind_of(name: str) -> str:
    return f"VirtualMachineCluster{'Instancetype' if name in TYPES else 'Preference'}"


def changed(objects: list[Data], chance: Random) -> list[Data]:
    """Change some of the objects, and take one away now and then."""
    objects = deepcopy(objects)
    for obj in objects:
        spec = obj["spec"]
        if chance.random() < 0.5:
            continue
        if "cpu" in spec:
            spec["cpu"]["guest"] += chance.randrange(3)
            spec["memory"] |= chance.choice(({"guest": "3Gi"}, {"overcommitPercent": 10}, {}))
        else:
            spec.setdefault("devices", {}).update(chance.choice(({"preferredDiskBus": "sata"}, {"preferredTPM": {}})))
    return [obj for obj in objects if chance.random() < 0.95]


def alone(vm: Data) -> Data:
    """The VM without an instance type and a preference."""
    vm = deepcopy(vm)
    for matcher in ("instancetype", "preference"):
        vm["spec"].pop(matcher, None)
    vm["spec"]["template"]["spec"]["domain"] |= {"memory": {"guest": "1Gi"}, "cpu": {"sockets": 1}}
    return vm


def edited(vm: Data, chance: Random) -> Data:
    """Change a VM itself in one field or two, now and then in none."""
    vm = deepcopy(vm)
    for edit in chance.sample(EDITS, chance.choice((0, 1, 1, 2))):
        *steps, last = edit[0].split("/")
        place = vm["spec"]
        for step in steps:
            place = place[int(step)] if isinstance(place, list) else place.setdefault(step, {})
        place[last] = edit[1]
    return vm


def kubevirt(configuration: Data) -> Data:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {"configuration": configuration},
    }


def fleet(number: int, chance: Random) -> list[Data]:
    """VMs, and the claims and ControllerRevisions that some of them have."""
    objects: list[Data] = []
    for index in range(number):
        vm = _vm(index, chance)
        objects.append(vm)
        if chance.random() < 0.2:
            objects += _stored(vm, chance)
        if chance.random() < 0.1:
            objects.append(_claim(vm, chance))
    return objects


def vm(name: str, instancetype: str, preference: str) -> Data:
    """A VM that says nothing of its own."""
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": "team-a"},
        "spec": {
            "instancetype": {"name": instancetype},
            "preference": {"name": preference},
            "runStrategy": "Always",
            "template": {"spec": {"domain": {"devices": {}}}},
        },
    }


def _vm(index: int, chance: Random) -> Data:
    name = chance.choice((f"vm-{index}", f"db-{index}.example", "web" + "x" * index, f"disk-{index}", f"virtio{index}"))
    namespace = chance.choice(("team-a", "team-b", "default"))
    disks = chance.choice(([], [{"name": "root", "disk": {}}], [{"name": "root", "disk": {"bus": "scsi"}}]))
    interface = {"name": "default", "masquerade": {}}
    if chance.random() < 0.3:
        interface["macAddress"] = "02:" + ":".join(f"{chance.randrange(256):02x}" for _ in range(5))
    volume = chance.choice(
        ({"persistentVolumeClaim": {"claimName": f"{name}-root"}}, {"containerDisk": {"image": "registry.example/a:1"}})
    )
    vm: Data = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": name}},
        "spec": {
            "runStrategy": chance.choice(("Always", "Always", "Halted", "Manual")),
            "template": {
                "metadata": {"labels": {"kubevirt.io/domain": name}},
                "spec": {
                    "domain": {"devices": {"disks": disks, "interfaces": [interface]}},
                    "networks": [{"name": "default", "pod": {}}],
                    "volumes": [{"name": "root", **volume}],
                },
            },
        },
    }
    if chance.random() < 0.9:
        vm["spec"]["instancetype"] = {"name": chance.choice(TYPES)}
    if chance.random() < 0.8:
        vm["spec"]["preference"] = {"name": chance.choice(PREFERENCES)}
    if "instancetype" not in vm["spec"] or chance.random() < 0.03:
        vm["spec"]["template"]["spec"]["domain"]["memory"] = {"guest": "1Gi"}
    if chance.random() < 0.05:
        vm["spec"]["template"]["spec"]["domain"]["machine"] = {"type": chance.choice(("pc", "q35"))}
    return vm


def _stored(vm: Data, chance: Random) -> list[Data]:
    """Revisions of what the VM names, which its status or spec names then; the cluster has not all of them."""
    revisions: list[Data] = []
    for matcher in ("instancetype", "preference"):
        named = vm["spec"].get(matcher)
        if named is None or chance.random() < 0.3:
            continue
        revision = f"{vm['metadata']['name']}-{matcher}-1"
        if chance.random() < 0.5:
            named["revisionName"] = revision
        else:
            ref = {"name": named["name"], "controllerRevisionRef": {"name": revision}}
            vm.setdefault("status", {})[f"{matcher}Ref"] = ref
        held = next((stored for stored in catalog() if stored["metadata"]["name"] == named["name"]), None)
        if held is not None and chance.random() < 0.7:
            label = named["name"] if chance.random() < 0.8 else "another"
            revisions.append(
                {
                    "apiVersion": "apps/v1",
                    "kind": "ControllerRevision",
                    "metadata": {
                        "name": revision,
                        "namespace": vm["metadata"]["namespace"],
                        "labels": {"instancetype.kubevirt.io/object-name": label},
                    },
                    "revision": 0,
                    "data": json.loads(json.dumps(held)),
                }
            )
    return revisions


def _claim(vm: Data, chance: Random) -> Data:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": f"{vm['metadata']['name']}-root", "namespace": vm["metadata"]["namespace"]},
        "spec": {
            "accessModes": [chance.choice(("ReadWriteOnce", "ReadWriteMany"))],
            "volumeMode": chance.choice(("Block", "Filesystem")),
            "resources": {"requests": {"storage": "10Gi"}},
        },
    }
