"""RVTools' sheets: which VMs they have, joined by what identifies a VM, and what their columns say."""

from __future__ import annotations

import csv

import pytest
from vmwares import FIXTURES, GIB, bringer, fates

from virtcatalog.bring.imports import Verdict
from virtcatalog.bring.vmware.machine import Disk, Machine, Nic
from virtcatalog.bring.vmware.mapping import Census, proposed
from virtcatalog.bring.vmware.rvcolumns import COLUMNS, rule
from virtcatalog.bring.vmware.rvtools import SHEETS, read_rvtools
from virtcatalog.bring.vmware.table import read_csv
from virtcatalog.errors import ManifestError

#: Whatever a test looks at, its words are held against a snapshot, too.
pytestmark = pytest.mark.usefixtures("in_words")


def files():
    return {sheet: (FIXTURES / "rvtools" / f"RVTools_tab{sheet}.csv").read_bytes() for sheet in SHEETS}


def read(contents):
    """The machines of sheets, and the problems."""
    problems = []
    tables = {sheet: read_csv(content, f"{sheet}.csv") for sheet, content in contents.items()}
    return list(read_rvtools(tables, problems).machines()), list(map(str, problems))


def small(**sheets):
    """A VM `web` with two CPUs and 4 GiB, and what else the sheets have."""
    usual = {"vInfo": "VM,VM ID,CPUs,Memory\nweb,vm-1,2,4096\n"}
    return read({sheet: text.encode() for sheet, text in {**usual, **sheets}.items()})


def brought(machine):
    census = Census()
    census.add(machine)
    return bringer(mapping=proposed(census)).bring(machine)


@pytest.fixture(scope="module")
def machines():
    machines, problems = read(files())
    assert problems == []
    return {machine.name: machine for machine in machines}


class TestExport:
    def test_vms_and_templates_are_read(self, machines):
        assert {name: machine.template for name, machine in machines.items()} == {
            "crm-db": False,
            "web-01": False,
            "legacy app": False,
            "rhel9-golden": True,
        }

    def test_a_vm_is_read(self, machines):
        machine = machines["crm-db"]
        assert (machine.id, machine.vcpus, machine.cores, machine.memory) == ("vm-101", 8, 4, 32 * GIB)
        assert (machine.firmware, machine.secure_boot, machine.tpm) == ("efi", True, None)
        assert machine.uuid == "421a7d0c-55e1-4b90-a6f3-000000000101"
        assert (machine.runs, machine.notes) == (True, 'Owner: sales\nWindow: "Sunday"')

    def test_what_runs_comes_before_what_was_configured(self, machines):
        assert machines["crm-db"].guests == (
            "Microsoft Windows Server 2022 (64-bit)",
            "Microsoft Windows Server 2016 or later (64-bit)",
        )
        assert machines["web-01"].guests[0] == "Ubuntu 22.04.3 LTS"
        assert machines["legacy app"].guests == ("Microsoft Windows Server 2003 (32-bit)",)

    def test_disks_are_in_the_order_of_their_places_whatever_the_sheet_has_first(self, machines):
        assert machines["crm-db"].disks == (
            Disk("Hard disk 1", 100 * GIB, "san-gold", "scsi", 0, 0, "[san-gold] crm-db/crm-db.vmdk"),
            Disk("Hard disk 2", 500 * GIB, "san-gold", "scsi", 1, 0, "[san-gold] crm-db/crm-db_1.vmdk"),
        )
        labels = [
            (attribute.value, attribute.number, attribute.line)
            for attribute in machines["crm-db"].attributes
            if attribute.path == "vDisk/Disk"
        ]
        assert labels == [("Hard disk 1", 0, 4), ("Hard disk 2", 1, 2)]

    def test_network_cards_have_what_is_said_of_them(self, machines):
        assert machines["crm-db"].nics == (
            Nic("Network adapter 1", "Servers 120", "00:50:56:9a:10:01", "vmxnet3"),
            Nic("Network adapter 2", "Backup", "00:50:56:9a:10:02", "e1000e", connected=False),
        )

    def test_every_cell_of_a_vm_with_text_has_a_fate_at_its_place(self, machines):
        machine = machines["web-01"]
        expected = [
            (f"{sheet}/{column}", text, number)
            for sheet, content in files().items()
            for row in csv.DictReader(content.decode().splitlines(keepends=True))
            if row["VM"] == "web-01"
            for number, (column, text) in enumerate(row.items(), 1)
            if text
        ]
        assert [(attribute.path, attribute.value, attribute.column) for attribute in machine.attributes] == expected
        assert all(text.partition(": ")[2] for text in fates(brought(machine)))

    def test_what_cannot_be_kept_is_lost_with_the_reason(self, machines):
        assert [text for text in fates(brought(machines["crm-db"])) if text.startswith("lost")] == [
            "lost: a guest keeps an address that it sets itself, if its new network has it",
            "lost: windows.2k22.virtio lays the vCPUs out with 1 core a socket",
            "lost: windows.2k22.virtio lays the vCPUs out with 1 core a socket",
            "lost: the Pod's requests share out a node",
            "lost: an instance type and the Pod's requests say what is reserved",
            "lost: the guest finds the disk on virtio",
            "lost: the guest finds the disk on virtio",
            "lost: the guest finds a card of model virtio, under another name perhaps",
            "lost: a guest keeps an address that it sets itself, if its new network has it",
            "lost: the guest finds a card of model virtio, under another name perhaps",
        ]


