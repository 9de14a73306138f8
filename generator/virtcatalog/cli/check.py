"""`virtcatalog check`: everything that can be known of a catalog before it is applied."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

import click
import msgspec

from virtcatalog.check.finding import SEVERITIES, fails
from virtcatalog.cli import execution, options
from virtcatalog.cli.check_input import read_inventory, refused_since, with_nodes, write_as_stored
from virtcatalog.cli.conditions import conditioned
from virtcatalog.cli.console import data, failing, print_findings, summary
from virtcatalog.cli.defaults import in_effect, settings
from virtcatalog.cli.previews import note_previews, print_json
from virtcatalog.cli.table import print_tables
from virtcatalog.errors import ManifestError, Severity, counted

if TYPE_CHECKING:
    from virtcatalog.check.pairs import Pair
    from virtcatalog.check.subject import Inventory
    from virtcatalog.fleet.cache import Cache
    from virtcatalog.kubevirt.conditions import Conditions

_PAIRS = ("Instance type", "Preference", "Fits", "Why not")


@click.command(
    "check",
    epilog="""\b
Examples:
  virtcatalog check
  virtcatalog check -o sarif > findings.sarif
  virtcatalog check -f kubevirt.yaml -f common-instancetypes/    beside these objects of the cluster
  virtcatalog check --kubevirt v1.8.4                            as clusters of that release see it
  virtcatalog check --nodes nodes.yaml                           nodes: can some hold each instance type?
  virtcatalog check -f manifests/ --fix                          write them as the cluster stores them
  virtcatalog check --since origin/main                          fields that change and cannot: immutable-field
  virtcatalog check --pairs                                      which instance type fits which preference
""",
)
@options.about_catalog(None, metavar="[CATALOG|DIR]")
@options.manifests("Manifests to check together with the catalog: another catalog's objects, the KubeVirt CR, VMs.")
@options.environments
@options.file("--nodes", "Kinds of node and their number: docs/capacity.md.")
@options.form(("text", "json", "github", "junit", "sarif"), text="How findings are printed.")
@click.option(
    "--pairs",
    is_flag=True,
    help="Print whether each instance type fits each preference, as text or JSON; findings go to stderr.",
)
@click.option(
    "--fail-on",
    type=click.Choice(SEVERITIES),
    default=lambda: settings().check.fail_on,
    help="The least finding with exit status 1. [default: warning]",
)
@options.day("The day by which sunsets are judged. [default: today]")
@click.option("--fix", "fixes", is_flag=True, help="First write manifests as the cluster stores them: out-of-sync.")
@options.revision(
    "--since", "since", "Find fields, too, that have changed since a git revision and cannot: immutable-field."
)
@click.option("--rules", "show_rules", is_flag=True, help="Print what every rule is about, as Markdown, and end.")
@failing
@execution.cached
@partial(conditioned, by_environment=True)
def command(
    catalog: str | None,
    sources: tuple[str, ...],
    environments: tuple[str, ...],
    nodes: str | None,
    form: str,
    pairs: bool,
    fail_on: Severity,
    day: date,
    fixes: bool,
    since: str | None,
    show_rules: bool,
    conditions: Conditions,
    cache: Cache | None,
) -> int:
    """Find out what is wrong with CATALOG (default: catalog, else the repository), or with a folder of manifests.

    docs/findings.md describes the rules. Findings may be allowed in catalog.yaml, with a reason.
    """
    from virtcatalog.check.declarations import of_defaults, unreadable
    from virtcatalog.check.report import FORMATS
    from virtcatalog.check.report import summary as closing
    from virtcatalog.check.rules import RULES, check, page

    if pairs and form not in ("text", "json"):
        raise click.UsageError(f"--pairs prints text or JSON; it has no -o {form}")
    if show_rules:
        data(page(RULES))
        return 0
    if fixes:
        write_as_stored(catalog, sources, conditions)
    inventory, findings, names = read_inventory(catalog, sources, day, conditions, environments)
    if inventory is not None:
        inventory = with_nodes(inventory, nodes) if nodes else inventory
        inventory = msgspec.structs.replace(inventory, cache=cache)
        try:
            note_previews(inventory.choice(inventory.configurations(name), name).release for name in ("", *names))
            findings = [*findings, *check(inventory)]
        except ManifestError as error:
            inventory, findings = None, unreadable(sorted(error.problems))
        if inventory is not None and pairs:
            _print_pairs(inventory, form, environments)
    if since is not None:
        findings = [*findings, *refused_since(since, catalog, sources)]
    failed = fails(findings, fail_on)
    findings = sorted([*findings, *of_defaults(in_effect(names))])
    if pairs or form == "text":
        print_findings(FORMATS["text"](findings, RULES), err=pairs)
    else:
        data(FORMATS[form](findings, RULES))
    summary(closing(findings, inventory))
    return int(failed)


def _print_pairs(inventory: Inventory, form: str, environments: Sequence[str]) -> None:
    """Print which instance type fits which preference, in the catalog as a whole or in the environments asked for."""
    from virtcatalog.check.pairs import Shared, pairs

    deployed = {
        overlay.name: inventory.deployed(overlay) for overlay in inventory.overlays if overlay.name in environments
    }
    pairs_in: dict[str, list[Pair]] = {}
    shared = Shared()
    for environment, objects in deployed.items() or [("", inventory.declared)]:
        configurations = inventory.configurations(environment)
        conditions = msgspec.structs.replace(
            inventory.conditions, release=inventory.choice(configurations, environment).release
        )
        pairs_in[environment] = list(pairs(objects, configurations, conditions, shared))
    all_pairs = [(environment, pair) for environment, own in pairs_in.items() for pair in own]
    if form == "json":
        print_json([_as_data(*pair) for pair in all_pairs])
    else:
        tables = {environment: [_row(pair) for pair in own] for environment, own in pairs_in.items() if own}
        print_tables(_PAIRS, tables.items(), titled="" not in tables, style=lambda row: "red" if row[2] == "no" else "")
    fitting = sum(pair.fits for _, pair in all_pairs)
    fits, misfits = counted(fitting, "fits", "fit"), counted(len(all_pairs) - fitting, "does not", "do not")
    summary(f"{counted(len(all_pairs), 'pair')}: {fits}, {misfits}")


def _as_data(environment: str, pair: Pair) -> dict[str, object]:
    plain: dict[str, object] = {
        **({"environment": environment} if environment else {}),
        "instancetype": pair.instancetype,
        "preference": pair.preference,
        "fits": pair.fits,
    }
    return plain if pair.fits else plain | {"field": pair.field, "reason": pair.reason}


def _row(pair: Pair) -> tuple[str, ...]:
    why = f"{pair.field}: {pair.reason}".removeprefix(": ") if not pair.fits else ""
    return pair.instancetype, pair.preference, "yes" if pair.fits else "no", why
