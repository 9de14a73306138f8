"""Draws cases: a VM, the objects and the configuration of its cluster.

A VM begins as one that starts, with its disks, networks and an instance type in order. Then some of its fields, drawn
from all that its type has, are set, changed or removed: so most are admitted, and each field meets each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

import msgspec

from duel.values import ARCHITECTURES, leaf_value
from virtcatalog.api.configuration import KubeVirtConfiguration
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.interfaces import Interface
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec, VirtualMachineSpec
from virtcatalog.api.shape import Either, Field, Leaf, List, Map, Shape, Struct, parse_release, struct_of
from virtcatalog.releases import find_release

Manifest = dict[str, Any]

_INSTANCETYPES = "instancetype.kubevirt.io/v1beta1"
_DEPTH = 5
#: Of these fields of one object a VM that starts has one.
_ONE_OF: tuple[frozenset[str], ...] = (
    frozenset({"disk", "lun", "cdrom"}),
    frozenset({"pod", "multus", "resourceClaim"}),
    frozenset({"custom", "matchVolume"}),
    frozenset({"bridge", "masquerade", "sriov", "slirp", "macvtap", "passt", "passtBinding", "binding"}),
    frozenset({"efi", "bios"}),
    frozenset({"utc", "timezone"}),
    frozenset({"containerDisk", "emptyDisk", "persistentVolumeClaim", "dataVolume", "cloudInitNoCloud", "ephemeral"})
    | frozenset({"cloudInitConfigDrive", "configMap", "secret", "serviceAccount", "sysprep", "downwardAPI"})
    | frozenset({"downwardMetrics", "hostDisk", "memoryDump", "containerPath"}),
    frozenset({"sshPublicKey", "userPassword"}),
    frozenset({"sev", "snp", "tdx"}),
    frozenset({"resourceClaimName", "resourceClaimTemplateName"}),
    frozenset({"httpGet", "exec", "tcpSocket", "guestAgentPing"}),
)
#: Configuration that is not the VM's affair, or of which KubeVirt makes nothing.
_NOT_CONFIGURED = frozenset(
    {"developerConfiguration", "imagePullPolicy", "machineType", "apiConfiguration", "handlerConfiguration"}
    | {"webhookConfiguration", "controllerConfiguration", "supportContainerResources", "seccompConfiguration"}
)
_VOLUMES: tuple[Manifest, ...] = (
    {"containerDisk": {"image": "registry.example.org/guest:1"}},
    {"emptyDisk": {"capacity": "1Gi"}},
    {"persistentVolumeClaim": {"claimName": "claim"}},
    {"persistentVolumeClaim": {"claimName": "block"}},
    {"dataVolume": {"name": "claim"}},
    {"cloudInitNoCloud": {"userData": "#cloud-config\n"}},
    {"ephemeral": {"persistentVolumeClaim": {"claimName": "claim"}}},
    {"configMap": {"name": "map"}},
)
_BINDINGS = ("masquerade", "bridge", "sriov", "binding", "passtBinding")


class Drawer:
    """Draws cases of one release, the same for the same seed."""

    def __init__(self, seed: int, release: str) -> None:
        self.chance = Random(seed)
        self.release = release
        self._minor = parse_release(release)
        self._bindings = [name for name in _BINDINGS if name in self._fields(struct_of(Interface), frozenset())]
        self._gates = sorted(find_release(release).feature_gates)

    def cluster(self) -> Manifest:
        """What a case says of the cluster."""
        chance = self.chance
        gates = chance.sample(self._gates, chance.choice((0, 0, 1, 3, 8, len(self._gates) // 2, len(self._gates))))
        config: Manifest = {}
        if chance.random() < 0.3:
            for _ in range(chance.randint(1, 3)):
                self._edit(config, struct_of(KubeVirtConfiguration), _NOT_CONFIGURED)
        return {
            "arch": chance.choice(ARCHITECTURES[:5]),
            "featureGates": gates,
            "config": config,
            "useCatalog": False,
            "objects": self._objects(),
        }

    def vm(self, name: str, edits: int | None = None) -> Manifest:
        """A VM with so many of its fields changed; without a number, as many as are drawn."""
        chance = self.chance
        template: Manifest = {"spec": self._template()}
        spec: Manifest = {"runStrategy": "Always", "template": template}
        for kind in ("instancetype", "preference"):
            if chance.random() < 0.25:
                spec[kind] = {
                    "name": chance.choice(("a", "b")),
                    **({"kind": f"VirtualMachine{kind.title()}"} if chance.random() < 0.2 else {}),
                }
        if "instancetype" in spec and chance.random() < 0.9:
            template["spec"]["domain"].pop("cpu", None)
            template["spec"]["domain"].pop("memory", None)
        for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 5)) if edits is None else edits):
            self.edit(spec)
        if chance.random() < 0.15:
            template["metadata"] = {
                key: {chance.choice(("a", "x/y", "kubevirt.io/x")): "1"} for key in ("labels", "annotations")
            }
        return {
            "apiVersion": "kubevirt.io/v1",
            "kind": "VirtualMachine",
            "metadata": {"name": name, "namespace": "default"},
            "spec": spec,
        }

    def edit(self, spec: Manifest) -> None:
        """Set, change or remove one field of a VM's spec, most often of its template's."""
        if self.chance.random() < 0.05:
            self._edit(spec, struct_of(VirtualMachineSpec), frozenset({"template"}))
        else:
            self._edit(spec["template"]["spec"], struct_of(VirtualMachineInstanceSpec), frozenset())

    def _template(self) -> Manifest:
        chance = self.chance
        disks, volumes, interfaces, networks = [], [], [], []
        for index in range(chance.choice((0, 1, 1, 2, 3))):
            volumes.append({"name": f"v{index}", **_copied(chance.choice(_VOLUMES))})
            if chance.random() < 0.9:
                claimed = "persistentVolumeClaim" in volumes[-1] or "dataVolume" in volumes[-1]
                kind = chance.choice(("disk", "disk", "disk", "cdrom", *(["lun"] if claimed else [])))
                bus = {"bus": chance.choice(("virtio", "sata", "scsi"))} if chance.random() < 0.7 else {}
                disks.append({"name": f"v{index}", kind: bus if kind == "disk" else {}})
        for index in range(chance.choice((0, 0, 1, 1, 2))):
            binding = chance.choice(self._bindings if index == 0 else ("bridge", "sriov", "binding"))
            network: Manifest = (
                {"pod": {}} if index == 0 and binding != "sriov" else {"multus": {"networkName": f"n{index}"}}
            )
            interfaces.append({"name": f"i{index}", binding: {"name": "plugin"} if binding == "binding" else {}})
            networks.append({"name": f"i{index}", **network})
        devices = {key: items for key, items in (("disks", disks), ("interfaces", interfaces)) if items}
        domain: Manifest = {"devices": devices, "memory": {"guest": chance.choice(("1Gi", "2Gi", "3Gi", "1.5Gi"))}}
        if chance.random() < 0.5:
            domain["cpu"] = {
                key: chance.choice((1, 2, 4)) for key in ("cores", "sockets", "threads") if chance.random() < 0.5
            }
        return {
            "domain": domain,
            **({"volumes": volumes} if volumes else {}),
            **({"networks": networks} if networks else {}),
        }

    def _objects(self) -> list[Manifest]:
        chance = self.chance
        objects = [
            _claim("claim", "Filesystem", chance.choice(("10Gi", "1.5Gi", "5G", "1G"))),
            _claim("block", "Block", "10Gi"),
            _claim("shared", "Filesystem", "10Gi", "ReadWriteMany"),
            _claim("shared-block", "Block", "10Gi", "ReadWriteMany"),
        ]
        for name in ("a", "b"):
            spec: Manifest = {
                "cpu": {"guest": chance.choice((1, 2, 4, 6))},
                "memory": {"guest": chance.choice(("1Gi", "2Gi", "1.5Gi"))},
            }
            for _ in range(chance.choice((0, 0, 1, 2))):
                self._edit(spec, struct_of(VirtualMachineInstancetypeSpec), frozenset())
            objects.append(_cluster_object("VirtualMachineClusterInstancetype", name, spec))
            preference: Manifest = {}
            for _ in range(chance.choice((0, 1, 2, 4))):
                self._edit(preference, struct_of(VirtualMachinePreferenceSpec), frozenset())
            objects.append(_cluster_object("VirtualMachineClusterPreference", name, preference))
        if chance.random() < 0.15:
            preset: Manifest = {"domain": {}}
            for _ in range(3):
                self._edit(preset["domain"], struct_of(VirtualMachineInstanceSpec).fields["domain"].shape, frozenset())
            preset["domain"].setdefault("devices", {})
            objects.append(
                {
                    "apiVersion": "kubevirt.io/v1",
                    "kind": "VirtualMachineInstancePreset",
                    "metadata": {"name": "preset", "namespace": "default"},
                    "spec": {"selector": {}, **preset},
                }
            )
        return objects

    def _edit(self, value: Manifest, shape: Shape, without: frozenset[str]) -> None:
        """Change one field below an object: fields with many below them are met more often."""
        chance = self.chance
        while isinstance(shape, Struct):
            fields = self._fields(shape, without)
            if not fields:
                return
            name = chance.choices([*fields], [_weight(field.shape) for field in fields.values()])[0]
            field, below = fields[name].shape, value.get(name)
            if isinstance(below, list) and below and isinstance(field, List) and chance.random() < 0.85:
                below, field = chance.choice(below), field.item
            if not isinstance(below, dict) or not isinstance(field, Struct) or chance.random() < 0.08:
                if name in value and not fields[name].required and chance.random() < 0.25:
                    del value[name]
                else:
                    self._leave_one(value, name)
                    value[name] = self._value(name, fields[name].shape, 1)
                return
            value, shape, without = below, field, frozenset()

    def _leave_one(self, value: Manifest, name: str) -> None:
        for group in _ONE_OF:
            if name in group and self.chance.random() < 0.9:
                for other in group - {name}:
                    value.pop(other, None)

    def _value(self, name: str, shape: Shape, depth: int) -> Any:
        chance = self.chance
        if isinstance(shape, Leaf):
            return leaf_value(chance, name, shape)
        if isinstance(shape, List):
            return [self._value(name, shape.item, depth + 1) for _ in range(chance.choice((0, 1, 1, 1, 2, 3)))]
        if isinstance(shape, Map):
            keys = ("memory", "cpu") if name in ("requests", "limits") else ("a", "x/y", "zone")
            return {key: self._value(name, shape.value, depth + 1) for key in keys if chance.random() < 0.6}
        if isinstance(shape, Either):
            return self._value(name, chance.choice(shape.members), depth)
        if isinstance(shape, Struct):
            drawn: Manifest = {}
            fields = self._fields(shape, frozenset())
            needed = [chance.choice(sorted(group & fields.keys())) for group in _ONE_OF if group & fields.keys()]
            for key, field in fields.items():
                if (
                    field.required
                    or (key in needed and depth <= _DEPTH)
                    or (depth < _DEPTH and chance.random() < 0.3 / depth + 0.05)
                ):
                    self._leave_one(drawn, key)
                    drawn[key] = self._value(key, field.shape, depth + 1)
            return drawn
        return {}

    def _fields(self, shape: Struct, without: frozenset[str]) -> Mapping[str, Field]:
        return {
            name: field
            for name, field in shape.fields.items()
            if field.since <= self._minor
            and name not in without
            and not (isinstance(field.shape, Leaf) and field.shape.is_time)
        }


@cache
def _weight(shape: Shape) -> float:
    return _leaves(shape, 0) ** 0.5


@cache
def _leaves(shape: Shape, depth: int) -> int:
    if depth > 6:
        return 1
    if isinstance(shape, Struct):
        return sum(_leaves(field.shape, depth + 1) for field in shape.fields.values()) or 1
    if isinstance(shape, List):
        return _leaves(shape.item, depth + 1)
    return 1


def _copied(value: Manifest) -> Manifest:
    return msgspec.json.decode(msgspec.json.encode(value))


def _claim(name: str, mode: str, size: str, access: str = "ReadWriteOnce") -> Manifest:
    spec = {"accessModes": [access], "volumeMode": mode, "resources": {"requests": {"storage": size}}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default"},
        "spec": spec,
    }


def _cluster_object(kind: str, name: str, spec: Manifest) -> Manifest:
    return {"apiVersion": _INSTANCETYPES, "kind": kind, "metadata": {"name": name}, "spec": spec}
