"""Machines of an RVTools export: its sheets vInfo, vCPU, vMemory, vDisk and vNetwork, joined by VM.

RVTools says nothing of a TPM, of the boot order, and of the guest id: a TPM is unknown then, the first disk boots, and
the operating system is known by its name. Sizes are in MiB.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from virtcatalog.bring.vmware.machine import (
    Attribute,
    Disk,
    Machine,
    Nic,
    in_order,
    mac_of,
    number_of,
    truth_of,
    uuid_of,
)
from virtcatalog.bring.vmware.rvcolumns import AGAIN, COLUMNS, COMMON, rule
from virtcatalog.bring.vmware.table import Row, Table
from virtcatalog.errors import ManifestError, Problem, counted

SHEETS: Final = tuple(COLUMNS)
_MIB: Final = 2**20
_IDENTITIES: Final = (("VM ID",), ("VM UUID",), ("VM", "Host"), ("VM",))
"""The columns by which rows are of one VM: the first that both sheets have."""
_CENTERS: Final = ("VI SDK UUID", "VI SDK Server")
"""What tells the VMs of several vCenters apart, if both sheets have it."""
_REQUIRED: Final[Mapping[str, Sequence[str]]] = {
    "vInfo": ("VM", "CPUs", "Memory"),
    "vDisk": ("VM", "Capacity MiB"),
    "vNetwork": ("VM", "Network"),
}
_CONTROLLER: Final = re.compile(r"(?P<bus>sata|ide|scsi|nvme)(?: controller)? (?P<number>\d{1,4})", re.IGNORECASE)
_STORAGE: Final = re.compile(r"\[(?P<datastore>[^]]+)\]")
_PRETTY_NAME: Final = re.compile(r"prettyName='(?P<name>[^']*)'")
_NOT_SHARED: Final = ("", "sharingnone", "nosharing")
_PARTS: Final = (("vDisk", "Disks", "disk"), ("vNetwork", "NICs", "network card"))
"""Sheets of which vInfo says how many rows a VM has in them, in which column, and what these are."""
_OLD_UNITS: Final = {"MB": "MiB", "KB": "KiB"}
_OLD_SYSTEM, _SYSTEM = "OS", "OS according to the configuration file"


class Inventory:
    """The VMs of an export. Their attributes are made when they are asked for, and not held."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = tables
        self._parts: list[tuple[Machine, Mapping[str, Sequence[Row]]]] = []
        """VMs without attributes with their rows, by sheet; those of disks in the order that VMware numbers them."""
        again = COMMON & tables["vInfo"].columns.keys()
        self._rules = {
            sheet: [
                (number, f"{sheet}/{column}", AGAIN if sheet != "vInfo" and column in again else rule(sheet, column))
                for column, number in table.columns.items()
            ]
            for sheet, table in tables.items()
        }

    def add(self, machine: Machine, rows: Mapping[str, Sequence[Row]]) -> None:
        """Add a VM that has no attributes yet."""
        self._parts.append((machine, rows))

    def machines(self, *, accounted: bool = True) -> Iterator[Machine]:
        """Yield the VMs, if `accounted` with everything that is said of them; a cell without text says nothing."""
        for machine, rows in self._parts:
            if not accounted:
                yield machine
                continue
            attributes = (
                Attribute(path, text, subject_of(text), index, self._tables[sheet].file, row.line, number + 1)
                for sheet, of_sheet in rows.items()
                for index, row in enumerate(of_sheet)
                for number, path, subject_of in self._rules[sheet]
                if (text := row.cells[number].strip())
            )
            yield machine._replace(attributes=tuple(attributes))


def read_rvtools(tables: Mapping[str, Table], problems: list[Problem]) -> Inventory:
    """Return the VMs of an export's sheets by their names; add what cannot be read, and leave such VMs out.

    ManifestError for sheets that lack a column, or for an export without vInfo.
    """
    tables = {sheet: table._replace(columns=_today(table.columns)) for sheet, table in tables.items()}
    info = tables.get("vInfo")
    if info is None:
        file = min(table.file for table in tables.values())
        raise ManifestError(Problem(file, message="there is no vInfo beside it, which has the VMs"))
    for sheet, columns in _REQUIRED.items():
        if sheet in tables:
            _require(tables[sheet], columns)
    _require_parts(tables, info)
    joined_sheets = {
        sheet: _Joined(info, table) for sheet in SHEETS if sheet != "vInfo" and (table := tables.get(sheet))
    }
    inventory = Inventory(tables)
    for row in info.rows:
        try:
            machine, rows = _VM(tables, row, {sheet: joined.of(row) for sheet, joined in joined_sheets.items()}).read()
        except ManifestError as error:
            problems += error.problems
        else:
            inventory.add(machine, rows)
    for joined in joined_sheets.values():
        problems += joined.left()
    return inventory


