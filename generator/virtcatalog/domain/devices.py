"""`<devices>`: the order of the device families."""

from __future__ import annotations

from collections.abc import Iterable

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.domain.channels import channels
from virtcatalog.domain.context import Context
from virtcatalog.domain.controllers import controllers
from virtcatalog.domain.disks import disks
from virtcatalog.domain.filesystems import filesystems
from virtcatalog.domain.graphics import graphics
from virtcatalog.domain.hostdevs import hostdevs
from virtcatalog.domain.hypervisor import emulator
from virtcatalog.domain.inputs import inputs
from virtcatalog.domain.interfaces import interfaces
from virtcatalog.domain.memballoon import memballoon
from virtcatalog.domain.panic import panics
from virtcatalog.domain.redirdev import redirdevs
from virtcatalog.domain.rng import rng
from virtcatalog.domain.serial import serial_console
from virtcatalog.domain.sound import sound
from virtcatalog.domain.tpm import tpm
from virtcatalog.domain.video import video
from virtcatalog.domain.vsock import vsock
from virtcatalog.domain.watchdog import watchdog
from virtcatalog.domain.xml import Element


def devices(vmi: VirtualMachineInstance, context: Context) -> Element:
    """`<devices>` of a VMI, in the order in which libvirt documents them.

    Raises DomainError where virt-launcher refuses a device. Source: KubeVirt v1.9.0,
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
    for child in children:  # Element.extend would hide what a generator raises
        parent.append(child)
