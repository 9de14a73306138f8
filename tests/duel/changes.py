"""Draws what happens to a VM that runs: its manifest changes, and the cluster around it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from duel.draw import Drawer, Manifest

_CLAIMS = ("claim", "block", "shared", "shared-block", "apart")
_LIVE = 0.75
_GATES = ("DeclarativeHotplugVolumes", "HotplugVolumes", "LiveUpdateNADRef", "VGPULiveMigration")


def change(drawer: Drawer, name: str) -> Manifest:
    """A VM that runs and what becomes of it: `old` and `new`, as the protocol has them."""
    chance = drawer.chance
    cluster = drawer.cluster()
    old = drawer.vm(name, edits=chance.choice((0, 0, 0, 1, 1, 2)))
    _prepare(chance, old["spec"])
    new = deepcopy(old)
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3))):
        if chance.random() < _LIVE:
            chance.choice(_CHANGES)(chance, new["spec"])
        else:
            drawer.edit(new["spec"])
    return {
        "update": chance.choice(("apply", "apply", "apply", "replace")),
        "old": {**cluster, "vm": old},
        "new": {"vm": new, **_around(chance, cluster)},
    }


def _prepare(chance: Random, spec: Manifest) -> None:
    """Give a VM volumes and interfaces that can change while it runs."""
    for index in range(chance.choice((0, 0, 1, 2))):
        _plug_volume(chance, spec, f"h{index}")
    for index in range(chance.choice((0, 0, 1, 2))):
        _plug_interface(chance, spec, f"s{index}")
    if chance.random() < 0.2:
        spec["updateVolumesStrategy"] = chance.choice(("Migration", "Replacement"))


def _around(chance: Random, cluster: Manifest) -> Manifest:
    """What of the cluster is other afterwards."""
    around: Manifest = {}
    if chance.random() < 0.1:
        config = {key: value for key, value in cluster["config"].items() if key != "vmRolloutStrategy"}
        around["config"] = {**config, **chance.choice(({}, {"vmRolloutStrategy": "Stage"}))}
    if chance.random() < 0.1:
        around["featureGates"] = sorted({*cluster["featureGates"], chance.choice(_GATES)})
    if chance.random() < 0.1:
        around["objects"] = deepcopy(cluster["objects"])
        kind = chance.choice(("VirtualMachineClusterInstancetype", "VirtualMachineClusterPreference"))
        for item in around["objects"]:
            if item["kind"] == kind:
                item["spec"] = {**item["spec"], "annotations": {"changed": "1"}}
    return around


def _devices(spec: Manifest) -> Manifest:
    devices: Manifest = spec["template"]["spec"]["domain"].setdefault("devices", {})
    return devices


def _list(holder: Manifest, name: str) -> list[Any]:
    if not isinstance(holder.get(name), list):
        holder[name] = []
    items: list[Any] = holder[name]
    return items


def _plug_volume(chance: Random, spec: Manifest, name: str = "") -> None:
    name = name or chance.choice(("h0", "h1", "h2"))
    source = chance.choice(
        (
            {"persistentVolumeClaim": {"claimName": chance.choice(_CLAIMS)}},
            {"dataVolume": {"name": chance.choice(_CLAIMS)}},
        )
    )
    next(iter(source.values()))["hotpluggable"] = True
    _list(spec["template"]["spec"], "volumes").append({"name": name, **source})
    if chance.random() < 0.95:
        kind = chance.choice(("disk", "disk", "disk", "cdrom", "lun"))
        bus = chance.choice(("scsi", "scsi", "virtio", "sata")) if kind != "cdrom" else "sata"
        _list(_devices(spec), "disks").append({"name": name, kind: {"bus": bus}})


def _unplug_volume(chance: Random, spec: Manifest) -> None:
    volumes = _list(spec["template"]["spec"], "volumes")
    if volumes:
        gone = chance.choice(volumes)
        volumes.remove(gone)
        if chance.random() < 0.85:
            devices = _devices(spec)
            devices["disks"] = [disk for disk in _list(devices, "disks") if disk.get("name") != gone.get("name")]


def _other_claim(chance: Random, spec: Manifest) -> None:
    for volume in _list(spec["template"]["spec"], "volumes"):
        for kind, field in (("persistentVolumeClaim", "claimName"), ("dataVolume", "name")):
            if isinstance(volume.get(kind), dict) and chance.random() < 0.7:
                volume[kind][field] = chance.choice(_CLAIMS)
                if chance.random() < 0.1:
                    volume[kind]["hotpluggable"] = not volume[kind].get("hotpluggable")
    if chance.random() < 0.4:
        spec["updateVolumesStrategy"] = chance.choice(("Migration", "Migration", "Replacement"))


def _plug_interface(chance: Random, spec: Manifest, name: str = "") -> None:
    name = name or chance.choice(("s0", "s1", "s2"))
    binding = chance.choice(("bridge", "bridge", "bridge", "sriov", "masquerade"))
    _list(_devices(spec), "interfaces").append({"name": name, binding: {}})
    _list(spec["template"]["spec"], "networks").append(
        {"name": name, "multus": {"networkName": chance.choice(("n1", "n2", "default/n1"))}}
    )


def _state(chance: Random, spec: Manifest) -> None:
    for interface in _list(_devices(spec), "interfaces"):
        if chance.random() < 0.6:
            interface["state"] = chance.choice(("absent", "absent", "down", "up", ""))


def _other_network(chance: Random, spec: Manifest) -> None:
    for network in _list(spec["template"]["spec"], "networks"):
        if isinstance(network.get("multus"), dict) and chance.random() < 0.7:
            network["multus"]["networkName"] = chance.choice(("n1", "n2", "n3", "default/n1", "default/n2"))


def _unplug_interface(chance: Random, spec: Manifest) -> None:
    interfaces = _list(_devices(spec), "interfaces")
    if interfaces:
        gone = chance.choice(interfaces)
        interfaces.remove(gone)
        if chance.random() < 0.8:
            template = spec["template"]["spec"]
            template["networks"] = [net for net in _list(template, "networks") if net.get("name") != gone.get("name")]


def _cpus(chance: Random, spec: Manifest) -> None:
    cpu = spec["template"]["spec"]["domain"].setdefault("cpu", {})
    cpu[chance.choice(("sockets", "sockets", "sockets", "sockets", "cores", "maxSockets"))] = chance.choice(
        (1, 2, 3, 4, 8, 16)
    )


def _memory(chance: Random, spec: Manifest) -> None:
    memory = spec["template"]["spec"]["domain"].setdefault("memory", {})
    memory[chance.choice(("guest", "guest", "guest", "maxGuest"))] = chance.choice(
        ("512Mi", "1Gi", "1.5Gi", "2Gi", "3Gi", "4Gi", "16Gi", "2049Mi")
    )


def _place(chance: Random, spec: Manifest) -> None:
    template = spec["template"]["spec"]
    template["nodeSelector"] = chance.choice(({}, {"zone": "a"}, {"zone": "b"}))
    if chance.random() < 0.4:
        template["tolerations"] = chance.choice(([], [{"key": "a", "operator": "Exists"}]))


def _other_type(chance: Random, spec: Manifest) -> None:
    kind = chance.choice(("instancetype", "instancetype", "preference"))
    if kind in spec and chance.random() < 0.15:
        del spec[kind]
    else:
        spec[kind] = {"name": chance.choice(("a", "b"))}


def _annotations(chance: Random, spec: Manifest) -> None:
    metadata = spec["template"].setdefault("metadata", {})
    metadata.setdefault("annotations", {})[
        chance.choice(
            ("descheduler.alpha.kubernetes.io/evict", "a", "kubevirt.io/allow-pod-bridge-network-live-migration")
        )
    ] = chance.choice(("true", "1"))


def _run(chance: Random, spec: Manifest) -> None:
    spec.pop("running", None)
    spec["runStrategy"] = chance.choice(("Halted", "Halted", "Halted", "RerunOnFailure", "Manual", "Once"))


def _order(chance: Random, spec: Manifest) -> None:
    holder, name = chance.choice(
        (
            (_devices(spec), "disks"),
            (_devices(spec), "interfaces"),
            (spec["template"]["spec"], "volumes"),
            (spec["template"]["spec"], "networks"),
        )
    )
    chance.shuffle(_list(holder, name))


_CHANGES: tuple[Callable[[Random, Manifest], None], ...] = (
    *(_plug_volume, _unplug_volume, _other_claim, _other_claim, _plug_interface, _unplug_interface, _state, _state),
    *(_other_network, _other_network, _cpus, _cpus, _memory, _memory, _place, _other_type, _annotations, _run, _order),
)
