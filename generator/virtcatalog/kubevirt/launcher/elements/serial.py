"""`<serial>` and `<console>`: the serial console behind `virtctl console`, and its log."""

from __future__ import annotations

from functools import cache, partial

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.xml import Element, Form, Shared, SubElement


def serial_console(vmi: VirtualMachineInstance, context: Context) -> list[Element]:
    """The first serial port, on a socket of the launcher's, and the console that is this port.

    Source: pkg/virt-launcher/virtwrap/converter/compute/console.go (ConsoleDomainConfigurator).
    """
    if vmi.spec.domain.devices.autoattach_serial_console is False:
        return []
    form = _with_log() if context.serial_console_log else _without_log()
    return [form.filled(vmi.metadata.uid), _console()]


@cache
def _with_log() -> Form:
    return Form(partial(_serial, log=True), 1)


@cache
def _without_log() -> Form:
    return Form(partial(_serial, log=False), 1)


def _serial(uid: str, *, log: bool) -> Element:
    socket = f"/var/run/kubevirt-private/{uid}/virt-serial0"
    serial = Element("serial", {"type": "unix"})
    SubElement(serial, "source", {"mode": "bind", "path": socket})
    if log:
        SubElement(serial, "log", {"file": f"{socket}-log", "append": "on"})
    SubElement(serial, "target", {"port": "0"})
    return serial


@cache
def _console() -> Element:
    console = Shared("console", {"type": "pty"})
    SubElement(console, "target", {"type": "serial", "port": "0"})
    return console
