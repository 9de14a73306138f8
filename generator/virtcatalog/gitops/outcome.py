"""What Argo CD or Flux makes of a change to a VM: whether it is applied, and what they show then.

Source: gitops-engine, pkg/sync/sync_context.go (Sync: waves wait for health where there are several) and
pkg/diff/diff.go; argo-cd, controller/appcontroller.go (autoSync) and resource_customizations/kubevirt.io;
fluxcd/kustomize-controller (apply, checkHealth) and fluxcd/cli-utils, pkg/kstatus/status (checkGeneration);
KubeVirt, pkg/virt-controller/watch/vm/vm.go (conditionallyBumpGenerationAnnotationOnVmi, syncGenerationInfo).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, get_args

import msgspec

from virtcatalog.api.kinds import is_halted
from virtcatalog.catalog.labels import FLUX_PRUNE, SYNC_OPTIONS
from virtcatalog.errors import counted, some
from virtcatalog.gitops.comparison import Drift, Mode, drifts
from virtcatalog.gitops.rules import Rules, rules_for
from virtcatalog.gitops.stored import stored
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.matchers import MATCHERS
from virtcatalog.manifests.difference import differences
from virtcatalog.manifests.fields import get, map_at
from virtcatalog.manifests.identity import Data, identity
from virtcatalog.repositories.model import Environment, Syncing
from virtcatalog.repositories.syncing import option_set, wave_of

Outcome = Literal["fails", "not applied", "waits", "out of sync", "applied"]
"""What a sync makes of a change; where several hold, the first.

