"""How a repository's Applications, Kustomizations and HelmReleases apply its VMs: in which order, and to which end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from virtcatalog.api.decode import manifest_name
from virtcatalog.api.findings import Path, field_path
from virtcatalog.api.kinds import CATALOG_KINDS, holds_vm, is_halted
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.subject import Inventory
from virtcatalog.errors import counted, some
from virtcatalog.fleet.inputs import located
from virtcatalog.gitops.comparison import drifts
from virtcatalog.gitops.outcome import has_waves
from virtcatalog.gitops.rules import rules_for
from virtcatalog.gitops.stored import spelled
from virtcatalog.kubevirt.instancetype.references import named_objects
from virtcatalog.manifests.difference import leaves
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.releases import DEFAULT, Release
from virtcatalog.repositories.model import Environment, Repository, Resource, Syncing
from virtcatalog.repositories.syncing import wave_of

ORDER = Rule(
    "sync-order",
    "warning",
    "Nothing has a VM's instance type or preference be there before the VM.",
    "KubeVirt creates a VM whose type or preference is missing, and what a preference gives a VM when it is created "
    "(the machine type, the architecture, the storage class of its disks) is then missing for good. Objects of one "
    "sync wave, and Applications or Kustomizations that do not depend on each other, come in any order; Helm creates "
    "VMs before their types. Within one Kustomization Flux applies types first.",
    "Argo CD: give types and preferences a lower sync wave (`gitops: {argocd: {syncWave: -10}}` in `catalog.yaml`). "
    "Flux: `dependsOn` in the Kustomization of the VMs.",
)
ENDLESS = Rule(
    "endless-sync",
    "warning",
    "A sync waits for a VM, and does not see it ready.",
    "Flux waits with `wait: true` (and Helm 4, from Flux 2.8 on) until a VM is Ready and has taken up its last change: "
    "a VM that Git stops never is, and one that runs takes up a change of its template only when someone restarts it. "
    "Until then the Kustomization fails in every reconciliation, and what depends on it is not applied. Argo CD waits "
    "for the VMs of a sync with several waves, and calls a stopped VM suspended.",
    "Flux: `wait: false`, and `healthChecks` for what has to be waited for, as `virtcatalog gitops flux -f` prints; in "
    "a HelmRelease `disableWait: true` for `install` and `upgrade`. Argo CD: the health checks of `virtcatalog gitops "
    "argocd --health`.",
)
IGNORED = Rule(
    "ignored-too-much",
    "warning",
    "`ignoreDifferences` hides changes of a VM.",
    "Argo CD does not show a change of a field that an Application ignores, and does not sync an Application of which "
    "nothing else changes: what is merged never reaches the cluster.",
    "Write the field as it is stored (`virtcatalog check --fix`), and ignore no more than `virtcatalog gitops argocd "
    "-f` prints.",
)
RULES = (ORDER, ENDLESS, IGNORED)
_PARTS: Final[tuple[Path, ...]] = (
    ("spec", "template", "spec"),
    ("spec", "dataVolumeTemplates"),
    ("spec", "instancetype"),
    ("spec", "preference"),
)
"""What a machine is made of; whether it runs may well be left to others than Git."""
_MOST_NAMES: Final = 3


class _Synced(NamedTuple):
    """A unit that an object of Argo CD's or Flux's applies, with its VMs."""

    unit: Environment
    syncing: Syncing
    vms: Sequence[Resource]

    def finding(self, rule: Rule, message: str, field: str) -> Finding:
        about = "/".join(filter(None, self.syncing.own))
        return rule.at(self.unit.place, message, field=field, about=about, environments=(self.unit.name,))


def check(inventory: Inventory) -> Iterator[Finding]:
    """Check what the objects of a repository that deploy VMs say of it."""
    release = inventory.conditions.release or DEFAULT
    for repository in inventory.repositories:
        units = list(_units(repository))
        yield from _out_of_order(units)
        for unit in units:
            yield from _endless(unit)
            yield from _ignored(unit, release)


def _units(repository: Repository) -> Iterator[_Synced]:
    for unit in repository.environments:
        if unit.syncing is not None:
            yield _Synced(unit, unit.syncing, [resource for resource in unit.resources if holds_vm(resource.data)])


def _out_of_order(units: Sequence[_Synced]) -> Iterator[Finding]:
    owners: dict[Identity, list[_Synced]] = {}
    waves: dict[tuple[Identity, Identity], int] = {}
    for unit in units:
        for resource in unit.unit.resources:
            if resource.data.get("kind") in CATALOG_KINDS:
                owners.setdefault(located(resource.data), []).append(unit)
                waves[unit.syncing.own, located(resource.data)] = wave_of(resource.data)
    depends = {unit.syncing.own: unit.syncing.after for unit in units}
    for unit in units:
        reported: set[Identity] = set()
        for vm in unit.vms:
            for reference in named_objects(vm.data):
                candidates = [candidate for candidate in owners.get(reference, ()) if _may_meet(candidate, unit)]
                if not candidates or any(
                    _is_first(candidate, unit, vm, reference, waves, depends) for candidate in candidates
                ):
                    continue
                owner = next((candidate for candidate in candidates if candidate is unit), candidates[0])
                if owner.syncing.own not in reported:
                    reported.add(owner.syncing.own)
                    yield _order_finding(unit, owner, vm, reference)


def _may_meet(one: _Synced, other: _Synced) -> bool:
    return one.unit.cluster == other.unit.cluster or not (one.unit.cluster and other.unit.cluster)


def _is_first(
    owner: _Synced,
    unit: _Synced,
    vm: Resource,
    reference: Identity,
    waves: Mapping[tuple[Identity, Identity], int],
    depends: Mapping[Identity, frozenset[Identity]],
) -> bool:
    """Whether what a VM names is there before the VM, or nobody can tell."""
    if owner is unit:
        match unit.syncing.kind:
            case "Application":
                return waves[unit.syncing.own, reference] < wave_of(vm.data)
            case kind:
                return kind != "HelmRelease"
    if owner.syncing.kind != unit.syncing.kind:
        return True
    if unit.syncing.tool == "Argo CD":
        return owner.syncing.wave < unit.syncing.wave
    return _reaches(unit.syncing.own, owner.syncing.own, depends)


def _reaches(start: Identity, goal: Identity, depends: Mapping[Identity, frozenset[Identity]]) -> bool:
    visited, pending = {start}, [start]
    while pending:
        after = depends.get(pending.pop(), frozenset()) - visited
        visited |= after
        pending += after
    return goal in visited


def _order_finding(unit: _Synced, owner: _Synced, vm: Resource, reference: Identity) -> Finding:
    kind, _, name = reference
    if owner is unit:
        cure = {
            "Application": "of the same sync wave or a later one: give it a lower sync wave",
            "HelmRelease": "of the same release, in which Helm creates VMs first: deploy it by another one before",
        }[unit.syncing.kind]
        message = f"names {kind} {name} {cure}"
        environments = (unit.unit.name,)
        return ORDER.at(vm.place, message, about=manifest_name(vm.data), environments=environments)
    cure = (
        f"give Application {owner.syncing.own[2]} a lower sync wave than this one"
        if unit.syncing.tool == "Argo CD"
        else f"add dependsOn: [{{name: {owner.syncing.own[2]}}}]"
    )
    example = f"{manifest_name(vm.data)} names {kind} {name} of {owner.syncing.kind} {owner.syncing.own[2]}"
    field = "" if unit.syncing.tool == "Argo CD" else "spec.dependsOn"
    return unit.finding(ORDER, f"{example}, which may come later: {cure}", field)


def _endless(unit: _Synced) -> Iterator[Finding]:
    syncing = unit.syncing
    vms = [vm.data for vm in unit.vms if vm.data.get("kind") == "VirtualMachine"]
    stopped = [vm for vm in vms if is_halted(vm)]
    if syncing.tool == "Argo CD":
        if stopped and has_waves(unit.unit) and not syncing.own_health:
            message = f"has several sync waves, and waits for ever for {_vm_names(stopped)}, which Git stops"
            yield unit.finding(ENDLESS, message, "")
        return
    if not syncing.waits:
        vms = [vm for vm in vms if identity(vm) in syncing.watched]
    if vms and not syncing.suspended:
        is_release = syncing.kind == "HelmRelease"
        field = "spec.upgrade.disableWait" if is_release else "spec.wait" if syncing.waits else "spec.healthChecks"
        since = " from Flux 2.8 on" if is_release else ""
        yield unit.finding(ENDLESS, f"waits{since} {_never_ready(vms)}", field)


def _never_ready(vms: Sequence[Data]) -> str:
    stopped = [vm for vm in vms if is_halted(vm)]
    if stopped:
        return f"for {_vm_names(stopped)}, which Git stops: it is never ready"
    return f"for {_vm_names(vms)}: after a change of its template it is not ready before someone restarts the VM"


def _vm_names(vms: Sequence[Data]) -> str:
    return f"{counted(len(vms), 'VM')} ({some([identity(vm)[2] for vm in vms], _MOST_NAMES)})"


def _ignored(unit: _Synced, release: Release) -> Iterator[Finding]:
    for index, item in enumerate(unit.syncing.ignored):
        hidden = [(vm.data, field) for vm in unit.vms for field in _hidden(vm.data, item, release)]
        if hidden:
            _, field = hidden[0]
            vms = list({identity(vm): vm for vm, _ in hidden}.values())
            message = f"hides changes of {field_path(field)} of {_vm_names(vms)}: they are neither shown nor synced"
            yield unit.finding(IGNORED, message, f"spec.ignoreDifferences[{index}]")


def _hidden(vm: Data, item: Data, release: Release) -> Iterator[Path]:
    """The first field of a machine that Git sets, the cluster stores, and a rule ignores."""
    rules = rules_for([item], vm)
    if not rules.fields:
        return
    as_stored = spelled(vm, release)
    dropped = {drift.path for drift in drifts(vm, as_stored) if drift.kind == "dropped"} if as_stored else set()
    for path, value in leaves(vm.get("spec"), ("spec",), by_name=False):
        is_stored = value is not None and path[-1] != "inferFromVolume" and _is_in(path, _PARTS)
        if is_stored and rules.ignore(path) and not _is_in(path, dropped):
            yield path
            return


def _is_in(path: Path, parts: Iterable[Path]) -> bool:
    return any(path[: len(part)] == part for part in parts)
