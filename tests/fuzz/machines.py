"""VMs of which there is much: long lists, long texts, large numbers; through the commands that look at one VM."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from choices import Choices
from large import called, how_many

import fleet

#: What a VM has many of: where it stands, and one of it by its number.
_MANY: tuple[tuple[tuple[str, ...], Callable[[str], Any]], ...] = (
    (("domain", "devices", "disks"), lambda n: {"name": f"d{n}", "disk": {"bus": "virtio"}}),
    (("domain", "devices", "disks"), lambda n: {"name": f"d{n}", "dedicatedIOThread": True, "disk": {}}),
    (("domain", "devices", "disks"), lambda n: {"name": "same", "lun": {"bus": "scsi", "reservation": True}}),
    (("domain", "devices", "interfaces"), lambda n: {"name": f"n{n}", "bridge": {}}),
    (("domain", "devices", "interfaces"), lambda n: {"name": f"n{n}", "masquerade": {}, "ports": [{"port": 1}] * 9}),
    (("domain", "devices", "gpus"), lambda n: {"name": f"g{n}", "deviceName": "example.com/gpu"}),
    (("domain", "devices", "hostDevices"), lambda n: {"name": f"h{n}", "deviceName": f"example.com/d{n}"}),
    (("domain", "devices", "filesystems"), lambda n: {"name": f"d{n}", "virtiofs": {}}),
    (("domain", "devices", "inputs"), lambda n: {"name": f"i{n}", "type": "tablet", "bus": "usb"}),
    (("domain", "devices", "panicDevices"), lambda n: {"model": "isa"}),
    (("domain", "cpu", "features"), lambda n: {"name": f"f{n}", "policy": "require"}),
    (("volumes",), lambda n: {"name": f"d{n}", "containerDisk": {"image": "x"}}),
    (("volumes",), lambda n: {"name": f"d{n}", "persistentVolumeClaim": {"claimName": "data"}}),
    (("volumes",), lambda n: {"name": "same", "emptyDisk": {"capacity": "1Gi"}}),
    (("networks",), lambda n: {"name": f"n{n}", "multus": {"networkName": f"net{n}"}}),
    (("networks",), lambda n: {"name": f"n{n}", "pod": {}}),
    (("tolerations",), lambda n: {"key": f"k{n}", "operator": "Exists"}),
    (("resourceClaims",), lambda n: {"name": f"c{n}", "resourceClaimName": "x"}),
    (("accessCredentials",), lambda n: {"sshPublicKey": {"source": {"secret": {"secretName": f"s{n}"}}}}),
    (("topologySpreadConstraints",), lambda n: {"maxSkew": 1, "topologyKey": f"k{n}", "whenUnsatisfiable": "x"}),
)
_TEXTS: tuple[tuple[str, ...], ...] = (
    ("nodeSelector", "k"),
    ("hostname",),
    ("domain", "cpu", "model"),
    ("domain", "devices", "networkInterfaceMultiqueue"),
    ("domain", "cpu", "realtime", "mask"),
    ("domain", "firmware", "serial"),
    ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"),
)
_NUMBERS: tuple[tuple[str, ...], ...] = (
    ("domain", "cpu", "cores"),
    ("domain", "cpu", "sockets"),
    ("domain", "cpu", "threads"),
    ("domain", "cpu", "maxSockets"),
    ("domain", "ioThreads", "supplementalPoolThreadCount"),
    ("domain", "memory", "guest"),
    ("domain", "memory", "maxGuest"),
    ("domain", "resources", "requests", "cpu"),
    ("domain", "resources", "limits", "memory"),
    ("terminationGracePeriodSeconds",),
)
_FLAGS: tuple[tuple[tuple[str, ...], Any], ...] = (
    (("domain", "cpu", "dedicatedCpuPlacement"), True),
    (("domain", "cpu", "numa"), {"guestMappingPassthrough": {}}),
    (("domain", "cpu", "isolateEmulatorThread"), True),
    (("domain", "memory", "hugepages"), {"pageSize": "2Mi"}),
    (("domain", "ioThreadsPolicy"), "auto"),
    (("domain", "ioThreadsPolicy"), "supplementalPool"),
    (("domain", "devices", "blockMultiQueue"), True),
    (("domain", "devices", "autoattachVSOCK"), True),
    (("domain", "launchSecurity"), {"sev": {}}),
)
_SIZES = ("0", "1", "64", "4096", "4294967295", "16Gi", "8Ti", "8Ei", "0.5", "-1")


def _put(spec: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for key in path[:-1]:
        below = spec.setdefault(key, {})
        if not isinstance(below, dict):
            return
        spec = below
    spec[path[-1]] = value


def _spec(choices: Choices) -> dict[str, Any]:
    spec: dict[str, Any] = {"domain": {"devices": {}}}
    for _ in range(1 + choices.number(3)):
        path, one = choices.one(_MANY)
        count = how_many(choices, len(json.dumps(one("1000"))))
        _put(spec, path, [one(str(number)) for number in range(count)])
    for _ in range(choices.number(3)):
        number = choices.one(_SIZES)
        _put(spec, choices.one(_NUMBERS), int(number) if number.isdecimal() else number)
    for _ in range(choices.number(2)):
        _put(spec, *choices.one(_FLAGS))
    if choices.number(3) == 0:
        form = choices.one(("a", "1,", "0-9,", "^1,", "a?", "{{", "${", "é", "\n"))
        _put(spec, choices.one(_TEXTS), form * how_many(choices, len(form)))
    return spec


@cache
def _cluster() -> Path:
    """A file with a claim, and a type and a preference that VMs may name."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-machines-"))
    group = "instancetype.kubevirt.io/v1beta1"
    objects = [
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": {}},
        {
            "apiVersion": group,
            "kind": "VirtualMachineClusterInstancetype",
            "metadata": {"name": "t"},
            "spec": {"cpu": {"guest": 4}, "memory": {"guest": "4Gi"}},
        },
        {
            "apiVersion": group,
            "kind": "VirtualMachineClusterPreference",
            "metadata": {"name": "p"},
            "spec": {"cpu": {"preferredCPUTopology": "spread"}, "devices": {"preferredDiskBus": "sata"}},
        },
    ]
    (folder / "cluster.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return folder


def machines(data: bytes) -> None:
    """One VM of up to 100 kB, expanded, explained, checked, adopted or compared with another one."""
    choices = Choices(data)
    spec = _spec(choices)
    vm: dict[str, Any] = {"runStrategy": "Always", "template": {"spec": spec}}
    if choices.number(2) == 0:
        vm |= {"instancetype": {"name": "t"}, "preference": {"name": "p"}}
    if choices.number(3) == 0:
        _put(vm, ("template", "metadata", choices.one(("labels", "annotations"))), _labels(choices))
    manifest = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "v"}, "spec": vm}
    folder = _cluster()
    one, other, objects = folder / f"{os.getpid()}.json", folder / f"{os.getpid()}-head.json", folder / "cluster.json"
    text = json.dumps(manifest)
    if len(text) > 100_000:
        return
    one.write_text(text)
    other.write_text(json.dumps(choices.edited(manifest)))
    calls = (
        ["expand", "-f", str(one), "-f", str(objects), "-o", choices.one(("xml", "vmi", "pod", "json"))],
        ["explain", "-f", str(one), "-f", str(objects)],
        ["check", "-f", str(one), "-f", str(objects)],
        ["capacity", "-f", str(one), "-f", str(objects)],
        ["adopt", "-f", str(one), "-c", str(objects)],
        ["diff", str(one), str(other), "-f", str(objects)],
    )
    called(choices.one(calls))


def _labels(choices: Choices) -> dict[str, str]:
    return {f"k{number}": "v" for number in range(how_many(choices, 12))}


def dumps(data: bytes) -> None:
    """A cluster's dump with statuses, managers and revisions that nobody's API server would have stored."""
    choices = Choices(data)
    folder = _cluster()
    git, dump = folder / f"{os.getpid()}-git.json", folder / f"{os.getpid()}-dump.json"
    number = choices.number(len(fleet.STATES) - 1)
    git.write_text(json.dumps(fleet.manifest(number)))
    objects = [fleet.KUBEVIRT, *fleet.TYPES, *fleet.PREFERENCES, *_stored(number)]
    at = choices.number(len(objects) - 1)
    objects[at] = choices.edited(objects[at])
    dump.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    live = ["--live", str(dump)]
    called(choices.one((["drift", "-f", str(git), *live], ["verify", *live], ["dump", *live])))


@cache
def _stored(number: int) -> list[dict[str, Any]]:
    return fleet.in_cluster(number)


TARGETS: dict[str, Callable[[bytes], None]] = {"machines": machines, "dumps": dumps}
