"""Small VMs beside small catalogs, each with one thing that matters: what the VM becomes, and why."""

from __future__ import annotations

from typing import Any

import pytest
from inline_vms import CATALOG, PREFERENCE, machine, named, of_size
from syrupy.assertion import SnapshotAssertion

from loading import read_manifests
from virtcatalog.adopt import candidates as room
from virtcatalog.adopt.candidates import Candidates
from virtcatalog.adopt.fleet import Adoption, adopt, adopt_alike, adopt_all
from virtcatalog.adopt.report import document, explain, groups
from virtcatalog.kubevirt.launcher.elements.vcpu import CPUTopology

Data = dict[str, Any]
USUAL: list[Data] = [manifest.data for manifest in read_manifests(CATALOG)]
SMALL = "cpu: {sockets: 2}, memory: {guest: 4Gi}"
DISK = "volumes: [{name: root, emptyDisk: {capacity: 1Gi}}]"


def vm(domain: str, rest: str = "", spec: str = "", **more: str) -> Data:
    return machine(f"{{{domain}}}", rest, spec, **more)


def prefers(name: str, **spec: Any) -> Data:
    return named(PREFERENCE, name, spec)


def pool(template: Data) -> Data:
    return {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "web"}},
            "virtualMachineTemplate": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {
                    **template["spec"],
                    "template": {**template["spec"]["template"], "metadata": {"labels": {"app": "web"}}},
                },
            },
        },
    }


def of_kind(kind: str) -> Data:
    return {"apiVersion": "kubevirt.io/v1", "kind": kind, "metadata": {"name": "v"}, "spec": {}}


DRIVES = "[{name: cd, cdrom: {bus: scsi}}, {name: root, disk: {bus: virtio}}, {name: san, lun: {bus: sata}}]"
VOLUMES = (
    "volumes: [{name: cd, containerDisk: {image: x}}, {name: root, emptyDisk: {capacity: 1Gi}}, "
    "{name: san, persistentVolumeClaim: {claimName: san}}]"
)
BUSES = {"preferredCdromBus": "scsi", "preferredDiskBus": "virtio", "preferredLunBus": "sata", "preferredRng": {}}

