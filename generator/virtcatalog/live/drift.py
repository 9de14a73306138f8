"""All VMs of a cluster beside those of Git: one value, of which every output is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from virtcatalog.errors import Problem, VirtcatalogError, nearest
from virtcatalog.fleet.pool import forked
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions, choose_release
from virtcatalog.live.classify import InGit, drift_of
from virtcatalog.live.revisions import Past, with_revisions
from virtcatalog.live.snapshot import Gap, Snapshot
from virtcatalog.live.verdict import Drift, Field, Kind, Reason, counted, ordered, status
from virtcatalog.live.verify import domain_answer
from virtcatalog.manifests.identity import Data, identity, namespace_of
from virtcatalog.review.side import Side, Vm

Domains = Callable[[str], bytes | None]
"""Finds the dumpxml of a VM, by `namespace/name`."""
Watch = Callable[[Sequence[str]], Iterable[str]]
"""Passes names on, one by one, and may show how far it is."""


#: From so many VMs on a second process saves more time than it takes to start it.
WORTH_IT = 500
_CHUNK = 50


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What drifts; `gaps` are what could not be read of the cluster, `problems` what could not be of Git.

    `git` and `cluster` are what both are called.
    """

    git: str
    cluster: str
    drifts: tuple[Drift, ...] = ()
    gaps: tuple[Gap, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def counts(self) -> dict[Kind, int]:
        """How many VMs have each verdict, the gravest first."""
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
    watch: Watch = iter,
    domains: Domains | None = None,
) -> Report:
    """Compare the VMs of a repository, or of some of its environments, with those of a cluster.

    `only` are names of VMs, `name` or `namespace/name`; VirtcatalogError for one that is on neither side. `domains`
    finds the dumpxml of a VM that runs, None where there is none.
    """
    _check_environments(side, environments)
    in_git: dict[str, list[Vm]] = {}
    for vm in side.vms:
        if vm.manifest.get("kind") == "VirtualMachine" and (not environments or vm.environment in environments):
            in_git.setdefault(_name(vm), []).append(vm)
    # A catalog has templates of VMs, of which no VM needs to exist.
    names = _chosen(sorted({*(() if side.catalog else in_git), *snapshot.names}), only)
    clusters = _Clusters(side, snapshot, conditions)
    drifts = _drifts(_Work(names, in_git, snapshot, clusters, past, domains), watch)
    return Report(
        git=side.label,
        cluster=snapshot.label,
        drifts=tuple(drifts),
        gaps=tuple(sorted(snapshot.gaps)),
        problems=(*side.problems, *side.unrendered),
    )


class _Work(NamedTuple):
    """What processes share: the VMs, and all that is known of them."""

    names: Sequence[str]
    in_git: Mapping[str, Sequence[Vm]]
    snapshot: Snapshot
    clusters: _Clusters
    past: Past
    domains: Domains | None


def _drifts(work: _Work, watch: Watch) -> Iterator[Drift]:
    """Yield what is so of each VM, found by several processes where they are many."""
    processes = forked()
    found: Iterable[Drift]
    if processes.worth(len(work.names), WORTH_IT):
        chunks = processes.results(_some, range(0, len(work.names), _CHUNK), work)
        found = chain.from_iterable(chunks)
    else:
        found = chain.from_iterable(_some(first, work) for first in range(0, len(work.names), _CHUNK))
    for _, drift in zip(watch(work.names), found, strict=True):
        yield drift


def _some(first: int, work: _Work) -> list[Drift]:
    names = work.names[first : first + _CHUNK]
    return [_with_domain(_drift(name, work), work) for name in names]


def _with_domain(drift: Drift, work: _Work) -> Drift:
    """What is so of a VM, with its domain where there is one."""
    live, vmi = work.snapshot.vm(drift.vm), work.snapshot.vmi(drift.vm)
    dumped = work.domains(drift.vm) if work.domains is not None and live is not None and vmi is not None else None
    if dumped is None or live is None or vmi is None:
        return drift
    cluster = with_revisions(live, work.snapshot, work.clusters.of(None))
    answer = domain_answer(drift.vm, live, vmi, cluster, dumped)
    if answer.left_out:
        reason = Reason(kind="unread", message=f"the domain cannot be compared: {answer.left_out}")
    elif answer.findings:
        fields = tuple(Field(finding.field, finding.theirs, finding.ours) for finding in answer.findings)
        reason = Reason(kind="domain", message="its domain is not what its VMI makes", fields=fields)
    else:
        return replace(drift, stages=replace(drift.stages, domain="same"))
    word = f"{len(answer.findings)} other" if answer.findings else "not known"
    return replace(drift, stages=replace(drift.stages, domain=word), reasons=ordered((*drift.reasons, reason)))


