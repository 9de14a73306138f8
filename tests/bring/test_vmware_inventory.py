"""Forklift's inventory: which VMs it has, how their networks and datastores are called, and what its fields say."""

from __future__ import annotations

import json

import pytest
from vmwares import FIXTURES, GIB, bringer, fates

from virtcatalog.bring.imports import Verdict
from virtcatalog.bring.vmware.inventory import Inventory
from virtcatalog.bring.vmware.inventoryfields import rule
from virtcatalog.bring.vmware.machine import Disk, Nic
from virtcatalog.bring.vmware.mapping import Census, proposed

#: Whatever a test looks at, its words are held against a snapshot, too.
pytestmark = pytest.mark.usefixtures("in_words")

NAMES = ("networks", "datastores", "vms")


def read(**contents):
    """The machines of files, and the problems; what is no text is written as JSON."""
    files = {
        f"{name}.json": content if isinstance(content, bytes) else json.dumps(content).encode()
        for name, content in contents.items()
    }
    problems = []
    return list(Inventory(files, problems).machines()), list(map(str, problems))


def small(**fields):
    return {"id": "vm-1", "name": "web", "cpuCount": 2, "memoryMB": 4096, **fields}


def disk(key=2000, unit=0, controller=1000, bus="scsi", **fields):
    return {"key": key, "unitNumber": unit, "controllerKey": controller, "bus": bus, "capacity": GIB, **fields}


def one(**fields):
    """The machine of a VM with these fields."""
    (machine,), problems = read(vms=[small(**fields)])
    assert problems == []
    return machine


def brought(machine):
    census = Census()
    census.add(machine)
    return bringer(mapping=proposed(census)).bring(machine)


@pytest.fixture(scope="module")
def machines():
    machines, problems = read(**{name: (FIXTURES / "inventory" / f"{name}.json").read_bytes() for name in NAMES})
    assert problems == []
    return {machine.name: machine for machine in machines}


class TestInventory:
    def test_vms_and_templates_are_read(self, machines):
        assert {name: machine.template for name, machine in machines.items()} == {
            "billing-db": False,
            "web 01": False,
            "web 02": False,
            "legacy-app": False,
            "ubuntu-golden": True,
        }

    def test_a_vm_is_read(self, machines):
        machine = machines["billing-db"]
        assert (machine.id, machine.host) == ("vm-201", "host-44")
        assert (machine.vcpus, machine.cores, machine.memory) == (8, 4, 32 * GIB)
        assert (machine.firmware, machine.secure_boot, machine.tpm) == ("efi", True, True)
        assert (machine.uuid, machine.runs) == ("421a7d0c-55e1-4b90-a6f3-000000000201", True)
        assert machine.guests[:2] == ("Microsoft Windows Server 2022 (64-bit)", "windows2019srvNext_64Guest")

    def test_disks_are_in_the_order_in_which_forklift_numbers_them(self, machines):
        assert [(disk.bus, disk.controller, disk.size) for disk in machines["billing-db"].disks] == [
            ("sata", 15000, 10 * GIB),
            ("scsi", 1000, 100 * GIB),
            ("scsi", 1001, 500 * GIB),
        ]

    def test_datastores_have_the_names_of_the_list_beside(self, machines):
        assert {(disk.storage, disk.storage_id) for disk in machines["billing-db"].disks} == {
            ("nfs-01", "datastore-12"),
            ("san-gold", "datastore-11"),
        }

    def test_networks_are_known_by_their_id_and_by_the_key_of_their_port_group(self, machines):
        assert machines["billing-db"].nics == (
            Nic("network card 0", "Servers", "00:50:56:9a:02:01", "vmxnet3", True, "dvportgroup-21"),
            Nic("network card 1", "DMZ", "00:50:56:9a:02:02", "e1000e", True, "network-o31"),
        )

    def test_the_disk_boots_on_which_vmware_tools_see_the_system(self, machines):
        assert machines["billing-db"].disks[machines["billing-db"].boots].size == 100 * GIB

    @pytest.mark.parametrize(
        ("mounts", "boots"),
        [
            ([("/", 2001)], 1),
            ([("/", 2000), ("/boot", 2001)], 1),
            ([("/home", 2001)], 0),
            ([("/", 0)], 0),
            ([("/", 9)], 0),
        ],
    )
    def test_without_one_that_is_known_the_first_disk_boots(self, mounts, boots):
        guest_disks = [{"diskPath": path, "key": key} for path, key in mounts]
        assert one(disks=[disk(2000), disk(2001, 1)], guestDisks=guest_disks).boots == boots

    def test_disks_of_one_place_are_in_the_order_of_their_keys(self):
        assert [vm_disk.label for vm_disk in one(disks=[disk(2001), disk(2000)]).disks] == ["disk 2000", "disk 2001"]

    def test_without_lists_beside_it_networks_and_datastores_are_called_by_their_ids(self):
        machine = one(disks=[disk(datastore={"id": "datastore-1"})], nics=[{"network": {"id": "network-1"}}])
        assert machine.disks == (Disk("disk 2000", GIB, "datastore-1", "scsi", 1000, 0, storage_id="datastore-1"),)
        assert machine.nics == (Nic("network card 0", "network-1", network_id="network-1"),)


