"""`virtcatalog verify`: how far to trust it on this very cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from virtcatalog.cli import options
from virtcatalog.cli.cluster import snapshot
from virtcatalog.cli.conditions import conditioned
from virtcatalog.cli.console import data, echo, failing, note
from virtcatalog.cli.previews import print_json
from virtcatalog.escaping import markdown, single_line

if TYPE_CHECKING:
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.live.verify import Answer, Finding, Tally

_MOST = 10


@click.command(
    "verify",
    epilog="""\b
Examples:
  virtcatalog verify --context lab --domains xml/ -f vms  all stages, and a dry run of each VM in Git
  virtcatalog verify --context lab -o markdown            a report without names, for an issue
""",
)
@options.git_side
@options.live_side
@options.domains
@options.form(("text", "json", "markdown"))
@failing
@conditioned
def command(
    source: str | None,
    live: tuple[str, ...],
    context: str | None,
    kubeconfig: str | None,
    domains: str | None,
    form: str,
    conditions: Conditions,
) -> int:
    """Compare virtcatalog with a cluster: its VMI, Pod and domain of each running VM with the real ones.

    What libvirt, the scheduler and the cluster add is left out. With --context and -f each VM of Git is also sent to
    the API server as a dry run, which stores nothing, and both answers are compared; that is the only request that is
    no list.

    Exit status: 0 all agrees, 1 something differs, 2 not all could be read or compared.
    """
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.live.verify import nameless, tallied, verify

    observed = snapshot(live, context, kubeconfig, pods=True)
    cluster = Cluster.under(observed.others, conditions)
    answers = [*verify(observed, cluster, domains_in(domains))]
    if source is not None and not live:
        answers += _admission(source, context, kubeconfig, cluster)
    tallies = tallied(answers)
    for gap in sorted(observed.gaps):
        note(f"not read of {observed.label}: {gap}")
    if form == "json":
        print_json([_as_data(tally) for tally in tallies])
    elif form == "markdown":
        data("".join(_markdown(nameless(tally)) for tally in tallies))
    else:
        _table(tallies)
    if observed.gaps or not tallies or any(tally.left_out for tally in tallies):
        return 2
    return int(any(tally.findings for tally in tallies))


def domains_in(folder: str | None) -> Callable[[str], bytes | None] | None:
    """Return what finds the dumpxml of a VM in a folder, None for no folder; VirtcatalogError when it is not there."""
    from virtcatalog.errors import VirtcatalogError
    from virtcatalog.limits import XML_BYTES
    from virtcatalog.manifests.sources import is_file, is_folder, read_file

    if folder is None:
        return None
    if not is_folder(folder):
        raise VirtcatalogError(f"{folder}: is no folder")

    def find(name: str) -> bytes | None:
        file = str(Path(folder, f"{name.replace('/', '_', 1)}.xml"))
        return read_file(file, XML_BYTES) if is_file(file) else None

    return find


def _admission(source: str, context: str | None, kubeconfig: str | None, cluster: Cluster) -> Iterator[Answer]:
    """Ask the API server and us of each VM in Git."""
    from virtcatalog.cli.sides import side_of_git
    from virtcatalog.kubevirt.pipeline import create_vmi
    from virtcatalog.live.client.dryrun import DryRun
    from virtcatalog.live.client.kubeconfig import access
    from virtcatalog.live.verify import Answer, Finding
    from virtcatalog.manifests.identity import full_name

    api = DryRun(access(context, kubeconfig))
    for vm in side_of_git(source).vms:
        if vm.manifest.get("kind") != "VirtualMachine" or vm.open:
            continue
        name = full_name(vm.manifest)
        result = create_vmi(vm.manifest, cluster)
        ours = "; ".join(map(str, result.reasons)) if result.refused_by == "vm" else ""
        theirs = api.refusal(vm.manifest)
        findings = (Finding(name, "", ours or "taken", theirs or "taken"),) if bool(ours) != bool(theirs) else ()
        yield Answer("admission", name, findings)


def _table(tallies: Sequence[Tally]) -> None:
    from virtcatalog.cli.table import print_tables

    rows = [[tally.stage, str(tally.compared), str(tally.agree), str(len(tally.left_out))] for tally in tallies]
    print_tables(("stage", "compared", "agree", "not compared"), [("", rows)], titled=False)
    if not rows:
        echo("no VM runs of which it is known what it was started with")
    for tally in tallies:
        for finding in tally.findings[:_MOST]:
            echo(f"{tally.stage}: {_words(finding)}")
        if len(tally.findings) > _MOST:
            echo(f"{tally.stage}: and {len(tally.findings) - _MOST:,} more differences")
        for text in tally.left_out[:_MOST]:
            echo(f"{tally.stage}: not compared: {text}", err=True)


def _words(finding: Finding) -> str:
    where = f"{finding.vm}: {finding.field}" if finding.field else finding.vm
    return f"{where}: ours {_value(finding.ours)}, the cluster's {_value(finding.theirs)}"


def _value(value: object) -> str:
    from virtcatalog.manifests.difference import shown

    return "none" if value is None else shown(value)


def _markdown(tally: Tally) -> str:
    lines = [f"### {tally.stage}: {tally.agree} of {tally.compared} agree, {len(tally.left_out)} not compared", ""]
    lines += [f"- {markdown(single_line(_words(finding)))}" for finding in tally.findings]
    return "\n".join(lines).rstrip() + "\n\n"


def _as_data(tally: Tally) -> dict[str, object]:
    return {**tally._asdict(), "findings": [finding._asdict() for finding in tally.findings]}
