"""Defaults of VMs and VMIs: those of the spec, which both webhooks set, and those of each alone.

Source: pkg/defaults/defaults.go (SetDefaultVirtualMachineInstanceSpec, SetVirtualMachineDefaults,
SetDefaultVirtualMachineInstance), pkg/util/util.go, pkg/network/vmispec/defaults.go.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from virtcatalog.api.cdi import DataSource
from virtcatalog.api.devices import Disk
from virtcatalog.api.domainspec import CPU, Machine, Memory
from virtcatalog.api.interfaces import Interface, InterfaceBridge, InterfaceMasquerade
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.api.names import namespace_or_default
from virtcatalog.api.quantity import Quantity
from virtcatalog.api.volumes import Network, PodNetwork, Volume
from virtcatalog.errors import VirtcatalogError
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.defaults.architecture import set_architecture_defaults, set_architecture_features
from virtcatalog.kubevirt.defaults.hotplug import set_hotplug_limits
from virtcatalog.kubevirt.defaults.hyperv import set_hyperv_dependencies
from virtcatalog.kubevirt.defaults.objects import set_object_defaults
from virtcatalog.kubevirt.hosts import ARCHITECTURES

if TYPE_CHECKING:
    from virtcatalog.kubevirt.cluster import Cluster


_name = attrgetter("name")
_MODEST_CPU_REQUEST = Quantity.parse("100m")


def set_default_vmi_spec(spec: VirtualMachineInstanceSpec, config: Configuration) -> None:
    """Set what does not depend on the architecture; NetworkDefaultError when no default network is possible."""
    if not spec.architecture:
        spec.architecture = config.default_architecture
    machine = spec.domain.machine
    if machine is None:
        spec.domain.machine = Machine(type=config.machine_type(spec.architecture))
    elif not machine.type:
        machine.type = config.machine_type(spec.architecture)
    _set_cpu_request(spec, config)
    _set_guest_memory(spec)
    _set_cpu_topology(spec)
    spec.volumes = [_with_pull_policy(volume) for volume in spec.volumes]
    if spec.eviction_strategy is None:
        spec.eviction_strategy = config.eviction_strategy
    set_default_network_interface(spec, config)
    set_default_volume_disks(spec)


def set_default_volume_disks(spec: VirtualMachineInstanceSpec) -> None:
    """Give every volume that neither a disk nor a filesystem uses a disk of its name."""
    devices = spec.domain.devices
    names = {*map(_name, devices.disks), *map(_name, devices.filesystems)}
    if not names.issuperset(map(_name, spec.volumes)):
        missing = [Disk(name=volume.name) for volume in spec.volumes if volume.name not in names]
        devices.disks = devices.disks + missing


def _set_cpu_request(spec: VirtualMachineInstanceSpec, config: Configuration) -> None:
    resources, cpu = spec.domain.resources, spec.domain.cpu
    limit = resources.limits.get("cpu")
    if limit and not resources.requests.get("cpu"):
        resources.requests["cpu"] = limit
    # A cluster that asks for as little as KubeVirt does by itself leaves the request to the pod.
    request = config.cpu_request
    if request is None or request == _MODEST_CPU_REQUEST or "cpu" in resources.requests:
        return
    if cpu is None or not cpu.dedicated_cpu_placement:
        resources.requests["cpu"] = request


def _set_guest_memory(spec: VirtualMachineInstanceSpec) -> None:
    memory, resources = spec.domain.memory, spec.domain.resources
    if memory is None:
        memory = spec.domain.memory = Memory()
    elif memory.guest is not None:
        return
    if resources.requests.get("memory"):
        memory.guest = resources.requests["memory"]
    elif resources.limits.get("memory"):
        memory.guest = resources.limits["memory"]
    elif memory.hugepages is not None:
        try:
            memory.guest = Quantity.parse(memory.hugepages.page_size)
        except ValueError:
            return  # admission refuses the page size


def _set_cpu_topology(spec: VirtualMachineInstanceSpec) -> None:
    cpu, resources = spec.domain.cpu, spec.domain.resources
    if cpu is None:
        cpu = spec.domain.cpu = CPU()
    if cpu.cores or cpu.sockets or cpu.threads:
        return
    amount = resources.limits.get("cpu", resources.requests.get("cpu"))
    cpu.sockets = 1 if amount is None else amount.value & 0xFFFFFFFF  # as Go's conversion to uint32
    cpu.cores = cpu.threads = 1


def _with_pull_policy(volume: Volume) -> Volume:
    """A volume of its own where it changes: the VM may share the one that it has (`own_template`)."""
    disk = volume.container_disk
    if disk is None or disk.image_pull_policy:
        return volume
    floating = disk.image.endswith(":latest") or not (":" in disk.image or "@" in disk.image)
    pulled = replace(disk, image_pull_policy="Always" if floating else "IfNotPresent")
    return replace(volume, container_disk=pulled)


_NAME = "default"


class NetworkDefaultError(VirtcatalogError):
    """The cluster's configuration does not allow the default network interface that it asks for."""


