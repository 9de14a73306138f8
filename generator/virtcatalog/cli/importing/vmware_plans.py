"""What `virtcatalog import vmware` makes of all VMs together: templates, waves for forklift, room and price."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from virtcatalog.api.names import dns_subdomain_problems
from virtcatalog.api.quantity import Quantity
from virtcatalog.cli.console import echo, summary
from virtcatalog.cli.importing.vmware_output import VALUES
from virtcatalog.errors import FITS_NO_NODE, ManifestError, Problem, counted
from virtcatalog.escaping import single_line

if TYPE_CHECKING:
    from virtcatalog.bring.vmware.fates import Brought
    from virtcatalog.bring.vmware.forklift import Providers
    from virtcatalog.bring.vmware.mapping import Mapping as VMwareMapping
    from virtcatalog.bring.vmware.room import Room
    from virtcatalog.bring.vmware.templating import Templates
    from virtcatalog.bring.vmware.waves import Limits, Move
    from virtcatalog.capacity.report import Report
    from virtcatalog.kubevirt.conditions import Conditions

FOLDER = "forklift"
"""Where the objects are, below the folder of an import."""
_DEFAULT_VMS = 20


def providers_of(text: str) -> Providers:
    """Return forklift's Providers; BadParameter for what is no NAMESPACE/PROVIDER."""
    from virtcatalog.bring.vmware.forklift import Providers

    parts = text.split("/")
    if len(parts) != 2 or any(dns_subdomain_problems(part) for part in parts):
        raise click.BadParameter(f"{text!r} is no NAMESPACE/PROVIDER", param_hint="'--forklift'")
    return Providers(*parts)


def limits_of(texts: Iterable[str]) -> Limits:
    """Return the limits of a wave; BadParameter for what is none."""
    from virtcatalog.bring.vmware.waves import Limits

    limits = Limits(vms=_DEFAULT_VMS)
    for text in texts:
        name, _, value = text.partition("=")
        try:
            amount = Quantity.parse(value).value if name == "disks" else int(value)
        except ValueError:
            amount = 0
        if name not in Limits._fields or amount < 1:
            message = f"{text!r} is none of vms=NUMBER, disks=SIZE and host=NUMBER"
            raise click.BadParameter(message, param_hint="'--wave'")
        limits = limits._replace(**{name: amount})
    return limits


class Plans(NamedTuple):
    """What forklift's objects are made for: `mapping_file` is that of the mapping."""

    providers: Providers
    limits: Limits
    namespace: str
    mapping: VMwareMapping
    mapping_file: str

    def texts(self, moves: Iterable[Move]) -> dict[str, str]:
        """Return the objects as files; ManifestError for a mapping that forklift would refuse."""
        from virtcatalog.bring.vmware.forklift import faults, objects
        from virtcatalog.bring.vmware.mapping import problems_in
        from virtcatalog.bring.vmware.waves import waves
        from virtcatalog.manifests.emit import dump

        moved = [move for move in moves if not move.obstacle]
        if mapping_faults := faults(self.mapping, moved, self.namespace):
            raise ManifestError(*problems_in(self.mapping_file, mapping_faults))
        manifests = objects(waves(moved, self.limits), self.mapping, self.providers, self.namespace)
        return {f"{FOLDER}/{name}.yaml": dump(manifest) for name, manifest in manifests}


