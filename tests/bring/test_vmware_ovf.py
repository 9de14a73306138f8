"""OVF descriptors as vCenter, VirtualBox and scripts for Proxmox VE write them, and those of strangers."""

from __future__ import annotations

import re

import pytest
from vmwares import FIXTURES, GIB, bringer, fates

from virtcatalog.bring.vmware.guests import guest_of_machine
from virtcatalog.bring.vmware.machine import Disk, Nic
from virtcatalog.bring.vmware.mapping import Census, proposed
from virtcatalog.bring.vmware.ovf import read_ovf
from virtcatalog.errors import ManifestError

#: Whatever a test looks at, its words are held against a snapshot, too.
pytestmark = pytest.mark.usefixtures("in_words")

VCENTER, VIRTUALBOX, PROXMOX = (
    (FIXTURES / f"{name}.ovf").read_bytes() for name in ("vcenter", "virtualbox", "proxmox")
)
ENVELOPE = """<Envelope xmlns="http://schemas.dmtf.org/ovf/envelope/1" xmlns:ovf="http://schemas.dmtf.org/ovf/envelope/1"
  xmlns:rasd="r" xmlns:vssd="s" xmlns:vmw="v">{before}
<VirtualSystem ovf:id="a"><VirtualHardwareSection>
<System><vssd:VirtualSystemType>{kind}</vssd:VirtualSystemType></System>
<Item><rasd:ResourceType>3</rasd:ResourceType><rasd:VirtualQuantity>2</rasd:VirtualQuantity></Item>
<Item><rasd:AllocationUnits>{unit}</rasd:AllocationUnits><rasd:ResourceType>4</rasd:ResourceType>
<rasd:VirtualQuantity>{memory}</rasd:VirtualQuantity></Item>{items}</VirtualHardwareSection></VirtualSystem></Envelope>"""


def read(content):
    (machine,) = read_ovf(content, "f.ovf")
    return machine


def written(before="", items="", *, kind="vmx-20", unit="byte * 2^20", memory="2048"):
    return ENVELOPE.format(before=before, items=items, kind=kind, unit=unit, memory=memory).encode()


def refusal(content):
    with pytest.raises(ManifestError) as caught:
        read_ovf(content, "f.ovf")
    return str(caught.value.problems[0])


def brought(content):
    machine = read(content)
    census = Census()
    census.add(machine)
    return bringer(mapping=proposed(census)).bring(machine)


class TestVCenter:
    def test_a_machine_is_read(self):
        machine = read(VCENTER)
        assert (machine.name, machine.vcpus, machine.cores, machine.memory) == ("ERP DB", 4, 2, 16 * GIB)
        assert (machine.firmware, machine.secure_boot, machine.tpm) == ("efi", True, True)
        assert machine.guests == ("windows2019srvNext_64Guest", "Microsoft Windows Server 2022 (64-bit)")
        assert machine.notes == "Owner: finance"

    def test_disks_are_in_the_order_of_their_places(self):
        assert read(VCENTER).disks == (
            Disk("Hard disk 1", 80 * GIB, bus="scsi", unit=0, file="erp-db-1.vmdk"),
            Disk("Hard disk 2", 200 * GIB, bus="scsi", unit=1, file="erp-db-2.vmdk"),
        )

    def test_network_cards_have_what_is_said_of_them(self):
        assert read(VCENTER).nics == (
            Nic("Network adapter 1", "Servers 120", "", "vmxnet3"),
            Nic("Network adapter 2", "Backup", "00:50:56:9a:11:22", "e1000e", connected=False),
        )

    def test_every_text_and_attribute_has_a_fate(self):
        machine = read(VCENTER)
        system = VCENTER[VCENTER.index(b"<VirtualSystem ") :].decode()
        values = re.findall(r'="[^"]*"|>[^<>\s][^<>]*<', system)
        about_disks = [attribute for attribute in machine.attributes if not attribute.path.startswith("VirtualSystem")]
        assert len(machine.attributes) - len(about_disks) == len(values)
        assert all(text.partition(": ")[2] for text in fates(brought(VCENTER)))

    def test_what_cannot_be_kept_is_lost_with_the_reason(self):
        assert [text for text in fates(brought(VCENTER)) if text.startswith("lost")] == [
            "lost: windows.2k22.virtio lays the vCPUs out with 1 core a socket",
            "lost: the guest finds the disk on virtio",
            "lost: the guest finds the disk on virtio",
            "lost: the drive is left out: a cdrom disk with a volume is one",
            "lost: the guest finds a card of model virtio, under another name perhaps",
            "lost: KubeVirt wakes no VM by its network",
            "lost: the guest finds a card of model virtio, under another name perhaps",
            "lost: a new TPM 2.0, which is empty: what the old one held, such as BitLocker's keys, stays behind",
            "lost: a VM or an instance type says so itself: cpu.features vmx or svm, or a CPU model with it",
            "lost: UEFI's variables begin anew: boot entries, and keys that were enrolled",
        ]


