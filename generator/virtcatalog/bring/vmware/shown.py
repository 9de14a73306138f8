"""What a libvirt domain shows of a VM: that by which it is proven that the machine is still the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from virtcatalog.manifests.xml import XMLElement, read_xml

_TRANSITIONS = ("-non-transitional", "-transitional")
_UNITS = {"b": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


class ShownDisk(NamedTuple):
    """A disk's bus, and its place in the boot order, 0 for none."""

    bus: str
    boots: int


class Shown(NamedTuple):
    """A domain's vCPUs that are plugged in, cores a socket, bytes of memory, firmware and devices.

    Disks and models of network cards are known by the names that they have in the VM.
    """

    vcpus: int
    cores: int
    memory: int
    firmware: str
    secure_boot: bool
    tpm: bool
    disks: Mapping[str, ShownDisk]
    nics: Mapping[str, str]


def shown(domain_xml: str) -> Shown:
    """Read the XML of a domain that KubeVirt makes."""
    domain = read_xml(domain_xml.encode(), "the VM's domain")
    loader, topology, memory = (domain.first(*path) for path in (("os", "loader"), ("cpu", "topology"), ("memory",)))
    plugged = [vcpu for vcpu in domain.all("vcpus", "vcpu") if vcpu.get("enabled") == "yes"]
    count = domain.first("vcpu")
    return Shown(
        vcpus=len(plugged) or int(count.text if count is not None else "1"),
        cores=int(topology.get("cores", "1")) if topology is not None else 1,
        memory=int(memory.text) * _UNITS[memory.get("unit", "KiB")] if memory is not None else 0,
        firmware="bios" if loader is None else "efi",
        secure_boot=loader is not None and loader.get("secure") == "yes",
        tpm=domain.first("devices", "tpm") is not None,
        disks={_name(disk): _disk(disk) for disk in domain.all("devices", "disk")},
        nics={_name(nic): _model(nic) for nic in domain.all("devices", "interface")},
    )


def _name(device: XMLElement) -> str:
    alias = device.first("alias")
    return alias.get("name").removeprefix("ua-") if alias is not None else ""


def _disk(disk: XMLElement) -> ShownDisk:
    target, boot = disk.first("target"), disk.first("boot")
    return ShownDisk(
        target.get("bus") if target is not None else "", int(boot.get("order", "0")) if boot is not None else 0
    )


def _model(nic: XMLElement) -> str:
    model = nic.first("model")
    text = model.get("type") if model is not None else ""
    for transition in _TRANSITIONS:
        text = text.removesuffix(transition)
    return text
