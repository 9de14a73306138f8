"""The launch security of an instance type.

Source: pkg/instancetype/apply/launchsecurity.go.
"""

from __future__ import annotations

from virtcatalog.api.decode import clone
from virtcatalog.api.domainspec import DomainSpec
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec


def apply_launch_security(instancetype: VirtualMachineInstancetypeSpec, domain: DomainSpec) -> list[str]:
    """Set the launch security as a whole; a VM with any of its own conflicts (applyLaunchSecurity)."""
    if instancetype.launch_security is None:
        return []
    if domain.launch_security is not None:
        return ["domain.launchSecurity"]
    domain.launch_security = clone(instancetype.launch_security)
    return []
