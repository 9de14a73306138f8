"""What device plugins and drivers of the nodes give the container `compute`.

Source: pkg/virt-controller/services/renderresources.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from virtcatalog.api.devices import GPU, HostDevice
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.elements.hostdevs import is_claimed, names_claim
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_sev, uses_tdx
from virtcatalog.kubevirt.pod.facts import Facts, PodError


def plugin_resources(vmi: VirtualMachineInstance, facts: Facts) -> Iterator[str]:
    """The resources that device plugins give the Pod one each of, named as often as it gets them."""
    if facts.reads_networks:
        yield from _network_resources(vmi, facts)
    domain = vmi.spec.domain
    devices: list[GPU | HostDevice] = [*domain.devices.gpus, *domain.devices.host_devices]
    for device in devices:
        if device.device_name and not names_claim(device):
            yield device.device_name
    if domain.launch_security is not None:
        if uses_sev(domain.launch_security):
            yield "devices.kubevirt.io/sev"
        if uses_tdx(domain.launch_security) and facts.traits.tdx_device:
            yield "devices.kubevirt.io/tdx"
    if any(disk.lun is not None and disk.lun.reservation for disk in domain.devices.disks):
        yield "devices.kubevirt.io/pr-helper"
    if facts.requests_iommufd:
        yield "devices.kubevirt.io/iommufd"


def _network_resources(vmi: VirtualMachineInstance, facts: Facts) -> Iterator[str]:
    """What the NetworkAttachmentDefinitions say; one that is missing counts as saying nothing (NetworkToResource)."""
    for network in vmi.spec.networks:
        if network.multus is not None:
            namespace, name = attachment(vmi.metadata.namespace, network.multus.network_name)
            definition = facts.cluster.network_attachment_definition(namespace, name)
            resource = definition.metadata.annotations.get("k8s.v1.cni.cncf.io/resourceName") if definition else None
            if resource:
                yield resource


def attachment(namespace: str, name: str) -> tuple[str, str]:
    """Namespace and name of a NetworkAttachmentDefinition (NetAttachDefNamespacedName)."""
    before, slash, after = name.partition("/")
    return (before, after) if slash else (namespace, name)


def resource_claims(vmi: VirtualMachineInstance, facts: Facts) -> Iterator[dict[str, str]]:
    """The resource claims of GPUs, host devices and networks, in this order."""
    devices = vmi.spec.domain.devices
    claiming: list[GPU | HostDevice] = [*devices.gpus] if facts.claims_gpus else []
    claiming += devices.host_devices if facts.claims_host_devices else ()
    names = set()
    for device in claiming:
        if is_claimed(device):
            if device.claim_name is None or device.request_name is None:
                if facts.traits.crashes_on_claims_in_part and isinstance(device, GPU):
                    message = (
                        f"KubeVirt {facts.release} crashes on GPU {device.name!r}: it needs claimName and requestName"
                    )
                    raise PodError("spec.domain.devices", message)
                continue
            if not (facts.traits.claims_by_name_alone and device.claim_name in names):
                yield _claim(device.claim_name, device.request_name)
            names.add(device.claim_name)
    if facts.claims_networks:
        for network in vmi.spec.networks:
            if network.resource_claim is not None:
                yield _claim(network.resource_claim.claim_name, network.resource_claim.request_name)


def _claim(name: str, request: str) -> dict[str, str]:
    return {"name": name, "request": request} if request else {"name": name}


def check_permitted(vmi: VirtualMachineInstance, facts: Facts) -> None:
    """Raise PodError for a device that the cluster does not permit; without a list it permits all.

    Source: validatePermittedHostDevices.
    """
    if facts.permitted is None:
        return
    devices, strict = vmi.spec.domain.devices, facts.traits.permits_device_by_device
    gpus = [] if facts.claims_gpus and not strict else devices.gpus
    families: tuple[tuple[str, Sequence[GPU | HostDevice], bool], ...] = (
        ("gpus", gpus, facts.claims_gpus),
        ("hostDevices", devices.host_devices, facts.claims_host_devices and strict),
    )
    for family, listed, spares_claims in families:
        for position, device in enumerate(listed):
            claimed = spares_claims and names_claim(device)
            if not claimed and device.device_name not in facts.permitted:
                field = f"spec.domain.devices.{family}[{position}].deviceName"
                message = f"{device.device_name!r} is not among the cluster's permittedHostDevices"
                raise PodError(field, message)