class TestOthers:
    def test_virtualbox(self):
        machine = read(VIRTUALBOX)
        assert (machine.name, machine.vcpus, machine.memory) == ("lab", 2, 4 * GIB)
        assert (machine.firmware, machine.tpm) == ("efi", True)
        assert machine.guests == ("Ubuntu22_LTS_64", "Ubuntu22_LTS_64", "Ubuntu")
        assert machine.disks == (Disk("disk 1", 25 * GIB, bus="sata", file="lab-disk001.vmdk"),)
        assert machine.nics == (Nic("network adapter 1", "NAT", "08:00:27:a1:b2:c3", "virtio"),)

    def test_virtualbox_says_things_again_in_its_own_part(self):
        imported = brought(VIRTUALBOX)
        assert fates(imported, "Hardware/CPU/@count") == ["carried: u1.2xmedium: 2 vCPUs"]
        assert fates(imported, "Boot/Order/@device") == ["carried: disk-0 boots"]

    def test_scripts_for_proxmox(self):
        machine = read(PROXMOX)
        assert (machine.name, machine.vcpus, machine.memory, machine.firmware) == ("mail", 3, 6 * GIB, "bios")
        assert brought(PROXMOX).system.text == "Debian GNU/Linux 12 (64-bit)"

    def test_several_machines_of_one_package(self):
        two = VCENTER.replace(b"<VirtualSystem ", b"<VirtualSystemCollection><VirtualSystem ")
        system = two[two.index(b"<VirtualSystem ") : two.index(b"</Envelope>")]
        two = two.replace(b"</Envelope>", system + b"</VirtualSystemCollection></Envelope>")
        assert [machine.name for machine in read_ovf(two, "f")] == ["ERP DB", "ERP DB"]

    def test_who_knows_what_firmware_another_hypervisor_has(self):
        assert read(written(kind="vmx-20")).firmware == "bios"
        assert read(written(kind="xen-3.0")).firmware == ""

    def test_items_of_another_deployment_count_for_nothing(self):
        options = (
            '<DeploymentOptionSection><Configuration ovf:id="s"/><Configuration ovf:id="l"/></DeploymentOptionSection>'
        )
        large = '<Item ovf:configuration="l"><rasd:ResourceType>10</rasd:ResourceType></Item>'
        small = '<Item ovf:configuration="s t"><rasd:ResourceType>10</rasd:ResourceType></Item>'
        assert (
            len(read(written(f"<DeploymentOptionSection>{options}</DeploymentOptionSection>", large + small)).nics) == 1
        )

    def test_the_size_of_a_disk_may_be_a_property(self):
        before = (
            '<ProductSection><Property ovf:key="size" ovf:value="3"/></ProductSection><DiskSection>'
            '<Disk ovf:diskId="d" ovf:capacity="${size}" ovf:capacityAllocationUnits="byte * 2^30"/></DiskSection>'
        )
        disk = "<Item><rasd:HostResource>/disk/d</rasd:HostResource><rasd:ResourceType>17</rasd:ResourceType></Item>"
        assert read(written(before, disk)).disks[0].size == 3 * GIB

    @pytest.mark.parametrize(
        ("unit", "amount"), [("byte * 2^30", 2**30), ("byte", 1), ("GigaBytes", 2**30), ("byte * 10^6", 10**6)]
    )
    def test_memory_has_a_unit(self, unit, amount):
        assert read(written(unit=unit)).memory == 2048 * amount


