"""The VMI's DRA resource claims and the GPUs and host devices that come from them.

Source: pkg/dra/admitter/dra_admitter.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from virtcatalog.api.devices import GPU, HostDevice
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.names import dns_label_problems, dns_subdomain_problems
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.causes import crash, duplicate, invalid, required
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.launcher.elements.hostdevs import is_claimed, names_claim
from virtcatalog.releases import Traits

_Device = GPU | HostDevice
_Pairs = dict[tuple[str, str], int]


def validate_resource_claims(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """The claims, the devices, no request used twice, and no claim used that is not listed (validateCreationDRA)."""
    devices, traits = spec.domain.devices, config.release.traits
    if not traits.host_devices_from_claims:
        yield from _gpus_alone(spec, path, config)
        return
    if spec.resource_claims:
        yield from _claims(spec, f"{path}.resourceClaims", traits)
    if not (devices.gpus or devices.host_devices):
        return
    gpus_field, host_devices_field = f"{path}.domain.devices.gpus", f"{path}.domain.devices.hostDevices"
    gpus: _Pairs = {}
    mixed = any(map(is_claimed, devices.gpus)) and not all(map(is_claimed, devices.gpus))
    if mixed:
        yield invalid(gpus_field, "all GPUs of a VMI have a deviceName, or all come from resource claims")
    else:
        yield from _devices(devices.gpus, gpus_field, config.feature_gate("GPUsWithDRA"), "GPUsWithDRA", gpus)
    host_devices: _Pairs = {}
    gate = "HostDevicesWithDRA"
    yield from _devices(devices.host_devices, host_devices_field, config.feature_gate(gate), gate, host_devices)
    if not (gpus or host_devices):
        return
    taken = set(gpus)
    for pair, index in host_devices.items():
        if pair in taken:
            yield duplicate(f"{host_devices_field}[{index}]", _twice(pair, "a GPU"))
        taken.add(pair)
    if config.feature_gate("NetworkDevicesWithDRA"):
        for index, pair in _network_pairs(spec):
            if pair in taken:
                yield duplicate(f"{path}.networks[{index}]", _twice(pair, "a GPU or host device"))
    used = {claim for claim, _ in taken}
    if not used.issubset(claim.name for claim in spec.resource_claims):
        yield invalid(f"{path}.resourceClaims", "must list every claim that the GPUs and host devices name")


def _gpus_alone(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> Iterator[Cause]:
    """What some releases look at: GPUs one by one until the first fault; their field has `spec` twice."""
    gpus, field = spec.domain.devices.gpus, f"{path}.spec.domain.devices.gpus"
    claimed = [gpu for gpu in gpus if is_claimed(gpu)]
    for gpu in gpus:
        if not is_claimed(gpu) and not gpu.device_name:
            yield invalid(field, f"{gpu.name!r} needs a deviceName or a claim")
            return
        if gpu.device_name and names_claim(gpu):
            yield invalid(field, f"{gpu.name!r} has a deviceName and a claim, one is allowed")
    if claimed and not config.feature_gate("GPUsWithDRA"):
        yield invalid(field, "devices from resource claims need the feature gate GPUsWithDRA")
        return
    listed = {claim.name for claim in spec.resource_claims}
    nameless = [gpu.name for gpu in claimed if gpu.claim_name is None]
    if nameless:
        yield crash(f"{field}: {nameless[0]!r} has no claimName, on which KubeVirt fails")
    elif not listed.issuperset(gpu.claim_name for gpu in claimed):
        yield invalid(f"{path}.resourceClaims", "must list every claim that the GPUs name")


def _claims(spec: VirtualMachineInstanceSpec, field: str, traits: Traits) -> Iterator[Cause]:
    names: set[str] = set()
    for index, claim in enumerate(spec.resource_claims):
        place = f"{field}[{index}]"
        if not traits.resource_claims_are_checked:
            if claim.name in names:
                yield duplicate(f"{place}.name", f"an earlier resource claim is also named {claim.name!r}")
            names.add(claim.name)
            continue
        if not claim.name:
            yield required(f"{place}.name", "a resource claim needs a name")
        elif claim.name in names:
            yield duplicate(f"{place}.name", f"an earlier resource claim is also named {claim.name!r}")
        else:
            if problems := dns_label_problems(claim.name):
                yield invalid(f"{place}.name", ", ".join(problems))
            names.add(claim.name)
        if (claim.resource_claim_name is None) == (claim.resource_claim_template_name is None):
            yield invalid(place, "a resource claim names either a resourceClaimName or a resourceClaimTemplateName")
        for field_name, name in (
            ("resourceClaimName", claim.resource_claim_name),
            ("resourceClaimTemplateName", claim.resource_claim_template_name),
        ):
            for problem in dns_subdomain_problems(name) if name is not None else ():
                yield invalid(f"{place}.{field_name}", problem)


def _devices(devices: Sequence[_Device], field: str, enabled: bool, gate: str, pairs: _Pairs) -> Iterator[Cause]:
    """What is wrong with devices of one kind; `pairs` receives each (claim, request) and the first that has it."""
    claimed = []
    for index, device in enumerate(devices):
        if device.device_name:
            if names_claim(device):
                yield invalid(field, f"{device.name!r} has a deviceName and a claim, one is allowed")
        elif names_claim(device):
            claimed.append((index, device))
        else:
            yield required(field, f"{device.name!r} needs a deviceName or a claim")
    if claimed and not enabled:
        yield invalid(field, f"devices from resource claims need the feature gate {gate}")
        return
    for index, device in claimed:
        if not device.claim_name:
            yield required(f"{field}[{index}].claimName", f"{device.name!r} needs a claimName")
        if not device.request_name:
            yield required(f"{field}[{index}].requestName", f"{device.name!r} needs a requestName")
        if device.claim_name and device.request_name:
            pair = (device.claim_name, device.request_name)
            if pairs.setdefault(pair, index) != index:
                yield duplicate(f"{field}[{index}]", _twice(pair, "an earlier device"))


def _network_pairs(spec: VirtualMachineInstanceSpec) -> Iterator[tuple[int, tuple[str, str]]]:
    """Each request of the networks, once, with the first network that has it."""
    seen: set[tuple[str, str]] = set()
    for index, network in enumerate(spec.networks):
        request = network.resource_claim
        if request is None or not (request.claim_name and request.request_name):
            continue
        pair = (request.claim_name, request.request_name)
        if pair not in seen:
            seen.add(pair)
            yield index, pair


def _twice(pair: tuple[str, str], who: str) -> str:
    return f"{who} also asks claim {pair[0]!r} for request {pair[1]!r}"
