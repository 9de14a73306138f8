"""`<panic>`: how a guest tells of its crash."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.api.devices import PanicDevice
from virtcatalog.kubevirt.launcher.xml import Element, leaf


def panics(devices: Sequence[PanicDevice]) -> list[Element]:
    """A `<panic>` for each panic device; without a model libvirt chooses.

    Source: pkg/virt-launcher/virtwrap/converter/compute/panic_devices.go (PanicDevicesDomainConfigurator).
    """
    return [leaf("panic") if device.model is None else leaf("panic", model=device.model) for device in devices]
