"""Small descriptors and inventories, each with one thing that matters, and all that a machine of them says then."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from vmwares import FIXTURES, GIB, MAPPING, bring, bringer, machine

from virtcatalog.bring.imports import Verdict
from virtcatalog.bring.vmware.fates import verdict
from virtcatalog.bring.vmware.guests import guest_of, or_later, preferences_for
from virtcatalog.bring.vmware.hardware import GuestDisk
from virtcatalog.bring.vmware.inventory import Inventory
from virtcatalog.bring.vmware.machine import Attribute, Disk, Machine, Nic
from virtcatalog.bring.vmware.mapping import (
    Census,
    Mapping,
    Storage,
    load_mapping,
    missing,
    problems_in,
    proposed,
    written,
)
from virtcatalog.bring.vmware.ovf import read_ovf
from virtcatalog.bring.vmware.settings import device, setting_fate, unless_off
from virtcatalog.errors import ManifestError

NAMES = (
    """
fedora 40|Red Hat Fedora Linux 39|redhat fedora|Red Hat Enterprise Linux Server release 7.9|RedHat 8|red hat 4/5
CentOS Linux release 8.5|Cent OS Stream 9|CentOS 4/5 (64-bit)|centos7_64|Oracle Linux Server 9|Oracle Enterprise Linux 6
Oracle 4/5 or later|OracleLinux8|Oracle Solaris 11|oraclesolaris|Rocky Linux 9|RockyLinux 8|Rocky|AlmaLinux 9|Alma Linux
Debian GNU/Linux 12|Debian 11|Debian|Ubuntu Linux 22.04|Ubuntu 24|ubuntu|SUSE Linux Enterprise Server 15 SP5
SUSE Linux Enterprise Desktop 12|SUSE Linux Enterprise 11|SLES 15|sles12|SUSE Linux (64-bit)|SUSE openSUSE Leap 15.5
openSUSE Linux|openSUSE_Leap_64|opensuse_linux 13|openSUSE|Amazon Linux 2|Amazon Linux|VMware Photon OS|Photon OS|CoreOS
Other 2.6.x Linux|Other 5.x or later Linux (64-bit)|Other Linux (64-bit)|OtherLinux|Other_Linux|Linux 6.1|Linux|Linux26
FreeBSD 14|FreeBSD|Arch Linux|Other (64-bit)|OTHER|NetWare 6|Windows Server 2012 R2|Microsoft Windows Server 2025
Windows 2000|Windows 2003|Windows Vista|Windows NT|Windows ME|Windows XP Professional|Windows 10|Windows 81|Windows 8.1
Microsoft Windows 8.x|Microsoft Windows 95|Windows 3.1|Small Business Server 2008|Windows Server 2016 or later|Windows 7
Windows 20255|Windows2019_64|a fedora|my windows 10
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


def system_of(text: str) -> str:
    """What a text says of a system, in a line."""
    guest = guest_of(text)
    later = " or later" if or_later(text) else ""
    if guest is None:
        return f"{text}: unknown{later}"
    preferences = " ".join(
        f"{name}{'*' if kin else ''}" for name, kin in preferences_for(guest, virtio=guest.drivers == "virtio")
    )
    sort = ", a sort" if guest.generic else ""
    return f"{text}: {guest}{later}{sort}, {guest.drivers}: {preferences}"


@pytest.mark.parametrize("texts", ["ids", "names"])
def test_systems_with_their_drivers_and_preferences(texts: str, snapshot: SnapshotAssertion) -> None:
    """The star is of preferences that are for more than the version."""
    old = [
        "netwareGuest",
        "redhatGuest",
        "mandrakeGuest",
        "nld9Guest",
        "oesGuest",
        "winguest",
        "windows31Guest",
        "win2000ProGuest",
    ]
    ids = [*(FIXTURES / "guest-ids.txt").read_text().split(), *old]
    assert [system_of(text) for text in (ids if texts == "ids" else NAMES)] == snapshot


SETTINGS = [
    *("cpuHotAddEnabled", "memoryHotAddEnabled", "cpuHotRemoveEnabled", "nestedHVEnabled", "nvram", "numDisplays"),
    *("tools.syncTimeWithHost", "tools.toolsUpgradePolicy", "powerOpInfo.powerOffType", "uptimeLimit"),
]


