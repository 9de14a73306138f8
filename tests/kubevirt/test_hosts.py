"""Host profiles: plain data with a name, and what the reference profile holds."""

import msgspec
import pytest

from virtcatalog.kubevirt.hosts import (
    HOSTS,
    TSC,
    BlockLimits,
    ClaimedDevice,
    DeviceAddresses,
    DirectIO,
    FirmwareDirectory,
    HostCell,
    HostCPU,
    HostPCIDevice,
    HostProfile,
    HostTopology,
    HugePages,
    NUMANode,
    PodLinks,
    Storage,
    cpu_list,
    cpu_ranges,
    topology,
)

REFERENCE = HOSTS["reference"]


@pytest.mark.parametrize(
    ("text", "cpus"), [("0", (0,)), ("0-3", (0, 1, 2, 3)), ("0,64", (0, 64)), ("0-1,8,10-11", (0, 1, 8, 10, 11))]
)
def test_cpu_lists_are_read_as_the_kernel_writes_them(text, cpus):
    assert cpu_list(text) == cpus


def test_ranges_are_not_written_out():
    assert cpu_ranges("0-99999,8,3-1") == [range(100000), range(8, 9), range(3, 2)]


def test_the_reference_host_has_two_nodes_of_64_cpus():
    cells = topology(REFERENCE).cells
    assert [(cell.id, cell.cpus[0].id, cell.cpus[-1].id, len(cell.cpus)) for cell in cells] == [
        (0, 0, 63, 64),
        (1, 64, 127, 64),
    ]


def test_hyperthread_siblings_of_the_reference_host_are_neighbours():
    cpus = [cpu for cell in topology(REFERENCE).cells for cpu in cell.cpus]
    assert all(cpu.siblings == (cpu.id & ~1, cpu.id | 1) for cpu in cpus)


def test_cpus_are_listed_by_number_whatever_the_order_of_the_cores():
    host = HostProfile(name="odd", numa_nodes=(msgspec.structs.replace(REFERENCE.numa_nodes[0], cores=("0,2", "1,3")),))
    assert [(cpu.id, cpu.siblings) for cpu in topology(host).cells[0].cpus] == [
        (0, (0, 2)),
        (1, (1, 3)),
        (2, (0, 2)),
        (3, (1, 3)),
    ]


def test_the_reference_host_has_huge_pages_on_each_node():
    for node in REFERENCE.numa_nodes:
        assert {pages.size: pages.count for pages in node.huge_pages} == {2**21: 65536, 2**30: 128}
        assert node.memory == 512 * 2**30


def test_a_profile_is_named_with_its_version():
    assert str(REFERENCE) == "reference v1"


def test_a_profile_survives_being_written_and_read():
    assert msgspec.convert(msgspec.to_builtins(REFERENCE), HostProfile) == REFERENCE


def test_unknown_fields_in_a_profile_are_errors():
    with pytest.raises(msgspec.ValidationError, match="colour"):
        msgspec.convert({"name": "x", "colour": "red"}, HostProfile)


def test_what_a_profile_stands_for_that_says_nothing():
    silent = HostProfile(name="silent")
    assert (str(silent), topology(silent)) == ("silent v1", HostTopology())
    assert msgspec.to_builtins(silent) == {
        "name": "silent",
        "version": 1,
        "description": "",
        "architecture": "",
        "hypervisors": ("kvm",),
        "numaNodes": (),
        "tsc": {"frequency": 0},
        "firmware": None,
        "devices": {"pciFirstBus": 0x41, "usbFirstBus": 1, "sriovBus": 0x81, "sriovSlot": 1, "sriovFunctions": 8},
        "claimedDevices": (),
        "pciDevices": (),
        "initiatorNodes": (),
        "iommufd": False,
        "smmuv3": False,
        "storage": {
            "missingClaimSize": "10Gi",
            "filesystemOverhead": "0.055",
            "containerDiskFormat": "qcow2",
            "filesystemBlockSize": 4096,
            "blockDevice": {"logical": 512, "physical": 512, "discardGranularity": 0},
            "directIo": {"claims": True, "node": True},
            "preallocation": False,
        },
        "vsockCid": 3,
        "podInterface": "eth0",
        "podLinks": {"macPrefix": "02:00:00:00", "mtu": 1500},
    }


def test_what_its_parts_stand_for_that_say_no_more_than_they_must():
    assert topology(HostProfile(name="x", numa_nodes=(NUMANode(id=0),))) == HostTopology((HostCell(0),))
    assert HostCPU(3) == HostCPU(3, ())
    assert msgspec.to_builtins(NUMANode(id=0)) == {
        "id": 0, "cores": (), "memory": 0, "hugePages": (), "distances": ()
    }  # fmt: skip
    assert msgspec.to_builtins(HostPCIDevice(address="a")) == {
        "address": "a", "numaNode": None, "vendorId": "", "deviceId": "", "barBytes": 0, "initiatorNodes": ()
    }  # fmt: skip
    assert msgspec.to_builtins(ClaimedDevice(claim="c", request="r")) == {
        "claim": "c", "request": "r", "pciAddress": "", "mdevUUID": ""
    }  # fmt: skip


def test_the_reference_host_is_described():
    description = "two sockets of 32 cores with two threads each, 512 GiB a socket, no special devices"
    assert (REFERENCE.name, REFERENCE.version, REFERENCE.description) == ("reference", 1, description)
    assert [node.distances for node in REFERENCE.numa_nodes] == [(10, 20), (20, 10)]
    assert REFERENCE.tsc.frequency == 2_500_000_000
    assert (list(HOSTS), str(REFERENCE)) == (["reference"], "reference v1")


PARTS = (
    HugePages, NUMANode, TSC, FirmwareDirectory, HostPCIDevice, DeviceAddresses, ClaimedDevice, BlockLimits, DirectIO,
    PodLinks, Storage, HostProfile,
)  # fmt: skip


def test_nobody_changes_a_profile_or_what_is_made_of_it():
    assert str(REFERENCE)
    kinds = (*PARTS, HostCPU, HostCell, HostTopology)
    assert [kind for kind in kinds if not kind.__struct_config__.frozen] == []


def test_every_part_of_a_profile_knows_its_fields_and_no_others():
    assert str(REFERENCE)
    for kind in PARTS:
        with pytest.raises(msgspec.ValidationError, match="unknown field `colour`"):
            msgspec.convert({"colour": "red"}, kind)


def test_fields_that_are_alike_are_given_by_name():
    assert str(REFERENCE)
    for kind in set(PARTS) - {HugePages, TSC, FirmwareDirectory}:
        with pytest.raises(TypeError, match="Extra positional arguments"):
            kind("x")
