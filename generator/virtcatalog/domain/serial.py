"""`<serial>` and `<console>`: the serial console behind `virtctl console`, and its log."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.domain.context import Context


def serial_console(vmi: VirtualMachineInstance, context: Context) -> Iterator[etree._Element]:
    """Yield the first serial port, on a socket of the launcher's, and the console that is this port.

    Source: KubeVirt v1.9.0, pkg/virt-launcher/virtwrap/converter/compute/console.go.
    """
    if vmi.spec.domain.devices.autoattach_serial_console is False:
        return
    socket = f"/var/run/kubevirt-private/{vmi.metadata.uid}/virt-serial0"
    serial = etree.Element("serial", {"type": "unix"})
    etree.SubElement(serial, "source", {"mode": "bind", "path": socket})
    if context.serial_console_log:
        etree.SubElement(serial, "log", {"file": f"{socket}-log", "append": "on"})
    etree.SubElement(serial, "target", {"port": "0"})
    yield serial
    console = etree.Element("console", {"type": "pty"})
    etree.SubElement(console, "target", {"type": "serial", "port": "0"})
    yield console
