"""`<devices>`: the devices in the order of their families, each made of what it reads."""

from __future__ import annotations

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.efi import boots_efi
from virtcatalog.kubevirt.launcher.elements.consoles import (
    channels,
    graphics,
    has_graphics,
    inputs,
    redirdevs,
    serial_console,
    video,
)
from virtcatalog.kubevirt.launcher.elements.controllers import controllers
from virtcatalog.kubevirt.launcher.elements.disks import disks, virtio_disks
from virtcatalog.kubevirt.launcher.elements.disksource import DiskSource
from virtcatalog.kubevirt.launcher.elements.hostdevs import hostdevs
from virtcatalog.kubevirt.launcher.elements.hypervisor import emulator
from virtcatalog.kubevirt.launcher.elements.interfaces import (
    InterfaceRules,
    VirtioInterfaces,
    has_istio,
    interface_queues,
    interfaces,
)
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_iommu
from virtcatalog.kubevirt.launcher.elements.peripherals import (
    filesystems,
    memballoon,
    panics,
    rng,
    sound,
    tpm,
    vsock,
    watchdog,
)
from virtcatalog.kubevirt.launcher.xml import Element


def devices(vmi: VirtualMachineInstance, context: Context, vcpus: int) -> tuple[Element, list[DiskSource | None]]:
    """`<devices>` of a VMI that boots with so many vCPUs, and what is behind each of its disks.

    Raises DomainError where virt-launcher refuses a device. Source:
    pkg/virt-launcher/virtwrap/converter/converter.go (Convert_v1_VirtualMachineInstance_To_api_Domain).
    """
    spec, domain, wanted, metadata = vmi.spec, vmi.spec.domain, vmi.spec.domain.devices, vmi.metadata
    architecture, traits, uid = context.architecture, context.release.traits, metadata.uid
    emulated = context.emulates_other_architecture
    model = architecture.virtio_model(wanted.use_virtio_transitional)
    iommu = uses_iommu(domain.launch_security, spec.architecture)
    virtio_interfaces = VirtioInterfaces(model, interface_queues(wanted.network_interface_multiqueue, vcpus), iommu)
    rules = InterfaceRules(
        attachments=context.binding_attachments,
        pod_interface=context.pod_interface,
        writes_mac_address=traits.converts_mac_address,
        link_state_needs_tap=traits.link_state_needs_tap,
        rom_tuning=architecture.rom_tuning,
        istio=has_istio(metadata.annotations),
    )
    shown = has_graphics(wanted.autoattach_graphics_device, other_architecture=emulated)
    element = Element("devices")
    add, extend = element.append, element.extend

    path = emulator(spec.architecture, context.hypervisor, other_architecture=emulated)
    if path is not None:
        add(path)
    virtio = virtio_disks(domain, vcpus, model, iommu=iommu)
    drives, sources = disks(domain, spec.volumes, metadata, virtio, context)
    extend(drives)
    extend(controllers(domain, metadata.annotations, architecture, context.device_resources, vcpus, iommu=iommu))
    extend(filesystems(wanted.filesystems))
    extend(interfaces(wanted.interfaces, spec.networks, virtio_interfaces, rules))
    if wanted.autoattach_serial_console is not False:
        extend(serial_console(uid, log=context.serial_console_log))
    extend(channels(wanted.downward_metrics is not None))
    extend(inputs(wanted.inputs, architecture.name, wants_graphics=wanted.autoattach_graphics_device is not False))
    _add(element, tpm(wanted.tpm))
    if shown:
        add(graphics(uid))
    _add(element, sound(wanted.sound))
    if shown:
        use_bochs = context.bochs_for_efi_guests and boots_efi(domain.firmware)
        add(video(wanted.video, architecture.name, use_bochs=use_bochs))
    extend(hostdevs(wanted, spec.networks, context))
    if wanted.client_passthrough is not None:
        extend(redirdevs(uid))
    _add(element, watchdog(wanted.watchdog, architecture.name))
    attached, reporting = wanted.autoattach_mem_balloon is not False, context.free_page_reporting
    add(memballoon(attached, model, reporting, context.mem_balloon_stats_period, iommu))
    if wanted.rng is not None:
        add(rng(model, iommu))
    extend(panics(wanted.panic_devices))
    _add(element, vsock(context.vsock_cid))
    return element, sources


def _add(parent: Element, element: Element | None) -> None:
    if element is not None:
        parent.append(element)
