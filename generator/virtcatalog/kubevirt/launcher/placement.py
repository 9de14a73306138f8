"""Which of KubeVirt's ways to place PCI devices applies to a VMI."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.api.annotations import PLACE_ON_ROOT_COMPLEX
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.domain import Domain
from virtcatalog.kubevirt.launcher.elements.hostdevs import has_hostdevs
from virtcatalog.kubevirt.launcher.grace import configure_grace, refuse_grace
from virtcatalog.kubevirt.launcher.numa import GuestCell
from virtcatalog.kubevirt.launcher.pci import place_near_numa_nodes, place_on_root_complex
from virtcatalog.kubevirt.launcher.pinning import Pinning, has_numa_passthrough
from virtcatalog.kubevirt.launcher.xml import make_own


def place(
    domain: Domain,
    vmi: VirtualMachineInstance,
    context: Context,
    cells: Sequence[GuestCell],
    pinning: Pinning | None,
) -> Domain:
    """The finished domain with guest addresses of its devices, where KubeVirt does not leave that to libvirt.

    Source: pkg/virt-launcher/virtwrap/converter/converter.go (Convert_v1_VirtualMachineInstance_To_api_Domain).
    """
    if context.grace_host_device_aliases:
        refuse_grace(vmi, context)
        assert pinning is not None
        element = domain.element()
        make_own(element)
        configure_grace(element, cells, pinning, context)
        return domain.placed(element)
    traits, pcie = context.release.traits, context.architecture.pcie_placement
    if not pcie and traits.root_complex_needs_pcie:
        return domain
    on_root_complex = vmi.metadata.annotations.get(PLACE_ON_ROOT_COMPLEX) == "true"
    near_nodes = pcie and pinning is not None and context.pci_numa_aware_topology and has_hostdevs(vmi)
    if not on_root_complex and not near_nodes:
        return domain
    element = domain.element()
    devices = element.find("devices")
    assert devices is not None
    make_own(devices)
    if near_nodes:
        assert pinning is not None
        strict = traits.strict_pci_numa_placement and has_numa_passthrough(vmi)
        place_near_numa_nodes(devices, cells, pinning, context, strict=strict)
    if on_root_complex:
        place_on_root_complex(devices)
    return domain.placed(element)
