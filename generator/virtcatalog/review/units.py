"""The objects that VMs of each unit of a repository find: the unit's own, and those of the other units of its cluster.

A repository seldom deploys a VM together with its instance type, its namespace or the KubeVirt CR.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from virtcatalog.api.kinds import holds_vm
from virtcatalog.fleet.inputs import located
from virtcatalog.kubevirt.decoding import counts
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.repositories.model import Environment, Resource

#: There is one KubeVirt CR in a cluster, whatever it is called.
_ONE: Final = ("KubeVirt", "", "")


class Unit(NamedTuple):
    """A unit by its number among the environments of its repository; -1 is none of them, somewhere in `folder`."""

    number: int
    folder: str

    @property
    def nearby(self) -> Unit:
        """What is in the same folder, and in no unit."""
        return Unit(-1, self.folder)


Units = tuple[Unit, Unit]
"""A unit before a change, and the same one after it."""
ANYWHERE: Final = Unit(-1, "")


class Views:
    """What is met where. Units that meet the same have the same list, so that a cluster is made of it once."""

    def __init__(self, environments: Sequence[Environment]) -> None:
        self._environments = environments
        self._origins: dict[int, Resource] = {}
        self._by_cluster: dict[str, _Pool] = {}
        self._views: dict[tuple[str, tuple[int, ...]], list[Data]] = {}

    def of(self, unit: Unit) -> Sequence[Data]:
        """Return the objects that the VMs of a unit meet."""
        here = unit.number >= 0
        cluster = self._environments[unit.number].cluster if here else ""
        if cluster not in self._by_cluster:
            self._by_cluster[cluster] = _Pool(self._environments, cluster)
        pool = self._by_cluster[cluster]
        chosen = tuple(_nearest(unit, candidates) for candidates in pool.several.values())
        if (cluster, chosen) not in self._views:
            several = [
                candidates[number].resource.data
                for candidates, number in zip(pool.several.values(), chosen, strict=True)
            ]
            self._views[cluster, chosen] = [*pool.single, *several]
        return self._views[cluster, chosen]

    def without(self, names: Collection[tuple[str, str]]) -> Views:
        """Return the views that there are without the objects of these kinds and names."""
        return Views([_without(environment, names) for environment in self._environments])

    def origin(self, manifest: Data) -> Resource | None:
        """Return where an object comes from that a view has."""
        if not self._origins:
            resources = (resource for environment in self._environments for resource in environment.resources)
            self._origins = {id(resource.data): resource for resource in resources}
        return self._origins.get(id(manifest))


def _without(environment: Environment, names: Collection[tuple[str, str]]) -> Environment:
    left = (resource for resource in environment.resources if identity(resource.data)[::2] not in names)
    return replace(environment, resources=tuple(left))


class _Candidate(NamedTuple):
    """An object that several units have, each another one, as one of them has it."""

    unit: Unit
    resource: Resource


class _Pool:
    """The objects of a cluster: those that there are once, and those of which units have different ones."""

    def __init__(self, environments: Sequence[Environment], cluster: str) -> None:
        candidates: dict[Identity, list[_Candidate]] = {}
        for number, environment in enumerate(environments):
            if cluster and environment.cluster not in ("", cluster):
                continue
            unit = Unit(number, environment.folder)
            for resource in environment.resources:
                if counts(resource.data) and not holds_vm(resource.data):
                    which = located(resource.data)
                    candidates.setdefault(which if which[0] != "KubeVirt" else _ONE, []).append(
                        _Candidate(unit, resource)
                    )
        self.several: Mapping[Identity, list[_Candidate]] = {
            which: same
            for which, same in candidates.items()
            if any(candidate.resource.data != same[0].resource.data for candidate in same[1:])
        }
        self.single = [same[0].resource.data for which, same in candidates.items() if which not in self.several]


def _nearest(unit: Unit, candidates: Sequence[_Candidate]) -> int:
    """The number of the candidate that a unit meets: its own, else the one that is declared nearest to it."""

    def distance(number: int) -> tuple[bool, int, int]:
        candidate = candidates[number].unit
        return candidate.number != unit.number, -_shared(candidate.folder.split("/"), unit.folder.split("/")), number

    return min(range(len(candidates)), key=distance)


def _shared(one: Iterable[str], other: Iterable[str]) -> int:
    """How many parts two paths begin with alike."""
    number = 0
    for mine, others in zip(one, other, strict=False):
        if mine != others:
            break
        number += 1
    return number
