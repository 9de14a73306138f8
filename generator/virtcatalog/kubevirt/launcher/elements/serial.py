"""`<serial>` and `<console>`: the serial console behind `virtctl console`, and its log."""

from __future__ import annotations

from functools import cache

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement, leaf


def serial_console(vmi: VirtualMachineInstance, context: Context) -> list[Element]:
    """The first serial port, on a socket of the launcher's, and the console that is this port.

    Source: pkg/virt-launcher/virtwrap/converter/compute/console.go (ConsoleDomainConfigurator).
    """
    if vmi.spec.domain.devices.autoattach_serial_console is False:
        return []
    socket = f"/var/run/kubevirt-private/{vmi.metadata.uid}/virt-serial0"
    serial = Element("serial", {"type": "unix"})
    SubElement(serial, "source", {"mode": "bind", "path": socket})
    if context.serial_console_log:
        SubElement(serial, "log", {"file": f"{socket}-log", "append": "on"})
    serial.append(_target())
    return [serial, _console()]


@cache
def _target() -> Element:
    return leaf("target", port="0")


@cache
def _console() -> Element:
    console = Shared("console", {"type": "pty"})
    SubElement(console, "target", {"type": "serial", "port": "0"})
    return console
