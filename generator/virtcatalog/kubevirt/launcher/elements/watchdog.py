"""`<watchdog>`: what acts when the guest hangs."""

from __future__ import annotations

from virtcatalog.api.devices import Watchdog
from virtcatalog.kubevirt.launcher.elements.address import alias
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element, shared


def watchdog(device: Watchdog | None, architecture: str) -> Element | None:
    """`<watchdog>`: an i6300esb on amd64, a diag288 on s390x; arm64 has none.

    Source: pkg/virt-launcher/virtwrap/converter/compute/watchdog.go (WatchdogDomainConfigurator).
    """
    if device is None:
        return None
    field = "spec.domain.devices.watchdog"
    if architecture == "arm64":
        raise DomainError(field, "arm64 machines have no watchdog")
    model, wanted = ("diag288", device.diag288) if architecture == "s390x" else ("i6300esb", device.i6300esb)
    if wanted is None:
        raise DomainError(field, f"a watchdog on {architecture} is a {model}")
    return shared("watchdog", alias(device.name), model=model, action=wanted.action)