@pytest.mark.parametrize("text", ["true", "1", " Off ", ""])
def test_settings_of_vsphere(text: str, snapshot: SnapshotAssertion) -> None:
    assert {key: ": ".join(setting_fate(key, text)) for key in SETTINGS} == snapshot


def test_what_is_off_is_not_set() -> None:
    fate = Verdict("lost", "x")
    off = ["", "false", "0", "none", "off", "no", "notConfigured", "unlocked", " FALSE ", "2"]
    assert {unless_off(text, fate, "2").fate for text in off} == {"host"}
    assert {unless_off(text, fate, "2") for text in ("true", "00", "nothing", "3")} == {fate}


def test_devices_by_their_type(snapshot: SnapshotAssertion) -> None:
    kinds = [str(number) for number in range(41)]
    subtypes = ("vmware.VMCI", "vmware.pcipassthrough", "vmware.vgpu", "vmware.precisionclock", "vmware.x")
    assert [f"{kind}: {': '.join(device(kind, ''))}" for kind in kinds] + [
        f"{subtype}: {': '.join(device('1', subtype))}" for subtype in subtypes
    ] == snapshot


def line_of(attribute: Attribute) -> str:
    """What something is about, or its fate where all machines have the same."""
    subject = attribute.subject if isinstance(attribute.subject, str) else ": ".join(attribute.subject)
    number = f" {attribute.number}" if attribute.number else ""
    return f"{attribute.path}: {attribute.value}: {subject}{number} ({attribute.line}:{attribute.column})"


def shown(machine: Machine) -> list[str]:
    """A machine in lines: its fields that say something, and its attributes."""
    fields = [
        f"{name} = {value!r}"
        for name, value in machine._asdict().items()
        if value and name not in ("attributes", "disks", "nics")
    ]
    parts = [*machine.disks, *machine.nics]
    return [*fields, *(str(part) for part in parts), *map(line_of, machine.attributes)]


ENVELOPE = """<Envelope xmlns="e" xmlns:ovf="e" xmlns:rasd="r" xmlns:vssd="s" xmlns:vmw="v" xmlns:vbox="b">
{before}<VirtualSystem ovf:id="a">
{system}<VirtualHardwareSection>
<System><vssd:VirtualSystemType>{kind}</vssd:VirtualSystemType></System>
<Item><rasd:ResourceType>3</rasd:ResourceType><rasd:VirtualQuantity>2</rasd:VirtualQuantity></Item>
<Item>{unit}<rasd:ResourceType>4</rasd:ResourceType><rasd:VirtualQuantity>2048</rasd:VirtualQuantity></Item>
{items}</VirtualHardwareSection></VirtualSystem></Envelope>"""


CPUS = b"<rasd:VirtualQuantity>2<"


def ovf(items: str = "", *, before: str = "", system: str = "", kind: str = "xen", unit: str = "") -> bytes:
    return ENVELOPE.format(before=before, system=system, items=items, kind=kind, unit=unit).encode()


def item(kind: int, **texts: str) -> str:
    inner = "".join(f"<rasd:{name}>{text}</rasd:{name}>" for name, text in texts.items())
    return f"<Item>{inner}<rasd:ResourceType>{kind}</rasd:ResourceType></Item>\n"


def deployed(names: str) -> str:
    return f'<Item ovf:configuration="{names}"><rasd:ResourceType>10</rasd:ResourceType></Item>\n'


def config(key: str, value: str, name: str = "Config") -> str:
    return f'<vmw:{name} ovf:required="false" vmw:key="{key}" vmw:value="{value}"/>\n'


def described(*disks: str) -> str:
    """Disks with their files in front of the system."""
    return (
        "<References>"
        + "".join(f'<File ovf:id="f{name}" ovf:href="{name}.vmdk" ovf:size="9"/>' for name in disks)
        + "</References>\n<DiskSection><Info>x</Info>"
        + "".join(
            f'<Disk ovf:diskId="{name}" ovf:capacity="4" ovf:capacityAllocationUnits="byte * 2^30" ovf:fileRef='
            f'"f{name}" ovf:format="x" ovf:populatedSize="1"/>'
            for name in disks
        )
        + "</DiskSection>\n"
    )


