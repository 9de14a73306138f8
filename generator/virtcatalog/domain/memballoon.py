"""`<memballoon>`: memory that the guest can give back."""

from __future__ import annotations

from lxml import etree

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.domain.context import Context
from virtcatalog.domain.launchsecurity import uses_secure_execution, uses_sev


def memballoon(vmi: VirtualMachineInstance, context: Context) -> etree._Element:
    """`<memballoon>`, which must say so when there is none, or libvirt adds one.

    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/converter/compute/balloon.go.
    """
    devices = vmi.spec.domain.devices
    if devices.autoattach_mem_balloon is False:
        return etree.Element("memballoon", {"model": "none"})
    model = context.architecture.virtio_model(devices.use_virtio_transitional)
    reporting = "on" if context.free_page_reporting else "off"
    element = etree.Element("memballoon", {"model": model, "freePageReporting": reporting})
    if context.mem_balloon_stats_period:
        etree.SubElement(element, "stats", {"period": str(context.mem_balloon_stats_period)})
    if uses_sev(vmi) or uses_secure_execution(vmi):
        etree.SubElement(element, "driver", {"iommu": "on"})
    return element
