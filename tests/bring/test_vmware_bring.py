"""Machines of vSphere become VMs: with a type, a preference, and what they had; each is proven."""

from __future__ import annotations

import pytest
from vmwares import GIB, MAPPING, bring, bringer, domain, fates, machine

from virtcatalog.bring.vmware.machine import Attribute, Disk, Nic
from virtcatalog.bring.vmware.mapping import Mapping, Storage
from virtcatalog.cli.importing.vmware_output import row_of
from virtcatalog.errors import Reason

#: Whatever a test looks at, its words are held against a snapshot, too.
pytestmark = pytest.mark.usefixtures("in_words")


def says(*subjects, number=0):
    return tuple(Attribute(subject, "x", subject, number) for subject in subjects)


def instancetype(name, **spec):
    kind = "VirtualMachineClusterInstancetype"
    version = "instancetype.kubevirt.io/v1beta1"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}


def fate(brought, subject):
    (only,) = fates(brought, subject)
    return only


class TestTypes:
    def test_a_type_of_the_machines_size_is_found_as_adopt_does(self):
        brought = bring()
        assert brought.vm["spec"]["instancetype"] == {"name": "u1.large"}
        assert "cpu" not in domain(brought)
        assert "memory" not in domain(brought)

    def test_the_smallest_that_lacks_nothing_is_taken_where_no_type_has_the_size(self):
        brought = bring(vcpus=3, memory=6 * GIB, attributes=says("vcpus", "memory"))
        assert brought.vm["spec"]["instancetype"] == {"name": "u1.xlarge"}
        assert fate(brought, "vcpus") == "carried: u1.xlarge has 4 vCPUs, the machine 3 vCPUs"
        assert fate(brought, "memory") == "carried: u1.xlarge has 16 GiB, the machine 6 GiB"
        assert tuple(brought.adoption.missing_size) == (3, 6 * GIB)

    def test_a_machine_for_which_all_are_too_small_says_its_size(self):
        brought = bring(vcpus=96, cores=48, memory=2048 * GIB)
        assert "instancetype" not in brought.vm["spec"]
        assert domain(brought)["cpu"] == {"sockets": 2, "cores": 48, "threads": 1}
        assert domain(brought)["memory"] == {"guest": "2Ti"}
        assert brought.hardware.vcpus == 96

    def test_what_the_preference_requires_counts_too(self):
        brought = bring(guests=("windows11_64Guest",), vcpus=1, memory=2 * GIB, firmware="efi", secure_boot=True)
        assert brought.vm["spec"]["preference"] == {"name": "windows.11.virtio"}
        assert brought.vm["spec"]["instancetype"] == {"name": "u1.2xmedium"}
        assert brought.hardware is not None

    @pytest.mark.parametrize(
        ("vcpus", "memory", "fits"), [(2, "8Gi", True), (4, "16Gi", True), (2, "7Gi", False), (1, "8Gi", False)]
    )
    def test_a_type_that_lacks_vcpus_or_memory_is_not_taken(self, vcpus, memory, fits):
        brought = bring([instancetype("only", cpu={"guest": vcpus}, memory={"guest": memory})])
        assert ("instancetype" in brought.vm["spec"]) is fits
        assert ("cpu" in domain(brought)) is not fits

    @pytest.mark.parametrize(("disks", "name"), [(1, "rooted"), (40, "larger")])
    def test_a_type_of_which_a_machine_has_too_many_disks_is_not_for_it(self, disks, name):
        """The root complex has no place for so many, and a disk alone, by which types are looked for, shows nothing."""
        rooted = {"annotations": {"kubevirt.io/placePCIDevicesOnRootComplex": "true"}}
        catalog = [
            instancetype("rooted", cpu={"guest": 2}, memory={"guest": "8Gi"}, **rooted),
            instancetype("larger", cpu={"guest": 4}, memory={"guest": "16Gi"}),
        ]
        brought = bring(catalog, disks=tuple(Disk(f"Hard disk {n}", GIB, "ssd", "scsi") for n in range(disks)))
        assert brought.vm["spec"]["instancetype"] == {"name": name}
        assert brought.adoption.shrunk.names.instancetype.name == name
        assert len(brought.hardware.disks) == disks

    def test_without_a_catalog_a_vm_says_its_size(self):
        brought = bring([], vcpus=4, cores=2, memory=3 * GIB, attributes=says("vcpus", "cores", "memory", "guest"))
        assert domain(brought)["cpu"] == {"sockets": 2, "cores": 2, "threads": 1}
        assert domain(brought)["memory"] == {"guest": "3Gi"}
        assert fate(brought, "cores") == "carried: 2 cores a socket"
        assert fate(brought, "guest").startswith("lost: the catalog has no preference for ubuntu")

    def test_cores_a_socket_are_lost_where_a_preference_lays_them_out_otherwise(self):
        brought = bring(vcpus=2, cores=2, attributes=says("cores"))
        assert fate(brought, "cores") == "lost: ubuntu lays the vCPUs out with 1 core a socket"


