"""How people and agents talk to a guest: `<graphics>`, `<video>`, `<serial>`, `<channel>`, `<input>`, `<redirdev>`."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.api.devices import Input, VideoDevice
from virtcatalog.kubevirt.launcher.elements.address import alias
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, SubElement, leaf, shared
from virtcatalog.kubevirt.memo import memo


def has_graphics(autoattach: bool | None, *, other_architecture: bool) -> bool:
    """Whether the machine has graphics: unless the VMI wants none, or QEMU emulates another architecture."""
    return autoattach is not False and not other_architecture


def graphics(uid: str) -> Element:
    """`<graphics>`: VNC on a socket of the launcher's.

    Source: pkg/virt-launcher/virtwrap/converter/compute/graphics.go (GraphicsDomainConfigurator).
    """
    element = Element("graphics", {"type": "vnc"})
    SubElement(element, "listen", {"type": "socket", "socket": f"/var/run/kubevirt-private/{uid}/virt-vnc"})
    return element


_VRAM = "16384"


def video(device: VideoDevice | None, architecture: str, *, use_bochs: bool) -> Element:
    """`<video>`: the card that the VMI names, else the architecture's usual one.

    Source: pkg/virt-launcher/virtwrap/converter/compute/graphics.go (GraphicsDomainConfigurator).
    """
    if device is not None:
        return _video(device.type, _VRAM)
    if architecture != "amd64":
        return _video("virtio")
    return _video("bochs") if use_bochs else _video("vga", _VRAM)


@memo
def _video(kind: str, memory: str = "") -> Element:
    vram = {"vram": memory} if memory else {}
    return shared("video", leaf("model", type=kind, **vram, heads="1"))


_CONSOLE = shared("console", leaf("target", type="serial", port="0"), type="pty")


def serial_console(uid: str, *, log: bool) -> list[Element]:
    """The first serial port, on a socket of the launcher's, and the console that is this port.

    Source: pkg/virt-launcher/virtwrap/converter/compute/console.go (ConsoleDomainConfigurator).
    """
    socket = f"/var/run/kubevirt-private/{uid}/virt-serial0"
    serial = Element("serial", {"type": "unix"})
    SubElement(serial, "source", {"mode": "bind", "path": socket})
    if log:
        SubElement(serial, "log", {"file": f"{socket}-log", "append": "on"})
    serial.append(leaf("target", port="0"))
    return [serial, _CONSOLE]


_METRICS_SOCKET = "/var/run/kubevirt-private/downwardmetrics-channel/downwardmetrics.sock"


@memo
def channels(downward_metrics: bool) -> Sequence[Element]:
    """The channels; libvirt chooses the guest agent's socket.

    Source: pkg/virt-launcher/virtwrap/converter/compute/channels.go (ChannelsDomainConfigurator).
    """
    agent = _channel("org.qemu.guest_agent.0")
    return (agent, _channel("org.github.vhostmd.1", _METRICS_SOCKET)) if downward_metrics else (agent,)


def _channel(name: str, socket: str = "") -> Element:
    source = [leaf("source", mode="bind", path=socket)] if socket else []
    return shared("channel", *source, leaf("target", type="virtio", name=name), type="unix")


def inputs(devices: Sequence[Input], architecture: str, *, wants_graphics: bool) -> list[Element]:
    """The VMI's tablets, then what the graphics of the architecture are of no use without.

    Source: pkg/virt-launcher/virtwrap/converter/compute/input_device.go (InputDeviceDomainConfigurator).
    """
    elements = []
    for position, device in enumerate(devices):
        if device.bus not in ("", "usb", "virtio"):
            message = f"an input device sits on usb or virtio, not on {device.bus}"
            raise DomainError(f"spec.domain.devices.inputs[{position}].bus", message)
        if device.type != "tablet":
            message = f"an input device is a tablet, not a {device.type!r}"
            raise DomainError(f"spec.domain.devices.inputs[{position}].type", message)
        elements.append(_tablet(device.bus or "usb", device.name))
    if not wants_graphics:
        return elements
    if architecture == "arm64":
        if not devices:
            elements.append(leaf("input", type="tablet", bus="usb"))
        elements.append(leaf("input", type="keyboard", bus="usb"))
    elif architecture == "s390x":
        elements.append(leaf("input", type="keyboard", bus="virtio"))
    return elements


def _tablet(bus: str, name: str) -> Element:
    model = {"model": "virtio"} if bus == "virtio" else {}
    return shared("input", alias(name), type="tablet", bus=bus, **model)


_PORTS = 4


def redirdevs(uid: str) -> list[Element]:
    """As many ports for `virtctl usbredir` as KubeVirt has.

    Source: pkg/virt-launcher/virtwrap/converter/compute/usb_redir.go (UsbRedirectDeviceDomainConfigurator).
    """
    elements = []
    for port in range(_PORTS):
        element = Element("redirdev", {"type": "unix", "bus": "usb"})
        path = f"/var/run/kubevirt-private/{uid}/virt-usbredir-{port}"
        SubElement(element, "source", {"mode": "bind", "path": path})
        elements.append(element)
    return elements
