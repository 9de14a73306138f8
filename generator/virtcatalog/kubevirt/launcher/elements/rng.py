"""`<rng>`: entropy from the host."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_iommu
from virtcatalog.kubevirt.launcher.xml import Element, SubElement


def rng(vmi: VirtualMachineInstance, context: Context) -> Element | None:
    """`<rng>`, fed from the host's /dev/urandom.

    Source: pkg/virt-launcher/virtwrap/converter/compute/rng.go (RNGDomainConfigurator).
    """
    devices = vmi.spec.domain.devices
    if devices.rng is None:
        return None
    return _rng(context.architecture.virtio_model(devices.use_virtio_transitional), uses_iommu(vmi))


def _rng(model: str, iommu: bool) -> Element:
    element = Element("rng", {"model": model})
    SubElement(element, "backend", {"model": "random"}).text = "/dev/urandom"
    if iommu:
        SubElement(element, "driver", {"iommu": "on"})
    return element
