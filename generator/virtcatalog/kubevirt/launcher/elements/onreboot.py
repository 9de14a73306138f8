"""`<on_reboot>`: what a reboot from inside the guest does."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.xml import Element

_ACTIONS = {"Terminate": "destroy", "Reboot": "restart"}


def on_reboot(vmi: VirtualMachineInstance) -> Element | None:
    """`<on_reboot>`, absent for libvirt's own default.

    Source: pkg/virt-launcher/virtwrap/converter/compute/reboot_policy.go (RebootPolicyDomainConfigurator).
    """
    action = _ACTIONS.get(vmi.spec.domain.reboot_policy or "")
    if action is None:
        return None
    element = Element("on_reboot")
    element.text = action
    return element
