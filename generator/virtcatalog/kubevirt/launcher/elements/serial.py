"""`<serial>` and `<console>`: the serial console behind `virtctl console`, and its log."""

from __future__ import annotations

from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement, leaf
from virtcatalog.kubevirt.memo import memo


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
    return [serial, _console()]


@memo
def _console() -> Element:
    console = Shared("console", {"type": "pty"})
    SubElement(console, "target", {"type": "serial", "port": "0"})
    return console
