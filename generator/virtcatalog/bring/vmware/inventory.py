"""Machines of forklift's inventory: VMs as its REST API has them, with the names of networks and datastores beside.

A file holds an object, a list of objects, or a map of such lists, as `kubectl mtv get inventory vm PROVIDER -o json`
prints them, or `…/providers/vsphere/UID/vms?detail=4` answers (kubev2v/forklift, pkg/controller/provider/web/vsphere).
It says nothing of the boot order, drives and notes: the disk boots on which VMware Tools see the system, else the first
one. Sizes of memory are in MiB.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar

from virtcatalog.api.findings import Path, field_path
from virtcatalog.bring.vmware.inventoryfields import MODELS, UNCONNECTED, rule
from virtcatalog.bring.vmware.inventoryfiles import Part, data_of, parts_of
from virtcatalog.bring.vmware.machine import Attribute, Disk, Machine, Nic, in_order, mac_of, uuid_of
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.manifests.document import Text

_MIB: Final = 2**20
_MOST: Final = 2**31
"""Numbers of CPUs and MiB are below this."""
_MACHINE: Final = ("cpuCount", "memoryMB", "powerState", "disks")
"""Fields that a VM has, and no network, datastore or host."""
_SYSTEM: Final = ("/boot", "C:\\", "/")
"""Where guests mount what they boot from; what says most comes first."""

T = TypeVar("T")
_rule = lru_cache(maxsize=1 << 12)(rule)


class _Read(NamedTuple):
    """A VM without attributes, the object that it is read from, and which of its disks is which of the machine's."""

    machine: Machine
    part: Part
    disks: Mapping[int, int]


class Inventory:
    """The VMs of files that belong together. Their attributes are made when they are asked for, and not held."""

    def __init__(self, files: Mapping[str, bytes], problems: list[Problem]) -> None:
        """Read files by their names; add what cannot be read, and leave such VMs out."""
        self._names: dict[str, tuple[str, str]] = {}
        """Ids and names of networks and datastores, by what VMs name them with: their id, or a port group's key."""
        self._read: list[_Read] = []
        vms: list[Part] = []
        for file, content in files.items():
            try:
                for part in parts_of(content, file):
                    data, _ = data_of(part)
                    if any(field in data for field in _MACHINE):
                        vms.append(part)
                    else:
                        self._name(data, part)
            except ManifestError as error:
                problems += error.problems
        for part in vms:
            try:
                self._read.append(_VM(*data_of(part), self._names).read(part))
            except ManifestError as error:
                problems += error.problems

    def _name(self, data: Mapping[str, Any], part: Part) -> None:
        identity, name, key = data.get("id"), data.get("name"), data.get("key")
        if not isinstance(identity, str) or not isinstance(name, str) or not identity:
            raise part.fault("is no object of forklift's inventory: that has an id and a name")
        for reference in (identity, *([key] if isinstance(key, str) and key else [])):
            if self._names.setdefault(reference, (identity, name)) != (identity, name):
                raise part.fault(
                    f"{reference} is {self._names[reference][1]!r} already: give each vCenter a folder of its own"
                )

    def machines(self, *, accounted: bool = True) -> Iterator[Machine]:
        """Yield the VMs, if `accounted` with everything that is said of them; what is empty says nothing."""
        for machine, part, disks in self._read:
            yield machine._replace(attributes=tuple(_attributes(part, disks))) if accounted else machine