@pytest.mark.parametrize(
    ("codes", "name", "guest"),
    [
        ("36 101", "Linux", "linux"),
        ("97 98", "Linux 2.4", "linux 2"),
        ("99 100", "Linux 2.6", "linux 2"),
        ("79 80", "Red Hat Enterprise Linux", "rhel"),
        ("82 83 84 85", "SUSE Linux Enterprise", "sles"),
        ("93 94", "Ubuntu", "ubuntu"),
        ("95 96", "Debian", "debian"),
        ("106 107", "CentOS", "centos"),
        ("108 109", "Oracle Linux", "oraclelinux"),
        ("42 78", "FreeBSD", "freebsd"),
        ("58", "Windows 2000", "windows 2k"),
        ("67 71", "Windows XP", "windows xp"),
        ("73 74", "Windows Vista", "windows vista"),
        ("105", "Windows 7", "windows 7"),
        ("113 114", "Windows 8", "windows 8"),
        ("116 117", "Windows 8.1", "windows 8"),
        ("119 120", "Windows 10", "windows 10"),
        ("69 70", "Windows Server 2003", "windows 2k3"),
        ("76 77", "Windows Server 2008", "windows 2k8"),
        ("103", "Windows Server 2008 R2", "windows 2k8"),
        ("112", "Windows Server 2012", "windows 2k12"),
        ("115", "Windows Server 2012 R2", "windows 2k12"),
        ("118", "Windows Server 2016", "windows 2k16"),
    ],
)
def test_a_system_may_be_a_number_alone(codes, name, guest):
    """The numbers are those of CIM_OperatingSystem.OSType."""
    for code in codes.split():
        section = f'<OperatingSystemSection ovf:id="{code}"/></VirtualSystem>'
        machine = read(written().replace(b"</VirtualSystem>", section.encode()))
        assert machine.guests == (name,)
        assert str(guest_of_machine(machine.guests)[0]) == guest


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "f.ovf:1:1: is empty"),
        (b"<a/>", "f.ovf:1:1: a: <a> is no <Envelope>: it is no OVF descriptor"),
        (b"<Envelope/>", "f.ovf:1:1: Envelope: has no VirtualSystem"),
        (b"<Envelope><VirtualSystem/></Envelope>", "VirtualSystem: has no VirtualHardwareSection"),
        (
            b"<!DOCTYPE a [<!ENTITY b 'c'>]><Envelope/>",
            "<!DOCTYPE is not taken: document types and entities have no place in such a file",
        ),
        (written(memory="-1"), "'-1' is no whole number from 1 on"),
        (written(memory="9" * 19), "is no whole number from 1 on"),
        (written(unit="parsec"), "'parsec' is no unit of memory such as byte * 2^20"),
        (written().replace(b">3<", b">9<"), "has no item of ResourceType 3: it says nothing of its CPUs"),
    ],
)
def test_what_is_no_descriptor_is_refused_at_its_place(content, message):
    assert refusal(content).endswith(message)


def disk(capacity: str, unit: str = "", place: str = "0") -> bytes:
    units = f'ovf:capacityAllocationUnits="{unit}"' if unit else ""
    before = f'<DiskSection><Disk ovf:diskId="d" ovf:capacity="{capacity}" {units}/></DiskSection>'
    item = (
        f"<Item><rasd:AddressOnParent>{place}</rasd:AddressOnParent><rasd:HostResource>/disk/d</rasd:HostResource>"
        "<rasd:ResourceType>17</rasd:ResourceType></Item>"
    )
    return written(before, item)


@pytest.mark.parametrize(
    ("capacity", "unit", "size"),
    [
        ("7", "", 7),
        ("0", "", 0),
        ("7", "byte", 7),
        ("7", "Bytes * 2^3", 56),
        ("7", "byte*10^2", 700),
        ("9" * 18, "", 10**18 - 1),
    ],
)
def test_how_large_a_disk_is(capacity, unit, size):
    assert read(disk(capacity, unit)).disks == (Disk("disk 1", size),)


@pytest.mark.parametrize(("place", "unit"), [("1234", 1234), ("12345", 0), ("-1", 0), ("", 0), ("\u0661", 0)])
def test_at_which_place_a_disk_is(place, unit):
    assert read(disk("7", place=place)).disks[0].unit == unit


