"""What `virtcatalog gitops argocd` and `gitops flux` print: what syncs a catalog's tree, or folders of VMs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

import click

from virtcatalog.cli.console import data, print_documents, summary
from virtcatalog.errors import counted, nearest, nearest_or_all, some

if TYPE_CHECKING:
    from virtcatalog.catalog.environment import Overlay
    from virtcatalog.catalog.model import Catalog
    from virtcatalog.gitops.ignoring import Needs
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.manifests.identity import Data
    from virtcatalog.render.gitops import Destination, Origin

_FOR_ARGOCD = "--cluster is for Argo CD; Flux syncs the cluster that it runs in."


def synced_catalog(
    tool: str, catalog: Catalog, origin: Origin, paths: Sequence[str], clusters: Sequence[str], namespace: str | None
) -> list[Data]:
    """Return what syncs the environments of a catalog: all, or those at the paths."""
    from virtcatalog.render import gitops

    overlays = _overlays(catalog, origin, paths)
    destinations = _destinations(overlays, clusters)
    if tool == "flux":
        _warn(tool, catalog, overlays, [gitops.Destination(overlay) for overlay in overlays])
        if clusters:
            raise click.UsageError(_FOR_ARGOCD)
        return gitops.flux(origin, overlays, namespace or "flux-system")
    _warn(tool, catalog, overlays, destinations)
    if paths:
        return gitops.applications(origin, destinations, namespace or "argocd")
    return [gitops.application_set(origin, destinations, namespace or "argocd")]


def _warn(tool: str, catalog: Catalog, overlays: list[Overlay], destinations: list[Destination]) -> None:
    """Say what environments take from each other in one cluster, and what the tool deletes in them."""
    from virtcatalog.render.gitops import pruned, rivals

    hint = (
        "choose one by --path"
        if tool == "flux"
        else "give them clusters of their own by --cluster, or choose by --path"
    )
    for names in rivals(catalog, destinations):
        summary(f"warning: {' and '.join(names)} have objects in common, and would be in one cluster; {hint}")
    deleting = pruned(catalog, overlays, "flux" if tool == "flux" else "argocd")
    if deleting:
        summary(
            f"note: in {', '.join(deleting)} an object that is no longer rendered is deleted, also while manifests of "
            f"VMs name it; `gitops: {{{tool}: {{prune: false}}}}` in catalog.yaml keeps it"
        )


def _overlays(catalog: Catalog, origin: Origin, paths: Sequence[str]) -> list[Overlay]:
    if not catalog.overlays:
        raise click.UsageError(f"{catalog.path} has no environments: declare one in overlays.yaml.")
    overlays = {origin.path(overlay): overlay for overlay in catalog.overlays}
    chosen = []
    for path in paths:
        place = relative(path, "--path")
        if place not in overlays:
            raise click.UsageError(f"--path {path} is no overlay of {catalog.path}{nearest_or_all(place, overlays)}")
        chosen.append(overlays[place])
    return chosen or list(catalog.overlays)


def _destinations(overlays: list[Overlay], clusters: Sequence[str]) -> list[Destination]:
    """Every environment with every cluster that gets it: as the options say, else as `overlays.yaml` does."""
    from virtcatalog.render.gitops import IN_CLUSTER, Destination

    chosen: dict[str, list[str]] = {}
    names = [overlay.name for overlay in overlays]
    for option in clusters:
        overlay_name, equals, cluster = option.partition("=")
        if not equals or not cluster:
            raise click.UsageError(f"--cluster {option}: write OVERLAY=NAME.")
        if "://" in cluster:
            raise click.UsageError(f"--cluster {option}: give its name in `argocd cluster list`, not its address.")
        if overlay_name not in names:
            hint = nearest(overlay_name, names)
            raise click.UsageError(f"--cluster {option}: there is no overlay {overlay_name!r} here{hint}")
        chosen.setdefault(overlay_name, []).append(cluster)
    destinations = []
    for overlay in overlays:
        places = list(dict.fromkeys(chosen.get(overlay.name) or overlay.clusters or (IN_CLUSTER,)))
        destinations += [Destination(overlay, place, others=len(places) > 1) for place in places]
    by_name: dict[str, Destination] = {}
    for destination in destinations:
        other = by_name.setdefault(destination.name, destination)
        if other is not destination:
            clusters_of = " and ".join(
                f"{destination.overlay.name}={destination.cluster}" for destination in (other, destination)
            )
            raise click.UsageError(f"the Applications of {clusters_of} would both be called {destination.name}.")
    return destinations


class VmSync(NamedTuple):
    """What the command line says of VMs that are to be synced."""

    catalog: str
    sources: tuple[str, ...]
    compare: str
    url: str
    revision: str
    paths: tuple[str, ...]
    name: str | None
    clusters: tuple[str, ...]
    namespace: str | None
    conditions: Conditions


def print_rules(catalog: str, sources: Sequence[str], compare: str, conditions: Conditions) -> int:
    """Print what an Application has to ignore; exit status 1 when Git has to be written otherwise first."""
    from virtcatalog.cli.inputs import read
    from virtcatalog.gitops.ignoring import written

    needed = _needs(catalog, [manifest.data for manifest in read(sources)], compare, conditions)
    data(written(needed))
    return _lacking(needed)


def sync_vms(tool: str, sync: VmSync) -> int:
    """Print what syncs each folder of VMs; exit status 1 when Git has to be written otherwise first."""
    from virtcatalog.cli.inputs import read
    from virtcatalog.fleet.sources import is_built
    from virtcatalog.gitops.deploying import Fleet, application_text, kustomization
    from virtcatalog.manifests.emit import join
    from virtcatalog.manifests.folder import manifest_files
    from virtcatalog.manifests.sources import is_folder, open_folder
    from virtcatalog.render.gitops import IN_CLUSTER, Origin, flux_source

    if sync.name and len(sync.sources) > 1:
        raise click.UsageError("--name is for one folder of VMs.")
    fleets = []
    for source in sync.sources:
        if not is_folder(source):
            raise click.UsageError(f"-f {source}: with --repo-url name a folder, by its path in the repository")
        path = relative(source, "-f")
        if not path and not sync.name:
            raise click.UsageError("-f .: give what syncs it a --name.")
        manifests = [manifest.data for manifest in read([source])]
        is_deep = not is_built(source) and any("/" in file for file in manifest_files(open_folder(source)).files)
        fleets.append(Fleet(checked_name(sync.name or PurePosixPath(path).name), path or ".", manifests, is_deep))
    origin = Origin(name=fleets[0].name, url=sync.url, revision=sync.revision)
    if tool == "flux":
        if sync.clusters:
            raise click.UsageError(_FOR_ARGOCD)
        namespace = sync.namespace or "flux-system"
        source_object, after = flux_source(origin, namespace), _catalog_kustomizations(sync)
        kustomizations = [kustomization(fleet, source_object, after, namespace) for fleet in fleets]
        print_documents([source_object, *kustomizations], "yaml")
        inferring = [name for fleet in fleets for name in fleet.inferring]
        if inferring:
            summary(
                f"inferFromVolume of {some(inferring, 3)}: KubeVirt refuses it beside the name that it infers, so Flux "
                "applies nothing from the second time on; write the name"
            )
        return int(bool(inferring))
    if len(sync.clusters) > 1:
        raise click.UsageError("--cluster is given once for VMs: each of them runs in one cluster.")
    unfit = next((cluster for cluster in sync.clusters if "=" in cluster or "://" in cluster), None)
    if unfit is not None:
        raise click.UsageError(f"--cluster {unfit}: of VMs give its name in `argocd cluster list`, and no more.")
    cluster, merges = (sync.clusters or (IN_CLUSTER,))[0], sync.compare != "client"
    needed = [_needs(sync.catalog, fleet.manifests, sync.compare, sync.conditions) for fleet in fleets]
    texts = [
        application_text(origin, fleet, needs, cluster, sync.namespace or "argocd", merges=merges)
        for fleet, needs in zip(fleets, needed, strict=True)
    ]
    data(join(texts))
    return max(map(_lacking, needed))


def checked_name(name: str) -> str:
    """Return what objects are to be called; UsageError for what Kubernetes takes for no name."""
    from virtcatalog.api.names import name_fault

    fault = name_fault(name)
    if fault:
        raise click.UsageError(f"{fault}; give another --name.")
    return name


def relative(path: str, option: str) -> str:
    """Return a path within the repository, "" for its top; UsageError for one that leads out of it."""
    inner = PurePosixPath(path)
    if inner.is_absolute() or ".." in inner.parts:
        raise click.UsageError(f"{option} {path}: the path is one within the repository.")
    return "" if str(inner) == "." else str(inner)


def _catalog_kustomizations(sync: VmSync) -> list[str]:
    """The Kustomization of the environment that the VMs' types come from: the one of --path, or the only one."""
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.manifests.sources import is_catalog

    if not is_catalog(sync.catalog):
        return []
    loaded = load_catalog(sync.catalog)
    names = [overlay.name for overlay in loaded.overlays]
    chosen = [PurePosixPath(path).name for path in sync.paths] or (names if len(names) == 1 else [])
    for name in chosen:
        if name not in names:
            raise click.UsageError(f"--path …/{name}: {loaded.path} has no environment of that name")
    if names and not chosen:
        summary(f"name the environment of these VMs by --path, for dependsOn: {', '.join(names)}")
    return [f"{loaded.name}-{name}" for name in chosen]


def _needs(catalog: str, manifests: Sequence[Data], compare: str, conditions: Conditions) -> Needs:
    from virtcatalog.api.kinds import holds_vm
    from virtcatalog.cli.inputs import catalog_objects
    from virtcatalog.gitops.ignoring import needs
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.manifests.sources import is_catalog

    companions = [manifest for manifest in manifests if not holds_vm(manifest)]
    objects = catalog_objects(catalog) if is_catalog(catalog) else []
    cluster = Cluster.under([*objects, *companions], conditions)
    return needs(manifests, cluster, "client" if compare == "client" else "structured")


def _lacking(needed: Needs) -> int:
    """Say what keeps these rules from being all that is needed; the exit status."""
    if needed.misspelled:
        fields = counted(needed.misspelled, "field")
        summary(f"{fields} out of sync because of how Git writes them: `virtcatalog check --fix` writes them as stored")
    if needed.refused:
        vms = counted(len(needed.refused), "VM")
        summary(
            f"{vms} refused, so what they need is not known: {some(needed.refused, 3)}; `virtcatalog check` says why"
        )
    return int(bool(needed.misspelled or needed.refused))
