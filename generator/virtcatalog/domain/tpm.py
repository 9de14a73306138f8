"""`<tpm>`: an emulated TPM 2.0."""

from __future__ import annotations

from lxml import etree

from virtcatalog.api.kubevirt import VirtualMachineInstance


def tpm(vmi: VirtualMachineInstance) -> etree._Element | None:
    """`<tpm>` unless the VMI has none or turns it off; the one that keeps its state is of the newer model.

    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/converter/compute/tpm.go.
    """
    device = vmi.spec.domain.devices.tpm
    if device is None or device.enabled is False:
        return None
    element = etree.Element("tpm", {"model": "tpm-crb" if device.persistent else "tpm-tis"})
    backend = etree.SubElement(element, "backend", {"type": "emulator", "version": "2.0"})
    if device.persistent:
        backend.set("persistent_state", "yes")
    return element
