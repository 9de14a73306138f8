"""The guest's NUMA cells: those that pass the host's nodes through, or the one that memfd needs."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from virtcatalog.api.domainspec import Hugepages
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.hosts import HostTopology
from virtcatalog.kubevirt.launcher.elements.memory import in_bytes
from virtcatalog.kubevirt.launcher.elements.vcpu import CPUTopology
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.pinning import Pinning
from virtcatalog.kubevirt.memo import memo


class GuestCell(msgspec.Struct, frozen=True):
    """One NUMA cell of the guest: its vCPUs and memory, and the host node behind it if it is bound to one.

    `distances` are those to other cells by their ids, none where the guest is not told.
    """

    id: int
    vcpus: tuple[int, ...] | range
    cpus: str
    memory: int
    unit: str
    host_node: int | None = None
    distances: tuple[tuple[int, int], ...] = ()


def passthrough_cells(
    hugepages: Hugepages | None,
    memory: Quantity,
    topology: HostTopology,
    pinning: Pinning,
    distances: Mapping[int, Mapping[int, int]],
) -> tuple[GuestCell, ...]:
    """One guest cell for each host node that the vCPUs are pinned to, in the host's order; none if it has no nodes.

    Memory is shared out evenly in whole huge pages, the first cells taking what is left over. `distances` are those
    between the host's nodes as far as the guest is to know them.
    Source: pkg/virt-launcher/virtwrap/converter/vcpu/vcpu.go (numaMapping).
    """
    if not topology.cells:
        return ()
    cells = _cells(topology, pinning, page_size(hugepages), in_bytes(memory, "spec.domain.memory.guest"))
    guest_cells = {cell.host_node: cell.id for cell in cells}
    return tuple(
        replace(
            cell,
            distances=tuple(
                (guest_cells[node], distance)
                for node, distance in distances.get(cell.host_node or 0, {}).items()
                if node in guest_cells
            ),
        )
        for cell in cells
    )


@memo
def _cells(topology: HostTopology, pinning: Pinning, page: int, memory: int) -> tuple[GuestCell, ...]:
    vcpus = _vcpus_by_node(topology, pinning)
    nodes = [cell.id for cell in topology.cells if cell.id in vcpus]
    if memory < len(nodes) * page:
        raise DomainError(
            "spec.domain.memory.guest",
            f"{memory} bytes of memory are less than a huge page on each of {len(nodes)} NUMA nodes",
        )
    if memory % page:
        raise DomainError("spec.domain.memory.guest", f"{memory} bytes of memory are not a multiple of the huge page")
    pages, extra = divmod(memory // page, len(nodes))
    return tuple(
        GuestCell(
            id=number,
            vcpus=tuple(vcpus[node]),
            cpus=",".join(map(str, vcpus[node])),
            memory=(pages + (number < extra)) * page,
            unit="b",
            host_node=node,
        )
        for number, node in enumerate(nodes)
    )


def memfd_cell(topology: CPUTopology, memory: Quantity) -> GuestCell:
    """The single cell that libvirt needs before it backs memory with memfd.

    Source: pkg/virt-launcher/virtwrap/converter/converter.go (Convert_v1_VirtualMachineInstance_To_api_Domain).
    """
    vcpus = topology.vcpus
    return GuestCell(0, range(vcpus), f"0-{(vcpus - 1) % 2**32}", memory.value // 1024, "KiB")


def page_size(hugepages: Hugepages | None) -> int:
    """The huge page in bytes that NUMA passthrough counts memory in."""
    if hugepages is None:
        raise DomainError("spec.domain.memory.hugepages", "passing NUMA nodes through needs huge pages")
    field = "spec.domain.memory.hugepages.pageSize"
    try:
        size = in_bytes(Quantity.parse(hugepages.page_size), field)
    except ValueError as error:
        raise DomainError(field, str(error)) from None
    if not size:
        raise DomainError(field, "a huge page of no bytes")
    return size


def _vcpus_by_node(topology: HostTopology, pinning: Pinning) -> dict[int, list[int]]:
    node_of = {cpu.id: cell.id for cell in topology.cells for cpu in cell.cpus}
    vcpus: dict[int, list[int]] = {}
    for vcpu, thread in enumerate(pinning.vcpus):
        vcpus.setdefault(node_of[thread], []).append(vcpu)
    return vcpus
