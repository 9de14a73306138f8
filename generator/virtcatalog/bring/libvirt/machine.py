"""The machine of a domain: CPUs, memory, firmware, features and clock, put into the VM's `spec.domain`."""

from __future__ import annotations

import re

from virtcatalog.api.names import IGNITION
from virtcatalog.api.quantity import Quantity
from virtcatalog.bring.libvirt.cpu import cpus
from virtcatalog.bring.libvirt.draft import Draft, Need
from virtcatalog.kubevirt.launcher.elements.memorybacking import MEMFD_ANNOTATION
from virtcatalog.manifests.xml import XMLElement

UNITS = {"b": 1, "bytes": 1}
UNITS |= {f"{prefix}B": 1000**power for power, prefix in enumerate("KMGT", 1)}
UNITS |= {name: 1024**power for power, prefix in enumerate("KMGT", 1) for name in (prefix, f"{prefix}iB")}
UNITS["k"] = 1024
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "s390x": "s390x"}
_MACHINES = {"amd64": "q35", "arm64": "virt", "s390x": "s390-ccw-virtio"}
_UPSTREAM_VERSION = re.compile(r"(pc-q35|virt|s390-ccw-virtio)-[0-9.]+")
_ENLIGHTENMENTS = {
    **{name: name for name in ("relaxed", "vapic", "vpindex", "runtime", "synic", "reset", "frequencies")},
    **{name: name for name in ("reenlightenment", "tlbflush", "ipi", "evmcs", "spinlocks")},
    "stimer": "synictimer",
    "vendor_id": "vendorid",
}
_TIMERS = {"rtc": "rtc", "pit": "pit", "kvmclock": "kvm", "hpet": "hpet", "hypervclock": "hyperv"}


def machine(draft: Draft) -> None:
    """Fill in everything but the devices; ManifestError for values that no domain can have."""
    _os(draft)
    _memory(draft)
    cpus(draft)
    _memory_backing(draft)
    _identity(draft)
    _features(draft)
    _clock(draft)
    _life(draft)
    if draft.from_kubevirt:
        _ignition(draft)
    _launch_security(draft)


def size_of(draft: Draft, element: XMLElement, attribute: str = "") -> int:
    """Return the amount of memory that an element or an attribute of it holds, in bytes; KiB where no unit is named."""
    unit = element.get("unit", "KiB")
    if unit not in UNITS:
        raise draft.fault(element, f"{unit!r} is no unit of memory", "unit")
    return draft.number(element, attribute) * UNITS[unit]


def _os(draft: Draft) -> None:
    kind = draft.one("os", "type")
    name = kind.get("arch", "x86_64")
    if name not in ARCHITECTURES:
        names = ", ".join(ARCHITECTURES)
        raise draft.fault(kind, f"KubeVirt has no machines of architecture {name!r}; it has {names}", "arch")
    if kind.text != "hvm":
        raise draft.fault(kind, f"KubeVirt has fully virtualized machines (hvm) alone, not {kind.text!r}")
    draft.put(("architecture",), ARCHITECTURES[name], (kind, "arch"))
    machine_type = kind.get("machine")
    machine = _MACHINES[draft.architecture]
    if machine_type.startswith(("pc-i440fx", "pc-0.", "pc-1.")) or machine_type == "pc":
        why = f"KubeVirt has no i440fx: the guest gets a {machine}, whose devices sit on PCI Express"
        draft.mark("lost", why, (kind, "machine"))
    elif _UPSTREAM_VERSION.fullmatch(machine_type) and not draft.from_kubevirt:
        draft.mark(
            "lost", f"KubeVirt's QEMU has versions of its own: the guest gets the newest {machine}", (kind, "machine")
        )
    elif machine_type:
        machine = machine_type
    draft.put(("domain", "machine", "type"), machine, (kind, "machine"))
    _firmware(draft)


