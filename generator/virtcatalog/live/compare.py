"""What differs between two stages of one VM: Git and the VM of the cluster, the VM and the VMI that runs.

Values in, values out. What a difference means is said in `classify`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.decode import clone, decode_manifest, to_manifest
from virtcatalog.api.kubevirt import (
    VirtualMachine,
    VirtualMachineInstance,
    VirtualMachineInstanceSpec,
    VirtualMachineSpec,
)
from virtcatalog.api.names import LAST_APPLIED
from virtcatalog.errors import Reason, UnsupportedError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm
from virtcatalog.kubevirt.matchers import Matcher
from virtcatalog.kubevirt.pipeline import create_vmi
from virtcatalog.kubevirt.reading import read
from virtcatalog.kubevirt.reasons import reasons
from virtcatalog.kubevirt.result import Result
from virtcatalog.kubevirt.rollout.controller import pinned
from virtcatalog.kubevirt.rollout.restart import restart_required
from virtcatalog.kubevirt.rollout.revisions import applied
from virtcatalog.kubevirt.rollout.running import LIVE_MIGRATABLE, SyncError
from virtcatalog.kubevirt.rollout.webhooks import admit_update
from virtcatalog.live.arriving import TEMPLATE, arriving, plugged_by_hand
from virtcatalog.live.machine import condition
from virtcatalog.live.managers import Managers, unmanaged
from virtcatalog.manifests.difference import Difference, alike, differences
from virtcatalog.manifests.identity import Data, namespace_of
from virtcatalog.manifests.merge import merge, three_way


class Synced(NamedTuple):
    """What the next sync does to a VM of the cluster.

    `refused` says why it fails. `changes` are from the cluster's value to Git's; `extras` are fields that the cluster
    alone has, and that a sync leaves; `defaults` are those that KubeVirt fills in, from what it gives a new VM to what
    this one has; `spellings` are values that Git writes otherwise and that mean the same. `before` is what was applied
    last.
    """

    refused: tuple[Reason, ...] = ()
    changes: tuple[Difference, ...] = ()
    extras: tuple[Difference, ...] = ()
    defaults: tuple[Difference, ...] = ()
    spellings: tuple[Difference, ...] = ()
    before: Data | None = None


def synced(wanted: Data, live: Data, old: VirtualMachine, cluster: Cluster) -> Synced:
    """Return what applying Git's manifest of a VM makes of the one in the cluster; `old` is the latter, decoded.

    Fields that were applied before and are in Git no more are removed, as `kubectl apply` and the server's own apply
    do.
    """
    here, there = bare(wanted, live), bare(live, live)
    before = applied_before(live)
    merged = three_way(before, here, there)
    after = old
    changes, filled, spellings = (tuple[Difference, ...]() for _ in range(3))
    if not alike(merged, merge(there)):
        new = read(merged, VirtualMachine, cluster, [])
        if isinstance(new, Result):
            return Synced(refused=new.reasons, before=before)
        new.status = clone(old.status) if old.status is not None else None
        causes = admit_update(new, clone(old), cluster)
        if causes:
            return Synced(refused=reasons("vm", causes, wanted, cluster, new), before=before)
        after = new
        written = [*differences(there, merged)]
        changes, filled = _by_git_or_filled_in(differences(_plain(old), _plain(after)), written)
        spellings = tuple(
            difference for difference in written if not any(_meets(difference, change) for change in changes)
        )
    extras, defaults = _left(here, after, cluster)
    return Synced((), changes, extras, (*filled, *defaults), spellings, before)


def _by_git_or_filled_in(
    differences: Iterable[Difference], written: Sequence[Difference]
) -> tuple[tuple[Difference, ...], tuple[Difference, ...]]:
    """What a sync writes itself, and what KubeVirt fills in because something is written."""
    changes, filled = list[Difference](), list[Difference]()
    for difference in differences:
        of_git = any(_meets(difference, wanted) for wanted in written)
        (changes if of_git else filled).append(difference)
    # As of a new VM: from what KubeVirt gives to what is there.
    return tuple(changes), tuple(Difference(path, new, old) for path, old, new in filled)


def _meets(one: Difference, other: Difference) -> bool:
    """Whether one of two fields is the other one, or in it."""
    length = min(len(one.path), len(other.path))
    return one.path[:length] == other.path[:length]


def _left(here: Data, after: VirtualMachine, cluster: Cluster) -> tuple[tuple[Difference, ...], ...]:
    """What the VM has after a sync that Git does not set: fields that a new VM has not, and other defaults than its."""
    new = read(here, VirtualMachine, cluster, [])
    if isinstance(new, Result) or mutate_vm(new, cluster):
        return (), ()
    in_spec = [*differences(to_manifest(new.spec), to_manifest(after.spec), ("spec",))]
    extras = tuple(difference for difference in in_spec if difference.old is None)
    return extras, tuple(difference for difference in in_spec if difference.old is not None)


def vm_of(manifest: Data, cluster: Cluster) -> VirtualMachine:
    """Return a VM of the cluster; UnsupportedError when its release's API does not have all of it."""
    vm = read(unmanaged(manifest), VirtualMachine, cluster, [])
    if isinstance(vm, Result):
        reason = vm.reasons[0]
        raise UnsupportedError(reason.field, f"a VM that the cluster has stored: {reason.message}")
    return vm


