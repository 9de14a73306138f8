"""`<memballoon>`: memory that the guest can give back."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_iommu
from virtcatalog.kubevirt.launcher.xml import Element, SubElement, leaf


def memballoon(vmi: VirtualMachineInstance, context: Context) -> Element:
    """`<memballoon>`, which must say so when there is none, or libvirt adds one.

    Source: pkg/virt-launcher/virtwrap/converter/compute/balloon.go (BalloonDomainConfigurator).
    """
    devices = vmi.spec.domain.devices
    if devices.autoattach_mem_balloon is False:
        return leaf("memballoon", model="none")
    model = context.architecture.virtio_model(devices.use_virtio_transitional)
    reporting = "on" if context.free_page_reporting else "off"
    return _memballoon(model, reporting, context.mem_balloon_stats_period, uses_iommu(vmi))


def _memballoon(model: str, reporting: str, period: int, iommu: bool) -> Element:
    element = Element("memballoon", {"model": model, "freePageReporting": reporting})
    if period:
        SubElement(element, "stats", {"period": str(period)})
    if iommu:
        SubElement(element, "driver", {"iommu": "on"})
    return element