CASES: dict[str, tuple[Data, list[Data]]] = {
    "buses of drives that their empty maps are known by": (
        vm(f"{SMALL}, devices: {{rng: {{}}, disks: {DRIVES}}}", VOLUMES),
        [*USUAL, prefers("buses", devices=BUSES)],
    ),
    "sockets and memory": (vm(f"{SMALL}, devices: {{}}"), USUAL),
    "cores": (vm("cpu: {cores: 2}, memory: {guest: 4Gi}, devices: {}"), USUAL),
    "threads": (vm("cpu: {threads: 2}, memory: {guest: 4Gi}, devices: {}"), USUAL),
    "cores of sockets": (vm("cpu: {sockets: 1, cores: 2, threads: 1}, memory: {guest: 4Gi}, devices: {}"), USUAL),
    "requests alone": (vm("resources: {requests: {cpu: 2, memory: 4Gi}}, devices: {}"), USUAL),
    "amounts written otherwise": (
        vm("cpu: {sockets: 2}, memory: {guest: 4096Mi}, resources: {requests: {memory: 4194304Ki}}, devices: {}"),
        USUAL,
    ),
    "an overcommitted request": (
        vm(f"{SMALL}, resources: {{requests: {{memory: 2730Mi}}}}, devices: {{}}"),
        USUAL,
    ),
    "a limit": (vm(f"{SMALL}, resources: {{limits: {{cpu: 2, memory: 6Gi}}}}, devices: {{}}"), USUAL),
    "limits of hotplug": (
        vm("cpu: {sockets: 2, maxSockets: 8}, memory: {guest: 4Gi, maxGuest: 16Gi}, devices: {}"),
        USUAL,
    ),
    "other limits of hotplug": (
        vm("cpu: {sockets: 2, maxSockets: 4}, memory: {guest: 4Gi, maxGuest: 8Gi}, devices: {}"),
        USUAL,
    ),
    "dedicated CPUs": (vm("cpu: {sockets: 2, dedicatedCpuPlacement: true}, memory: {guest: 4Gi}, devices: {}"), USUAL),
    "a model": (vm("cpu: {sockets: 2, model: Haswell}, memory: {guest: 4Gi}, devices: {}"), USUAL),
    "a place": (vm("cpu: {sockets: 3}, memory: {guest: 4Gi}, devices: {}", "nodeSelector: {zone: a}"), USUAL),
    "another place": (vm("cpu: {sockets: 3}, memory: {guest: 4Gi}, devices: {}", "nodeSelector: {zone: b}"), USUAL),
    "no place": (vm("cpu: {sockets: 3}, memory: {guest: 4Gi}, devices: {}"), USUAL),
    "too large for all": (vm("cpu: {sockets: 64}, memory: {guest: 1Ti}, devices: {}"), USUAL),
    "between two sizes": (vm("cpu: {sockets: 4}, memory: {guest: 8Gi}, devices: {}"), USUAL),
    "disks and cards": (
        vm(
            f"{SMALL}, devices: {{rng: {{}}, disks: [{{name: root, disk: {{bus: virtio}}}}], "
            "interfaces: [{name: default, masquerade: {}, model: virtio}]}",
            f"{DISK}\nnetworks: [{{name: default, pod: {{}}}}]",
        ),
        USUAL,
    ),
    "disks on two buses": (
        vm(
            f"{SMALL}, devices: {{disks: [{{name: root, disk: {{bus: virtio}}}}, "
            "{name: data, disk: {bus: sata}}]}",
            "volumes: [{name: root, emptyDisk: {capacity: 1Gi}}, {name: data, emptyDisk: {capacity: 1Gi}}]",
        ),
        USUAL,
    ),
    "a guest of Windows": (
        vm(
            "cpu: {cores: 2}, memory: {guest: 4Gi}, clock: {utc: {}, timer: {hpet: {present: false}, hyperv: {}}}, "
            "features: {acpi: {}, hyperv: {relaxed: {}, vapic: {}, spinlocks: {spinlocks: 8191}}}, "
            "firmware: {bootloader: {efi: {secureBoot: false}}}, "
            "devices: {inputs: [{name: tablet, type: tablet, bus: usb}], disks: [{name: root, disk: {bus: sata}}]}",
            f"{DISK}\nterminationGracePeriodSeconds: 3600",
        ),
        USUAL,
    ),
    "a guest of Windows with one thing else": (
        vm(
            "cpu: {cores: 2}, memory: {guest: 4Gi}, features: {acpi: {}, hyperv: {relaxed: {}, vpindex: {}}}, "
            "firmware: {bootloader: {efi: {secureBoot: false}}}, devices: {disks: [{name: root, disk: {bus: sata}}]}",
            DISK,
        ),
        USUAL,
    ),
    "a type of its own": (vm("devices: {rng: {}}", spec="instancetype: {name: small}"), USUAL),
    "a preference of its own": (vm(f"{SMALL}, devices: {{}}", spec="preference: {name: linux}"), USUAL),
    "both of its own": (vm("devices: {}", spec="instancetype: {name: small}\npreference: {name: linux}"), USUAL),
    "one that is refused": (vm("cpu: {sockets: 2}, devices: {}"), USUAL),
    "one that is not made": (vm("cpu: {sockets: 100000}, memory: {guest: 4Gi}, devices: {}"), USUAL),
    "an instance": (of_kind("VirtualMachineInstance"), USUAL),
    "a replica set": (of_kind("VirtualMachineInstanceReplicaSet"), USUAL),
    "a pool": (pool(vm(f"{SMALL}, devices: {{}}")), USUAL),
    "a pool of another size": (pool(vm("cpu: {sockets: 2}, memory: {guest: 3Gi}, devices: {}")), USUAL),
    "a pool that is refused": (pool(vm("cpu: {sockets: 2}, devices: {}")), USUAL),
    "a pool that is not made": (pool(vm("cpu: {sockets: 100000}, memory: {guest: 4Gi}, devices: {}")), USUAL),
    "a pool beside a type of no vCPUs": (pool(vm(f"{SMALL}, devices: {{}}")), [of_size("t", cpu={"guest": 0})]),
    "no catalog": (vm(f"{SMALL}, devices: {{}}"), []),
    "preferences alone": (vm(f"{SMALL}, devices: {{rng: {{}}}}"), [prefers("p", devices={"preferredRng": {}})]),
    "types that are refused": (
        vm(f"{SMALL}, devices: {{}}"),
        [of_size("a", cpu={"guest": 4, "isolateEmulatorThread": True}), of_size("b", cpu={"guest": 8, "realtime": {}})],
    ),
    "a type that is not made": (vm(f"{SMALL}, devices: {{}}"), [of_size("t", cpu={"guest": 100000})]),
    "a preference that cannot spread": (
        vm("cpu: {cores: 3}, memory: {guest: 4Gi}, devices: {rng: {}}"),
        [
            of_size("t", cpu={"guest": 3}),
            prefers("p", cpu={"preferredCPUTopology": "spread"}, devices={"preferredRng": {}}),
        ],
    ),
    "a preference that spreads over nothing": (
        vm(f"{SMALL}, devices: {{rng: {{}}}}"),
        [
            of_size("t"),
            prefers(
                "p", cpu={"preferredCPUTopology": "spread", "spreadOptions": {"ratio": 0}}, devices={"preferredRng": {}}
            ),
        ],
    ),
    "preferences with requirements": (
        vm(f"{SMALL}, devices: {{rng: {{}}}}"),
        [
            of_size("t"),
            prefers("a", devices={"preferredRng": {}}, requirements={"cpu": {"guest": 4}}),
            prefers("b", devices={"preferredRng": {}}, requirements={"cpu": {"guest": 2}}),
        ],
    ),
    "an empty map that means something": (
        vm(f"{SMALL}, features: {{acpi: {{}}, smm: {{}}}}, firmware: {{bootloader: {{efi: {{}}}}}}, devices: {{}}"),
        [of_size("t"), prefers("p", firmware={"preferredEfi": {"secureBoot": True}}, features={"preferredSmm": {}})],
    ),
    "a clock": (
        vm(f"{SMALL}, clock: {{utc: {{}}, timer: {{hpet: {{present: false}}}}}}, devices: {{}}"),
        [of_size("t"), prefers("p", clock={"preferredClockOffset": {"utc": {}}})],
    ),
    "a zone": (
        vm(f"{SMALL}, clock: {{timezone: Europe/Oslo}}, devices: {{}}"),
        [of_size("t"), prefers("p", clock={"preferredClockOffset": {"timezone": "Europe/Oslo"}})],
    ),
    "threads of disks": (
        vm(f"{SMALL}, ioThreadsPolicy: auto, devices: {{disks: [{{name: root, disk: {{bus: virtio}}}}]}}", DISK),
        [of_size("t", ioThreadsPolicy="auto"), prefers("p", devices={"preferredDiskBus": "virtio"})],
    ),
    "a storage class": (
        vm(
            f"{SMALL}, devices: {{disks: [{{name: d, disk: {{bus: virtio}}}}]}}",
            "volumes: [{name: d, dataVolume: {name: d}}]",
            "dataVolumeTemplates: [{metadata: {name: d}, spec: {source: {blank: {}}, "
            "storage: {storageClassName: gold, resources: {requests: {storage: 1Gi}}}}}]",
        ),
        [
            of_size("t"),
            prefers("p", devices={"preferredDiskBus": "virtio"}, volumes={"preferredStorageClassName": "gold"}),
        ],
    ),
    "annotations": (
        {**vm(f"{SMALL}, devices: {{}}")},
        [of_size("t", annotations={"team": "a"}), prefers("p", annotations={"os": "linux"})],
    ),
    "a place of a deprecated type": (
        vm(f"{SMALL}, devices: {{}}"),
        [
            {**of_size("a"), "metadata": {"name": "a", "labels": {"instancetype.kubevirt.io/deprecated": "true"}}},
            of_size("b"),
            {**of_size("c"), "kind": "VirtualMachineInstancetype", "metadata": {"name": "c", "namespace": "default"}},
        ],
    ),
    "a type of its namespace": (
        vm(f"{SMALL}, devices: {{}}", metadata="{name: vm, namespace: shop}"),
        [{**of_size("c"), "kind": "VirtualMachineInstancetype", "metadata": {"name": "c", "namespace": "shop"}}],
    ),
    "a type of another namespace": (
        vm(f"{SMALL}, devices: {{}}"),
        [{**of_size("c"), "kind": "VirtualMachineInstancetype", "metadata": {"name": "c", "namespace": "shop"}}],
    ),
}