def _firmware(draft: Draft) -> None:
    os = draft.one("os")
    loader = os.first("loader")
    automatic = os.get("firmware")
    secure_features = {feature.get("name"): feature.get("enabled") for feature in os.all("firmware", "feature")}
    efi = automatic == "efi" or (
        loader is not None and loader.get("type", "pflash" if os.first("nvram") else "") == "pflash"
    )
    efi = efi or (loader is not None and bool(re.search("OVMF|AAVMF|edk2|uefi", loader.text, re.IGNORECASE)))
    path = ("domain", "firmware", "bootloader")
    bios = os.first("bios")
    if efi:
        secure = secure_features.get("secure-boot") == "yes" or (loader is not None and loader.get("secure") == "yes")
        embedded = draft.domain.first("launchSecurity") is not None and loader is not None and "secboot" in loader.text
        origins = [element for element in (loader, os.first("nvram")) if element is not None]
        draft.put((*path, "efi"), {"secureBoot": secure or embedded}, *origins)
        if secure:  # KubeVirt asks for it in so many words
            draft.put(("domain", "features", "smm"), {}, *origins)
    elif bios is not None and bios.get("useserial") == "yes":
        draft.put((*path, "bios"), {"useSerial": True}, (bios, "useserial"))
    menu = os.first("bootmenu")
    if draft.from_kubevirt and menu is not None and menu.get("enable") == "yes":
        draft.put(("startStrategy",), "Paused", menu)
    kernel, initrd, arguments = os.first("kernel"), os.first("initrd"), os.first("cmdline")
    if draft.from_kubevirt and (kernel is not None or initrd is not None):
        container = {"image": "registry.invalid/kernel"}
        for field, element in (("kernelPath", kernel), ("initrdPath", initrd)):
            if element is not None:
                container[field] = f"/{element.text.rpartition('/')[2]}"
        draft.put(("domain", "firmware", "kernelBoot", "container"), container, *filter(None, (kernel, initrd)))
        draft.need(
            "domain.firmware.kernelBoot.container.image", "the domain does not tell the image that holds the kernel"
        )
        if arguments is not None:
            draft.put(("domain", "firmware", "kernelBoot", "kernelArgs"), arguments.text, arguments)


def _memory(draft: Draft) -> None:
    memory, most = draft.one("memory"), draft.domain.first("maxMemory")
    size = size_of(draft, memory)
    if not size:
        raise draft.fault(memory, "a domain has some memory")
    draft.put(("domain", "memory", "guest"), str(Quantity.of(size)), memory)
    current = draft.domain.first("currentMemory")
    if current is not None and size_of(draft, current) < size:
        draft.mark("lost", "KubeVirt starts a guest with all of its memory", current)
    if most is not None and size_of(draft, most) < size:
        draft.mark("lost", "it is less than the memory: libvirt takes no such domain", most)
    elif most is not None:
        draft.put(("domain", "memory", "maxGuest"), str(Quantity.of(size_of(draft, most))), most)
        if size_of(draft, most) == size:
            draft.mark("carried", "spec.template.spec.domain.memory.maxGuest", most)


def _memory_backing(draft: Draft) -> None:
    pages = draft.domain.first("memoryBacking", "hugepages")
    if pages is None:
        return
    page = pages.first("page")
    size = 2 * 2**20 if page is None else size_of(draft, page, "size")
    draft.put(("domain", "memory", "hugepages"), {"pageSize": str(Quantity.of(size))}, pages)
    for element in pages.all("page") if not draft.from_kubevirt else ():
        if size_of(draft, element, "size") == size:
            draft.mark("carried", "spec.template.spec.domain.memory.hugepages.pageSize", element)
        else:
            draft.mark("lost", "KubeVirt has huge pages of one size for a guest", element)
    source = draft.domain.first("memoryBacking", "source")
    if draft.from_kubevirt and source is None:
        draft.annotations[MEMFD_ANNOTATION] = "false"


def _identity(draft: Draft) -> None:
    uuid = draft.domain.first("uuid")
    entries = {element.get("name"): element for element in draft.domain.all("sysinfo", "system", "entry")}
    if uuid is not None and uuid.text:
        draft.put(("domain", "firmware", "uuid"), uuid.text.lower(), uuid)
        draft.mark("carried", "spec.template.spec.domain.firmware.uuid", uuid)
    elif "uuid" in entries:
        draft.put(("domain", "firmware", "uuid"), entries["uuid"].text, entries["uuid"])
    if "serial" in entries and entries["serial"].text:
        draft.put(("domain", "firmware", "serial"), entries["serial"].text, entries["serial"])
    for entry in draft.domain.all("sysinfo", "chassis", "entry"):
        if entry.get("name") in ("manufacturer", "version", "serial", "asset", "sku") and entry.text:
            draft.put(("domain", "chassis", entry.get("name")), entry.text, entry)


def _features(draft: Draft) -> None:
    features = draft.domain.first("features")
    if features is None:
        return
    path = ("domain", "features")
    elements = {feature.tag: feature for feature in features}
    if set(elements) - {"kvm", "pmu"} or (draft.from_kubevirt and draft.architecture == "arm64"):
        if "acpi" not in elements:
            draft.put((*path, "acpi"), {"enabled": False}, features)
        else:
            draft.put((*path, "acpi"), {}, elements["acpi"])
    if "apic" in elements:
        draft.put((*path, "apic"), {}, elements["apic"])
    for name in ("smm", "pvspinlock"):
        if name in elements:
            draft.put((*path, name), _state(draft, elements[name]), elements[name])
    hidden = features.first("kvm", "hidden")
    if hidden is not None:
        draft.put((*path, "kvm"), {"hidden": draft.truth(hidden, "state", default=False)}, hidden)
    if "hyperv" in elements:
        _hyperv(draft, elements["hyperv"])


