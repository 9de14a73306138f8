"""`virtcatalog dump`: a cluster's objects as a file, for CI and for later."""

from __future__ import annotations

import click

from virtcatalog.cli import options
from virtcatalog.cli.cluster import lines, snapshot
from virtcatalog.cli.console import failing, note, stream, summary
from virtcatalog.errors import counted


@click.command(
    "dump",
    epilog="""\b
Examples:
  virtcatalog dump --context lab > lab.json   what every command takes for the cluster itself
  virtcatalog dump --live dump.yaml > lab.json  a dump of kubectl's, without what guests alone are to read
""",
)
@options.live_side
@failing
def command(live: tuple[str, ...], context: str | None, kubeconfig: str | None) -> int:
    """Print the VMs of a cluster and what they use as a List, one object a line, for -f and --live of every command.

    VMs, VMIs, their ControllerRevisions, instance types, preferences, claims, DataVolumes, the KubeVirt CR, nodes,
    quotas and namespaces, each without what bears on no VM. Secrets are never read, and user data and network data of
    guests are replaced. What may not be listed is named, in the dump, too.

    Exit status: 0 all was read, 2 something could not be (the rest is printed).
    """
    cluster = snapshot(live, context, kubeconfig, surroundings=True)
    for line in lines(cluster.manifests()):
        stream(line)
    for gap in sorted(cluster.gaps):
        note(f"not read of {cluster.label}: {gap}")
    summary(f"{counted(len(cluster), 'object')} of {cluster.label}")
    return 2 if cluster.gaps else 0
