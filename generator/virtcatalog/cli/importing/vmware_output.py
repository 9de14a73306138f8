"""What `virtcatalog import vmware` prints and writes: VMs, tables of them, and the account of their attributes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from virtcatalog.cli.console import echo, note, show_json, stream, summary
from virtcatalog.cli.importing import short_value
from virtcatalog.cli.items import as_csv
from virtcatalog.cli.previews import with_previews
from virtcatalog.cli.table import print_tables
from virtcatalog.errors import Problem, counted
from virtcatalog.escaping import json_value
from virtcatalog.units import memory

if TYPE_CHECKING:
    from virtcatalog.adopt.fleet import Adoption
    from virtcatalog.bring.imports import Verdict
    from virtcatalog.bring.vmware.fates import Brought, Line
    from virtcatalog.bring.vmware.machine import Attribute

VALUES = "values"
"""Where the values are with which templates make VMs."""
_REPORT = ("Fate", "Times", "Attribute", "Such as", "Value", "How or why")
_OUTCOMES = {
    "exact": "with a type of their size",
    "larger": "with a larger one",
    "none": "with none",
    "refused": "refused",
}


class Account(NamedTuple):
    """A VM, and what became of each attribute of its machine."""

    brought: Brought
    fates: list[tuple[Attribute, Verdict]]


class Tally:
    """Sums up the VMs that pass by: it grows with what is worth telling, not with each VM."""

    def __init__(self) -> None:
        from virtcatalog.bring.vmware.fates import Ledger

        self.ledger = Ledger()
        self.outcomes: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        """What is no VM that moves, by what it is."""
        self.adoptions: list[tuple[str, Adoption]] = []
        self._refused: list[Problem] = []

    def counted(self, vms: Iterable[Brought]) -> Iterator[Account]:
        """Yield VMs with the fates of their attributes, and count both."""
        from virtcatalog.bring.vmware.fates import verdict

        for brought in vms:
            machine = brought.machine
            fates = [(attribute, verdict(attribute, brought)) for attribute in machine.attributes]
            self.ledger.add(brought.name, fates)
            self.outcomes[outcome_of(brought)] += 1
            if brought.adoption is not None:
                self.adoptions.append((brought.key, brought.adoption))
            if brought.hardware is None:
                self._refused += (
                    Problem(machine.file, machine.line, machine.column, brought.key, reason.field, reason.sentence)
                    for reason in brought.reasons
                )
            yield Account(brought, fates)

    @property
    def fine(self) -> bool:
        """Whether every VM is admitted, and nothing of it is lost."""
        return not self.outcomes["refused"] and not self.ledger.counts["lost"]

    def tell(self, most: int, form: str) -> None:
        """Say what is refused and what is lost, `most` lines of each, and how many VMs came out how.

        Which form has all of it is said where that is not the one that is printed.
        """
        _tell_some(map(str, self._refused), len(self._refused), most, "refusal", "" if form == "json" else "json")
        lost = [line for line in self.ledger.lines() if line.fate == "lost"]
        full_form = "" if form in ("report", "json") else "report"
        _tell_some(map(_lost, lost), len(lost), most, "attribute", full_form)
        if self.left_out:
            summary(f"left out: {', '.join(_left_out(*item) for item in sorted(self.left_out.items()))}")
        number = self.outcomes.total()
        if not number:
            summary("0 VMs")
            return
        parts = [f"{self.outcomes[key]:,} {words}" for key, words in _OUTCOMES.items() if self.outcomes[key]]
        counts = self.ledger.counts
        fates = f"{counts['carried']:,} carried, {counts['host']:,} the host's, {counts['lost']:,} lost"
        if counts["unproven"]:
            fates += f", {counts['unproven']:,} not proven"
        summary(f"{counted(number, 'VM')}: {', '.join(parts)}; {counted(counts.total(), 'attribute')}: {fates}")


def outcome_of(brought: Brought) -> str:
    """Return how a VM came out: `exact`, `larger`, `none` (it says its size itself) or `refused`."""
    if brought.hardware is None:
        return "refused"
    if brought.instancetype is None:
        return "none"
    machine, hardware = brought.machine, brought.hardware
    return "exact" if (hardware.vcpus, hardware.memory) == (machine.vcpus, machine.memory) else "larger"


def _left_out(kind: str, number: int) -> str:
    noun, _, rest = kind.partition(" ")
    return f"{counted(number, noun)} {rest}".rstrip()


def _tell_some(lines: Iterable[str], number: int, most: int, noun: str, full_form: str) -> None:
    for _, line in zip(range(most), lines, strict=False):
        echo(line, err=True)
    if number > most:
        summary(f"and {counted(number - most, noun)} more{f': -o {full_form}' if full_form else ''}")


def _lost(line: Line) -> str:
    attribute = line.attribute
    place = Problem(attribute.file, attribute.line, attribute.column, line.vm, line.path, f"lost: {line.why}")
    more = f" (and {line.times - 1:,} more)" if line.times > 1 else ""
    return f"{place}{more}"


def print_vms(vms: Iterable[Brought], form: str, tally: Tally) -> None:
    """Print VMs in one of the forms, each when it is ready where the form allows it."""
    accounts = tally.counted(vms)
    if form == "yaml":
        from virtcatalog.manifests.emit import dump

        for number, account in enumerate(accounts):
            stream(("---\n" if number else "") + dump(account.brought.vm))
    elif form == "json":
        show_json((json_value(with_previews(_document(account))) for account in accounts), many=True)
    elif form == "report":
        for _ in accounts:
            pass
        print_tables(_REPORT, [("", map(_report_row, tally.ledger.lines()))], titled=False)
    else:
        rows = [row_of(account.brought) for account in accounts]
        if form == "csv":
            echo(as_csv(rows), nl=False)
        else:
            print_tables([name.capitalize() for name in _TITLES], [("", map(_table_row, rows))], titled=False)


_TITLES = ("VM", "guest", "vCPUs", "memory", "disks", "instance type", "preference", "firmware", "outcome")


def row_of(brought: Brought) -> dict[str, Any]:
    """Return what a table tells of a VM; amounts are bytes."""
    machine = brought.machine
    return {
        "name": brought.key,
        "machine": machine.name,
        "guest": brought.system.text,
        "vcpus": machine.vcpus,
        "memory": machine.memory,
        "disks": len(machine.disks),
        "storage": sum(disk.size for disk in machine.disks),
        "networks": ", ".join(dict.fromkeys(nic.network for nic in machine.nics)),
        "instancetype": brought.instancetype.name if brought.instancetype is not None else "",
        "preference": brought.system.preference.name if brought.system.preference is not None else "",
        "firmware": machine.firmware,
        "secureBoot": machine.secure_boot,
        "tpm": machine.tpm,
        "outcome": outcome_of(brought),
        "why": brought.reasons[0].sentence if brought.reasons else "",
    }


def _table_row(row: dict[str, Any]) -> list[str]:
    firmware = {"efi": "UEFI", "bios": "BIOS"}.get(row["firmware"], "")
    disks = f"{row['disks']}, {memory(row['storage'])}" if row["disks"] else "0"
    outcome = f"{row['outcome']}: {row['why']}" if row["why"] else row["outcome"]
    size = [f"{row['vcpus']}", memory(row["memory"]), disks]
    return [row["name"], row["guest"], *size, row["instancetype"], row["preference"], firmware, outcome]


def _report_row(line: Line) -> list[str]:
    return [line.fate, f"{line.times:,}", line.path, line.vm, short_value(line.attribute.value), line.why]


def _document(account: Account) -> dict[str, Any]:
    brought = account.brought
    return {
        **row_of(brought),
        "file": brought.machine.file,
        "line": brought.machine.line,
        "vm": brought.vm,
        "refused": [{"field": reason.field, "message": reason.message} for reason in brought.reasons],
        "attributes": [
            {
                "path": attribute.path,
                "value": attribute.value,
                "fate": fate.fate,
                "why": fate.why,
                "file": attribute.file,
                "line": attribute.line,
                "column": attribute.column,
            }
            for attribute, fate in account.fates
        ],
    }


def write_folder(
    vms: Iterable[Brought], folder: Path, tally: Tally, more_texts: Callable[[], Mapping[str, str | None]]
) -> None:
    """Write a file for each VM, a table of all, the account of their attributes, and `more_texts` made of all.

    A file of these takes the place of one of the same name; None is none.
    """
    from virtcatalog.manifests.emit import dump
    from virtcatalog.writing import write_files

    files: dict[str, str | None] = {}
    rows: list[dict[str, Any]] = []
    for account in tally.counted(vms):
        files[f"vms/{account.brought.name}.yaml"] = dump(account.brought.vm)
        rows.append(row_of(account.brought))
    files["vms.csv"] = as_csv(rows)
    files["account.csv"] = as_csv([_account_row(line) for line in tally.ledger.lines()])
    more = more_texts()
    write_files(folder, {**files, **more}, note, replaces=True)
    written = {name for name, text in {**files, **more}.items() if text is not None}
    of_vms = {top: {name for name in written if name.startswith(f"{top}/")} for top in ("vms", VALUES)}
    for name in ("vms.csv", "account.csv", *sorted(more.keys() & written - of_vms[VALUES])):
        echo(str(folder / name))
    for top, names in of_vms.items():
        if names or top == "vms":
            echo(f"{folder}/{top}: {counted(len(names), 'VM')}")


def _account_row(line: Line) -> dict[str, Any]:
    return {
        "fate": line.fate,
        "times": line.times,
        "attribute": line.path,
        "vm": line.vm,
        "value": line.attribute.value,
        "why": line.why,
    }
