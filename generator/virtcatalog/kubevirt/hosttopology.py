"""The node's CPUs as virt-handler reports them: NUMA cells of hardware threads."""

from __future__ import annotations

import msgspec


class HostCPU(msgspec.Struct, frozen=True):
    """One hardware thread; `siblings` are the threads of its core, itself included (empty: unknown)."""

    id: int
    siblings: tuple[int, ...] = ()


class HostCell(msgspec.Struct, frozen=True):
    """One NUMA node of the host."""

    id: int
    cpus: tuple[HostCPU, ...] = ()


class HostTopology(msgspec.Struct, frozen=True, cache_hash=True):
    """All NUMA nodes of the host, in the order the host lists them."""

    cells: tuple[HostCell, ...] = ()
