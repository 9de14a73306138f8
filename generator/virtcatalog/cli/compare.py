"""`virtcatalog compare`: some things of a catalog side by side."""

from __future__ import annotations

import click

from virtcatalog.cli import options
from virtcatalog.cli.console import failing, summary
from virtcatalog.cli.items import FORMS, catalog_items, fact_text, items_by_name, print_records
from virtcatalog.cli.table import print_tables
from virtcatalog.errors import counted

_MOST = 8


@click.command(
    "compare",
    epilog="""\b
Examples:
  virtcatalog compare m.large r.large
  virtcatalog compare 'm.*' -o csv
  virtcatalog compare linux.rhel9 linux.fedora -e production
""",
)
@click.argument("names", nargs=-1, required=True, metavar="NAME|GLOB...", shell_complete=options.completes("items"))
@options.offering
@options.environments
@options.prices
@options.form(FORMS[:4], text="How to print it.")
@failing
def command(
    names: tuple[str, ...], catalog: str | None, environments: tuple[str, ...], prices: str | None, form: str
) -> int:
    """Show types, preferences, templates or environments side by side, a fact a line; a star marks what differs.

    Exit status: 0 they are alike, 1 they differ.
    """
    from virtcatalog.ask.items import titles

    items = items_by_name(catalog_items(catalog, environments, prices), names, catalog)
    if len(items) < 2:
        raise click.UsageError("name two or more to compare")
    sorts = list(dict.fromkeys(item.sort for item in items))
    if len(sorts) > 1:
        raise click.UsageError(f"{' and '.join(sorts)} cannot be compared with each other")
    if form == "table" and len(items) > _MOST:
        raise click.UsageError(f"a table compares {_MOST} at most, and these are {len(items)}; -o csv takes them all")
    keys = titles(sorts[0], items)
    different = [key for key in keys if len({item.facts[key] for item in items}) > 1]
    if form == "table":
        rows = [
            (f"{'*' if key in different else ' '} {title}", *(fact_text(item.facts[key], key) for item in items))
            for key, title in keys.items()
            if any(fact_text(item.facts[key], key) for item in items)
        ]
        columns = ("  Fact", *(item.name for item in items))
        print_tables(
            columns, [("", rows)], titled=False, capitals=False, style=lambda row: "bold" if row[0][0] == "*" else ""
        )
    else:
        print_records([{"name": item.name, **item.facts} for item in items], form)
    summary(f"{counted(len(different), 'fact')} of {len(keys)} {'differs' if len(different) == 1 else 'differ'}")
    return 1 if different else 0
