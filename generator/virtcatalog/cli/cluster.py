"""A cluster that a command line names: read from its API server, or from dumps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from virtcatalog.cli.console import note

if TYPE_CHECKING:
    from virtcatalog.live.resources import Resource
    from virtcatalog.live.snapshot import Snapshot
    from virtcatalog.manifests.identity import Data


def snapshot(
    live: Sequence[str], context: str | None, kubeconfig: str | None, *, surroundings: bool = False, pods: bool = False
) -> Snapshot:
    """Return the cluster of --live, else of --context or --kubeconfig; UsageError for none, and for both."""
    from virtcatalog.live.reading import read_snapshot

    has_context = context is not None or kubeconfig is not None
    if live and has_context:
        raise click.UsageError("the cluster is read from a dump (--live) or from its API (--context): name one")
    if live:
        return read_snapshot(live)
    if not has_context:
        raise click.UsageError("name the cluster: --context NAME, or a dump of it by --live DUMP")
    return read(context, kubeconfig, surroundings=surroundings, pods=pods)


def read(context: str | None, kubeconfig: str | None, *, surroundings: bool = False, pods: bool = False) -> Snapshot:
    """Read a cluster, with its `surroundings` all that questions need; ClusterError when it does not answer."""
    from virtcatalog.live.client.api import Api
    from virtcatalog.live.client.kubeconfig import access
    from virtcatalog.live.client.listing import read_cluster
    from virtcatalog.live.resources import PODS, RESOURCES, SURROUNDINGS

    resources: tuple[Resource, ...] = (*RESOURCES, *(SURROUNDINGS if surroundings else ()), *((PODS,) if pods else ()))
    return read_cluster(Api(access(context, kubeconfig)), resources)


def dumped(context: str | None, kubeconfig: str | None) -> str:
    """Read a cluster into a file, which is there as long as the command runs; what could not be read is told."""
    from virtcatalog.live.resources import is_start_revision

    cluster = read(context, kubeconfig, surroundings=True)
    for gap in sorted(cluster.gaps):
        note(f"warning: not read of {cluster.label}: {gap}")
    folder = click.get_current_context().with_resource(TemporaryDirectory(prefix="virtcatalog-"))
    file = Path(folder, re.sub(r"[^\w.-]+", "-", cluster.label or "cluster") + ".json")
    manifests = (manifest for manifest in cluster.manifests() if not is_start_revision(manifest["metadata"]["name"]))
    with file.open("w", encoding="utf-8") as to:
        to.writelines(lines(manifests))
    return str(file)


def lines(manifests: Iterable[Data]) -> Iterator[str]:
    """Yield a dump as text: a List, with a line for each object."""
    import json

    from virtcatalog.escaping import unmarked

    yield '{"apiVersion":"v1","kind":"List","items":[\n'
    separator = ""
    for manifest in manifests:
        yield separator + unmarked(json.dumps(manifest, separators=(",", ":"), sort_keys=True), "\\u0023")
        separator = ",\n"
    yield "\n]}\n"
