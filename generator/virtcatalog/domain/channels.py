"""`<channel>`: the guest agent's line, and that of the downward metrics."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.domain.xml import Element, SubElement

_METRICS_SOCKET = "/var/run/kubevirt-private/downwardmetrics-channel/downwardmetrics.sock"


def channels(vmi: VirtualMachineInstance) -> Iterator[Element]:
    """Yield the channels; libvirt chooses the guest agent's socket.

    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/converter/compute/channels.go.
    """
    agent = Element("channel", {"type": "unix"})
    SubElement(agent, "target", {"type": "virtio", "name": "org.qemu.guest_agent.0"})
    yield agent
    if vmi.spec.domain.devices.downward_metrics is not None:
        metrics = Element("channel", {"type": "unix"})
        SubElement(metrics, "source", {"mode": "bind", "path": _METRICS_SOCKET})
        SubElement(metrics, "target", {"type": "virtio", "name": "org.github.vhostmd.1"})
        yield metrics
