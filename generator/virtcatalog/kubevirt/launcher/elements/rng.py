"""`<rng>`: entropy from the host."""

from __future__ import annotations

from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement
from virtcatalog.kubevirt.memo import memo


@memo
def rng(model: str, iommu: bool) -> Element:
    """`<rng>`, fed from the host's /dev/urandom.

    Source: pkg/virt-launcher/virtwrap/converter/compute/rng.go (RNGDomainConfigurator).
    """
    element = Shared("rng", {"model": model})
    SubElement(element, "backend", {"model": "random"}).text = "/dev/urandom"
    if iommu:
        SubElement(element, "driver", {"iommu": "on"})
    return element