def vmi_of(manifest: Data) -> VirtualMachineInstance:
    """Return a VMI of the cluster."""
    return decode_manifest(unmanaged(manifest), VirtualMachineInstance)


def bare(manifest: Data, live: Data) -> Data:
    """A manifest with no more than people write: of the cluster's metadata it has the names."""
    metadata = manifest.get("metadata") or {}
    bare: Data = {"name": live["metadata"]["name"], "namespace": namespace_of(live)}
    for key in ("labels", "annotations"):
        texts = metadata.get(key)
        if isinstance(texts, dict):
            bare[key] = _written(texts)
    return {"apiVersion": live["apiVersion"], "kind": live["kind"], "metadata": bare, "spec": manifest.get("spec")}


def applied_before(live: Data) -> Data:
    """Return what was applied to a VM or pool last, by kubectl's note and by the server's, which may both be there."""
    noted = (live["metadata"].get("annotations") or {}).get(LAST_APPLIED)
    manifest = json.loads(noted) if isinstance(noted, str) else {}
    before = bare(manifest, live) if isinstance(manifest.get("metadata"), dict) else {}
    part = Managers(live).applied({key: live[key] for key in ("metadata", "spec") if key in live})
    applied = bare(part, live) if part else {}
    return merge(before, applied) if before and applied else before or applied


def _plain(vm: VirtualMachine) -> Data:
    return {
        "metadata": {"labels": dict(vm.metadata.labels), "annotations": _written(vm.metadata.annotations)},
        "spec": to_manifest(vm.spec),
    }


def _written(texts: Mapping[str, Any]) -> Data:
    """Labels or annotations without what kubectl notes there of what it applied."""
    return {name: text for name, text in texts.items() if name != LAST_APPLIED}


class Waiting(NamedTuple):
    """What of a VM its machine does not have.

    `restart` are fields that only a new machine gets, from what it has to what the VM says; `arriving` those that come
    while it runs, and have not. `alone` is what the machine alone has. `turned` are the instance type and preference,
    where the VM names others since then. `basis` is what the machine was compared by: the revision of the VM that it
    was started with, or what a VMI of this VM would be.
    """

    restart: tuple[Difference, ...] = ()
    arriving: tuple[Difference, ...] = ()
    alone: tuple[Difference, ...] = ()
    turned: tuple[Difference, ...] = ()
    basis: Literal["revision", "expansion"] = "revision"
    refused: tuple[Reason, ...] = ()


