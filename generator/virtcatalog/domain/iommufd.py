"""`<iommufd>`: host devices through a file descriptor that the device plugin hands over."""

from __future__ import annotations

from virtcatalog.domain.context import Context
from virtcatalog.domain.xml import Element


def iommufd(context: Context) -> Element | None:
    """`<iommufd>`, absent unless the pod got the file descriptor.

    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/converter/compute/iommufd.go.
    """
    return Element("iommufd", enabled="yes", fdgroup="iommu") if context.iommufd else None
