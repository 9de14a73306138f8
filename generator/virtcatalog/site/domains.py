"""The files from which the form puts domains together: what several types share in one, all else in one for each type.

A page from a folder can read no data, but load scripts: these are. Everything in them is a thing in a list, and a thing
that consists of others has their places in the list; what is alike is there once.
"""

from __future__ import annotations

import json
from collections import ChainMap, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from virtcatalog.catalog.model import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE, Catalog
from virtcatalog.check.minimal import required_architecture
from virtcatalog.errors import counted
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.identity import named_by
from virtcatalog.kubevirt.launcher.launch.ports import LAST_INDEX
from virtcatalog.pool import Executor
from virtcatalog.site.notes import SOURCES, Unit
from virtcatalog.site.pairs import Matrix
from virtcatalog.site.probes import CLOUD_INIT, DISKS, HOLE, LINKS, NAMESPACE, POD_LINK, QEMU, ROOT, hole
from virtcatalog.site.recipes import PARTS, PORT, Cook, Numbers, Plain, Recipe, Told, Untold

WORTH_IT: Final = 20
"""The number of instance types from which on other processes save more time than it takes to start them."""


_ASK: Final = "virtcatalog expand -f vm.yaml tells what a VM becomes"


class Places(tuple[int, ...]):
    """A thing that consists of others: where these are."""

    __slots__ = ()


MOST: Final = 20_000
"""How many pairs have their domains made where nobody says whether they are to be: half a minute, on a slow machine."""

Thing = Unit | Numbers | Places | str
Row = list[int] | str | int
"""Of a pair: the things of its recipe, or of its plain VM; why nothing is told of it; or 0, since it does not fit."""


class Packed(NamedTuple):
    """The rows of an instance type, and the things that they are of, each behind those that it consists of."""

    things: tuple[Thing, ...]
    rows: tuple[Row, ...]


class Domains(NamedTuple):
    """What the form has to know of the domains, and their files by path."""

    data: dict[str, Any]
    files: dict[str, str]


def domains(
    catalog: Catalog,
    found: Matrix,
    conditions: Conditions | None = None,
    executor: Executor | None = None,
    *,
    wanted: bool | None = None,
) -> Domains:
    """Make the domains of every pair that fits: if they are wanted, else if nobody says and they are not too many."""
    pairs = sum(not reason for row in found.rows for reason in row)
    if wanted is False or (wanted is None and pairs > MOST):
        left_out = f"This catalog has {counted(pairs, 'pair')} whose domains were not made in advance"
        architectures = ["", *(required_architecture(each.spec) for each in catalog.preferences)]
        data = {"madeFor": "", "leftOut": f"{left_out}: {_ASK}.", "architectures": architectures}
        return Domains({**data, **_constants()}, {})
    types = [each.manifest(CLUSTER_INSTANCETYPE) for each in catalog.instancetypes]
    preferences = [each.manifest(CLUSTER_PREFERENCE) for each in catalog.preferences]
    cook = Cook(types, preferences, conditions or Conditions())
    jobs = [
        (each.name, tuple(not reason for reason in row))
        for each, row in zip(catalog.instancetypes, found.rows, strict=True)
    ]
    made: Iterable[Packed]
    if executor is not None and executor.worth(len(jobs), WORTH_IT):
        made = executor.each(_packed, jobs, cook)
    else:
        made = (_packed(job, cook) for job in jobs)
    shelf = _Shelf()
    rows = [shelf.put(number, each) for number, each in enumerate(made)]
    shared, owned = shelf.sorted()
    places = {place: number for number, place in enumerate(shared)}
    files = {"domains.js": f'"use strict";\nsite.shared({_script(shelf.moved(shared, places))});\n'}
    for number, ((name, _), own) in enumerate(zip(jobs, rows, strict=True)):
        behind = ChainMap({place: len(shared) + each for each, place in enumerate(owned[number])}, places)
        final = [[behind[each] for each in row] if isinstance(row, list) else row for row in own]
        files[f"domains/{name}.js"] = (
            f'"use strict";\nsite.own({_script([name, shelf.moved(owned[number], behind), final])});\n'
        )
    return Domains(
        {"madeFor": cook.made_for, "leftOut": "", "architectures": cook.architectures, **_constants()}, files
    )


def _constants() -> dict[str, Any]:
    """What the form's scripts have to know of how domains are put together."""
    return {
        "root": ROOT,
        "cloud": CLOUD_INIT,
        "pod": POD_LINK,
        "links": LINKS,
        "disks": DISKS,
        "parts": PARTS,
        "port": PORT.format(hole("index")),
        "last": LAST_INDEX,
        "qemu": QEMU,
        "hole": HOLE,
        "identities": {what: [space.hex, start] for what, (space, start) in named_by(NAMESPACE).items()},
        "sources": SOURCES,
        "ask": _ASK,
    }


def _script(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True)


def _packed(job: tuple[str, Sequence[bool]], cook: Cook) -> Packed:
    things: dict[Thing, int] = {}

    def place(thing: Thing) -> int:
        return things.setdefault(thing, len(things))

    def places(each: Iterable[Thing]) -> int:
        return place(Places(map(place, each)))

    def row(told: Told | None) -> Row:
        if isinstance(told, Recipe):
            runs = [places(run) for run in told.runs]
            return [*runs, places(told.disks), places(told.links), place(told.numbers), places(told.requests)]
        if isinstance(told, Plain):
            return [places(told.run), place(told.requests)]
        return told.why if isinstance(told, Untold) else 0

    rows = tuple(row(each) for each in cook.told(*job))
    return Packed(tuple(things), rows)


class _Shelf:
    """All things of a site, by content, and who has them."""

    def __init__(self) -> None:
        self._places: dict[Thing, int] = {}
        self._things: list[Thing] = []
        self._users: list[int | None] = []

    def put(self, user: int, packed: Packed) -> tuple[Row, ...]:
        """Take in what is of an instance type, and return its rows with the places here."""
        places: list[int] = []
        for thing in packed.things:
            moved = Places(places[each] for each in thing) if isinstance(thing, Places) else thing
            place = self._places.setdefault(moved, len(self._users))
            if place == len(self._users):
                self._things.append(moved)
                self._users.append(user)
            elif self._users[place] != user:
                self._users[place] = None
            places.append(place)
        return tuple([places[each] for each in row] if isinstance(row, list) else row for row in packed.rows)

    def sorted(self) -> tuple[list[int], dict[int, list[int]]]:
        """Return the places of what several types have, and of what one has by itself, by its number."""
        shared: list[int] = []
        owned: dict[int, list[int]] = defaultdict(list)
        for place, user in enumerate(self._users):
            (shared if user is None else owned[user]).append(place)
        return shared, owned

    def moved(self, places: Iterable[int], final: Mapping[int, int]) -> list[Thing]:
        """Return the things at these places, with the final places of those that they consist of."""
        things = (self._things[place] for place in places)
        return [Places(final[each] for each in thing) if isinstance(thing, Places) else thing for thing in things]
