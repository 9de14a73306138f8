"""`virtcatalog gitops feed` and `gitops rbac`: what lets virtcatalog read a cluster, and nothing more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from virtcatalog.manifests.identity import Data

_SCHEDULE, _NAMESPACE = "*/15 * * * *", "virtcatalog"


def role(name: str, user: str | None) -> list[Data]:
    """Return the role of whoever reads a cluster with virtcatalog, and what gives it to a user."""
    from virtcatalog.live.feed import LOOKED_AT, binding, cluster_role

    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}
    return [cluster_role(name, LOOKED_AT), *([binding(name, subject)] if user else [])]


def scheduled(
    name: str,
    namespace: str | None,
    repository: str | None,
    branch: str,
    image: str | None,
    schedule: str | None,
    *,
    config_map: bool,
) -> list[Data]:
    """Return a feed's objects; UsageError for one without an image, or that writes to several or unfit places."""
    from virtcatalog.live.feed import Feed, feed
    from virtcatalog.oci import SCHEME

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