@pytest.mark.parametrize(
    ("name", "expected"), [("Prod%2fweb", "prod-web"), ("100%25", "100"), ("%2F", "vm"), ("a_b", "a-b")]
)
def test_a_name_is_read_as_vsphere_shows_it(name, expected):
    assert bring(name=name).name == expected


class TestSystems:
    LATER = "Microsoft Windows Server 2016 or later (64-bit)"

    @pytest.mark.parametrize("guest", [LATER, "windows9Server64Guest"])
    def test_a_system_that_may_be_a_later_one_is_told_until_the_mapping_names_its_preference(self, guest):
        expected = "lost: windows.2k16.virtio, if it is no later one: name its preference in the mapping, under guests"
        assert fate(bring(guests=(guest,), attributes=says("guest")), "guest") == expected
        mapped = {"mapping": Mapping(networks=MAPPING.networks, guests={guest: "windows.2k19.virtio"})}
        assert fate(bring(guests=(guest,), target=mapped, attributes=says("guest")), "guest") == (
            "carried: preference windows.2k19.virtio"
        )

    def test_any_linux_is_never_a_later_one(self):
        brought = bring(guests=("Other 3.x or later Linux (64-bit)",), attributes=says("guest"))
        assert fate(brought, "guest") == "carried: preference linux, which is for others of its family, too"

    @pytest.mark.parametrize(
        ("guest", "preference"),
        [
            ("rhel9_64Guest", "rhel.9"),
            ("windows2019srvNext_64Guest", "windows.2k22.virtio"),
            ("centos9_64Guest", "centos.stream9"),
            ("sles12_64Guest", "sles"),
            ("rockylinux_64Guest", "linux"),
            ("winXPProGuest", "windows.xp"),
        ],
    )
    def test_have_the_preference_of_their_version(self, guest, preference):
        assert bring(guests=(guest,)).vm["spec"]["preference"] == {"name": preference}

    def test_a_preference_for_more_than_the_version_is_said(self):
        brought = bring(guests=("sles12_64Guest",), attributes=says("guest"))
        assert fate(brought, "guest") == "carried: preference sles, which is for others of its family, too"

    def test_the_mapping_names_preferences_for_systems(self):
        mapping = Mapping(networks=MAPPING.networks, guests={"BeOS 5": "alpine"})
        brought = bring(target={"mapping": mapping}, guests=("BeOS 5",))
        assert brought.vm["spec"]["preference"] == {"name": "alpine"}

    def test_a_preference_that_the_catalog_lacks_is_named(self):
        mapping = Mapping(guests={"BeOS 5": "alpin"})
        assert bringer(mapping=mapping).unknown_preferences() == [
            (("guests", "BeOS 5"), "there is no preference 'alpin'; did you mean 'alpine'?")
        ]

    def test_unknown_systems_get_devices_that_need_no_new_drivers(self):
        brought = bring(guests=("BeOS 5",), attributes=says("guest"))
        assert "preference" not in brought.vm["spec"]
        assert domain(brought)["devices"]["disks"][0]["disk"] == {"bus": "sata"}
        assert domain(brought)["devices"]["interfaces"][0]["model"] == "e1000e"
        assert fate(brought, "guest").startswith("lost: it is no operating system that is known")

    def test_so_do_those_that_nobody_converts(self):
        brought = bring(target={"converted": False})
        assert brought.hardware.disks["disk-0"].bus == "sata"
        assert brought.hardware.nics == {"net-0": "e1000e"}

    def test_old_linux_gets_transitional_devices(self):
        assert domain(bring(guests=("rhel6_64Guest",)))["devices"]["useVirtioTransitional"] is True


