"""`virtcatalog create`: new VMs, and declarations of instance types and preferences."""

from __future__ import annotations

import click

from virtcatalog.cli import create_types, create_vm


@click.group("create")
def command() -> None:
    """Make a VirtualMachine of flags, or declare an instance type or a preference in a catalog."""


for subcommand in (create_vm.command, create_types.instancetype, create_types.preference):
    command.add_command(subcommand)
