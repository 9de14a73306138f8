"""`<name>` and `<metadata>`: whose domain it is."""

from __future__ import annotations

from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement

NAMESPACE = "http://kubevirt.io"


def name_of_domain(namespace: str, name: str) -> Element:
    """`<name>`, namespace and name of the VMI.

    Source: pkg/virt-launcher/virtwrap/converter/metadata/configurator.go (DomainConfigurator).
    """
    element = Element("name")
    element.text = f"{namespace}_{name}"
    return element


def metadata() -> Element:
    """`<metadata>`, whose uid virt-launcher fills in later (DomainConfigurator, too)."""
    return _METADATA


def _empty_metadata() -> Element:
    element = Shared("metadata")
    SubElement(SubElement(element, "kubevirt", xmlns=NAMESPACE), "uid")
    return element


_METADATA = _empty_metadata()