VIRTUALBOX = """<vbox:Machine ovf:required="false" name="lab" uuid="{{{uuid}}}" OSType="Ubuntu_64" lastStateChange="x">
<Hardware>{inner}<Firmware type="{firmware}"/><CPU count="2"/><Memory RAMSize="2048"/></Hardware></vbox:Machine>"""
UUID = "421e3f5b-8a00-4b1c-9d2e-0123456789ab"


def virtualbox(inner: str = "", firmware: str = "EFI", uuid: str = UUID) -> str:
    return VIRTUALBOX.format(inner=inner, firmware=firmware, uuid=uuid)


OVFS = {
    "nothing more": ovf(),
    "a name": ovf(system="<Name>web</Name>"),
    "an empty name": ovf(system="<Name/>"),
    "neither name nor id": ovf().replace(b' ovf:id="a"', b""),
    "notes": ovf(system="<AnnotationSection><Info>i</Info><Annotation>the web</Annotation></AnnotationSection>"),
    "a product": ovf(
        system='<ProductSection ovf:class="c"><Product>P</Product><Vendor>V</Vendor></ProductSection>'
        "<EulaSection><License>L</License></EulaSection><InstallSection ovf:initialBootStopDelay='1'/>"
        "<OtherSection><Thing>T</Thing></OtherSection>"
    ),
    "an operating system of VMware": ovf(
        system='<OperatingSystemSection ovf:id="94" vmw:osType="ubuntu64Guest" ovf:version="22">'
        "<Description>Ubuntu Linux (64-bit)</Description></OperatingSystemSection>"
    ),
    "an operating system by number": ovf(
        system='<OperatingSystemSection ovf:id="80"><Info>i</Info></OperatingSystemSection>'
    ),
    "an operating system of no number": ovf(system='<OperatingSystemSection ovf:id="1"/>'),
    "an operating system of VirtualBox": ovf(
        system='<OperatingSystemSection ovf:id="94"><vbox:OSType>Ubuntu_64</vbox:OSType></OperatingSystemSection>'
    ),
    "cores": ovf().replace(CPUS, b"<vmw:CoresPerSocket>2</vmw:CoresPerSocket>" + CPUS),
    "reservations": ovf().replace(
        CPUS,
        b"<rasd:Limit>1</rasd:Limit><rasd:Reservation>1</rasd:Reservation><rasd:Weight>1</rasd:Weight>"
        b"<rasd:Description>d</rasd:Description><rasd:Other>o</rasd:Other>" + CPUS,
    ),
    "UEFI": ovf(config("firmware", "efi")),
    "UEFI with Secure Boot": ovf(config("firmware", "EFI") + config("bootOptions.efiSecureBootEnabled", "true")),
    "UEFI without Secure Boot": ovf(config("firmware", "efi") + config("bootOptions.efiSecureBootEnabled", "false")),
    "BIOS": ovf(config("firmware", "bios")),
    "BIOS of VMware": ovf(kind="vmx-20"),
    "BIOS of VirtualBox": ovf(kind="virtualbox-2.2"),
    "a TPM": ovf(item(1, ElementName="tpm", ResourceSubType="vmware.vTPM")),
    "no TPM": ovf(item(1, ElementName="vmci", ResourceSubType="vmware.vmci")),
    "settings": ovf(
        config("nestedHVEnabled", "true") + config("numDisplays", "1") + config("svga.x", "2", "ExtraConfig")
    ),
    "VirtualBox's UEFI": ovf(system=virtualbox()),
    "VirtualBox's UEFI with variables": ovf(system=virtualbox("<NvramSettings path='n'/>")),
    "VirtualBox's BIOS": ovf(system=virtualbox(firmware="BIOS")),
    "VirtualBox's TPM": ovf(system=virtualbox('<TrustedPlatformModule type="v2_0"/>')),
    "VirtualBox's TPM of none": ovf(system=virtualbox('<TrustedPlatformModule type="None"/>')),
    "VirtualBox's order": ovf(
        system=virtualbox(
            '<Boot><Order position="1" device="HardDisk"/><Order position="2" device="HardDisk"/></Boot>'
            "<Paravirt provider='Default'/>"
        )
    ),
    "VirtualBox's other order": ovf(system=virtualbox('<Boot><Order position="1" device="DVD"/></Boot>')),
    "VirtualBox's of no UUID": ovf(system=virtualbox(uuid="x")),
    "VirtualBox's cards": ovf(
        item(10, Connection="NAT", ResourceSubType="E1000")
        + item(10, Connection="LAN", Address="00:50:56:00:00:01")
        + item(10, Connection="LAN"),
        system=virtualbox(
            '<Network><Adapter slot="0" enabled="false" MACAddress="080027000000" type="a"/>'
            '<Adapter slot="1" enabled="true" MACAddress="080027000001" type="82540EM"/>'
            '<Adapter slot="2" enabled="true" MACAddress="080027000002" type="Virtio"/></Network>'
        ),
    ),
    "VirtualBox's older cards": ovf(
        item(10, Connection="NAT"),
        system=virtualbox('<Adapter enabled="true" MACAddress="080027000001" type="Am79C970A"/>'),
    ),
    "a card": ovf(
        item(
            10,
            ElementName="n",
            Connection="LAN",
            Address="00:50:56:00:00:01",
            ResourceSubType="VmxNet3",
            AutomaticAllocation="False",
            AddressOnParent="7",
            InstanceID="5",
        )
    ),
    "a card of nothing": ovf(item(10)),
    "two disks": ovf(
        item(6, InstanceID="3", Address="0", ResourceSubType="lsilogic")
        + item(17, ElementName="second", HostResource="ovf:/disk/b", Parent="3", AddressOnParent="1", InstanceID="8")
        + item(17, ElementName="first", HostResource="ovf:/disk/a", Parent="3", AddressOnParent="0", InstanceID="9"),
        before=described("a", "b"),
        system='<BootOrderSection ovf:instanceId="8" ovf:type="disk"><Info>i</Info></BootOrderSection>',
    ),
    "a boot order of no disk": ovf(
        item(17, HostResource="/disk/a", InstanceID="9"),
        before=described("a"),
        system='<BootOrderSection ovf:instanceId="7" ovf:type="disk"/>',
    ),
    "every controller": ovf(
        "".join(
            item(kind, InstanceID=str(number), ResourceSubType=subtype)
            for number, (kind, subtype) in enumerate(
                [
                    *((5, ""), (6, "VirtualSCSI"), (8, "x"), (20, "vmware.sata.ahci")),
                    *((20, "vmware.NVMe.controller"), (20, "VirtioSCSI"), (5, "y")),
                ]
            )
        )
        + "".join(item(17, Parent=str(number), AddressOnParent="0") for number in range(8))
    ),
    "a disk of another type": ovf(item(31, HostResource="/disk/a"), before=described("a")),
    "a disk of a file": ovf(item(17, HostResource="ovf:/file/fa"), before=described("a")),
    "a disk of nothing": ovf(item(17)),
    "a disk at a place that is none": ovf(item(17, AddressOnParent="12345") + item(17, AddressOnParent="-1")),
    "a disk in bytes": ovf(item(17, HostResource="/disk/a"), before='<Disk ovf:diskId="a" ovf:capacity="4096"/>'),
    "other devices": ovf("".join(item(kind) for kind in (1, 14, 15, 16, 21, 22, 23, 24, 35, 99))),
    "items of OVF 2": ovf(
        "<StorageItem><rasd:ResourceType>17</rasd:ResourceType></StorageItem>"
        "<EthernetPortItem><rasd:ResourceType>10</rasd:ResourceType></EthernetPortItem>"
    ),
    "deployments": ovf(
        deployed("l") + deployed("s l") + deployed("s"),
        before='<Options><Configuration ovf:id="s"/><Configuration ovf:id="l" ovf:default="true"/></Options>',
    ),
    "the first deployment": ovf(
        deployed("l") + deployed("s"),
        before='<Options><Configuration ovf:id="s"/><Configuration ovf:id="l"/></Options>',
    ),
} | {
    f"memory in {text}": ovf(unit=f"<rasd:AllocationUnits>{text}</rasd:AllocationUnits>")
    for text in ("byte * 2^20", "Bytes*2^10", "bytes", "byte * 10^6", "KiloBytes", "MegaBytes", "GB", "kb", " MB ")
}


