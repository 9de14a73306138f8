"""Which of KubeVirt's ways of placing PCI devices a VMI gets."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.api.names import PLACE_ON_ROOT_COMPLEX
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.domain import Domain
from virtcatalog.kubevirt.launcher.elements.hostdevs import has_hostdevs
from virtcatalog.kubevirt.launcher.grace import configure_grace, refuse_grace
from virtcatalog.kubevirt.launcher.numa import GuestCell
from virtcatalog.kubevirt.launcher.pci import place_near_numa_nodes, place_on_root_complex
from virtcatalog.kubevirt.launcher.pinning import Pinning, has_numa_passthrough
from virtcatalog.kubevirt.launcher.xml import own_copies


def place(
    domain: Domain,
    vmi: VirtualMachineInstance,
    context: Context,
    cells: Sequence[GuestCell],
    pinning: Pinning | None,
) -> None:
    """Give devices of the finished domain guest addresses, where KubeVirt does not leave that to libvirt.

    Source: pkg/virt-launcher/virtwrap/converter/converter.go (Convert_v1_VirtualMachineInstance_To_api_Domain).
    """
    annotations, cpu = vmi.metadata.annotations, vmi.spec.domain.cpu
    if context.grace_host_device_aliases:
        refuse_grace(annotations, cpu, context)
        assert pinning is not None
        own_copies(domain.element)
        configure_grace(domain.element, cells, pinning, context)
        return
    traits, pcie = context.release.traits, context.architecture.pcie_placement
    if not pcie and traits.root_complex_needs_pcie:
        return
    on_root_complex = annotations.get(PLACE_ON_ROOT_COMPLEX) == "true"
    near_nodes = (
        pcie and pinning is not None and context.pci_numa_aware_topology and has_hostdevs(vmi.spec.domain.devices)
    )
    if not on_root_complex and not near_nodes:
        return
    devices = domain.devices
    own_copies(devices)
    if near_nodes:
        assert pinning is not None
        strict = traits.strict_pci_numa_placement and has_numa_passthrough(cpu)
        place_near_numa_nodes(devices, cells, pinning, context, strict=strict)
    if on_root_complex:
        place_on_root_complex(devices)
