"""`virtcatalog capacity`: which VMs fit on which nodes, and what namespaces may still have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import click
import msgspec

from virtcatalog.cli import options
from virtcatalog.cli.capacity_output import print_text
from virtcatalog.cli.conditions import conditioned, judged_by
from virtcatalog.cli.console import echo, failing, print_problems, summary
from virtcatalog.cli.defaults import settings
from virtcatalog.cli.inputs import catalog_objects, deployed_all, load_any, placed, split_repositories
from virtcatalog.cli.previews import print_json
from virtcatalog.errors import VirtcatalogError, counted, listed, some
from virtcatalog.manifests.sources import is_catalog

if TYPE_CHECKING:
    from virtcatalog.capacity.launches import Launch
    from virtcatalog.capacity.report import Report
    from virtcatalog.fleet.outcome import Deployed
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.manifests.identity import Data
    from virtcatalog.review.side import Side

_NAMES = 3


@click.command(
    "capacity",
    epilog="""\b
Examples:
  kubectl get nodes,vm,resourcequota -A -o yaml | virtcatalog capacity -f -
  virtcatalog capacity --nodes nodes.yaml                      how many VMs of each type of ./catalog fit
  virtcatalog capacity -f dump.yaml -c catalog -e production   as that environment deploys the types
  virtcatalog capacity -f dump.yaml -o json                    where each VM can run, node by node
""",
)
@options.manifests("Nodes, VMs, quotas and whatever else is in the cluster; VMIs say where VMs run.")
@options.catalog()
@options.environment(", or a unit of a repository")
@options.file("--nodes", "Kinds of node and their number, besides the nodes of -f.")
@options.form(("text", "json"))
@failing
@partial(conditioned, by_environment=True)
def command(
    sources: tuple[str, ...],
    catalog: str | None,
    environment: str | None,
    nodes: str | None,
    form: str,
    conditions: Conditions,
) -> int:
    """Show which VMs fit on which nodes, by the Pods that KubeVirt creates for them.

    For each instance type how many VMs fit, and of what nodes run out; for each VM where it can run, and why not where
    it cannot; the fleet packed, the room that is left, what a node's failure would do; what namespaces ask against
    their ResourceQuotas and LimitRanges. VMs that are switched off count for nothing but the question where they could
    run.

    Exit status: 0 everything fits, 1 a VM fits no node or is refused by a quota, or an instance type fits nowhere,
    2 a file of a repository cannot be read.
    """
    from virtcatalog.capacity.launches import launched, split
    from virtcatalog.capacity.nodes import load_nodes
    from virtcatalog.capacity.report import report
    from virtcatalog.cli.conditions import beside_upstream, upstream_of
    from virtcatalog.fleet.files import SoundFleet
    from virtcatalog.kubevirt.cluster import Cluster

    repositories, places = split_repositories(map(placed, (*sources, *settings().cluster)))
    asked_for = [environment] if environment and repositories else []
    units, of_units, unfit = deployed_all(repositories, asked_for)
    _refuse_several(repositories, asked_for)
    fleet = SoundFleet(places)
    companions = [manifest.data for manifests in fleet.others.values() for manifest in manifests]
    own, release = _deployed(catalog, environment if not repositories else None)
    declared = load_nodes(nodes) if nodes else []
    companions += (located.manifest for located in of_units)
    conditions = judged_by(conditions, release, [*own, *companions])
    upstream = upstream_of(fleet, companions, conditions) if not own else []
    cluster = Cluster.under([*own, *companions, *declared, *upstream], conditions)
    if not cluster.nodes:
        raise VirtcatalogError("there are no nodes: name a dump of the cluster with -f, or declare them with --nodes")
    types, pods = split([*own, *companions])
    instancetypes = split(own)[0] or types
    number = fleet.number + sum(len(unit.vms) for unit in units)
    if not number and not instancetypes:
        raise VirtcatalogError("there is neither a VM nor an instance type to ask about: see --help")
    units = beside_upstream(units, conditions, alone=not own)
    launches = chain(launched(fleet, cluster), _launched(units, [*own, *declared], conditions))
    answer = report(launches, number, cluster, instancetypes, pods)
    if form == "json":
        print_json(_as_data(answer))
    else:
        print_text(answer)
    podless: dict[str, list[str]] = {}
    for name, why in answer.podless:
        podless.setdefault(why, []).append(name)
    for why, names in podless.items():
        echo(f"{some(names, _NAMES)}: {why}", err=True)
    print_problems(unfit)
    _close(answer)
    return 2 if unfit else 1 if answer.finds else 0


def _refuse_several(repositories: Mapping[str, Side], environments: Sequence[str]) -> None:
    """UsageError for VMs of repositories that land in several clusters, which have nodes of their own."""
    clusters = {
        side.repository.environments[vm.unit.number].cluster
        for side in repositories.values()
        for vm in side.vms
        if side.repository is not None and (not environments or vm.environment in environments)
    }
    if len(names := sorted(filter(None, clusters))) > 1:
        raise click.UsageError(f"these VMs land in several clusters, {listed(names)}: name an environment with -e")


def _deployed(catalog: str | None, environment: str | None) -> tuple[list[Data], str]:
    """What the catalog deploys in the environment, and the release that this is said to run."""
    from virtcatalog.environments import release_of

    path = catalog or "catalog"
    if environment and not is_catalog(path):
        raise click.UsageError(f"-e {environment}: {path} is no catalog that has environments")
    loaded = load_any(catalog, [environment] if environment else [])
    if loaded is None:
        return catalog_objects(catalog), ""
    return loaded.objects(environment or ""), release_of(loaded.overlays, environment or "")


def _launched(units: Iterable[Deployed], objects: Sequence[Data], conditions: Conditions) -> Iterator[Launch]:
    """What is launched for the VMs of repositories, each of which meets its own unit's objects and some others."""
    from virtcatalog.capacity.launches import launch_of
    from virtcatalog.kubevirt.cluster import Cluster

    for unit in units:
        cluster = Cluster.under([*(located.manifest for located in unit.objects), *objects], conditions)
        for vm in unit.vms:
            yield launch_of(vm.manifest, cluster)


