"""The VMs that depend on an instance type, preference, class or component, and what they become without it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

import msgspec

from virtcatalog.api.kinds import CATALOG_KINDS
from virtcatalog.api.names import RESERVED_INSTANCETYPES, RESERVED_PREFERENCES
from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.model import Catalog
from virtcatalog.environments import check_names, check_places, environments_for
from virtcatalog.errors import Problem, VirtcatalogError, nearest
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.instancetype.references import references
from virtcatalog.kubevirt.matchers import MATCHERS
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.folder import Folder
from virtcatalog.manifests.identity import Data, identity, namespace_of
from virtcatalog.manifests.layout import CATALOG, COMPONENTS
from virtcatalog.manifests.sources import NAME as SHIPPED
from virtcatalog.manifests.sources import open_source
from virtcatalog.progress import tracked
from virtcatalog.review.compare import only
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.dumps import Dump, others, vms_of
from virtcatalog.review.fleet import Fleet
from virtcatalog.review.read import read_side, side_of_catalog
from virtcatalog.review.reviewer import Reviewer
from virtcatalog.review.side import Side, environment_names

Kind = Literal["instance type", "preference", "class", "component"]

_DECLARATIONS = (COMPONENTS, CATALOG)


class Use(msgspec.Struct, frozen=True):
    """A VM of an environment that refers to `objects`: by their names or, if `inferred`, by its volume's labels."""

    name: str
    objects: tuple[str, ...]
    inferred: bool = False
    template: bool = False
    environment: str = ""


class Impact(msgspec.Struct, frozen=True, kw_only=True):
    """What depends on a name.

    `objects` are the published objects of this name; of a component, those that differ without it. `places` is where
    the catalog mixes a component in. `without` is the review of the VMs without it, `previews` the names of releases in
    it that are none yet; `problems` are why the catalog cannot be rendered without it.
    """

    name: str
    kind: Kind
    objects: tuple[str, ...]
    places: tuple[Problem, ...] = ()
    uses: tuple[Use, ...] = ()
    without: Fleet = msgspec.field(default_factory=Fleet)
    previews: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def is_used(self) -> bool:
        """Whether any VM or declaration depends on it."""
        return bool(self.uses or self.places or self.problems)


def impacts(
    names: Sequence[str],
    path: Path,
    dumps: Sequence[Dump] = (),
    conditions: Conditions | None = None,
    environments: Sequence[str] = (),
    repository: Side | None = None,
) -> list[Impact]:
    """Return the impacts of names in the catalog or folder of manifests at `path`, on its templates and VMs of dumps.

    A name may be a pattern, `m.*`. With `environments`, only these are compared. What is there is read already if it
    is a `repository`: who reads that tells what is wrong in it. VirtcatalogError for an unknown name, ProblemsError for
    a catalog that cannot be rendered.
    """
    label = path.as_posix()
    folder = open_source(str(path))
    catalog = load_catalog(label, folder) if folder.has(CATALOG) else None
    side = repository or (read_side(folder, label) if catalog is None else side_of_catalog(catalog, label))
    if side.problems and repository is None:
        raise VirtcatalogError("\n".join(map(str, side.problems)))
    if side.nothing:
        raise VirtcatalogError(side.nothing)
    check_names(environments, environment_names(side), f"in {label}")
    check_places((matching_name.where for matching_name in dumps), side.overlays, f"in {label}")
    side = only(side, environments)
    targets = _targets(side, catalog, folder)
    names = list(dict.fromkeys(matching_name for name in names for matching_name in _matching(name, targets)))
    missing = [name for name in names if name not in targets]
    if missing:
        faults = "; ".join(f"there is no {name!r}{_hint(name, targets)}" for name in missing)
        raise VirtcatalogError(f"{path}: {faults}")
    kubevirt = conditions or Conditions()
    return [_impact(name, targets[name], side, folder, dumps, kubevirt, environments) for name in names]


def _hint(name: str, targets: Iterable[str]) -> str:
    """Say what was meant by a name that is not there, or where it is."""
    if name in RESERVED_INSTANCETYPES | RESERVED_PREFERENCES:
        return f", which is KubeVirt's own: with -c {SHIPPED} and -f VMS, it is told which of them use it"
    return nearest(name, targets)


def _matching(name: str, names: Iterable[str]) -> list[str]:
    """The names that match a pattern such as `m.*`; `name` itself if it is no pattern, or nothing matches."""
    if not set("*?[") & set(name):
        return [name]
    return [candidate for candidate in names if fnmatchcase(candidate, name)] or [name]


def _impact(
    name: str,
    target: _Target,
    side: Side,
    folder: Folder,
    dumps: Sequence[Dump],
    conditions: Conditions,
    environments: Sequence[str],
) -> Impact:
    if target.kind == "component":
        without = only(_without_component(name, folder, side.label), environments)
        removed = set() if without.problems else set(_differing(side, without))
    else:
        removed = set(target.objects)
        without = msgspec.structs.replace(
            side,
            objects={
                environment: [manifest for manifest in objects if identity(manifest)[::2] not in removed]
                for environment, objects in side.objects.items()
            },
            views=side.views.without(removed) if side.views is not None else None,
        )
    fleet = Fleet()
    previews: tuple[str, ...] = ()
    if not without.problems:
        reviewer = Reviewer(side, without, (conditions, conditions), others(dumps), environments)
        reviewer.templates()
        reviewer.vms(vms_of(dumps))
        fleet, previews = reviewer.done(), tuple(reviewer.comparisons.previews())
    return Impact(
        name=name,
        kind=target.kind,
        objects=tuple(sorted("/".join(manifest) for manifest in removed)),
        places=tuple(_places(name, folder, side.label)) if target.kind == "component" else (),
        uses=tuple(_uses(removed, side, dumps, conditions, environments)),
        without=fleet,
        previews=previews,
        problems=without.problems,
    )


