"""The devices of the host that a VMI's pod is given, by device plugins and drivers of dynamic resource allocation.

Which they are is not known offline: the host profile says how they are numbered, and what resource claims get.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from virtcatalog.api.devices import GPU, HostDevice
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.hosts import ClaimedDevice, DeviceAddresses, HostProfile
from virtcatalog.kubevirt.launcher.context import DeviceResource
from virtcatalog.kubevirt.launcher.elements.hostdevs import is_claimed

_MEDIATED_DEVICES = uuid.UUID("5d6b3d3c-8f3c-5d0e-9b1b-0f6d2f5f9a51")


def device_resources(
    vmi: VirtualMachineInstance, host: HostProfile, kinds: Mapping[str, str]
) -> dict[str, DeviceResource]:
    """Number the resources as they are first used and their devices; a resource that nobody declares is PCI."""
    devices = vmi.spec.domain.devices
    counts: dict[str, int] = {}
    for name in [gpu.device_name for gpu in devices.gpus] + [device.device_name for device in devices.host_devices]:
        if name:
            counts[name] = counts.get(name, 0) + 1
    resources = {}
    for number, (name, count) in enumerate(counts.items()):
        kind = kinds.get(name, "pci")
        if kind == "pci":
            bus = host.devices.pci_first_bus + number
            addresses = tuple(f"0000:{bus:02x}:00.{i}" for i in range(count))
        elif kind == "usb":
            bus = host.devices.usb_first_bus + number
            addresses = tuple(f"{bus}:{i + 1}" for i in range(count))
        else:
            addresses = tuple(str(uuid.uuid5(_MEDIATED_DEVICES, f"{name}/{i}")) for i in range(count))
        resources[name] = DeviceResource(kind, addresses)
    return resources


def claimed_devices(
    vmi: VirtualMachineInstance, host: HostProfile, number: int
) -> dict[tuple[str, str], ClaimedDevice]:
    """What the requests of GPUs and host devices get; `number` resources come before them."""
    claimed: dict[tuple[str, str], ClaimedDevice] = {}
    devices: list[GPU | HostDevice] = [*vmi.spec.domain.devices.gpus, *vmi.spec.domain.devices.host_devices]
    for device in devices:
        pair = (device.claim_name or "", device.request_name or "")
        if is_claimed(device) and pair not in claimed:
            address = f"0000:{host.devices.pci_first_bus + number + len(claimed):02x}:00.0"
            allocated = _allocated(vmi, host, *pair, address)
            if allocated is not None:
                claimed[pair] = allocated
    return claimed


def sriov_addresses(vmi: VirtualMachineInstance, host: HostProfile) -> dict[str, str | None]:
    """SR-IOV interface to the PCI address of its virtual function; None where a resource claim gives none."""
    functions = (interface.name for interface in vmi.spec.domain.devices.interfaces if interface.sriov is not None)
    addresses: dict[str, str | None] = {name: _function(host.devices, i) for i, name in enumerate(functions)}
    for network in vmi.spec.networks:
        request, address = network.resource_claim, addresses.get(network.name)
        if request is not None and address is not None:
            device = _allocated(vmi, host, request.claim_name, request.request_name, address)
            addresses[network.name] = device.pci_address or None if device is not None else None
    return addresses


def _function(addresses: DeviceAddresses, number: int) -> str:
    return f"0000:{addresses.sriov_bus:02x}:{addresses.sriov_slot:02x}.{number % addresses.sriov_functions}"


def _allocated(
    vmi: VirtualMachineInstance, host: HostProfile, claim: str, request: str, address: str
) -> ClaimedDevice | None:
    """What a request gets: as the host profile says, else the PCI device at `address`; None without the claim.

    Source: pkg/dra/utils.go (resolveClaimMetadata).
    """
    listed = next((resource_claim for resource_claim in vmi.spec.resource_claims if resource_claim.name == claim), None)
    if listed is None:
        return None
    name = listed.resource_claim_name or listed.resource_claim_template_name or listed.name
    for device in host.claimed_devices:
        if (device.claim, device.request) == (name, request):
            return device
    return ClaimedDevice(claim=name, request=request, pci_address=address)


def resource_kinds(config: Configuration) -> dict[str, str]:
    """Resource to the kind of its devices, of those that the cluster permits."""
    permitted = config.permitted_host_devices
    if permitted is None:
        return {}
    kinds = {device.resource_name: "usb" for device in permitted.usb}
    kinds |= {device.resource_name: "mdev" for device in permitted.mediated_devices}
    return kinds | {device.resource_name: "pci" for device in permitted.pci_host_devices}
