"""`<name>` and `<metadata>`: whose domain it is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.xml import Element, Filled, Form, SubElement

NAMESPACE = "http://kubevirt.io"


def identity(vmi: VirtualMachineInstance) -> Filled:
    """`<name>`, namespace and name of the VMI, and `<metadata>`, whose uid virt-launcher fills in later.

    Source: pkg/virt-launcher/virtwrap/converter/metadata/configurator.go (DomainConfigurator).
    """
    return _form().filled(vmi.metadata.namespace, vmi.metadata.name)


@cache
def _form() -> Form:
    return Form(_identity, 2)


def _identity(namespace: str, name: str) -> Sequence[Element]:
    element, metadata = Element("name"), Element("metadata")
    element.text = f"{namespace}_{name}"
    SubElement(SubElement(metadata, "kubevirt", xmlns=NAMESPACE), "uid")
    return element, metadata
