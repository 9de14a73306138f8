"""`<memballoon>`: memory that the guest can give back."""

from __future__ import annotations

from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement, leaf
from virtcatalog.kubevirt.memo import memo


@memo
def memballoon(attached: bool, model: str, free_page_reporting: bool, stats_period: int, iommu: bool) -> Element:
    """`<memballoon>`, which must say so when there is none, or libvirt adds one.

    Source: pkg/virt-launcher/virtwrap/converter/compute/balloon.go (BalloonDomainConfigurator).
    """
    if not attached:
        return leaf("memballoon", model="none")
    element = Shared("memballoon", {"model": model, "freePageReporting": "on" if free_page_reporting else "off"})
    if stats_period:
        SubElement(element, "stats", {"period": str(stats_period)})
    if iommu:
        SubElement(element, "driver", {"iommu": "on"})
    return element
