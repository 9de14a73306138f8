"""`<devices>`: the order of the device families."""

from __future__ import annotations

from collections.abc import Iterable

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
    element = Element("devices")
    _add(element, emulator(vmi, context))
    _add_all(element, disks(vmi, context))
    _add_all(element, controllers(vmi, context))
    _add_all(element, filesystems(vmi))
    _add_all(element, interfaces(vmi, context))
    _add_all(element, serial_console(vmi, context))
    _add_all(element, channels(vmi))
    _add_all(element, inputs(vmi, context))
    _add(element, tpm(vmi))
    _add(element, graphics(vmi, context))
    _add(element, sound(vmi))
    _add(element, video(vmi, context))
    _add_all(element, hostdevs(vmi, context))
    _add_all(element, redirdevs(vmi))
    _add(element, watchdog(vmi, context))
    element.append(memballoon(vmi, context))
    _add(element, rng(vmi, context))
    _add_all(element, panics(vmi))
    _add(element, vsock(context))
    return element


def _add(parent: Element, child: Element | None) -> None:
    if child is not None:
        parent.append(child)


def _add_all(parent: Element, children: Iterable[Element]) -> None:
    parent.extend([*children])  # a list: of a generator, extend would hide what it raises
