"""The VMs that a command is about, and the objects of the cluster that they meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from virtcatalog.cli.inputs import catalog_objects, companions, read_apart
from virtcatalog.errors import ManifestError, Problem, VirtcatalogError
from virtcatalog.manifests.sources import exists, is_catalog

if TYPE_CHECKING:
    from virtcatalog.catalog.model import Catalog, VmTemplate


class Located(NamedTuple):
    """A manifest, and how to say that something is wrong with one of its fields."""

    manifest: dict[str, Any]
    problem: Callable[[str, str], Problem]

    @property
    def name(self) -> str:
        """`namespace/name`."""
        metadata = self.manifest.get("metadata") or {}
        return f"{metadata.get('namespace') or 'default'}/{metadata.get('name') or metadata.get('generateName')}"


class Batch(NamedTuple):
    """VMs that meet the same cluster; `unreadable` is what is wrong with VMs that cannot be read, a list a VM.

    `kubevirt` is the release that their environment is said to run, "" when nothing says so. `without_vm` are the files
    with neither a VM nor anything that one meets, of which nothing else is told.
    """

    vms: list[Located]
    objects: list[Located]
    unreadable: list[list[Problem]]
    environment: str = ""
    kubevirt: str = ""
    without_vm: tuple[str, ...] = ()


class _Files(NamedTuple):
    batch: Batch
    problems: list[Problem]


def gather(
    sources: Iterable[str], catalog: str | None, cluster: Iterable[str] = ()
) -> tuple[list[Batch], list[Problem]]:
    """Return the VMs of files, folders, `-` and catalogs' `vms/`; without sources, those of the catalog's `vms/`.

    VMs of a template meet what is in its file beside them; those rendered for an environment, the objects that its
    overlay deploys. All meet the objects that `cluster` names, whose VMs are not among those asked for. The problems
    are those of the input that make no VM's answer wrong. ManifestError for an object of the cluster that cannot be
    read, CatalogError for a catalog.
    """
    plain: list[str] = []
    templates: list[tuple[Catalog, VmTemplate]] = []
    for source in sources or [catalog or "catalog"]:
        folder = catalog_around(source)
        if folder is None:
            plain.append(source)
        else:
            templates += _templates(folder, source)
    if plain and not sources:
        raise VirtcatalogError(f"{plain[0]} is no catalog that holds VM templates: name VMs with -f")
    files = _from_files(plain)
    files.batch.objects[:0] = [Located(each.data, each.problem) for each in companions(cluster)]
    batches = [*_environments(templates, catalog, files.batch.objects)]
    if plain:
        objects = [unplaced(each) for each in catalog_objects(catalog)]
        batches.append(files.batch._replace(objects=[*objects, *files.batch.objects]))
    if not any(batch.vms or batch.unreadable for batch in batches) and not files.problems:
        raise VirtcatalogError(f"no VirtualMachine in {', '.join(sources) or catalog or 'catalog'}")
    return batches, files.problems


def catalog_around(source: str) -> Path | None:
    """The catalog that a source is, or in whose `vms/` it is."""
    if source == "-":
        return None
    if is_catalog(source):
        return Path(source)
    path = Path(source)
    for folder in (path, *path.parents):
        if folder.name == "vms" and is_catalog(str(folder.parent)):
            return folder.parent
    return None


def _templates(folder: Path, source: str) -> Iterator[tuple[Catalog, VmTemplate]]:
    """The VMs of a catalog that are rendered from a file, from a folder below `vms/`, or all."""
    from virtcatalog.catalog.load import load_catalog

    wanted = Path(source)
    if not exists(source):
        raise ManifestError(Problem(file=source, message="No such file or directory"))
    catalog = load_catalog(folder)
    found = [each for each in catalog.vms if wanted == folder or (folder / each.file).is_relative_to(wanted)]
    if not found:
        raise VirtcatalogError(f"{source}: the catalog {folder} renders no VirtualMachine from it")
    return ((catalog, each) for each in found)


def _environments(
    templates: list[tuple[Catalog, VmTemplate]], named: str | None, beside: list[Located]
) -> Iterator[Batch]:
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.render.environment import deployed

    files: dict[tuple[str, str, str], list[VmTemplate]] = {}
    catalogs: dict[str, Catalog] = {}
    for catalog, template in templates:
        catalogs[catalog.path] = catalog
        files.setdefault((catalog.path, template.environment, template.file), []).append(template)
    objects: dict[tuple[str, str], list[Located]] = {}
    for (path, environment, _), members in files.items():
        if (path, environment) not in objects:
            if named and not is_catalog(named):
                manifests = catalog_objects(named)
            else:
                other = named if named and Path(named).resolve() != Path(path).resolve() else None
                manifests = deployed(load_catalog(other) if other else catalogs[path], environment)
            objects[path, environment] = [unplaced(each) for each in manifests]
        own = [Located(each, partial(_beside, members[0], each)) for each in members[0].companions]
        vms = [Located(each.manifest, each.problem) for each in members]
        release = next((each.kubevirt for each in catalogs[path].overlays if each.name == environment), "")
        yield Batch(vms, [*objects[path, environment], *own, *beside], [], environment, release)


def _beside(template: VmTemplate, manifest: dict[str, Any], field: str, message: str) -> Problem:
    from virtcatalog.api.decode import manifest_name

    source = template.source
    return Problem(source.file, source.line, source.column, manifest_name(manifest), field, message)


def unplaced(manifest: dict[str, Any]) -> Located:
    """A manifest that stands in no file."""
    return Located(manifest, partial(_in, manifest))


def _in(manifest: dict[str, Any], field: str, message: str) -> Problem:
    from virtcatalog.api.decode import manifest_name

    return Problem(object=manifest_name(manifest), field=field, message=message)


def _from_files(sources: list[str]) -> _Files:
    from virtcatalog.api.kinds import holds_vm, kind_type, unserved
    from virtcatalog.kubevirt.cluster import counts

    manifests, problems = read_apart(sources)
    holding = {each.file for each in manifests if each.problems or holds_vm(each.data) or counts(each.data)}
    batch = Batch([], [], [], without_vm=tuple(sorted({each.file for each in manifests} - holding)))
    fatal: list[Problem] = []
    for each in manifests:
        data = each.data if isinstance(each.data, dict) else {}
        version, kind = str(data.get("apiVersion")), str(data.get("kind"))
        if not each.problems:
            (batch.vms if holds_vm(data) else batch.objects).append(Located(data, each.problem))
        elif holds_vm(data):
            batch.unreadable.append(each.problems)
        elif kind_type(version, kind) or unserved(version, kind):
            fatal += each.problems
        else:
            problems += each.problems
    if fatal:
        raise ManifestError(*fatal, *problems)
    return _Files(batch, problems)