class TestFiles:
    @pytest.mark.parametrize(
        "content",
        [
            [small()],
            small(),
            {"vms": [small()], "networks": [{"id": "network-1", "name": "a"}], "hosts": []},
            b"\xef\xbb\xbf[" + json.dumps(small()).encode() + b"]",
        ],
        ids=["list", "object", "map of lists", "byte order mark"],
    )
    def test_a_file_has_a_list_an_object_or_a_map_of_lists(self, content):
        machines, problems = read(all=content)
        assert ([machine.name for machine in machines], problems) == (["web"], [])

    def test_places_are_those_in_the_file_whatever_is_on_a_line(self):
        text = b'{"networks": [{"id": "n", "name": "\xc3\xa4"}],\n "vms": [' + json.dumps(small()).encode() + b"]}"
        (machine,), _ = read(all=text)
        (places,) = [(at.line, at.column) for at in machine.attributes if at.path == "memoryMB"]
        assert places == (2, text.split(b"\n")[1].index(b'"memoryMB"') + 1)

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            (b"", "all.json:1:1: is no inventory in JSON: "),
            (b"[" * 100_000, "all.json:1:1: is no inventory in JSON: "),
            (b"[1]", "all.json:1:2: is no object of forklift's inventory: that is a map"),
            (b"{}", "all.json:1:1: is no object of forklift's inventory: that has an id and a name"),
            (b'[\n{"id": "x"}]', "all.json:2:1: is no object of forklift's inventory: that has an id and a name"),
            (b'[{"id": "v", "id": "v", "cpuCount": 1}]', "all.json:1:14: "),
            (b'{"vms": [{"id": "a", "name": "a"}], "vms": []}', "all.json:1:1: a key is here twice"),
            (b'{"a": [{"id": "a", "name": "a"}], "a": [{"id": "a", "name": "a"}]}', "all.json:1:32: a key is here"),
            ([{"id": "n", "name": "a"}, {"id": "n", "name": "b"}], "all.json:1:28: n is 'a' already: give each"),
            ([small(cpuCount=None)], "web: has no cpuCount: ask for all details of the VMs (?detail=4)"),
            ([small(cpuCount=0)], "all.json:1:32: web: cpuCount: 0 is not from 1 to 2,147,483,647"),
            ([small(memoryMB="4")], "web: memoryMB: is no whole number"),
            ([small(cpuCount=True)], "web: cpuCount: is no whole number"),
            ([small(disks=[1])], "web: disks[0]: is no map"),
            ([small(disks=[disk(capacity=-1)])], "web: disks[0].capacity: -1 is no size in bytes"),
            ([small(nics={})], "web: nics: is no list"),
        ],
    )
    def test_what_cannot_be_read_is_a_problem_at_its_place(self, content, problem):
        machines, problems = read(all=content)
        assert machines == []
        (text,) = problems
        assert problem in text

    def test_one_that_cannot_be_read_takes_no_other_with_it(self):
        machines, problems = read(vms=[small(cpuCount=0), small(name="db")])
        assert [machine.name for machine in machines] == ["db"]
        assert len(problems) == 1


