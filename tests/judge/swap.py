"""What of a domain belongs to its node, put in terms of a machine without one: so that emulation can start it.

Each rule takes the domain, changes it in place and tells whether there was anything to change. Nothing but what a rule
names is touched: the rest of the domain starts as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from platform import machine
from typing import NamedTuple

from lxml import etree

Domain = etree._Element
Rule = Callable[[Domain], bool]

_QEMU = "{http://libvirt.org/schemas/domain/qemu/1.0}"
_ASSIGNED = ("hostdev", "vsock", "filesystem", "redirdev", "shmem")


def _drop(domain: Domain, *paths: str) -> bool:
    elements = [element for path in paths for element in domain.xpath(path)]
    for element in elements:
        element.getparent().remove(element)
    return bool(elements)


def software_emulation(domain: Domain) -> bool:
    """KVM → TCG, with the processor that TCG has."""
    domain.set("type", "qemu")
    cpu = domain.find("cpu")
    if cpu is not None:
        remaining = [child for child in cpu if child.tag in ("topology", "numa")]
        cpu.attrib.clear()
        cpu[:] = remaining
        if "s390" not in domain.findtext("os/type", "") and domain.find("os/type").get("arch") != "s390x":
            cpu.set("mode", "maximum")
    return True


def kvm_features(domain: Domain) -> bool:
    """Hyper-V's enlightenments, KVM's own features and clocks: KVM makes them, not QEMU."""
    timers = "clock/timer[@name='hypervclock' or @name='kvmclock' or @name='tsc']"
    return _drop(domain, "features/hyperv", "features/kvm", "features/pvspinlock", "features/pmu", timers)


def host_cpus(domain: Domain) -> bool:
    """Threads of the host, its NUMA nodes and huge pages, and memory that is locked or allocated at once."""
    hints = "memoryBacking/*[self::hugepages or self::locked or self::allocation or self::nosharepages]"
    return _drop(domain, "cputune", "numatune", hints, "cpu/numa/cell/distances")


def memory_size(domain: Domain) -> bool:
    """At most 1 GiB for the guest: the memory of the machine is not what is judged. Hotplug's bounds go with it."""
    most = 2**30
    cells = domain.xpath("cpu/numa/cell[@memory]")
    amounts = domain.xpath("memory | currentMemory")
    if not cells and all(int(amount.text) <= most for amount in amounts):
        return False
    _drop(domain, "maxMemory", "devices/memory", "currentMemory")
    for cell in cells:
        cell.set("memory", str(most // len(cells)))
        cell.set("unit", "b")
    memory = domain.find("memory")
    memory.text, memory.attrib["unit"] = str(most), "b"
    return True


def assigned_devices(domain: Domain) -> bool:
    """Devices of the host, and those that another process of the pod serves."""
    devices = [f"devices/{tag}" for tag in _ASSIGNED]
    return _drop(domain, *devices, "devices/interface[@type='vhostuser' or @type='hostdev' or @type='vdpa']")


def pod_interfaces(domain: Domain) -> bool:
    """The pod's taps → QEMU's own user network."""
    interfaces = domain.xpath("devices/interface[@type='ethernet']")
    for interface in interfaces:
        interface.set("type", "user")
        for child in interface.xpath("source | target | mtu | driver[@name='vhost']"):
            interface.remove(child)
    return bool(interfaces)


def block_devices(domain: Domain) -> bool:
    """Block devices of claims → files of that name; SCSI commands are not passed on to those."""
    sources = domain.xpath("devices/disk//source[@dev] | devices/disk//source[reservations]")
    for source in sources:
        disk = next(source.iterancestors("disk"))
        holder = source.getparent()
        holder.set("type", "file")
        if disk.get("device") == "lun":
            disk.set("device", "disk")
        if "dev" in source.attrib:
            source.set("file", source.attrib.pop("dev"))
        for child in source.xpath("reservations"):
            source.remove(child)
    return bool(sources)


def confidential_guests(domain: Domain) -> bool:
    """Encryption of the guest's memory, which the host's processor does."""
    iommu = "devices/*/driver[@iommu]"
    dropped = _drop(domain, "launchSecurity")
    if dropped:
        for element in domain.xpath(iommu):
            del element.attrib["iommu"]
    return dropped


def machine_names(domain: Domain) -> bool:
    """Machine types of another distribution's QEMU → the current one of the same family."""
    kind = domain.find("os/type")
    name = kind.get("machine", "")
    family = "q35" if "q35" in name else name.split("-rhel")[0]
    if name == family or ("-rhel" not in name and not name.startswith("pc-q35")):
        return False
    kind.set("machine", family)
    return True


RULES: tuple[Rule, ...] = (
    software_emulation,
    kvm_features,
    host_cpus,
    memory_size,
    assigned_devices,
    pod_interfaces,
    block_devices,
    confidential_guests,
    machine_names,
)


def swapped(xml: bytes) -> tuple[bytes, list[str]]:
    """The domain for software emulation, and the names of the rules that changed it."""
    domain = etree.fromstring(xml)
    used = [rule.__name__ for rule in RULES if rule(domain)]
    return etree.tostring(domain), used


def without_kvm(xml: bytes) -> bytes:
    """The domain with QEMU's own type, if it is of this machine's architecture; nothing else of it is changed."""
    domain = etree.fromstring(xml)
    if domain.get("type") != "kvm" or domain.find("os/type").get("arch") != machine():
        return xml
    domain.set("type", "qemu")
    return etree.tostring(domain)


class Image(NamedTuple):
    """An image file of a disk: its format, and the file that holds its data where that is another one."""

    path: str
    format: str
    data: str = ""


def images(xml: bytes) -> list[Image]:
    """The image files of a domain's disks, those below first."""
    images: dict[str, Image] = {}
    for disk in etree.fromstring(xml).iterfind("devices/disk"):
        for layer in reversed([disk, *disk.iterfind(".//backingStore"), *disk.iterfind(".//dataStore")]):
            source = layer.find("source")
            form = layer.find("driver" if layer is disk else "format")
            if source is not None and source.get("file"):
                path, data = source.get("file", ""), source.find("dataStore/source")
                kind = "raw" if form is None else form.get("type", "raw")
                images.setdefault(path, Image(path, kind, "" if data is None else data.get("file", "")))
    return list(images.values())


def files(xml: bytes) -> list[str]:
    """What QEMU reads beside images: a kernel, its initrd, tables of ACPI."""
    return [element.text or "" for element in etree.fromstring(xml).xpath("os/kernel | os/initrd | os/acpi/table")]


def folders(xml: bytes) -> list[Path]:
    """The folders in which QEMU and libvirt make sockets, logs and NVRAM for the domain."""
    domain = etree.fromstring(xml)
    paths = [
        *domain.xpath("//@path | //@socket | //log/@file"),
        *(element.text for element in domain.iterfind("os/nvram")),
    ]
    return sorted({Path(path).parent for path in paths if path and path.startswith("/")})
