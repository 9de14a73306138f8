"""`<serial>` and `<console>`: the serial console behind `virtctl console`, and its log."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.xml import Element, SubElement


def serial_console(vmi: VirtualMachineInstance, context: Context) -> list[Element]:
    """The first serial port, on a socket of the launcher's, and the console that is this port.

    Source: pkg/virt-launcher/virtwrap/converter/compute/console.go (ConsoleDomainConfigurator).
    """
    if vmi.spec.domain.devices.autoattach_serial_console is False:
        return []
    socket = f"/var/run/kubevirt-private/{vmi.metadata.uid}/virt-serial0"
    serial, console = Element("serial", {"type": "unix"}), Element("console", {"type": "pty"})
    SubElement(serial, "source", {"mode": "bind", "path": socket})
    if context.serial_console_log:
        SubElement(serial, "log", {"file": f"{socket}-log", "append": "on"})
    SubElement(serial, "target", {"port": "0"})
    SubElement(console, "target", {"type": "serial", "port": "0"})
    return [serial, console]
