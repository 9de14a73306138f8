"""`<on_reboot>`: what a reboot from inside the guest does."""

from __future__ import annotations

from virtcatalog.kubevirt.launcher.xml import Element, leaf

_ACTIONS = {"Terminate": "destroy", "Reboot": "restart"}


def on_reboot(policy: str | None) -> Element | None:
    """`<on_reboot>`, absent for libvirt's own default.

    Source: pkg/virt-launcher/virtwrap/converter/compute/reboot_policy.go (RebootPolicyDomainConfigurator).
    """
    action = _ACTIONS.get(policy or "")
    return None if action is None else leaf("on_reboot", action)
