"""From the manifest that a VM was started with to the one that is applied now: what becomes of the running machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, Literal, get_args

import msgspec
from msgspec.structs import replace

from virtcatalog.api.decode import clone, manifest_name, to_manifest
from virtcatalog.api.findings import Path, Rules, inspect
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance, VirtualMachineSpec
from virtcatalog.api.names import namespace_or_default
from virtcatalog.api.quantity import Quantity
from virtcatalog.api.shape import Leaf, Shape
from virtcatalog.errors import Cause, ManifestError, Problem, UnsupportedError, Warning
from virtcatalog.kubevirt.admission.vm import RECEIVER, admit_vm
from virtcatalog.kubevirt.causes import MOST_CAUSES
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.controller.vm import GENERATION_ANNOTATION
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm
from virtcatalog.kubevirt.pipeline import build
from virtcatalog.kubevirt.reading import read
from virtcatalog.kubevirt.reasons import reasons_of_webhook
from virtcatalog.kubevirt.result import Result
from virtcatalog.kubevirt.rollout.controller import run_strategy, settle, store
from virtcatalog.kubevirt.rollout.migratable import action, obstacles_now, required
from virtcatalog.kubevirt.rollout.outcome import Migration, Next, Rollout
from virtcatalog.kubevirt.rollout.revisions import revision_names
from virtcatalog.kubevirt.rollout.running import Running
from virtcatalog.kubevirt.rollout.webhooks import admit_update
from virtcatalog.manifests.difference import Change, changes
from virtcatalog.manifests.identity import identity
from virtcatalog.manifests.merge import merge, three_way

Update = Literal["apply", "replace", "keep"]

_OF_CLUSTER = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink")


def rollout(
    old_vm: dict[str, Any],
    new_vm: dict[str, Any],
    old_cluster: Cluster,
    new_cluster: Cluster,
    update: Update = "apply",
) -> Rollout:
    """Return what KubeVirt does with the machine of a VM that runs when its manifest or its cluster changes.

    The VM was created with `old_vm` in the old cluster and runs there; then the objects, the configuration and the
    release are those of the new cluster, and `new_vm` is applied (`kubectl apply`) or replaces it (`kubectl replace`);
    with "keep" nobody touches the VM, and only its cluster changes. The manifests and clusters are not changed. Raises
    ManifestError when the two are not of one VM, UnsupportedError for what virtcatalog does not model.
    """
    if update not in get_args(Update):
        raise ValueError(f"update is 'apply', 'replace' or 'keep', not {update!r}")
    _check_identity(old_vm, new_vm)
    running = start(old_vm, old_cluster)
    if not isinstance(running, Running) or running.vmi is None:
        return _at_rest(new_vm, new_cluster)
    before = copy(running)
    before.conditions = dict(running.conditions)
    running.moved(new_cluster)
    if update != "keep":
        refusal = _apply(running, old_vm, new_vm, update)
        if refusal is not None:
            return replace(refusal, restart_before=before.restart)
    spec = running.vm.spec
    settle(running)
    return _rollout_of(before, running, spec)


def start(manifest: dict[str, Any], cluster: Cluster) -> Running | Rollout:
    """Return the VM that runs after a manifest was created in a cluster, or the refusal."""
    warnings: list[Warning] = []
    vm = read(manifest, VirtualMachine, cluster, warnings)
    if isinstance(vm, Result):
        return Rollout(runs=False, reasons=vm.reasons, causes=vm.causes)
    if vm.spec.run_strategy == RECEIVER:
        raise UnsupportedError("spec.runStrategy", "a machine that waits to receive a guest does not run yet")
    vm.metadata.generation = vm.metadata.generation or 1
    causes = mutate_vm(vm, cluster) or admit_vm(vm, cluster)
    if causes:
        return replace(_refused(causes, manifest, cluster, vm), runs=False)
    running = Running(cluster, vm)
    settle(running)
    return running


def _check_identity(old: dict[str, Any], new: dict[str, Any]) -> None:
    one, other = identity(old), identity(new)
    if (one[0], namespace_or_default(one[1]), one[2]) != (other[0], namespace_or_default(other[1]), other[2]):
        message = f"is {manifest_name(new)}, and what runs is {manifest_name(old)}"
        raise ManifestError(Problem(object=manifest_name(new), field="metadata.name", message=message))


def _apply(running: Running, old: dict[str, Any], new: dict[str, Any], update: Update) -> Rollout | None:
    """Bring the new manifest to the API server, and return the refusal if there is one; changes `running`."""
    live = to_manifest(running.vm)
    merged = (
        three_way(_without_status(old), _without_status(new), live)
        if update == "apply"
        else _replaced(_without_status(new), live)
    )
    vm = read(merged, VirtualMachine, running.cluster, [])
    if isinstance(vm, Result):
        return Rollout(reasons=vm.reasons, causes=() if _only_amounts_are_wrong(merged, running.cluster) else vm.causes)
    vm.status = clone(running.vm.status) if running.vm.status is not None else None
    causes = admit_update(vm, running.vm, running.cluster)
    if causes:
        return _refused(causes, new, running.cluster, vm)
    store(running, vm)
    return None


def _only_amounts_are_wrong(manifest: dict[str, Any], cluster: Cluster) -> bool:
    """Whether the schema takes the manifest, and only what its amounts mean cannot be told: that is no cause."""
    return not inspect(manifest, VirtualMachine, Rules(cluster.release.minor, later=_is_amount))[1]


def _is_amount(value: Any, shape: Shape, _path: Path) -> bool:
    return isinstance(value, str) and isinstance(shape, Leaf) and shape.types == (Quantity,)


def _refused(causes: Sequence[Cause], manifest: dict[str, Any], cluster: Cluster, vm: VirtualMachine) -> Rollout:
    against = reasons_of_webhook(causes, manifest, cluster, vm)
    return Rollout(reasons=against, causes=tuple(causes[:MOST_CAUSES]))


def _without_status(manifest: dict[str, Any]) -> dict[str, Any]:
    """A manifest without what only the cluster says of it."""
    data = {key: value for key, value in manifest.items() if key != "status"}
    metadata = data.get("metadata")
    if isinstance(metadata, dict):
        data["metadata"] = {key: value for key, value in metadata.items() if key not in _OF_CLUSTER}
    return data


def _replaced(new: dict[str, Any], live: dict[str, Any]) -> dict[str, Any]:
    """The live object with the manifest's spec, labels, annotations and finalizers."""
    replaced = merge({}, new)
    metadata = {key: live["metadata"][key] for key in _OF_CLUSTER if key in live["metadata"]}
    replaced["metadata"] = {**replaced.get("metadata", {}), **metadata}
    return replaced