def waiting(live: Data, vm: VirtualMachine, vmi: Data, then: Data | None, cluster: Cluster) -> Waiting:
    """Return what of a VM the machine that runs does not have; `vm` is the VM, decoded.

    `then` is the VM's spec as it was started, None where it is not known. UnsupportedError for what cannot be compared.
    """
    machine = vmi_of(vmi)
    migratable = condition(vmi, LIVE_MIGRATABLE) is not None
    if then is None:
        return _by_expansion(live, vm, machine, cluster, migratable=migratable)
    started = vm_of({**{key: live[key] for key in ("apiVersion", "kind", "metadata")}, "spec": then}, cluster).spec
    try:
        current = replace(vm.spec, template=applied(vm, cluster))
        if pinned(vm) == started:
            template = current.template.spec
            brought = arriving(template, template, machine, cluster.configuration)
            return Waiting((), tuple(brought), tuple(plugged_by_hand(template, template, machine)))
        before = replace(started, template=applied(VirtualMachine(metadata=vm.metadata, spec=started), cluster))
    except SyncError as error:
        cause = error.causes[0]
        raise UnsupportedError(cause.field, f"what cannot be applied: {cause.message}") from error
    compared = _compared(before, current, machine, cluster, migratable=migratable)
    labelled = _labelled(started.template.metadata, vm.spec.template.metadata, machine.metadata)
    compared = compared._replace(restart=(*compared.restart, *labelled))
    return compared._replace(turned=tuple(_turned(started, vm.spec)) if compared.restart or compared.arriving else ())


def _compared(
    before: VirtualMachineSpec,
    current: VirtualMachineSpec,
    vmi: VirtualMachineInstance,
    cluster: Cluster,
    *,
    migratable: bool,
) -> Waiting:
    required = restart_required(before, current, vmi.spec, cluster.configuration, migratable=migratable)
    fields = set(required.fields) if required is not None else set[str]()
    started, wanted = before.template.spec, current.template.spec
    changed = differences(to_manifest(started), to_manifest(wanted), TEMPLATE, items=True) if fields else ()
    restart = (difference for difference in changed if difference.field in fields)
    brought = arriving(started, wanted, vmi, cluster.configuration)
    return Waiting(
        tuple(restart),
        tuple(difference for difference in brought if difference.field not in fields),
        tuple(plugged_by_hand(started, wanted, vmi)),
    )


def _labelled(started: ObjectMeta, wanted: ObjectMeta, machine: ObjectMeta) -> Iterator[Difference]:
    """Labels and annotations that a machine gets when it starts; KubeVirt asks for no restart because of them."""
    for key in ("labels", "annotations"):
        then, now, has = (getattr(metadata, key) for metadata in (started, wanted, machine))
        for difference in differences(then, now, ("spec", "template", "metadata", key)):
            if has.get(difference.path[-1]) != difference.new:
                yield difference


def _by_expansion(
    live: Data, vm: VirtualMachine, vmi: VirtualMachineInstance, cluster: Cluster, *, migratable: bool
) -> Waiting:
    """Compare the machine with the one that the VM would start now."""
    expected = create_vmi(unmanaged(live), cluster)
    if not expected.admitted or expected.vmi_object is None:
        return Waiting(basis="expansion", refused=expected.reasons)
    machine, now = vmi.spec, clone(expected.vmi_object.spec)
    before = replace(vm.spec, template=replace(vm.spec.template, spec=clone(machine)))
    current = replace(vm.spec, template=replace(vm.spec.template, spec=_with_drawn(now, machine)))
    return _compared(before, current, vmi, cluster, migratable=migratable)._replace(basis="expansion")


def _with_drawn(now: VirtualMachineInstanceSpec, machine: VirtualMachineInstanceSpec) -> VirtualMachineInstanceSpec:
    """A machine's spec with what was drawn at random for the one that runs."""
    if now.domain.firmware is not None and machine.domain.firmware is not None:
        now.domain.firmware.uuid = machine.domain.firmware.uuid
        now.domain.firmware.serial = machine.domain.firmware.serial
    addresses = {interface.name: interface.mac_address for interface in machine.domain.devices.interfaces}
    for interface in now.domain.devices.interfaces:
        interface.mac_address = interface.mac_address or addresses.get(interface.name, "")
    return now


def _turned(started: VirtualMachineSpec, current: VirtualMachineSpec) -> Iterator[Difference]:
    """Another instance type or preference than the one that a machine was started with, by name."""
    for key in ("instancetype", "preference"):
        before, now = (_name(getattr(spec, key)) for spec in (started, current))
        if before != now:
            yield Difference(("spec", key, "name"), before, now)


def _name(matcher: Matcher | None) -> str | None:
    return None if matcher is None else matcher.name
