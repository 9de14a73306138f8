"""`virtcatalog gitops -f`: what the tool that syncs VMs has to know of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

import click

from virtcatalog.cli.console import data, summary
from virtcatalog.errors import counted, some

if TYPE_CHECKING:
    from virtcatalog.gitops.ignoring import Needs
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.manifests.identity import Data


class Wish(NamedTuple):
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


def rules(catalog: str, sources: Sequence[str], compare: str, conditions: Conditions) -> int:
    """Print what an Application has to ignore; exit status 1 when Git has to be written otherwise first."""
    from virtcatalog.cli.inputs import read
    from virtcatalog.gitops.ignoring import written

    needed = _needs(catalog, [manifest.data for manifest in read(sources)], compare, conditions)
    data(written(needed))
    return _lacking(needed)


def synced(tool: str, wish: Wish) -> int:
    """Print what syncs each folder of VMs; exit status 1 when Git has to be written otherwise first."""
    from virtcatalog.cli.inputs import read
    from virtcatalog.fleet.sources import is_built
    from virtcatalog.gitops.deploying import Fleet, application_text, kustomization
    from virtcatalog.manifests.emit import dump, join
    from virtcatalog.manifests.folder import manifest_files
    from virtcatalog.manifests.sources import is_folder, open_folder
    from virtcatalog.render.gitops import IN_CLUSTER, Origin, flux_source

    if wish.name and len(wish.sources) > 1:
        raise click.UsageError("--name is for one folder of VMs.")
    fleets = []
    for source in wish.sources:
        if not is_folder(source):
            raise click.UsageError(f"-f {source}: with --repo-url name a folder, by its path in the repository")
        path = relative(source, "-f")
        if not path and not wish.name:
            raise click.UsageError("-f .: give what syncs it a --name.")
        manifests = [manifest.data for manifest in read([source])]
        is_deep = not is_built(source) and any("/" in file for file in manifest_files(open_folder(source)).files)
        fleets.append(Fleet(checked_name(wish.name or PurePosixPath(path).name), path or ".", manifests, is_deep))
    origin = Origin(name=fleets[0].name, url=wish.url, revision=wish.revision)
    if tool == "flux":
        if wish.clusters:
            raise click.UsageError("--cluster is for Argo CD; Flux syncs the cluster that it runs in.")
        namespace = wish.namespace or "flux-system"
        source_object, after = flux_source(origin, namespace), _catalog_kustomizations(wish)
        objects = [source_object, *(kustomization(fleet, source_object, after, namespace) for fleet in fleets)]
        data(join(dump(manifest) for manifest in objects))
        inferring = [name for fleet in fleets for name in fleet.inferring]
        if inferring:
            summary(
                f"inferFromVolume of {some(inferring, 3)}: KubeVirt refuses it beside the name that it infers, so Flux "
                "applies nothing from the second time on; write the name"
            )
        return int(bool(inferring))
    if len(wish.clusters) > 1:
        raise click.UsageError("--cluster is given once for VMs: each of them runs in one cluster.")
    unfit = next((cluster for cluster in wish.clusters if "=" in cluster or "://" in cluster), None)
    if unfit is not None:
        raise click.UsageError(f"--cluster {unfit}: of VMs give its name in `argocd cluster list`, and no more.")
    cluster, merges = (wish.clusters or (IN_CLUSTER,))[0], wish.compare != "client"
    needed = [_needs(wish.catalog, fleet.manifests, wish.compare, wish.conditions) for fleet in fleets]
    texts = [
        application_text(origin, fleet, needs, cluster, wish.namespace or "argocd", merges=merges)
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


def _catalog_kustomizations(wish: Wish) -> list[str]:
    """The Kustomization of the environment that the VMs' types come from: the one of --path, or the only one."""
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.manifests.sources import is_catalog

    if not is_catalog(wish.catalog):
        return []
    loaded = load_catalog(wish.catalog)
    names = [overlay.name for overlay in loaded.overlays]
    chosen = [PurePosixPath(path).name for path in wish.paths] or (names if len(names) == 1 else [])
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
