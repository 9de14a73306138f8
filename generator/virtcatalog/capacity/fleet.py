"""The VMs and instance types of a cluster, as what their Pods ask for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from virtcatalog.api.names import namespace_or_default
from virtcatalog.capacity.demand import Demand, Reader
from virtcatalog.capacity.quota import Asked, Judge
from virtcatalog.errors import UnsupportedError, VirtcatalogError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import create_vmi
from virtcatalog.limits import CAPACITY_VMS
from virtcatalog.manifests.identity import full_name
from virtcatalog.progress import tracked

Manifest = dict[str, Any]

INSTANCETYPES = ("VirtualMachineClusterInstancetype", "VirtualMachineInstancetype")
_HALTED = ("Halted",)
_LAUNCHER = {"kubevirt.io": "virt-launcher"}


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """The Pod of a VM, None where `why` says that there is none.

    `replicas` are as many VMs as it is for, of a pool or ReplicaSet; None of a VM. `automatic` are limits that KubeVirt
    set of itself.
    """

    name: str
    pod: dict[str, Any] | None = None
    replicas: int | None = None
    halted: bool = False
    automatic: tuple[str, ...] = ()
    why: str = ""


def launches(vms: Iterable[Manifest], cluster: Cluster) -> Iterator[Launch]:
    """Yield what is launched of VMs."""
    return (launch_of(vm, cluster) for vm in vms)


def launch_of(vm: Manifest, cluster: Cluster) -> Launch:
    """Return what is launched of a VM."""
    try:
        made = _pod(vm, cluster)
    except UnsupportedError as error:
        made = str(error)
    if isinstance(made, str):
        return Launch(name=full_name(vm), why=made)
    pod, automatic = made
    return Launch(name=full_name(vm), replicas=_replicas(vm), halted=is_halted(vm), pod=pod, automatic=automatic)


def demand_of(vm: Manifest, cluster: Cluster, reader: Reader) -> Demand | str:
    """What a VM asks for, or why it asks for nothing: it is refused, or virt-controller makes no Pod of it."""
    made = _pod(vm, cluster)
    return made if isinstance(made, str) else reader.demand(full_name(vm), made[0])


def type_vm(manifest: Manifest) -> Manifest:
    """A VM that has an instance type and says no more than it has to."""
    metadata = manifest["metadata"]
    domain: Manifest = {"devices": {}}
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


def _pod(vm: Manifest, cluster: Cluster) -> tuple[Manifest, tuple[str, ...]] | str:
    """The Pod, and the limits that KubeVirt set of itself; else a sentence."""
    from virtcatalog.kubevirt.pod.errors import PodError
    from virtcatalog.kubevirt.pod.render import render_pod

    result = create_vmi(vm, cluster)
    vmi = result.vmi_object
    if not result.admitted or vmi is None:
        return f"refused: {result.reasons[0]}" if result.reasons else "refused"
    try:
        pod = render_pod(vmi, cluster, result.vm_object)
    except PodError as error:
        return f"no Pod is made: {error}"
    limits = pod["spec"]["containers"][0]["resources"]["limits"]
    dedicated = vmi.spec.domain.cpu is not None and vmi.spec.domain.cpu.dedicated_cpu_placement
    given = vmi.spec.domain.resources.limits
    automatic = () if dedicated else tuple(name for name in ("cpu", "memory") if name in limits and name not in given)
    return pod, automatic


def read_fleet(
    launched: Iterable[Launch], number: int, reader: Reader, judge: Judge
) -> tuple[list[tuple[Demand, bool]], list[tuple[str, str]]]:
    """The demands of so many VMs, and whether they are halted; the VMs that ask for nothing, and why.

    `judge` hears what those ask that run. Of a VM and its Pod no more is kept than that.
    """
    fleet: list[tuple[Demand, bool]] = []
    podless: list[tuple[str, str]] = []
    replicas = 0
    for vm in tracked(launched, number, "VMs"):
        if vm.pod is None:
            podless.append((vm.name, vm.why))
            continue
        replicas += vm.replicas or 0
        if replicas > CAPACITY_VMS:
            raise VirtcatalogError(
                f"{vm.name}: pools and ReplicaSets stand for more than {CAPACITY_VMS:,} VMs together"
            )
        demand = reader.demand(vm.name, vm.pod)
        for name in _names(vm):
            fleet.append((msgspec.structs.replace(demand, name=name), vm.halted))
            if not vm.halted:
                judge.take(Asked(name=name, namespace=demand.namespace, pod=vm.pod, automatic=vm.automatic))
    return fleet, podless


def _names(vm: Launch) -> Iterable[str]:
    """The VMs that something is launched for: a pool or ReplicaSet stands for its replicas."""
    return [vm.name] if vm.replicas is None else (f"{vm.name}-{number}" for number in range(vm.replicas))


def _replicas(vm: Manifest) -> int | None:
    if vm.get("kind") not in ("VirtualMachinePool", "VirtualMachineInstanceReplicaSet"):
        return None
    replicas = (vm.get("spec") or {}).get("replicas")
    return 1 if replicas is None else max(int(replicas), 0)


def is_halted(vm: Manifest) -> bool:
    """Whether a VM is not to run, and takes no room."""
    spec = vm.get("spec") or {}
    if vm.get("kind") == "VirtualMachinePool":
        spec = (spec.get("virtualMachineTemplate") or {}).get("spec") or {}
    return spec.get("running") is False or spec.get("runStrategy") in _HALTED


def running_on(fleet: Iterable[tuple[Demand, bool]], cluster: Cluster) -> Iterator[tuple[str, str]]:
    """The node of each VM that runs."""
    for demand, _ in fleet:
        namespace, _, name = demand.name.partition("/")
        node = cluster.node_of(namespace, name)
        if node:
            yield demand.name, node


def is_launchers(pod: Manifest) -> bool:
    """Whether a Pod is a VM's: the VM counts for it."""
    labels = (pod.get("metadata") or {}).get("labels") or {}
    return any(labels.get(key) == value for key, value in _LAUNCHER.items())


def is_over(pod: Manifest) -> bool:
    """Whether a Pod has ended and takes no room any more."""
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def split(manifests: Iterable[Manifest]) -> tuple[list[Manifest], list[Manifest]]:
    """The instance types and the Pods among manifests; of types of one name in both scopes the cluster-wide one."""
    types: dict[tuple[str, str], Manifest] = {}
    pods: list[Manifest] = []
    for manifest in manifests:
        if manifest.get("kind") in INSTANCETYPES:
            metadata = manifest["metadata"]
            key = (metadata["name"], metadata.get("namespace") or "")
            if (metadata["name"], "") not in types:
                types[key] = manifest
        elif (manifest.get("apiVersion"), manifest.get("kind")) == ("v1", "Pod"):
            pods.append(manifest)
    return list(types.values()), pods
