"""Every guest id that vSphere has, and a thousand VMs of all of them.

The ids are those of VirtualMachineGuestOsIdentifier (vmware/govmomi, vim25/types/enum.go).
"""

from __future__ import annotations

from collections import Counter

import pytest
from vmwares import FIXTURES, GIB, bringer, domain, machine

from sampling import thorough
from virtcatalog.bring.vmware.fates import verdict
from virtcatalog.bring.vmware.guests import guest_of
from virtcatalog.bring.vmware.machine import Attribute, Disk

GUEST_IDS = (FIXTURES / "guest-ids.txt").read_text().split()
SIZES = [(1, 1), (2, 4), (2, 8), (3, 6), (4, 16), (8, 32), (16, 64)]


def fleet():
    """A thousand VMs: each with the next guest id and size, and with each kind of firmware."""
    for number in range(1000):
        vcpus, memory = SIZES[number % len(SIZES)]
        yield machine(
            name=f"vm {number % 900}",
            id=f"vm-{number}",
            guests=(GUEST_IDS[number % len(GUEST_IDS)],),
            vcpus=vcpus,
            memory=memory * GIB,
            firmware="efi" if number % 3 else "bios",
            secure_boot=bool(number % 3 == 2),
            tpm=number % 3 == 2,
            disks=tuple(Disk(f"disk {index}", GIB, "ssd", "scsi", 0, index) for index in range(number % 4)),
            attributes=tuple(Attribute(says, "x", says) for says in ("vcpus", "memory", "firmware", "tpm", "guest")),
        )


@pytest.fixture(scope="module")
def brought():
    return list(map(bringer().bring, fleet()))


def test_there_are_as_many_ids_as_vsphere_has():
    assert len(set(GUEST_IDS)) == len(GUEST_IDS) == 210


@pytest.mark.parametrize("guest_id", GUEST_IDS)
def test_every_id_stands_for_a_system(guest_id):
    guest = guest_of(guest_id)
    assert guest is not None
    assert guest_of(guest_id.upper()) == guest


@thorough
def test_every_vm_is_admitted_under_a_name_of_its_own(brought):
    assert [one.reasons for one in brought if one.hardware is None] == []
    assert len({one.name for one in brought}) == 1000


def test_no_vm_is_smaller_than_its_machine(brought):
    for one in brought:
        assert one.hardware.vcpus >= one.machine.vcpus
        assert one.hardware.memory >= one.machine.memory


def test_every_vm_has_the_firmware_disks_and_tpm_of_its_machine(brought):
    for one in brought:
        assert (one.hardware.firmware, one.hardware.tpm) == (one.machine.firmware, one.machine.tpm)
        assert len(one.hardware.disks) == len(one.machine.disks)


def test_systems_without_drivers_for_virtio_get_none_of_its_disks_and_cards(brought):
    for one in brought:
        if one.system.drivers == "none":
            assert {disk.bus for disk in one.hardware.disks.values()} <= {"sata"}
            assert "virtio" not in str(domain(one)["devices"])


def test_every_attribute_has_a_fate_with_its_reason(brought):
    fates = Counter(verdict(attribute, one) for one in brought for attribute in one.machine.attributes)
    assert fates.total() == 5000
    assert all(fate.why for fate in fates)
