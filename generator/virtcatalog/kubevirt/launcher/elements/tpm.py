"""`<tpm>`: an emulated TPM 2.0."""

from __future__ import annotations

from virtcatalog.api.devices import TPMDevice
from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement
from virtcatalog.kubevirt.memo import memo


def tpm(device: TPMDevice | None) -> Element | None:
    """`<tpm>` unless the VMI has none or turns it off; the one that keeps its state is of the newer model.

    Source: pkg/virt-launcher/virtwrap/converter/compute/tpm.go (TPMDomainConfigurator).
    """
    if device is None or device.enabled is False:
        return None
    return _tpm(bool(device.persistent))


@memo
def _tpm(persistent: bool) -> Element:
    element = Shared("tpm", {"model": "tpm-crb" if persistent else "tpm-tis"})
    backend = SubElement(element, "backend", {"type": "emulator", "version": "2.0"})
    if persistent:
        backend.set("persistent_state", "yes")
    return element
