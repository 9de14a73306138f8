"""What the index proposes is what trying every pair finds."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import pairwise, product
from typing import Any

import pytest
from inline_vms import machine

from sampling import thorough
from virtcatalog.adopt.attempt import Original
from virtcatalog.adopt.candidates import Candidates, Member
from virtcatalog.adopt.fleet import Adoption, adopt, adopt_all
from virtcatalog.adopt.search import text_of
from virtcatalog.adopt.shrink import Names, Pair, ShrunkVm, shrink
from virtcatalog.errors import UnsupportedError
from virtcatalog.fleet.pool import Processes
from virtcatalog.kubevirt.pipeline import expand

Data = dict[str, Any]
Chance = random.Random

CPUS: list[Data] = [
    {},
    {},
    {"dedicatedCPUPlacement": True},
    {"model": "Skylake-Client"},
    {"maxSockets": 4},
    {"dedicatedCPUPlacement": True, "isolateEmulatorThread": True},
]
MEMORIES: list[Data] = [{}, {}, {}, {"overcommitPercent": 50}, {"hugepages": {"pageSize": "2Mi"}}, {"maxGuest": "16Gi"}]
OTHERS: list[Data] = [
    {},
    {},
    {},
    {"ioThreadsPolicy": "auto"},
    {"gpus": [{"name": "gpu", "deviceName": "nvidia.com/GPU"}]},
    {"annotations": {"team": "a"}},
    {"nodeSelector": {"zone": "a"}},
]
"""What instance types say beside their size."""

PREFERRED: dict[str, list[Data]] = {
    "cpu": [
        {"preferredCPUTopology": "cores"},
        {"preferredCPUTopology": "threads"},
        {"preferredCPUTopology": "spread"},
        {"preferredCPUTopology": "spread", "spreadOptions": {"across": "CoresThreads"}},
        {"preferredCPUFeatures": [{"name": "vmx", "policy": "require"}]},
    ],
    "devices": [
        {"preferredDiskBus": "virtio"},
        {"preferredDiskBus": "sata", "preferredInterfaceModel": "e1000e"},
        {"preferredDiskBus": "virtio", "preferredDiskDedicatedIoThread": True, "preferredRng": {}},
        {"preferredRng": {}, "preferredTPM": {}},
        {"preferredInterfaceModel": "virtio", "preferredInterfaceMasquerade": {}, "preferredDiskCache": "none"},
        {"preferredAutoattachInputDevice": True, "preferredInputBus": "virtio", "preferredInputType": "tablet"},
        {"preferredAutoattachGraphicsDevice": False, "preferredAutoattachMemBalloon": False},
        {"preferredNetworkInterfaceMultiQueue": True, "preferredBlockMultiQueue": True},
    ],
    "features": [
        {"preferredAcpi": {}, "preferredSmm": {}},
        {"preferredHyperv": {"relaxed": {}, "vapic": {}, "spinlocks": {"spinlocks": 8191}}},
        {"preferredHyperv": {"relaxed": {}, "vpindex": {}}, "preferredApic": {}},
    ],
    "firmware": [
        {"preferredUseEfi": True, "preferredUseSecureBoot": False},
        {"preferredEfi": {"secureBoot": True}},
        {"preferredUseBios": True},
    ],
    "clock": [
        {"preferredClockOffset": {"utc": {}}, "preferredTimer": {"hpet": {"present": False}, "hyperv": {}}},
        {"preferredClockOffset": {"timezone": "Europe/London"}},
    ],
    "machine": [{"preferredMachineType": "q35"}, {"preferredMachineType": "pc-q35-rhel9.4.0"}],
    "requirements": [{"cpu": {"guest": 2}}, {"memory": {"guest": "4Gi"}}, {"architecture": "arm64"}],
    "preferredTerminationGracePeriodSeconds": [{}],
    "preferredArchitecture": [{}],
    "annotations": [{"vm.kubevirt.io/os": "linux"}],
}


def catalog(chance: Chance) -> list[Data]:
    """Instance types and preferences that have much in common, some of them twice, deprecated or of a namespace."""
    types = []
    for size in [(1, "2Gi"), (2, "2Gi"), (2, "4Gi"), (4, "4Gi"), (4, "8Gi")]:
        for _ in range(chance.choice((1, 1, 2, 3))):
            cpu = {"guest": size[0], **chance.choice(CPUS)}
            memory = {"guest": size[1], **chance.choice(MEMORIES)}
            types.append({"cpu": cpu, "memory": memory, **chance.choice(OTHERS)})
    preferences = [preference(chance) for _ in range(8)]
    specs = [("Instancetype", instancetype) for instancetype in types] + [
        ("Preference", preference) for preference in preferences
    ]
    objects = [named(chance, number, *spec) for number, spec in enumerate(specs)]
    return objects + [named(chance, 50 + number, *spec) for number, spec in enumerate(specs) if chance.random() < 0.2]


def preference(chance: Chance) -> Data:
    spec: Data = {}
    for part, says in PREFERRED.items():
        if chance.random() < (0.5 if part in ("devices", "features") else 0.25):
            spec[part] = chance.choice(says)
    if "preferredTerminationGracePeriodSeconds" in spec:
        spec["preferredTerminationGracePeriodSeconds"] = chance.choice((30, 60))
    if "preferredArchitecture" in spec:
        spec["preferredArchitecture"] = "amd64"
    return spec


def named(chance: Chance, number: int, kind: str, spec: Data) -> Data:
    name = f"{chance.choice(('fedora', 'windows', 'u1', 'web'))}.{number}"
    metadata: Data = {"name": name}
    kind = f"VirtualMachineCluster{kind}"
    if chance.random() < 0.15:
        kind, metadata["namespace"] = kind.replace("Cluster", ""), chance.choice(("default", "other"))
    if chance.random() < 0.15:
        metadata["labels"] = {"instancetype.kubevirt.io/deprecated": "true"}
    return {"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": kind, "metadata": metadata, "spec": spec}


DOMAINS = (
    "machine: {type: q35}",
    "machine: {type: pc-q35-rhel9.4.0}",
    "firmware: {bootloader: {efi: {secureBoot: false}}}",
    "firmware: {bootloader: {bios: {}}}",
    "features: {acpi: {}, hyperv: {relaxed: {}, vapic: {}, spinlocks: {spinlocks: 8191}}}",
    "features: {acpi: {}, smm: {}}",
    "firmware: {bootloader: {efi: {}}}",
    "features: {apic: {}, hyperv: {relaxed: {}, vpindex: {}}}",
    "clock: {utc: {}, timer: {hpet: {present: false}, hyperv: {}}}",
    "clock: {timezone: Europe/London}",
    "ioThreadsPolicy: auto",
)
DEVICES = (
    "rng: {}",
    "tpm: {}",
    "autoattachInputDevice: true",
    "inputs: [{name: tablet, bus: virtio, type: tablet}]",
    "autoattachGraphicsDevice: false\nautoattachMemBalloon: false",
    "networkInterfaceMultiqueue: true\nblockMultiQueue: true",
    "gpus: [{name: gpu, deviceName: nvidia.com/GPU}]",
    "interfaces: [{name: default, masquerade: {}, model: virtio}]",
    "interfaces: [{name: default, masquerade: {}, model: e1000e}]",
    "disks: [{name: root, disk: {bus: virtio}}]",
    "disks: [{name: root, disk: {bus: sata}, cache: none}]",
    "disks: [{name: root, disk: {bus: virtio}, dedicatedIOThread: true}]",
)


def own_words(chance: Chance, number: int = 0) -> Data:
    """A VM that says this and that."""
    cpu = chance.choice(
        ("sockets: 2", "sockets: 4", "cores: 2, sockets: 1, threads: 1", "cores: 2, threads: 2, sockets: 1", "cores: 2")
    ) + chance.choice(("", "", "", ", dedicatedCpuPlacement: true", ", model: Skylake-Client", ", maxSockets: 4"))
    memory = chance.choice(("2Gi", "4Gi", "4096Mi", "8Gi"))
    memory += chance.choice(("", "", ", hugepages: {pageSize: 2Mi}", ", maxGuest: 16Gi"))
    parts = {domain.split(":", 1)[0]: domain for domain in chance.sample(DOMAINS, chance.randrange(5))}
    devices = {device.split(":", 1)[0]: device for device in chance.sample(DEVICES, chance.randrange(6))}
    lines = [f"cpu: {{{cpu}}}", f"memory: {{guest: {memory}}}", *parts.values(), "devices:"]
    lines += [f"  {line}" for device in devices.values() for line in device.splitlines()] or ["  rng: {}"]
    lines += chance.choice(([], [], ["resources: {requests: {memory: 1Gi}}"], ["resources: {limits: {cpu: 2}}"]))
    rest = (
        "volumes: [{name: root, containerDisk: {image: 'example.org/fedora:41'}}]\nnetworks: [{name: default, pod: {}}]"
    )
    if "interfaces" not in devices:
        rest = rest.splitlines()[0]
    rest += chance.choice(("", "", "\nterminationGracePeriodSeconds: 60", "\nnodeSelector: {zone: a}"))
    name = chance.choice(("vm", "web", "windows-vm"))
    return machine(
        "\n".join(lines), rest, chance.choice(("", "", "preference: {name: own}")), f"{{name: {name}-{number}}}"
    )


def inlined(chance: Chance, candidates: Candidates, number: int = 0) -> Data | None:
    """A VM that says what some pair says, but for a field that it may leave out."""
    pair = chance.choice(list(candidates.instancetypes)), chance.choice(list(candidates.preferences))
    matchers = zip(
        ("instancetype", "preference"), (choice.members[0].reference.matcher() for choice in pair), strict=True
    )
    vm = machine("devices: {disks: [{name: root}]}", "volumes: [{name: root, containerDisk: {image: 'a:1'}}]")
    expanded = expand({**vm, "spec": {**vm["spec"], **dict(matchers)}}, candidates.cluster).vmi
    if expanded is None:
        return None
    template = {"metadata": {"annotations": {}}, "spec": expanded["spec"]}
    domain = template["spec"]["domain"]
    for part in (domain, domain["devices"], domain.get("features") or {}, domain["cpu"]):
        if part and chance.random() < 0.3:
            part.pop(chance.choice(list(part)))
    domain.setdefault("devices", {})
    return {
        **vm,
        "metadata": {"name": f"{chance.choice(('vm', 'web'))}-{number}"},
        "spec": {**vm["spec"], "template": template},
    }


def tried_all(vm: Data, candidates: Candidates) -> tuple[Names, Data] | None:
    """What is found without any index: every pair is proven, and the best taken; of objects that say the same, one."""
    original = Original(vm, expand(vm, candidates.cluster))
    spec, vmi = vm["spec"], original.result.vmi_object
    assert vmi is not None
    hints = dict(candidates.hints(text_of(vm)))

    def order(member: Member) -> tuple[Any, ...]:
        return member.deprecated, member.namespaced, -hints.get(member.name, 0), member.name

    def choices(groups: Iterable[Any], named: bool) -> list[tuple[Any, list[Member]]]:
        usable = [] if named else [(group, [one for one in group.members if nameable(one)]) for group in groups]
        return [(None, []), *((group, sorted(members, key=order)) for group, members in usable if members)]

    tried = []
    for (instancetype, ones), (preference, others) in product(
        choices(candidates.instancetypes, "instancetype" in spec), choices(candidates.preferences, "preference" in spec)
    ):
        if instancetype is None if "instancetype" not in spec else instancetype is not None:
            continue
        if instancetype is not None and not instancetype.changes_only_size(vmi):
            continue
        for one, other in product(ones[:1] or [None], others or [None]):
            names = Names(one and one.reference, other and other.reference)
            try:
                shrunk = shrink(original, Pair(instancetype, preference), names, candidates.cluster)
            except UnsupportedError:
                continue
            if isinstance(shrunk, ShrunkVm):
                rank = (
                    shrunk.size,
                    other is None,
                    len(shrunk.outside),
                    [order(choice) for choice in (one, other) if choice],
                )
                tried += [(rank, names, shrunk.manifest)] if not shrunk.domain else []
                break
    return min(tried, key=lambda ranked: ranked[0])[1:] if tried else None


def nameable(member: Member) -> bool:
    return member.reference.namespace in ("", "default")


OWN = {
    "apiVersion": "instancetype.kubevirt.io/v1beta1",
    "kind": "VirtualMachineClusterPreference",
    "metadata": {"name": "own"},
    "spec": {"devices": {"preferredDiskBus": "virtio"}, "cpu": {"preferredCPUTopology": "cores"}},
}


SMALL = {
    "apiVersion": "instancetype.kubevirt.io/v1beta1",
    "kind": "VirtualMachineClusterInstancetype",
    "metadata": {"name": "small"},
    "spec": {"cpu": {"guest": 2}, "memory": {"guest": "4Gi"}},
}


def cases(seed: int, number: int) -> tuple[Candidates, list[Data]]:
    """A catalog, and VMs that KubeVirt admits."""
    chance = random.Random(seed)
    candidates = Candidates([*catalog(chance), OWN])
    vms: list[Data] = []
    while len(vms) < number:
        vm = own_words(chance, len(vms)) if chance.random() < 0.4 else inlined(chance, candidates, len(vms))
        if vm is not None and expand(vm, candidates.cluster).admitted:
            vms.append(vm)
    return candidates, vms


def key(adoption: Adoption) -> tuple[Any, ...]:
    shrunk = adoption.shrunk
    return adoption.outcome, shrunk and (shrunk.names, shrunk.manifest), adoption.missing_size, adoption.reasons


@thorough
@pytest.mark.parametrize("seed", range(6))
def test_the_result_is_that_of_trying_all_pairs(seed):
    candidates, vms = cases(seed, 12)
    for vm in vms:
        adoption, plain = adopt(vm, candidates), tried_all(vm, candidates)
        if adoption.outcome == "nearest":
            assert plain is None, vm
        else:
            names = adoption.shrunk.names if adoption.shrunk is not None else Names(None, None)
            manifest = adoption.shrunk.manifest if adoption.shrunk is not None else vm
            assert plain == (names, manifest), vm


@pytest.mark.parametrize("executor", [None, Processes(2)], ids=["alone", "in two processes"])
def test_the_result_depends_neither_on_the_order_nor_on_the_processes(executor):
    """VMs that are alike but for their names speak of other objects, where several say as much."""
    chance = random.Random(99)
    copies = [
        {**obj, "metadata": {**obj["metadata"], "name": f"{name}.{number}"}, "spec": {**obj["spec"], **more}}
        for number, obj in enumerate(catalog(chance))
        for name, more in [("web", {}), ("windows", {"volumes": {"preferredStorageClassName": "fast"}})]
        if not more or "Preference" in obj["kind"]
    ]
    candidates = Candidates(copies)
    vms = [
        {**vm, "metadata": {"name": f"{name}-{number}"}}
        for number, vm in enumerate(
            vm_data for vm_data in map(inlined, [random.Random(1)] * 40, [candidates] * 40) if vm_data
        )
        for name in ("db", "web", "windows")
    ]
    alone = [key(adopt(vm, candidates)) for vm in vms]
    assert any(one != other for one, other in pairwise(alone))
    order = list(range(len(vms)))
    for seed in range(2):
        random.Random(seed).shuffle(order)
        adoptions = dict(adopt_all([vms[place] for place in order], candidates, executor))
        assert [key(adoptions[order.index(place)]) for place in range(len(vms))] == alone


def with_disks(vm: Data, **disk: Any) -> Data:
    """The VM with its disks on a bus, and two of them."""
    template = vm["spec"]["template"]
    disks = [{"name": f"disk{number}", "disk": {"bus": disk["bus"]}} for number in range(disk["number"])]
    volumes = [{"name": disk["name"], "containerDisk": {"image": "a:1"}} for disk in disks]
    domain = template["spec"]["domain"]
    domain = {**domain, "devices": {**domain["devices"], "disks": disks}}
    spec = {**template["spec"], "domain": domain, "volumes": volumes}
    return {**vm, "spec": {**vm["spec"], "template": {**template, "spec": spec}}}


@pytest.mark.parametrize("seed", range(10))
def test_what_is_known_of_other_vms_changes_nothing(seed):
    """VMs that differ in disks alone: one of them has IO threads under some preference, and another none."""
    candidates, vms = cases(seed, 8)
    vms = [with_disks(vm, bus=bus, number=number) for vm in vms for bus, number in (("virtio", 1), ("sata", 2))]
    vms = [vm for vm in vms if expand(vm, candidates.cluster).admitted]
    random.Random(seed).shuffle(vms)
    for vm in vms:
        fresh, _ = cases(seed, 0)
        assert key(adopt(vm, candidates)) == key(adopt(vm, fresh))


def test_io_threads_of_another_vms_disks_are_not_held_against_a_preference():
    """Under it the disks on virtio get a thread each, and those on SATA none."""
    saving = {"devices": {"preferredDiskBus": "sata", "preferredDiskDedicatedIoThread": True}}
    candidates = Candidates([SMALL, {**OWN, "spec": saving}])
    vm = machine("{cpu: {sockets: 2}, memory: {guest: 4Gi}, devices: {}}")
    virtio, sata = (with_disks(vm, bus=bus, number=2) for bus in ("virtio", "sata"))
    assert preference_of(adopt(virtio, candidates)) is None
    assert preference_of(adopt(sata, candidates)) == "own"


@pytest.mark.parametrize("inferred", [False, True])
def test_cpus_of_another_instance_type_are_not_held_against_a_preference(inferred):
    """A single vCPU has the same topology under it, several have not."""
    saving = {"devices": {"preferredDiskBus": "sata"}, "cpu": {"preferredCPUTopology": "cores"}}
    single = {**SMALL, "metadata": {"name": "single"}, "spec": {"cpu": {"guest": 1}, "memory": {"guest": "4Gi"}}}
    claims = [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "labels": {"instancetype.kubevirt.io/default-instancetype": name}},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        }
        for name in ("small", "single")
    ]
    candidates = Candidates([SMALL, single, {**OWN, "spec": saving}, *claims])
    vms = []
    for name in ("small", "single"):
        vm = with_disks(machine("devices: {}"), bus="sata", number=2)
        vm["spec"]["instancetype"] = {"inferFromVolume": "disk0"} if inferred else {"name": name}
        vm["spec"]["template"]["spec"]["volumes"][0] = {"name": "disk0", "persistentVolumeClaim": {"claimName": name}}
        vms.append(vm)
    assert [preference_of(adopt(vm, candidates)) for vm in vms] == [None, "own"]


def preference_of(adoption: Adoption) -> str | None:
    name = adoption.shrunk.names.preference if adoption.shrunk is not None else None
    return name.name if name is not None else None