def set_default_network_interface(spec: VirtualMachineInstanceSpec, config: Configuration) -> None:
    """Connect a VM without networks and interfaces to the pod network, unless it does not want to be.

    Source: SetDefaultNetworkInterface.
    """
    devices = spec.domain.devices
    if devices.autoattach_pod_interface is False or spec.networks or devices.interfaces:
        return
    binding = config.default_network_interface
    if binding == "slirp":
        raise NetworkDefaultError("the cluster's default interface slirp is gone since v1.3")
    if binding == "masquerade":
        devices.interfaces = [Interface(name=_NAME, masquerade=InterfaceMasquerade())]
    elif config.is_bridge_interface_on_pod_network_enabled:
        devices.interfaces = [Interface(name=_NAME, bridge=InterfaceBridge())]
    else:
        raise NetworkDefaultError("the cluster does not permit a bridge interface on the pod network")
    spec.networks = [Network(name=_NAME, pod=PodNetwork())]


_ARCHITECTURE_LABEL = "template.kubevirt.io/architecture"


def set_vm_defaults(vm: VirtualMachine, cluster: Cluster) -> None:
    """Set the architecture, where possible that of the first disk image that tells its own, and the machine type."""
    spec = vm.spec.template.spec
    if not spec.architecture:
        spec.architecture = _architecture_of_images(vm, cluster) or cluster.configuration.default_architecture
    machine = spec.domain.machine
    if machine is None:
        machine = spec.domain.machine = Machine()
    if not machine.type:
        machine.type = cluster.configuration.machine_type(spec.architecture)


def _architecture_of_images(vm: VirtualMachine, cluster: Cluster) -> str:
    for template in vm.spec.data_volume_templates:
        reference = template.spec.source_ref
        if reference is None or reference.kind.lower() != "datasource":
            continue
        namespace = reference.namespace or namespace_or_default(vm.metadata.namespace)
        source = _resolve(cluster.data_source(namespace, reference.name), cluster)
        architecture = source.metadata.labels.get(_ARCHITECTURE_LABEL) if source else None
        if architecture in ARCHITECTURES:
            return architecture
    return ""


def _resolve(source: DataSource | None, cluster: Cluster) -> DataSource | None:
    pointer = source.spec.source.data_source if source else None
    return cluster.data_source(pointer.namespace, pointer.name) if pointer else source


_CPU_MODEL = "host-model"


def set_default_vmi(vmi: VirtualMachineInstance, config: Configuration) -> None:
    """Set every default; NetworkDefaultError when no default network is possible."""
    spec = vmi.spec
    set_default_vmi_spec(spec, config)
    set_architecture_features(spec)
    set_object_defaults(vmi)
    set_hyperv_dependencies(spec)
    set_architecture_defaults(spec, config)
    cpu = spec.domain.cpu
    assert cpu is not None  # it has its topology by now
    if not cpu.model:
        cpu.model = config.cpu_model or _CPU_MODEL
    set_hotplug_limits(spec, config)
