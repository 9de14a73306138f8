"""The GPUs of a VMI.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.devices import GPU
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration


def validate_gpus(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """One vGPU at most can have a display with a RAM framebuffer (validateMDEVRamFB)."""
    gpus = spec.domain.devices.gpus
    if gpus and sum(map(_has_ram_framebuffer, gpus)) > 1:
        yield invalid(f"{path}.GPUs", "only one vGPU can have a display with ramFB: disable it for the others")


def _has_ram_framebuffer(gpu: GPU) -> bool:
    """A display has one by default; once `ramFB` is given, its `enabled` has to say so."""
    options = gpu.virtual_gpu_options
    display = options.display if options is not None else None
    if display is None or display.enabled is False:
        return False
    return display.ram_fb is None or display.ram_fb.enabled is True