class TestJoin:
    CPU = "{columns},CPUs,Cores p/s\n{row},2,2\n"

    @pytest.mark.parametrize(
        ("columns", "row"),
        [
            ("VI SDK UUID,VM ID,VM UUID", "c,vm-1,u"),
            ("VM ID", "vm-1"),
            ("VM UUID", "u"),
            ("VM,Host", "web,esx1"),
            ("VM", "web"),
        ],
    )
    def test_rows_are_of_one_vm_by_the_first_columns_that_both_sheets_have(self, columns, row):
        info = "VM,VM ID,VM UUID,Host,CPUs,Memory,VI SDK UUID\nweb,vm-1,u,esx1,2,4096,c\n"
        (machine,), problems = small(vInfo=info, vCPU=self.CPU.format(columns=columns, row=row))
        assert (machine.cores, problems) == (2, [])

    def test_the_ids_of_two_vcenters_are_two(self):
        info = "VM,VM ID,CPUs,Memory,VI SDK Server\na,vm-1,2,4096,c1\nb,vm-1,4,4096,c2\n"
        cpu = "VM ID,CPUs,Cores p/s,VI SDK Server\nvm-1,4,4,c2\nvm-1,2,1,c1\n"
        machines, problems = small(vInfo=info, vCPU=cpu)
        assert ([(machine.name, machine.cores) for machine in machines], problems) == ([("a", 1), ("b", 4)], [])

    def test_vms_that_cannot_be_told_apart_are_left_out(self):
        info = "VM,CPUs,Memory\na,2,4096\nb,1,1024\na,4,4096\n"
        machines, problems = small(vInfo=info, vCPU="VM,CPUs\nb,1\na,2\na,4\n")
        assert [machine.name for machine in machines] == ["b"]
        words = "a: VM: 2 VMs have the same: vCPU.csv does not say which of them it means"
        assert problems == [f"vInfo.csv:2:1: {words}", f"vInfo.csv:4:1: {words}"]

    def test_a_row_of_no_vm_is_a_problem(self):
        _, problems = small(vCPU="VM ID,VM,CPUs\nvm-1,web,2\nvm-2,db,2\n")
        assert problems == ["vCPU.csv:3:1: db: VM ID: vInfo.csv has no such VM: export all sheets at once"]

    def test_vms_of_several_vcenters_may_have_one_name(self):
        center = "VI SDK Server"
        info = f"VM,CPUs,Memory,{center}\na,2,4096,one\na,2,4096,two\nb,1,1024,one\nb,1,1024,one\n"
        machines, problems = small(vInfo=info, vCPU=f"CPUs,{center},VM\n2,one,a\n2,two,a\n2,two,b\n")
        assert [machine.name for machine in machines] == ["a", "a"]
        words = "b: VM: 2 VMs have the same: vCPU.csv does not say which of them it means"
        assert problems == [
            f"vInfo.csv:4:1: {words}",
            f"vInfo.csv:5:1: {words}",
            "vCPU.csv:4:3: b: VM: vInfo.csv has no such VM: export all sheets at once",
        ]

    def test_sheets_of_two_times_contradict_each_other(self):
        assert small(vCPU="VM ID,CPUs\nvm-1,4\n") == (
            [],
            ["vCPU.csv:2:2: web: CPUs: is 4, and in vInfo 2: export both at once"],
        )
        assert small(vMemory='VM ID,Size MiB\nvm-1,"8,192"\n') == (
            [],
            ["vMemory.csv:2:2: web: Size MiB: is 8,192, and in vInfo 4,096: export both at once"],
        )

    @pytest.mark.parametrize(
        ("sheet", "message"),
        [
            ("VM,Capacity MiB\n", "the VM has 1 disk, and vDisk has 0"),
            ("VM,Capacity MiB\nweb,1\nweb,2\n", "the VM has 1 disk, and vDisk has 2"),
        ],
    )
    def test_no_disk_is_forgotten(self, sheet, message):
        info = "VM,CPUs,Memory,Disks\nweb,2,4096,1\n"
        assert small(vInfo=info, vDisk=sheet) == ([], [f"vInfo.csv:2:4: web: Disks: {message}"])

    @pytest.mark.parametrize(
        ("column", "message"),
        [
            ("Disks", "vInfo.csv: 1 VM has disks, and there is no vDisk: export it, too"),
            ("NICs", "vInfo.csv: 1 VM has network cards, and there is no vNetwork: export it, too"),
        ],
    )
    def test_a_sheet_that_is_missing_is_told_once_for_all_vms(self, column, message):
        with pytest.raises(ManifestError) as caught:
            small(vInfo=f"VM,CPUs,Memory,{column}\nweb,2,4096,1\nbare,2,4096,0\n")
        assert list(map(str, caught.value.problems)) == [message]

    def test_what_vinfo_says_as_well_is_told_once(self):
        info, disk = "VM,CPUs,Memory,Annotation\nweb,2,4096,note\n", "VM,Capacity MiB,Annotation,Folder\nweb,1,note,f\n"
        (machine,), _ = small(vInfo=info, vDisk=disk)
        imported = brought(machine)
        assert fates(imported, "vDisk/Annotation") == ["host: vInfo says it"]
        assert fates(imported, "vDisk/Folder") == ["host: it is the VM's place in vSphere"]

    def test_no_network_card_is_forgotten(self):
        assert small(vInfo="VM,CPUs,Memory,NICs\nweb,2,4096,2\n", vNetwork="VM,Network\nweb,a\n") == (
            [],
            ["vInfo.csv:2:4: web: NICs: the VM has 2 network cards, and vNetwork has 1"],
        )


