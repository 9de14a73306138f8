"""`<tpm>`: an emulated TPM 2.0."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.domain.xml import Element, SubElement


def tpm(vmi: VirtualMachineInstance) -> Element | None:
    """`<tpm>` unless the VMI has none or turns it off; the one that keeps its state is of the newer model.

    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/converter/compute/tpm.go.
    """
    device = vmi.spec.domain.devices.tpm
    if device is None or device.enabled is False:
        return None
    element = Element("tpm", {"model": "tpm-crb" if device.persistent else "tpm-tis"})
    backend = SubElement(element, "backend", {"type": "emulator", "version": "2.0"})
    if device.persistent:
        backend.set("persistent_state", "yes")
    return element