@cache
def smallest() -> frozenset[str]:
    (machine,) = read_ovf(OVFS["nothing more"], "a.ovf")
    return frozenset(shown(machine))


@pytest.mark.parametrize("case", OVFS)
def test_descriptors(case: str, snapshot: SnapshotAssertion) -> None:
    (machine,) = read_ovf(OVFS[case], "a.ovf")
    lines = shown(machine)
    assert (lines if case == "nothing more" else [line for line in lines if line not in smallest()]) == snapshot


SECTION = "a.ovf:3:1: VirtualSystem/VirtualHardwareSection"


def refusal(read: Any, *arguments: Any) -> list[str]:
    with pytest.raises(ManifestError) as raised:
        read(*arguments)
    return list(map(str, raised.value.problems))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            ovf().replace(b">4<", b">9<"),
            f"{SECTION}: has no item of ResourceType 4: it says nothing of its memory",
        ),
        (
            ovf(item(17, HostResource="/disk/a"), before='<Disk ovf:diskId="a" ovf:capacity="${x}"/>'),
            "a.ovf:2:1: Disk/@capacity: '${x}' is no size of a disk",
        ),
        (
            ovf(item(17, HostResource="/disk/a"), before='<Disk ovf:diskId="a" ovf:capacity="9999999999999999999"/>'),
            "a.ovf:2:1: Disk/@capacity: '9999999999999999999' is no size of a disk",
        ),
        (
            ovf().replace(CPUS, b"<vmw:CoresPerSocket>0</vmw:CoresPerSocket>" + CPUS),
            "a.ovf:5:47: VirtualSystem/VirtualHardwareSection/Item[1]/CoresPerSocket: '0' is no whole number from 1 on",
        ),
    ],
)
def test_descriptors_that_cannot_be_read(content: bytes, problem: str) -> None:
    assert refusal(read_ovf, content, "a.ovf") == [problem]


