"""What an object that deploys something deploys: a unit, of an ApplicationSet several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from virtcatalog.repositories import flux
from virtcatalog.repositories.building import Built
from virtcatalog.repositories.deployers import Deployer, deploys
from virtcatalog.repositories.helm import Charts
from virtcatalog.repositories.model import Environment, Resource
from virtcatalog.repositories.releases import flux_release
from virtcatalog.repositories.tree import Tree


class Context:
    """What all of a repository's units are looked for in: its files, and the objects that stand in them."""

    def __init__(self, tree: Tree, objects: Sequence[Resource], charts: Charts) -> None:
        self.tree, self.objects, self.charts = tree, objects, charts

    @cached_property
    def sources(self) -> flux.Sources:
        """The GitRepositories that Flux knows."""
        return flux.sources_in(self.objects)

    @cached_property
    def config_maps(self) -> list[Resource]:
        """The ConfigMaps."""
        return [resource for resource in self.objects if resource.data.get("kind") == "ConfigMap"]


class Unit(NamedTuple):
    """What is deployed as one.

    `deployer` is what deploys it, None for a kustomization that nothing does. `folders` are those that it takes: what
    is in them is nobody else's. `cluster` is where it lands if it deploys other units.
    """

    environment: Environment
    deployer: Deployer | None = None
    folders: tuple[str, ...] = ()
    cluster: str = ""

    @property
    def key(self) -> str:
        """What its deployer is known by, "" for none."""
        return self.deployer.key if self.deployer else ""

    @property
    def deployers(self) -> Iterator[Deployer]:
        """What it deploys that deploys something."""
        return (Deployer(resource) for resource in self.environment.resources if deploys(resource.data))


def units_of(deployer: Deployer, context: Context) -> tuple[Unit, ...]:
    """Return what an object deploys."""
    match deployer.kind:
        case "Kustomization":
            return (_of_flux(deployer, context),)
        case "HelmRelease":
            return (_of_release(deployer, context),)
        case _:
            return ()


def _of_flux(deployer: Deployer, context: Context) -> Unit:
    tree, at = context.tree, flux.folder_of(deployer)
    if not context.sources.is_here(deployer):
        reference = deployer.get("sourceRef", of=dict) or {}
        source = f"{reference.get('kind')} {reference.get('name')}"
        result = _elsewhere(deployer, "spec.sourceRef", f"deploys {source}, which is not rendered")
    elif at is None or not tree.is_folder(at):
        result = _elsewhere(deployer, "spec.path", f"{deployer.text('path')} is no folder of this repository")
    else:
        result = flux.built(deployer, tree, context.config_maps)
        return Unit(_environment(deployer, context, result), deployer, (at,), at)
    return Unit(_environment(deployer, context, result), deployer)


def _of_release(deployer: Deployer, context: Context) -> Unit:
    is_here = context.sources.is_here(deployer, "chart", "spec")
    result = flux_release(deployer, context.tree, context.charts, context.config_maps, is_here=is_here)
    return Unit(_environment(deployer, context, result), deployer)


def _elsewhere(deployer: Deployer, field: str, message: str) -> Built:
    return Built(unrendered=(deployer.problem(field, message),))


def _environment(deployer: Deployer, context: Context, result: Built, cluster: str = "") -> Environment:
    place = deployer.resource.place
    return Environment(
        name=deployer.name,
        kind=deployer.kind,  # type: ignore[arg-type]
        folder=context.tree.path_of(place.file).rpartition("/")[0],
        place=place,
        cluster=cluster,
        **result._asdict(),
    )