class TestOldExports:
    def test_mb_is_the_same_unit(self):
        sheets = {"vMemory": "VM,Size MB\nweb,4096\n", "vDisk": "VM,Capacity MB\nweb,1024\n"}
        (machine,), problems = small(**sheets)
        assert (machine.disks[0].size, problems) == (GIB, [])
        assert fates(brought(machine), "vDisk/Capacity MiB") == ["host: the claim web-disk-0 has it: at least 1 GiB"]

    def test_the_system_had_a_shorter_name(self):
        (machine,), _ = small(vInfo="VM,CPUs,Memory,OS\nweb,2,4096,Debian GNU/Linux 12 (64-bit)\n")
        assert machine.guests == ("Debian GNU/Linux 12 (64-bit)",)

    def test_a_custom_attribute_may_have_an_old_name(self):
        info = "VM,CPUs,Memory,OS,OS according to the configuration file\nweb,2,4096,mine,Ubuntu Linux (64-bit)\n"
        (machine,), _ = small(vInfo=info)
        assert machine.guests == ("Ubuntu Linux (64-bit)",)


class TestLeftOut:
    @pytest.mark.parametrize(
        ("name", "template", "placeholder", "what"),
        [
            ("golden", "True", "False", "template"),
            ("crm", "False", "True", "placeholder of Site Recovery Manager"),
            ("vCLS (1)", "False", "False", "agent of vCenter (vCLS)"),
            ("vCLS-4212d2c1-7b8a-4a6e-9b0f-2f1c0a9d3e11", "False", "False", "agent of vCenter (vCLS)"),
            ("vCLS-copy", "False", "False", ""),
            ("web", "False", "", ""),
        ],
    )
    def test_what_is_no_vm_that_moves_says_so(self, name, template, placeholder, what):
        info = f"VM,Template,SRM Placeholder,CPUs,Memory\n{name},{template},{placeholder},2,4096\n"
        (machine,), _ = small(vInfo=info)
        assert machine.left_out == what