def _today(columns: Mapping[str, int]) -> dict[str, int]:
    """The columns by the names that they have in RVTools 4.6: versions before 4.1 write MB for the same unit."""
    names: dict[str, int] = {}
    for column, number in columns.items():
        stem, _, unit = column.rpartition(" ")
        name = f"{stem} {_OLD_UNITS[unit]}" if stem and unit in _OLD_UNITS else column
        name = _SYSTEM if column == _OLD_SYSTEM else name
        names[column if name in columns else name] = number
    return names


def _require_parts(tables: Mapping[str, Table], info: Table) -> None:
    """Without this, an export of which sheets are missing would have VMs without disks."""
    for sheet, column, noun in _PARTS:
        number = sum(bool(number_of(info.get(row, column))) for row in info.rows) if sheet not in tables else 0
        if number:
            message = (
                f"{counted(number, f'VM has {noun}s', f'VMs have {noun}s')}, and there is no {sheet}: export it, too"
            )
            raise ManifestError(Problem(info.file, message=message))


def _require(table: Table, columns: Sequence[str]) -> None:
    for column in columns:
        if column not in table.columns:
            raise ManifestError(Problem(table.file, 1, 1, message=f"has no column {column!r}"))


class _Joined:
    """The rows of a sheet, found by those of vInfo."""

    def __init__(self, info: Table, table: Table) -> None:
        self._info, self._table = info, table
        shared = info.columns.keys() & table.columns.keys()
        columns = next((columns for columns in _IDENTITIES if shared.issuperset(columns)), None)
        if columns is None:
            raise ManifestError(Problem(table.file, 1, 1, message="has no column 'VM'"))
        self._columns = (*[center for center in _CENTERS if center in shared][:1], *columns)
        self._times = Counter(self._key(info, row) for row in info.rows)
        self._rows: defaultdict[tuple[str, ...], list[Row]] = defaultdict(list)
        for row in table.rows:
            self._rows[self._key(table, row)].append(row)

    def _key(self, table: Table, row: Row) -> tuple[str, ...]:
        return tuple(table.get(row, column) for column in self._columns)

    def of(self, row: Row) -> list[Row]:
        """Return the rows of a VM of vInfo; ManifestError where several VMs have the same name or id."""
        key = self._key(self._info, row)
        if self._times[key] > 1:
            message = f"{self._times[key]:,} VMs have the same: {self._table.file} does not say which of them it means"
            raise ManifestError(self._info.problem(row, self._columns[-1], message, self._info.get(row, "VM")))
        return self._rows.get(key, [])

    def left(self) -> Iterator[Problem]:
        """Yield a problem for each VM that vInfo does not have."""
        for key, rows in self._rows.items():
            if key not in self._times:
                message = f"{self._info.file} has no such VM: export all sheets at once"
                yield self._table.problem(rows[0], self._columns[-1], message, self._table.get(rows[0], "VM"))


