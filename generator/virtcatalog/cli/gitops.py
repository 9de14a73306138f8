"""`virtcatalog gitops`: the objects that tell Argo CD or Flux to sync the output tree."""

from __future__ import annotations

from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import click

from virtcatalog.cli import options
from virtcatalog.cli.conditions import conditioned
from virtcatalog.cli.console import data, failing, summary
from virtcatalog.cli.gitops_verify import verified
from virtcatalog.cli.gitops_vms import Wish, checked_name, relative, rules, synced
from virtcatalog.oci import SCHEME

if TYPE_CHECKING:
    from virtcatalog.catalog.environment import Overlay
    from virtcatalog.catalog.model import Catalog
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.render.gitops import Destination, Origin, Verification


@click.command(
    "gitops",
    epilog="""\b
Examples:
  virtcatalog gitops argocd --repo-url https://git.example.com/platform/catalog.git
  virtcatalog gitops argocd --repo-url … --path output/overlays/lab --cluster lab=lab-1
  virtcatalog gitops argocd -f vms/                    the differences that Argo CD has to ignore in these VMs
  virtcatalog gitops argocd -f vms --repo-url …        the Application that syncs these VMs
  virtcatalog gitops flux -f vms --repo-url …          the Kustomization that does
  virtcatalog gitops argocd --health                   how it judges whether VMs are healthy
  virtcatalog gitops flux --repo-url https://git.example.com/platform/catalog.git
  virtcatalog gitops feed --name lab --image virtcatalog:1.0.0 --repo-url https://git.example.com/platform/live.git
  virtcatalog gitops rbac --user jane
  virtcatalog gitops flux --repo-url oci://registry.example.com/catalog --revision '>=1.0.0'
  virtcatalog gitops flux --repo-url oci://registry.example.com/catalog --verify-key cosign-pub
""",
)
@click.argument("tool", type=click.Choice(["argocd", "flux", "feed", "rbac"]))
@options.about_catalog()
@options.manifests(
    "VMs: print what an Application that syncs them has to ignore; with --repo-url, what syncs the folder.",
    placed=False,
)
@click.option(
    "--compare",
    type=click.Choice(["client", "merge"]),
    default="client",
    help="How that Application compares; merge: with ServerSideApply=true.  [default: client]",
)
@click.option("--health", is_flag=True, help="Print health checks for the ConfigMap argocd-cm.")
@click.option(
    "--repo-url",
    help="The Git repository, or oci:// and the artifact, that holds the tree; of a feed the one that gets the dump.",
)
@click.option(
    "--revision",
    default="",
    shell_complete=options.completes("revisions"),
    help="Branch, commit or refs/…; of an artifact: tag, digest or range.",
)
@click.option("--tree", help="The tree's path in it (default: output; of an artifact: its top).")
@click.option("--path", "paths", multiple=True, help="An overlay's path in it; all overlays when left out.")
@click.option(
    *("-e", "--environment", "environments"),
    multiple=True,
    metavar="NAME",
    shell_complete=options.completes("environments"),
    help="The same by its name; repeatable.",
)
@click.option("--name", help="What the objects are called (default: the catalog's name).")
@click.option(
    *("--cluster", "clusters"),
    multiple=True,
    metavar="[OVERLAY=]NAME",
    help="Argo CD's name of a cluster: of an overlay, repeatable; or of VMs.",
)
@verified
@click.option("-n", "--namespace", help="Where the tool runs (default: argocd or flux-system).")
@click.option("--image", help="The image of virtcatalog that a feed runs.")
@click.option("--config-map", is_flag=True, help="A feed writes to a ConfigMap of its name, beside it.")
@click.option("--schedule", help="When a feed runs (default: */15 * * * *).")
@click.option("--user", help="Who gets the role of rbac.")
@click.pass_context
@failing
@partial(conditioned, prints="yaml")
def command(
    context: click.Context,
    /,
    tool: str,
    catalog: str,
    sources: tuple[str, ...],
    compare: str,
    health: bool,
    repo_url: str | None,
    revision: str,
    tree: str | None,
    paths: tuple[str, ...],
    environments: tuple[str, ...],
    name: str | None,
    clusters: tuple[str, ...],
    namespace: str | None,
    image: str | None,
    config_map: bool,
    schedule: str | None,
    user: str | None,
    verify: Verification | None,
    conditions: Conditions,
) -> int:
    """Print what tells TOOL to sync the output tree of CATALOG (default: catalog), or lets virtcatalog read a cluster.

    For Argo CD that is an ApplicationSet over all overlays, or an Application for each -e or --path; for Flux a source,
    and a Kustomization for each overlay.

    `feed` prints a CronJob that writes the cluster's redacted dump (`virtcatalog dump`) to a branch of --repo-url, to a
    ConfigMap, or to the URL in its Secret, with an account that may list what is read. `rbac` prints that role
    for --user, with Pods, for `virtcatalog verify`.

    With -f it prints what Argo CD has to ignore of VMs, or with --repo-url what syncs the folder that they are in; with
    --health how Argo CD judges them.
    """
    if health:
        if tool != "argocd":
            raise click.UsageError("--health is for Argo CD.", context)
        return _health(namespace or "argocd")
    if tree is None:
        tree = "" if (repo_url or "").startswith(SCHEME) else "output"
    paths += tuple(str(PurePosixPath(tree, "overlays", environment)) for environment in environments)
    if sources and paths and tool == "argocd":
        raise click.UsageError("-e and --path with -f are for Flux: what VMs wait for. An Application waits for none.")
    if sources and repo_url and tool in ("argocd", "flux"):
        wish = Wish(catalog, sources, compare, repo_url, revision, paths, name, clusters, namespace, conditions)
        return synced(tool, wish)
    if sources:
        if tool != "argocd":
            raise click.UsageError("-f alone is for Argo CD; with --repo-url it is for Flux, too.", context)
        return rules(catalog, sources, compare, conditions)
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.manifests.emit import dump, join
    from virtcatalog.render import gitops

    if tool in ("feed", "rbac"):
        from virtcatalog.cli.gitops_reading import role, scheduled

        checked = checked_name(name or "virtcatalog")
        objects = (
            role(checked, user)
            if tool == "rbac"
            else scheduled(checked, namespace, repo_url, revision, image, schedule, config_map=config_map)
        )
        data(join(dump(manifest) for manifest in objects))
        return 0
    if not repo_url:
        raise click.MissingParameter(param_hint="'--repo-url'", param_type="option")

    loaded = load_catalog(catalog)
    origin = gitops.Origin(
        name=checked_name(name or loaded.name),
        url=repo_url,
        revision=revision,
        tree=relative(tree, "--tree"),
        verify=verify,
    )
    overlays = _overlays(loaded, origin, paths)
    destinations = _destinations(overlays, clusters)
    if tool == "flux":
        destinations = [gitops.Destination(overlay) for overlay in overlays]
    _warn(tool, loaded, overlays, destinations)
    if tool == "flux":
        if clusters:
            raise click.UsageError("--cluster is for Argo CD; Flux syncs the cluster that it runs in.")
        objects = gitops.flux(origin, overlays, namespace or "flux-system")
    elif paths:
        objects = gitops.applications(origin, destinations, namespace or "argocd")
    else:
        objects = [gitops.application_set(origin, destinations, namespace or "argocd")]
    data(join(dump(manifest) for manifest in objects))
    return 0


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


def _health(namespace: str) -> int:
    from virtcatalog.gitops.health import config_map
    from virtcatalog.manifests.emit import dump

    data(dump(config_map(namespace)))
    return 0


def _overlays(catalog: Catalog, origin: Origin, paths: tuple[str, ...]) -> list[Overlay]:
    from virtcatalog.errors import nearest_or_all

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


def _destinations(overlays: list[Overlay], clusters: tuple[str, ...]) -> list[Destination]:
    """Every environment with every cluster that gets it: as the options say, else as `overlays.yaml` does."""
    from virtcatalog.errors import nearest
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
