"""`<name>` and `<metadata>`: whose domain it is."""

from __future__ import annotations

from functools import lru_cache

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement

NAMESPACE = "http://kubevirt.io"


def name(vmi: VirtualMachineInstance) -> Element:
    """`<name>`: namespace and name of the VMI.

    Source: pkg/virt-launcher/virtwrap/converter/metadata/configurator.go (DomainConfigurator).
    """
    element = Element("name")
    element.text = f"{vmi.metadata.namespace}_{vmi.metadata.name}"
    return element


@lru_cache(maxsize=1)
def metadata() -> Element:
    """`<metadata>`, whose uid virt-launcher fills in once libvirt has the domain."""
    element = Shared("metadata")
    SubElement(SubElement(element, "kubevirt", xmlns=NAMESPACE), "uid")
    return element