def _state(draft: Draft, element: XMLElement) -> dict[str, object]:
    return {} if draft.truth(element, "state", default=True) else {"enabled": False}


def _hyperv(draft: Draft, hyperv: XMLElement) -> None:
    path = ("domain", "features")
    if hyperv.get("mode") == "passthrough":
        draft.put((*path, "hypervPassthrough"), {"enabled": True}, hyperv)
        return
    draft.put((*path, "hyperv"), {}, hyperv)
    for element in hyperv:
        field = _ENLIGHTENMENTS.get(element.tag)
        if field is None:
            continue
        value = _state(draft, element)
        if element.tag == "spinlocks" and element.get("retries"):
            value["spinlocks"] = draft.number(element, "retries")
        elif element.tag == "vendor_id" and element.get("value"):
            value["vendorid"] = element.get("value")
        elif element.tag in ("stimer", "tlbflush"):
            value |= {part.tag: _state(draft, part) for part in element if part.tag in ("direct", "extended")}
        draft.put((*path, "hyperv", field), value, element)


def _clock(draft: Draft) -> None:
    clock = draft.domain.first("clock")
    if clock is None:
        return
    offset, adjustment = clock.get("offset"), clock.get("adjustment")
    path = ("domain", "clock")
    timers = {element.get("name"): element for element in clock.all("timer")}
    if offset == "timezone":
        draft.put((*path, "timezone"), clock.get("timezone"), (clock, "timezone"))
    elif offset or not draft.from_kubevirt:
        moved = offset in ("utc", "variable") and clock.get("basis", "utc") == "utc" and adjustment not in ("", "reset")
        seconds = {"offsetSeconds": _seconds(draft, clock)} if moved else {}
        draft.put((*path, "utc"), seconds, (clock, "offset"))
        if offset == "variable" and clock.get("basis", "utc") == "utc":
            draft.mark("carried", "an adjustment of UTC", (clock, "offset"), (clock, "basis"))
    elif set(timers) <= {"tsc"}:
        return
    for name, timer in timers.items():
        field = _TIMERS.get(name)
        if field is None:
            continue
        value: dict[str, object] = {} if draft.truth(timer, "present", default=True) else {"present": False}
        for key, attribute in (("tickPolicy", "tickpolicy"), ("track", "track")):
            if timer.get(attribute) and (key == "tickPolicy" or field == "rtc"):
                value[key] = timer.get(attribute)
        draft.put((*path, "timer", field), value, timer)


def _seconds(draft: Draft, clock: XMLElement) -> int:
    text = clock.get("adjustment")
    if not re.fullmatch("[-+]?[0-9]{1,9}", text):
        raise draft.fault(clock, f"{text!r} is no number of seconds", "adjustment")
    return int(text)


def _ignition(draft: Draft) -> None:
    if any(
        "name=opt/com.coreos/config" in element.get("value") for element in draft.domain.walk() if element.name == "arg"
    ):
        draft.annotations[IGNITION] = '{"ignition": {"version": "3.4.0"}}'
        draft.needs.append(
            Need(f"spec.template.metadata.annotations[{IGNITION}]", "the domain does not tell the Ignition data")
        )


def _life(draft: Draft) -> None:
    reboot = draft.domain.first("on_reboot")
    if reboot is not None and (reboot.text == "destroy" or (draft.from_kubevirt and reboot.text == "restart")):
        draft.put(("domain", "rebootPolicy"), "Terminate" if reboot.text == "destroy" else "Reboot", reboot)


def _launch_security(draft: Draft) -> None:
    security = draft.domain.first("launchSecurity")
    protected = next(
        (
            element
            for element in draft.one("devices").walk()
            if element.tag == "driver" and element.get("iommu") == "on"
        ),
        None,
    )
    if draft.from_kubevirt and draft.architecture == "s390x" and protected is not None:
        draft.put(("domain", "launchSecurity"), {}, (protected, "iommu"))
    if security is None:
        return
    kind = {"sev": "sev", "sev-snp": "snp", "tdx": "tdx"}.get(security.get("type"))
    if kind is None:
        return
    value: dict[str, object] = {}
    policy = security.first("policy")
    if kind == "sev":
        if policy is not None and draft.number(policy) & 4:
            value["policy"] = {"encryptedState": True}
        for tag in ("dhCert", "session"):
            element = security.first(tag)
            if element is not None:
                value[tag] = element.text
    draft.put(("domain", "launchSecurity", kind), value, security)