def vm(**fields: Any) -> dict[str, Any]:
    return {"id": "vm-1", "name": "web", "cpuCount": 2, "memoryMB": 4096, **fields}


INVENTORIES: dict[str, dict[str, Any]] = {
    "everything": vm(
        coresPerSocket=2, firmware="efi", secureBoot=True, tpmEnabled=True, uuid=UUID, powerState="poweredOn",
        isTemplate=True, host="host-1", guestId="ubuntu64Guest", guestName="Ubuntu Linux (64-bit)",
        guestNameFromVmwareTools="Ubuntu 22.04",
    ),
    "BIOS": vm(firmware="bios", secureBoot=True, tpmEnabled=False, powerState="poweredOff", isTemplate=False),
    "firmware of no name": vm(firmware="coreboot"),
    "no name": vm(name=""),
    "no id": vm(id=""),
    "disks": vm(
        disks=[
            {"key": 2001, "bus": "scsi", "controllerKey": 1000, "unitNumber": 1, "capacity": 2 * GIB, "file": "b.vmdk",
             "datastore": {"id": "datastore-1", "kind": "Datastore"}, "shared": True, "rdm": True},
            {"bus": "sata", "capacity": GIB, "shared": False, "rdm": False},
            {},
        ],
    ),
    "cards": vm(
        nics=[
            {"deviceKey": 4001, "mac": "00:50:56:00:00:01", "network": {"id": "network-1"}, "startConnected": False},
            {"deviceKey": 4000, "mac": "none", "network": {"id": "key-2"}, "startConnected": True},
            {},
        ],
        devices=[
            {"key": 4000, "kind": "VirtualE1000e"}, {"key": 4001, "kind": "VirtualVmxnet3"},
            {"key": 4002, "kind": "VirtualE1000"}, {"kind": "VirtualUSBController"}, {"key": 1, "kind": "VirtualOther"},
        ],
    ),
    "what boots": vm(
        disks=[{"key": 1}, {"key": 2}, {"key": 3}],
        guestDisks=[
            {"diskPath": "/", "key": 1}, {"diskPath": "C:\\", "key": 2}, {"diskPath": "/boot", "key": 3}, {"key": 4},
        ],
    ),
    "what Windows boots": vm(
        disks=[{"key": 1}, {"key": 2}], guestDisks=[{"diskPath": "/", "key": 1}, {"diskPath": "C:\\", "key": 2}]
    ),
    "what is in maps and lists": vm(
        snapshot={"kind": "VirtualMachineSnapshot", "id": "s"}, concerns=[{"label": "l"}, {"label": "m"}],
        tags=[{"id": "t", "name": "n"}],
        later={"deep": [[1, {"x": None, "y": ""}], True]},
    ),
}  # fmt: skip
BESIDE = [
    {"id": "network-1", "name": "LAN", "key": ""},
    {"id": "network-2", "name": "DMZ", "key": "key-2"},
    {"id": "datastore-1", "name": "gold"},
]