def _drift(name: str, work: _Work) -> Drift:
    vms = work.in_git.get(name, ())
    if len(vms) > 1:
        environments = [*dict.fromkeys(vm.environment for vm in vms)]
        if len(environments) > 1 and all(environments):
            where = ", ".join(environments)
            message = f"it is in several environments ({where}), and nobody says which of them this cluster is: use -e"
        else:
            message = f"Git has it several times: {', '.join(str(vm.place) for vm in vms)}"
        return Drift(vm=name, reasons=(Reason(kind="unread", message=message),))
    vm = vms[0] if vms else None
    in_git = InGit(vm.manifest, vm.place, vm.field, vm.environment) if vm is not None else None
    drift = drift_of(name, in_git, work.snapshot, work.clusters.of(vm), work.past)
    if vm is None or not vm.open:
        return drift
    fields = ", ".join(value.sentence for value in vm.open)
    reason = Reason(kind="unread", message=f"what Git asks for is not in the repository: {fields}")
    return replace(drift, reasons=(reason, *drift.reasons))


class _Clusters:
    """What the VMs of each environment meet: the objects of the cluster, and those of Git that it does not have yet."""

    def __init__(self, side: Side, snapshot: Snapshot, conditions: Conditions) -> None:
        self._side, self._snapshot = side, snapshot
        release = choose_release(conditions, "", snapshot.others).release
        self._conditions = replace(conditions, release=release)
        self._there = {identity(manifest) for manifest in snapshot.others}
        self._made: dict[int, Cluster] = {}

    def of(self, vm: Vm | None) -> Cluster:
        """Return what a VM of Git meets, None what one does that Git has not."""
        objects = self._side.objects_in(vm.environment, vm.unit) if vm is not None else ()
        key = id(objects) if vm is not None else 0
        if key not in self._made:
            missing = (manifest for manifest in objects if identity(manifest) not in self._there)
            found = [manifest for manifest in missing if manifest.get("kind") != "KubeVirt" or not self._has_kubevirt]
            self._made[key] = Cluster.under([*found, *self._snapshot.others], self._conditions)
        return self._made[key]

    @property
    def _has_kubevirt(self) -> bool:
        return any(kind == "KubeVirt" for kind, _, _ in self._there)


def _name(vm: Vm) -> str:
    return f"{namespace_of(vm.manifest)}/{identity(vm.manifest)[2]}"


def _chosen(names: Sequence[str], only: Sequence[str]) -> Sequence[str]:
    if not only:
        return names
    found = []
    for wanted in only:
        matching = [name for name in names if wanted in (name, name.partition("/")[2])]
        if not matching:
            raise VirtcatalogError(f"there is no VM {wanted!r}, in Git or in the cluster{nearest(wanted, names)}")
        found += matching
    return found


def _check_environments(side: Side, environments: Sequence[str]) -> None:
    there = sorted({vm.environment for vm in side.vms} | {overlay.name for overlay in side.overlays})
    for environment in environments:
        if environment not in there:
            raise VirtcatalogError(f"{side.label} has no environment {environment!r}{nearest(environment, there)}")


def shown(found: Report, *, calm: bool = False) -> Iterator[Drift]:
    """Yield what is to be shown: all that drifts, the gravest first; with `calm` the rest, too."""
    order = [*found.counts]
    for drift in sorted(found.drifts, key=lambda drift: (order.index(drift.verdict), drift.vm)):
        if calm or drift.reasons:
            yield drift


def held_before(found: Report, release: str, past: Past) -> Report:
    """Return of a report the VMs that hold a type or preference of a release of the catalog before this one.

    VirtcatalogError for a release that the catalog's history does not have.
    """
    names = [name for name, _ in past]
    if release not in names:
        raise VirtcatalogError(f"the catalog has no release {release!r}{nearest(release, names)}")
    older = set(names[: names.index(release)])
    return replace(found, drifts=tuple(drift for drift in found.drifts if older & set(drift.runs.values())))


def as_data(found: Report) -> Data:
    """Return the report as plain data: counts, what could not be read, and every VM."""
    return {
        "git": found.git,
        "cluster": found.cluster,
        "summary": found.counts,
        "partial": found.partial,
        "gaps": [msgspec.to_builtins(gap) for gap in found.gaps],
        "problems": [msgspec.to_builtins(problem) for problem in found.problems],
        "vms": [{"verdict": drift.verdict, **msgspec.to_builtins(drift)} for drift in found.drifts],
    }
