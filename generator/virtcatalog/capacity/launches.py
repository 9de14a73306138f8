"""The Pods that VMs and instance types of a cluster launch, and what these request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import count, islice
from typing import Any

import msgspec

from virtcatalog.api.kinds import INSTANCETYPE_KINDS, is_halted, replicas
from virtcatalog.api.names import namespace_or_default
from virtcatalog.capacity.applicationaware import Guest, guest_of
from virtcatalog.capacity.demand import Demand, Reader
from virtcatalog.capacity.quota import Judge, PodRequest
from virtcatalog.capacity.refusals import refusals
from virtcatalog.errors import UnsupportedError, VirtcatalogError
from virtcatalog.escaping import json_text, json_value
from virtcatalog.fleet.files import Share, SoundFleet
from virtcatalog.fleet.filling import Fillers
from virtcatalog.fleet.outcome import Expansion
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import create_vmi
from virtcatalog.limits import CAPACITY_VMS
from virtcatalog.manifests.identity import Data, full_name
from virtcatalog.progress import tracked


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """The Pod of a VM, None where `why` says that there is none.

    `replicas` is the number of VMs of a pool or ReplicaSet, None for a VM, which may be one of the VirtualMachinePool
    `pool`. `automatic` names the limits that KubeVirt itself set.
    """

    name: str
    pod: dict[str, Any] | None = None
    guest: Guest = Guest("0", "0")
    replicas: int | None = None
    pool: str = ""
    halted: bool = False
    automatic: tuple[str, ...] = ()
    why: str = ""


_read = msgspec.json.Decoder(Launch).decode


def launches(vms: Iterable[Data], cluster: Cluster) -> Iterator[Launch]:
    """Yield the launches of VMs."""
    return (launch_of(vm, cluster) for vm in vms)


def launched(fleet: SoundFleet, cluster: Cluster) -> Iterator[Launch]:
    """Yield the launches of a dump's VMs, in their order; ManifestError at the end when one cannot be read.

    Of VMs that are alike the launch of one is filled in for the others.
    """
    fillers = Fillers(_launches, cluster, json_text)

    def filled(share: Share) -> Launch | None:
        match fillers.of(share):
            case [Expansion(became=became, output=output)] if became != "unreadable":
                return _read(output)
        return None

    for vm, _ in fleet.answered(filled):
        yield vm if isinstance(vm, Launch) else launch_of(vm.data, cluster)


def _launches(share: Share, cluster: Cluster) -> Iterator[Expansion]:
    """Yield launches as JSON, in which the leaves of a VM can be filled in."""
    manifests, problems = share.manifests()
    if problems or any(manifest.problems for manifest in manifests):
        yield Expansion("unreadable")
        return
    for manifest in manifests:
        launch = launch_of(manifest.data, cluster)
        yield Expansion("refused" if launch.pod is None else "admitted", json_value(launch))


def launch_of(vm: Data, cluster: Cluster) -> Launch:
    """Return the launch of a VM."""
    try:
        pod_or_reason = _pod(vm, cluster)
    except UnsupportedError as error:
        pod_or_reason = str(error)
    launch = Launch(name=full_name(vm), replicas=replicas(vm), pool=_pool(vm), halted=is_halted(vm))
    if isinstance(pod_or_reason, str):
        return msgspec.structs.replace(launch, why=pod_or_reason)
    pod, guest, automatic = pod_or_reason
    return msgspec.structs.replace(launch, pod=pod, guest=guest, automatic=automatic)


def _pool(vm: Data) -> str:
    """The VirtualMachinePool that a VM was made by, "" for none."""
    metadata = vm["metadata"]
    owners = (owner for owner in metadata.get("ownerReferences") or () if owner.get("kind") == "VirtualMachinePool")
    name = next((owner.get("name") for owner in owners), None)
    return f"{namespace_or_default(metadata.get('namespace'))}/{name}" if name else ""


def demand_of(vm: Data, cluster: Cluster, reader: Reader) -> Demand | str:
    """Return what a VM requests, or why it has no Pod: the VM is refused, or virt-controller makes none."""
    pod_or_reason = _pod(vm, cluster)
    return pod_or_reason if isinstance(pod_or_reason, str) else reader.demand(full_name(vm), pod_or_reason[0])


def type_vm(manifest: Data) -> Data:
    """Return the smallest VM that has this instance type."""
    metadata = manifest["metadata"]
    domain: Data = {"devices": {}}
    if manifest["spec"].get("launchSecurity"):
        domain["firmware"] = {"bootloader": {"efi": {"secureBoot": False}}}
    volume = {"name": "root", "containerDisk": {"image": "registry.example.org/guest:1"}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "capacity", "namespace": namespace_or_default(metadata.get("namespace"))},
        "spec": {
            "runStrategy": "Always",
            "instancetype": {"kind": manifest["kind"], "name": metadata["name"]},
            "template": {"spec": {"domain": domain, "volumes": [volume]}},
        },
    }


def _pod(vm: Data, cluster: Cluster) -> tuple[Data, Guest, tuple[str, ...]] | str:
    """The Pod, the guest, and the names of the limits that KubeVirt itself set; a sentence where there is no Pod."""
    from virtcatalog.kubevirt.pod.facts import PodError
    from virtcatalog.kubevirt.pod.render import render_pod

    result = create_vmi(vm, cluster)
    vmi = result.vmi_object
    if not result.admitted or vmi is None:
        return f"refused: {result.reasons[0]}" if result.reasons else "refused"
    try:
        pod = render_pod(vmi, cluster, result.vm_object)
    except PodError as error:
        return f"no Pod is made: {error}"
    if refused := next(refusals(pod), ""):
        return f"no Pod is made: the API server refuses it: {refused}"
    limits = pod["spec"]["containers"][0]["resources"]["limits"]
    dedicated = vmi.spec.domain.cpu is not None and vmi.spec.domain.cpu.dedicated_cpu_placement
    own_limits = vmi.spec.domain.resources.limits
    automatic = (
        () if dedicated else tuple(name for name in ("cpu", "memory") if name in limits and name not in own_limits)
    )
    return pod, guest_of(vmi), automatic


def read_fleet(
    launched: Iterable[Launch], number: int, reader: Reader, judge: Judge
) -> tuple[list[tuple[Demand, bool]], list[tuple[str, str]]]:
    """Return the demands of `number` VMs with whether they are halted, and the VMs without a Pod with the reason.

    Pools and ReplicaSets come last: a pool stands for the VMs that it has not made yet. `judge` takes the Pods of
    running VMs; those of VMs are dropped once read, so memory grows with demands and groups alone.
    """
    fleet: list[tuple[Demand, bool]] = []
    podless: list[tuple[str, str]] = []
    groups: list[tuple[Launch, int]] = []
    members: Counter[str] = Counter()
    stood_for = 0
    for launch in tracked(launched, number, "VMs"):
        members[launch.pool] += 1
        if launch.pod is None:
            podless.append((launch.name, launch.why))
        elif launch.replicas is None:
            fleet += _demands(launch, [launch.name], reader, judge)
        elif launch.replicas:
            groups.append((launch, launch.replicas))
            stood_for += launch.replicas
            if stood_for > CAPACITY_VMS:
                raise VirtcatalogError(
                    f"{launch.name}: pools and ReplicaSets stand for more than {CAPACITY_VMS:,} VMs together"
                )
    taken = {*(demand.name for demand, _ in fleet), *(name for name, _ in podless)}
    for group, size in groups:
        free = (name for name in (f"{group.name}-{index}" for index in count()) if name not in taken)
        fleet += _demands(group, islice(free, max(size - members[group.name], 0)), reader, judge)
    return fleet, podless


def _demands(launch: Launch, names: Iterable[str], reader: Reader, judge: Judge) -> Iterator[tuple[Demand, bool]]:
    """Yield what each of some VMs with the same Pod requests, and whether they are halted; `judge` takes the Pods."""
    assert launch.pod is not None
    demand = reader.demand(launch.name, launch.pod)
    for name in names:
        yield msgspec.structs.replace(demand, name=name), launch.halted
        if not launch.halted:
            judge.take(
                PodRequest(
                    name=name,
                    namespace=demand.namespace,
                    pod=launch.pod,
                    guest=launch.guest,
                    automatic=launch.automatic,
                )
            )


def running_on(fleet: Iterable[tuple[Demand, bool]], cluster: Cluster) -> Iterator[tuple[str, str]]:
    """Yield the VMs that run, with their nodes."""
    for demand, _ in fleet:
        namespace, _, name = demand.name.partition("/")
        node = cluster.node_of(namespace, name)
        if node:
            yield demand.name, node


def is_counted(pod: Data, fleet: Collection[str], groups: tuple[str, ...]) -> bool:
    """Whether a Pod is a virt-launcher whose VM is counted instead: one of the fleet, or of a pool or ReplicaSet.

    A ReplicaSet gives its machines names that begin with its own.
    """
    metadata = pod.get("metadata") or {}
    if (metadata.get("labels") or {}).get("kubevirt.io") != "virt-launcher":
        return False
    machine = (metadata.get("annotations") or {}).get("kubevirt.io/domain")
    if machine is None:
        return True
    name = f"{namespace_or_default(metadata.get('namespace'))}/{machine}"
    return name in fleet or name.startswith(groups)


def is_over(pod: Data) -> bool:
    """Whether a Pod has ended and takes no room any more."""
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def split(manifests: Iterable[Data]) -> tuple[list[Data], list[Data]]:
    """Return the instance types and Pods among manifests.

    Of a cluster-wide and a namespaced type of one name, the cluster-wide one stays.
    """
    types: dict[tuple[str, str], Data] = {}
    pods: list[Data] = []
    for manifest in manifests:
        if manifest.get("kind") in INSTANCETYPE_KINDS:
            metadata = manifest["metadata"]
            key = (metadata["name"], metadata.get("namespace") or "")
            if (metadata["name"], "") not in types:
                types[key] = manifest
        elif (manifest.get("apiVersion"), manifest.get("kind")) == ("v1", "Pod"):
            pods.append(manifest)
    return list(types.values()), pods