def _close(answer: Report) -> None:
    parts = [counted(answer.packed.nodes, "node"), counted(len(answer.vms), "VM")]
    if answer.homeless:
        parts.append(f"{counted(len(answer.homeless), 'VM fits', 'VMs fit')} no node")
    if answer.quota.refusals:
        refused = counted(len(answer.quota.refusals), "VM is", "VMs are")
        parts.append(f"{refused} refused or held back by quotas or limits")
    if answer.quota.undecided:
        parts.append(f"{counted(len(answer.quota.undecided), 'quota')} not judged")
    if answer.podless:
        parts.append(f"{counted(len(answer.podless), 'VM makes', 'VMs make')} no Pod")
    summary(", ".join(parts))


def _as_data(answer: Report) -> dict[str, Any]:
    """Amounts are in the scheduler's units: CPUs in thousandths, all else in bytes or whole ones."""
    quota = answer.quota
    return {
        "kinds": [
            {"name": kind.name, "nodes": len(kind.nodes), "allocatable": dict(node.room)} for kind, node in answer.kinds
        ],
        "instancetypes": [msgspec.to_builtins(type_fit) for type_fit in answer.types],
        "vms": [
            {
                **msgspec.to_builtins(vm),
                "reasons": [
                    {"kind": kind, "nodes": number, "sort": sort, "reason": text}
                    for kind, number, sort, text in vm.reasons
                ],
            }
            for vm in answer.vms
        ],
        "packing": msgspec.to_builtins(answer.packed),
        "failures": [msgspec.to_builtins(failure) for failure in answer.failures],
        "quotas": [
            {
                "namespace": line.namespace,
                "kind": line.kind,
                "quota": line.quota,
                "resource": line.resource,
                "hard": str(line.hard),
                "asked": str(line.requested),
            }
            for line in quota.lines
        ],
        "refusals": [msgspec.to_builtins(refusal) for refusal in quota.refusals],
        "automaticLimits": [
            {"namespace": namespace, "resource": resource, "vms": number}
            for (namespace, resource), number in sorted(quota.automatic.items())
        ],
        "notJudged": list(quota.unjudged),
        "undecided": list(quota.undecided),
        "notes": list(quota.notes),
        "podless": [{"vm": name, "why": why} for name, why in answer.podless],
    }
