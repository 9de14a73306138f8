"""`<devices>`: the order of the device families."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.channels import channels
from virtcatalog.kubevirt.launcher.elements.controllers import controllers
from virtcatalog.kubevirt.launcher.elements.disks import disks
from virtcatalog.kubevirt.launcher.elements.filesystems import filesystems
from virtcatalog.kubevirt.launcher.elements.graphics import graphics
from virtcatalog.kubevirt.launcher.elements.hostdevs import hostdevs
from virtcatalog.kubevirt.launcher.elements.hypervisor import emulator
from virtcatalog.kubevirt.launcher.elements.inputs import inputs
from virtcatalog.kubevirt.launcher.elements.interfaces import interfaces
from virtcatalog.kubevirt.launcher.elements.memballoon import memballoon
from virtcatalog.kubevirt.launcher.elements.panic import panics
from virtcatalog.kubevirt.launcher.elements.redirdev import redirdevs
from virtcatalog.kubevirt.launcher.elements.rng import rng
from virtcatalog.kubevirt.launcher.elements.serial import serial_console
from virtcatalog.kubevirt.launcher.elements.sound import sound
from virtcatalog.kubevirt.launcher.elements.tpm import tpm
from virtcatalog.kubevirt.launcher.elements.video import video
from virtcatalog.kubevirt.launcher.elements.vsock import vsock
from virtcatalog.kubevirt.launcher.elements.watchdog import watchdog
from virtcatalog.kubevirt.launcher.xml import Element


def devices(vmi: VirtualMachineInstance, context: Context) -> Element:
    """`<devices>` of a VMI, in the order in which libvirt documents them.

    Raises DomainError where virt-launcher refuses a device. Source:
    pkg/virt-launcher/virtwrap/converter/converter.go.
    """
    parts = (
        emulator(vmi, context),
        *disks(vmi, context),
        *controllers(vmi, context),
        *filesystems(vmi),
        *interfaces(vmi, context),
        *serial_console(vmi, context),
        *channels(vmi),
        *inputs(vmi, context),
        tpm(vmi),
        graphics(vmi, context),
        sound(vmi),
        video(vmi, context),
        *hostdevs(vmi, context),
        *redirdevs(vmi),
        watchdog(vmi, context),
        memballoon(vmi, context),
        rng(vmi, context),
        *panics(vmi),
        vsock(context),
    )
    element = Element("devices")
    element.extend([part for part in parts if part is not None])
    return element