class _VM:
    """A VM of the inventory, while it is read."""

    def __init__(self, data: dict[str, Any], text: Text, names: Mapping[str, tuple[str, str]]) -> None:
        self._data, self._text, self._names = data, text, names

    def read(self, part: Part) -> _Read:
        """Return the VM; ManifestError for what is missing or not of its type."""
        disks = [self._disk(index) for index in self._indexes("disks")]
        by_key = sorted(range(len(disks)), key=lambda index: self._get(int, "disks", index, "key") or 0)
        ordered = in_order((disks[index], index) for index in by_key)
        models, boots = self._models(), self._boots()
        firmware = self._get(str, "firmware") or ""
        machine = Machine(
            name=self._get(str, "name") or "vm",
            id=self._get(str, "id") or "",
            file=part.file,
            line=part.mark.line + 1,
            column=part.mark.column + 1,
            guests=self._guests(),
            vcpus=self._amount("cpuCount"),
            cores=self._get(int, "coresPerSocket") or 0,
            memory=self._amount("memoryMB") * _MIB,
            disks=tuple(disk for disk, _ in ordered),
            nics=tuple(self._nic(index, models) for index in self._indexes("nics")),
            attributes=(),
            firmware=firmware if firmware in ("efi", "bios") else "",
            secure_boot=self._get(bool, "secureBoot") if firmware == "efi" else None,
            tpm=self._get(bool, "tpmEnabled"),
            uuid=uuid_of(self._get(str, "uuid") or ""),
            boots=next((number for number, (_, index) in enumerate(ordered) if index == boots), 0),
            runs=self._get(str, "powerState") == "poweredOn",
            template=self._get(bool, "isTemplate") is True,
            host=self._get(str, "host") or "",
        )
        return _Read(machine, part, {index: number for number, (_, index) in enumerate(ordered)})

    def _fault(self, path: Path, message: str) -> ManifestError:
        name = self._data.get("name")
        about = name if isinstance(name, str) else ""
        return ManifestError(Problem(self._text.file, *self._text.place(0, path), about, field_path(path), message))

    def _get(self, kind: type[T], *path: str | int) -> T | None:
        """Return a field, None where it is not there or null; ManifestError where it is of another type."""
        value: Any = self._data
        for number, step in enumerate(path):
            if isinstance(step, str):
                if not isinstance(value, dict):
                    raise self._fault(path[:number], "is no map")
                value = value.get(step)
            else:
                value = value[step]
            if value is None:
                return None
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            nouns: dict[type, str] = {str: "text", int: "whole number", bool: "truth value", list: "list"}
            raise self._fault(path, f"is no {nouns[kind]}")
        return value

    def _indexes(self, field: str) -> range:
        return range(len(self._get(list, field) or ()))

    def _amount(self, field: str) -> int:
        number = self._get(int, field)
        if number is None:
            raise self._fault((), f"has no {field}: ask for all details of the VMs (?detail=4)")
        if not 1 <= number < _MOST:
            raise self._fault((field,), f"{number:,} is not from 1 to {_MOST - 1:,}")
        return number

    def _guests(self) -> tuple[str, ...]:
        """The names of the operating system: what runs, as VMware Tools tells it, before what was configured."""
        fields = (self._get(str, field) for field in ("guestNameFromVmwareTools", "guestId", "guestName"))
        return tuple(filter(None, fields))

    def _disk(self, index: int) -> Disk:
        size = self._get(int, "disks", index, "capacity") or 0
        if not 0 <= size < 2**63:
            raise self._fault(("disks", index, "capacity"), f"{size:,} is no size in bytes")
        reference = self._get(str, "disks", index, "datastore", "id") or ""
        storage_id, storage = self._names.get(reference, (reference, reference))
        return Disk(
            label=f"disk {self._get(int, 'disks', index, 'key') or index}",
            size=size,
            storage=storage,
            bus=self._get(str, "disks", index, "bus") or "",
            controller=self._get(int, "disks", index, "controllerKey") or 0,
            unit=self._get(int, "disks", index, "unitNumber") or 0,
            file=self._get(str, "disks", index, "file") or "",
            shared=self._get(bool, "disks", index, "shared") is True,
            raw=self._get(bool, "disks", index, "rdm") is True,
            storage_id=storage_id,
        )

    def _boots(self) -> int | None:
        """The disk that has the system, as VMware Tools tell it; None where they do not (the key is 0 then)."""
        keys: dict[str, int] = {}
        for index in self._indexes("guestDisks"):
            path, key = self._get(str, "guestDisks", index, "diskPath"), self._get(int, "guestDisks", index, "key")
            keys.setdefault(path or "", key or 0)
        key = next((keys[path] for path in _SYSTEM if keys.get(path)), None)
        disks = self._indexes("disks") if key else ()
        return next((index for index in disks if self._get(int, "disks", index, "key") == key), None)

    def _models(self) -> dict[int, str]:
        models: dict[int, str] = {}
        for index in self._indexes("devices"):
            key, kind = self._get(int, "devices", index, "key"), self._get(str, "devices", index, "kind") or ""
            if key is not None and kind in MODELS:
                models[key] = MODELS[kind]
        return models

    def _nic(self, index: int, models: Mapping[int, str]) -> Nic:
        reference = self._get(str, "nics", index, "network", "id") or ""
        network_id, network = self._names.get(reference, (reference, reference))
        return Nic(
            label=f"network card {index}",
            network=network,
            mac=mac_of(self._get(str, "nics", index, "mac") or ""),
            model=models.get(self._get(int, "nics", index, "deviceKey") or 0, ""),
            connected=self._get(bool, "nics", index, "startConnected") is not False,
            network_id=network_id,
        )


def _attributes(part: Part, disks: Mapping[int, int]) -> Iterator[Attribute]:
    """Everything that the inventory says of a VM."""
    data, text = data_of(part)
    nics: list[Any] = data.get("nics") or []
    cards = {nic.get("deviceKey"): index for index, nic in enumerate(nics) if nic is not None}
    for path, steps, value in _leaves(data):
        value_text = str(value).lower() if isinstance(value, bool) else str(value)
        subject, number = _rule(steps)(value_text), 0
        if steps[0] == "disks":
            number = disks[int(path[1])]
        elif steps[0] == "nics":
            number = int(path[1])
        elif steps == ("devices", "kind") and value_text in MODELS:
            key = data["devices"][path[1]].get("key")
            subject, number = ("nic.model", cards[key]) if key in cards else (UNCONNECTED, 0)
        yield Attribute(field_path(path), value_text, subject, number, part.file, *text.place(0, path))


def _leaves(data: Any) -> Iterator[tuple[Path, tuple[str, ...], Any]]:
    """Yield what is neither map nor list with its path, and that without the steps into lists."""
    pending: list[tuple[Path, tuple[str, ...], Any]] = [((), (), data)]
    while pending:
        path, steps, value = pending.pop()
        if isinstance(value, dict):
            pending += [((*path, key), (*steps, key), value[key]) for key in reversed(value)]
        elif isinstance(value, list):
            pending += [((*path, index), steps, value[index]) for index in reversed(range(len(value)))]
        elif value is not None and value != "":
            yield path, steps, value
