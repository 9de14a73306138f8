"""Machines in waves: which of them forklift can move, and which of these a Plan moves together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from virtcatalog.bring.vmware.fates import Brought
from virtcatalog.bring.vmware.machine import BUSES
from virtcatalog.bring.vmware.mapping import POD


class Move(NamedTuple):
    """A machine that forklift moves: what a Plan says of it, and what a wave is limited by; `disks` in bytes.

    `networks` and `datastores` are those that it has, with their ids. `obstacle` says why forklift cannot move it.
    """

    key: str
    place: tuple[str, int, int]
    name: str
    machine: str
    id: str
    host: str
    disks: int
    instancetype: str
    sort: Sort
    networks: frozenset[tuple[str, str]]
    datastores: frozenset[tuple[str, str]]
    obstacle: str = ""


class Limits(NamedTuple):
    """The most that a wave has: VMs, bytes of disks, and VMs of one host; None is no limit."""

    vms: int | None = None
    disks: int | None = None
    host: int | None = None


class Sort(NamedTuple):
    """What a Plan says of all its machines: whether they are converted, and have a card on the Pod's network."""

    converted: bool
    on_pod_network: bool


def move_of(brought: Brought) -> Move:
    """Return what Plans need to know of a machine."""
    machine, mapping = brought.machine, brought.target.mapping
    cards = [mapping.networks.get(nic.network, "") for nic in machine.nics if nic.network]
    return Move(
        key=brought.key,
        place=(machine.file, machine.line, machine.column),
        name=brought.name,
        machine=machine.name,
        id=machine.id,
        host=machine.host,
        disks=sum(disk.size for disk in machine.disks),
        instancetype=brought.instancetype.name if brought.instancetype is not None else "",
        sort=Sort(brought.target.converted and brought.system.drivers != "none", POD in cards),
        networks=frozenset((nic.network, nic.network_id) for nic in machine.nics if nic.network),
        datastores=frozenset((disk.storage, disk.storage_id) for disk in machine.disks if disk.storage),
        obstacle=next(_obstacles(brought, cards), ""),
    )


_UNKNOWN_BUS: Final = "a disk's bus is not told, by which forklift numbers disks"


def _obstacles(brought: Brought, cards: list[str]) -> Iterator[str]:
    """Why forklift's Plan would be refused, or would make other claims than the VM names."""
    if brought.hardware is None:
        yield "KubeVirt refuses the VM"
    for disk in brought.machine.disks:
        if disk.shared:
            yield f"{disk.label} is shared: forklift moves such a disk with one VM alone, and its claim has one name"
        if disk.bus not in BUSES:
            yield f"{disk.label} is on {disk.bus}, which forklift leaves out" if disk.bus else _UNKNOWN_BUS
        if not disk.storage:
            yield f"the datastore of {disk.label} is not told"
    if cards.count(POD) > 1:
        yield "forklift takes no VM with two cards on the Pod's network: map one of their networks elsewhere"


def waves(moves: Iterable[Move], limits: Limits) -> list[Wave]:
    """Put machines into waves, each into the first in which there is room; a machine of any size fits an empty one."""
    all_waves: list[Wave] = []
    open_: defaultdict[Sort, list[Wave]] = defaultdict(list)
    for move in moves:
        candidates = open_[move.sort]
        wave = next((wave for wave in candidates if wave.has_room(move, limits)), None)
        if wave is None:
            wave = Wave(move.sort)
            candidates.append(wave)
            all_waves.append(wave)
        wave.add(move)
        if wave.is_full(limits):
            candidates.remove(wave)
    return all_waves


class Wave:
    """Machines that one Plan moves."""

    def __init__(self, sort: Sort) -> None:
        self.sort = sort
        self.moves: list[Move] = []
        self._disks = 0
        self._hosts: Counter[str] = Counter()

    def has_room(self, move: Move, limits: Limits) -> bool:
        """Whether a machine can be added. One without a host counts for none."""
        disks = limits.disks is None or self._disks + move.disks <= limits.disks
        return disks and (limits.host is None or not move.host or self._hosts[move.host] < limits.host)

    def add(self, move: Move) -> None:
        """Add a machine."""
        self.moves.append(move)
        self._disks += move.disks
        self._hosts[move.host] += 1

    def is_full(self, limits: Limits) -> bool:
        """Whether nothing can be added any more."""
        vms = limits.vms is not None and len(self.moves) >= limits.vms
        return vms or (limits.disks is not None and self._disks >= limits.disks)
