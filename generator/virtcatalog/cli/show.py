"""`virtcatalog show`: one thing of a catalog, and what it becomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from virtcatalog.cli import options
from virtcatalog.cli.conditions import conditioned, judged_by
from virtcatalog.cli.console import data, echo, failing, print_documents
from virtcatalog.cli.inputs import catalog_objects
from virtcatalog.cli.items import fact_text, items_by_name, load_items
from virtcatalog.errors import RefusedError, VirtcatalogError

if TYPE_CHECKING:
    from virtcatalog.ask.items import Item
    from virtcatalog.ask.template import Example
    from virtcatalog.catalog.model import Catalog
    from virtcatalog.kubevirt.conditions import Conditions


@click.command(
    "show",
    epilog="""\b
Examples:
  virtcatalog show m.large                    its facts, and what the least VM of it becomes
  virtcatalog show m.large -o yaml            its manifest
  virtcatalog show linux.fedora -o xml        the domain of the least VM with that preference
  virtcatalog show production
""",
)
@click.argument("name", shell_complete=options.completes("items"))
@options.offering
@options.environments
@options.prices
@options.form(("text", "yaml", "json", "xml"), text="How to print it.")
@failing
@partial(conditioned, by_environment=True)
def command(
    name: str,
    catalog: str | None,
    environments: tuple[str, ...],
    prices: str | None,
    form: str,
    conditions: Conditions,
) -> int:
    """Show the type, preference, template or environment called NAME: its facts, and what it becomes."""
    from virtcatalog.ask.template import example

    loaded, everything = load_items(catalog, environments, prices)
    items = items_by_name(everything, [name], catalog)
    if len({item.name for item in items}) > 1:
        raise click.UsageError(f"{name} means {len(items)} things; `virtcatalog list` lists them")
    expandable = [item for item in items if item.sort in ("types", "preferences")]
    if form in ("yaml", "json"):
        print_documents([item.manifest or {"name": item.name, **item.facts} for item in items], form)
        return 0
    objects = catalog_objects(catalog) if loaded is None else loaded.objects()
    configurations = [manifest for manifest in objects if manifest.get("kind") == "KubeVirt"]
    conditions = judged_by(conditions, _release(loaded, environments), configurations)
    if form == "xml":
        if not expandable:
            raise VirtcatalogError(f"{name} is no instance type and no preference; `virtcatalog expand` shows VMs")
        for item in expandable:
            result = example(item, configurations, conditions).result
            if not result.admitted:
                raise RefusedError(*result.reasons)
            data(result.domain_xml or "")
        return 0
    for index, item in enumerate(items):
        becoming = _outcome(item, example(item, configurations, conditions)) if item in expandable else ()
        echo(("\n" if index else "") + "\n".join(_lines(item, becoming)))
    return 0


def _release(catalog: Catalog | None, environments: Sequence[str]) -> str:
    """What the environment runs whose items are shown: those of the first count before those of others."""
    from virtcatalog.environments import release_of

    return release_of(catalog.overlays, environments[0]) if catalog is not None and environments else ""


def _lines(item: Item, becomes: Iterable[tuple[str, str]]) -> Iterator[str]:
    from virtcatalog.ask.items import titles

    yield f"{item.sort.removesuffix('s')} {item.name}"
    facts = [(title, fact_text(item.facts[key], key)) for key, title in titles(item.sort, [item]).items()]
    becoming = list(becomes)
    width = max(len(title) for title, value in (*facts, *becoming) if value)
    yield from (f"  {title.ljust(width)}  {value}" for title, value in facts if value)
    if becoming:
        yield "the least VM of it gets"
    yield from (f"  {title.ljust(width)}  {value}" for title, value in becoming)


def _outcome(item: Item, becoming: Example) -> Iterator[tuple[str, str]]:
    """What the least VM became: what a preference says in it, or its guest and what its Pod requests."""
    from virtcatalog.ask.explain import explain
    from virtcatalog.ask.field import as_text
    from virtcatalog.ask.template import guest

    if not becoming.result.admitted or becoming.result.vmi is None:
        yield "Refused", "; ".join(map(str, becoming.result.reasons))
    elif item.sort == "types":
        yield from guest(becoming.result)
    else:
        for origin in explain(becoming.vm, becoming.cluster):
            if origin.field.startswith("spec.") and any(text.startswith("preference ") for text in origin.sources):
                yield origin.field.removeprefix("spec.").removeprefix("domain."), as_text(origin.value)