class TestMachines:
    def test_have_the_uuid_and_the_serial_that_vmware_shows(self):
        uuid = "421e3f5b-8a00-4b1c-9d2e-0123456789ab"
        firmware = domain(bring(uuid=uuid))["firmware"]
        assert firmware["uuid"] == uuid
        assert firmware["serial"] == "VMware-42 1e 3f 5b 8a 00 4b 1c-9d 2e 01 23 45 67 89 ab"

    @pytest.mark.parametrize(
        ("fields", "firmware"),
        [
            ({"firmware": "bios"}, {"bootloader": {"bios": {}}}),
            ({"firmware": "efi", "secure_boot": False}, {"bootloader": {"efi": {"secureBoot": False}}}),
            ({"firmware": "efi", "secure_boot": True}, {"bootloader": {"efi": {"secureBoot": True}}}),
            ({"firmware": ""}, None),
        ],
    )
    def test_keep_their_firmware(self, fields, firmware):
        brought = bring(**fields, attributes=says("firmware", "secureBoot") if fields["firmware"] else ())
        assert domain(brought).get("firmware") == firmware
        assert all(text.startswith("carried: ") for text in fates(brought))

    def test_bios_stays_where_the_preference_prefers_uefi(self):
        brought = bring(guests=("windows2022srvNext_64Guest",), firmware="bios", attributes=says("firmware"))
        assert fate(brought, "firmware") == "carried: BIOS"

    def test_a_tpm_is_new_and_empty(self):
        brought = bring(tpm=True, attributes=says("tpm"))
        assert domain(brought)["devices"]["tpm"] == {"persistent": True}
        assert fate(brought, "tpm").startswith("lost: a new TPM 2.0, which is empty")

    def test_none_comes_where_there_was_none(self):
        brought = bring(guests=("windows11_64Guest",), firmware="efi", secure_boot=True, attributes=says("tpm"))
        assert domain(brought)["devices"]["tpm"] == {"enabled": False}
        assert fate(brought, "tpm") == "carried: no TPM"

    def test_the_preference_decides_where_nobody_knows(self):
        brought = bring(guests=("windows11_64Guest",), firmware="efi", secure_boot=True, tpm=None)
        assert "tpm" not in domain(brought)["devices"]
        assert brought.hardware.tpm

    def test_boot_from_the_disk_that_they_booted_from(self):
        disks = (Disk("a", GIB, bus="scsi"), Disk("b", GIB, bus="scsi"))
        brought = bring(disks=disks, boots=1, attributes=says("boots"))
        assert [disk.get("bootOrder") for disk in domain(brought)["devices"]["disks"]] == [None, 1]
        assert fate(brought, "boots") == "carried: disk-1 boots"

    def test_names_are_free_and_short(self):
        vms = bringer()
        names = [vms.bring(machine(name=name)).name for name in ("Web 01", "web-01", "ÄÖ", "x" * 90, "x" * 91)]
        assert names == ["web-01", "web-01-2", "vm", "x" * 38, f"{'x' * 36}-2"]

    def test_notes_are_an_annotation(self):
        assert bring(notes="Owner: a").vm["metadata"]["annotations"] == {"description": "Owner: a"}


