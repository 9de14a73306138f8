"""NVIDIA Grace GPUs passed through. Source: grace_io_virtualization.go, pkg/util/hardware/grace.go."""

from __future__ import annotations

import re
from collections.abc import Iterator

from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.names import DISABLE_PCI_HOLE64, PLACE_ON_ROOT_COMPLEX
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.causes import invalid, required
from virtcatalog.kubevirt.configuration import Configuration

GATE = "GraceIOVirtualization"
_NVIDIA = "10DE"
_GRACE = ("2342", "2348", "2941")
_HEX_ID = re.compile(r"[0-9A-F]{4}")


def validate_grace(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """A Grace GPU needs its feature gates, an arm64 `virt` machine and dedicated CPUs.

    Source: validateGraceIOVirtualization.
    """
    devices = spec.domain.devices
    if not (devices.gpus or devices.host_devices) or not _may_be_permitted(config):
        return
    grace, unclear = _requests(spec, path, config)
    gate = config.feature_gate(GATE)
    if gate:
        for field, resource in unclear:
            yield invalid(
                field, f"{GATE} needs to know the device: {resource} is permitted with a pciVendorSelector 10DE:*"
            )
    elif grace:
        for field, resource in grace:
            yield invalid(field, f"{resource} is an NVIDIA Grace GPU, which needs the feature gate {GATE}; it is off")
    if grace and gate:
        yield from _machine(spec, path, config)


def _machine(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    domain = spec.domain
    architecture = spec.architecture or config.default_architecture
    if architecture != "arm64":
        yield invalid(f"{path}.architecture", f"an NVIDIA Grace GPU needs arm64, this is {architecture}")
    machine = domain.machine.type if domain.machine else ""
    machine = machine or config.machine_type(architecture)
    if not machine.startswith("virt"):
        yield invalid(f"{path}.domain.machine.type", f"an NVIDIA Grace GPU needs the machine virt, this is {machine!r}")
    if not domain.cpu or not domain.cpu.dedicated_cpu_placement:
        yield required(f"{path}.domain.cpu.dedicatedCpuPlacement", "an NVIDIA Grace GPU needs it to be true")
    for gate in ("PCINUMAAwareTopology", "IOMMUFD"):
        if not config.feature_gate(gate):
            yield invalid(f"{path}.domain.devices", f"an NVIDIA Grace GPU needs the feature gate {gate}, which is off")


def validate_grace_annotations(
    spec: VirtualMachineInstanceSpec, metadata: ObjectMeta, path: str, config: Configuration
) -> Iterator[Cause]:
    """A Grace GPU excludes two annotations on where PCI devices go; `path` is the metadata's.

    Source: validateGraceIOVirtualizationAnnotations.
    """
    annotations = metadata.annotations
    if not annotations or not _may_be_permitted(config):
        return
    for name, message in (
        (PLACE_ON_ROOT_COMPLEX, "cannot sit on the PCI root complex"),
        (DISABLE_PCI_HOLE64, "needs the 64-bit PCI hole"),
    ):
        if annotations.get(name) == "true" and _requests(spec, "spec", config)[0]:
            yield invalid(f"{path}.annotations[{name}]", f"is true, but an NVIDIA Grace GPU {message}")


_Request = tuple[str, str]


def _may_be_permitted(config: Configuration) -> bool:
    return config.permitted_host_devices is not None and config.release.traits.grace_gpus


def _requests(
    spec: VirtualMachineInstanceSpec, path: str, config: Configuration
) -> tuple[list[_Request], list[_Request]]:
    """(field, resource) of the devices that are Grace GPUs, and of NVIDIA devices of which that is not known."""
    permitted = config.permitted_host_devices
    selectors = {
        device.resource_name: device.pci_vendor_selector
        for device in (permitted.pci_host_devices if permitted else ())
        if device.resource_name and device.pci_vendor_selector
    }
    devices = spec.domain.devices
    requests = [(f"gpus[{index}]", gpu.device_name) for index, gpu in enumerate(devices.gpus)]
    requests += [(f"hostDevices[{index}]", device.device_name) for index, device in enumerate(devices.host_devices)]
    grace: list[_Request] = []
    unclear: list[_Request] = []
    for place, resource in requests:
        vendor, product = _vendor_and_product(selectors.get(resource, ""))
        if vendor == _NVIDIA and product in ("*", *_GRACE):
            request = (f"{path}.domain.devices.{place}.deviceName", resource)
            (unclear if product == "*" else grace).append(request)
    return grace, unclear


def _vendor_and_product(selector: str) -> tuple[str, str]:
    """Both halves of `10de:2342`, in capitals; blank when the selector is none."""
    vendor, _, product = (part.strip().upper().removeprefix("0X") for part in selector.partition(":"))
    is_selector = _HEX_ID.fullmatch(vendor) and (product == "*" or _HEX_ID.fullmatch(product))
    return (vendor, product) if is_selector else ("", "")
