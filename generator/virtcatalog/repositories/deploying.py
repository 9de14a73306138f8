"""What an object that deploys something deploys: a unit, of an ApplicationSet several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec.structs import replace

from virtcatalog.manifests.identity import Identity
from virtcatalog.repositories import flux
from virtcatalog.repositories.applicationsets import applications
from virtcatalog.repositories.argocd import Application, Origin, cluster_of
from virtcatalog.repositories.building import Built
from virtcatalog.repositories.clusters import Cluster, clusters_in
from virtcatalog.repositories.deployers import Deployer, deploys
from virtcatalog.repositories.helm import Charts
from virtcatalog.repositories.model import Environment, Kind, Resource
from virtcatalog.repositories.releases import flux_release
from virtcatalog.repositories.settings import is_setting
from virtcatalog.repositories.syncing import syncing
from virtcatalog.repositories.tree import Tree


class Context:
    """What all of a repository's units are looked for in: its files, and the objects that stand in them."""

    def __init__(self, tree: Tree, objects: Sequence[Resource], charts: Charts) -> None:
        self.tree, self.objects, self.charts = tree, objects, charts

    @cached_property
    def origin(self) -> Origin:
        """The repositories that Argo CD knows."""
        return Origin(self._deployers, self.tree)

    @cached_property
    def _deployers(self) -> list[Deployer]:
        return [Deployer(resource) for resource in self.objects if deploys(resource.data)]

    @cached_property
    def sources(self) -> flux.Sources:
        """The GitRepositories that Flux knows."""
        kustomizations = (deployer for deployer in self._deployers if deployer.kind == "Kustomization")
        return flux.sources_in(self.objects, kustomizations, self.tree)

    @cached_property
    def clusters(self) -> list[Cluster]:
        """The clusters of which there are Secrets."""
        return list(clusters_in(resource.data for resource in self.objects))

    @cached_property
    def settings(self) -> list[Resource]:
        """The ConfigMaps and Secrets."""
        return [resource for resource in self.objects if is_setting(resource.data)]

    @cached_property
    def encrypted(self) -> dict[Identity, bytes]:
        """The ConfigMaps and Secrets that are encrypted, each with a digest."""
        return dict(setting for path in self.tree.files for setting in self.tree.documents(path).encrypted)


class Unit(NamedTuple):
    """What is deployed as one.

    `deployer` is what deploys it, None for a kustomization that nothing does. `folders` and `files` are those that it
    takes: what is in them is nobody else's. `cluster` is where it lands if it deploys other units.
    """

    environment: Environment
    deployer: Deployer | None = None
    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    cluster: str = ""

    @property
    def key(self) -> str:
        """What its deployer is known by, "" for none."""
        return self.deployer.key if self.deployer else ""

    @property
    def deployers(self) -> Iterator[Deployer]:
        """What it deploys that deploys something."""
        return (Deployer(resource) for resource in self.environment.resources if deploys(resource.data))

    @property
    def settings(self) -> list[Resource]:
        """The ConfigMaps and Secrets that it deploys."""
        return [resource for resource in self.environment.resources if is_setting(resource.data)]


def units_of(deployer: Deployer, context: Context, settings_beside: Sequence[Resource]) -> tuple[Unit, ...]:
    """Return what an object deploys; `settings_beside` are ConfigMaps and Secrets that are deployed with it."""
    tree, settings = context.tree, [*settings_beside, *context.settings]
    match deployer.kind:
        case "Kustomization":
            return (_of_flux(deployer, context, settings),)
        case "HelmRelease":
            is_here = context.sources.is_here(deployer, "chart", "spec")
            result = flux_release(deployer, tree, context.charts, settings, is_here=is_here)
            return (_unit(deployer, context, result),)
        case "Application":
            return (_of_argocd(deployer, context),)
        case _:
            generated = applications(deployer, tree, context.clusters)
            units = tuple(_of_argocd(Deployer(resource), context) for resource in generated.applications)
            unrendered_unit = _unit(deployer, context, Built(unrendered=generated.unrendered, opaque=generated.opaque))
            return (*units, unrendered_unit) if generated.unrendered or not units else units


def _of_flux(deployer: Deployer, context: Context, settings: Sequence[Resource]) -> Unit:
    tree, at = context.tree, flux.folder_of(deployer)
    if not context.sources.is_here(deployer):
        reference = deployer.get("sourceRef", of=dict) or {}
        source = f"{reference.get('kind')} {reference.get('name')}"
        return _unit(deployer, context, _elsewhere(deployer, "spec.sourceRef", f"{source} is not rendered"))
    if at is None or not tree.is_folder(at):
        message = f"{deployer.text('path')} is no folder of this repository"
        return _unit(deployer, context, _elsewhere(deployer, "spec.path", message))
    return _unit(deployer, context, flux.built(deployer, tree, settings, context.encrypted))._replace(cluster=at)


def _elsewhere(deployer: Deployer, field: str, message: str) -> Built:
    return Built(unrendered=(deployer.problem(field, message),))


def _of_argocd(deployer: Deployer, context: Context) -> Unit:
    result = Application(deployer, context.tree, context.origin, context.charts).built()
    return _unit(deployer, context, result, cluster_of(deployer))


def _unit(deployer: Deployer, context: Context, result: Built, cluster: str = "") -> Unit:
    place = deployer.resource.place
    kind: Kind = "Application" if deployer.kind == "ApplicationSet" else deployer.kind  # type: ignore[assignment]
    folder = context.tree.path_of(place.file).rpartition("/")[0]
    environment = result.environment(deployer.name, kind, folder, place, cluster)
    environment = replace(environment, syncing=syncing(deployer, kind, context.settings))
    return Unit(environment, deployer, result.folders, result.files)