class TestDisks:
    def test_are_claims_that_the_plan_names_so_too(self):
        brought = bring(attributes=says("disk.size", "disk.bus", "disk.storage"))
        assert brought.vm["spec"]["template"]["spec"]["volumes"] == [
            {"name": "disk-0", "persistentVolumeClaim": {"claimName": "web-disk-0"}}
        ]
        assert fate(brought, "disk.size") == "host: the claim web-disk-0 has it: at least 40 GiB"
        assert fate(brought, "disk.bus") == "lost: the guest finds the disk on virtio"
        assert fate(brought, "disk.storage") == "host: the mapping makes it the storage class the default"

    def test_are_uploaded_into_data_volumes_of_their_storage_class(self):
        storage = Storage(storage_class="fast", volume_mode="Block", access_mode="ReadWriteMany")
        mapping = Mapping(networks=MAPPING.networks, datastores={"ssd": storage})
        brought = bring(target={"mapping": mapping, "disks": "upload"}, attributes=says("disk.size"))
        assert brought.vm["spec"]["dataVolumeTemplates"] == [
            {
                "metadata": {"name": "web-disk-0"},
                "spec": {
                    "source": {"upload": {}},
                    "storage": {
                        "resources": {"requests": {"storage": "40Gi"}},
                        "storageClassName": "fast",
                        "volumeMode": "Block",
                        "accessModes": ["ReadWriteMany"],
                    },
                },
            }
        ]
        assert fate(brought, "disk.size") == "carried: DataVolume web-disk-0: 40 GiB"
        assert brought.hardware is not None

    def test_that_are_shared_are_so(self):
        brought = bring(disks=(Disk("a", GIB, shared=True),), attributes=says("disk.shared"))
        assert domain(brought)["devices"]["disks"][0]["shareable"] is True
        assert fate(brought, "disk.shared").startswith("lost: shareable, but web-disk-0 is a claim of this VM")


class TestNetworks:
    def test_are_those_of_the_mapping(self):
        nics = (Nic("1", "VM Network", "00:50:56:9a:00:01"), Nic("2", "DMZ", connected=False), Nic("3", "Old"))
        brought = bring(nics=nics)
        assert brought.vm["spec"]["template"]["spec"]["networks"] == [
            {"name": "net-0", "pod": {}},
            {"name": "net-1", "multus": {"networkName": "dmz"}},
        ]
        assert domain(brought)["devices"]["interfaces"] == [
            {"name": "net-0", "masquerade": {}, "macAddress": "00:50:56:9a:00:01"},
            {"name": "net-1", "bridge": {}, "state": "down"},
        ]

    def test_that_are_left_out_are_lost(self):
        nics = (Nic("1", "Old"), Nic("2", ""), Nic("3", "VM Network"), Nic("4", "VM Network"))
        attributes = tuple(Attribute(f"n{number}", "x", "nic.network", number) for number in range(4))
        assert fates(bring(nics=nics, attributes=attributes)) == [
            "lost: the mapping ignores this network",
            "lost: it is connected to nothing",
            "carried: the Pod's network",
            "lost: the VM has the Pod's network once: map this one to a NetworkAttachmentDefinition",
        ]

    def test_a_vm_without_any_does_not_get_the_pods(self):
        brought = bring(nics=())
        assert domain(brought)["devices"]["autoattachPodInterface"] is False
        assert brought.hardware.nics == {}


def test_a_vm_that_kubevirt_refuses_proves_nothing():
    preference = {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterPreference",
        "metadata": {"name": "ubuntu"},
        "spec": {"requirements": {"architecture": "s390x"}},
    }
    brought = bring([preference], attributes=says("memory"))
    assert brought.hardware is None
    assert "s390x" in brought.reasons[0].message
    assert fate(brought, "memory") == "unproven: KubeVirt refuses the VM"
    # A row of a table has room for the first reason.
    later = brought._replace(reasons=(*brought.reasons, Reason("spec", "is odd", "vm")))
    assert row_of(later)["why"] == brought.reasons[0].sentence


def test_alike_machines_are_proven_once_and_get_what_is_theirs():
    vms = bringer()
    first, second = (
        vms.bring(machine(name=name, nics=(Nic("1", "VM Network", mac),), uuid=uuid))
        for name, mac, uuid in (
            ("web-a", "00:50:56:9a:00:01", "421e3f5b-8a00-4b1c-9d2e-0123456789ab"),
            ("web-b", "00:50:56:9a:00:02", "421e3f5b-8a00-4b1c-9d2e-0123456789ac"),
        )
    )
    assert first.hardware is second.hardware
    assert domain(second)["devices"]["interfaces"][0]["macAddress"] == "00:50:56:9a:00:02"
    assert second.vm["spec"]["template"]["spec"]["volumes"][0]["persistentVolumeClaim"] == {"claimName": "web-b-disk-0"}


