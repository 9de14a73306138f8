"""The options that say where a question is asked, which every command that expands VMs has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec

import click
import msgspec

from virtcatalog.cli.console import summary
from virtcatalog.cli.options import completes, settings

if TYPE_CHECKING:
    from virtcatalog.cli.vms import Batch
    from virtcatalog.kubevirt.conditions import Conditions

P = ParamSpec("P")

_HOST = "reference"
_ARCHITECTURE = click.option(
    "--arch",
    type=click.Choice(["amd64", "arm64", "s390x"]),
    default=lambda: settings().arch,
    help="The architecture of VMs that name none. [default: amd64]",
)
_OF_ONE = (
    click.option(
        "--kubevirt",
        metavar="RELEASE",
        shell_complete=completes("releases"),
        help="The KubeVirt release. [default: what overlays.yaml or the KubeVirt CR says, else the newest known]",
    ),
    _ARCHITECTURE,
    click.option(
        "--host",
        metavar="PROFILE|FILE",
        default=lambda: settings().host or _HOST,
        shell_complete=completes("hosts"),
        help=f"The nodes: see `virtcatalog hosts`. [default: {_HOST}]",
    ),
)
_OF_TWO = (
    click.option(
        "--kubevirt",
        nargs=2,
        metavar="OLD NEW",
        shell_complete=completes("releases"),
        help="Two KubeVirt releases: what does the upgrade do?",
    ),
    _ARCHITECTURE,
    click.option(
        "--host",
        nargs=2,
        metavar="BASE HEAD",
        shell_complete=completes("hosts"),
        help="Two host profiles: names or files.",
    ),
)


def conditioned(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options and their values as its keyword argument `conditions`, a `Conditions`."""

    @wraps(command)
    def run(*args: Any, kubevirt: str | None, arch: str, host: str, **others: Any) -> int:
        return command(*args, conditions=_conditions(kubevirt, arch, host), **others)

    return _with(run, _OF_ONE)


def conditioned_twice(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options for two sides and their values as its keyword argument `conditions`, a pair."""

    @wraps(command)
    def run(
        *args: Any, kubevirt: tuple[str, str] | None, arch: str, host: tuple[str, str] | None, **others: Any
    ) -> int:
        releases, hosts = kubevirt or (None, None), host or (settings().host or _HOST,) * 2
        pair = tuple(_conditions(release, arch, name) for release, name in zip(releases, hosts, strict=True))
        return command(*args, conditions=pair, **others)

    return _with(run, _OF_TWO)


def conditions_of(batches: Sequence[Batch], asked: Conditions) -> list[Conditions]:
    """Return the conditions that the VMs of each batch meet; whatever release is overruled is told once."""
    from virtcatalog.kubevirt.conditions import choose_release

    conditions, notes = [], set()
    for batch in batches:
        release = asked.release
        if release or batch.kubevirt:
            release, overruled = choose_release(asked, batch.kubevirt, [located.manifest for located in batch.objects])
            notes.add(f"{batch.environment}: {overruled}".removeprefix(": ") if overruled and batch.number else "")
        conditions.append(msgspec.structs.replace(asked, release=release, environment=batch.environment or None))
    for text in sorted(notes - {""}):
        summary(text)
    return conditions


def _with(command: Callable[..., int], options: tuple[Callable[..., Any], ...]) -> Callable[..., int]:
    for option in reversed(options):
        command = option(command)
    return command


def _conditions(kubevirt: str | None, arch: str, host: str) -> Conditions:
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.kubevirt.hostfile import load_host
    from virtcatalog.releases import find_release

    asked, usual = ((find_release(name) if name else None) for name in (kubevirt, settings().kubevirt))
    return Conditions(release=asked, usual=usual, architecture=arch, host=load_host(host))
