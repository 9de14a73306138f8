"""`virtcatalog expand -o disks`: the disks of VMs, a line each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from virtcatalog.cli.table import Table, print_tables
from virtcatalog.fleet.outcome import Outcome

if TYPE_CHECKING:
    from virtcatalog.ask.disks import DiskInfo

_COLUMNS = (
    *("Name", "Volume", "Type", "Bus", "Dev", "Format", "Size"),
    *("Boot", "Cache", "IO", "Serial", "Path", "Backing"),
)


def make_disks(outcome: Outcome, _many: bool) -> Table | None:
    """Return the disks of a VM that has a domain, a row each."""
    from virtcatalog.ask.disks import disks_of

    vm, result, cluster = outcome
    if not result.domain_xml:
        return None
    return f"VirtualMachineInstance/{vm.title}", [_row(disk) for disk in disks_of(result, cluster)]


def show_disks(tables: Iterable[Table], many: bool) -> None:
    """Print the tables: as columns of text, or drawn on a terminal."""
    print_tables(_COLUMNS, tables, titled=many)


def _row(disk: DiskInfo) -> list[str]:
    from virtcatalog.api.quantity import Quantity

    boot = str(disk.boot) if disk.boot else ""
    size = str(Quantity.of(disk.size)) if disk.size else ""
    how = [disk.type, disk.bus, disk.dev, disk.format, size, boot, disk.cache, disk.io, disk.serial]
    return [disk.name, disk.volume, *how, disk.path, disk.backing_file]
