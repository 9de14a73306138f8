"""`virtcatalog drift`: what of Git has reached which VM of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from virtcatalog.cli import execution, options
from virtcatalog.cli.cluster import snapshot
from virtcatalog.cli.conditions import conditioned
from virtcatalog.cli.console import data, echo, failing, summary
from virtcatalog.cli.previews import print_json

if TYPE_CHECKING:
    from virtcatalog.fleet.cache import Cache
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.live.report import Report


@click.command(
    "drift",
    epilog="""\b
Examples:
  virtcatalog drift --context lab                        the repository here, and a cluster
  kubectl get vm,vmi,controllerrevision -A -o json --show-managed-fields > live.json
  virtcatalog drift --live dump.yaml -e production       the catalog here, and the cluster of the dump
  virtcatalog drift -f vms --live dump.yaml -o markdown  any repository or folder
  virtcatalog drift -f vms --live dump.yaml shop/web-1   all of one VM
""",
)
@click.argument("names", nargs=-1, metavar="[VM]...")
@options.git_side
@options.live_side
@options.domains
@click.option(
    "--since",
    metavar="RELEASE",
    shell_complete=options.completes("revisions"),
    help="VMs that hold types or preferences as they were before a release.",
)
@options.catalog("The catalog whose releases are recognised. [default: ./catalog, if any]")
@options.environments
@options.form(("text", "json", "markdown"))
@click.option("--all", "calm", is_flag=True, help="VMs that are in sync, too.")
@execution.cached
@click.option("--noise", is_flag=True, help="Differences that mean nothing, too, with the reason.")
@failing
@conditioned
def command(
    names: tuple[str, ...],
    source: str | None,
    live: tuple[str, ...],
    context: str | None,
    kubeconfig: str | None,
    domains: str | None,
    since: str | None,
    catalog: str | None,
    environments: tuple[str, ...],
    form: str,
    calm: bool,
    noise: bool,
    cache: Cache | None,
    conditions: Conditions,
) -> int:
    """Show which changes in Git have reached each VM of a cluster: Git → VM → running VMI → its domain.

    Git is a repository, folder or file of manifests, or a catalog; the cluster is read from its API
    server (--context) or from a dump (--live). With VM (`name` or `namespace/name`) all of that one is told: each
    field, who wrote it and when, and where Git has it. Nothing is ever written to a cluster.

    The first line says all in one sentence; then comes a row for each VM that drifts, the gravest first:
    docs/drift.md tells what each word means, and what to do.

    Exit status: 0 all is in sync, 1 something drifts, 2 not all could be read (the rest is compared).
    """
    from virtcatalog.cli.sides import some_side_of_git
    from virtcatalog.cli.verify import domains_in
    from virtcatalog.live.past import past_of
    from virtcatalog.live.report import as_data, held_before, not_judged, report
    from virtcatalog.live.text import as_markdown

    cluster = snapshot(live, context, kubeconfig)
    side = some_side_of_git(source)
    past, omissions = past_of(catalog or source or "catalog")
    drifts = report(
        side,
        cluster,
        conditions,
        environments=environments,
        only=names,
        past=past,
        domains=domains_in(domains),
        cache=cache,
    )
    if since is not None:
        drifts = held_before(drifts, since, past)
    for omission in omissions:
        summary(f"releases of the catalog: {omission}")
    for passed_over in not_judged(side):
        summary(f"not judged: {passed_over}")
    if form == "json":
        print_json(as_data(drifts))
    elif form == "markdown":
        data(as_markdown(drifts))
    elif names:
        _stories(drifts, noise=noise)
    else:
        _table(drifts, calm=calm, noise=noise)
    return drifts.status


def _table(report: Report, *, calm: bool, noise: bool) -> None:
    from virtcatalog.cli.table import print_tables
    from virtcatalog.live.text import columns, headline, noise_words, rows, titles, unread

    echo(headline(report))
    echo(titles(report))
    for line in unread(report):
        echo(line, err=True)
    table = rows(report, calm=calm)
    if table:
        print_tables(columns(report), [("", table)], titled=False)
    if noise:
        for drift in sorted(report.drifts, key=lambda drift: drift.vm):
            if drift.noise:
                echo(drift.vm)
                for difference in drift.noise:
                    echo(noise_words(difference))
    if len(table) > 1:
        echo(headline(report))


def _stories(report: Report, *, noise: bool) -> None:
    from virtcatalog.live.text import story, unread

    for line in unread(report):
        echo(line, err=True)
    for drift in report.drifts:
        for line in story(drift, noise=noise):
            echo(line)