class TestValues:
    @pytest.mark.parametrize(
        "text", ["16384", '"16,384"', "16.384", "16 384", "16\u00a0384", "16'384", "16\u2019384", "16384.0"]
    )
    def test_numbers_are_read_however_a_country_writes_them(self, text):
        (machine,), _ = small(vInfo=f"VM,CPUs,Memory\nweb,2,{text}\n")
        assert machine.memory == 16 * GIB

    def test_numbers_have_the_groups_of_india(self):
        (machine,), _ = small(vInfo='VM,CPUs,Memory\nweb,2,"1,02,400"\n')
        assert machine.memory == 100 * GIB

    @pytest.mark.parametrize("text", ["", "0", "-1", "1.5", "many", "40960.125", "1.6.384", "1'6.384"])
    def test_a_vm_without_memory_is_left_out(self, text):
        machines, problems = small(vInfo=f"VM,CPUs,Memory\nweb,2,{text}\ndb,1,1024\n")
        assert [machine.name for machine in machines] == ["db"]
        assert problems == [f"vInfo.csv:2:3: web: Memory: {text!r} is no whole number from 1 on"]

    @pytest.mark.parametrize(
        ("controller", "bus", "number"),
        [
            ("SCSI controller 0", "scsi", 0),
            ("SATA controller 1", "sata", 1),
            ("NVME controller 2", "nvme", 2),
            ("IDE 1", "ide", 1),
            ("Contrôleur 0", "", 0),
        ],
    )
    def test_a_disk_is_on_a_controller(self, controller, bus, number):
        (machine,), _ = small(vDisk=f"VM,Capacity MiB,Controller,Unit #\nweb,1024,{controller},3\n")
        disk = machine.disks[0]
        assert (disk.size, disk.bus, disk.controller, disk.unit) == (GIB, bus, number, 3)

    @pytest.mark.parametrize(
        ("sharing", "bus", "shared"),
        [
            ("sharingNone", "noSharing", False),
            ("", "", False),
            ("sharingMultiWriter", "noSharing", True),
            ("sharingNone", "physicalSharing", True),
        ],
    )
    def test_a_disk_is_shared_by_itself_or_by_its_controller(self, sharing, bus, shared):
        (machine,), _ = small(vDisk=f"VM,Capacity MiB,Sharing mode,Shared Bus\nweb,1,{sharing},{bus}\n")
        assert machine.disks[0].shared is shared

    def test_what_is_no_uuid_and_no_address_is_lost(self):
        info = "VM,CPUs,Memory,SMBIOS UUID\nweb,2,4096,none\n"
        (machine,), _ = small(vInfo=info, vNetwork="VM,Network,Mac Address\nweb,a,b\n")
        imported = brought(machine)
        assert fates(imported, "SMBIOS UUID") == ["lost: it is no UUID"]
        assert fates(imported, "Mac Address") == ["lost: it is no MAC address"]


