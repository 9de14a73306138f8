"""A machine as readers tell of it: what they do not tell, which of them move, and how its disks are numbered."""

from __future__ import annotations

import pytest
from vmwares import machine

from virtcatalog.bring.vmware.machine import Attribute, Disk, Machine, Nic, in_order


def test_what_a_reader_does_not_tell_is_empty_or_not_known():
    attribute, disk, nic = Attribute("VM", "web", "name"), Disk("disk 1", 5), Nic("card 1", "LAN")
    assert attribute._asdict() == {
        "path": "VM",
        "value": "web",
        "subject": "name",
        "number": 0,
        "file": "",
        "line": 0,
        "column": 0,
    }
    assert disk._asdict() == {
        "label": "disk 1",
        "size": 5,
        "storage": "",
        "bus": "",
        "controller": 0,
        "unit": 0,
        "file": "",
        "shared": False,
        "raw": False,
        "storage_id": "",
    }
    assert nic._asdict() == {
        "label": "card 1",
        "network": "LAN",
        "mac": "",
        "model": "",
        "connected": True,
        "network_id": "",
    }
    assert Machine("web", "vm-1", "f", 3, ("ubuntu",), 2, 1024, (disk,), (nic,), (attribute,))._asdict() == {
        "name": "web",
        "id": "vm-1",
        "file": "f",
        "line": 3,
        "guests": ("ubuntu",),
        "vcpus": 2,
        "memory": 1024,
        "disks": (disk,),
        "nics": (nic,),
        "attributes": (attribute,),
        "cores": 0,
        "firmware": "",
        "secure_boot": None,
        "tpm": None,
        "uuid": "",
        "boots": 0,
        "runs": False,
        "template": False,
        "notes": "",
        "column": 0,
        "host": "",
        "placeholder": False,
    }


AGENT, PLACEHOLDER = "agent of vCenter (vCLS)", "placeholder of Site Recovery Manager"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, ""),
        ({"template": True}, "template"),
        ({"placeholder": True}, PLACEHOLDER),
        ({"template": True, "placeholder": True}, "template"),
        ({"name": "vCLS (1)"}, AGENT),
        ({"name": "vCLS (1234)"}, AGENT),
        ({"name": "vCLS-421e3f5b-8a00-4b1c-9d2e-0123456789ab"}, AGENT),
        ({"name": "vCLS (1)", "placeholder": True}, PLACEHOLDER),
        ({"name": "vCLS"}, ""),
        ({"name": "vCLS (12345)"}, ""),
        ({"name": "vCLS ()"}, ""),
        ({"name": "vCLS-421e3f5b"}, ""),
        ({"name": "vCLS-421E3F5B-8A00-4B1C-9D2E-0123456789AB"}, ""),
        ({"name": "my vCLS (1)"}, ""),
        ({"name": "vcls (1)"}, ""),
    ],
)
def test_what_is_no_vm_that_moves(fields, why):
    assert machine(**fields).left_out == why


def test_disks_are_numbered_by_bus_controller_and_unit():
    order = [("sata", 1, 2), ("ide", 0, 0), ("ide", 0, 1), ("scsi", 0, 9), ("scsi", 1, 0), ("nvme", 0, 0), ("", 0, 0)]
    disks = [
        (Disk(f"{bus} {controller}:{unit}", 1, bus=bus, controller=controller, unit=unit), number)
        for number, (bus, controller, unit) in enumerate(order)
    ]
    assert in_order(reversed(disks)) == disks
    twins = [(Disk("first", 1, bus="usb"), 7), (Disk("second", 1), 3)]
    assert in_order(twins) == twins
