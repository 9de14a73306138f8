"""`virtcatalog gitops`: the objects that tell Argo CD or Flux to sync the output tree."""

from __future__ import annotations

from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import click

from virtcatalog.cli import options
from virtcatalog.cli.conditions import conditioned
from virtcatalog.cli.console import failing, print_documents
from virtcatalog.cli.gitops_sync import VmSync, checked_name, print_rules, relative, sync_vms, synced_catalog
from virtcatalog.oci import SCHEME

if TYPE_CHECKING:
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.manifests.identity import Data
    from virtcatalog.render.gitops import Verification

#: What reads a cluster is called, where it runs, and when.
_READER, _NAMESPACE, _SCHEDULE = "virtcatalog", "virtcatalog", "*/15 * * * *"


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
@click.option(
    *("--verify-key", "secret"),
    metavar="SECRET",
    help="Flux takes an artifact that the key in this Secret has signed (cosign.pub), and no other.",
)
@click.option(
    *("--verify-identity", "identity"),
    nargs=2,
    metavar="ISSUER SUBJECT",
    help="Or that an identity has signed which fits these two regular expressions.",
)
@click.option("-n", "--namespace", help="Where the tool runs (default: argocd or flux-system).")
@click.option("--image", help="The image of virtcatalog that a feed runs.")
@click.option("--config-map", is_flag=True, help="A feed writes to a ConfigMap of its name, beside it.")
@click.option("--schedule", help="When a feed runs (default: */15 * * * *).")
@click.option("--user", help="Who gets the role of rbac.")
@failing
@partial(conditioned, prints="yaml")
def command(
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
    secret: str | None,
    identity: tuple[str, str] | None,
    namespace: str | None,
    image: str | None,
    config_map: bool,
    schedule: str | None,
    user: str | None,
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
    is_catalog_artifact = not sources and (repo_url or "").startswith(SCHEME)
    verify = _verification(tool, secret, identity, is_catalog_artifact=is_catalog_artifact)
    if health:
        if tool != "argocd":
            raise click.UsageError("--health is for Argo CD.")
        from virtcatalog.gitops.health import config_map as health_checks

        print_documents([health_checks(namespace or "argocd")], "yaml")
        return 0
    if tree is None:
        tree = "" if (repo_url or "").startswith(SCHEME) else "output"
    paths += tuple(str(PurePosixPath(tree, "overlays", environment)) for environment in environments)
    if sources and paths and tool == "argocd":
        raise click.UsageError("-e and --path with -f are for Flux: what VMs wait for. An Application waits for none.")
    if sources and repo_url and tool in ("argocd", "flux"):
        sync = VmSync(catalog, sources, compare, repo_url, revision, paths, name, clusters, namespace, conditions)
        return sync_vms(tool, sync)
    if sources:
        if tool != "argocd":
            raise click.UsageError("-f alone is for Argo CD; with --repo-url it is for Flux, too.")
        return print_rules(catalog, sources, compare, conditions)
    if tool == "rbac":
        objects = _role(checked_name(name or _READER), user)
    elif tool == "feed":
        reader = checked_name(name or _READER)
        objects = _feed(reader, namespace, repo_url, revision, image, schedule, config_map=config_map)
    elif not repo_url:
        raise click.MissingParameter(param_hint="'--repo-url'", param_type="option")
    else:
        from virtcatalog.catalog.load import load_catalog
        from virtcatalog.render.gitops import Origin

        loaded = load_catalog(catalog)
        origin = Origin(
            name=checked_name(name or loaded.name),
            url=repo_url,
            revision=revision,
            tree=relative(tree, "--tree"),
            verify=verify,
        )
        objects = synced_catalog(tool, loaded, origin, paths, clusters, namespace)
    print_documents(objects, "yaml")
    return 0


def _verification(
    tool: str, secret: str | None, identity: tuple[str, str] | None, *, is_catalog_artifact: bool
) -> Verification | None:
    """Whose signature --verify-key and --verify-identity ask for; UsageError where Flux verifies none."""
    from virtcatalog.render.gitops import Verification

    if not secret and not identity:
        return None
    if tool != "flux" or not is_catalog_artifact:
        hint = "; Argo CD verifies no artifact: name it by its digest" if tool == "argocd" else ""
        raise click.UsageError(f"Flux verifies artifacts of catalogs, with --repo-url {SCHEME}…{hint}")
    if secret and identity:
        raise click.UsageError("a signature is either of --verify-key or of --verify-identity")
    return Verification(secret) if secret else Verification("", *(identity or ()))


def _role(name: str, user: str | None) -> list[Data]:
    """The role of whoever reads a cluster with virtcatalog, and what gives it to a user."""
    from virtcatalog.live.feed import LOOKED_AT, binding, cluster_role

    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}
    return [cluster_role(name, LOOKED_AT), *([binding(name, subject)] if user else [])]


def _feed(
    name: str,
    namespace: str | None,
    repository: str | None,
    branch: str,
    image: str | None,
    schedule: str | None,
    *,
    config_map: bool,
) -> list[Data]:
    """The objects of a feed; UsageError for one without an image, or that writes to several or unfit places."""
    from virtcatalog.live.feed import Feed, feed

    if not image:
        raise click.UsageError("name the image of virtcatalog that the feed runs: --image")
    if repository and repository.startswith(SCHEME):
        raise click.UsageError("a feed writes to a branch of a Git repository, or to the URL of its Secret")
    if repository and config_map:
        raise click.UsageError("a feed writes to one place: --repo-url or --config-map")
    return feed(
        Feed(
            name=name,
            namespace=namespace or _NAMESPACE,
            image=image,
            schedule=schedule or _SCHEDULE,
            repository=repository or "",
            branch=branch or "live",
            config_map=config_map,
        )
    )