class Together:
    """All VMs of an import, noted while they pass by: what Plans and templates need, and what they take of nodes."""

    def __init__(self, plans: Plans | None, room: Room | None, templates: Templates | None) -> None:
        self._plans, self._room, self._templates = plans, room, templates
        self._moves: list[Move] = []

    def taking(self, vms: Iterable[Brought]) -> Iterator[Brought]:
        """Yield VMs, and note them."""
        from virtcatalog.bring.vmware.waves import move_of

        for brought in vms:
            if self._plans is not None:
                self._moves.append(move_of(brought))
            if self._room is not None:
                self._room.take(brought)
            if self._templates is not None:
                self._templates.add(brought)
            yield brought

    @cached_property
    def report(self) -> Report | None:
        """Where the VMs are on the nodes; None where nobody asked."""
        return self._room.report() if self._room is not None else None

    @cached_property
    def _judged(self) -> list[Move]:
        """What Plans need to know, with the VMs that fit no node, if there are any nodes."""
        answer = self.report
        homeless = {vm.name for vm in answer.homeless} if answer is not None and answer.kinds else set()
        return [
            move._replace(obstacle=move.obstacle or (FITS_NO_NODE if move.key in homeless else ""))
            for move in self._moves
        ]

    def texts(self, folder: Path) -> dict[str, str | None]:
        """Return forklift's objects and templates as files of a folder.

        None stands for Plans that were in it and are no more, and for VMs that a template makes.
        """
        texts: dict[str, str | None] = {}
        if self._plans is not None:
            before = (f"{FOLDER}/{path.name}" for path in (folder / FOLDER).glob("plan-wave-*.yaml"))
            texts |= {**dict.fromkeys(before), **self._plans.texts(self._judged)}
        return texts | (_templates(self._templates) if self._templates is not None else {})

    def tell(self, prices: str, most: int) -> bool:
        """Say what VMs take and cost, and which are in no Plan and why; return whether all have a place."""
        answer = self.report
        if answer is not None:
            _tell_room(answer, prices)
        unplanned = [move for move in self._judged if move.obstacle]
        for move in unplanned[:most]:
            echo(str(Problem(*move.place, move.key, message=f"is in no Plan: {move.obstacle}")), err=True)
        if len(unplanned) > most:
            summary(f"and {counted(len(unplanned) - most, 'VM')} more in no Plan")
        return not unplanned and (answer is None or not answer.kinds or not answer.homeless)


def _templates(templates: Templates) -> dict[str, str | None]:
    from virtcatalog.manifests.emit import dump

    texts: dict[str, str | None] = {}
    for template in templates.shared():
        texts[f"templates/{template.name}.yaml"] = dump(template.manifest)
        for name, values in template.vms.items():
            texts[f"{VALUES}/{template.name}/{name}.yaml"] = dump(values)
            texts[f"vms/{name}.yaml"] = None
    return texts


def room_for(objects: list[dict[str, Any]], nodes: str, conditions: Conditions) -> Room:
    """Return the room that a file of nodes has; without one there is none, and VMs are only added up."""
    from virtcatalog.bring.vmware.room import Room
    from virtcatalog.capacity.nodes import load_nodes

    return Room(objects, load_nodes(nodes) if nodes else [], conditions)


def _tell_room(answer: Report, prices: str) -> None:
    from virtcatalog.bring.vmware.room import requested
    from virtcatalog.capacity.nodes import amount_text
    from virtcatalog.cli.capacity_output import fleet_lines

    if answer.kinds:
        for line in fleet_lines(answer):
            echo(single_line(line), err=True)
    if prices:
        requests = requested(answer)
        amounts = ", ".join(amount_text(name, requests[name]) for name in ("cpu", "memory") if requests.get(name))
        echo(single_line(f"requests: {amounts}: {_price(requests, prices)}"), err=True)


def _price(requests: Mapping[str, int], file: str) -> str:
    from virtcatalog.capacity.demand import devices_of
    from virtcatalog.catalog.prices import monthly
    from virtcatalog.review.requestreport import load_prices

    prices = load_prices(file)
    devices = devices_of(requests)
    priced = {
        name: amount for name, amount in requests.items() if name in ("cpu", "memory", *devices) or "huge" in name
    }
    cost = prices.cost(priced)
    text = " ".join(filter(None, (monthly(cost.hour), prices.currency, "a month")))
    return f"{text}, without {', '.join(cost.missing)}" if cost.missing else text
