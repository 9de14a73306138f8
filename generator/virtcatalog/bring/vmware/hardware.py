"""What a libvirt domain shows of a VM: that by which it is proven that the machine is still the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from virtcatalog.kubevirt.launcher.xml import Element

_TRANSITIONS = ("-non-transitional", "-transitional")
_UNITS = {"b": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


class GuestDisk(NamedTuple):
    """A disk's bus, and its place in the boot order, 0 for none."""

    bus: str
    boots: int


class GuestHardware(NamedTuple):
    """A domain's vCPUs that are plugged in, cores a socket, bytes of memory, firmware and devices.

    Disks and models of network cards are known by the names that they have in the VM.
    """

    vcpus: int
    cores: int
    memory: int
    firmware: str
    secure_boot: bool
    tpm: bool
    disks: Mapping[str, GuestDisk]
    nics: Mapping[str, str]


def hardware_of(domain: Element) -> GuestHardware:
    """Read a domain that KubeVirt makes."""
    loader, topology, memory = (domain.find(path) for path in ("os/loader", "cpu/topology", "memory"))
    plugged = domain.findall("vcpus/vcpu[@enabled='yes']")
    return GuestHardware(
        vcpus=len(plugged) or int(domain.findtext("vcpu", "1")),
        cores=int(topology.get("cores", "1")) if topology is not None else 1,
        memory=int(memory.text or "0") * _UNITS[memory.get("unit", "KiB")] if memory is not None else 0,
        firmware="bios" if loader is None else "efi",
        secure_boot=loader is not None and loader.get("secure") == "yes",
        tpm=domain.find("devices/tpm") is not None,
        disks={_name(disk): _disk(disk) for disk in domain.findall("devices/disk")},
        nics={_name(nic): _model(nic) for nic in domain.findall("devices/interface")},
    )


def _attribute(device: Element, child: str, attribute: str, default: str = "") -> str:
    element = device.find(child)
    return element.get(attribute, default) if element is not None else default


def _name(device: Element) -> str:
    return _attribute(device, "alias", "name").removeprefix("ua-")


def _disk(disk: Element) -> GuestDisk:
    return GuestDisk(_attribute(disk, "target", "bus"), int(_attribute(disk, "boot", "order", "0")))


def _model(nic: Element) -> str:
    text = _attribute(nic, "model", "type")
    for transition in _TRANSITIONS:
        text = text.removesuffix(transition)
    return text
