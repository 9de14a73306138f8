"""Which objects of two repositories are one: those that stay where they are, and those that go to another unit."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from virtcatalog.fleet.inputs import located
from virtcatalog.manifests.identity import Identity
from virtcatalog.repositories.model import Environment, Repository, Resource
from virtcatalog.review.side import Side, within
from virtcatalog.review.units import Unit


class Deployed(NamedTuple):
    """An object of a unit, and what the environment is called that it is in."""

    unit: Unit
    environment: Environment
    resource: Resource
    name: str = ""

    @property
    def which(self) -> Identity:
        """What a cluster finds it by."""
        return located(self.resource.data)


def moved(before: Sequence[Deployed], after: Sequence[Deployed], units: Sequence[Collection[str]]) -> list[Deployed]:
    """Return the objects of before, in the environments of after where an object went from one to another.

    One that leaves a unit which is still there, or that comes to one which was there before, is deleted or created;
    so is one that goes between the units of several clusters, and one that nothing deploys any more. `units` are their
    names on both sides.
    """
    lone = [_lone(objects, others) for objects, others in ((before, after), (after, before))]
    targets = {
        which: lone[1][which].name
        for which, old in lone[0].items()
        if which in lone[1] and _is_one_place(old, lone[1][which], units)
    }
    return [
        object_._replace(name=targets[object_.which])
        if lone[0].get(object_.which) is object_ and object_.which in targets
        else object_
        for object_ in before
    ]


def without_aside(here: Repository, there: Repository) -> Repository:
    """Return a repository without the units that a unit of both deploys there, and no longer here, or not yet.

    Nothing deploys their objects here, though these are in the files.
    """
    deployers = {unit.origin: unit.by for unit in there.environments if unit.by not in ("", unit.origin)}
    rendered = {unit.origin for unit in here.environments if unit.resources or not (unit.failed or unit.unrendered)}
    aside = {unit.origin for unit in here.environments if not unit.by and deployers.get(unit.origin) in rendered}
    while inner := {unit.origin for unit in here.environments if unit.by in aside} - aside:
        aside |= inner
    return replace(here, environments=tuple(unit for unit in here.environments if unit.origin not in aside))


def deployed_files(side: Side, objects: Sequence[Deployed]) -> frozenset[str]:
    """Return the files of the objects that something in a repository deploys."""
    return frozenset(
        within(object_.resource.place.file, side.label) for object_ in objects if object_.environment.is_deployed
    )


def without_idle(
    side: Side, objects: Sequence[Deployed], others: Sequence[Deployed], files: Collection[str], *, is_after: bool
) -> list[Deployed]:
    """Return the objects without those that nothing deploys, while something deploys their `files` on the other side,
    or deploys the same object there and no longer here.

    Who takes an Application away leaves its VMs' files behind, and creates none with that; nor does who moves the
    folder of an Application that stays. After the change, a folder is not the unit that was called as it is.
    """
    here = {(object_.which, object_.name) for object_ in objects}
    there = {(object_.which, object_.name) for object_ in others if not (is_after and object_.environment.is_deployed)}
    left = {
        _content(object_)
        for object_ in others
        if object_.environment.is_deployed and (object_.which, object_.name) not in here
    }
    return [
        object_
        for object_ in objects
        if object_.environment.is_deployed
        or (object_.which, object_.name) in there
        or (within(object_.resource.place.file, side.label) not in files and _content(object_) not in left)
    ]


def _content(object_: Deployed) -> tuple[Identity, str]:
    """What an object is, wherever it is deployed."""
    kind, _, name = object_.which
    data = {key: value for key, value in object_.resource.data.items() if key != "metadata"}
    return (kind, "", name), json.dumps(data, sort_keys=True, default=str)


def _lone(objects: Sequence[Deployed], others: Sequence[Deployed]) -> dict[Identity, Deployed]:
    """The objects that the other side has not in that environment, if there is but one of them."""
    there = {(object_.which, object_.name) for object_ in others}
    left = [object_ for object_ in objects if (object_.which, object_.name) not in there]
    number = Counter(object_.which for object_ in left)
    return {object_.which: object_ for object_ in left if number[object_.which] == 1}


def _is_one_place(old: Deployed, new: Deployed, units: Sequence[Collection[str]]) -> bool:
    if old.environment.kind == new.environment.kind == "folder":
        return True
    if old.environment.is_deployed and not new.environment.is_deployed:
        return False
    if old.environment.cluster and new.environment.cluster:
        return old.environment.cluster == new.environment.cluster
    stays = (
        object_.name in others
        for object_, others in ((old, units[1]), (new, units[0]))
        if object_.environment.kind != "folder"
    )
    return not all(stays)
