"""The drift of many VMs: from the cache of an earlier run, or computed, by several processes if they are many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from virtcatalog.errors import place
from virtcatalog.fleet.cache import Cache, key_of
from virtcatalog.fleet.inputs import encoded
from virtcatalog.fleet.pool import forked
from virtcatalog.fleet.recall import Objects, entry, recall
from virtcatalog.live.classify import drift_of
from virtcatalog.live.clusters import Clusters
from virtcatalog.live.pools import in_pool, of_pool, pool_drift, pool_of, wanted_vm
from virtcatalog.live.revisions import Past, with_revisions
from virtcatalog.live.snapshot import Snapshot
from virtcatalog.live.verdict import IN_GIT, POOL, Drift, Field, Reason, ordered
from virtcatalog.live.verify import domain_answer
from virtcatalog.manifests.identity import Data, Identity
from virtcatalog.progress import tracked
from virtcatalog.review.side import Vm

Domains = Callable[[str], bytes | None]
"""Finds the dumpxml of a VM, by `namespace/name`."""

WORTH_IT = 500
"""From so many VMs on a second process saves more time than it takes to start it."""
_CHUNK = 50
_decode = msgspec.msgpack.Decoder(Drift).decode


class InGit(NamedTuple):
    """What Git has, by `namespace/name`: VMs and pools, each of which may be there several times."""

    vms: Mapping[str, Sequence[Vm]]
    pools: Mapping[str, Sequence[Vm]]


class Work(NamedTuple):
    """What processes share: VMs and pools by their names, and all that is known of them."""

    names: Sequence[str]
    pools: Sequence[str]
    in_git: InGit
    snapshot: Snapshot
    clusters: Clusters
    past: Past = ()
    domains: Domains | None = None
    cache: Cache | None = None


class _Answer(NamedTuple):
    """What is so of a VM; `key` and `entry` are what is new for the cache."""

    drift: Drift
    key: str = ""
    entry: bytes | None = None


def drifts(work: Work) -> Iterator[Drift]:
    """Yield what is so of each VM; what is new goes into the cache."""
    chunks: Iterable[list[_Answer]]
    processes = forked()
    starts = range(0, len(work.names), _CHUNK)
    if processes.worth(len(work.names), WORTH_IT):
        chunks = processes.results(_some, starts, work)
    else:
        chunks = (_some(first, work) for first in starts)
    names = tracked(work.names, len(work.names), "VMs")
    for _, answer in zip(names, chain.from_iterable(chunks), strict=True):
        if work.cache is not None and answer.entry is not None:
            work.cache.put(answer.key, answer.entry)
        yield answer.drift
    if work.cache is not None:
        work.cache.save()


def _some(first: int, work: Work) -> list[_Answer]:
    return [_answer(name, work) for name in work.names[first : first + _CHUNK]]


def _answer(name: str, work: Work) -> _Answer:
    vms = work.in_git.vms.get(name, ())
    if len(vms) > 1:
        return _Answer(Drift(vm=name, reasons=(Reason(kind="unread", message=_several(vms)),)))
    pool, manifest = _pool_of(name, work) if not vms else (None, None)
    if pool is not None and manifest is not None:
        answer = _recalled(name, pool, manifest, work)
        drift = of_pool(_with_domain(answer.drift, work), pool.manifest)
        return answer._replace(drift=_in_git(drift, pool, work, in_pool))
    vm = vms[0] if vms else None
    answer = _recalled(name, vm, vm.manifest if vm is not None else None, work)
    return answer._replace(drift=_in_git(_with_domain(answer.drift, work), vm, work))


def _pool_of(name: str, work: Work) -> tuple[Vm | None, Data | None]:
    """The one pool in Git that a VM of the cluster is of, and what that has for it."""
    live = work.snapshot.vm(name) if work.in_git.pools else None
    pools = work.in_git.pools.get(f"{name.partition('/')[0]}/{pool_of(live)}", ()) if live is not None else ()
    if live is None or len(pools) != 1:
        return None, None
    release = work.clusters.of(pools[0]).cluster.release
    return pools[0], wanted_vm(pools[0].manifest, live, release)


def pool_drifts(work: Work) -> Iterator[Drift]:
    """Yield what is so of each pool."""
    snapshot, pools = work.snapshot, work.in_git.pools
    for name in work.pools:
        of_git = pools.get(name, ())
        if len(of_git) > 1:
            yield Drift(vm=name, kind=POOL, reasons=(Reason(kind="unread", message=_several(of_git)),))
            continue
        pool = of_git[0] if of_git else None
        manifest = pool.manifest if pool is not None else None
        yield _in_git(pool_drift(name, manifest, snapshot.pools.get(name), snapshot.absent(POOL, name)), pool, work)


def _recalled(name: str, vm: Vm | None, manifest: Data | None, work: Work) -> _Answer:
    """Return the drift of a VM, recalled from the cache if nothing that it depends on has changed.

    Its domain and the places in Git are not in it: they are looked up in each run. `vm` is the VM or pool in Git that
    the manifest comes from.
    """
    view, snapshot = work.clusters.of(vm), work.snapshot
    if work.cache is None:
        return _Answer(drift_of(name, manifest, snapshot, view.cluster, work.past))
    now = partial(_now, view.objects, snapshot)
    digests = (snapshot.digest(kind, name) for kind in ("VirtualMachine", "VirtualMachineInstance"))
    key = key_of(b"a drift", encoded([name, manifest]), *digests, view.objects.around, work.clusters.around)
    drift = recall(work.cache, key, now, _decode)
    if drift is not None:
        return _Answer(drift)
    looked_up: set[Identity] = set()
    drift = drift_of(name, manifest, snapshot.watched(looked_up), view.cluster.watched(looked_up), work.past)
    return _Answer(drift, key, entry(drift, looked_up, now))


def _now(objects: Objects, snapshot: Snapshot, which: Identity) -> bytes:
    """The digest of an object that a VM meets: revisions are in the cluster's dump, or else in Git."""
    kind, namespace, name = which
    of_dump = snapshot.digest(kind, f"{namespace}/{name}") if kind == "ControllerRevision" else b""
    return objects.digest(which) + of_dump


