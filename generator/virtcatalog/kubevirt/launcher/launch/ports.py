"""PCIe root ports that are kept free for devices which are plugged in while the VM runs."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.api.govalues import integer
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.api.names import PLACE_ON_ROOT_COMPLEX
from virtcatalog.kubevirt.launcher.domain import Domain
from virtcatalog.kubevirt.launcher.elements.qemu import COMMANDLINE, NAMESPACE_ATTRIBUTE
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.pci import add_controllers, count_on_pci, supports_pcie_hotplug
from virtcatalog.kubevirt.launcher.xml import Element, leaf
from virtcatalog.kubevirt.memo import memo

SLOT_COUNT_ANNOTATION = "kubevirt.io/pci-interface-slot-count"

_PLACEHOLDERS = 4
_LARGE_MEMORY = 2 * 2**30
_TOTAL_PORTS, _FREE_PORTS = 8, 3
_TOTAL_PORTS_LARGE, _FREE_PORTS_LARGE = 16, 6
LAST_INDEX = 31


def wanted_ports(domain: Domain, vmi: VirtualMachineInstance) -> int:
    """How many free root ports a domain gets, besides those of placeholder interfaces.

    DomainError for an annotation that is no number. Source: pkg/virt-launcher/virtwrap/manager.go
    (allocateHotplugPorts, calculateExtraControllerCount).
    """
    if not supports_pcie_hotplug(vmi.spec):
        return 0
    placeholders = placeholder_count(vmi)
    if _is_on_root_complex(vmi):
        return 0
    large = domain.memory > _LARGE_MEMORY
    total, free = (_TOTAL_PORTS_LARGE, _FREE_PORTS_LARGE) if large else (_TOTAL_PORTS, _FREE_PORTS)
    return max(0, max(total - count_on_pci(domain.devices), free) - placeholders)


def placeholder_count(vmi: VirtualMachineInstance) -> int:
    """How many interfaces are defined for a moment beside the VMI's own, so that libvirt keeps root ports for them.

    Source: pkg/virt-launcher/virtwrap/manager.go (calculatePlaceholderCount).
    """
    annotations, count = vmi.metadata.annotations, len(vmi.spec.domain.devices.interfaces)
    slots = annotations.get(SLOT_COUNT_ANNOTATION)
    if slots is not None:
        number = integer(slots)
        if number is None:
            raise DomainError(f"metadata.annotations[{SLOT_COUNT_ANNOTATION}]", f"{slots!r} is not a whole number")
        return max(0, number - count)
    return 0 if _is_on_root_complex(vmi) or count == 0 else max(0, _PLACEHOLDERS - count)


def _is_on_root_complex(vmi: VirtualMachineInstance) -> bool:
    return vmi.metadata.annotations.get(PLACE_ON_ROOT_COMPLEX) == "true"


def add_root_ports(domain: Domain, count: int) -> None:
    """Add root ports behind the controllers, as far as the root bus has room.

    Source: pkg/virt-launcher/virtwrap/manager.go (appendPCIeRootPortControllers).
    """
    devices = domain.devices
    controllers = devices.findall("controller")
    indices = [int(controller.attrib["index"]) for controller in controllers if controller.get("type") == "pci"]
    first = max(indices, default=0) + 1
    add_controllers(devices, _root_ports(first, min(first + count - 1, LAST_INDEX)))


@memo
def _root_ports(first: int, last: int) -> Sequence[Element]:
    return tuple(
        leaf("controller", type="pci", index=str(index), model="pcie-root-port") for index in range(first, last + 1)
    )


def lose_commandline(domain: Domain) -> None:
    """Drop `<qemu:commandline>`, as happens where root ports are added.

    virt-launcher defines such a domain twice, the second time from what it has read of its own XML, and its reader
    passes over this element. Source: pkg/virt-launcher/virtwrap/util/libvirt_helper.go (ApplySidecarHooks).
    """
    domain.element.attrib.pop(NAMESPACE_ATTRIBUTE, None)
    commandline = domain.element.find(COMMANDLINE)
    if commandline is not None:
        domain.element.remove(commandline)
