"""Puts together what is checked: a loaded catalog, and manifests from beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from itertools import chain
from typing import Any

from msgspec.structs import replace

from virtcatalog.api.decode import manifest_name
from virtcatalog.api.findings import inspect
from virtcatalog.api.kinds import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE, holds_vm, type_of
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.model import Catalog, Entry, VmTemplate
from virtcatalog.catalog.places import Source
from virtcatalog.check.subject import Inventory, Subject
from virtcatalog.environments import environments_for, environments_of
from virtcatalog.fleet.outcome import Deployed, Located
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.manifests.read import Manifest
from virtcatalog.releases import DEFAULT
from virtcatalog.repositories.model import Repository


def take(
    catalog: Catalog | None = None,
    manifests: Iterable[Manifest] = (),
    *,
    today: date,
    texts: Sequence[tuple[str | bytes, str]] = (),
    conditions: Conditions | None = None,
    elsewhere: Mapping[str, Iterable[Manifest]] | None = None,
    fleet: Iterable[tuple[Manifest, str]] = (),
    number: int = 0,
    upstream: Sequence[dict[str, Any]] = (),
    environments: Sequence[str] = (),
    units: Sequence[Deployed] = (),
    of_units: Iterable[Located] = (),
    repositories: Sequence[Repository] = (),
) -> Inventory:
    """Return what there is to check: of a catalog (with the texts of its files, by path), of manifests, of both.

    `elsewhere` are manifests by the environment or cluster that they are from. `fleet` are any number of manifests that
    hold VMs, with where they are from, read as they are checked; `upstream` is what those of no environment meet, too.
    With `environments` only these are checked; the declarations themselves always are. `units` are VMs of
    `repositories` with what they meet, `of_units` all objects of these.
    """
    overlays = catalog.overlays if catalog is not None else ()
    objects: list[Subject] = []
    templates: list[list[Subject]] = []
    held_vms: list[tuple[Manifest, str]] = []
    companions: list[Subject] = []
    if catalog is not None:
        landing = [(vm, environments_of(vm, overlays, environments)) for vm in catalog.vms]
        if environments:
            catalog = replace(catalog, overlays=tuple(overlay for overlay in overlays if overlay.name in environments))
        objects += _declared(catalog)
        objects += _patched(catalog)
        templates += [
            [
                Subject(
                    manifest=vm_template.manifest,
                    origin="catalog",
                    environment=environment,
                    place=vm_template.origin.field,
                )
                for environment in names
            ]
            for vm_template, names in landing
            if names
        ]
        companions += _companions(landing)
    manifests_by_place = {**(elsewhere or {}), "": [*manifests, *(elsewhere or {}).get("", ())]}
    for where, manifest in ((where, manifest) for where, batch in manifests_by_place.items() for manifest in batch):
        if holds_vm(manifest.data):
            held_vms.append((manifest, where))
            continue
        subject = _imported(manifest, where)
        (objects if subject.is_instancetype or subject.is_preference else companions).append(subject)
    for located in of_units:
        subject = _deployed(located, located.environment)
        (objects if subject.is_instancetype or subject.is_preference else companions).append(subject)
    templates += [[_deployed(vm, str(number))] for number, unit in enumerate(units) for vm in unit.vms]
    return Inventory(
        catalog=catalog,
        release=catalog.kubevirt if catalog else DEFAULT.name,
        conditions=conditions or Conditions(),
        today=today,
        objects=tuple(objects),
        vms=_vms(templates, chain(held_vms, fleet), overlays, environments),
        number=len(templates) + len(held_vms) + number,
        companions=tuple(companions),
        texts=(*((text, partial(Source, file)) for text, file in texts), *_rendered(catalog)),
        allow=catalog.allow if catalog else (),
        repositories=tuple(repositories),
        around={
            **({"": upstream} if upstream else {}),
            **{str(number): [located.manifest for located in unit.objects] for number, unit in enumerate(units)},
        },
    )


def _vms(
    templates: Iterable[Sequence[Subject]],
    manifests: Iterable[tuple[Manifest, str]],
    overlays: Sequence[Overlay],
    only: Sequence[str],
) -> Iterator[Sequence[Subject]]:
    """Yield VM templates, and manifests that hold VMs, of which one at a time is in memory."""
    yield from templates
    for manifest, where in manifests:
        # KubeVirt's API server drops nulls, so the VM is expanded without.
        subject = Subject(manifest=manifest.data, origin="import", where=where, place=partial(_in_manifest, manifest))
        if isinstance(manifest.object, VirtualMachine):
            environments = environments_for(manifest.data, overlays, where, only)
            yield [replace(subject, environment=environment) for environment in environments]
        else:
            yield [subject]


def _declared(catalog: Catalog) -> Iterator[Subject]:
    """Every entry once, as the cluster-wide kind: the namespaced kind has the same spec."""
    groups: tuple[tuple[Iterable[Entry], str], ...] = (
        (catalog.instancetypes, CLUSTER_INSTANCETYPE),
        (catalog.preferences, CLUSTER_PREFERENCE),
    )
    for entries, kind in groups:
        for entry in entries:
            yield Subject(manifest=entry.manifest(kind), origin="catalog", place=entry.place)


def _patched(catalog: Catalog) -> Iterator[Subject]:
    """The objects whose spec an environment changes, as it deploys them."""
    for overlay in catalog.overlays:
        if not any("spec" in patch.patch for patch in overlay.patches):
            continue
        changed = {
            (manifest["kind"], manifest["metadata"]["name"])
            for manifest in catalog.objects()
            if overlay.includes(manifest) and any("spec" in patch for patch in overlay.patches_for(manifest))
        }
        for manifest in catalog.objects(overlay.name):
            if (manifest["kind"], manifest["metadata"]["name"]) in changed:
                yield Subject(
                    manifest=manifest,
                    origin="environment",
                    environment=overlay.name,
                    place=_constant(overlay.source),
                )


def _companions(landing: Iterable[tuple[VmTemplate, list[str]]]) -> Iterator[Subject]:
    """What lies beside the VM templates, once per file and environment."""
    keys: set[tuple[str, str, str]] = set()
    for template, environment in (
        (vm_template, environment) for vm_template, names in landing for environment in names
    ):
        for manifest in template.companions:
            key = (template.file, environment, manifest_name(manifest))
            if key not in keys:
                keys.add(key)
                yield Subject(
                    manifest=manifest,
                    origin="catalog",
                    environment=environment,
                    place=_constant(template.source),
                )


def _rendered(catalog: Catalog | None) -> Iterator[tuple[str | bytes, Callable[[int, int], Source]]]:
    """The texts of templates: the files themselves are no YAML."""
    for template in catalog.vms if catalog else ():
        if template.file.endswith(".j2"):
            yield template.origin.text, template.origin.place


def _imported(manifest: Manifest, where: str) -> Subject:
    """A manifest as the API server sees it, and as it was written."""
    place = partial(_in_manifest, manifest)
    if manifest.object is None:
        return Subject(manifest=manifest.data, origin="import", where=where, place=place)
    inspected, _ = inspect(manifest.data, type(manifest.object))
    return Subject(manifest=inspected, written=manifest.data, origin="import", where=where, place=place)


def _deployed(located: Located, where: str) -> Subject:
    """An object of a repository, or a VM of one."""
    typed = type_of(located.manifest)
    is_vm = typed is None or holds_vm(located.manifest)
    return Subject(
        manifest=located.manifest if is_vm or typed is None else inspect(located.manifest, typed)[0],
        written=None if is_vm else located.manifest,
        origin="import",
        environment=located.environment,
        where=where,
        place=partial(_of_problem, located),
    )


def _of_problem(located: Located, field: str) -> Source:
    problem = located.problem(field, "")
    return Source(problem.file, problem.line, problem.column)


def _constant(source: Source) -> Callable[[str], Source]:
    return lambda _field: source


def _in_manifest(manifest: Manifest, field: str) -> Source:
    place: Any = partial(manifest.place, field)
    return Source(manifest.file, find=place)
