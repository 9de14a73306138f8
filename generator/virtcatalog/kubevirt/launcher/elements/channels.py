"""`<channel>`: the guest agent's line, and that of the downward metrics."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.xml import Element, SubElement

_METRICS_SOCKET = "/var/run/kubevirt-private/downwardmetrics-channel/downwardmetrics.sock"


def channels(vmi: VirtualMachineInstance) -> list[Element]:
    """The channels; libvirt chooses the guest agent's socket.

    Source: pkg/virt-launcher/virtwrap/converter/compute/channels.go (ChannelsDomainConfigurator).
    """
    made = [_channel("org.qemu.guest_agent.0")]
    if vmi.spec.domain.devices.downward_metrics is not None:
        made.append(_channel("org.github.vhostmd.1", _METRICS_SOCKET))
    return made


def _channel(name: str, socket: str = "") -> Element:
    channel = Element("channel", {"type": "unix"})
    if socket:
        SubElement(channel, "source", {"mode": "bind", "path": socket})
    SubElement(channel, "target", {"type": "virtio", "name": name})
    return channel
