"""`<qemu:commandline>`: what libvirt has no element for."""

from __future__ import annotations

from virtcatalog.api.annotations import IGNITION
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.xml import Element, SubElement

NAMESPACE_ATTRIBUTE = "xmlns:qemu"
NAMESPACE = "http://libvirt.org/schemas/domain/qemu/1.0"
COMMANDLINE = "qemu:commandline"

_IGNITION_DIRECTORY = "/var/run/kubevirt-ephemeral-disks/ignition-data"
_FIRMWARE_LOG = "/var/run/kubevirt-private/QEMUSeaBiosDebugPipe"
_VERBOSE = 5


def commandline(vmi: VirtualMachineInstance, context: Context) -> Element | None:
    """`<qemu:commandline>`: Ignition data, and the firmware's log from launcher verbosity 6 on.

    Source: pkg/virt-launcher/virtwrap/converter/compute/qemu_cmd.go (QemuCmdDomainConfigurator).
    """
    arguments = []
    if has_ignition(vmi):
        path = f"{_IGNITION_DIRECTORY}/{vmi.metadata.namespace}/{vmi.metadata.name}/data.ign"
        arguments += ["-fw_cfg", f"name=opt/com.coreos/config,file={path}"]
    if context.architecture.verbose_firmware_log and context.launcher_log_verbosity > _VERBOSE:
        arguments += ["-chardev", f"file,id=firmwarelog,path={_FIRMWARE_LOG}"]
        arguments += ["-device", "isa-debugcon,iobase=0x402,chardev=firmwarelog"]
    if not arguments:
        return None
    element = Element(COMMANDLINE)
    for argument in arguments:
        SubElement(element, "qemu:arg", value=argument)
    return element


def has_ignition(vmi: VirtualMachineInstance) -> bool:
    """Whether the VMI has Ignition data; text without the word is none."""
    return "ignition" in vmi.metadata.annotations.get(IGNITION, "")
