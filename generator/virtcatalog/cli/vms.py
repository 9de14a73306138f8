"""The VMs that a command is about, and the objects of the cluster that they meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from virtcatalog.cli.defaults import settings
from virtcatalog.cli.inputs import Revision, catalog_objects, companions, deployed_all, placed, repository_at
from virtcatalog.environments import (
    BASE,
    check_environments,
    check_places,
    environments_for,
    environments_of,
    release_of,
)
from virtcatalog.errors import ManifestError, Problem, VirtcatalogError, listed
from virtcatalog.fleet.files import Fleet
from virtcatalog.fleet.outcome import Located, located, problem_at, unplaced
from virtcatalog.fleet.sources import Placed
from virtcatalog.manifests.folder import NOT_THERE
from virtcatalog.manifests.sources import exists, is_catalog

if TYPE_CHECKING:
    from virtcatalog.catalog.environment import Overlay
    from virtcatalog.catalog.model import Catalog, VmTemplate
    from virtcatalog.fleet.files import Chosen
    from virtcatalog.fleet.outcome import Deployed
    from virtcatalog.review.side import Side

Objects = list[tuple[Located, str]]
"""Objects of files, each with where it is from, as `inputs.placed` reads it."""


class Batch(NamedTuple):
    """VMs that meet the same cluster; `fleet` are those of files, which are read one by one.

    `kubevirt` is the release that their environment is said to run, "" when nothing says so. `without_vm` are the files
    with neither a VM nor anything that one meets, of which nothing else is told. `alone` says that no catalog is named,
    and none is at hand.
    """

    vms: list[Located]
    objects: list[Located]
    environment: str = ""
    kubevirt: str = ""
    without_vm: tuple[str, ...] = ()
    alone: bool = False
    fleet: Fleet | Chosen | None = None

    @property
    def number(self) -> int:
        """How many VMs there are."""
        return len(self.vms) + (self.fleet.number if self.fleet else 0)

    def readable(self, problems: list[Problem]) -> Iterator[Located]:
        """Yield the VMs that can be read; add what is wrong with the others."""
        yield from self.vms
        for share in self.fleet.shares() if self.fleet else ():
            manifests, faults = share.manifests()
            problems += faults
            for manifest in manifests:
                problems += manifest.problems
                if not manifest.problems:
                    yield located(manifest, self.environment)


def gather(
    sources: Iterable[str], catalog: str | None, environments: Sequence[str], revision: str | None = None
) -> tuple[list[Batch], list[Problem]]:
    """Return the VMs of files, folders, `-` and catalogs' `vms/`; without sources, those of the catalog's `vms/`.

    Each is there once for every environment that it can be in, of those asked for if there are any. VMs of a template
    meet what is in its file beside them. All meet the objects of the repository's `cluster`, whose VMs are not among
    those asked for. With a git revision the catalog is what it is there, and so are its VMs where no sources say which.
    The problems are those of the input that make no VM's answer wrong. ManifestError for an object of the cluster that
    cannot be read, CatalogError for a catalog.
    """
    at = Revision(revision) if revision is not None else None
    plain: list[Placed] = []
    templates: list[_Template] = []
    batcher = _Batcher(catalog, environments, at)
    if at and not sources:
        templates += _templates_at(at, catalog or "catalog")
        batcher = _Batcher(None, environments, None)  # they meet their own
    repositories: dict[str, Side] = {}
    for source in map(placed, sources or ([] if at else [catalog or "catalog"])):
        folder = catalog_around(source.path)
        if folder is not None:
            templates += _templates(folder, source)
        elif not source.where and sources and (side := repository_at(source.path)) is not None:
            repositories[source.path] = side
        else:
            plain.append(source)
    if plain and not sources:
        raise VirtcatalogError(f"{plain[0].path} is no catalog that holds VM templates: name VMs with -f")
    if plain:
        batcher.load()  # a broken catalog is named before what is wrong in files
    fleet = Fleet(plain)
    objects: Objects = [(Located(own.data, own.problem), "") for own in companions(settings().cluster)]
    objects += ((Located(manifest.data, manifest.problem), where) for manifest, where in fleet.objects)
    batches = [*batcher.of_templates(templates, objects), *(batcher.of_files(fleet, objects) if plain else ())]
    units, _, unfit = deployed_all(repositories, environments)
    batches += batcher.of_units(units, objects)
    problems = [*fleet.problems, *unfit]
    if not any(batch.number for batch in batches) and not problems:
        where = f" for {listed(environments)}" if environments else ""
        hint = next(filter(None, (_meant(located.manifest) for located, _ in objects)), "")
        raise VirtcatalogError(f"no VirtualMachine{where} in {', '.join(sources) or catalog or 'catalog'}{hint}")
    return batches, problems


def _meant(manifest: Mapping[str, Any]) -> str:
    """Say why an object is no VirtualMachine that may have been meant for one, or has one in it; "" for any other."""
    from difflib import get_close_matches

    kind, version = str(manifest.get("kind")), manifest.get("apiVersion")
    if kind == "VirtualMachineTemplate":
        return "; `virtcatalog template process` makes one of a template"
    if kind == "VirtualMachine":
        return f"; a VirtualMachine is of kubevirt.io/v1, not {version!r}"
    # Other kinds begin in the same way: VirtualMachineClone is none that was meant for a VM.
    is_near = get_close_matches(kind[:20].lower(), ("virtualmachine", "vm"), cutoff=0.9)
    return f"; did you mean 'VirtualMachine' by the kind {kind!r}?" if is_near else ""


def catalog_around(source: str) -> Path | None:
    """The catalog that a source is, or in whose `vms/` it is."""
    if source == "-":
        return None
    if is_catalog(source):
        return Path(source)
    path = Path(source)
    for folder in (path, *path.parents):
        if folder.name in ("vms", "templates") and is_catalog(str(folder.parent)):
            return folder.parent
    return None


class _Template(NamedTuple):
    """A VM template of a catalog, and the environment that it was asked for, "" for all that it is for."""

    catalog: Catalog
    template: VmTemplate
    where: str


def _templates(folder: Path, source: Placed) -> Iterator[_Template]:
    """The VMs of a catalog that are rendered from a file, from a folder below `vms/`, or all."""
    from virtcatalog.catalog.load import load_catalog

    place = Path(source.path)
    if not exists(source.path):
        raise ManifestError(Problem(file=source.path, message=NOT_THERE))
    catalog = load_catalog(folder)
    vm_templates = [vm for vm in catalog.vms if place == folder or (folder / vm.file).is_relative_to(place)]
    if not vm_templates:
        raise VirtcatalogError(f"{source.path}: the catalog {folder} renders no VirtualMachine from it")
    return (_Template(catalog, vm_template, source.where) for vm_template in vm_templates)


def _templates_at(revision: Revision, path: str) -> Iterator[_Template]:
    catalog = revision.catalog(path)
    if catalog is None:
        raise VirtcatalogError(f"{path} is no catalog that holds VM templates in this revision: name VMs with -f")
    return (_Template(catalog, vm, "") for vm in catalog.vms)


class _Batcher:
    """Makes batches: VMs with what they meet of the catalog or folder that was named, or else of their own catalog."""

    def __init__(self, name: str | None, environments: Sequence[str], revision: Revision | None) -> None:
        self._name, self._environments, self._revision = name, environments, revision
        self._catalogs: dict[str, Catalog | None] = {}
        self._objects: dict[tuple[str, str], list[Located]] = {}

    def load(self) -> None:
        """Load the catalog that VMs of plain files meet."""
        self._catalog(None)

    def of_templates(self, templates: Iterable[_Template], objects: Objects) -> Iterator[Batch]:
        """Yield a batch for each file of templates and environment."""
        by_environment: dict[tuple[str, str, str], list[VmTemplate]] = {}
        for own, template, where in templates:
            catalog = self._catalog(own)
            overlays = catalog.overlays if catalog else ()
            self._check(overlays, [where], catalog.path if catalog else own.path)
            for environment in environments_of(template, overlays, [where] if where else self._environments):
                if not self._environments or environment in self._environments:
                    by_environment.setdefault((own.path, environment, template.file), []).append(template)
        catalogs = {own.path: own for own, *_ in templates}
        for (path, environment, _), members in by_environment.items():
            source, companions = members[0].source, members[0].companions
            place = source.file, source.line, source.column
            located_companions = [
                Located(companion, partial(problem_at, *place, companion)) for companion in companions
            ]
            vms = [Located(member.manifest, member.problem).located_in(environment) for member in members]
            beside = [*located_companions, *_beside(objects, environment)]
            yield self._batch(self._catalog(catalogs[path]), environment, vms, beside)

    def of_files(self, fleet: Fleet, objects: Objects) -> Iterator[Batch]:
        """Yield a batch for each environment, and cluster that is told apart; the first has the files without VMs."""
        catalog = self._catalog(None)
        overlays = catalog.overlays if catalog else ()
        self._check(overlays, (*fleet.places, *(where for _, where in objects)), self._path)
        fleets: Mapping[tuple[str, str], Fleet | Chosen] = {(BASE, ""): fleet}
        if overlays:
            fleets = fleet.by_environment(lambda vm, where: environments_for(vm, overlays, where, self._environments))
        without_vm = tuple(sorted(set(fleet.without_vm)))
        for (environment, where), vms in fleets.items() or [((BASE, ""), None)]:
            batch = self._batch(catalog, environment, [], _beside(objects, environment, where))
            yield batch._replace(fleet=vms, without_vm=without_vm)
            without_vm = ()

    def of_units(self, units: Iterable[Deployed], objects: Objects) -> Iterator[Batch]:
        """Yield a batch for the VMs of each environment of repositories, which meet what is in other files, too."""
        for environment, vms, own in units:
            batch = self._batch(self._catalog(None), BASE, vms, [*own, *_beside(objects, environment)])
            yield batch._replace(environment=environment)

    @property
    def _path(self) -> str:
        return self._name or "catalog"

    def _check(self, overlays: Sequence[Overlay], places: Iterable[str], path: str) -> None:
        check_environments(self._environments, overlays, f"in {path}")
        check_places(places, overlays, f"in {path}")

    def _catalog(self, own: Catalog | None) -> Catalog | None:
        """The catalog that VMs meet; None where it is manifests that they meet, or nothing."""
        from virtcatalog.catalog.load import load_catalog

        by_option = self._name is not None and (own is None or Path(self._name).resolve() != Path(own.path).resolve())
        if own is not None and not by_option and self._revision is None:
            return own
        path = own.path if own is not None and not by_option else self._path
        if path not in self._catalogs and self._revision is not None:
            self._catalogs[path] = self._revision.catalog(path)
        elif path not in self._catalogs:
            self._catalogs[path] = load_catalog(path) if is_catalog(path) else None
        return self._catalogs[path]

    def _batch(self, catalog: Catalog | None, environment: str, vms: list[Located], objects: list[Located]) -> Batch:
        key = catalog.path if catalog else "", environment
        if key not in self._objects:
            names = [overlay.name for overlay in catalog.overlays] if catalog else []
            # A template may be rendered for an environment that the catalog which it meets does not have.
            rendered_for = environment if environment in names else BASE
            manifests = catalog.objects(rendered_for) if catalog else self._manifests()
            self._objects[key] = [unplaced(manifest) for manifest in manifests]
        release = release_of(catalog.overlays, environment) if catalog else ""
        alone = catalog is None and self._name is None
        return Batch(vms, [*self._objects[key], *objects], environment, release, alone=alone)

    def _manifests(self) -> list[dict[str, Any]]:
        return catalog_objects(self._name) if self._revision is None else self._revision.objects(self._path)


def _beside(objects: Objects, environment: str, where: str = "") -> list[Located]:
    """The objects that VMs of an environment meet, or of the cluster of it that `where` is."""
    return [located for located, from_ in objects if from_ in ("", environment, where)]
