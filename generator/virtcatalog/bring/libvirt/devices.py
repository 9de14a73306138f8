"""The devices of a domain besides its disks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from virtcatalog.api.names import DISABLE_PCI_HOLE64, PLACE_ON_ROOT_COMPLEX
from virtcatalog.bring.imports import free_label, label
from virtcatalog.bring.libvirt.disks import has_libvirts_addresses, pci_address
from virtcatalog.bring.libvirt.draft import Draft, attribute
from virtcatalog.bring.libvirt.rules import Rules
from virtcatalog.manifests.xml import XMLElement

_DEVICES = ("domain", "devices")
_MODELS = ("virtio", "e1000", "e1000e", "igb", "ne2k_pci", "pcnet", "rtl8139")
_PREFIXES = {"gpu-": "gpus", "hostdevice-": "hostDevices", "usb-host-": "hostDevices"}
_TRANSITIONAL = "virtio-transitional"


def devices(draft: Draft, rules: Rules, resources: Mapping[str, str]) -> None:
    """Fill in the other devices, and turn off those that KubeVirt adds by default.

    `resources` are those of the cluster's device plugins, with the kind of their devices.
    """
    all_devices = draft.one("devices")
    by_tag: dict[str, list[XMLElement]] = {}
    for element in all_devices:
        by_tag.setdefault(element.tag, []).append(element)
    if any(element.get("model") == _TRANSITIONAL for element in all_devices):
        draft.put((*_DEVICES, "useVirtioTransitional"), True)
    _interfaces(draft, rules, by_tag.get("interface", []), by_tag.get("hostdev", []))
    _hostdevs(draft, rules, resources, by_tag.get("hostdev", []))
    _console(draft, by_tag)
    _display(draft, by_tag)
    _channels(draft, by_tag.get("channel", []))
    _small(draft, by_tag)
    _controllers(draft, by_tag.get("controller", []))


def _interfaces(draft: Draft, rules: Rules, elements: list[XMLElement], hostdevs: list[XMLElement]) -> None:
    used_names: set[str] = set()
    networks: list[dict[str, Any]] = []
    has_pod = False
    functions = [hostdev for hostdev in hostdevs if _alias(hostdev).startswith("sriov-")]
    for number, element in enumerate([*elements, *functions]):
        source, mac = element.first("source"), element.first("mac")
        names = [source.get(name) for name in ("network", "bridge", "dev", "portgroup")] if source is not None else []
        target = element.first("target")
        alias = _alias(element).removeprefix("sriov-")
        virtual_function = element in functions or element.get("type") == "hostdev"
        network = rules.network(*names, attribute(mac, "address"), alias)
        if not network and draft.from_kubevirt:
            tap = attribute(target, "dev")
            network = "pod" if not virtual_function and not has_pod and tap in ("", "tap0", "eth0") else ""
        elif not network and not has_pod and not virtual_function:
            network = "pod"
        pod = network == "pod"
        usual = "default" if pod else label(next(filter(None, names), ""), f"net-{number}")
        name = free_label(alias if draft.from_kubevirt and alias else usual, used_names)
        has_pod |= pod
        networks.append(
            {"name": name, "pod": {}} if pod else {"name": name, "multus": {"networkName": network or name}}
        )
        if not pod and not network:
            draft.need(f"networks[name={name}].multus.networkName", "the NetworkAttachmentDefinition has to be there")
        passt = draft.from_kubevirt and element.get("type") == "vhostuser"
        binding = "sriov" if virtual_function else "passtBinding" if passt else "masquerade" if pod else "bridge"
        draft.device("interfaces", {"name": name, binding: {}}, element)
        at = (*_DEVICES, "interfaces", len(networks) - 1)
        _interface(draft, element, at, mac)
        if not draft.from_kubevirt:
            attachment = "the pod's network, behind NAT" if pod else f"the network {network or name}, by Multus"
            parts = (
                (element,)  # the new domain has a <hostdev> in its place
                if virtual_function
                else ((element, "type"), source, target, element.first("virtualport"))
            )
            draft.mark("host", f"it is attached to {attachment}", *parts)
    if networks:
        draft.spec["networks"] = networks
    else:
        draft.put((*_DEVICES, "autoattachPodInterface"), False)


def _alias(element: XMLElement) -> str:
    return attribute(element.first("alias"), "name").removeprefix("ua-")


def _name(draft: Draft, element: XMLElement, otherwise: str) -> str:
    """A device's name in the VM that KubeVirt made its alias of, `otherwise` for a domain of others."""
    return (_alias(element) if draft.from_kubevirt else "") or otherwise


