"""Defaults of a VMI's spec that both the VM's and the VMI's webhook set.

Source: pkg/defaults/defaults.go (SetDefaultVirtualMachineInstanceSpec), pkg/util/util.go.
"""

from __future__ import annotations

from operator import attrgetter

from msgspec.structs import replace

from virtcatalog.api.devices import Disk
from virtcatalog.api.domainspec import CPU, Machine, Memory
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.defaults.network import set_default_network_interface

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
    _set_pull_policies(spec)
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


def _set_pull_policies(spec: VirtualMachineInstanceSpec) -> None:
    """In volumes of its own: the spec may share those that it has (`own_template`)."""
    volumes = spec.volumes
    for index, volume in enumerate(volumes):
        disk = volume.container_disk
        if disk is not None and not disk.image_pull_policy:
            floating = disk.image.endswith(":latest") or not (":" in disk.image or "@" in disk.image)
            if spec.volumes is volumes:
                spec.volumes = list(volumes)
            pulled = replace(disk, image_pull_policy="Always" if floating else "IfNotPresent")
            spec.volumes[index] = replace(volume, container_disk=pulled)
