"""A VM as its hypervisor has it, whichever format told of it: what all readers return."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from virtcatalog.bring.imports import Verdict

#: The order in which VMware numbers disks, and forklift with it: by bus, controller and unit
#: (kubev2v/forklift, pkg/controller/provider/web/vsphere/vm.go: SortedDisksAsVmware).
BUSES = ("sata", "ide", "scsi", "nvme")
_AGENT = re.compile(r"vCLS(?: \(\d{1,4}\)|-[0-9a-f-]{36})")


class Attribute(NamedTuple):
    """Something that a source says of a VM, and where it stands.

    `subject` is what it is about, by which `fates` finds what becomes of it, or its fate where that is the same for all
    VMs. `number` tells disks and network cards apart: it is that of `Machine.disks` and `Machine.nics`.
    """

    path: str
    value: str
    subject: str | Verdict
    number: int = 0
    file: str = ""
    line: int = 0
    column: int = 0


class Disk(NamedTuple):
    """A hard disk: `size` in bytes, 0 where it is not told; `storage` is its datastore; `bus` is "" if not told.

    `storage_id` is the datastore's managed object id, "" where only its name is told.
    """

    label: str
    size: int
    storage: str = ""
    bus: str = ""
    controller: int = 0
    unit: int = 0
    file: str = ""
    shared: bool = False
    raw: bool = False
    storage_id: str = ""


class Nic(NamedTuple):
    """A network card. `mac` is "" where it is not told; `network_id` is its network's managed object id, or ""."""

    label: str
    network: str
    mac: str = ""
    model: str = ""
    connected: bool = True
    network_id: str = ""


class Machine(NamedTuple):
    """A VM: `memory` in bytes; `cores` a socket, 0 where it is not told; `firmware` is efi, bios or "".

    `guests` are the names or ids of its operating system, those that say most of what runs first. `boots` is the index
    of the disk that boots. `id` is vSphere's managed object id; `host` is the name or id of the host that it is on.
    """

    name: str
    id: str
    file: str
    line: int
    guests: tuple[str, ...]
    vcpus: int
    memory: int
    disks: tuple[Disk, ...]
    nics: tuple[Nic, ...]
    attributes: tuple[Attribute, ...]
    cores: int = 0
    firmware: str = ""
    secure_boot: bool | None = None
    tpm: bool | None = None
    uuid: str = ""
    boots: int = 0
    runs: bool = False
    template: bool = False
    notes: str = ""
    column: int = 0
    host: str = ""
    placeholder: bool = False

    @property
    def left_out(self) -> str:
        """What it is where it is no VM that moves, "" otherwise.

        vCenter starts the agents of its cluster services itself, and calls them `vCLS-UUID`, before 7.0 U3 `vCLS (1)`.
        """
        if self.template:
            return "template"
        if self.placeholder:
            return "placeholder of Site Recovery Manager"
        return "agent of vCenter (vCLS)" if _AGENT.fullmatch(self.name) else ""


def in_order(disks: Iterable[tuple[Disk, int]]) -> list[tuple[Disk, int]]:
    """Sort disks as VMware numbers them; each has a number by which its reader finds it again."""
    return sorted(disks, key=lambda numbered: (_rank(numbered[0].bus), numbered[0].controller, numbered[0].unit))


def _rank(bus: str) -> int:
    return BUSES.index(bus) if bus in BUSES else len(BUSES)
