"""`virtcatalog expand -o disks`: the disks of VMs, a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from virtcatalog.cli.console import coloured, echo

if TYPE_CHECKING:
    from virtcatalog.ask.disks import DiskInfo
    from virtcatalog.cli.outcome import Outcomes

_COLUMNS = ("Name", "Volume", "Type", "Bus", "Dev", "Format", "Boot", "Cache", "IO", "Serial", "Path")


def print_disks(outcomes: Outcomes, many: bool) -> None:
    """Print a table for each VM that has a domain: as columns of text, or drawn on a terminal."""
    from virtcatalog.ask.disks import disks_of

    separator = ""
    for vm, result, _ in outcomes:
        if not result.domain_xml or result.vmi_object is None:
            continue
        rows = [_row(disk) for disk in disks_of(result.domain_xml, result.vmi_object)]
        if coloured():
            _draw(vm.name, rows)
            continue
        if many:
            echo(f"{separator}VirtualMachineInstance/{vm.name}")
            separator = "\n"
        cells = [[each.upper() for each in _COLUMNS], *([cell or "-" for cell in row] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for line in cells:
            echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _row(disk: DiskInfo) -> list[str]:
    boot = str(disk.boot) if disk.boot else ""
    how = [disk.type, disk.bus, disk.dev, disk.format, boot, disk.cache, disk.io, disk.serial]
    return [disk.name, disk.volume, *how, disk.path]


def _draw(name: str, rows: list[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=f"VirtualMachineInstance/{name}", title_justify="left")
    for column in _COLUMNS:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)