def inventory(*files: Any) -> tuple[list[Machine], list[str]]:
    problems: list[Any] = []
    contents = {f"{number}.json": json.dumps(content).encode() for number, content in enumerate(files)}
    return list(Inventory(contents, problems).machines()), list(map(str, problems))


@pytest.mark.parametrize("case", INVENTORIES)
def test_inventories(case: str, snapshot: SnapshotAssertion) -> None:
    machines, problems = inventory(BESIDE, [INVENTORIES[case]])
    assert ([line for machine in machines for line in shown(machine)], problems) == snapshot


WRONG: dict[str, Any] = {
    "an id that is none": [{"id": 1, "name": "a"}],
    "an empty id": [{"id": "", "name": "a"}],
    "a name that is none": [{"id": "a", "name": 1}],
    "one id of two names": [{"id": "n", "name": "a"}, {"id": "n", "name": "b"}],
    "one key of two networks": [{"id": "n", "name": "a", "key": "k"}, {"id": "m", "name": "b", "key": "k"}],
    "no memory": [{"id": "v", "name": "v", "cpuCount": 1}],
    "too many CPUs": [vm(cpuCount=2**31)],
    "as many CPUs as there may be": [vm(cpuCount=2**31 - 1)],
    "no CPU": [vm(cpuCount=0)],
    "a text that is none": [vm(firmware=1)],
    "a truth that is none": [vm(tpmEnabled="true")],
    "a number that is none": [vm(coresPerSocket=True)],
    "a list that is none": [vm(disks={})],
    "a map that is none": [vm(disks=[{"datastore": "gold"}])],
    "a size that is too large": [vm(disks=[{"capacity": 2**63}])],
    "a size below nothing": [vm(disks=[{"capacity": -1}])],
    "a name of a VM that is none": [vm(name=5)],
    "nothing": [],
    "a number": 5,
    "lists of lists": {"vms": [[]]},
}


@pytest.mark.parametrize("case", WRONG)
def test_inventories_that_cannot_be_read(case: str, snapshot: SnapshotAssertion) -> None:
    machines, problems = inventory(WRONG[case])
    assert ([machine.name for machine in machines], problems) == snapshot


SUBJECTS = [
    *("vcpus", "cores", "memory", "firmware", "secureBoot", "tpm", "boots"),
    *("disk", "disk.size", "disk.bus", "nic", "nic.model", "nic.mac"),
]


@pytest.mark.parametrize(
    "domain",
    [
        {},
        {"vcpus": 1, "cores": 2, "memory": GIB},
        {"vcpus": 4, "memory": 16 * GIB},
        {"firmware": "efi", "secure_boot": True, "tpm": True},
        {"disks": {}, "nics": {}},
        {"disks": {"disk-0": GuestDisk("scsi", 2)}, "nics": {"net-0": "vmxnet3"}},
        {"disks": {"disk-0": GuestDisk("scsi", 1)}},
    ],
    ids=str,
)
@pytest.mark.parametrize("firmware", ["bios", "efi"])
def test_a_domain_that_is_not_as_the_machine_says_so(
    firmware: str, domain: dict[str, Any], snapshot: SnapshotAssertion
) -> None:
    attributes = tuple(Attribute(subject, "x", subject) for subject in SUBJECTS)
    brought = bring([], firmware=firmware, secure_boot=False, cores=1, attributes=attributes)
    assert brought.hardware is not None
    other = brought._replace(hardware=brought.hardware._replace(**domain))
    assert [f"{attribute.path}: {': '.join(verdict(attribute, other))}" for attribute in attributes] == snapshot


def test_more_vcpus_than_a_domain_lists_prove_nothing() -> None:
    brought = bring(vcpus=2**20, attributes=())
    assert (brought.instancetype, brought.hardware) == (None, None)
    assert list(map(str, brought.reasons)) == [
        "spec.template.spec.domain.cpu: not supported by virtcatalog: a domain with a list of 1048576 vCPUs is not made"
    ]


