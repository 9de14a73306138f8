"""`virtcatalog expand -o disks`: the disks of VMs, a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from virtcatalog.cli.table import print_tables

if TYPE_CHECKING:
    from virtcatalog.ask.disks import DiskInfo
    from virtcatalog.cli.outcome import Outcomes

_COLUMNS = (
    *("Name", "Volume", "Type", "Bus", "Dev", "Format", "Size"),
    *("Boot", "Cache", "IO", "Serial", "Path", "Backing"),
)


def print_disks(outcomes: Outcomes, many: bool) -> None:
    """Print a table for each VM that has a domain: as columns of text, or drawn on a terminal."""
    from virtcatalog.ask.disks import disks_of

    tables = (
        (f"VirtualMachineInstance/{vm.title}", map(_row, disks_of(result, cluster)))
        for vm, result, cluster in outcomes
        if result.domain_xml
    )
    print_tables(_COLUMNS, tables, titled=many)


def _row(disk: DiskInfo) -> list[str]:
    from virtcatalog.api.quantity import Quantity

    boot = str(disk.boot) if disk.boot else ""
    size = str(Quantity.of(disk.size)) if disk.size else ""
    how = [disk.type, disk.bus, disk.dev, disk.format, size, boot, disk.cache, disk.io, disk.serial]
    return [disk.name, disk.volume, *how, disk.path, disk.backing_file]
