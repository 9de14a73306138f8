"""`virtcatalog list`: the instance types, preferences, templates and environments of a catalog."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from virtcatalog.cli import options
from virtcatalog.cli.console import failing, summary
from virtcatalog.cli.items import FORMS, SORTS, complete, found, named, print_items
from virtcatalog.errors import counted

if TYPE_CHECKING:
    from virtcatalog.ask.items import Item, Sort

_NOUNS = {
    "types": "instance type",
    "preferences": "preference",
    "templates": "template",
    "environments": "environment",
}
_OF_TYPES = ("series", "min_vcpus", "max_vcpus", "min_memory", "max_memory", "gpu", "dedicated")


def _amount(_context: click.Context, _option: click.Parameter, value: str | None) -> int | None:
    from virtcatalog.api.quantity import Quantity

    try:
        return None if value is None else Quantity.parse(value).value
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@click.command(
    "list",
    epilog="""\b
Examples:
  virtcatalog list                                   the instance types of ./catalog
  virtcatalog list types --min-memory 16Gi --class r
  virtcatalog list preferences 'linux.*' -o name
  virtcatalog list -e production -o csv > types.csv
  virtcatalog list environments
""",
)
@click.argument("sort", required=False, type=click.Choice(SORTS), default="types")
@click.argument("names", nargs=-1, metavar="[NAME|GLOB]...", shell_complete=complete)
@options.catalog("A catalog, an output tree, or a folder of manifests. [default: catalog]")
@options.environments
@options.form(FORMS, default="table", text="How to print it.")
@click.option("--class", "series", metavar="GLOB", help="Types of these classes.")
@click.option("--min-vcpus", type=click.IntRange(1), help="Types with at least that many vCPUs.")
@click.option("--max-vcpus", type=click.IntRange(1), help="Types with at most that many.")
@click.option("--min-memory", metavar="AMOUNT", callback=_amount, help="Types with at least that much memory: 16Gi.")
@click.option("--max-memory", metavar="AMOUNT", callback=_amount, help="Types with at most that much.")
@click.option("--gpu", is_flag=True, help="Types with a GPU.")
@click.option("--dedicated", is_flag=True, help="Types with dedicated CPUs.")
@click.option("--no-deprecated", is_flag=True, help="Leave out what is deprecated.")
@failing
def command(
    sort: Sort,
    names: tuple[str, ...],
    catalog: str | None,
    environments: tuple[str, ...],
    form: str,
    no_deprecated: bool,
    **filters: str | int | bool | None,
) -> int:
    """List the types, preferences, templates or environments of a catalog, all or those of some names.

    Exit status: 0 there are some, 1 none is left by the filters.
    """
    wrong = [key for key in _OF_TYPES if filters[key]]
    if wrong and sort != "types":
        option = "class" if wrong[0] == "series" else wrong[0].replace("_", "-")
        raise click.UsageError(f"--{option} is about types, not about {sort}")
    items = [each for each in found(catalog, environments) if each.sort == sort]
    if names:
        items = named(items, names, catalog)
    if sort == "types":
        items = [each for each in items if _fits(each, filters)]
    if no_deprecated and sort in ("types", "preferences"):
        items = [each for each in items if not each.facts["deprecated"]]
    if items:
        print_items(sort, items, form)
    summary(counted(len(items), _NOUNS[sort]) if items else f"no {_NOUNS[sort]}")
    return 0 if items else 1


def _fits(item: Item, filters: dict[str, str | int | bool | None]) -> bool:
    facts, series = item.facts, filters["series"]
    if series and not fnmatchcase(str(facts["class"] or ""), str(series)):
        return False
    for key in ("vcpus", "memory"):
        amount, least, most = facts[key] or 0, filters[f"min_{key}"], filters[f"max_{key}"]
        assert isinstance(amount, int)
        if (isinstance(least, int) and amount < least) or (isinstance(most, int) and amount > most):
            return False
    return not (filters["gpu"] and not facts["gpus"]) and not (filters["dedicated"] and not facts["dedicatedCpus"])
