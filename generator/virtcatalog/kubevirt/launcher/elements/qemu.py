"""`<qemu:commandline>`: what libvirt has no element for."""

from __future__ import annotations

from collections.abc import Mapping

from virtcatalog.api.names import IGNITION
from virtcatalog.kubevirt.launcher.xml import Element, SubElement

NAMESPACE_ATTRIBUTE = "xmlns:qemu"
NAMESPACE = "http://libvirt.org/schemas/domain/qemu/1.0"
COMMANDLINE = "qemu:commandline"

_IGNITION_DIRECTORY = "/var/run/kubevirt-ephemeral-disks/ignition-data"
_FIRMWARE_LOG = "/var/run/kubevirt-private/QEMUSeaBiosDebugPipe"
VERBOSE = 5
"""From beyond this verbosity of the launcher on, the firmware writes its log, too."""


def commandline(ignition: str, *, firmware_log: bool) -> Element | None:
    """`<qemu:commandline>`: the file of Ignition data, if there is one, and the firmware's log.

    Source: pkg/virt-launcher/virtwrap/converter/compute/qemu_cmd.go (QemuCmdDomainConfigurator).
    """
    arguments = []
    if ignition:
        arguments += ["-fw_cfg", f"name=opt/com.coreos/config,file={ignition}"]
    if firmware_log:
        arguments += ["-chardev", f"file,id=firmwarelog,path={_FIRMWARE_LOG}"]
        arguments += ["-device", "isa-debugcon,iobase=0x402,chardev=firmwarelog"]
    if not arguments:
        return None
    element = Element(COMMANDLINE)
    for argument in arguments:
        SubElement(element, "qemu:arg", value=argument)
    return element


def has_ignition(annotations: Mapping[str, str]) -> bool:
    """Whether a VMI of these annotations has Ignition data; text without the word is none."""
    return IGNITION in annotations and "ignition" in annotations[IGNITION]


def ignition_file(annotations: Mapping[str, str], namespace: str, name: str) -> str:
    """Where virt-launcher puts the Ignition data of a VMI; "" when it has none."""
    return f"{_IGNITION_DIRECTORY}/{namespace}/{name}/data.ign" if has_ignition(annotations) else ""
