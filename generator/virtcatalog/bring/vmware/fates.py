"""What becomes of each thing that a source says of a machine, by its subject; and summed up over all machines.

`carried` is only what the domain of the new VM shows, or a field of the VM that the domain does not have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from virtcatalog.adopt.candidates import Reference
from virtcatalog.adopt.fleet import Adoption
from virtcatalog.bring.imports import Fate, Verdict, carried, host, lost
from virtcatalog.bring.vmware.guests import or_later
from virtcatalog.bring.vmware.hardware import GuestHardware
from virtcatalog.bring.vmware.machine import Attribute, Machine
from virtcatalog.bring.vmware.manifest import SECOND_POD_NETWORK, System, Target, claim_of
from virtcatalog.bring.vmware.mapping import IGNORED, POD
from virtcatalog.errors import Reason, UnsupportedError, counted
from virtcatalog.units import memory

_NUMBER: Final = re.compile(r"\[\d+\]")
_RANKS: Final[tuple[Fate, ...]] = ("lost", "unproven", "host", "carried")
_NOT_PROVEN: Final = Verdict("unproven", "KubeVirt refuses the VM")


class Brought(NamedTuple):
    """A machine as a VM: what was chosen for it, and what its domain shows; `hardware` is None where it has none.

    `instancetype` is None where no type is as large as the machine, or the catalog has none; `adoption` is what was
    found for it. `reasons` are why KubeVirt refuses the VM. VMs of one `likeness` differ in names and addresses alone.
    """

    machine: Machine
    name: str
    vm: dict[str, Any]
    system: System
    target: Target
    networks: Mapping[int, str]
    likeness: bytes = b""
    instancetype: Reference | None = None
    adoption: Adoption | None = None
    reasons: tuple[Reason | UnsupportedError, ...] = ()
    hardware: GuestHardware | None = None

    @property
    def key(self) -> str:
        """`namespace/name`, or the name alone."""
        return f"{self.target.namespace}/{self.name}".removeprefix("/")


def verdict(attribute: Attribute, brought: Brought) -> Verdict:
    """Return what becomes of something that a source says of the machine."""
    subject = attribute.subject
    if isinstance(subject, Verdict):
        return subject
    hardware, number = brought.hardware, attribute.number
    if hardware is None:
        return _NOT_PROVEN
    if subject.startswith("disk") and f"disk-{number}" not in hardware.disks:
        return lost("the VM does not have this disk")
    # A card without a network is none of the VM's, and its fate says why.
    if subject.startswith("nic") and subject != "nic.network" and f"net-{number}" not in hardware.nics:
        return lost("the VM does not have this card")
    return _FATES[subject](brought, hardware, number)


def _size(has: int, had: int, words: Callable[[int], str], brought: Brought) -> Verdict:
    where = brought.instancetype.name if brought.instancetype is not None else "the VM"
    if has == had:
        return carried(f"{where}: {words(has)}")
    if has > had:
        return carried(f"{where} has {words(has)}, the machine {words(had)}")
    return lost(f"{where} has {words(has)} only")


def _vcpus(brought: Brought, hardware: GuestHardware, _index: int) -> Verdict:
    return _size(hardware.vcpus, brought.machine.vcpus, lambda number: counted(number, "vCPU"), brought)


def _memory(brought: Brought, hardware: GuestHardware, _index: int) -> Verdict:
    return _size(hardware.memory, brought.machine.memory, memory, brought)


def _cores(brought: Brought, hardware: GuestHardware, _index: int) -> Verdict:
    words = counted(hardware.cores, "core") + " a socket"
    if hardware.cores == brought.machine.cores:
        return carried(words)
    preference = brought.system.preference
    by = preference.name if preference is not None else "the instance type"
    return lost(f"{by} lays the vCPUs out with {words}")


def _guest(brought: Brought, _hardware: GuestHardware, _index: int) -> Verdict:
    system = brought.system
    if system.preference is not None:
        if not system.kin and or_later(system.text) and system.text not in brought.target.mapping.guests:
            return lost(
                f"{system.preference.name}, if it is no later one: name its preference in the mapping, under guests"
            )
        kin = ", which is for others of its family, too" if system.kin else ""
        return carried(f"preference {system.preference.name}{kin}")
    if system.guest is None:
        return lost("it is no operating system that is known: name its preference in the mapping, under guests")
    return lost(f"the catalog has no preference for {system.guest}: name one in the mapping, under guests")


def _firmware(brought: Brought, hardware: GuestHardware, _index: int) -> Verdict:
    words = {"efi": "UEFI", "bios": "BIOS"}
    if hardware.firmware == brought.machine.firmware:
        return carried(words[hardware.firmware])
    return lost(f"the VM has {words[hardware.firmware]}")


def _secure_boot(brought: Brought, hardware: GuestHardware, _index: int) -> Verdict:
    if hardware.secure_boot == bool(brought.machine.secure_boot) or not brought.machine.firmware:
        return carried("Secure Boot" if hardware.secure_boot else "no Secure Boot")
    return lost("the VM has Secure Boot" if hardware.secure_boot else "the VM has no Secure Boot")


def _tpm(brought: Brought, hardware: GuestHardware, _index: int) -> Verdict:
    if hardware.tpm != brought.machine.tpm:
        return lost("the VM has a TPM" if hardware.tpm else "the VM has no TPM")
    return (
        lost("a new TPM 2.0, which is empty: what the old one held, such as BitLocker's keys, stays behind")
        if hardware.tpm
        else carried("no TPM")
    )


def _uuid(brought: Brought, _hardware: GuestHardware, _index: int) -> Verdict:
    if not brought.machine.uuid:
        return lost("it is no UUID")
    return carried("domain.firmware.uuid, and VMware's serial number of it in domain.firmware.serial")


def _boots(brought: Brought, hardware: GuestHardware, _index: int) -> Verdict:
    disk = hardware.disks.get(f"disk-{brought.machine.boots}")
    if disk is not None and disk.boots == 1:
        return carried(f"disk-{brought.machine.boots} boots")
    return lost("the VM boots from no disk")


def _disk_size(brought: Brought, _hardware: GuestHardware, index: int) -> Verdict:
    size, claim = brought.machine.disks[index].size, claim_of(brought.name, index)
    if brought.target.disks == "upload":
        return carried(f"DataVolume {claim}: {memory(size)}")
    return host(f"the claim {claim} has it: at least {memory(size)}")


def _disk_storage(brought: Brought, _hardware: GuestHardware, index: int) -> Verdict:
    storage = brought.target.mapping.datastores.get(brought.machine.disks[index].storage)
    chosen = (storage.storage_class if storage is not None else "") or "the default"
    return host(f"the mapping makes it the storage class {chosen}")


def _disk_bus(brought: Brought, hardware: GuestHardware, index: int) -> Verdict:
    bus = hardware.disks[f"disk-{index}"].bus
    if bus == brought.machine.disks[index].bus:
        return carried(f"bus {bus}")
    return lost(f"the guest finds the disk on {bus}")


def _disk_shared(brought: Brought, _hardware: GuestHardware, index: int) -> Verdict:
    if not brought.machine.disks[index].shared:
        return carried("the disk is this VM's alone")
    return lost(f"shareable, but {claim_of(brought.name, index)} is a claim of this VM: name one claim in all of them")


def _disk_raw(brought: Brought, _hardware: GuestHardware, index: int) -> Verdict:
    if not brought.machine.disks[index].raw:
        return carried("the disk is an image")
    return lost("a raw device comes as an image of what is on it, not as the device")


def _network(brought: Brought, _hardware: GuestHardware, index: int) -> Verdict:
    network, source = brought.networks[index], brought.machine.nics[index].network
    if network:
        return carried("the Pod's network" if network == POD else f"NetworkAttachmentDefinition {network}")
    if not source:
        return lost("it is connected to nothing")
    ignored = brought.target.mapping.networks.get(source) == IGNORED
    return lost("the mapping ignores this network" if ignored else SECOND_POD_NETWORK)


def _mac(brought: Brought, _hardware: GuestHardware, index: int) -> Verdict:
    if not brought.machine.nics[index].mac:
        return lost("it is no MAC address")
    return carried(f"interface net-{index}")


def _model(brought: Brought, hardware: GuestHardware, index: int) -> Verdict:
    model = hardware.nics[f"net-{index}"]
    if model == brought.machine.nics[index].model:
        return carried(model)
    return lost(f"the guest finds a card of model {model}, under another name perhaps")


_FATES: Mapping[str, Callable[[Brought, GuestHardware, int], Verdict]] = {
    "name": lambda brought, _, _index: carried(f"metadata.name: {brought.name}"),
    "vcpus": _vcpus,
    "cores": _cores,
    "memory": _memory,
    "guest": _guest,
    "firmware": _firmware,
    "secureBoot": _secure_boot,
    "tpm": _tpm,
    "uuid": _uuid,
    "notes": lambda _, _hardware, _index: carried("metadata.annotations[description]"),
    "runs": lambda brought, _, _index: host(f"runStrategy is {brought.target.run_strategy}, whatever runs there"),
    "boots": _boots,
    "disk": lambda _, _hardware, index: carried(f"disk-{index}"),
    "disk.size": _disk_size,
    "disk.storage": _disk_storage,
    "disk.file": lambda brought, _, index: host(f"the image comes into {claim_of(brought.name, index)}"),
    "disk.bus": _disk_bus,
    "disk.shared": _disk_shared,
    "disk.raw": _disk_raw,
    "nic": lambda _, _hardware, index: carried(f"net-{index}"),
    "nic.network": _network,
    "nic.mac": _mac,
    "nic.model": _model,
    "nic.connected": lambda brought, _, index: carried(
        "the link is up" if brought.machine.nics[index].connected else "state: down"
    ),
}


class Line(NamedTuple):
    """An attribute that has the same fate in `times` places; `vm`, `attribute` and `why` are those of the first."""

    fate: Fate
    path: str
    times: int
    vm: str
    attribute: Attribute
    why: str


class Ledger:
    """Counts fates by the attribute's path, and for what is lost by the reason, too. It grows with these alone."""

    def __init__(self) -> None:
        self.counts: Counter[Fate] = Counter()
        self._times: Counter[tuple[str, Fate, str]] = Counter()
        self._first: dict[tuple[str, Fate, str], tuple[str, Attribute, str]] = {}

    def add(self, vm: str, fates: Iterable[tuple[Attribute, Verdict]]) -> None:
        """Count what became of a VM's attributes."""
        for attribute, (fate, why) in fates:
            self.counts[fate] += 1
            key = attribute.path, fate, why if fate == "lost" else ""
            self._times[key] += 1
            if key not in self._first:
                self._first[key] = vm, attribute, why

    def lines(self) -> list[Line]:
        """Return what was counted: what is lost first, and of that what is lost most often."""
        times: Counter[tuple[str, Fate, str]] = Counter()
        first: dict[tuple[str, Fate, str], tuple[str, Attribute, str]] = {}
        for (path, fate, why), number in self._times.items():
            key = _NUMBER.sub("", path), fate, why
            times[key] += number
            first.setdefault(key, self._first[path, fate, why])
        lines = [Line(fate, path, number, *first[path, fate, why]) for (path, fate, why), number in times.items()]
        return sorted(lines, key=lambda line: (_RANKS.index(line.fate), -line.times, line.path))