@pytest.mark.parametrize(
    ("sheets", "message"),
    [
        ({"vDisk": "VM,Capacity MiB\n"}, "vDisk.csv: there is no vInfo beside it, which has the VMs"),
        ({"vInfo": "VM,CPUs\nweb,2\n"}, "vInfo.csv:1:1: has no column 'Memory'"),
        ({"vInfo": "VM,CPUs,Memory\n", "vDisk": "VM,Size\n"}, "vDisk.csv:1:1: has no column 'Capacity MiB'"),
        ({"vInfo": "VM,CPUs,Memory\n", "vCPU": "CPUs\n"}, "vCPU.csv:1:1: has no column 'VM'"),
    ],
)
def test_what_is_no_export_is_refused(sheets, message):
    with pytest.raises(ManifestError) as caught:
        read({sheet: text.encode() for sheet, text in sheets.items()})
    assert str(caught.value.problems[0]) == message


class TestColumns:
    def test_every_column_of_the_export_is_known(self):
        for sheet, content in files().items():
            columns = read_csv(content, sheet).columns
            assert [column for column in columns if column not in COLUMNS[sheet]] == ["Backup status"]

    @pytest.mark.parametrize(
        ("sheet", "column", "text", "says"),
        [
            ("vInfo", "Latency Sensitivity", "high", "lost"),
            ("vInfo", "Latency Sensitivity", "normal", "host"),
            ("vInfo", "FT State", "notConfigured", "host"),
            ("vInfo", "FT State", "running", "lost"),
            ("vInfo", "Boot BIOS setup", "True", "lost"),
            ("vInfo", "EnableUUID", "True", "lost"),
            ("vInfo", "Backup status", "daily", "lost"),
            ("vCPU", "Limit", "-1", "host"),
            ("vCPU", "Limit", "2000", "lost"),
            ("vCPU", "Hot Add", "True", "carried"),
            ("vMemory", "Reservation", "0", "host"),
            ("vDisk", "Disk Mode", "independent_nonpersistent", "lost"),
            ("vDisk", "Disk Mode", "persistent", "host"),
            ("vNetwork", "Direct Path IO", "True", "lost"),
        ],
    )
    def test_what_is_set_is_lost_and_what_is_not_is_nobodys(self, sheet, column, text, says):
        verdict = rule(sheet, column)(text)
        assert isinstance(verdict, Verdict)
        assert verdict.fate == says


def bare(machine):
    return machine._replace(attributes=())


def test_a_vm_of_which_little_is_told():
    (machine,), problems = small(vInfo="VM,CPUs,Memory\n,2,4096\n", vNetwork="VM,Network\n,LAN\n",
                                 vDisk="VM,Capacity MiB\n,1\n")  # fmt: skip
    assert problems == []
    assert bare(machine) == Machine(
        name="vm",
        id="",
        file="vInfo.csv",
        line=2,
        column=1,
        guests=(),
        vcpus=2,
        memory=4 * GIB,
        disks=(Disk("", 2**20),),
        nics=(Nic("", "LAN"),),
        attributes=(),
    )


ALL = {
    "vInfo": "VM,VM ID,VM UUID,Host,VI SDK UUID,CPUs,Memory,NICs,Disks,Firmware,EFI Secure boot,SMBIOS UUID,Powerstate,"
    "Annotation,OS according to the VMware Tools,OS according to the configuration file,Guest Detailed Data\n"
    "web,vm-1,u-1,esx-1,v-1,2,4096,1,2,EFI,True,421A7D0C-55E1-4B90-A6F3-000000000101,poweredOn,notes,Tools,Config,"
    "prettyName='Pretty' x='y'\n",
    "vCPU": "VM ID,CPUs,Cores p/s\nvm-1,2,2\n",
    "vMemory": "VM ID,Size MiB\nvm-1,4096\n",
    "vDisk": "VM ID,VM,Disk,Capacity MiB,Controller,Unit #,SCSI Unit #,Path,Disk Path,Raw,Sharing mode,Shared Bus\n"
    "vm-1,web,second,2,SCSI controller 1,3,9,[ssd] a/b.vmdk,,False,,\n"
    "vm-1,web,first,1,SCSI controller 0,,5,,[hdd] a/a.vmdk,True,sharingMultiWriter,\n",
    "vNetwork": "VM ID,VM,NIC label,Network,Adapter,Mac Address,Starts Connected\n"
    "vm-1,web,card,LAN,Vmxnet3,00:50:56:00:00:0A,False\n",
}


