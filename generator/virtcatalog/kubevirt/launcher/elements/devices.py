"""`<devices>`: the order of the device families."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

import msgspec
from msgspec.structs import replace

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.devices import Devices as Wanted
from virtcatalog.api.domainspec import Bootloader, DomainSpec, Firmware, LaunchSecurity
from virtcatalog.api.kubevirt import VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.elements.channels import channels
from virtcatalog.kubevirt.launcher.elements.controllers import controllers
from virtcatalog.kubevirt.launcher.elements.disks import disks
from virtcatalog.kubevirt.launcher.elements.filesystems import filesystems
from virtcatalog.kubevirt.launcher.elements.graphics import graphics
from virtcatalog.kubevirt.launcher.elements.hostdevs import has_hostdevs, hostdevs
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
from virtcatalog.kubevirt.launcher.xml import Element, Filled, Form, by_tag

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(tuple[Wanted, LaunchSecurity | None, Bootloader | None])


class Devices(msgspec.Struct):
    """The devices of a domain, by families, in the order in which libvirt documents them."""

    emulator: Element | None
    disks: Sequence[Filled]
    controllers: Filled
    filesystems: Sequence[Element]
    interfaces: Filled
    others: Filled

    @property
    def families(self) -> tuple[Filled, ...]:
        """Those that have a place on a bus, or may have one."""
        return *self.disks, self.controllers, self.interfaces, self.others

    def element(self) -> Element:
        """`<devices>`."""
        element = Element("devices")
        if self.emulator is not None:
            element.append(self.emulator)
        element.extend((*self.disks, self.controllers, *self.filesystems, self.interfaces, self.others))
        return element

    def placed(self, whole: Element) -> Devices:
        """The same devices as they are in `<devices>` now that they have got addresses."""
        tags = by_tag(whole)
        family = {tag: tags.pop(tag, []) for tag in ("emulator", "disk", "controller", "filesystem", "interface")}
        return Devices(
            self.emulator,
            [_placed(before, [disk]) for before, disk in zip(self.disks, family["disk"], strict=True)],
            _placed(self.controllers, family["controller"]),
            family["filesystem"],
            _placed(self.interfaces, family["interface"]),
            _placed(self.others, [device for devices in tags.values() for device in devices]),
        )


def _placed(before: Filled, elements: Sequence[Element]) -> Filled:
    return before.form.holding(elements).filled(*before.texts)


def devices(vmi: VirtualMachineInstance, context: Context) -> Devices:
    """The devices of a VMI.

    Raises DomainError where virt-launcher refuses a device. Source:
    pkg/virt-launcher/virtwrap/converter/converter.go.
    """
    return Devices(
        emulator(vmi, context),
        disks(vmi, context),
        controllers(vmi, context),
        filesystems(vmi),
        interfaces(vmi, context),
        _others(vmi, context),
    )


def _others(vmi: VirtualMachineInstance, context: Context) -> Filled:
    """The devices behind the interfaces; the text that is a VMI's own is its uid."""
    if has_hostdevs(vmi):
        return Form(partial(_made, vmi, context)).filled()
    spec = vmi.spec
    bootloader = spec.domain.firmware.bootloader if spec.domain.firmware is not None else None
    wanted = replace(spec.domain.devices, disks=[], interfaces=[]), spec.domain.launch_security, bootloader
    chosen = context.serial_console_log, context.free_page_reporting, context.vsock_cid
    try:
        return _form(_ENCODER.encode(wanted), spec.architecture, chosen, context.shared).filled(vmi.metadata.uid)
    except (ValueError, OverflowError):  # a text or a number that its type would not read
        return Form(partial(_made, vmi, context)).filled()


@lru_cache(maxsize=1024)
def _form(encoded: bytes, architecture: str, chosen: tuple[bool, bool, int | None], shared: Context) -> Form:
    """The devices of what the VMI says in MessagePack of them and of what they depend on, and of nothing else.

    `chosen` is what of the context is the VMI's.
    """
    log, reporting, cid = chosen
    context = replace(shared, serial_console_log=log, free_page_reporting=reporting, vsock_cid=cid)
    wanted, security, bootloader = _DECODER.decode(encoded)
    domain = DomainSpec(devices=wanted, launch_security=security, firmware=Firmware(bootloader=bootloader))
    spec = VirtualMachineInstanceSpec(domain=domain, architecture=architecture)

    def make(uid: str) -> Sequence[Element]:
        return _made(VirtualMachineInstance(metadata=ObjectMeta(uid=uid), spec=spec), context)

    return Form(make, 1)


def _made(vmi: VirtualMachineInstance, context: Context) -> Sequence[Element]:
    parts = (
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
    return [part for part in parts if part is not None]
