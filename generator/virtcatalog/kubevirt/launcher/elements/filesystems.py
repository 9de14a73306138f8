"""`<filesystem>`: volumes that the guest mounts over virtiofs."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.xml import Element, SubElement

_SOCKETS = "/var/run/kubevirt/virtiofs-containers"


def filesystems(vmi: VirtualMachineInstance) -> list[Element]:
    """A `<filesystem>` for each filesystem of the VMI; its virtiofsd runs in a container of its own.

    Source: pkg/virt-launcher/virtwrap/converter/storage/virtiofs.go (VirtiofsConfigurator).
    """
    made = []
    for filesystem in vmi.spec.domain.devices.filesystems:
        element = Element("filesystem", {"type": "mount", "accessMode": "passthrough"})
        SubElement(element, "driver", {"type": "virtiofs", "queue": "1024"})
        SubElement(element, "source", {"dir": "", "socket": f"{_SOCKETS}/{filesystem.name}.sock"})
        SubElement(element, "target", {"dir": filesystem.name} if filesystem.name else {})
        made.append(element)
    return made
