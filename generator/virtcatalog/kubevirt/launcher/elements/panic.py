"""`<panic>`: how a guest tells of its crash."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.xml import Element, leaf


def panics(vmi: VirtualMachineInstance) -> list[Element]:
    """A `<panic>` for each panic device; without a model libvirt chooses.

    Source: pkg/virt-launcher/virtwrap/converter/compute/panic_devices.go (PanicDevicesDomainConfigurator).
    """
    models = [device.model for device in vmi.spec.domain.devices.panic_devices]
    return [leaf("panic", **({} if model is None else {"model": model})) for model in models]