class _VM:
    """A VM of the export, while it is read."""

    def __init__(self, tables: Mapping[str, Table], row: Row, rows: dict[str, list[Row]]) -> None:
        self._tables, self._row, self._rows = tables, row, rows
        self._name = self._info("VM")

    def read(self) -> tuple[Machine, Mapping[str, Sequence[Row]]]:
        """Return the VM without attributes, and its rows; ManifestError for what contradicts itself or is missing."""
        disks = in_order((self._disk(row), number) for number, row in enumerate(self._rows.get("vDisk", ())))
        nics = [self._nic(row) for row in self._rows.get("vNetwork", ())]
        for sheet, column, noun in _PARTS:
            self._check_count(sheet, column, noun)
        efi = self._info("Firmware").lower() == "efi"
        machine = Machine(
            name=self._name or "vm",
            id=self._info("VM ID"),
            file=self._tables["vInfo"].file,
            line=self._row.line,
            column=1,
            guests=tuple(filter(None, self._guests())),
            vcpus=self._amount("CPUs", "vCPU", "CPUs"),
            cores=self._cores(),
            memory=self._amount("Memory", "vMemory", "Size MiB") * _MIB,
            disks=tuple(disk for disk, _ in disks),
            nics=tuple(nics),
            attributes=(),
            firmware="efi" if efi else "bios" if self._info("Firmware") else "",
            secure_boot=truth_of(self._info("EFI Secure boot")) if efi else None,
            uuid=uuid_of(self._info("SMBIOS UUID")),
            runs=self._info("Powerstate") == "poweredOn",
            template=truth_of(self._info("Template")) is True,
            placeholder=truth_of(self._info("SRM Placeholder")) is True,
            notes=self._info("Annotation"),
            host=self._info("Host"),
        )
        ordered = {"vDisk": [self._rows["vDisk"][number] for _, number in disks]} if disks else {}
        return machine, {"vInfo": [self._row], **self._rows, **ordered}

    def _info(self, column: str) -> str:
        return self._tables["vInfo"].get(self._row, column)

    def _fault(self, sheet: str, row: Row, column: str, message: str) -> ManifestError:
        return ManifestError(self._tables[sheet].problem(row, column, message, self._name))

    def _guests(self) -> Iterator[str]:
        """The names of the operating system: what runs, as VMware Tools tells it, before what was configured."""
        if match := _PRETTY_NAME.search(self._info("Guest Detailed Data")):
            yield match["name"]
        yield self._info("OS according to the VMware Tools")
        yield self._info("OS according to the configuration file")

    def _number(self, sheet: str, row: Row, column: str, least: int) -> int:
        text = self._tables[sheet].get(row, column)
        number = number_of(text)
        if number is None or number < least:
            raise self._fault(sheet, row, column, f"{text!r} is no whole number from {least} on")
        return number

    def _amount(self, column: str, sheet: str, again: str) -> int:
        """A number of vInfo, which another sheet may have again."""
        number = self._number("vInfo", self._row, column, 1)
        for row in self._rows.get(sheet, ()):
            if self._tables[sheet].get(row, again) and (other := self._number(sheet, row, again, 1)) != number:
                raise self._fault(sheet, row, again, f"is {other:,}, and in vInfo {number:,}: export both at once")
        return number

    def _cores(self) -> int:
        for row in self._rows.get("vCPU", ()):
            if self._tables["vCPU"].get(row, "Cores p/s"):
                return self._number("vCPU", row, "Cores p/s", 0)
        return 0

    def _check_count(self, sheet: str, column: str, noun: str) -> None:
        """Without this, a VM of which rows were deleted would have fewer disks."""
        if not self._info(column):
            return
        number, rows = self._number("vInfo", self._row, column, 0), len(self._rows.get(sheet, ()))
        if rows != number:
            message = f"the VM has {counted(number, noun)}, and {sheet} has {rows}"
            raise self._fault("vInfo", self._row, column, message)

    def _disk(self, row: Row) -> Disk:
        def get(column: str) -> str:
            return self._tables["vDisk"].get(row, column)

        path = get("Path") or get("Disk Path")
        storage, controller = _STORAGE.match(path), _CONTROLLER.fullmatch(get("Controller"))
        shared = any(get(column).lower() not in _NOT_SHARED for column in ("Sharing mode", "Shared Bus"))
        return Disk(
            label=get("Disk"),
            size=self._number("vDisk", row, "Capacity MiB", 0) * _MIB,
            storage=storage["datastore"] if storage else "",
            bus=controller["bus"].lower() if controller else "",
            controller=int(controller["number"]) if controller else 0,
            unit=number_of(get("Unit #") or get("SCSI Unit #")) or 0,
            file=path,
            shared=shared,
            raw=truth_of(get("Raw")) is True,
        )

    def _nic(self, row: Row) -> Nic:
        def get(column: str) -> str:
            return self._tables["vNetwork"].get(row, column)

        return Nic(
            label=get("NIC label"),
            network=get("Network"),
            mac=mac_of(get("Mac Address")),
            model=get("Adapter").lower(),
            connected=truth_of(get("Starts Connected")) is not False,
        )
