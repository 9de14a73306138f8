"""`<iommufd>`: host devices through a file descriptor that the device plugin hands over."""

from __future__ import annotations

from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.xml import Element


def iommufd(context: Context) -> Element | None:
    """`<iommufd>`, absent unless the pod got the file descriptor.

    Source: pkg/virt-launcher/virtwrap/converter/compute/iommufd.go (IOMMUFDConfigurator).
    """
    return Element("iommufd", enabled="yes", fdgroup="iommu") if context.iommufd else None