def _differing(side: Side, without: Side) -> Iterator[tuple[str, str]]:
    for environment, objects in side.objects.items():
        remaining = {identity(manifest): manifest for manifest in without.objects.get(environment, ())}
        yield from (identity(manifest)[::2] for manifest in objects if remaining.get(identity(manifest)) != manifest)


class _Target(msgspec.Struct, frozen=True):
    """What a name stands for; `objects` by kind and name."""

    kind: Kind
    objects: frozenset[tuple[str, str]] = frozenset()


def _targets(side: Side, catalog: Catalog | None, folder: Folder) -> dict[str, _Target]:
    """Return the targets of all names; an object hides a class or component of its name."""
    targets: dict[str, _Target] = {}
    if catalog is not None:
        for name in components_of(folder):
            targets[name] = _Target("component")
        classes: dict[str, set[tuple[str, str]]] = {}
        for entry in catalog.instancetypes:
            kinds = [kind for kind in CATALOG_KINDS if kind.endswith("Instancetype")]
            for name in {entry.series, f"{entry.series}{entry.version}"}:
                classes.setdefault(name, set()).update((kind, entry.name) for kind in kinds)
        targets |= {name: _Target("class", frozenset(objects)) for name, objects in classes.items()}
    by_name: dict[str, set[tuple[str, str]]] = {}
    for objects in side.objects.values():
        for manifest in objects:
            kind, _, name = identity(manifest)
            if kind in CATALOG_KINDS:
                by_name.setdefault(name, set()).add((kind, name))
    for name, pairs in by_name.items():
        is_type = any(kind.endswith("Instancetype") for kind, _ in pairs)
        targets[name] = _Target("instance type" if is_type else "preference", frozenset(pairs))
    return targets


def _uses(
    removed: set[tuple[str, str]],
    side: Side,
    dumps: Sequence[Dump],
    conditions: Conditions,
    environments: Sequence[str],
) -> Iterator[Use]:
    clusters: dict[tuple[str, str], Comparison] = {}
    shared = others(dumps)

    def use(name: str, vm: Data, environment: str, where: str = "", *, template: bool) -> Use | None:
        if (environment, where) not in clusters:
            around = [*shared.get("", ()), *(shared.get(where, ()) if where else ())]
            clusters[environment, where] = Comparison((side, side), environment, (conditions, conditions), around)
        referenced = references(vm, clusters[environment, where].base) or []
        objects = tuple("/".join(reference[::2]) for reference in referenced if reference[::2] in removed)
        return Use(name, objects, _infers(vm), template, environment) if objects else None

    for vm_template in side.vms:
        vm_use = use(vm_template.key, vm_template.manifest, vm_template.environment, template=True)
        if vm_use:
            yield vm_use
    machines = vms_of(dumps)
    for vm, where in tracked(((machine.vm, machine.where) for machine in machines), len(machines), "VMs"):
        name = f"{namespace_of(vm)}/{identity(vm)[2]}"
        for environment in environments_for(vm, side.overlays, where, environments):
            vm_use = use(name, vm, environment, where, template=False)
            if vm_use:
                yield vm_use


def _infers(vm: Data) -> bool:
    matchers = map_at(vm, "spec")
    return any(isinstance(matchers.get(key), dict) and "inferFromVolume" in matchers[key] for key in MATCHERS)


def _without_component(name: str, catalog: Folder, label: str) -> Side:
    components = {**components_of(catalog), name: {}}
    return read_side(catalog.changed({COMPONENTS: dump(components).encode()}), label)


def _places(name: str, catalog: Folder, label: str) -> Iterator[Problem]:
    """Yield every place of the catalog that mixes the component in."""
    for path in catalog.listing().files:
        if path not in _DECLARATIONS and not path.startswith(("instancetypes/", "preferences/")):
            continue
        text = Text(catalog.read(path), Path(label, path).as_posix())
        for index, data in text.documents():
            for field in _mixed(data, name, ()):
                line, column = text.place(index, field)
                owner = ".".join(str(part) for part in field[:-2]) or path
                yield Problem(text.file, line, column, message=f"mixed into {owner}")


def _mixed(data: Any, name: str, field: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if not isinstance(data, dict):
        return
    for key, value in data.items():
        if key == "components" and isinstance(value, list) and name in value:
            yield (*field, key, value.index(name))
        elif key != "spec":
            yield from _mixed(value, name, (*field, key))


def components_of(catalog: Folder) -> dict[str, Any]:
    """Return the components of a catalog's folder."""
    if not catalog.has(COMPONENTS):
        return {}
    for _, data in Text(catalog.read(COMPONENTS)).documents():
        return map_at(data)
    return {}
