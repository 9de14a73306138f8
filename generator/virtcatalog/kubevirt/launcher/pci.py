"""Guest PCI addresses that KubeVirt chooses itself: on the root complex, or near a device's NUMA node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.numa import GuestCell
from virtcatalog.kubevirt.launcher.pinning import Pinning
from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement
from virtcatalog.kubevirt.memo import memo

NO_BUS_LEFT = "there are too few PCI bus numbers for all host devices"

_COORDINATES = ("domain", "bus", "slot", "function")
# Tag to its place in the order in which KubeVirt hands out slots.
_PCI_TAGS = {
    tag: place
    for place, tag in enumerate(
        ("interface", "hostdev", "controller", "disk", "input", "watchdog", "rng", "memballoon")
    )
}
_ROOTS = ("pci-root", "pcie-root", "pcie-expander-bus")
# 0 is the host bridge, 1 the VGA adapter; QEMU puts a sound card at 0x1b and a SATA controller at 0x1f.
_FREE_SLOTS = tuple(slot for slot in range(2, 0x20) if slot not in (0x1B, 0x1F))
_LAST_BUS = 255


class ExpanderBus(msgspec.Struct):
    """A PCI bus on one guest NUMA cell, with a root port for each device on it."""

    controller: Element
    ports: list[tuple[Element, Element]]
    """(root port, host device)"""


def supports_pcie_hotplug(spec: VirtualMachineInstanceSpec) -> bool:
    """Whether the machine has PCIe root ports for hotplug, which the PCI topology annotation is about.

    Source: pkg/defaults/defaults.go (SupportsPCIeHotplug).
    """
    if spec.architecture not in ("amd64", "arm64", ""):
        return False
    machine = spec.domain.machine
    return machine is None or "q35" in machine.type or machine.type.startswith("virt")


def place_on_root_complex(devices: Element) -> None:
    """Give each PCI device without an address the next slot of the root bus.

    Source: pkg/virt-launcher/virtwrap/converter/pci-placement.go (PlacePCIDevicesOnRootComplex).
    """
    slots = iter(_FREE_SLOTS)
    on_pci = sorted(filter(is_on_pci, devices), key=lambda device: _PCI_TAGS[device.tag])
    for device in on_pci:
        address = device.find("address")
        if address is not None and address.get("domain"):
            continue
        slot = next(slots, None)
        if slot is None:
            raise DomainError("spec.domain.devices", "the root PCI bus has no slot left for all devices")
        _set_address(device, "0x00", slot)


def place_near_numa_nodes(
    devices: Element,
    cells: Sequence[GuestCell],
    pinning: Pinning,
    context: Context,
    *,
    strict: bool,
) -> None:
    """Put host PCI devices on expander buses of the guest NUMA cells that stand for the devices' host nodes.

    A device whose cell is unknown stays where libvirt puts it, or is refused with `strict`.
    """
    near, problems = devices_near_cells(devices, cells, pinning, context)
    if strict and problems:
        raise DomainError("spec.domain.devices", f"with NUMA passthrough, {'; '.join(problems)}")
    planner = BusPlanner(devices)
    buses = []
    for cell, hostdevs in near.items():
        bus = planner.plan(cell, hostdevs)
        if bus is None:
            if strict:
                raise DomainError("spec.domain.devices", NO_BUS_LEFT)
            return
        buses.append(bus)
    for bus in buses:
        apply(devices, bus)


def devices_near_cells(
    devices: Element, cells: Sequence[GuestCell], pinning: Pinning, context: Context
) -> tuple[dict[int, list[Element]], list[str]]:
    """The host PCI devices by guest NUMA cell, both sorted, and what keeps the others from having one."""
    placed: dict[str, tuple[int, Element]] = {}
    problems = []
    for device in devices.iterfind("hostdev[@type='pci']"):
        address = source_address(device)
        host_node = context.pci_numa_nodes.get(address) if address is not None else None
        cell = _cell_of(host_node, cells, pinning, context) if host_node is not None else None
        if address is None:
            problems.append("a host device has no host address")
        elif has_guest_address(device) and context.release.traits.strict_pci_numa_placement:
            problems.append(f"host device {address} has a guest address of its own")
        elif host_node is None:
            problems.append(f"host device {address} has no known host NUMA node")
        elif cell is None:
            problems.append(f"host device {address} is near no NUMA cell of the guest")
        else:
            placed[address] = (cell, device)
    near: dict[int, list[Element]] = {cell: [] for cell in sorted({cell for cell, _ in placed.values()})}
    for _, (cell, device) in sorted(placed.items()):
        near[cell].append(device)
    return near, problems


class BusPlanner:
    """Hands out controller indices upwards from those in use, and bus numbers downwards from the last one.

    Planned buses are not part of `devices` until `apply` adds them.
    """

    def __init__(self, devices: Element) -> None:
        self.index = max((int(controller.attrib["index"]) for controller in devices.iterfind("controller")), default=0)
        self.count = 0
        self.lowest_bus = _LAST_BUS

    def plan(self, node: int, near: Sequence[Element]) -> ExpanderBus | None:
        """An expander bus on guest NUMA cell `node` with a root port for each device; None when numbers run out.

        Its own number leaves room above it for all buses planned so far.
        """
        bus = ExpanderBus(self._controller("pcie-expander-bus"), [])
        target = SubElement(bus.controller, "target")
        SubElement(target, "node").text = str(node)
        for device in near:
            if self.index >= self.lowest_bus - 1:
                return None
            port = self._controller("pcie-root-port")
            _set_address(port, bus.controller.attrib["index"], len(bus.ports))
            bus.ports.append((port, device))
        self.lowest_bus = _LAST_BUS - self.count + 1
        target.set("busNr", str(self.lowest_bus))
        return bus

    def _controller(self, model: str) -> Element:
        self.index += 1
        self.count += 1
        return Element("controller", type="pci", index=str(self.index), model=model)


def add_controllers(devices: Element, controllers: Sequence[Element]) -> None:
    """Put controllers after those that are there."""
    present = devices.findall("controller")
    place = list(devices).index(present[-1]) + 1 if present else 0
    devices[place:place] = controllers


def apply(devices: Element, bus: ExpanderBus) -> None:
    """Add a planned bus with its ports, and move its devices there."""
    add_controllers(devices, [bus.controller, *(port for port, _ in bus.ports)])
    for port, device in bus.ports:
        _set_address(device, port.attrib["index"], 0)


def source_address(device: Element) -> str | None:
    """A host device's PCI address on the host, as `0000:41:00.0`."""
    address = device.find("source/address")
    if address is None:
        return None
    domain, bus, slot, function = (address.attrib[key].removeprefix("0x") for key in _COORDINATES)
    return f"{domain}:{bus}:{slot}.{function}"