def test_a_vm_of_which_all_is_told():
    (machine,), problems = small(**ALL)
    assert problems == []
    assert bare(machine) == Machine(
        name="web",
        id="vm-1",
        file="vInfo.csv",
        line=2,
        column=1,
        guests=("Pretty", "Tools", "Config"),
        vcpus=2,
        cores=2,
        memory=4 * GIB,
        disks=(
            Disk("first", 2**20, "hdd", "scsi", 0, 5, "[hdd] a/a.vmdk", shared=True, raw=True),
            Disk("second", 2**21, "ssd", "scsi", 1, 3, "[ssd] a/b.vmdk"),
        ),
        nics=(Nic("card", "LAN", "00:50:56:00:00:0a", "vmxnet3", connected=False),),
        attributes=(),
        firmware="efi",
        secure_boot=True,
        uuid="421a7d0c-55e1-4b90-a6f3-000000000101",
        runs=True,
        notes="notes",
        host="esx-1",
    )
    labels = [(at.value, at.number, at.line) for at in machine.attributes if at.path == "vDisk/Disk"]
    assert labels == [("first", 0, 3), ("second", 1, 2)]
    assert {(at.file, at.column) for at in machine.attributes if at.path == "vDisk/Disk"} == {("vDisk.csv", 3)}


@pytest.mark.parametrize(
    ("firmware", "secure", "expected"),
    [
        ("efi", "False", ("efi", False)),
        ("EFI", "", ("efi", None)),
        ("bios", "True", ("bios", None)),
        ("", "True", ("", None)),
    ],
)
def test_which_firmware_a_vm_has(firmware, secure, expected):
    (machine,), _ = small(vInfo=f"VM,CPUs,Memory,Firmware,EFI Secure boot\nweb,2,4096,{firmware},{secure}\n")
    assert (machine.firmware, machine.secure_boot) == expected


@pytest.mark.parametrize(
    ("info", "cpu"),
    [
        ("VM,VM ID,CPUs,Memory\na,1,1,1\na,2,1,1\n", "VM,VM ID,Cores p/s\na,2,7\na,1,5\n"),
        ("VM,VM UUID,CPUs,Memory\na,1,1,1\na,2,1,1\n", "VM,VM UUID,Cores p/s\na,2,7\na,1,5\n"),
        ("VM,Host,CPUs,Memory\na,1,1,1\na,2,1,1\n", "VM,Host,Cores p/s\na,2,7\na,1,5\n"),
        ("VM,VM ID,CPUs,Memory\na,1,1,1\nb,2,1,1\n", "VM,Cores p/s\nb,7\na,5\n"),
        ("VM ID,VI SDK UUID,VM,CPUs,Memory\n1,c,a,1,1\n1,d,b,1,1\n", "VM ID,VI SDK UUID,Cores p/s\n1,d,7\n1,c,5\n"),
        (
            "VM ID,VI SDK Server,VM,CPUs,Memory\n1,c,a,1,1\n1,d,b,1,1\n",
            "VM ID,VI SDK Server,Cores p/s\n1,d,7\n1,c,5\n",
        ),
    ],
)
def test_rows_of_a_vm_are_found_by_what_both_sheets_have(info, cpu):
    machines, problems = small(vInfo=info, vCPU=cpu)
    assert problems == []
    assert [machine.cores for machine in machines] == [5, 7]


def test_vms_that_cannot_be_told_apart_are_left_out():
    machines, problems = small(vInfo="VM,CPUs,Memory\na,1,1\nb,1,1\na,1,1\n", vCPU="VM,CPUs\na,1\nc,1\nc,2\n")
    assert [machine.name for machine in machines] == ["b"]
    assert problems == [
        "vInfo.csv:2:1: a: VM: 2 VMs have the same: vCPU.csv does not say which of them it means",
        "vInfo.csv:4:1: a: VM: 2 VMs have the same: vCPU.csv does not say which of them it means",
        "vCPU.csv:3:1: c: VM: vInfo.csv has no such VM: export all sheets at once",
    ]


