"""Two sides compared: the steps from what both hold to the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from virtcatalog.environments import check_names
from virtcatalog.errors import Problem
from virtcatalog.fleet.cache import Cache
from virtcatalog.fleet.pool import Executor
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.manifests.identity import Data
from virtcatalog.repositories.model import Repository
from virtcatalog.review.deployed import frozen, matched, quiet, remarks
from virtcatalog.review.dumps import Dump, others, vms_of
from virtcatalog.review.kubevirtcr import uninstalled
from virtcatalog.review.objects import ObjectChange, compare_objects
from virtcatalog.review.report import Report
from virtcatalog.review.reviewer import Reviewer
from virtcatalog.review.shortages import overspent, standing
from virtcatalog.review.side import Side, environment_names, sound

if TYPE_CHECKING:
    from virtcatalog.catalog.prices import Prices


def review(
    base: Side,
    head: Side,
    conditions: tuple[Conditions, Conditions],
    dumps: Sequence[Dump] = (),
    environments: Sequence[str] = (),
    prices: Prices | None = None,
    cache: Cache | None = None,
    executor: Executor | None = None,
) -> Report:
    """Compare the objects of two sides, and what becomes of their VM templates and of the VMs of dumps.

    VMs meet what else their own dump holds, and what those hold that do not say where they are from. With
    `environments` only these are looked at. Verdicts that the cache has are not found again. ManifestError when a dump
    holds objects that cannot be read.
    """
    base, head = matched(base, head)
    if base.repository is not None or head.repository is not None:
        check_names(environments, [name for side in (base, head) for name in environment_names(side)], "on either side")
    base, head = (only(side, environments) for side in _alike(base, head))
    clean = sound(base, head)
    dumped = vms_of(dumps)
    reviewer = Reviewer(clean.base, clean.head, conditions, others(dumps), environments, dumped)
    reviewer.templates()
    reviewer.vms(dumped, cache, executor)
    fleet = reviewer.done()
    limited = bool(head.budgets) or reviewer.comparisons.limits_room
    fleets = list(reviewer.comparisons.fleets(dumped)) if limited else []
    standings = [
        standing(environment, vms, comparison.base, comparison.head)
        for environment, vms, comparison in fleets
        if comparison.head.limits_pods
    ]
    fleet.unknown |= dict.fromkeys(clean.vms)
    hosts = [str(condition.host) for condition in conditions]
    labels = base.label, head.label
    objects = tuple(compare_objects(_with_configuration(clean.base), _with_configuration(clean.head), labels))
    return Report(
        base=base,
        head=head,
        objects=objects,
        fleet=fleet,
        upgrades=tuple(reviewer.comparisons.upgrades()),
        hidden=clean.objects,
        prices=prices,
        standings=tuple(standing for standing in standings if standing.homeless or standing.refused),
        overspent=overspent(head.budgets, [(where, vms, comparison.head) for where, vms, comparison in fleets]),
        only=tuple(environments),
        previews=tuple(reviewer.comparisons.previews()),
        quiet=len(quiet(clean.base, clean.head, fleet.verdicts)),
        frozen=len({id(change.resource) for change in frozen(clean.base, clean.head)}),
        remarks=(*_uninstalled(objects), *reviewer.gate_remarks(), *remarks(clean.base, clean.head, fleet.verdicts)),
        host=" → ".join(hosts) if conditions[0].host != conditions[1].host else "",
    )


def _alike(base: Side, head: Side) -> tuple[Side, Side]:
    """The sides; of a catalog no more than its base where the other side is a tree, which knows no environments."""
    if base.catalog == head.catalog or not (base.objects and head.objects):
        return base, head
    return _without_environments(base), _without_environments(head)


def _without_environments(side: Side) -> Side:
    vms = {vm.which[:2]: msgspec.structs.replace(vm, environment="") for vm in side.vms}
    objects = {"": side.objects.get("", [])}
    companions = {"": [manifest for manifests in side.companions.values() for manifest in manifests]}
    return msgspec.structs.replace(side, objects=objects, companions=companions, overlays=(), vms=tuple(vms.values()))


def only(side: Side, environments: Sequence[str]) -> Side:
    """Return no more of a side than these environments of it, if there are any."""
    if environments and side.repository is not None:
        return _only_units(side, side.repository, environments)
    if not environments or not side.overlays:
        return side
    return msgspec.structs.replace(
        side,
        objects={name: side.objects.get(name, []) for name in environments},
        overlays=tuple(overlay for overlay in side.overlays if overlay.name in environments),
        vms=tuple(vm for vm in side.vms if vm.environment in environments),
    )


def _only_units(side: Side, repository: Repository, environments: Sequence[str]) -> Side:
    """A repository with no more than these environments, and what is wrong with them or with none."""
    theirs: set[Problem] = {*repository.problems, *repository.unrendered}
    others: set[Problem] = set()
    for environment, name in zip(repository.environments, side.units, strict=True):
        (theirs if name in environments else others).update((*environment.problems, *environment.unrendered))
    others -= theirs
    return msgspec.structs.replace(
        side,
        objects={name: side.objects[name] for name in environments if name in side.objects},
        vms=tuple(vm for vm in side.vms if vm.environment in environments),
        problems=tuple(problem for problem in side.problems if problem not in others),
        unrendered=tuple(problem for problem in side.unrendered if problem not in others),
        opaque=tuple(entry for entry in side.opaque if entry[1].problem not in others),
    )


def _uninstalled(objects: Sequence[ObjectChange]) -> list[str]:
    gone = [change for change in objects if change.change == "removed" and change.manifest["kind"] == "KubeVirt"]
    return [f"{change.name} is removed: {uninstalled(change.manifest)}" for change in gone]


def _with_configuration(side: Side) -> dict[str, Sequence[Data]]:
    everything: dict[str, Sequence[Data]] = dict(side.objects)
    if side.kubevirt is not None:
        first = next(iter(everything), "")
        others = [manifest for manifest in everything.get(first, ()) if manifest["kind"] != "KubeVirt"]
        everything[first] = [*others, side.kubevirt]
    return everything
