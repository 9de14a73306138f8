"""Host devices that are passed through.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration


def validate_host_devices(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """Host devices at all; which of them are permitted shows when the pod is made.

    Source: validateHostDevicesWithPassthroughEnabled.
    """
    if spec.domain.devices.host_devices and not config.feature_gate("HostDevices"):
        yield invalid(f"{path}.HostDevices", "hostDevices need the feature gate HostDevices")
