"""How vCPUs become sockets, cores and threads: topologies and the spread over them.

Source: pkg/instancetype/preference/apply/cpu.go, pkg/instancetype/apply/cpu.go and
pkg/instancetype/preference/validation/cpu.go.
"""

from __future__ import annotations

from typing import NamedTuple

from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.causes import invalid
from virtcatalog.kubevirt.memo import memo

DEPRECATED_TOPOLOGIES = {
    "preferSockets": "sockets",
    "preferCores": "cores",
    "preferThreads": "threads",
    "preferSpread": "spread",
    "preferAny": "any",
}
TOPOLOGIES = frozenset(DEPRECATED_TOPOLOGIES) | frozenset(DEPRECATED_TOPOLOGIES.values())
SPREADS = ("SocketsCores", "CoresThreads", "SocketsCoresThreads")
THREADS_PER_CORE = 2
_DEFAULT_RATIO = 2


class Topology(NamedTuple):
    """A guest's CPU topology."""

    sockets: int = 1
    cores: int = 1
    threads: int = 1


def preferred_topology(preference: VirtualMachinePreferenceSpec | None) -> str:
    """Return the preferred topology in its current spelling, `sockets` when there is none."""
    if preference is None or preference.cpu is None or preference.cpu.preferred_cpu_topology is None:
        return "sockets"
    topology = preference.cpu.preferred_cpu_topology
    return DEPRECATED_TOPOLOGIES.get(topology, topology)


def spread_options(preference: VirtualMachinePreferenceSpec) -> tuple[int, str]:
    """Return the ratio and what vCPUs are spread across; `spreadOptions.ratio` wins over the older field."""
    ratio = preference.prefer_spread_socket_to_core_ratio or _DEFAULT_RATIO
    across = SPREADS[0]
    options = preference.cpu.spread_options if preference.cpu is not None else None
    if options is not None:
        if options.across is not None:
            across = options.across
        if options.ratio is not None:
            ratio = options.ratio
    return ratio, across


def guest_topology(vcpus: int, preference: VirtualMachinePreferenceSpec | None) -> Topology:
    """Return the topology that an instance type's vCPUs get under a preference.

    What does not divide evenly is rounded down as KubeVirt does; `check_spread` refuses it before that.
    """
    topology = preferred_topology(preference)
    if topology == "spread" and preference is not None and vcpus != 1:
        return _spread(vcpus, *spread_options(preference))
    return _plain(vcpus, topology)


@memo
def _plain(vcpus: int, topology: str) -> Topology:
    match topology:
        case "cores":
            return Topology(cores=vcpus)
        case "sockets" | "any":
            return Topology(sockets=vcpus)
        case "threads":
            return Topology(threads=vcpus)
    return Topology()


def _spread(vcpus: int, ratio: int, across: str) -> Topology:
    if across == "SocketsCores":
        return Topology(sockets=vcpus // ratio, cores=ratio)
    if across == "CoresThreads":
        return Topology(cores=vcpus // ratio, threads=ratio)
    if across == "SocketsCoresThreads":
        return Topology(sockets=vcpus // THREADS_PER_CORE // ratio, cores=ratio, threads=THREADS_PER_CORE)
    return Topology()


def check_spread(
    instancetype: VirtualMachineInstancetypeSpec | None, preference: VirtualMachinePreferenceSpec | None
) -> list[Cause]:
    """Return why an instance type's vCPUs cannot be spread as the preference wants; at most one cause.

    KubeVirt's webhook crashes on a ratio of 0; the VM is refused then, too, and no field named.
    """
    if instancetype is None or preference is None or preferred_topology(preference) != "spread":
        return []
    ratio, across = spread_options(preference)
    if across not in SPREADS:
        return []
    vcpus = instancetype.cpu.guest
    if across == "SocketsCoresThreads" and vcpus % THREADS_PER_CORE:
        message = f"the instance type's {vcpus} vCPUs cannot be spread over {THREADS_PER_CORE} threads a core"
        return [invalid("instancetype.spec.cpu.guest", message)]
    if not ratio:
        return [Cause("", "", "the preference spreads vCPUs at a ratio of 0, on which KubeVirt fails")]
    unit = THREADS_PER_CORE * ratio if across == "SocketsCoresThreads" else ratio
    if vcpus % unit == 0:
        return []
    divisor = f"{THREADS_PER_CORE} threads of each of {ratio} cores" if across == "SocketsCoresThreads" else f"{ratio}"
    message = f"the instance type's {vcpus} vCPUs cannot be spread across {across}: not divisible by {divisor}"
    return [invalid("instancetype.spec.cpu.guest", message)]
