"""What `list`, `show` and `compare` have in common: which items there are, and how facts are shown."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from virtcatalog.cli.console import data, echo, print_documents
from virtcatalog.cli.inputs import catalog_objects, load_any
from virtcatalog.cli.table import print_tables
from virtcatalog.errors import VirtcatalogError, nearest
from virtcatalog.escaping import as_json
from virtcatalog.manifests.sources import exists, not_there

if TYPE_CHECKING:
    from virtcatalog.ask.items import Fact, Item, Sort
    from virtcatalog.catalog.model import Catalog
    from virtcatalog.catalog.prices import Prices

SORTS = ("types", "preferences", "templates", "environments")
FORMS = ("table", "yaml", "json", "csv", "name")
#: What a spreadsheet takes for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def catalog_items(catalog: str | None, environments: Sequence[str], prices: str | None = None) -> list[Item]:
    """Return everything that a catalog, an output tree or a folder of manifests offers, in some environments or all.

    With the prices of a file, or of the catalog if there is none.
    """
    return load_items(catalog, environments, prices)[1]


def load_items(
    catalog: str | None, environments: Sequence[str], prices: str | None
) -> tuple[Catalog | None, list[Item]]:
    """Return the catalog, None where there are manifests alone, and its `catalog_items`."""
    from virtcatalog.ask.items import in_order, items_of, items_of_catalog

    path = catalog or "catalog"
    if not exists(path):
        raise VirtcatalogError(not_there(path))
    loaded = load_any(catalog, environments)
    priced = prices_for(loaded, prices)
    if loaded is None:
        items = items_of(catalog_objects(path), priced)
    elif environments:
        deployed = {
            (item.sort, item.name): item
            for name in reversed(environments)
            for item in items_of(loaded.objects(name), priced, name)
        }
        items = [*in_order(deployed.values()), *items_of_catalog(loaded, environments)]
    else:
        items = [*items_of(loaded.objects(), priced), *items_of_catalog(loaded)]
    if not items:
        raise VirtcatalogError(f"{path}: offers no instance type and no preference")
    return loaded, items


def prices_for(catalog: Catalog | None, file: str | None) -> Prices | None:
    """Return the prices of a file, which are for the catalog if there is one; without a file, the catalog's own."""
    if not file:
        return catalog.prices if catalog else None
    from virtcatalog.catalog.load import catalog_names
    from virtcatalog.catalog.prices import load_prices

    names = catalog_names(catalog.instancetypes, catalog.preferences, catalog.overlays) if catalog else None
    return load_prices(file, names)


def items_by_name(items: Iterable[Item], names: Sequence[str], catalog: str | None) -> list[Item]:
    """Return the items of these names or globs, in the order of the names; what matches nothing is an error."""
    items = list(items)
    chosen: list[Item] = []
    for name in names:
        matching = [item for item in items if item.name == name] or [
            item for item in items if fnmatchcase(item.name, name)
        ]
        if not matching:
            hint = nearest(name, [item.name for item in items])
            raise VirtcatalogError(f"{catalog or 'catalog'}: there is no {name!r}{hint}")
        chosen += (member for member in matching if member not in chosen)
    return chosen


def fact_text(fact: Fact, key: str) -> str:
    """A fact as people read it."""
    from virtcatalog.ask.items import BYTES
    from virtcatalog.units import memory

    if fact is None or fact is False:
        return ""
    if fact is True:
        return "yes"
    return memory(fact) if key in BYTES and isinstance(fact, int) else str(fact)


def print_items(sort: Sort, items: Sequence[Item], form: str) -> None:
    """Print items of one sort, a line each."""
    from virtcatalog.ask.items import titles

    keys = titles(sort, items)
    if form == "name":
        for item in items:
            echo(item.name)
    elif form == "table":
        # What no item has says nothing.
        columns = {key: title for key, title in keys.items() if any(fact_text(item.facts[key], key) for item in items)}
        rows = [(item.name, *(fact_text(item.facts[key], key) for key in columns)) for item in items]
        print_tables(("Name", *columns.values()), [("", rows)], titled=False)
    else:
        print_records([{"name": item.name, **{key: item.facts[key] for key in keys}} for item in items], form)


def print_records(rows: list[dict[str, Fact]], form: str) -> None:
    """Print facts for machines: YAML, JSON or CSV."""
    if form == "json":
        data(as_json(rows))
    elif form == "yaml":
        print_documents([[{key: value for key, value in row.items() if value is not None} for row in rows]], form)
    else:
        echo(as_csv(rows), nl=False)


def as_csv(rows: Sequence[Mapping[str, Fact | float]]) -> str:
    """Write facts as CSV, in which nothing is a formula."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(rows[0] if rows else ["name"])
    writer.writerows([_cell(value) for value in row.values()] for row in rows)
    return file.getvalue()


def _cell(value: Fact | float) -> Fact | float:
    """A value that a spreadsheet shows and does not compute."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
