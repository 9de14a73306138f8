"""One side of a comparison: what a catalog, an output tree or a folder of manifests holds, as far as it is sound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from virtcatalog.api.kinds import holds_vm
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.kinds import TEMPLATE
from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.model import Budget, Catalog
from virtcatalog.catalog.places import Source
from virtcatalog.environments import BASE as NOWHERE
from virtcatalog.environments import environments_of
from virtcatalog.errors import CatalogError, ManifestError, Problem
from virtcatalog.manifests.folder import Folder, SourceError, manifest_files
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.manifests.layout import BASE, CATALOG, COMPONENTS, OWNED
from virtcatalog.manifests.read import Manifest, read_manifests

_ROUNDS = 4


class Vm(msgspec.Struct, frozen=True, kw_only=True):
    """A VM template in one of the environments that it is for.

    `key` and `environment` are what it is recognised by on the other side, `place` is where it is declared,
    `field` finds one of its fields there.
    """

    key: str
    manifest: Data
    environment: str = ""
    place: Source
    field: Callable[[str], Source] | None = None


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """What there is on one side.

    `objects` are the published objects by environment, "" being the base; `companions` what else of a cluster the VM
    templates' files hold, by environment; `overlays` the environments themselves. What is no `catalog` has none.
    `configuration` is the KubeVirt CR that counts in place of those among the objects. `places` says where the objects
    are declared, and `fields` where each of their fields is. `left_out` are the files of a broken catalog that could
    not be read on; "*" when nothing of it could.
    """

    label: str
    objects: Mapping[str, list[Data]] = {}
    companions: Mapping[str, list[Data]] = {}
    overlays: tuple[Overlay, ...] = ()
    catalog: bool = False
    configuration: Data | None = None
    budgets: tuple[Budget, ...] = ()
    vms: tuple[Vm, ...] = ()
    places: Mapping[Identity, Source] = {}
    fields: Mapping[Identity, Callable[[str], Source]] = {}
    problems: tuple[Problem, ...] = ()
    left_out: frozenset[str] = frozenset()

    @property
    def nothing(self) -> str:
        """Say that there is no catalog and no manifest; "" when there is, or when it cannot be read."""
        found = self.catalog or self.vms or self.problems or any(self.objects.values())
        return "" if found else f"{self.label}: there is no {CATALOG}, and no manifest"

    def objects_in(self, environment: str) -> Sequence[Data]:
        """Return what VMs of an environment find; a side that has none is the same everywhere."""
        return self.objects.get(environment if self.overlays else NOWHERE, ())

    def companions_in(self, environment: str) -> Sequence[Data]:
        """Return what lies beside the VM templates of an environment."""
        return self.companions.get(environment if self.overlays else NOWHERE, ())


class Sound(msgspec.Struct, frozen=True):
    """Two sides without what a broken file hides on one of them, and the names of that."""

    base: Side
    head: Side
    objects: tuple[str, ...] = ()
    vms: tuple[str, ...] = ()


def sound(base: Side, head: Side) -> Sound:
    """Leave out what either side declares in files that could not be read on the other one."""
    hidden: set[tuple[str, ...]] = set()
    for broken, other in ((base, head), (head, base)):
        hidden |= {
            identity(each)[::2]
            for objects in other.objects.values()
            for each in objects
            if _is_hidden(other, other.places.get((each["kind"], "", identity(each)[2])), broken)
        }
    vms = {
        vm.key
        for broken, other in ((base, head), (head, base))
        for vm in other.vms
        if _is_hidden(other, vm.place, broken)
    }
    if not (base.left_out or head.left_out):
        return Sound(base, head)
    environments = base.objects.keys() & head.objects.keys()

    def rest(side: Side) -> Side:
        return msgspec.structs.replace(
            side,
            objects={
                name: [each for each in objects if identity(each)[::2] not in hidden]
                for name, objects in side.objects.items()
                if name in environments
            },
            vms=tuple(vm for vm in side.vms if vm.key not in vms and vm.environment in environments),
        )

    lost = {vm.key for side in (base, head) for vm in side.vms if vm.environment not in environments}
    names = sorted({"/".join(pair) for pair in hidden})
    return Sound(rest(base), rest(head), tuple(names), tuple(sorted(vms | lost)))


def _is_hidden(side: Side, place: Source | None, broken: Side) -> bool:
    if "*" in broken.left_out:
        return True
    return place is not None and _within(place.file, side.label) in broken.left_out


def read_side(folder: Folder, label: str) -> Side:
    """Read a catalog, an output tree, a folder of manifests or a file of them; what is wrong is in `problems`.

    `label` is what it is called in messages.
    """
    if folder.has(CATALOG):
        return _read_catalog(folder, label)
    base = folder.folder(BASE) if folder.has(OWNED) else None
    return _read_manifests(folder, label, label) if base is None else _read_manifests(base, f"{label}/{BASE}", label)


def _read_catalog(folder: Folder, label: str) -> Side:
    try:
        return _of_catalog(load_catalog(label, folder), label)
    except CatalogError as error:
        problems = error.problems
    broken = _files_of(problems, label)
    for _ in range(_ROUNDS):
        if broken & {CATALOG, COMPONENTS, "", "."}:
            break
        try:
            side = _of_catalog(load_catalog(label, folder.changed(dict.fromkeys(broken))), label)
        except CatalogError as error:
            more = _files_of(error.problems, label)
            if more <= broken:
                break
            broken |= more
        else:
            return msgspec.structs.replace(side, problems=problems, left_out=frozenset(broken))
    return Side(label=label, problems=problems, left_out=frozenset({"*"}))


def _files_of(problems: Iterable[Problem], label: str) -> set[str]:
    return {_within(problem.file, label) for problem in problems}


def _within(file: str, label: str) -> str:
    """The path in a side of a file that is called after it; the side itself is ""."""
    side = Path(label).as_posix()
    return "" if file == side else file.removeprefix(f"{side}/")


def _of_catalog(catalog: Catalog, label: str) -> Side:
    landing = [(vm, environments_of(vm, catalog.overlays)) for vm in catalog.vms]
    companions: dict[str, list[Data]] = {}
    for template, environments in landing:
        for environment in environments:
            companions.setdefault(environment, []).extend(template.companions)
    entries = {
        (kind, "", entry.name): entry
        for entries, kinds in (
            (catalog.instancetypes, ("VirtualMachineClusterInstancetype", "VirtualMachineInstancetype")),
            (catalog.preferences, ("VirtualMachineClusterPreference", "VirtualMachinePreference")),
        )
        for entry in entries
        for kind in kinds
    }
    places = {which: entry.source for which, entry in entries.items()} | {
        (TEMPLATE, each, template.name): template.source
        for template in catalog.templates
        for each in ("", *(overlay.template_namespace for overlay in catalog.overlays))
    }
    return Side(
        label=label,
        objects={
            name: [*catalog.objects(name), *catalog.template_objects(name)]
            for name in (NOWHERE, *(overlay.name for overlay in catalog.overlays))
        },
        companions=companions,
        overlays=catalog.overlays,
        catalog=True,
        budgets=catalog.budgets,
        vms=tuple(
            Vm(key=vm_template.key, manifest=vm_template.manifest, environment=environment, place=vm_template.source)
            for vm_template, environments in landing
            for environment in environments
        ),
        places=places,
        fields={which: entry.place for which, entry in entries.items()},
    )


def _read_manifests(folder: Folder, shown: str, label: str) -> Side:
    manifests, problems = read_folder(folder, shown)
    objects, vms, places, fields = [], [], {}, {}
    for manifest in manifests:
        place, field = Source(manifest.file, find=manifest.place), partial(_field, manifest)
        if holds_vm(manifest.data):
            key = "/".join(identity(manifest.data)[1:]).lstrip("/")
            vms.append(Vm(key=key, manifest=manifest.data, place=place, field=field))
        else:
            objects.append(manifest.data)
            places[identity(manifest.data)] = place
            fields[identity(manifest.data)] = field
    return Side(
        label=label,
        objects={"": objects},
        vms=tuple(vms),
        places=places,
        fields=fields,
        problems=tuple(problems),
        left_out=frozenset(_files_of(problems, label)),
    )


def _field(manifest: Manifest, field: str) -> Source:
    return Source(manifest.file, *manifest.place(field))


def read_folder(folder: Folder, shown: str) -> tuple[list[Manifest], list[Problem]]:
    """Read every manifest of a folder or file, and say what is wrong with the others."""
    files, faults = manifest_files(folder)
    manifests: list[Manifest] = []
    problems = [Problem(file=Path(shown, path).as_posix(), message=message) for path, message in faults]
    for path in files:
        name = Path(shown, path).as_posix()
        try:
            manifests += read_manifests(folder.read(path), name)
        except ManifestError as error:
            problems += error.problems
        except SourceError as error:
            problems.append(Problem(file=name, message=error.message))
    return manifests, sorted(problems)