`fails`: the API server refuses it. `not applied`: nobody sends it. `waits`: it is applied, and the sync never ends by
itself. `out of sync`: it is applied, and shown as different for ever.
"""
_HOOK, _FLUX_SSA = "argocd.argoproj.io/hook", "kustomize.toolkit.fluxcd.io/ssa"
_RECONCILE = "kustomize.toolkit.fluxcd.io/reconcile"
_INFER = "inferFromVolume"
_MOST_FIELDS = 3
_Row = tuple[Outcome, str]


class Change(msgspec.Struct, frozen=True):
    """A VM before and after, each with its cluster; `now` is what happens when it is applied.

    `breaks`: it does not run after its next start.
    """

    old: Data | None
    new: Data | None
    base: Cluster
    head: Cluster
    now: str
    breaks: bool = False


class Synced(msgspec.Struct, frozen=True):
    """What a tool makes of a change, and why."""

    tool: Literal["Argo CD", "Flux"]
    outcome: Outcome
    reasons: tuple[str, ...] = ()


def synced(change: Change, unit: Environment) -> Synced | None:
    """Return what the tool that applies a unit makes of a change to one of its VMs; None where none does."""
    syncing = unit.syncing
    if syncing is None or change.now == "unknown" or change.old == change.new:
        return None
    order = get_args(Outcome)
    rows = sorted(
        (_argocd if syncing.tool == "Argo CD" else _flux)(change, unit, syncing), key=lambda row: order.index(row[0])
    )
    return Synced(syncing.tool, rows[0][0] if rows else "applied", tuple(reason for _, reason in rows))


def sent(old: Data, new: Data, base: Cluster, unit: Environment) -> Data:
    """Return a changed VM as its unit's tool sends it: what RespectIgnoreDifferences leaves alone is as it is stored.

    Of the fields that are ignored only `inferFromVolume` matters: KubeVirt refuses it beside the name that it infers.
    """
    syncing = unit.syncing
    if syncing is None or "RespectIgnoreDifferences=true" not in syncing.options | _annotated(new, SYNC_OPTIONS):
        return new
    rules = rules_for(syncing.ignored, new)
    parts = {part: _inferring(new, part) for part in MATCHERS}
    differing = [
        part
        for part, volume in parts.items()
        if volume is not None
        and volume == _inferring(old, part)
        and rules.ignore_drift(Drift(("spec", part, _INFER), "dropped", volume))
    ]
    as_stored = stored(old, base) if differing else None
    if as_stored is None:
        return new
    return {
        **new,
        "spec": new["spec"] | {part: as_stored["spec"][part] for part in differing if part in as_stored["spec"]},
    }


def _inferring(vm: Data, part: str) -> Any:
    return map_at(vm, "spec", part).get(_INFER)


def _argocd(change: Change, unit: Environment, syncing: Syncing) -> Iterator[_Row]:
    if not syncing.automatic:
        yield "not applied", "OutOfSync until someone syncs it: the Application has no `automated`"
    if change.new is None:
        yield from _argocd_deletes(change.old or {}, unit, syncing)
        return
    options = syncing.options | _annotated(change.new, SYNC_OPTIONS)
    rules = rules_for(syncing.ignored, change.new)
    if change.old is not None and _is_ignored(change.old, change.new, rules):
        yield "not applied", "shown as Synced, and not synced: `ignoreDifferences` has every field that changes"
        return
    if change.old is not None and "RespectIgnoreDifferences=true" in options:
        differing = [
            difference.field
            for difference in differences(change.old, change.new, by_name=False)
            if rules.ignore(difference.path)
        ]
        if differing:
            yield "out of sync", f"{some(differing, _MOST_FIELDS)} stays as it is: RespectIgnoreDifferences=true"
    if change.now == "refused":
        times = f"tried {counted(syncing.retries + 1, 'time')}, then" if syncing.automatic else "once someone syncs it,"
        yield "fails", f"{times} SyncFailed till the next commit; later sync waves are not applied"
        return
    yield from _stays_out_of_sync(change, rules, syncing, _mode(syncing, options))
    if change.now in ("restart", "pending"):
        yield "applied", "stays Healthy: nothing shows that the change waits"
    if not syncing.own_health and has_waves(unit):
        if is_halted(change.new):
            yield "waits", "a stopped VM is Suspended, and a sync with several waves waits for it for ever"
        elif change.breaks and change.now in ("create", "start"):
            yield "waits", "the VM stays Progressing, and a sync with several waves waits for it for ever"
    elif not syncing.own_health and change.now == "stop":
        yield "applied", "the VM and the Application are shown as Suspended"


def _argocd_deletes(old: Data, unit: Environment, syncing: Syncing) -> Iterator[_Row]:
    if not syncing.automatic:
        return
    if not syncing.prunes or "Prune=false" in _annotated(old, SYNC_OPTIONS):
        yield "not applied", "not pruned: it stays in the cluster, and OutOfSync, until someone deletes it"
    elif "Prune=confirm" in _annotated(old, SYNC_OPTIONS):
        yield "not applied", "pruned once someone confirms it"
    elif not unit.resources and not unit.unrendered and not syncing.allows_empty:
        yield "not applied", "an automated sync never deletes all: sync by hand, or set `allowEmpty`"


def _flux(change: Change, unit: Environment, syncing: Syncing) -> Iterator[_Row]:
    if syncing.suspended:
        yield "not applied", f"the {unit.kind} is suspended: nothing is applied before it is resumed"
    is_release = syncing.kind == "HelmRelease"
    annotations = map_at(change.new or change.old, "metadata", "annotations")
    if change.new is None:
        if not is_release and (not syncing.prunes or annotations.get(FLUX_PRUNE) == "disabled"):
            yield "not applied", "not pruned: it stays in the cluster until someone deletes it"
        return
    if not is_release and (annotations.get(_FLUX_SSA) == "Ignore" or annotations.get(_RECONCILE) == "disabled"):
        yield "not applied", "an annotation has Flux ignore this VM"
        return
    if not is_release and change.old is not None and annotations.get(_FLUX_SSA) == "IfNotPresent":
        yield "not applied", f"{_FLUX_SSA}: IfNotPresent has Flux create this VM, and never change it"
        return
    if change.now == "refused":
        yield "fails", "the release fails" if is_release else f"nothing of {unit.name} is applied till it is mended"
        return
    watched = syncing.waits or identity(change.new) in syncing.watched
    if watched and change.new.get("kind") == "VirtualMachine":
        since = "from Flux 2.8 on " if is_release else ""
        yield from (("waits", f"{since}{reason}") for reason in _never_ready(change, change.new, unit))


def _never_ready(change: Change, new: Data, unit: Environment) -> Iterator[str]:
    """Why Flux waits for a VM and never sees it ready."""
    if is_halted(new):
        yield "never ready: a stopped VM is not Ready"
    elif change.breaks and change.now in ("create", "start", "restart"):
        yield "never ready: the VM does not run"
    elif change.old is not None and not is_halted(change.old) and _template_changes(change):
        but = ", though the change comes without a restart" if change.now in ("live", "migrate") else ""
        yield f"{unit.kind} {unit.name} is not ready until someone restarts the VM{but}"


def _template_changes(change: Change) -> bool:
    before, after = (
        (stored(manifest, cluster) or manifest or {}) if manifest is not None else {}
        for manifest, cluster in ((change.old, change.base), (change.new, change.head))
    )
    return bool(get(before, ("spec", "template")) != get(after, ("spec", "template")))


def _stays_out_of_sync(change: Change, rules: Rules, syncing: Syncing, mode: Mode | None) -> Iterator[_Row]:
    """Which fields the cluster stores otherwise, so that Argo CD shows them for ever."""
    assert change.new is not None
    as_stored = stored(change.new, change.head) if mode is not None else None
    differing = drifts(change.new, as_stored) if as_stored is not None else ()
    fields = [drift.field for drift in differing if mode in drift.modes and not rules.ignore_drift(drift)]
    if fields:
        again = ", and synced again and again (selfHeal)" if syncing.heals else ""
        unless = f", unless {some(rules.unread, 1)} ignores that" if rules.unread else ""
        yield "out of sync", f"OutOfSync for ever{again}: {some(fields, _MOST_FIELDS)}{unless}"


def _mode(syncing: Syncing, options: Iterable[str]) -> Mode | None:
    if syncing.server_diff:
        return None
    return "structured" if "ServerSideApply=true" in options else "client"


def _is_ignored(old: Data, new: Data, rules: Rules) -> bool:
    return bool(rules.fields) and all(
        rules.ignore(difference.path) for difference in differences(old, new, by_name=False)
    )


def has_waves(unit: Environment) -> bool:
    """Whether a sync has several steps, and waits for the health of each one's objects."""
    objects = [resource.data for resource in unit.resources]
    hooks = (map_at(manifest, "metadata", "annotations").get(_HOOK) for manifest in objects)
    return len(set(map(wave_of, objects))) > 1 or any(hooks)


def _annotated(manifest: Data, key: str) -> frozenset[str]:
    return option_set(map_at(manifest, "metadata", "annotations").get(key))
