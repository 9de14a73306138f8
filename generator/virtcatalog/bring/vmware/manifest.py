"""The VM that a machine of vSphere becomes: devices, firmware and networks; its size is put in beside."""

from __future__ import annotations

import re
from collections.abc import Mapping as Map
from typing import Any, Literal, NamedTuple

from virtcatalog.adopt.candidates import Reference
from virtcatalog.api.quantity import Quantity
from virtcatalog.bring.imports import free_label, label
from virtcatalog.bring.vmware.guests import Drivers, Guest
from virtcatalog.bring.vmware.machine import Disk, Machine
from virtcatalog.bring.vmware.mapping import IGNORED, POD, Mapping
from virtcatalog.kubevirt.launcher.elements.vcpu import CPUTopology

#: A claim is called VM-disk-NUMBER, and forklift's names that are made of it have 63 characters.
LONGEST_NAME = 38
_ESCAPED = re.compile("%(2f|5c|25)", re.IGNORECASE)
SECOND_POD_NETWORK = "the VM has the Pod's network once: map this one to a NetworkAttachmentDefinition"

DisksAs = Literal["claim", "upload"]
"""Where the disks come from: claims that exist by then, or DataVolumes that are uploaded into."""


class Target(NamedTuple):
    """What VMs are made for: where they come to be, and how."""

    mapping: Mapping
    namespace: str = ""
    disks: DisksAs = "claim"
    run_strategy: str = "Halted"
    #: Whether virt-v2v, as forklift runs it, gives the guests drivers for virtio.
    converted: bool = True


class System(NamedTuple):
    """A VM's operating system, the text that said so, what drivers it has in the cluster, and its preference.

    `kin` is set where the preference is for any Linux, or for any version.
    """

    guest: Guest | None
    text: str
    drivers: Drivers
    preference: Reference | None
    kin: bool = False
    preference_spec: Map[str, Any] = {}


def name_of(machine: Machine, used_names: set[str]) -> str:
    """Return the name that a machine has in the cluster, and add it to `used_names`.

    vSphere writes slash, backslash and percent sign as `%2f`, `%5c` and `%25` (ManagedEntity.name).
    """
    name = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), machine.name)
    return free_label(label(name, "vm"), used_names, LONGEST_NAME)


def claim_of(name: str, index: int | str) -> str:
    """Return the name of a disk's claim; with the variables of forklift's templates, how a Plan names claims."""
    return f"{name}-disk-{index}"


def manifest(machine: Machine, name: str, system: System, target: Target) -> dict[str, Any]:
    """Return the VM without its size."""
    networks = attachments(machine, target.mapping)
    spec: dict[str, Any] = {
        "domain": {
            **_firmware(machine),
            "devices": {
                **({"useVirtioTransitional": True} if system.drivers == "transitional" else {}),
                "disks": [_disk(disk, index, machine, system) for index, disk in enumerate(machine.disks)],
                "interfaces": [
                    _interface(machine, index, network, system) for index, network in networks.items() if network
                ],
                **_tpm(machine, system),
            },
        },
        "networks": [_network(index, network) for index, network in networks.items() if network],
        "volumes": [_volume(name, index, target) for index in range(len(machine.disks))],
    }
    if not spec["networks"]:
        # Without this KubeVirt gives the VM the Pod's network.
        spec["domain"]["devices"]["autoattachPodInterface"] = False
    _drop_empty(spec["domain"]["devices"], "disks", "interfaces")
    _drop_empty(spec, "networks", "volumes")
    vm: dict[str, Any] = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name},
        "spec": {"runStrategy": target.run_strategy},
    }
    if target.namespace:
        vm["metadata"]["namespace"] = target.namespace
    if machine.notes:
        vm["metadata"]["annotations"] = {"description": machine.notes}
    if system.preference is not None:
        vm["spec"]["preference"] = system.preference.matcher()
    if target.disks == "upload" and machine.disks:
        vm["spec"]["dataVolumeTemplates"] = [
            _data_volume(disk, claim_of(name, index), target.mapping) for index, disk in enumerate(machine.disks)
        ]
    vm["spec"]["template"] = {"spec": spec}
    return vm


def with_type(vm: dict[str, Any], instancetype: Reference) -> dict[str, Any]:
    """Return a VM with an instance type."""
    spec = vm["spec"]
    first = {"runStrategy": spec["runStrategy"], "instancetype": instancetype.matcher()}
    return {**vm, "spec": {**first, **{key: value for key, value in spec.items() if key not in first}}}


def with_size(vm: dict[str, Any], topology: CPUTopology, memory: int) -> dict[str, Any]:
    """Return a VM that says its size itself."""
    cpu = {"sockets": topology.sockets, "cores": topology.cores, "threads": topology.threads}
    template = vm["spec"]["template"]
    domain = {"cpu": cpu, "memory": {"guest": str(Quantity.of(memory))}, **template["spec"]["domain"]}
    return {**vm, "spec": {**vm["spec"], "template": {"spec": {**template["spec"], "domain": domain}}}}


