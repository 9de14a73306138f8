"""GPUs of NVIDIA Grace machines: a bus with its own IOMMU for each, NUMA cells for their memory, a wide PCI hole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from virtcatalog.api.domainspec import CPU
from virtcatalog.api.names import DISABLE_PCI_HOLE64, PLACE_ON_ROOT_COMPLEX
from virtcatalog.kubevirt.hosts import HostPCIDevice
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.numa import GuestCell
from virtcatalog.kubevirt.launcher.pci import (
    NO_BUS_LEFT,
    BusPlanner,
    add_controllers,
    apply,
    devices_near_cells,
    source_address,
)
from virtcatalog.kubevirt.launcher.pinning import Pinning
from virtcatalog.kubevirt.launcher.xml import Element, SubElement

_FIELD = "spec.domain.devices"
_VENDOR = "10DE"
_GPUS = ("2342", "2348", "2941")
_CELLS_PER_GPU = 8
_GPU_HOLE_BYTES = 512 * 2**30
_HOLE_MARGIN_KIB = 2**20
_LARGEST_HOLE_KIB = 16 * 2**30
_IOMMU_DRIVER = {"accel": "on", "ats": "on", "ril": "off", "ssidSize": "20", "oas": "48"}
_LOCAL_DISTANCE = 10


def refuse_grace(annotations: Mapping[str, str], cpu: CPU | None, context: Context) -> None:
    """Raise DomainError unless the cluster, the node and a VMI with these annotations and CPUs allow Grace GPUs.

    Source: pkg/virt-launcher/virtwrap/converter/converter.go (validateGraceIOVirtualizationConversion).
    """
    needs = (
        (context.grace_io_virtualization, "the feature gate GraceIOVirtualization"),
        (context.pci_numa_aware_topology, "the feature gate PCINUMAAwareTopology"),
        (context.iommufd, "a file descriptor for IOMMUFD in the pod"),
        (cpu is not None and cpu.dedicated_cpu_placement, "dedicated CPUs"),
        (context.architecture.pcie_placement, "an architecture with PCI Express"),
        (annotations.get(DISABLE_PCI_HOLE64) != "true", "the 64-bit PCI hole"),
        (annotations.get(PLACE_ON_ROOT_COMPLEX) != "true", "PCI devices off the root complex"),
    )
    for satisfied, need in needs:
        if not satisfied:
            raise DomainError(_FIELD, f"Grace GPUs need {need}")


def configure_grace(domain: Element, cells: Sequence[GuestCell], pinning: Pinning, context: Context) -> None:
    """Change the finished domain for its Grace GPUs.

    Source: pkg/virt-launcher/virtwrap/converter/grace.go (configureGraceIOVirtualization).
    """
    devices, numa = domain.find("devices"), domain.find("cpu/numa")
    if not context.smmuv3:
        raise DomainError(_FIELD, "Grace GPUs need SMMUv3 on the node")
    gpus = _find_gpus(domain, context)
    host_nodes = {cell.id: cell.host_node for cell in cells if cell.host_node is not None}
    if devices is None or numa is None or not host_nodes:
        raise DomainError("spec.domain.cpu.numa", "Grace GPUs need the node's NUMA nodes passed through")
    mapped = set(host_nodes.values())
    initiators = _initiator_nodes([fact for _, _, fact in gpus], context)
    next_cell = max(int(cell.attrib["id"]) for cell in numa) + 1
    hole = 0
    for (address, device, fact), nodes in zip(gpus, initiators, strict=True):
        host_node = context.pci_numa_nodes.get(address)
        if host_node not in mapped:
            raise DomainError(
                _FIELD, f"Grace GPU {address} is on host NUMA node {host_node}, which no guest cell maps to"
            )
        if not fact.bar_bytes:
            raise DomainError(_FIELD, f"Grace GPU {address} has no 64-bit prefetchable BAR")
        hole += max(fact.bar_bytes, _GPU_HOLE_BYTES)
        for number, node in enumerate(nodes, next_cell):
            host_nodes[number] = node
            SubElement(numa, "cell", id=str(number), memory="0", unit="KiB")
        SubElement(device, "driver", iommufd="yes")
        SubElement(device, "acpi", nodeset=f"{next_cell}-{next_cell + len(nodes) - 1}")
        next_cell += len(nodes)
    root = _root_controller(devices)
    _place(devices, {address for address, _, _ in gpus}, cells, pinning, context)
    _set_hole(root, hole)
    _add_distances(numa, host_nodes, context)


def _find_gpus(domain: Element, context: Context) -> list[tuple[str, Element, HostPCIDevice]]:
    """(host address, device, facts) of the Grace GPUs, in the order of their aliases."""
    by_alias = {
        alias.attrib["name"].removeprefix("ua-"): hostdev
        for hostdev in domain.iterfind("devices/hostdev")
        for alias in hostdev.iterfind("alias")
    }
    gpus = []
    for alias in sorted(filter(None, context.grace_host_device_aliases)):
        device = by_alias.get(alias)
        address = source_address(device) if device is not None else None
        if device is None or device.get("type") != "pci" or address is None:
            raise DomainError(_FIELD, f"no PCI device was assigned for the Grace GPU {alias}")
        if device.find("address") is not None:
            raise DomainError(_FIELD, f"the Grace GPU {alias} cannot have a guest address of its own")
        fact = context.grace_devices.get(address)
        if fact is None or _identifier(fact.vendor_id) != _VENDOR or _identifier(fact.device_id) not in _GPUS:
            raise DomainError(_FIELD, f"{alias} at {address} is not a Grace GPU")
        gpus.append((address, device, fact))
    return gpus


def _identifier(text: str) -> str:
    return text.strip().upper().removeprefix("0X")


def _initiator_nodes(facts: Sequence[HostPCIDevice], context: Context) -> list[tuple[int, ...]]:
    """For each GPU the host NUMA nodes of its Generic Initiators: as the host relates them, else in order."""
    if not any(fact.initiator_nodes for fact in facts):
        nodes = context.grace_initiator_nodes
        if len(nodes) < _CELLS_PER_GPU * len(facts):
            raise DomainError(_FIELD, f"each Grace GPU needs {_CELLS_PER_GPU} Generic Initiator NUMA nodes of the host")
        return [nodes[_CELLS_PER_GPU * n : _CELLS_PER_GPU * (n + 1)] for n in range(len(facts))]
    related = [tuple(sorted(fact.initiator_nodes)) for fact in facts]
    every = [node for nodes in related for node in nodes]
    if any(len(nodes) != _CELLS_PER_GPU for nodes in related) or len(set(every)) != len(every):
        raise DomainError(_FIELD, f"each Grace GPU needs {_CELLS_PER_GPU} Generic Initiator NUMA nodes of its own")
    return related


def _root_controller(devices: Element) -> Element:
    controllers = devices.findall("controller[@type='pci']")
    for controller in controllers:
        if controller.get("model") == "pcie-root":
            if controller.get("index") != "0":
                raise DomainError(_FIELD, "the PCI Express root needs index 0")
            return controller
    if any(controller.get("index") == "0" for controller in controllers):
        raise DomainError(_FIELD, "PCI controller 0 is not the PCI Express root")
    root = Element("controller", type="pci", index="0", model="pcie-root")
    add_controllers(devices, [root])
    return root


def _place(devices: Element, own: set[str], cells: Sequence[GuestCell], pinning: Pinning, context: Context) -> None:
    """A bus and an IOMMU for each Grace GPU; other host devices share a bus a cell."""
    near, _ = devices_near_cells(devices, cells, pinning, context)
    planner = BusPlanner(devices)
    shared = []
    for cell, hostdevs in near.items():
        gpus = [device for device in hostdevs if source_address(device) in own]
        others = [device for device in hostdevs if source_address(device) not in own]
        for group in [*([gpu] for gpu in gpus), *([others] if others else [])]:
            bus = planner.plan(cell, group)
            if bus is None:
                raise DomainError(_FIELD, NO_BUS_LEFT)
            if group is others:
                shared.append(bus)
                continue
            iommu = SubElement(devices, "iommu", model="smmuv3")
            SubElement(iommu, "driver", {"pciBus": bus.controller.attrib["index"], **_IOMMU_DRIVER})
            apply(devices, bus)
    for bus in shared:
        apply(devices, bus)


def _set_hole(root: Element, size: int) -> None:
    kib = -(-size // 1024) + _HOLE_MARGIN_KIB
    kib = 1 << (kib - 1).bit_length()
    if kib > _LARGEST_HOLE_KIB:
        raise DomainError(_FIELD, f"a 64-bit PCI hole of {kib} KiB is too large")
    hole = root.find("pcihole64")
    if hole is None:
        hole = SubElement(root, "pcihole64")
    elif hole.text == "0":
        raise DomainError(_FIELD, "Grace GPUs need the 64-bit PCI hole")
    hole.set("unit", "KiB")
    hole.text = str(kib)


def _add_distances(numa: Element, host_nodes: dict[int, int], context: Context) -> None:
    """The host's distances between the nodes behind the guest's cells; only a cell itself is at the local distance."""
    for cell in numa:
        number = int(cell.attrib["id"])
        if number not in host_nodes:
            continue
        from_cell = context.numa_distances.get(host_nodes[number], {})
        for plain in cell.findall("distances"):
            cell.remove(plain)
        distances = SubElement(cell, "distances")
        for sibling in sorted(host_nodes):
            distance = from_cell.get(host_nodes[sibling])
            if distance is None:
                raise DomainError(
                    _FIELD,
                    f"the distance between host NUMA nodes {host_nodes[number]} and {host_nodes[sibling]} is unknown",
                )
            if sibling != number and distance == _LOCAL_DISTANCE:
                distance += 1
            SubElement(distances, "sibling", id=str(sibling), value=str(distance))
