"""A VM as its hypervisor has it, whichever format it is read from, and values as these formats write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from virtcatalog.bring.imports import Verdict

#: The order in which VMware numbers disks, and forklift with it: by bus, controller and unit
#: (kubev2v/forklift, pkg/controller/provider/web/vsphere/vm.go: SortedDisksAsVmware).
BUSES = ("sata", "ide", "scsi", "nvme")
_MAC = re.compile(r"[0-9a-f]{12}")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_LONGEST_NUMBER = 15
_GROUPED = re.compile("[0-9]{1,3}(?P<mark>[,.'\u2019 \u00a0\u202f])(?:[0-9]{2,3}(?P=mark))*[0-9]{3}")
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


def mac_of(text: str) -> str:
    """Return a MAC address as KubeVirt has it, "" for what is none."""
    digits = re.sub("[:.-]", "", text.strip().lower())
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2)) if _MAC.fullmatch(digits) else ""


def uuid_of(text: str) -> str:
    """Return a UUID as KubeVirt has it, "" for what is none."""
    uuid = text.strip().lower()
    return uuid if _UUID.fullmatch(uuid) else ""


def truth_of(text: str) -> bool | None:
    """Return what a text such as `True` says, None for what says neither."""
    return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(text.strip().lower())


def number_of(text: str) -> int | None:
    """Return a whole number that is written as `16384`, `16,384`, `1,02,400` or `16384.0`; None for what is none.

    Between its digits is what Windows puts there in some country: comma, dot, apostrophe or blank.
    """
    digits = text.strip()
    if match := _GROUPED.fullmatch(digits):
        digits = digits.replace(match["mark"], "")
    integer, _, fraction = digits.partition(".")
    if not integer.isascii() or not integer.isdecimal() or len(integer) > _LONGEST_NUMBER or fraction.strip("0"):
        return None
    return int(integer)
