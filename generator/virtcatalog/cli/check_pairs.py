"""`virtcatalog check --pairs`: which instance type fits which preference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from virtcatalog.check.pairs import Pair, Shared, pairs
from virtcatalog.cli.console import summary
from virtcatalog.cli.previews import print_json
from virtcatalog.cli.table import print_tables
from virtcatalog.errors import counted

if TYPE_CHECKING:
    from virtcatalog.check.subject import Inventory

_HEADER = ("Instance type", "Preference", "Fits", "Why not")


def print_pairs(inventory: Inventory, form: str, environments: Sequence[str]) -> None:
    """Print the pairs of the catalog as a whole, or of the environments asked for."""
    deployed = {
        overlay.name: inventory.deployed(overlay) for overlay in inventory.overlays if overlay.name in environments
    }
    rows: list[tuple[str, Pair]] = []
    shared = Shared()
    for environment, objects in deployed.items() or [("", inventory.declared)]:
        configurations = inventory.configurations(environment)
        conditions = msgspec.structs.replace(
            inventory.conditions, release=inventory.choice(configurations, environment).release
        )
        rows += ((environment, pair) for pair in pairs(objects, configurations, conditions, shared))
    if form == "json":
        print_json([_plain(*row) for row in rows])
    else:
        _print_table(rows)
    fitting = sum(row.fits for _, row in rows)
    fits, misfits = counted(fitting, "fits", "fit"), counted(len(rows) - fitting, "does not", "do not")
    summary(f"{counted(len(rows), 'pair')}: {fits}, {misfits}")


def _plain(environment: str, pair: Pair) -> dict[str, object]:
    plain: dict[str, object] = {
        **({"environment": environment} if environment else {}),
        "instancetype": pair.instancetype,
        "preference": pair.preference,
        "fits": pair.fits,
    }
    return plain if pair.fits else plain | {"field": pair.field, "reason": pair.reason}


def _print_table(rows: Sequence[tuple[str, Pair]]) -> None:
    tables: dict[str, list[tuple[str, ...]]] = {}
    for environment, pair in rows:
        row = (pair.instancetype, pair.preference, "yes" if pair.fits else "no", _why(pair))
        tables.setdefault(environment, []).append(row)
    style = {"yes": "", "no": "red"}
    print_tables(_HEADER, tables.items(), titled="" not in tables, style=lambda row: style[row[2]])


def _why(pair: Pair) -> str:
    return f"{pair.field}: {pair.reason}".removeprefix(": ") if not pair.fits else ""