def _interface(draft: Draft, element: XMLElement, at: tuple[str | int, ...], mac: XMLElement | None) -> None:
    if mac is not None and mac.get("address"):
        draft.put((*at, "macAddress"), mac.get("address"), mac)
    model = element.first("model")
    kind = attribute(model, "type")
    if kind in _MODELS[1:]:
        draft.put((*at, "model"), kind, *element.all("model"))
    elif kind and not kind.startswith("virtio"):
        draft.mark("lost", f"KubeVirt has no {kind}: the guest gets virtio", model)
    link = element.first("link")
    if link is not None and link.get("state") == "down":
        draft.put((*at, "state"), "down", link)
    boot = element.first("boot")
    if boot is not None:
        draft.put((*at, "bootOrder"), draft.number(boot, "order"), boot)
    acpi = element.first("acpi")
    if acpi is not None:
        draft.put((*at, "acpiIndex"), draft.number(acpi, "index"), acpi)
    driver = element.first("driver")
    if driver is not None and driver.get("queues"):
        draft.put((*_DEVICES, "networkInterfaceMultiqueue"), True, (driver, "queues"))
    address = pci_address(element.first("address"))
    if address and not has_libvirts_addresses(draft):
        draft.put((*at, "pciAddress"), address, *element.all("address"))


def _hostdevs(draft: Draft, rules: Rules, resources: Mapping[str, str], elements: list[XMLElement]) -> None:
    used_names: set[str] = set()
    for number, element in enumerate(elements):
        alias = _alias(element)
        if alias.startswith("sriov-"):
            continue
        address = element.first("source", "address")
        if element.get("type") == "pci" and address is not None and not pci_address(address):
            raise draft.fault(address, "this is no address on PCI")
        address_text = pci_address(address) if element.get("type") == "pci" else attribute(address, "uuid")
        resource = rules.resource(address_text, alias)
        prefix = next((prefix for prefix in _PREFIXES if alias.startswith(prefix) and draft.from_kubevirt), "")
        if not resource and not prefix:
            rule = f"--device {address_text or '…'}=RESOURCE names it"
            draft.mark("lost", f"a device of the host is the resource of a device plugin: {rule}", element)
            continue
        name = free_label(alias.removeprefix(prefix) if prefix else f"device-{number}", used_names)
        device: dict[str, Any] = {"name": name, "deviceName": resource}
        if not resource:
            resources_of_kind = [
                resource_name for resource_name, kind in resources.items() if kind == element.get("type")
            ]
            # Devices of one resource sit beside each other.
            unknown = f"devices.invalid/{label(address_text.rpartition('.')[0] or address_text, 'device')}"
            device["deviceName"] = resources_of_kind[0] if resources_of_kind else unknown
            if len(resources_of_kind) != 1:
                field = f"domain.devices.{_PREFIXES[prefix]}[name={name}].deviceName"
                draft.need(
                    field, f"the domain does not tell the resource: --device {address_text or '…'}=RESOURCE does"
                )
        family = _PREFIXES.get(prefix, "hostDevices")
        if family == "gpus" and element.get("type") == "mdev" and element.get("display") == "on":
            ramfb = {} if element.get("ramfb") == "on" else {"ramFB": {"enabled": False}}
            device["virtualGPUOptions"] = {"display": {"enabled": True, **ramfb}}
        draft.device(family, device, element)
        if not draft.from_kubevirt:
            draft.mark("host", f"a device of the resource {resource}, whichever the node gives", *element.all("source"))


def _console(draft: Draft, by_tag: dict[str, list[XMLElement]]) -> None:
    serials = by_tag.get("serial", [])
    if not serials and not by_tag.get("console"):
        draft.put((*_DEVICES, "autoattachSerialConsole"), False)
    elif draft.from_kubevirt and serials and serials[0].first("log") is None:
        draft.put((*_DEVICES, "logSerialConsole"), False, serials[0])


def _display(draft: Draft, by_tag: dict[str, list[XMLElement]]) -> None:
    has_graphics = bool(by_tag.get("graphics"))
    if not has_graphics and not by_tag.get("video"):
        draft.put((*_DEVICES, "autoattachGraphicsDevice"), False)
    for video in by_tag.get("video", [])[:1]:
        model = video.first("model")
        efi = draft.get("domain", "firmware", "bootloader", "efi") is not None
        usual = ("bochs" if efi else "vga") if draft.architecture == "amd64" else "virtio"
        if model is not None and model.get("type") == "none":
            draft.put((*_DEVICES, "autoattachGraphicsDevice"), False, video)
            draft.mark("carried", "spec.template.spec.domain.devices.autoattachGraphicsDevice", video)
        elif (
            model is not None and model.get("type") and (model.get("type") != usual or _is_chosen(draft, model, usual))
        ):
            draft.put((*_DEVICES, "video"), {"type": model.get("type")}, (model, "type"))
    used_names: set[str] = set()
    for element in by_tag.get("input", []):
        if element.get("type") == "tablet" and element.get("bus", "usb") in ("usb", "virtio"):
            if draft.architecture == "arm64" and not _alias(element) and draft.from_kubevirt:
                continue  # KubeVirt adds it to every such machine
            name = free_label(_name(draft, element, "tablet"), used_names)
            device = {"type": "tablet", "bus": element.get("bus", "usb"), "name": name}
            draft.device("inputs", device, element)
        elif element.get("bus", "usb") in ("usb", "virtio") and not draft.from_kubevirt:
            draft.mark("lost", "KubeVirt has tablets alone", element)


