"""`<rng>`: entropy from the host."""

from __future__ import annotations

from lxml import etree

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.domain.context import Context
from virtcatalog.domain.launchsecurity import uses_secure_execution, uses_sev


def rng(vmi: VirtualMachineInstance, context: Context) -> etree._Element | None:
    """`<rng>`, fed from the host's /dev/urandom.

    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/converter/compute/rng.go.
    """
    devices = vmi.spec.domain.devices
    if devices.rng is None:
        return None
    element = etree.Element("rng", {"model": context.architecture.virtio_model(devices.use_virtio_transitional)})
    etree.SubElement(element, "backend", {"model": "random"}).text = "/dev/urandom"
    if uses_sev(vmi) or uses_secure_execution(vmi):
        etree.SubElement(element, "driver", {"iommu": "on"})
    return element
