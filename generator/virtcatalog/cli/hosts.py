"""`virtcatalog hosts`: the host profiles."""

from __future__ import annotations

import click

from virtcatalog.cli import options
from virtcatalog.cli.console import data, echo, failing


@click.command(
    "hosts",
    epilog="""\b
Examples:
  virtcatalog hosts                         every profile, a line each
  virtcatalog hosts reference > mine.yaml   a profile of your own to start from
  virtcatalog expand -f vm.yaml --host mine.yaml
""",
)
@click.argument("name", required=False, shell_complete=options.completes("hosts"))
@failing
def command(name: str | None) -> int:
    """List the host profiles, or print the one called NAME (or in the file NAME) as YAML.

    A host profile holds everything that a domain takes from outside the manifests: CPUs and NUMA nodes, firmware
    files, device addresses, storage.
    """
    from virtcatalog.kubevirt.hostfile import dump_host, load_host
    from virtcatalog.kubevirt.hosts import HOSTS

    if name is not None:
        data(dump_host(load_host(name)))
        return 0
    for host in HOSTS.values():
        echo(f"{host}: {host.description}")
    return 0