def _at_rest(manifest: dict[str, Any], cluster: Cluster) -> Rollout:
    """What becomes of a VM that did not run: only its next start counts."""
    running = start(manifest, cluster)
    if not isinstance(running, Running):
        return running
    names = revision_names(running.vm)
    return Rollout(runs=False, revisions=(names, names), following=_next(running, None))


def _rollout_of(before: Running, after: Running, spec: VirtualMachineSpec) -> Rollout:
    """Say what differs between the machine before the update and after it; `spec` is the one that the VM had."""
    following = None if run_strategy(after.vm.spec) == "Halted" else _restarted(before, after)
    rollout = Rollout(
        restart_before=before.restart,
        stopped=after.stopped,
        restart=after.restart,
        error=after.error.causes if after.error is not None else (),
        vm_changes=tuple(_changes(spec, after.vm.spec)),
        revisions=(revision_names(before.vm), revision_names(after.vm)),
        following=following,
        machine_before=before.vmi,
        machine=after.vmi,
    )
    if after.vmi is None:
        return rollout
    return replace(
        rollout,
        live=_differing(before, after),
        conditions=_conditions(before.conditions, after.conditions),
        migrated_volumes=tuple(map(str, after.migrated_volumes)),
        migration=Migration(required(after), after.migratable, action(after)),
        obstacles=obstacles_now(after),
        generation_observed=after.generation_seen == after.vm.metadata.generation,
    )


def _restarted(before: Running, after: Running) -> Next:
    """The machine that comes when the VM is restarted."""
    again = Running(after.cluster, clone(after.vm), earlier=after.earlier, revisions=dict(after.revisions))
    settle(again)
    return _next(again, before)


def _next(running: Running, before: Running | None) -> Next:
    error = running.error
    if running.vmi is None:
        if error is None:
            return Next()
        return Next(error.by, error.causes[:MOST_CAUSES])
    result = build(to_manifest(running.vm), Result(raw_vm=running.vm, raw_vmi=running.vmi), running.cluster)
    causes = tuple(Cause(reason.type, reason.field, reason.message) for reason in result.reasons)
    differing = _differing(before, running) if before is not None else ()
    return Next(result.refused_by, causes, differing, result)


def _differing(before: Running, after: Running) -> tuple[Change, ...]:
    """How what a VMI's users see of it becomes what they see later."""
    assert before.vmi is not None
    assert after.vmi is not None
    return *changes(_labelled(before.vmi), _labelled(after.vmi)), *_changes(before.vmi.spec, after.vmi.spec)


def _labelled(vmi: VirtualMachineInstance) -> dict[str, Any]:
    metadata = vmi.metadata
    annotations = {key: value for key, value in metadata.annotations.items() if key != GENERATION_ANNOTATION}
    return {"labels": metadata.labels, "annotations": annotations}


def _changes(old: msgspec.Struct, new: msgspec.Struct) -> Iterator[Change]:
    """How a spec changes. No controller changes one in place."""
    return iter(()) if old is new else changes(to_manifest(old), to_manifest(new), "/spec")


def _conditions(before: dict[str, bool], after: dict[str, bool]) -> tuple[tuple[str, str], ...]:
    """The conditions that came or changed: none that a machine has when it starts goes."""
    return tuple((kind, str(status)) for kind, status in sorted(after.items()) if before.get(kind) != status)
