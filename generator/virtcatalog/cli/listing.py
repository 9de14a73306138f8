"""`virtcatalog list`: the instance types, preferences, templates and environments of a catalog."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from virtcatalog.cli import options
from virtcatalog.cli.console import failing, summary
from virtcatalog.cli.items import FORMS, SORTS, catalog_items, items_by_name, print_items
from virtcatalog.errors import counted, nearest

if TYPE_CHECKING:
    from virtcatalog.ask.items import Item, Sort

_NOUNS = {
    "types": "instance type",
    "preferences": "preference",
    "templates": "template",
    "environments": "environment",
}
_OF_TYPES = ("series", "min_vcpus", "max_vcpus", "min_memory", "max_memory", "max_price", "gpu", "dedicated")


def _amount(_context: click.Context, _option: click.Parameter, value: str | None) -> int | None:
    from virtcatalog.api.quantity import Quantity

    try:
        return None if value is None else Quantity.parse(value).value
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _money(_context: click.Context, _option: click.Parameter, value: str | None) -> Decimal | None:
    try:
        amount = None if value is None else Decimal(value)
        if amount is None or amount >= 0:
            return amount
    except InvalidOperation:
        pass
    raise click.BadParameter(f"{value!r} is no amount such as 0.05")


class _Sort(click.Choice[str]):
    """What is listed; a word that is no sort is the name of a type, unless it is almost one."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in self.choices:
            return value
        near = nearest(value, self.choices)
        if near:
            self.fail(f"{value!r} is none of {', '.join(self.choices)}{near}", param, ctx)
        return value


@click.command(
    "list",
    epilog="""\b
Examples:
  virtcatalog list                                   the instance types of ./catalog
  virtcatalog list 'm.*'                             those of these names
  virtcatalog list types --min-memory 16Gi --class r
  virtcatalog list preferences 'linux.*' -o name
  virtcatalog list -e production -o csv > types.csv
  virtcatalog list environments
  virtcatalog list --prices prices.yaml --max-price 0.25
""",
)
@click.argument("sort", required=False, type=_Sort(SORTS), default="types")
@click.argument("names", nargs=-1, metavar="[NAME|GLOB]...", shell_complete=options.completes("items"))
@options.offering
@options.environments
@options.prices
@options.form(FORMS, text="How to print it.")
@click.option(
    "--class", "series", metavar="GLOB", shell_complete=options.completes("classes"), help="Types of these classes."
)
@click.option("--min-vcpus", type=click.IntRange(1), help="Types with at least that many vCPUs.")
@click.option("--max-vcpus", type=click.IntRange(1), help="Types with at most that many.")
@click.option("--min-memory", metavar="AMOUNT", callback=_amount, help="Types with at least that much memory: 16Gi.")
@click.option("--max-memory", metavar="AMOUNT", callback=_amount, help="Types with at most that much.")
@click.option("--gpu", is_flag=True, help="Types with a GPU.")
@click.option("--dedicated", is_flag=True, help="Types with dedicated CPUs.")
@click.option("--max-price", metavar="AMOUNT", callback=_money, help="Types that cost at most that an hour.")
@click.option("--no-deprecated", is_flag=True, help="Leave out what is deprecated.")
@failing
def command(
    sort: Sort,
    names: tuple[str, ...],
    catalog: str | None,
    environments: tuple[str, ...],
    prices: str | None,
    form: str,
    no_deprecated: bool,
    **filters: str | int | bool | Decimal | None,
) -> int:
    """List the types, preferences, templates or environments of a catalog, all or those of some names.

    Exit status: 0 there are some, 1 none is left by the filters.
    """
    if sort not in SORTS:
        sort, names = "types", (sort, *names)
    wrong = [key for key in _OF_TYPES if filters[key] is not None and filters[key] is not False]
    if wrong and sort != "types":
        option = "class" if wrong[0] == "series" else wrong[0].replace("_", "-")
        raise click.UsageError(f"--{option} is about types, not about {sort}")
    items = [item for item in catalog_items(catalog, environments, prices) if item.sort == sort]
    if filters["max_price"] is not None and not any("currency" in item.facts for item in items):
        raise click.UsageError("--max-price: there are no prices; --prices names a file of them")
    if names:
        items = items_by_name(items, names, catalog)
    if sort == "types":
        items = [item for item in items if _fits(item, filters)]
    if no_deprecated and sort in ("types", "preferences"):
        items = [item for item in items if not item.facts["deprecated"]]
    if items:
        print_items(sort, items, form)
    summary(counted(len(items), _NOUNS[sort]) if items else f"no {_NOUNS[sort]}")
    return 0 if items else 1


def _fits(item: Item, filters: dict[str, str | int | bool | Decimal | None]) -> bool:
    facts, series, most = item.facts, filters["series"], filters["max_price"]
    if isinstance(most, Decimal) and (facts["pricePerHour"] is None or Decimal(str(facts["pricePerHour"])) > most):
        return False
    if series and not fnmatchcase(str(facts["class"] or ""), str(series)):
        return False
    for key in ("vcpus", "memory"):
        amount, least, most = facts[key] or 0, filters[f"min_{key}"], filters[f"max_{key}"]
        assert isinstance(amount, int)
        if (isinstance(least, int) and amount < least) or (isinstance(most, int) and amount > most):
            return False
    return not (filters["gpu"] and not facts["gpus"]) and not (filters["dedicated"] and not facts["dedicatedCpus"])
