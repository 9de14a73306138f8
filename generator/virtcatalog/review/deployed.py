"""Repositories as the sides of a comparison: which unit of one is which of the other, and what it is called.

A unit is called by its own name, with its folder before that where several units have it. Plain manifests are called by
nothing, or by their folder or file where objects of one name stand in several.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Sequence
from pathlib import PurePosixPath

import msgspec

from virtcatalog.api.decode import manifest_name
from virtcatalog.api.kinds import holds_vm
from virtcatalog.errors import counted, some
from virtcatalog.fleet.inputs import located
from virtcatalog.gitops.immutable import FrozenChange, frozen_changes
from virtcatalog.kubevirt.decoding import counts
from virtcatalog.manifests.difference import differences
from virtcatalog.manifests.identity import Data, Identity, identity, without_metadata
from virtcatalog.repositories.documents import Opaque
from virtcatalog.repositories.model import Environment, Repository
from virtcatalog.review.causes import place_of
from virtcatalog.review.matching import Deployed, deployed_files, moved, without_aside, without_idle
from virtcatalog.review.side import Side, Vm, within
from virtcatalog.review.units import Unit, Views
from virtcatalog.review.verdict import Verdict

_SHOWN = 5


def side_of(repository: Repository, label: str) -> Side:
    """Return a repository as a side, for what is asked of it alone."""
    names = _names_of_units((repository.environments,))[0]
    return _side(Side(label=label, repository=repository), names, _named((repository,), [names])[0], frozenset(), ())


def matched(base: Side, head: Side) -> tuple[Side, Side]:
    """Return two sides so that what is one unit of both repositories is called alike; other sides stay as they are."""
    if base.repository is None or head.repository is None:
        return base, head
    repositories = without_aside(base.repository, head.repository), without_aside(head.repository, base.repository)
    base, head = (
        msgspec.structs.replace(side, repository=repository)
        for side, repository in zip((base, head), repositories, strict=True)
    )
    names = _names_of_units([repository.environments for repository in repositories])
    before, after = _named(repositories, names)
    units = [
        {
            name
            for environment, name in zip(repository.environments, called, strict=True)
            if environment.kind != "folder"
        }
        for repository, called in zip(repositories, names, strict=True)
    ]
    before = moved(before, after, units)
    files = [deployed_files(*pair) for pair in ((base, before), (head, after))]
    before, after = (
        without_idle(base, before, after, files[1], is_after=False),
        without_idle(head, after, before, files[0], is_after=True),
    )
    written = {object_.which for object_ in (*before, *after) if object_.resource.data["metadata"].get("namespace")}
    standing = _standing(base, head)
    sides = _side(base, names[0], before, written, standing), _side(head, names[1], after, written, standing)
    sides = sides[0], _without_undeployed(sides[1], after)
    return _without_declarations(sides[0], sides[1]), _without_declarations(sides[1], sides[0])


def remarks(base: Side, head: Side, verdicts: Collection[Verdict]) -> Iterator[str]:
    """Say what of a change is not applied: what no VM feels, and what is in files that nothing deploys."""
    if base.repository is None or head.repository is None:
        return
    for change in frozen(base, head):
        name = manifest_name(change.resource.data)
        yield f"{name}: {change.field} cannot change, and the sync fails: {change.advice}"
    if felt_by_nobody := quiet(base, head, verdicts):
        number = counted(
            len(felt_by_nobody),
            "VM differs in Git, and its machine does not, now or at its next start",
            "VMs differ in Git, and their machines do not, now or at their next start",
        )
        fields = [difference.field for _, old, new in felt_by_nobody for difference in differences(old, new)]
        names = some([name for name, *_ in felt_by_nobody], _SHOWN)
        yield f"{number}: {names} ({some(list(dict.fromkeys(fields)), _SHOWN)})"
    for catalog, digest in sorted(head.repository.catalogs.items()):
        if base.repository.catalogs.get(catalog, digest) != digest and base.objects == head.objects:
            yield f"{catalog} has changed, and what is rendered of it has not: `virtcatalog build` renders it"
    before, after = base.repository.idle, head.repository.idle
    deployed = {within(vm.place.file, base.label) for vm in base.vms if vm.place}
    for path in sorted(after.keys() - deployed):
        if before.get(path) != after[path]:
            yield f"{path} has changed and holds VMs, and nothing deploys it"


def frozen(base: Side, head: Side) -> list[FrozenChange]:
    """Return which fields of objects that hold no VM change and cannot: the sync of them fails."""
    if base.repository is None or head.repository is None:
        return []
    changes = frozen_changes(base.repository, head.repository)
    return [change for change in changes if not holds_vm(change.resource.data)]


def quiet(base: Side, head: Side, verdicts: Collection[Verdict]) -> list[tuple[str, Data, Data]]:
    """Return the VMs of two repositories that differ, and of which no verdict says anything, each before and after."""
    if base.repository is None or head.repository is None:
        return []
    judged = {(verdict.vm, verdict.environment, verdict.place) for verdict in verdicts}
    before = {vm.which: _without_namespace(vm.manifest) for vm in base.vms}
    quiet = (
        vm for vm in head.vms if not vm.open and (vm.key, vm.environment, place_of(vm.place, head.label)) not in judged
    )
    pairs = ((vm.key, before.get(vm.which), _without_namespace(vm.manifest)) for vm in quiet)
    return [(name, old, new) for name, old, new in pairs if old is not None and old != new]


def _without_namespace(manifest: Data) -> Data:
    """A VM without its namespace: what is called alike is in the same one, whether that is written or not."""
    return without_metadata(manifest, "namespace")


def _standing(base: Side, head: Side) -> frozenset[tuple[str, str]]:
    """The problems, by file and sentence, that both sides have in the same files: no change is to be judged there."""
    alike = [
        {
            (path, problem.sentence, repository.broken.get(path))
            for problem in repository.all_problems
            for path in [within(problem.file, side.label)]
        }
        for side in (base, head)
        for repository in [side.repository or Repository()]
    ]
    return frozenset((path, sentence) for path, sentence, digest in alike[0] & alike[1] if digest is not None)


def _side(
    side: Side,
    names: Sequence[str],
    objects: Sequence[Deployed],
    written: Collection[Identity],
    standing: Collection[tuple[str, str]],
) -> Side:
    """The side with these objects and names of units; VMs of `written` are called by their namespace everywhere."""
    repository = side.repository
    assert repository is not None
    published: dict[str, list[Data]] = {"": []}
    vms = []
    for unit, _, resource, name in objects:
        if holds_vm(resource.data):
            key = "/".join((located if located(resource.data) in written else identity)(resource.data)[1:]).lstrip("/")
            vm = Vm(key=key, manifest=resource.data, environment=name, place=resource.place, field=resource.field)
            vms.append(msgspec.structs.replace(vm, unit=unit, open=resource.open))
        else:
            published.setdefault(name, []).append(resource.data)
    every = repository.all_problems
    old = [problem for problem in every if (within(problem.file, side.label), problem.sentence) in standing]
    return msgspec.structs.replace(
        side,
        objects=published,
        vms=tuple(vms),
        views=Views(repository.environments),
        problems=tuple(problem for problem in every if problem not in old),
        unrendered=(*repository.all_unrendered, *old),
        opaque=tuple(_opaque(repository, side.label)),
        left_out=frozenset(within(problem.file, side.label) for problem in every),
        units=tuple(names),
        incomplete=_incomplete(repository.environments, names),
    )


def _without_undeployed(side: Side, objects: Sequence[Deployed]) -> Side:
    """The side whose VMs do not find what is in its files still, and nothing deploys any more."""
    repository = side.repository
    assert repository is not None
    every = _objects(repository)
    if len(every) == len(objects):
        return side
    deployed = {(object_.unit.number, object_.which) for object_ in objects}
    undeployed = {id(object_.resource) for object_ in every if (object_.unit.number, object_.which) not in deployed}
    environments = [
        msgspec.structs.replace(
            environment,
            resources=tuple(resource for resource in environment.resources if id(resource) not in undeployed),
        )
        for environment in repository.environments
    ]
    return msgspec.structs.replace(side, views=Views(environments))


def _opaque(repository: Repository, label: str) -> Iterator[tuple[tuple[str, str, int], Opaque]]:
    """What holds VMs and is not rendered, by its file, its object, and its number among those of both."""
    numbers: Counter[tuple[str, str]] = Counter()
    for opaque in repository.all_opaque:
        key = within(opaque.problem.file, label), opaque.problem.object
        yield (*key, numbers[key]), opaque
        numbers[key] += 1


def _incomplete(environments: Sequence[Environment], names: Sequence[str]) -> dict[str, frozenset[str]]:
    """What is not there of each environment that is not there as a whole."""
    missing: dict[str, frozenset[str]] = {}
    for environment, name in zip(environments, names, strict=True):
        problems = (*environment.unrendered, *(environment.problems if environment.failed else ()))
        if problems:
            missing[name] = missing.get(name, frozenset()) | {problem.sentence for problem in problems}
    return missing


def _objects(repository: Repository) -> list[Deployed]:
    """The objects of a repository that make a difference to VMs."""
    return [
        Deployed(Unit(number, environment.folder), environment, resource)
        for number, environment in enumerate(repository.environments)
        for resource in environment.resources
        if counts(resource.data)
    ]


def _named(repositories: Sequence[Repository], units: Sequence[Sequence[str]]) -> list[list[Deployed]]:
    """The objects of the repositories, in environments that are called alike in all of them."""
    deployed = [_objects(repository) for repository in repositories]
    labels = [list(_labels(objects, names)) for objects, names in zip(deployed, units, strict=True)]
    level = _levels(
        [
            [(object_.which, label) for object_, label in zip(*pair, strict=True) if len(label) > 1]
            for pair in zip(deployed, labels, strict=True)
        ]
    )
    return [
        [
            object_._replace(name=label[level[object_.which]] if len(label) > 1 else label[0])
            for object_, label in zip(*pair, strict=True)
        ]
        for pair in zip(deployed, labels, strict=True)
    ]


def _labels(objects: Sequence[Deployed], units: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield what the environment of an object is called; of a plain one in fewer and in more words."""
    numbers: Counter[tuple[Identity, str]] = Counter()
    for object_ in objects:
        if object_.environment.kind != "folder":
            yield (units[object_.unit.number],)
            continue
        folder, file = object_.environment.folder, object_.resource.place.file
        name = file.rpartition(":")[2].rpartition("/")[2] if file != object_.environment.place.file else ""
        path = f"{folder}/{name}".strip("/")
        numbers[object_.which, path] += 1
        yield "", folder, path, f"{path} #{numbers[object_.which, path]}".strip()


