"""`virtcatalog import`: what exists elsewhere, a format a command, each loaded when it is called."""

from __future__ import annotations

from importlib import import_module

import click

_FORMATS = {
    "objects": "Make a catalog of a set of instance types and preferences.",
    "libvirt": "Make a VM of a libvirt domain, and account for every part of it.",
    "openstack": "Make instance types of flavors and preferences of images.",
}


class _Formats(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_FORMATS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from virtcatalog.cli import say_alike

        if cmd_name not in _FORMATS:
            return None
        command: click.Command = import_module(f"virtcatalog.cli.importing.{cmd_name}").command
        say_alike(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Formats"):
            formatter.write_dl(list(_FORMATS.items()))


@click.group("import", cls=_Formats)
def command() -> None:
    """Bring in what exists elsewhere: VMs of libvirt, flavors and images of OpenStack, objects of a cluster."""
