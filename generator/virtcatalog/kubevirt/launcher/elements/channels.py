"""`<channel>`: the guest agent's line, and that of the downward metrics."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement
from virtcatalog.kubevirt.memo import memo

_METRICS_SOCKET = "/var/run/kubevirt-private/downwardmetrics-channel/downwardmetrics.sock"


@memo
def channels(downward_metrics: bool) -> Sequence[Element]:
    """The channels; libvirt chooses the guest agent's socket.

    Source: pkg/virt-launcher/virtwrap/converter/compute/channels.go (ChannelsDomainConfigurator).
    """
    agent = _channel("org.qemu.guest_agent.0")
    return (agent, _channel("org.github.vhostmd.1", _METRICS_SOCKET)) if downward_metrics else (agent,)


def _channel(name: str, socket: str = "") -> Element:
    channel = Shared("channel", {"type": "unix"})
    if socket:
        SubElement(channel, "source", {"mode": "bind", "path": socket})
    SubElement(channel, "target", {"type": "virtio", "name": name})
    return channel
