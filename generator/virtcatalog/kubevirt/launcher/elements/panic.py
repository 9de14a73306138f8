"""`<panic>`: how a guest tells of its crash."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.xml import Element


def panics(vmi: VirtualMachineInstance) -> Iterator[Element]:
    """Yield a `<panic>` for each panic device; without a model libvirt chooses.

    Source: pkg/virt-launcher/virtwrap/converter/compute/panic_devices.go (PanicDevicesDomainConfigurator).
    """
    for device in vmi.spec.domain.devices.panic_devices:
        yield Element("panic", {} if device.model is None else {"model": device.model})
