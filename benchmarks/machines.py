"""VMs as clusters have them, from which the benchmarks' fleets are made: the same each time."""

from __future__ import annotations

import itertools
import random
from typing import NamedTuple

from pairs import Manifest

KINDS = ("VirtualMachineClusterInstancetype", "VirtualMachineClusterPreference")


def pairs_of_names(manifests: list[Manifest]) -> list[tuple[str, str]]:
    """Return each instance type's name with each preference's."""
    types, preferences = (
        [manifest["metadata"]["name"] for manifest in manifests if manifest["kind"] == kind] for kind in KINDS
    )
    return list(itertools.product(types, preferences))


class Shape(NamedTuple):
    """What VMs that are alike have in common."""

    instancetype: str
    preference: str
    disks: tuple[str, ...] = ("",)
    """The bus of each, if it is given."""
    listed: bool = True
    """Whether the disks are there, or their volumes alone."""
    networks: int = 1
    labels: bool = False
    running: bool = True
    evict: str = ""
    revised: bool = False
    """Whether its status names ControllerRevisions, as a cluster's does; they are in no fleet."""


def vm(number: int, of: Shape, chance: random.Random) -> Manifest:
    name, namespace = f"{chance.choice(('web', 'db', 'desktop'))}-{number}", f"team-{number % 200}"
    uid = "-".join(f"{chance.getrandbits(bits):0{bits // 4}x}" for bits in (32, 16, 16, 16, 48))
    volumes = [f"disk{index}" for index in range(len(of.disks))]
    disks = [
        {"name": volume, "disk": {"bus": bus} if bus else {}} for volume, bus in zip(volumes, of.disks, strict=True)
    ]
    networks = ["default", *(f"net{index}" for index in range(1, of.networks))]
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {
            "annotations": {"kubevirt.io/latest-observed-api-version": "v1"},
            "creationTimestamp": f"2026-05-04T12:{number % 60:02}:00Z",
            "finalizers": ["kubevirt.io/virtualMachineControllerFinalize"],
            "generation": 1 + number % 3,
            "labels": {"app": name, **({"tier": "front"} if of.labels else {})},
            "name": name,
            "namespace": namespace,
            "resourceVersion": str(10**6 + number),
            "uid": uid,
        },
        "spec": {
            "dataVolumeTemplates": [
                {
                    "metadata": {"creationTimestamp": None, "name": f"{name}-{volume}"},
                    "spec": {
                        "sourceRef": {"kind": "DataSource", "name": "guest", "namespace": "images"},
                        "storage": {"resources": {"requests": {"storage": "30Gi"}}},
                    },
                }
                for volume in volumes
            ],
            "instancetype": {"kind": "virtualmachineclusterinstancetype", "name": of.instancetype},
            "preference": {"kind": "virtualmachineclusterpreference", "name": of.preference},
            "runStrategy": "Always" if of.running else "Halted",
            "template": {
                "metadata": {"creationTimestamp": None, "labels": {"kubevirt.io/domain": name}},
                "spec": {
                    "architecture": "amd64",
                    "domain": {
                        "devices": {
                            **({"disks": disks} if of.listed else {}),
                            "interfaces": [
                                {
                                    "macAddress": mac(chance),
                                    **({"masquerade": {}} if network == "default" else {"bridge": {}}),
                                    "name": network,
                                }
                                for network in networks
                            ],
                        },
                        "firmware": {"uuid": uid},
                        "resources": {},
                    },
                    **({"evictionStrategy": of.evict} if of.evict else {}),
                    "networks": [
                        {
                            "name": network,
                            **({"pod": {}} if network == "default" else {"multus": {"networkName": network}}),
                        }
                        for network in networks
                    ],
                    "volumes": [
                        *({"dataVolume": {"name": f"{name}-{volume}"}, "name": volume} for volume in volumes),
                        {"cloudInitNoCloud": {"userData": f"#cloud-config\nhostname: {name}\n"}, "name": "init"},
                    ],
                },
            },
        },
        "status": {
            "conditions": [
                {
                    "lastProbeTime": None,
                    "lastTransitionTime": f"2026-05-04T12:{number % 60:02}:30Z",
                    "status": "True",
                    "type": condition,
                }
                for condition in ("Ready", "LiveMigratable", "AgentConnected")
            ],
            "created": True,
            **(refs(name, of) if of.revised else {}),
            "printableStatus": "Running",
            "ready": True,
            "runStrategy": "Always",
        },
    }


def refs(vm_name: str, of: Shape) -> Manifest:
    found = {}
    for kind, name in (("instancetype", of.instancetype), ("preference", of.preference)):
        revision = {"name": f"{vm_name}-{name}-v1beta1-{sum(name.encode()):08d}-1"}
        found[f"{kind}Ref"] = {
            "controllerRevisionRef": revision,
            "kind": f"virtualmachinecluster{kind}",
            "name": name,
        }
    return found


def mac(chance: random.Random) -> str:
    return "02:" + ":".join(f"{chance.getrandbits(8):02x}" for _ in range(5))