class TestMapping:
    MACHINES = (
        machine(),
        machine(name="b", nics=(Nic("1", "DMZ"), Nic("2", "VM Network"), Nic("3", "")), disks=()),
        machine(name="c", nics=(Nic("1", "DMZ"), Nic("2", "DMZ")), disks=(Disk("a", 1, "hdd"), Disk("b", 1, "hdd"))),
        machine(name="d", nics=(Nic("1", "VM Network"), Nic("2", "Dmz"))),
    )

    def census(self) -> Census:
        census = Census()
        for number, sample in enumerate(self.MACHINES):
            census.add(sample, "BeOS 5" if number else "")
        return census

    def test_one_is_proposed_by_what_vms_have(self, snapshot: SnapshotAssertion) -> None:
        """The network of most first cards is the Pod's; the other ones have names of their own."""
        assert written(proposed(self.census())) == snapshot

    def test_one_of_nothing_has_empty_maps(self) -> None:
        assert written(Mapping()).splitlines()[-3:] == ["networks: {}", "datastores: {}", "guests: {}"]

    def test_what_it_lacks_is_counted(self) -> None:
        assert missing(Mapping(networks={"DMZ": "a"}), self.census()) == [
            (("networks",), "'Dmz' is missing: 1 VM has it"),
            (("networks",), "'VM Network' is missing: 3 VMs have it"),
            (("datastores",), "'hdd' is missing: 1 VM has it"),
            (("datastores",), "'ssd' is missing: 2 VMs have it"),
        ]

    def test_what_is_no_name_has_a_place(self, tmp_path: Path) -> None:
        file = tmp_path / "m.yaml"
        file.write_text("networks: {a: pod, b: ignored, c: x/B, d: A/b}\nguests:\n  e: ''\n  f: F\n")
        rule = "must consist of a-z, 0-9, '-' and '.', every part starting and ending with a letter or digit"
        assert [text.removeprefix(str(tmp_path)) for text in refusal(load_mapping, str(file))] == [
            f"/m.yaml:1:32: networks.c: the network's name 'B' {rule}",
            f"/m.yaml:1:40: networks.d: the network's name 'A' {rule}",
            f"/m.yaml:4:3: guests.f: the preference's name 'F' {rule}",
        ]
        file.write_text("networks: {a: pod, c: x/b}\nguests: {e: '', f: f}\n")
        assert load_mapping(str(file)) == Mapping(networks={"a": "pod", "c": "x/b"}, guests={"e": "", "f": "f"})
        (problem,) = problems_in(str(file), [(("guests", "f"), "is wrong")])
        assert str(problem) == f"{file}:2:17: guests.f: is wrong"


@pytest.mark.parametrize(
    ("fields", "target"),
    [
        ({}, {"namespace": "shop", "run_strategy": "Always"}),
        ({"notes": "n", "uuid": UUID.upper(), "guests": ("rhel6_64Guest",)}, {"converted": False}),
        ({"guests": ("windows11_64Guest",), "firmware": "efi", "secure_boot": True, "tpm": None}, {"disks": "upload"}),
        ({"guests": ("other",), "firmware": "", "tpm": True}, {}),
        ({"boots": 1, "disks": (Disk("a", GIB), Disk("b", GIB, shared=True))}, {}),
        ({"disks": (), "nics": (), "cores": 2}, {"disks": "upload"}),
        ({"vcpus": 3, "cores": 2, "memory": 5}, {}),
        (
            {"disks": (Disk("a", GIB, "nfs"), Disk("b", GIB, "ssd"))},
            {
                "disks": "upload",
                "mapping": Mapping(
                    networks=MAPPING.networks,
                    datastores={"ssd": Storage(volume_mode="Block"), "nfs": Storage(storage_class="nfs")},
                ),
            },
        ),
    ],
)
@pytest.mark.parametrize("catalog", [None, []], ids=["types", "no types"])
def test_whole_vms(
    catalog: list[Any] | None, fields: dict[str, Any], target: dict[str, Any], snapshot: SnapshotAssertion
) -> None:
    assert bringer(catalog, **target).bring(machine(**fields)).vm == snapshot