def _is_chosen(draft: Draft, model: XMLElement, usual: str) -> bool:
    """Whether KubeVirt's graphics card is set in its VM: such cards have video memory."""
    return draft.from_kubevirt and bool(model.get("vram")) and usual != "vga"


def _channels(draft: Draft, elements: list[XMLElement]) -> None:
    for element in elements:
        name = attribute(element.first("target"), "name")
        if name == "org.github.vhostmd.1":
            draft.put((*_DEVICES, "downwardMetrics"), {}, element)
        elif name != "org.qemu.guest_agent.0":
            draft.mark("lost", f"KubeVirt has channels for the guest agent and for metrics, not for {name}", element)


def _small(draft: Draft, by_tag: dict[str, list[XMLElement]]) -> None:
    """Fill in devices without a name or bus to keep: balloon, RNG, TPM, sound, watchdog and others."""
    for balloon in by_tag.get("memballoon", []):
        if balloon.get("model") == "none":
            draft.put((*_DEVICES, "autoattachMemBalloon"), False, balloon)
    if by_tag.get("rng"):
        draft.put((*_DEVICES, "rng"), {}, by_tag["rng"][0])
    for tpm in by_tag.get("tpm", [])[:1]:
        backend = tpm.first("backend")
        if backend is not None and backend.get("type") == "emulator":
            persistent = backend.get("persistent_state") == "yes" or not draft.from_kubevirt
            draft.put((*_DEVICES, "tpm"), {"persistent": True} if persistent else {}, tpm)
    for sound in by_tag.get("sound", [])[:1]:
        model = sound.get("model")
        if model == "ich6":
            draft.mark("lost", "KubeVirt has no ich6: the guest gets an ich9", (sound, "model"))
            model = "ich9"
        if model in ("ich9", "ac97"):
            name = _name(draft, sound, "sound")
            draft.put((*_DEVICES, "sound"), {"name": name, "model": model}, sound)
            draft.devices[sound] = name
    _watchdogs(draft, by_tag.get("watchdog", []))
    panics = [{"model": element.get("model")} if element.get("model") else {} for element in by_tag.get("panic", [])]
    if panics:
        draft.put((*_DEVICES, "panicDevices"), panics, *by_tag["panic"])
    if by_tag.get("vsock"):
        draft.put((*_DEVICES, "autoattachVSOCK"), True, by_tag["vsock"][0])
    if by_tag.get("redirdev"):
        draft.put((*_DEVICES, "clientPassthrough"), {}, *by_tag["redirdev"])


def _watchdogs(draft: Draft, elements: list[XMLElement]) -> None:
    for watchdog in elements:
        if (model := watchdog.get("model")) in ("i6300esb", "diag288"):
            name = _name(draft, watchdog, "watchdog")
            device = {"name": name, model: {"action": watchdog.get("action", "reset")}}
            draft.put((*_DEVICES, "watchdog"), device, watchdog)
            draft.devices[watchdog] = name
        elif model == "itco":
            draft.mark("carried", "libvirt gives it by itself", watchdog)
            if watchdog.get("action", "reset") != "reset":
                draft.mark("lost", "the chipset's watchdog resets the guest", (watchdog, "action"))


def _controllers(draft: Draft, elements: list[XMLElement]) -> None:
    own = [element for element in elements if element.get("type") in ("scsi", "virtio-serial")]
    if draft.from_kubevirt and any(pci_address(element.first("address")).startswith("0000:00:") for element in own):
        draft.annotations[PLACE_ON_ROOT_COMPLEX] = "true"
    if draft.from_kubevirt and not any(element.get("type") == "scsi" for element in elements):
        draft.put((*_DEVICES, "disableHotplug"), True)
    for element in elements if not draft.from_kubevirt else ():
        kind, model = element.get("type"), element.get("model")
        if kind == "pci":
            draft.mark("host", "libvirt lays out the guest's PCI anew", element)
        elif kind in ("sata", "virtio-serial"):
            draft.mark("carried", "libvirt gives it by itself", element)
        elif kind == "usb" and model != "none":
            why = "KubeVirt has a qemu-xhci, and only where a USB device needs it"
            draft.mark(
                *(("host", why) if model in ("", "qemu-xhci", "nec-xhci") else ("lost", why)), (element, "model")
            )
        elif kind not in ("scsi", "usb"):
            draft.mark("lost", f"KubeVirt has no controller of type {kind}", element)
    holes = [element.first("pcihole64") for element in elements if element.get("type") == "pci"]
    if any(hole is not None and draft.number(hole) == 0 for hole in holes):
        draft.annotations[DISABLE_PCI_HOLE64] = "true"
