"""What a HelmRelease has done to the objects of its chart: kustomize builds them again, with patches and images.

Source: fluxcd/helm-controller, internal/postrender/{build,kustomize,common_renderer}.go.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Final

from virtcatalog.api.findings import Path, field_path
from virtcatalog.catalog.places import Source
from virtcatalog.manifests.folder import held
from virtcatalog.manifests.identity import Data
from virtcatalog.repositories.building import LISTS, Built, with_metadata
from virtcatalog.repositories.deployers import Deployer
from virtcatalog.repositories.documents import Opaque, digest_of
from virtcatalog.repositories.fluxpatches import faults_of_patches, patches_at
from virtcatalog.repositories.kustomize.build import Built as Kustomized
from virtcatalog.repositories.kustomize.build import build
from virtcatalog.repositories.kustomize.declared import Added
from virtcatalog.repositories.kustomize.files import Reading
from virtcatalog.repositories.model import Resource

_FOLDER: Final = "rendered"


def post_rendered(built: Built, deployer: Deployer, reading: Reading) -> Built:
    """Return what post-renderers make of what a chart makes; where they cannot be applied they are named."""
    for index, renderer in enumerate(deployer.items("postRenderers")):
        options = renderer.get("kustomize") if isinstance(renderer, dict) else None
        if not isinstance(options, dict):
            continue
        field = ("postRenderers", index, "kustomize")
        if faults := tuple(faults_of_patches(deployer, *field)):
            return built._replace(resources=(), problems=(*built.problems, *faults), failed=True)
        added = Added(patches_at(deployer, *field), LISTS, partial(_source, deployer, field))
        again = _built_again(built.resources, added, reading)
        if again.problems and built.unrendered:  # what it patches may be in what is not rendered
            return _without(built, deployer, options)
        built = built._replace(
            resources=again.resources,
            unrendered=(*built.unrendered, *again.unrendered),
            problems=(*built.problems, *again.problems),
            failed=bool(again.problems),
        )
    common = deployer.get("commonMetadata", of=dict)
    if common is None:
        return built
    return built._replace(resources=tuple(with_metadata(resource, common) for resource in built.resources))


def _built_again(resources: Sequence[Resource], added: Added, reading: Reading) -> Kustomized:
    files = {f"{number}.json": json.dumps(resource.data).encode() for number, resource in enumerate(resources)}
    inputs = Added({"resources": [*files], **added.fields}, added.lists, added.source)
    built = build(held(files, _FOLDER), _FOLDER, added=inputs, reading=reading)
    placed = (resource._replace(field=partial(_field, resource, resources)) for resource in built.resources)
    return built._replace(resources=tuple(placed))


def _field(built: Resource, resources: Sequence[Resource], field: str) -> Source:
    """Where a field comes from: a patch, or the object as the chart makes it."""
    source = built.field(field)
    folder, _, file = source.file.rpartition("/")
    return resources[int(file.removesuffix(".json"))].field(field) if folder == _FOLDER else source


def _source(deployer: Deployer, field: Path, path: Path) -> Source:
    return deployer.resource.field(field_path(("spec", *field, *path)))


def _without(built: Built, deployer: Deployer, options: Data) -> Built:
    """What is built without the post-renderers, which are named; if there are VMs, a change of them is noticed."""
    problem = deployer.problem("spec.postRenderers", "are not applied to what the chart renders")
    opaque = (Opaque(problem, digest_of(options)),) if built.holds_vms else ()
    return built._replace(unrendered=(*built.unrendered, problem), opaque=(*built.opaque, *opaque))
