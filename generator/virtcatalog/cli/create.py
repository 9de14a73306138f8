"""`virtcatalog create`: new VMs, and declarations of instance types and preferences."""

from __future__ import annotations

import click

from virtcatalog.cli import create_vm


@click.group("create")
def command() -> None:
    """Make a VirtualMachine of flags, or declare an instance type or a preference in a catalog."""


command.add_command(create_vm.command)