@pytest.mark.parametrize(
    ("sheets", "problem"),
    [
        ({"vCPU": "VM,CPUs\nweb,3\n"}, "vCPU.csv:2:2: web: CPUs: is 3, and in vInfo 2: export both at once"),
        (
            {"vMemory": "VM,Size MiB\nweb,1024\n"},
            "vMemory.csv:2:2: web: Size MiB: is 1,024, and in vInfo 4,096: export both at once",
        ),
        ({"vCPU": "VM,CPUs\nweb,0\n"}, "vCPU.csv:2:2: web: CPUs: '0' is no whole number from 1 on"),
        ({"vCPU": "VM,Cores p/s\nweb,x\n"}, "vCPU.csv:2:2: web: Cores p/s: 'x' is no whole number from 0 on"),
        ({"vDisk": "VM,Capacity MiB\nweb,x\n"}, "vDisk.csv:2:2: web: Capacity MiB: 'x' is no whole number from 0 on"),
    ],
)
def test_sheets_that_contradict_each_other(sheets, problem):
    assert small(**sheets) == ([], [problem])


@pytest.mark.parametrize("sheets", [{"vCPU": "VM,CPUs,Cores p/s\nweb,,\n"}, {"vCPU": "VM,CPUs,Cores p/s\nweb,2,0\n"}])
def test_what_is_not_told_again_contradicts_nothing(sheets):
    (machine,), problems = small(**sheets)
    assert (machine.cores, problems) == (0, [])


@pytest.mark.parametrize(
    ("counts", "problem"),
    [
        ("Disks\nweb,2,4096,1\n", "vInfo.csv: 1 VM has disks, and there is no vDisk: export it, too"),
        ("Disks\nweb,2,4096,1\ndb,1,1,2\n", "vInfo.csv: 2 VMs have disks, and there is no vDisk: export it, too"),
        ("NICs\nweb,2,4096,1\n", "vInfo.csv: 1 VM has network cards, and there is no vNetwork: export it, too"),
    ],
)
def test_an_export_that_lacks_a_sheet(counts, problem):
    with pytest.raises(ManifestError) as caught:
        small(vInfo=f"VM,CPUs,Memory,{counts}")
    assert str(caught.value.problems[0]) == problem


@pytest.mark.parametrize("count", ["0", "", "x"])
def test_an_export_without_disks_needs_no_sheet_of_them(count):
    machines, problems = small(vInfo=f"VM,CPUs,Memory,Disks\nweb,2,4096,{count}\n")
    assert (len(machines), problems) == (
        (0, ["vInfo.csv:2:4: web: Disks: 'x' is no whole number from 0 on"]) if count == "x" else (1, [])
    )


@pytest.mark.parametrize(
    ("controller", "expected"),
    [
        ("scsi 0", ("scsi", 0)),
        ("NVMe controller 1234", ("nvme", 1234)),
        ("NVMe controller 12345", ("", 0)),
        ("SCSI controller", ("", 0)),
        ("USB controller 0", ("", 0)),
        ("my SCSI controller 0", ("", 0)),
    ],
)
def test_what_a_controller_is_called(controller, expected):
    (machine,), _ = small(vDisk=f"VM,Capacity MiB,Controller\nweb,1,{controller}\n")
    assert (machine.disks[0].bus, machine.disks[0].controller) == expected


@pytest.mark.parametrize(
    ("column", "text", "connected"),
    [("Starts Connected", "True", True), ("Starts Connected", "", True), ("Starts Connected", "0", False),
     ("Connected", "False", True)],
)  # fmt: skip
def test_a_card_is_connected_unless_it_says_it_is_not(column, text, connected):
    (machine,), _ = small(vNetwork=f"VM,Network,{column}\nweb,LAN,{text}\n")
    assert machine.nics[0].connected is connected
