"""`<iommufd>`: host devices through a file descriptor that the device plugin hands over."""

from __future__ import annotations

from virtcatalog.kubevirt.launcher.xml import Element, leaf


def iommufd(descriptor: bool) -> Element | None:
    """`<iommufd>`, absent unless the pod got the file descriptor.

    Source: pkg/virt-launcher/virtwrap/converter/compute/iommufd.go (IOMMUFDConfigurator).
    """
    return leaf("iommufd", enabled="yes", fdgroup="iommu") if descriptor else None
