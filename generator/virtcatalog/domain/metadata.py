"""`<name>` and `<metadata>`: whose domain it is."""

from __future__ import annotations

from copy import copy

from lxml import etree

from virtcatalog.api.kubevirt import VirtualMachineInstance

_METADATA = etree.XML('<metadata><kubevirt xmlns="http://kubevirt.io"><uid/></kubevirt></metadata>')


def name(vmi: VirtualMachineInstance) -> etree._Element:
    """`<name>`: namespace and name of the VMI.

    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/converter/metadata/configurator.go.
    """
    element = etree.Element("name")
    element.text = f"{vmi.metadata.namespace}_{vmi.metadata.name}"
    return element


def metadata() -> etree._Element:
    """`<metadata>`, whose uid virt-launcher fills in once libvirt has the domain."""
    return copy(_METADATA)
