"""`<filesystem>`: volumes that the guest mounts over virtiofs."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.api.devices import Filesystem
from virtcatalog.kubevirt.launcher.xml import Element, SubElement

_SOCKETS = "/var/run/kubevirt/virtiofs-containers"


def filesystems(shared: Sequence[Filesystem]) -> list[Element]:
    """A `<filesystem>` for each filesystem of the VMI; its virtiofsd runs in a container of its own.

    Source: pkg/virt-launcher/virtwrap/converter/storage/virtiofs.go (VirtiofsConfigurator).
    """
    elements = []
    for filesystem in shared:
        element = Element("filesystem", {"type": "mount", "accessMode": "passthrough"})
        SubElement(element, "driver", {"type": "virtiofs", "queue": "1024"})
        SubElement(element, "source", {"dir": "", "socket": f"{_SOCKETS}/{filesystem.name}.sock"})
        SubElement(element, "target", {"dir": filesystem.name} if filesystem.name else {})
        elements.append(element)
    return elements