SUBJECTS = (
    *("name", "vcpus", "cores", "memory", "guest", "firmware", "secureBoot", "tpm", "uuid", "notes", "runs", "boots"),
    *(f"disk{part}" for part in ("", ".size", ".storage", ".file", ".bus", ".shared", ".raw")),
    *(f"nic{part}" for part in ("", ".network", ".mac", ".model", ".connected")),
)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({}, id="as it is"),
        pytest.param({"uuid": "422b9aa1-5b3e-0f0a-8d4c-6f3b0a5f2c11", "cores": 2, "runs": True}, id="told"),
        pytest.param({"firmware": "efi", "secure_boot": True, "tpm": True}, id="secure boot and a TPM"),
        pytest.param({"firmware": "efi", "secure_boot": False}, id="UEFI alone"),
        pytest.param(
            {"guests": ("windows2019srvNext_64Guest",), "firmware": "bios"}, id="BIOS where UEFI is preferred"
        ),
        pytest.param({"guests": ("windows11_64Guest",), "firmware": "efi", "tpm": False}, id="no TPM where one is"),
        pytest.param({"guests": ("os2Guest",)}, id="another system"),
        pytest.param({"guests": ("",)}, id="no system"),
        pytest.param({"disks": (Disk("a", GIB, "ssd", "virtio", shared=True, raw=True),)}, id="a shared raw disk"),
        pytest.param({"disks": (), "nics": ()}, id="no disk and no card"),
        pytest.param({"nics": (Nic("n", "Old", "x", "e1000", connected=False),)}, id="a network that is ignored"),
        pytest.param({"nics": (Nic("n", "", "00:50:56:9a:00:01", "e1000", connected=False),)}, id="no network"),
        pytest.param({"nics": (Nic("n", "DMZ", "", "vmxnet3"),)}, id="another network, and no address"),
        pytest.param({"nics": (Nic("n", "DMZ", "00:50:56:9a:00:01", "virtio", connected=False),)}, id="unplugged"),
    ],
)
def test_every_subject_of_a_machine_in_words(fields):
    there = {"disk": fields.get("disks") != (), "nic": fields.get("nics") != ()}
    subjects = [subject for subject in SUBJECTS if there.get(subject.partition(".")[0], True)]
    brought = bring(**fields, attributes=says(*subjects))
    assert [attribute.subject for attribute in brought.machine.attributes] == subjects
    assert len(fates(brought)) == len(subjects)


def test_a_vm_has_what_its_preference_requires_where_that_is_more():
    preference = {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterPreference",
        "metadata": {"name": "ubuntu"},
        "spec": {"requirements": {"cpu": {"guest": 4}, "memory": {"guest": "9Gi"}}},
    }
    attributes = tuple(Attribute(subject, "x", subject) for subject in ("vcpus", "memory", "cores"))
    brought = bring([preference], attributes=attributes, cores=2)
    assert domain(brought)["cpu"] == {"sockets": 4, "cores": 1, "threads": 1}
    assert domain(brought)["memory"] == {"guest": "9Gi"}
    assert fates(brought) == [
        "carried: the VM has 4 vCPUs, the machine 2 vCPUs",
        "carried: the VM has 9 GiB, the machine 8 GiB",
        "lost: ubuntu lays the vCPUs out with 1 core a socket",
    ]


@pytest.mark.parametrize(
    ("namespace", "place", "is_there"),
    [
        ("", "default", True),
        ("", "shop", False),
        ("shop", "shop", True),
        ("shop", "default", False),
        ("default", "default", True),
    ],
)
def test_a_preference_of_a_namespace_is_for_vms_there(namespace, place, is_there):
    preference = {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePreference",
        "metadata": {"name": "ubuntu", "namespace": place},
        "spec": {},
    }
    brought = bring([preference], {"namespace": namespace})
    assert brought.vm["spec"].get("preference") == (
        {"kind": "VirtualMachinePreference", "name": "ubuntu"} if is_there else None
    )
