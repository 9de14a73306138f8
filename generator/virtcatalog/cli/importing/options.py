"""Options that several formats of `virtcatalog import` have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

T = TypeVar("T", bound=Callable[..., Any])


def files(what: str, *, required: bool = True) -> Callable[[T], T]:
    """`-f`, as `sources`: what is imported."""
    return click.option(*("-f", "--file", "sources"), multiple=True, required=required, metavar="FILE|DIR|-", help=what)


#: `--run-strategy`, as `run_strategy`, of the VMs that are made.
run_strategy = click.option(
    "--run-strategy",
    type=click.Choice(["Halted", "Always", "Manual", "RerunOnFailure"]),
    default="Halted",
    help="Whether the VMs start once they are applied. [default: Halted]",
)
