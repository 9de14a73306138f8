"""What KubeVirt brings to a machine while it runs, and has not brought yet.

Source: pkg/virt-controller/watch/vm/vm.go (handleCPUChangeRequest, handleMemoryHotplugRequest,
handleAffinityChangeRequest, handleTolerationsChangeRequest, handleDeclarativeVolumeHotplug) and
pkg/network/controllers/vm.go (sync).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from virtcatalog.api.decode import to_manifest
from virtcatalog.api.findings import Item
from virtcatalog.api.kubevirt import VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.rollout.interfaces import ABSENT, interfaces_by_name, networks_by_name
from virtcatalog.kubevirt.rollout.volumes import claim_of, is_hotplugged, volumes_by_name
from virtcatalog.manifests.difference import Difference, differences

TEMPLATE: Final = ("spec", "template", "spec")
_PLACING: Final = (("affinity", "affinity"), ("node_selector", "nodeSelector"), ("tolerations", "tolerations"))
_VOLUMES: Final = (*TEMPLATE, "volumes")
_MIGRATING: Final = (("domain", "cpu"), ("domain", "memory"), ("domain", "devices"))
_READY: Final = "Ready"
_ROUNDED: Final = 2**20
_IN_DOMAIN: Final = "domain"


def arriving(
    started: VirtualMachineInstanceSpec,
    wanted: VirtualMachineInstanceSpec,
    vmi: VirtualMachineInstance,
    config: Configuration,
) -> Iterator[Difference]:
    """Yield what a machine gets while it runs and does not have, from what it has to what its VM wants.

    `started` and `wanted` are the template as it was and as it is, with instance type and preference applied. What
    the guest has is taken from the machine's status, where that says it.
    """
    yield from _amounts(started, wanted, vmi)
    if config.live_update:
        for name, key in _PLACING:
            has, wants = getattr(vmi.spec, name), getattr(wanted, name)
            if has != wants:
                yield from differences(_plain(vmi.spec, key), _plain(wanted, key), (*TEMPLATE, key))
    yield from _interfaces(started, wanted, vmi)
    yield from _networks(wanted, vmi)
    yield from _volumes(started, wanted, vmi)


def comes_with_a_migration(difference: Difference) -> bool:
    """Whether what a machine gets comes with a live migration, and not at once."""
    return difference.path[3:5] in _MIGRATING or difference.path[3] == "networks"


def _plain(spec: VirtualMachineInstanceSpec, key: str) -> Any:
    return to_manifest(spec).get(key)


def _amounts(
    started: VirtualMachineInstanceSpec, wanted: VirtualMachineInstanceSpec, vmi: VirtualMachineInstance
) -> Iterator[Difference]:
    """CPU sockets and memory: a VM that says nothing of them wants what its machine has.

    Of an amount that nobody has changed the guest's own count may differ by what libvirt rounds.
    """
    status, cpu, memory = vmi.status, vmi.spec.domain.cpu, vmi.spec.domain.memory
    sockets, guest = _sockets(wanted), _guest(wanted)
    if cpu is not None and sockets:
        has = cpu.sockets
        if sockets != _sockets(started) and status is not None and status.current_cpu_topology is not None:
            has = status.current_cpu_topology.sockets or has
        if has != sockets:
            yield Difference((*TEMPLATE, "domain", "cpu", "sockets"), has, sockets)
    if memory is not None and memory.guest is not None and guest is not None:
        now = memory.guest
        if guest != _guest(started) and status is not None and status.memory is not None:
            now = status.memory.guest_current or now
        if abs(now.value - guest.value) >= _ROUNDED:
            yield Difference((*TEMPLATE, "domain", "memory", "guest"), str(now), str(guest))


def _sockets(spec: VirtualMachineInstanceSpec) -> int:
    return spec.domain.cpu.sockets if spec.domain.cpu is not None else 0


def _guest(spec: VirtualMachineInstanceSpec) -> Quantity | None:
    return spec.domain.memory.guest if spec.domain.memory is not None else None


def _interfaces(
    started: VirtualMachineInstanceSpec, wanted: VirtualMachineInstanceSpec, vmi: VirtualMachineInstance
) -> Iterator[Difference]:
    there, before = interfaces_by_name(vmi.spec), interfaces_by_name(started)
    statuses = vmi.status.interfaces if vmi.status is not None else []
    in_guest = {interface.name for interface in statuses if _IN_DOMAIN in interface.info_source}
    for name, interface in interfaces_by_name(wanted).items():
        path = (*TEMPLATE, "domain", "devices", "interfaces", Item(name))
        if interface.state == ABSENT:
            if name in there:
                yield Difference(path, to_manifest(there[name]), None)
        elif name not in there or (statuses and name not in before and name not in in_guest):
            yield Difference(path, None, to_manifest(interface))


def _networks(wanted: VirtualMachineInstanceSpec, vmi: VirtualMachineInstance) -> Iterator[Difference]:
    """What interfaces that stay are attached to (LiveUpdateNADRef)."""
    there = networks_by_name(vmi.spec)
    for name, network in networks_by_name(wanted).items():
        if name in there and there[name] != network:
            yield from differences(to_manifest(there[name]), to_manifest(network), (*TEMPLATE, "networks", Item(name)))


def _volumes(
    started: VirtualMachineInstanceSpec, wanted: VirtualMachineInstanceSpec, vmi: VirtualMachineInstance
) -> Iterator[Difference]:
    there, before, now = volumes_by_name(vmi.spec), volumes_by_name(started), volumes_by_name(wanted)
    statuses = vmi.status.volume_status if vmi.status is not None else []
    plugged = {status.name for status in statuses if status.phase == _READY}
    for name, volume in now.items():
        if name not in there or (name not in before and is_hotplugged(volume) and name not in plugged):
            yield Difference((*_VOLUMES, Item(name)), None, to_manifest(volume))
        elif claim_of(volume) != claim_of(there[name]):
            yield Difference((*_VOLUMES, Item(name)), to_manifest(there[name]), to_manifest(volume))
    for name in sorted(before.keys() & there.keys() - now.keys()):
        yield Difference((*_VOLUMES, Item(name)), to_manifest(there[name]), None)


def plugged_by_hand(
    started: VirtualMachineInstanceSpec, wanted: VirtualMachineInstanceSpec, vmi: VirtualMachineInstance
) -> Iterator[Difference]:
    """Yield the volumes that a machine alone has, and loses when it starts again (virtctl addvolume)."""
    of_vm = volumes_by_name(started).keys() | volumes_by_name(wanted).keys()
    for name, volume in volumes_by_name(vmi.spec).items():
        if name not in of_vm:
            yield Difference((*_VOLUMES, Item(name)), to_manifest(volume), None)
