"""`virtcatalog import`: what exists elsewhere, a format a command, each loaded when it is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from virtcatalog.cli import LazyGroup

T = TypeVar("T", bound=Callable[..., Any])

_LONGEST_VALUE = 40


class _Formats(LazyGroup):
    groups = {
        "Formats": {
            "objects": "Make a catalog of a set of instance types and preferences.",
            "libvirt": "Make a VM of a libvirt domain, and account for every part of it.",
            "vmware": "Make VMs of machines of vSphere, with a type and a preference each.",
            "openstack": "Make instance types of flavors and preferences of images.",
        }
    }
    home = "virtcatalog.cli.importing"


@click.group("import", cls=_Formats)
def command() -> None:
    """Import VMs of libvirt and VMware, flavors of OpenStack, or objects of a cluster."""


def files(text: str, *, required: bool = True) -> Callable[[T], T]:
    """`-f`, as `sources`: what is imported."""
    return click.option(*("-f", "--file", "sources"), multiple=True, required=required, metavar="FILE|DIR|-", help=text)


def short_value(text: str) -> str:
    """Return the beginning of a value, as a cell of a table has it."""
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


#: `--run-strategy`, as `run_strategy`, of the VMs that are made.
run_strategy = click.option(
    "--run-strategy",
    type=click.Choice(["Halted", "Always", "Manual", "RerunOnFailure"]),
    default="Halted",
    help="Whether the VMs start once they are applied. [default: Halted]",
)
