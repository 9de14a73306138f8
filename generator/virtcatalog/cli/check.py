"""`virtcatalog check`: everything that can be known of a catalog before it is applied."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from virtcatalog.check.finding import SEVERITIES, fails
from virtcatalog.cli import execution, options
from virtcatalog.cli.conditions import conditioned
from virtcatalog.cli.console import data, failing, print_findings, summary
from virtcatalog.cli.defaults import in_effect
from virtcatalog.cli.inputs import file_paths, placed
from virtcatalog.cli.previews import mark
from virtcatalog.cli.repository import called, default_path, deployed_all, repository_at
from virtcatalog.errors import ManifestError, ProblemsError, Severity, VirtcatalogError
from virtcatalog.fleet.sources import Placed
from virtcatalog.manifests.layout import CATALOG
from virtcatalog.manifests.sources import exists, is_catalog, not_there, open_folder

if TYPE_CHECKING:
    from virtcatalog.catalog.model import Catalog
    from virtcatalog.check.finding import Finding
    from virtcatalog.check.subject import Inventory, Subject
    from virtcatalog.errors import Problem
    from virtcatalog.fleet.cache import Cache
    from virtcatalog.kubevirt.conditions import Conditions


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
@options.form(("text", "json", "github", "junit", "sarif"), default="text", text="How findings are printed.")
@click.option(
    "--pairs",
    is_flag=True,
    help="Print whether each instance type fits each preference, as text or JSON; findings go to stderr.",
)
@click.option(
    "--fail-on",
    type=click.Choice(SEVERITIES),
    default=lambda: options.settings().check.fail_on,
    help="The least finding with exit status 1. [default: warning]",
)
@click.option(
    "--date",
    "day",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="The day by which sunsets are judged. [default: today]",
)
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
    day: datetime | None,
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
    from virtcatalog.check.rules import RULES, check

    if pairs and form not in ("text", "json"):
        raise click.UsageError(f"--pairs prints text or JSON; it has no -o {form}")
    if show_rules:
        from virtcatalog.check.rules import page

        data(page(RULES))
        return 0
    if fixes:
        from virtcatalog.cli.check_fix import write_as_stored

        write_as_stored(catalog, sources, conditions)
    inventory, findings, names = _take(catalog, sources, day.date() if day else _today(), conditions, environments)
    if inventory is not None:
        inventory = _with_nodes(inventory, nodes) if nodes else inventory
        inventory = msgspec.structs.replace(inventory, cache=cache)
        try:
            mark(inventory.choice(inventory.configurations(name), name).release for name in ("", *names))
            findings = [*findings, *check(inventory)]
        except ManifestError as error:
            inventory, findings = None, unreadable(sorted(error.problems))
        if inventory is not None and pairs:
            from virtcatalog.cli.check_pairs import print_pairs

            print_pairs(inventory, form, environments)
    if since is not None:
        findings = [*findings, *_refused(since, catalog, sources)]
    failed = fails(findings, fail_on)
    findings = sorted([*findings, *of_defaults(in_effect(names))])
    if pairs or form == "text":
        print_findings(FORMATS["text"](findings, RULES), err=pairs)
    else:
        data(FORMATS[form](findings, RULES))
    summary(closing(findings, inventory))
    return int(failed)


def _today() -> date:
    return datetime.now().astimezone().date()


def _refused(revision: str, catalog: str | None, sources: Sequence[str]) -> list[Finding]:
    """The changes of objects since a revision that clusters refuse; a catalog's own objects have no such field."""
    from virtcatalog.check.finding import together
    from virtcatalog.check.sync import refused_changes
    from virtcatalog.cli.sides import states

    of_catalog = [catalog or default_path()] if catalog or not sources else []
    paths = file_paths([*of_catalog, *sources], "--since compares files")
    findings: list[Finding] = []
    for before, after in (states(revision, path) for path in paths if not is_catalog(path)):
        if before.repository is not None and after.repository is not None:
            findings += refused_changes(before.repository, after.repository)
    return together(findings)


def _take(
    catalog: str | None,
    sources: Sequence[str],
    today: date,
    conditions: Conditions,
    environments: Sequence[str],
) -> tuple[Inventory | None, list[Finding], list[str]]:
    """Read everything, and name all environments; what cannot be read is a finding, and no more is looked at then."""
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.check.declarations import unreadable
    from virtcatalog.check.inventory import take
    from virtcatalog.cli.conditions import beside_upstream, upstream_of
    from virtcatalog.environments import check_environments, check_places
    from virtcatalog.fleet.files import SoundFleet

    path = catalog or ("catalog" if sources else default_path())
    places = [placed(source) for source in sources]
    inputs = [place.path for place in places]
    for file in [path, *inputs] if catalog or not sources else inputs:
        if file != "-" and not exists(file):
            raise VirtcatalogError(not_there(file))
    problems: list[Problem] = []
    loaded: Catalog | None = None
    if is_catalog(path):
        try:
            loaded = load_catalog(path)
        except ProblemsError as error:
            problems += error.problems
    elif catalog or path != "catalog":
        places = [Placed(path), *places]
    repositories = {place.path: side for place in places if not place.where and (side := repository_at(place.path))}
    places = [*(place for place in places if place.path not in repositories), *map(placed, options.settings().cluster)]
    units, of_units, unfit = deployed_all(repositories, environments)
    try:
        fleet = SoundFleet(places)
    except ManifestError as error:
        problems += error.problems
    if problems:
        return None, unreadable(sorted(problems)), []
    texts: list[tuple[bytes, str]] = []
    if loaded:
        folder = open_folder(path)
        texts = [(folder.read(file), Path(path, file).as_posix()) for file in loaded.files if file.endswith(".yaml")]
    overlays = loaded.overlays if loaded else ()
    if not repositories:
        check_environments(environments, overlays, f"in {path}")
    check_places(fleet.others, overlays, f"in {path}")
    companions = [manifest.data for manifests in fleet.others.values() for manifest in manifests]
    inventory = take(
        loaded,
        today=today,
        texts=texts,
        conditions=conditions,
        elsewhere=fleet.others,
        fleet=fleet,
        number=fleet.number,
        upstream=upstream_of(fleet, companions, conditions) if loaded is None else (),
        environments=environments,
        units=beside_upstream(units, conditions, alone=loaded is None),
        of_units=of_units,
        repositories=[called(side, environments) for side in repositories.values()],
    )
    subjects = *inventory.objects, *inventory.companions
    if loaded is None and not unfit and not inventory.number and not any(map(_is_ours, subjects)):
        where = ", ".join(place.path for place in places) or path
        raise VirtcatalogError(f"{where}: there is no {CATALOG}, and no manifest of KubeVirt's")
    return inventory, unreadable(sorted(unfit)), [overlay.name for overlay in overlays]


def _is_ours(subject: Subject) -> bool:
    from virtcatalog.api.kinds import kind_type

    return kind_type(str(subject.manifest.get("apiVersion")), subject.kind) is not None


def _with_nodes(inventory: Inventory, file: str) -> Inventory:
    """The inventory with the nodes that a file declares."""
    from virtcatalog.capacity.nodes import load_nodes
    from virtcatalog.catalog.places import Source
    from virtcatalog.check.subject import Subject

    nodes = [Subject(manifest=node, origin="import", place=lambda _: Source(file)) for node in load_nodes(file)]
    return msgspec.structs.replace(inventory, companions=(*inventory.companions, *nodes))
