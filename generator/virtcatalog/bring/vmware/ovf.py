"""Machines of an OVF descriptor, as vCenter, ovftool, VirtualBox and scripts for Proxmox VE write them.

The format is DMTF's DSP0243 (1.1 and 2.1); what hypervisors add to it was looked up in vmware/govmomi (`ovf/`, `vmw:`)
and in VirtualBox's exports (`vbox:Machine`). Proxmox VE writes no OVF of its own: the scripts that do, write VMware's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from virtcatalog.bring.imports import Verdict, host, lost
from virtcatalog.bring.vmware.machine import Attribute, Disk, Machine, uuid_of
from virtcatalog.bring.vmware.ovfhardware import ITEMS, Hardware, children
from virtcatalog.bring.vmware.ovfmarks import Marks, attribute, first, text
from virtcatalog.bring.vmware.settings import LIMITED, RESERVED, SHARED
from virtcatalog.errors import ManifestError
from virtcatalog.manifests.xml import XMLElement, problem_at, read_xml

#: What CIM_OperatingSystem.OSType says where nothing else does, as of CIM 2.52.
_CIM_SYSTEMS: Final = {
    code: system
    for system, codes in {
        "Linux": "36 101",
        "Linux 2.4": "97 98",
        "Linux 2.6": "99 100",
        "Red Hat Enterprise Linux": "79 80",
        "SUSE Linux Enterprise": "82 83 84 85",
        "Ubuntu": "93 94",
        "Debian": "95 96",
        "CentOS": "106 107",
        "Oracle Linux": "108 109",
        "FreeBSD": "42 78",
        "Windows 2000": "58",
        "Windows XP": "67 71",
        "Windows Vista": "73 74",
        "Windows 7": "105",
        "Windows 8": "113 114",
        "Windows 8.1": "116 117",
        "Windows 10": "119 120",
        "Windows Server 2003": "69 70",
        "Windows Server 2008": "76 77",
        "Windows Server 2008 R2": "103",
        "Windows Server 2012": "112",
        "Windows Server 2012 R2": "115",
        "Windows Server 2016": "118",
    }.items()
    for code in codes.split()
}


def read_ovf(content: bytes, file: str) -> list[Machine]:
    """Return the machines of a descriptor; ManifestError, with line and column, for what is none."""
    root = read_xml(content, file)
    if root.name != "Envelope":
        raise ManifestError(problem_at(file, root, f"<{root.name}> is no <Envelope>: it is no OVF descriptor"))
    systems = [element for element in root.walk() if element.name == "VirtualSystem"]
    if not systems:
        raise ManifestError(problem_at(file, root, "has no VirtualSystem"))
    return [_System(root, system, file).machine() for system in systems]


class _System:
    """A VirtualSystem of an envelope, while it is read."""

    def __init__(self, root: XMLElement, system: XMLElement, file: str) -> None:
        self.root, self.system, self.file = root, system, file
        self.marks = Marks(file)
        section = first(system, "VirtualHardwareSection")
        if section is None:
            raise ManifestError(problem_at(file, system, "has no VirtualHardwareSection"))
        self.section = section
        self.vbox = first(system, "Machine", "Hardware")
        self.hardware = Hardware(root, section, self.vbox, self.marks, file)

    def machine(self) -> Machine:
        """Read everything; what is marked on the way has a meaning, and the rest a reason why it has none."""
        vcpus, cores = self.hardware.cpus()
        memory = self.hardware.memory()
        disks = self.hardware.disks()
        firmware, secure_boot = self._firmware()
        machine = Machine(
            name=self._name(),
            id="",
            file=self.file,
            line=self.system.line,
            column=self.system.column,
            guests=self._guests(),
            vcpus=vcpus,
            cores=cores,
            memory=memory,
            disks=tuple(disk for disk, _ in disks),
            nics=tuple(self.hardware.nics()),
            firmware=firmware,
            secure_boot=secure_boot,
            tpm=self._tpm(),
            uuid=self._uuid(),
            boots=self._boots(disks),
            notes=self._notes(),
            attributes=(),
        )
        self.hardware.mark_devices()
        self._mark_virtualbox()
        return machine._replace(attributes=tuple(self._attributes()))

    def _name(self) -> str:
        name = first(self.system, "Name")
        if name is not None and name.text:
            self.marks.text(name, "name")
            return name.text
        self.marks.attribute(self.system, "id", "name")
        return attribute(self.system, "id") or "vm"

    def _firmware(self) -> tuple[str, bool | None]:
        configs = {attribute(config, "key"): config for config in children(self.section, "Config")}
        for key, subject in (("firmware", "firmware"), ("bootOptions.efiSecureBootEnabled", "secureBoot")):
            self.marks.attribute(configs.get(key), "value", subject)
        vbox = first(self.vbox, "Firmware")
        self.marks.attribute(vbox, "type", "firmware")
        firmware = attribute(configs["firmware"], "value") if "firmware" in configs else attribute(vbox, "type")
        if not firmware:
            native = text(self.section, "System", "VirtualSystemType").startswith(("vmx-", "virtualbox-"))
            return ("bios", None) if native else ("", None)
        if not firmware.lower().startswith("efi"):
            return "bios", None
        secure = configs.get("bootOptions.efiSecureBootEnabled")
        nvram = first(self.vbox, "NvramSettings")
        return "efi", attribute(secure, "value") == "true" if secure is not None or nvram is None else None

    def _tpm(self) -> bool:
        for item in self.hardware.of_type("1"):
            subtype = first(item, "ResourceSubType")
            if subtype is not None and subtype.text.lower() == "vmware.vtpm":
                self.marks.text(subtype, "tpm")
                return True
        vbox = first(self.vbox, "TrustedPlatformModule")
        self.marks.attribute(vbox, "type", "tpm")
        return attribute(vbox, "type") not in ("", "None")

    def _uuid(self) -> str:
        machine = first(self.system, "Machine")
        uuid = uuid_of(attribute(machine, "uuid").strip("{}"))
        if uuid:
            # VirtualBox shows the guest another serial number, and VMware's is no better than none.
            self.marks.attribute(machine, "uuid", lost("the VM has a UUID of its own: its owner may set firmware.uuid"))
        return ""

    def _notes(self) -> str:
        annotation = first(self.system, "AnnotationSection", "Annotation")
        self.marks.text(annotation, "notes")
        return text(annotation)

    def _guests(self) -> tuple[str, ...]:
        section = first(self.system, "OperatingSystemSection")
        if section is None:
            return ()
        description, vbox = first(section, "Description"), first(section, "OSType")
        for name in ("osType", "id", "version"):
            self.marks.attribute(section, name, "guest")
        self.marks.text(description, "guest")
        self.marks.text(vbox, "guest")
        vmware = attribute(section, "osType")
        # Beside its own id VMware writes the number of an older system where CIM has none.
        system = "" if vmware else _CIM_SYSTEMS.get(attribute(section, "id"), "")
        return tuple(filter(None, (vmware, text(description), text(vbox), system)))

    def _boots(self, disks: list[tuple[Disk, XMLElement]]) -> int:
        section = first(self.system, "BootOrderSection")
        boot_id = attribute(section, "instanceId")
        if section is not None:
            self.marks.all(section, "boots")
        for index, (_, item) in enumerate(disks):
            if boot_id and text(item, "InstanceID") == boot_id:
                return index
        return 0

    def _mark_virtualbox(self) -> None:
        """Mark what VirtualBox says again in its own part."""
        machine = first(self.system, "Machine")
        self.marks.attribute(machine, "name", "name")
        self.marks.attribute(machine, "OSType", "guest")
        self.marks.attribute(first(self.vbox, "CPU"), "count", "vcpus")
        self.marks.attribute(first(self.vbox, "Memory"), "RAMSize", "memory")
        for device in children(first(self.vbox, "Boot"), "Order"):
            if attribute(device, "position") == "1" and attribute(device, "device") == "HardDisk":
                self.marks.attribute(device, "device", "boots")

    def _attributes(self) -> Iterator[Attribute]:
        """Everything that the descriptor says of the machine: its system, and disks and files that it refers to."""
        yield from self.marks.of(self.system, _unmarked)
        for element in self.root.walk():
            if element.name in ("File", "Disk") and self.marks.has(element):
                yield from self.marks.of(element, _unmarked)


_NAMES = frozenset(
    ("Info", "Description", "ElementName", "InstanceID", "Caption", "ResourceType", "Category", "Label", "Item")
)
_IDENTITIES = frozenset(("id", "key", "diskId", "msgid", "uuid", "slot", "position", "location", "name"))
_REASONS: Final = {
    "AllocationUnits": host("it is the unit of an amount"),
    "VirtualSystemType": host("it is the hypervisor's version of its machine"),
    "VirtualSystemIdentifier": host("it names the part"),
    "required": host("it is for whoever imports the descriptor"),
    "Address": host("it numbers the controller"),
    **dict.fromkeys(("lastStateChange", "snapshotFolder", "version"), host("it is of VirtualBox's own file")),
    "enabled": host("devices that are off are left out"),
    "Reservation": RESERVED,
    "Limit": LIMITED,
    "Weight": SHARED,
}


def _unmarked(element: XMLElement, name: str) -> Verdict:
    """Return what becomes of an element or attribute that no reader looks at."""
    if (not name and element.name in _NAMES) or name in _IDENTITIES:
        return host("it names the part")
    part = name or element.name
    if part in _REASONS:
        return _REASONS[part]
    above: XMLElement | None = element
    while above is not None:
        if above.name in ITEMS:
            return host("it is a detail of the device")
        if above.name in ("ProductSection", "EulaSection", "InstallSection", "DeploymentOptionSection"):
            return host("it is of the product that comes in the machine")
        if above.name == "Machine":
            return lost("KubeVirt has nothing for this setting of VirtualBox")
        above = above.parent
    return lost("KubeVirt has nothing for it")
