"""`<iommufd>`: host devices through a file descriptor that the device plugin hands over."""

from __future__ import annotations

from lxml import etree

from virtcatalog.domain.context import Context


def iommufd(context: Context) -> etree._Element | None:
    """`<iommufd>`, absent unless the pod got the file descriptor.

    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/converter/compute/iommufd.go.
    """
    return etree.Element("iommufd", enabled="yes", fdgroup="iommu") if context.iommufd else None