class TestFields:
    def test_what_is_empty_says_nothing(self):
        assert [at.path for at in one(uuid="", disks=[], snapshot=None).attributes] == [
            "id",
            "name",
            "cpuCount",
            "memoryMB",
        ]

    def test_every_field_has_its_fate_at_its_place(self, machines):
        imported = brought(machines["billing-db"])
        lines = (FIXTURES / "inventory" / "vms.json").read_text().splitlines()
        assert fates(imported, "memoryMB") == ["carried: u1.2xlarge: 32 GiB"]
        for attribute in imported.machine.attributes:
            key = attribute.path.rpartition(".")[2].partition("[")[0]
            if not attribute.path.endswith("]"):
                assert lines[attribute.line - 1][attribute.column - 1 :].startswith(f'"{key}": ')

    def test_fields_of_disks_and_cards_are_about_those_of_the_vm(self, machines):
        imported = brought(machines["billing-db"])
        assert fates(imported, "disks[0].file") == ["host: the image comes into billing-db-disk-2"]
        assert fates(imported, "devices[1].kind") == [
            "lost: the guest finds a card of model virtio, under another name perhaps"
        ]
        assert fates(imported, "nics[1].mac") == ["carried: interface net-1"]

    @pytest.mark.parametrize(
        ("field", "text", "fate"),
        [
            ("nestedHVEnabled", "true", "lost"),
            ("nestedHVEnabled", "false", "host"),
            ("cpuAffinity", "0", "lost"),
            ("snapshot.id", "snapshot-9", "lost"),
            ("devices.kind", "VirtualPCIPassthrough", "lost"),
            ("devices.kind", "VirtualSomething", "lost"),
            ("guestNetworks.ip", "192.0.2.1", "lost"),
            ("disks.mode", "independent_nonpersistent", "lost"),
            ("disks.mode", "persistent", "host"),
            ("customValues.value", "x", "lost"),
            ("later.field", "x", "lost"),
            ("later.field", "false", "host"),
        ],
    )
    def test_what_is_set_is_lost_where_kubevirt_has_nothing_for_it(self, field, text, fate):
        says = rule(tuple(field.split(".")))(text)
        assert isinstance(says, Verdict)
        assert says.fate == fate

    def test_a_card_that_is_connected_to_nothing_is_lost(self):
        machine = one(devices=[{"kind": "VirtualE1000", "key": 4000}])
        assert fates(brought(machine), "kind") == ["lost: the card is connected to nothing"]