def own_topology(machine: Machine) -> CPUTopology:
    """Return the sockets and cores of a machine; all CPUs are sockets where it has no whole number of these."""
    cores = machine.cores if machine.cores and machine.vcpus % machine.cores == 0 else 1
    return CPUTopology(machine.vcpus // cores, cores, 1)


def attachments(machine: Machine, mapping: Mapping) -> dict[int, str]:
    """Return the network of each network card by its index, "" for one that the VM does not get."""
    networks: dict[int, str] = {}
    for index, nic in enumerate(machine.nics):
        network = mapping.networks.get(nic.network, "") if nic.network else ""
        if network == IGNORED or (network == POD and POD in networks.values()):
            network = ""
        networks[index] = network
    return networks


def _firmware(machine: Machine) -> dict[str, Any]:
    firmware: dict[str, Any] = {}
    if machine.uuid:
        firmware |= {"uuid": machine.uuid, "serial": vmware_serial(machine.uuid)}
    if machine.firmware == "efi":
        firmware["bootloader"] = {"efi": {"secureBoot": bool(machine.secure_boot)}}
    elif machine.firmware == "bios":
        firmware["bootloader"] = {"bios": {}}
    features: dict[str, Any] = {"features": {"smm": {}}} if machine.firmware == "efi" and machine.secure_boot else {}
    return features | ({"firmware": firmware} if firmware else {})


def vmware_serial(uuid: str) -> str:
    """Return the serial number that VMware shows to the guest of a machine with this UUID."""
    digits = uuid.replace("-", "").lower()
    pairs = [digits[at : at + 2] for at in range(0, len(digits), 2)]
    return f"VMware-{' '.join(pairs[:8])}-{' '.join(pairs[8:])}"


def _tpm(machine: Machine, system: System) -> dict[str, Any]:
    if machine.tpm:
        return {"tpm": {"persistent": True}}
    prefers = "preferredTPM" in system.preference_spec.get("devices", {})
    return {"tpm": {"enabled": False}} if machine.tpm is False and prefers else {}


def _disk(disk: Disk, index: int, machine: Machine, system: System) -> dict[str, Any]:
    data: dict[str, Any] = {"name": f"disk-{index}", "disk": {"bus": bus} if (bus := _bus(system)) else {}}
    if index == machine.boots:
        data["bootOrder"] = 1
    if disk.shared:
        data |= {"shareable": True, "cache": "none"}
    return data


def _bus(system: System) -> str:
    """The bus of disks, "" where the preference says it."""
    if system.drivers == "none":
        return "sata"
    return "" if "preferredDiskBus" in system.preference_spec.get("devices", {}) else "virtio"


def _model(system: System) -> str:
    """The model of network cards, "" where the preference says it."""
    if system.drivers == "none":
        return "e1000e"
    return "" if "preferredInterfaceModel" in system.preference_spec.get("devices", {}) else "virtio"


def _interface(machine: Machine, index: int, network: str, system: System) -> dict[str, Any]:
    nic = machine.nics[index]
    data: dict[str, Any] = {"name": f"net-{index}", "masquerade" if network == POD else "bridge": {}}
    if nic.mac:
        data["macAddress"] = nic.mac
    if model := _model(system):
        data["model"] = model
    if not nic.connected:
        data["state"] = "down"
    return data


def _network(index: int, network: str) -> dict[str, Any]:
    source = {"pod": {}} if network == POD else {"multus": {"networkName": network}}
    return {"name": f"net-{index}", **source}


def _volume(name: str, index: int, target: Target) -> dict[str, Any]:
    claim = claim_of(name, index)
    source = (
        {"persistentVolumeClaim": {"claimName": claim}} if target.disks == "claim" else {"dataVolume": {"name": claim}}
    )
    return {"name": f"disk-{index}", **source}


def _data_volume(disk: Disk, name: str, mapping: Mapping) -> dict[str, Any]:
    storage: dict[str, Any] = {"resources": {"requests": {"storage": str(Quantity.of(disk.size))}}}
    if place := mapping.datastores.get(disk.storage):
        if place.storage_class:
            storage["storageClassName"] = place.storage_class
        if place.volume_mode:
            storage["volumeMode"] = place.volume_mode
        if place.access_mode:
            storage["accessModes"] = [place.access_mode]
    return {"metadata": {"name": name}, "spec": {"source": {"upload": {}}, "storage": storage}}


def _drop_empty(data: dict[str, Any], *keys: str) -> None:
    for key in keys:
        if not data[key]:
            del data[key]