def _several(vms: Sequence[Vm]) -> str:
    environments = [*dict.fromkeys(vm.environment for vm in vms)]
    if len(environments) > 1 and all(environments):
        where = ", ".join(environments)
        return f"it is in several environments ({where}), and nobody says which of them this cluster is: use -e"
    return f"Git has it several times: {', '.join(str(vm.place) for vm in vms)}"


def _in_git(drift: Drift, vm: Vm | None, work: Work, named: Callable[[str], str] = str) -> Drift:
    """What is so of a VM, with where Git has it and its type; `named` is what its fields are called there."""
    if vm is None:
        return drift
    reasons = tuple(replace(reason, fields=tuple(_placed(reason.fields, vm, named))) for reason in drift.reasons)
    of_types = [reason for reason in work.clusters.of(vm).types.reasons(vm) if reason not in reasons]
    if drift.verdict == "only-in-git":
        of_types = [reason for reason in of_types if reason.kind != "unread"]
    reasons = ordered((*reasons, *of_types))
    if vm.open:
        fields = ", ".join(value.sentence for value in vm.open)
        message = f"what Git asks for is not in the repository: {fields}"
        reasons = (Reason(kind="unread", message=message), *reasons)
    return replace(drift, environment=vm.environment, place=place(vm.place), reasons=reasons)


def _placed(fields: Iterable[Field], vm: Vm, named: Callable[[str], str]) -> Iterator[Field]:
    for field in fields:
        if field.place == IN_GIT:
            yield replace(
                field, place=place(vm.field(named(field.field))) if vm.field is not None and field.field else ""
            )
        else:
            yield field


def _with_domain(drift: Drift, work: Work) -> Drift:
    """What is so of a VM, with its domain where there is one."""
    dumped = work.domains(drift.vm) if work.domains is not None else None
    live, vmi = (work.snapshot.vm(drift.vm), work.snapshot.vmi(drift.vm)) if dumped is not None else (None, None)
    if dumped is None or live is None or vmi is None:
        return drift
    cluster = with_revisions(live, work.snapshot, work.clusters.of(None).cluster)
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