def has_guest_address(device: Element) -> bool:
    """Whether the VMI says where in the guest the device goes."""
    address = device.find("address")
    return address is not None and any(address.get(key) for key in _COORDINATES)


def count_on_pci(devices: Iterable[Element]) -> int:
    """How many devices have a place on a PCI bus, or will get one."""
    candidates = [device for device in devices if device.tag in _PCI_TAGS]
    return sum(_shared_is_on_pci(part) if isinstance(part, Shared) else is_on_pci(part) for part in candidates)


def is_on_pci(device: Element) -> bool:
    """Whether a device has a place on a PCI bus, or will get one.

    Source: pkg/virt-launcher/virtwrap/converter/pci-placement.go (iteratePCIAddresses).
    """
    tag = device.tag
    if tag not in _PCI_TAGS:
        return False
    if tag == "controller":
        if device.get("model") in _ROOTS:
            return False
    elif tag == "disk":
        target = device.find("target")
        if target is None or target.get("bus") != "virtio":
            return False
    elif (tag == "hostdev" and device.get("type") != "pci") or (tag == "input" and device.get("bus") != "virtio"):
        return False
    address = device.find("address")
    return address is None or address.get("type", "pci") == "pci"


_shared_is_on_pci = memo(is_on_pci)


def _set_address(device: Element, bus: str, slot: int) -> None:
    address = device.find("address")
    if address is None:
        address = SubElement(device, "address")
    values = {"type": "pci", "domain": "0x0000", "bus": bus, "slot": f"0x{slot:02x}", "function": "0x0"}
    for key, value in values.items():
        address.set(key, value)


def _cell_of(host_node: int, cells: Sequence[GuestCell], pinning: Pinning, context: Context) -> int | None:
    """The guest cell bound to a host node, else that of the first vCPU which is pinned there."""
    for cell in cells:
        if cell.host_node == host_node:
            return cell.id
    vcpu_of = {thread: vcpu for vcpu, thread in enumerate(pinning.vcpus)}
    for host_cell in context.topology.cells:
        for cpu in host_cell.cpus if host_cell.id == host_node else ():
            vcpu = vcpu_of.get(cpu.id)
            for cell in cells:
                if vcpu is not None and vcpu in cell.vcpus:
                    return cell.id
    return None