MEMORY = "f.ovf:7:1: VirtualSystem/VirtualHardwareSection/Item[2]/VirtualQuantity"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (disk("9" * 19), f"f.ovf:2:60: DiskSection/Disk/@capacity: '{'9' * 19}' is no size of a disk"),
        (disk("-1"), "f.ovf:2:60: DiskSection/Disk/@capacity: '-1' is no size of a disk"),
        (disk("${size}"), "f.ovf:2:60: DiskSection/Disk/@capacity: '${size}' is no size of a disk"),
        (
            disk("7", "byte * 3^2"),
            "f.ovf:2:60: DiskSection/Disk: 'byte * 3^2' is no unit of memory such as byte * 2^20",
        ),
        (
            disk("7", "byte * 2^100"),
            "f.ovf:2:60: DiskSection/Disk: 'byte * 2^100' is no unit of memory such as byte * 2^20",
        ),
        (
            written(unit="parsec"),
            (
                "f.ovf:6:7: VirtualSystem/VirtualHardwareSection/Item[2]/AllocationUnits: 'parsec' is no unit of "
                "memory such as byte * 2^20"
            ),
        ),
        (written(memory="0"), f"{MEMORY}: '0' is no whole number from 1 on"),
        (written(memory="x"), f"{MEMORY}: 'x' is no whole number from 1 on"),
        (written(memory="\u0661"), f"{MEMORY}: '\u0661' is no whole number from 1 on"),
    ],
)
def test_amounts_that_are_none(content, message):
    assert refusal(content) == message


@pytest.mark.parametrize("memory", ["1", "9" * 18])
def test_amounts_that_are_the_least_and_the_longest(memory):
    assert read(written(memory=memory, unit="byte")).memory == int(memory)


def said_of(inner: str, path: str) -> str:
    """What becomes of an attribute or a text of the hardware that no reader looks at."""
    (attribute,) = [at for at in read(written(items=inner)).attributes if at.path.endswith(path)]
    return ": ".join(attribute.subject)


NAMES_PART = "host: it names the part"


@pytest.mark.parametrize(
    "name", ["Info", "Description", "ElementName", "InstanceID", "Caption", "ResourceType", "Category", "Label", "Item"]
)
def test_texts_that_name_a_part(name):
    assert said_of(f"<Other><{name}>x</{name}></Other>", f"Other/{name}") == NAMES_PART
    assert said_of(f'<Other {name}="x"/>', f"Other/@{name}") == "lost: KubeVirt has nothing for it"


@pytest.mark.parametrize("name", ["id", "key", "diskId", "msgid", "uuid", "slot", "position", "location", "name"])
def test_attributes_that_name_a_part(name):
    assert said_of(f'<Other {name}="x"/>', f"Other/@{name}") == NAMES_PART
    assert said_of(f"<Other><{name}>x</{name}></Other>", f"Other/{name}") == "lost: KubeVirt has nothing for it"


@pytest.mark.parametrize(
    ("name", "fate"),
    [
        ("AllocationUnits", "host: it is the unit of an amount"),
        ("VirtualSystemIdentifier", NAMES_PART),
        ("required", "host: it is for whoever imports the descriptor"),
        ("Address", "host: it numbers the controller"),
        ("lastStateChange", "host: it is of VirtualBox's own file"),
        ("snapshotFolder", "host: it is of VirtualBox's own file"),
        ("version", "host: it is of VirtualBox's own file"),
        ("enabled", "host: devices that are off are left out"),
        ("Reservation", "lost: an instance type and the Pod's requests say what is reserved"),
        ("Limit", "lost: an instance type and the Pod's requests say what it may use"),
        ("Weight", "lost: the Pod's requests share out a node"),
    ],
)
def test_what_means_the_same_wherever_it_is(name, fate):
    assert said_of(f"<Other><{name}>x</{name}></Other>", f"Other/{name}") == fate
    assert said_of(f'<Other {name}="x"/>', f"Other/@{name}") == fate


@pytest.mark.parametrize(
    ("inner", "path", "fate"),
    [
        ("<Item><a b='c'/></Item>", "Item[3]/a/@b", "host: it is a detail of the device"),
        ("<StorageItem><a>c</a></StorageItem>", "StorageItem/a", "host: it is a detail of the device"),
        ("<EthernetPortItem><a>c</a></EthernetPortItem>", "EthernetPortItem/a", "host: it is a detail of the device"),
        *(
            (f"<{section}><a>c</a></{section}>", f"{section}/a", "host: it is of the product that comes in the machine")
            for section in ("ProductSection", "EulaSection", "InstallSection", "DeploymentOptionSection")
        ),
        ("<Machine><a>c</a></Machine>", "Machine/a", "lost: KubeVirt has nothing for this setting of VirtualBox"),
        ("<Other><a>c</a></Other>", "Other/a", "lost: KubeVirt has nothing for it"),
    ],
)
def test_what_else_there_is_goes_by_what_it_is_in(inner, path, fate):
    assert said_of(inner, path) == fate
