"""The sides of a comparison, read from folders; what cannot be read is a problem of the side."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from virtcatalog.api.kinds import INSTANCETYPE_KINDS, PREFERENCE_KINDS, TEMPLATE
from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.model import Catalog
from virtcatalog.catalog.places import Source
from virtcatalog.environments import BASE as NOWHERE
from virtcatalog.environments import environments_of
from virtcatalog.errors import CatalogError, Problem
from virtcatalog.manifests.folder import Folder
from virtcatalog.manifests.identity import Data, Identity
from virtcatalog.manifests.layout import BASE, CATALOG, COMPONENTS, OWNED
from virtcatalog.review.deployed import side_of
from virtcatalog.review.side import Side, Vm, within

if TYPE_CHECKING:
    from virtcatalog.repositories.helm import Renderer

#: How often a broken catalog is read again without its broken files.
_ROUNDS = 4


def read_side(folder: Folder, label: str, renderer: Renderer | None = None) -> Side:
    """Read a catalog, an output tree, a repository or a file of manifests; what is wrong is in `problems`.

    `label` is what it is called in messages. Without a `renderer` no chart of a repository is rendered.
    """
    if folder.has(CATALOG):
        return _read_catalog(folder, label)
    from virtcatalog.repositories.find import find  # fifty modules, of no use to a catalog

    base = folder.folder(BASE) if folder.has(OWNED) else None
    repository = find(folder, label, renderer) if base is None else find(base, f"{label}/{BASE}", renderer)
    return side_of(repository, label)


def _read_catalog(folder: Folder, label: str) -> Side:
    try:
        return side_of_catalog(load_catalog(label, folder), label)
    except CatalogError as error:
        problems = error.problems
    broken = _files_of(problems, label)
    for _ in range(_ROUNDS):
        if broken & {CATALOG, COMPONENTS, "", "."}:
            break
        try:
            side = side_of_catalog(load_catalog(label, folder.changed(dict.fromkeys(broken))), label)
        except CatalogError as error:
            more = _files_of(error.problems, label)
            if more <= broken:
                break
            broken |= more
        else:
            return msgspec.structs.replace(side, problems=problems, left_out=frozenset(broken))
    return Side(label=label, problems=problems, left_out=frozenset({"*"}))


def _files_of(problems: Iterable[Problem], label: str) -> set[str]:
    """The files within a catalog that are at fault; "." for one of a catalog that it extends, beside it."""
    files = (within(problem.file, label) for problem in problems)
    return {"." if file.startswith(("/", "../")) else file for file in files}


def side_of_catalog(catalog: Catalog, label: str) -> Side:
    """Return a catalog as a side, called `label` in messages."""
    landing = [(vm, environments_of(vm, catalog.overlays)) for vm in catalog.vms]
    companions: dict[str, list[Data]] = {}
    for vm_template, environments in landing:
        for environment in environments:
            companions.setdefault(environment, []).extend(vm_template.companions)
    fields: dict[Identity, Callable[[str], Source]] = {
        (kind, "", entry.name): entry.place
        for entries, kinds in (
            (catalog.instancetypes, INSTANCETYPE_KINDS),
            (catalog.preferences, PREFERENCE_KINDS),
        )
        for entry in entries
        for kind in kinds
    }
    for template in catalog.templates:
        for namespace in ("", *(overlay.template_namespace for overlay in catalog.overlays)):
            fields[TEMPLATE, namespace, template.name] = partial(_itself, template.source)
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
            Vm(
                key=vm_template.key,
                manifest=vm_template.manifest,
                environment=environment,
                place=vm_template.source,
                field=vm_template.origin.field,
            )
            for vm_template, environments in landing
            for environment in environments
        ),
        fields=fields,
    )


def _itself(source: Source, _field: str) -> Source:
    """Where an object is declared, whichever of its fields is asked for."""
    return source
