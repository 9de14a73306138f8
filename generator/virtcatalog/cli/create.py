"""`virtcatalog create`: new VMs, and declarations of instance types and preferences."""

from __future__ import annotations

from importlib import import_module

import click

_KINDS = {
    "vm": "Make a VirtualMachine of flags, as virtctl does.",
    "instancetype": "Declare an instance type in a catalog.",
    "preference": "Declare a preference in a catalog.",
}


class _Kinds(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_KINDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _KINDS:
            return None
        command: click.Command = import_module(f"virtcatalog.cli.create_{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_KINDS.items()))


@click.group("create", cls=_Kinds)
def command() -> None:
    """Make a VirtualMachine of flags, or declare an instance type or a preference in a catalog."""