@pytest.mark.parametrize(
    ("content", "problem", "names"),
    [
        (b'[{"name": "\xff", "cpuCount": 1, "memoryMB": 5}]', "all.json:1:12: is not UTF-8 text", []),
        (
            b'[{"name": "a", "cpuCount": 1, "memoryMB": 5}] \xff',
            "all.json:1:1: is no inventory in JSON: JSON is malformed: trailing characters (byte 47)",
            [],
        ),
        (
            b'[{"name": "a", "cpuCount": 1, "memoryMB": 5}, 5]',
            "all.json:1:47: is no object of forklift's inventory: that is a map",
            ["a"],
        ),
        (
            b'{"a": [{"name": "a", "cpuCount": 1, "memoryMB": 5}], "a": [{"name": "b", "cpuCount": 1, "memoryMB": 5}]}',
            "all.json:1:1: a key is here twice, or no list",
            [],
        ),
        (
            b'\n  {"a": 5, "b": []}',
            "all.json:2:3: is no object of forklift's inventory: that has an id and a name",
            [],
        ),
    ],
)
def test_what_is_no_inventory_is_told_at_its_place(content, problem, names):
    problems = []
    inventory = Inventory({"all.json": content}, problems)
    assert list(map(str, problems)) == [problem]
    assert [machine.name for machine in inventory.machines()] == names


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"cpuCount": 2**31}, "cpuCount: 2,147,483,648 is not from 1 to 2,147,483,647"),
        ({"memoryMB": 2**31}, "memoryMB: 2,147,483,648 is not from 1 to 2,147,483,647"),
        ({"memoryMB": 0}, "memoryMB: 0 is not from 1 to 2,147,483,647"),
        ({"cpuCount": "2"}, "cpuCount: is no whole number"),
        ({"cpuCount": 2.5}, "cpuCount: is no whole number"),
        ({"coresPerSocket": True}, "coresPerSocket: is no whole number"),
        ({"id": 7}, "id: is no text"),
        ({"firmware": ["efi"]}, "firmware: is no text"),
        ({"firmware": "efi", "secureBoot": "yes"}, "secureBoot: is no truth value"),
        ({"tpmEnabled": 1}, "tpmEnabled: is no truth value"),
        ({"disks": {}}, "disks: is no list"),
        ({"guestDisks": "C"}, "guestDisks: is no list"),
        ({"nics": [5]}, "nics[0]: is no map"),
        ({"nics": [{}, {"network": "a"}]}, "nics[1].network: is no map"),
        ({"disks": [disk(capacity=2**63)]}, "disks[0].capacity: 9,223,372,036,854,775,808 is no size in bytes"),
        ({"disks": [disk(capacity=-1)]}, "disks[0].capacity: -1 is no size in bytes"),
        ({"disks": [disk(key="a")]}, "disks[0].key: is no whole number"),
        ({"memoryMB": None}, "has no memoryMB: ask for all details of the VMs (?detail=4)"),
    ],
)
def test_what_a_vm_says_wrongly(fields, problem):
    machines, (problem_text,) = read(vms=[small(**fields)])
    assert machines == []
    assert problem_text.partition(": ")[2] == f"web: {problem}"


def test_of_devices_with_one_key_the_last_says_the_model():
    devices = [{"kind": "VirtualE1000", "key": 4000}, {"kind": "VirtualVmxnet3", "key": 4000}]
    machine = one(nics=[{"deviceKey": 4000, "mac": "00:50:56:00:00:01"}], devices=devices)
    assert [nic.model for nic in machine.nics] == ["vmxnet3"]
    models = [attribute for attribute in machine.attributes if attribute.subject == "nic.model"]
    assert [(attribute.value, attribute.number) for attribute in models] == [("VirtualE1000", 0), ("VirtualVmxnet3", 0)]


def test_of_disks_with_one_key_the_first_boots():
    machine = one(
        disks=[disk(unit=1), disk(unit=0), disk(key=2001, unit=2)], guestDisks=[{"key": 2000, "diskPath": "/"}]
    )
    assert [disk.unit for disk in machine.disks] == [0, 1, 2]
    assert machine.boots == 1


def test_a_vm_of_which_little_is_told():
    machine = one(name=None, id=None, nics=[None, {}], disks=[None, {}], devices=[None, {}], guestDisks=[None])
    assert (machine.name, machine.id, machine.guests, machine.cores, machine.host) == ("vm", "", (), 0, "")
    assert (machine.firmware, machine.secure_boot, machine.tpm, machine.uuid) == ("", None, None, "")
    assert (machine.boots, machine.runs, machine.template, machine.notes) == (0, False, False, "")
    assert machine.disks == (Disk("disk 0", 0), Disk("disk 1", 0))
    assert machine.nics == (Nic("network card 0", ""), Nic("network card 1", ""))


