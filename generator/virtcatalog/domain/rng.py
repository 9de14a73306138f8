"""`<rng>`: entropy from the host."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.domain.context import Context
from virtcatalog.domain.launchsecurity import uses_iommu
from virtcatalog.domain.xml import Element, SubElement


def rng(vmi: VirtualMachineInstance, context: Context) -> Element | None:
    """`<rng>`, fed from the host's /dev/urandom.

    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/converter/compute/rng.go.
    """
    devices = vmi.spec.domain.devices
    if devices.rng is None:
        return None
    element = Element("rng", {"model": context.architecture.virtio_model(devices.use_virtio_transitional)})
    SubElement(element, "backend", {"model": "random"}).text = "/dev/urandom"
    if uses_iommu(vmi):
        SubElement(element, "driver", {"iommu": "on"})
    return element