def shown(adoption: Adoption) -> tuple[list[str], Data]:
    data = document("vm", adoption)
    manifest = data.pop("vm", None)
    return list(explain(adoption)), {**data, "spec": manifest and manifest["spec"]}


@pytest.mark.parametrize("case", CASES)
def test_vms(case: str, snapshot: SnapshotAssertion) -> None:
    manifest, objects = CASES[case]
    assert shown(adopt(manifest, Candidates(objects))) == snapshot


@pytest.mark.parametrize("case", CASES)
def test_vms_that_are_alike_adopt_the_same(case: str) -> None:
    """They are tried with what the first of them adopts."""
    manifest, objects = CASES[case]
    offered = Candidates(objects)
    adoption = adopt(manifest, offered)
    larger = {**manifest, "metadata": {**manifest["metadata"], "labels": {"one": "more"}}}
    alike = adopt_alike(larger, adoption, offered)
    assert (alike.outcome, alike.before) == (adoption.outcome, adoption.before + 1)
    names = [adopted.shrunk.names if adopted.shrunk is not None else None for adopted in (adoption, alike)]
    assert names[0] == names[1]


def test_a_fleet_has_a_row_for_all_that_adopt_the_same(snapshot: SnapshotAssertion) -> None:
    offered = Candidates(USUAL)
    vms = [manifest for manifest, objects in CASES.values() if objects is USUAL]
    names = [case for case, (_, objects) in CASES.items() if objects is USUAL]
    adoptions = [(names[place], adoption) for place, adoption in adopt_all([*vms, *vms], offered) if place < len(vms)]
    assert groups(adoptions, offered) == snapshot


def test_what_is_remembered_of_vms_is_forgotten_where_it_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    offered = Candidates(USUAL)
    first, usable = offered.machine_changes(b"1"), offered.usable_by("shop", "amd64", ())
    assert offered.machine_changes(b"1") is first
    assert offered.usable_by("other", "amd64", ()) is usable  # neither namespace has objects
    monkeypatch.setattr(room, "_REMEMBERED", 1)
    assert offered.machine_changes(b"2") is not first
    assert offered.machine_changes(b"1") is not first
    assert offered.usable_by("shop", "arm64", ()) is not usable
    assert offered.usable_by("shop", "amd64", ()) is not usable


def test_a_ratio_of_nothing_lays_out_nothing() -> None:
    spread = {"preferredCPUTopology": "spread", "spreadOptions": {"ratio": 0}}
    offered = Candidates([of_size("t"), prefers("p", cpu=spread)])
    assert [*offered.layouts(2)] == [CPUTopology(0, 0, 0)]
