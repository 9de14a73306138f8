"""All VMs and pools of a cluster beside those of Git: one value, of which every output is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import msgspec
from msgspec.structs import replace

from virtcatalog.errors import Problem, VirtcatalogError, nearest, some
from virtcatalog.errors import counted as counted_things
from virtcatalog.fleet.cache import Cache
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.live.cached import Domains, InGit, Work, drifts, pool_drifts
from virtcatalog.live.clusters import Clusters
from virtcatalog.live.revisions import Past
from virtcatalog.live.snapshot import Gap, Snapshot
from virtcatalog.live.verdict import NO_MACHINE, POOL, Drift, Kind, counted, status
from virtcatalog.manifests.identity import Data, full_name
from virtcatalog.review.side import Side, Vm


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What drifts, by name; `gaps` are what could not be read of the cluster, `problems` what could not be of Git.

    `git` and `cluster` are what both are called; `taken` is when the cluster was read (RFC 3339), "" where nobody says.
    """

    git: str
    cluster: str
    drifts: tuple[Drift, ...] = ()
    gaps: tuple[Gap, ...] = ()
    problems: tuple[Problem, ...] = ()
    taken: str = ""

    @property
    def counts(self) -> dict[Kind, int]:
        """How many VMs and pools have each verdict, the gravest first."""
        return counted(self.drifts)

    @property
    def partial(self) -> bool:
        """Whether something could not be read, of which something may be missing here."""
        return bool(self.gaps or self.problems)

    @property
    def status(self) -> int:
        """The exit status."""
        return status(self.drifts, partial=self.partial)


def report(
    side: Side,
    snapshot: Snapshot,
    conditions: Conditions,
    *,
    environments: Sequence[str] = (),
    only: Sequence[str] = (),
    past: Past = (),
    domains: Domains | None = None,
    cache: Cache | None = None,
) -> Report:
    """Compare the VMs of a repository, or of some of its environments, with those of a cluster.

    `only` are names of VMs, `name` or `namespace/name`; VirtcatalogError for one that is on neither side. `domains`
    finds the dumpxml of a VM that runs, None where there is none. `cache` has what earlier runs have found.
    """
    _check_environments(side, environments)
    in_git = InGit(_by_name(side, "VirtualMachine", environments), _by_name(side, POOL, environments))
    # A catalog has templates of VMs, of which no VM needs to exist.
    written = InGit({}, {}) if side.catalog else in_git
    clusters = Clusters(side, snapshot, conditions, past)
    names = _chosen({*written.vms, *snapshot.names}, {*written.pools, *snapshot.pools}, only)
    work = Work(*names, in_git, snapshot, clusters, past, domains, cache)
    all_drifts = sorted(chain(drifts(work), pool_drifts(work)), key=lambda drift: (drift.vm, drift.kind))
    return Report(
        git=side.label,
        cluster=snapshot.label,
        drifts=tuple(all_drifts),
        gaps=tuple(sorted({*snapshot.gaps, *_without_vms(snapshot), *_without_domains(all_drifts, domains)})),
        taken=snapshot.taken,
        problems=(*side.problems, *side.unrendered),
    )


def not_judged(side: Side) -> Iterator[str]:
    """Say which objects of Git that hold VMs are none that have a verdict, by their kinds."""
    kinds = Counter(str(vm.manifest.get("kind")) for vm in side.vms if not side.catalog)
    for kind in sorted(kinds.keys() - {"VirtualMachine", POOL}):
        yield f"{counted_things(kinds[kind], kind)} in Git"


def _without_vms(snapshot: Snapshot) -> Iterator[Gap]:
    """Say that a dump has no VMs: then there may be some in the cluster."""
    unread = snapshot.unread("VirtualMachine")
    if unread:
        yield Gap("VirtualMachine", unread)


def _without_domains(drifts: Iterable[Drift], domains: Domains | None) -> Iterator[Gap]:
    """Say of which machines no domain was there to be compared, when domains are."""
    runs = (drift for drift in drifts if drift.kind != POOL and drift.stages.vmi not in NO_MACHINE)
    names = [drift.vm for drift in runs if not drift.stages.domain]
    if domains is not None and names:
        yield Gap("domain", f"there is no dumpxml of {some(names, 3)}")


def _by_name(side: Side, kind: str, environments: Sequence[str]) -> dict[str, list[Vm]]:
    by_name: dict[str, list[Vm]] = {}
    for vm in side.vms:
        if vm.manifest.get("kind") == kind and (not environments or vm.environment in environments):
            by_name.setdefault(full_name(vm.manifest), []).append(vm)
    return by_name


def _chosen(vms: Iterable[str], pools: Iterable[str], only: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The VMs and pools that are looked at."""
    names = sorted(vms), sorted(pools)
    if not only:
        return names
    there = [*names[0], *names[1]]
    for wanted in only:
        if not any(_is_called(name, wanted) for name in there):
            raise VirtcatalogError(f"there is no VM {wanted!r}, in Git or in the cluster{nearest(wanted, there)}")
    vms, pools = ([name for name in of_kind if any(_is_called(name, wanted) for wanted in only)] for of_kind in names)
    return vms, pools


def _is_called(name: str, wanted: str) -> bool:
    return wanted in (name, name.partition("/")[2])


def _check_environments(side: Side, environments: Sequence[str]) -> None:
    there = sorted({vm.environment for vm in side.vms if vm.environment} | {overlay.name for overlay in side.overlays})
    for environment in environments:
        if environment not in there:
            hint = nearest(environment, there) or (f"; it has {some(there, 5)}" if there else "")
            raise VirtcatalogError(f"{side.label} has no environment {environment!r}{hint}")


def shown(report: Report, *, calm: bool = False) -> Iterator[Drift]:
    """Yield what is to be shown: all that drifts, the gravest first; with `calm` the rest, too."""
    order = [*report.counts]
    for drift in sorted(report.drifts, key=lambda drift: (order.index(drift.verdict), drift.vm)):
        if calm or drift.reasons:
            yield drift


def held_before(report: Report, release: str, past: Past) -> Report:
    """Return of a report the VMs that hold a type or preference of a release of the catalog before this one.

    VirtcatalogError for a release that the catalog's history does not have.
    """
    names = [name for name, _ in past]
    if release not in names:
        raise VirtcatalogError(f"the catalog has no release {release!r}{nearest(release, names)}")
    older = set(names[: names.index(release)])
    return replace(report, drifts=tuple(drift for drift in report.drifts if older & set(drift.runs.values())))


def as_data(report: Report) -> Data:
    """Return the report as plain data: counts, what could not be read, and every VM."""
    return {
        "git": report.git,
        "cluster": report.cluster,
        "summary": report.counts,
        "partial": report.partial,
        "gaps": [msgspec.to_builtins(gap) for gap in report.gaps],
        "problems": [msgspec.to_builtins(problem) for problem in report.problems],
        "vms": [{"verdict": drift.verdict, **msgspec.to_builtins(drift)} for drift in report.drifts],
    }
