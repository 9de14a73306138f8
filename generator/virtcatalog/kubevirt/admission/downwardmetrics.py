"""The host's metrics on a serial device of the guest.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration


def validate_downward_metrics(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """The device needs a feature gate; so does the volume (see `volumes`) (validateDownwardMetrics)."""
    if spec.domain.devices.downward_metrics is not None and not config.feature_gate("DownwardMetrics"):
        yield invalid(f"{path}.domain.devices.downwardMetrics", "needs the feature gate DownwardMetrics")
