"""The options that say where a question is asked, which every command that expands VMs has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
import msgspec

from virtcatalog.cli.console import summary
from virtcatalog.cli.defaults import settings
from virtcatalog.cli.options import completes, with_options
from virtcatalog.cli.previews import note_previews, set_form
from virtcatalog.errors import ManifestError, UnsupportedError, VirtcatalogError

if TYPE_CHECKING:
    from virtcatalog.cli.vms import Batch
    from virtcatalog.fleet.files import SoundFleet
    from virtcatalog.fleet.outcome import Deployed
    from virtcatalog.kubevirt.conditions import Conditions


_HOST = "reference"
_UPSTREAM = "no catalog is named: %s counts, as KubeVirt's operator deploys it"
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
        help="The KubeVirt release, or `main`: a preview. "
        "[default: what overlays.yaml or the KubeVirt CR says, else the newest known]",
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


def conditioned(
    command: Callable[..., int], *, prints: str | None = None, by_environment: bool = False
) -> Callable[..., int]:
    """Give a command the options and their values as its keyword argument `conditions`, a `Conditions`.

    That the release is a preview stands in front of what is printed. The command `prints` that form where -o names
    none. `by_environment`: it learns later which release counts, and marks that one (`settled`, `judged_by`).
    """

    @wraps(command)
    def run(*args: Any, kubevirt: str | None, arch: str, host: str, **parameters: Any) -> int:
        conditions = _conditions(kubevirt, arch, host)
        set_form(parameters.get("form") or prints)
        note_previews([conditions.release or (None if by_environment else conditions.usual)])
        return command(*args, conditions=conditions, **parameters)

    return with_options(*_OF_ONE)(run)


def conditioned_twice(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options for two sides and their values as its keyword argument `conditions`, a pair."""

    @wraps(command)
    def run(
        *args: Any, kubevirt: tuple[str, str] | None, arch: str, host: tuple[str, str] | None, **parameters: Any
    ) -> int:
        releases, hosts = kubevirt or (None, None), host or (settings().host or _HOST,) * 2
        pair = tuple(_conditions(release, arch, name) for release, name in zip(releases, hosts, strict=True))
        note_previews(conditions.release or conditions.usual for conditions in pair)  # the report says it, too
        return command(*args, conditions=pair, **parameters)

    return with_options(*_OF_TWO)(run)


def settled(batches: Iterable[Batch], requested: Conditions) -> list[tuple[Batch, Conditions]]:
    """Return the batches, each with the conditions that its VMs meet; whatever release is overruled is told once.

    Where no catalog is named, and VMs refer to common-instancetypes, these are among the objects: those of the release
    that the batch meets, unless its KubeVirt CR has the operator deploy none.
    """
    from virtcatalog.fleet.outcome import unplaced
    from virtcatalog.kubevirt.conditions import choose_release
    from virtcatalog.repositories.operator import deployed

    pairs, overrulings, upstream = [], set(), set()
    for batch in batches:
        manifests = [located.manifest for located in batch.objects]
        release, overruled = choose_release(requested, batch.kubevirt, manifests)
        note_previews([release])
        if overruled and batch.number:
            overrulings.add(f"{batch.environment}: {overruled}".removeprefix(": "))
        explicit = release if requested.release or batch.kubevirt else None
        conditions = msgspec.structs.replace(requested, release=explicit, environment=batch.environment or None)
        if batch.alone:
            name = release.common_instancetypes
            if objects := deployed(name, (vm.manifest for vm in batch.readable([])), manifests):
                upstream.add(name)
                batch = batch._replace(objects=[*batch.objects, *map(unplaced, objects)])
        pairs.append((batch, conditions))
    for text in sorted(overrulings):
        summary(text)
    for name in sorted(upstream):
        summary(_UPSTREAM % name)
    return pairs


def upstream_of(fleet: SoundFleet, manifests: Sequence[dict[str, Any]], requested: Conditions) -> list[dict[str, Any]]:
    """Return what KubeVirt's operator deploys beside VMs for which no catalog is named, if one needs it, and say so."""
    from virtcatalog.kubevirt.conditions import choose_release
    from virtcatalog.repositories.operator import deployed

    name = choose_release(requested, "", manifests).release.common_instancetypes
    try:
        objects = deployed(name, (vm.data for vm, _ in fleet), manifests)
    except ManifestError:  # whoever reads the VMs next says it, and judges none
        return []
    if objects:
        summary(_UPSTREAM % name)
    return objects


def judged_by(requested: Conditions, declared: str, manifests: Sequence[Mapping[str, Any]]) -> Conditions:
    """Return the conditions with the release that an environment declares, unless they name one; "" declares none."""
    from virtcatalog.kubevirt.conditions import choose_release

    release = choose_release(requested, declared, manifests).release
    note_previews([release])
    return msgspec.structs.replace(requested, release=release) if declared else requested


def beside_upstream(units: Sequence[Deployed], conditions: Conditions, *, alone: bool) -> list[Deployed]:
    """Return VMs of repositories beside what KubeVirt's operator deploys; `alone`: no catalog says what there is."""
    from virtcatalog.cli.vms import Batch

    batches = [Batch(unit.vms, unit.objects, unit.environment, alone=alone) for unit in units]
    complete = settled(batches, conditions)
    return [unit._replace(objects=batch.objects) for unit, (batch, _) in zip(units, complete, strict=True)]


def _conditions(kubevirt: str | None, arch: str, host: str) -> Conditions:
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.kubevirt.hostfile import load_host
    from virtcatalog.releases import find_release

    try:
        release, usual = ((find_release(name) if name else None) for name in (kubevirt, settings().kubevirt))
    except UnsupportedError as error:  # the repository's own is checked where it is read
        raise VirtcatalogError(f"--kubevirt: {error.message}") from None
    return Conditions(release=release, usual=usual, architecture=arch, host=load_host(host))