def _names_of_units(sides: Sequence[Sequence[Environment]]) -> list[list[str]]:
    """What each unit is called: the shortest name that is no other's on any side."""
    labels = [[_labels_of_unit(environment) for environment in environments] for environments in sides]
    level = _levels([[(unit[0], unit) for unit in units] for units in labels])
    return [[unit[level[unit[0]]] for unit in units] for units in labels]


def _labels_of_unit(environment: Environment) -> tuple[str, ...]:
    if environment.kind == "folder":
        return "", ""
    named = environment.name, str(PurePosixPath(environment.folder, environment.name))
    return (*named, f"{named[1]} of {environment.cluster}") if environment.cluster else named


def _levels(sides: Sequence[Sequence[tuple[Hashable, tuple[str, ...]]]]) -> dict[Hashable, int]:
    """How many words it takes to tell apart, on each side, those of one group; as many as there are if none do."""
    levels: dict[Hashable, int] = defaultdict(int)
    shortest: dict[Hashable, int] = {}  # a side may know less of one than the other
    for group, labels in (row for rows in sides for row in rows):
        shortest[group] = min(shortest.get(group, len(labels)), len(labels))
    for rows in sides:
        groups: dict[Hashable, list[tuple[str, ...]]] = defaultdict(list)
        for group, labels in rows:
            groups[group].append(labels)
        for group, members in groups.items():
            last = shortest[group] - 1
            while levels[group] < last and len({labels[levels[group]] for labels in members}) < len(members):
                levels[group] += 1
    return levels


def _without_declarations(side: Side, other: Side) -> Side:
    """The side, which is incomplete in units of the other one that are declared in files that cannot be read here."""
    assert other.repository is not None
    problems = {within(problem.file, side.label): problem.sentence for problem in side.problems}
    missing = {
        name: frozenset([problems[file]])
        for name, environment in zip(other.units, other.repository.environments, strict=True)
        for file in [within(environment.place.file, other.label)]
        if environment.is_deployed and file in problems and name not in side.units
    }
    return msgspec.structs.replace(side, incomplete={**missing, **side.incomplete}) if missing else side