def test_amounts_may_be_the_largest_that_vsphere_writes():
    machine = one(cpuCount=2**31 - 1, memoryMB=2**31 - 1, disks=[disk(capacity=2**63 - 1), disk(capacity=0, unit=1)])
    assert (machine.vcpus, machine.memory) == (2**31 - 1, (2**31 - 1) << 20)
    assert [disk.size for disk in machine.disks] == [2**63 - 1, 0]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"firmware": "efi", "secureBoot": True}, ("efi", True)),
        ({"firmware": "efi", "secureBoot": False}, ("efi", False)),
        ({"firmware": "efi"}, ("efi", None)),
        ({"firmware": "bios", "secureBoot": True}, ("bios", None)),
        ({"firmware": "coreboot"}, ("", None)),
    ],
)
def test_which_firmware_a_vm_has(fields, expected):
    machine = one(**fields)
    assert (machine.firmware, machine.secure_boot) == expected


@pytest.mark.parametrize(
    ("guest_disks", "boots"),
    [
        ([], 0),
        ([{"diskPath": "/", "key": 2001}], 1),
        ([{"diskPath": "C:\\", "key": 2001}], 1),
        ([{"diskPath": "/boot", "key": 2001}, {"diskPath": "/", "key": 2002}], 1),
        ([{"diskPath": "/", "key": 2002}, {"diskPath": "/boot", "key": 0}], 2),
        ([{"diskPath": "/", "key": 2002}, {"diskPath": "/", "key": 2001}], 2),
        ([{"diskPath": "/data", "key": 2001}], 0),
        ([{"diskPath": "/", "key": 7}], 0),
        ([{"diskPath": "/", "key": 0}], 0),
        ([{"diskPath": "/"}, {"key": 2001}], 0),
    ],
)
def test_the_disk_boots_that_has_the_system(guest_disks, boots):
    disks = [disk(2000 + number, number) for number in range(3)]
    assert one(disks=disks, guestDisks=guest_disks).boots == boots


def test_networks_are_known_by_their_id_or_key():
    networks = [
        {"id": "network-1", "name": "LAN"},
        {"id": "dvportgroup-2", "name": "DMZ", "key": "key-2"},
        {"id": "network-3", "name": "Old", "key": ""},
        {"id": "network-4", "name": "New", "key": None},
    ]
    cards = [{"network": {"id": name}} for name in ("network-1", "key-2", "dvportgroup-2", "other", "")]
    (machine,), problems = read(networks=networks, vms=[small(nics=cards)])
    assert problems == []
    assert [(nic.network, nic.network_id) for nic in machine.nics] == [
        ("LAN", "network-1"),
        ("DMZ", "dvportgroup-2"),
        ("DMZ", "dvportgroup-2"),
        ("other", "other"),
        ("", ""),
    ]


@pytest.mark.parametrize(
    ("network", "problem"),
    [
        ({"id": "", "name": "a"}, "is no object of forklift's inventory: that has an id and a name"),
        ({"id": 1, "name": "a"}, "is no object of forklift's inventory: that has an id and a name"),
        ({"id": "a"}, "is no object of forklift's inventory: that has an id and a name"),
        ({"id": "n", "name": "b"}, "n is 'LAN' already: give each vCenter a folder of its own"),
        ({"id": "m", "name": "b", "key": "n"}, "n is 'LAN' already: give each vCenter a folder of its own"),
    ],
)
def test_networks_of_two_centers_are_not_mixed(network, problem):
    _, (problem_text,) = read(networks=[{"id": "n", "name": "LAN"}, network], vms=[small()])
    assert problem_text == f"networks.json:1:30: {problem}"
    assert read(networks=[{"id": "n", "name": "LAN"}] * 2, vms=[small()])[1] == []
