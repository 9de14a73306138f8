"""`virtcatalog hosts`: the host profiles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from virtcatalog.cli.console import failing
from virtcatalog.errors import ManifestError, Problem

if TYPE_CHECKING:
    from virtcatalog.domain.host import HostProfile


@click.command(
    "hosts",
    epilog="""\b
Examples:
  virtcatalog hosts                         every profile, a line each
  virtcatalog hosts reference > mine.yaml   a profile of your own to start from
  virtcatalog expand -f vm.yaml --host mine.yaml
""",
)
@click.argument("name", required=False)
@failing
def command(name: str | None) -> int:
    """List the host profiles, or print the one called NAME (or in the file NAME) as YAML.

    A host profile holds everything that a domain takes from outside the manifests: CPUs and NUMA nodes, firmware
    files, device addresses, storage.
    """
    from virtcatalog.domain.host import HOSTS
    from virtcatalog.hosts import dump_host

    if name is not None:
        click.echo(dump_host(load_host(name)), nl=False)
        return 0
    for host in HOSTS.values():
        click.echo(f"{host}: {host.description}")
    return 0


def load_host(name: str) -> HostProfile:
    """Return the profile that comes with virtcatalog by that name, else the one in the file of that name."""
    from virtcatalog.domain.host import HOSTS
    from virtcatalog.hosts import read_host

    if name in HOSTS:
        return HOSTS[name]
    try:
        content = Path(name).read_bytes()
    except OSError as error:
        known = ", ".join(HOSTS)
        message = f"{error.strerror or error}; the profiles that come with virtcatalog: {known}"
        raise ManifestError(Problem(file=name, message=message)) from None
    return read_host(content, name)
