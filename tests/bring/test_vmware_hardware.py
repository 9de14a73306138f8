"""What a libvirt domain shows of a VM, and what VMs take of nodes."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring

import pytest
from vmwares import CONDITIONS, bring, bringer, machine

from virtcatalog.bring.vmware.hardware import GuestDisk, GuestHardware, hardware_of
from virtcatalog.bring.vmware.room import Room, requested
from virtcatalog.capacity.nodes import load_nodes

NOTHING = GuestHardware(1, 1, 0, "bios", False, False, {}, {})


@pytest.mark.parametrize(
    ("inner", "fields"),
    [
        ("", {}),
        ("<vcpu>3</vcpu>", {"vcpus": 3}),
        (
            "<vcpu>3</vcpu><vcpus><vcpu enabled='yes'/><vcpu enabled='yes'/><vcpu enabled='no'/></vcpus>",
            {"vcpus": 2},
        ),
        ("<cpu/>", {}),
        ("<cpu><topology/></cpu>", {}),
        ("<cpu><topology sockets='2' cores='4'/></cpu>", {"cores": 4}),
        ("<memory/>", {}),
        ("<memory>3</memory>", {"memory": 3 * 1024}),
        ("<memory unit='b'>3</memory>", {"memory": 3}),
        ("<memory unit='KiB'>3</memory>", {"memory": 3 * 1024}),
        ("<memory unit='MiB'>3</memory>", {"memory": 3 * 1024**2}),
        ("<memory unit='GiB'>3</memory>", {"memory": 3 * 1024**3}),
        ("<os/>", {}),
        ("<os><loader/></os>", {"firmware": "efi"}),
        ("<os><loader secure='no'/></os>", {"firmware": "efi"}),
        ("<os><loader secure='yes'/></os>", {"firmware": "efi", "secure_boot": True}),
        ("<devices><tpm/></devices>", {"tpm": True}),
        (
            (
                "<devices><disk><target bus='sata'/><alias name='ua-root'/><boot order='2'/></disk>"
                "<disk><target bus='virtio'/><alias name='ua-data'/></disk></devices>"
            ),
            {"disks": {"root": GuestDisk("sata", 2), "data": GuestDisk("virtio", 0)}},
        ),
        ("<devices><disk/></devices>", {"disks": {"": GuestDisk("", 0)}}),
        (
            (
                "<devices>"
                "<interface><alias name='ua-a'/><model type='virtio-non-transitional'/></interface>"
                "<interface><alias name='ua-b'/><model type='virtio-transitional'/></interface>"
                "<interface><alias name='ua-c'/><model type='virtio'/></interface>"
                "<interface><alias name='ua-d'/><model type='e1000e'/></interface>"
                "<interface><alias name='ua-e'/></interface>"
                "</devices>"
            ),
            {"nics": {"a": "virtio", "b": "virtio", "c": "virtio", "d": "e1000e", "e": ""}},
        ),
    ],
)
def test_what_a_domain_shows(inner, fields):
    assert hardware_of(fromstring(f"<domain>{inner}</domain>")) == NOTHING._replace(**fields)


def test_vms_are_put_on_nodes_all_of_them_running(tmp_path):
    nodes = tmp_path / "nodes.yaml"
    nodes.write_text("nodes: [{name: small, count: 1, allocatable: {cpu: 4, memory: 20Gi}}]\n")
    room = Room([], load_nodes(str(nodes)), CONDITIONS)
    vms = bringer([], namespace="shop")
    for name in ("a", "b", "c"):
        room.take(vms.bring(machine(name=name)))
    room.take(bring([], vcpus=2**20))  # KubeVirt runs none of these
    answer = room.report()
    assert [(vm.name, vm.node, vm.halted) for vm in answer.vms] == [
        ("shop/a", "small-1", False),
        ("shop/b", "small-1", False),
        ("shop/c", "", False),
    ]
    assert [vm.name for vm in answer.homeless] == ["shop/c"]


def test_what_vms_request_is_added_up():
    def total(*names: str) -> dict[str, int]:
        room = Room([], [], CONDITIONS)
        for name in names:
            room.take(bring([], {"namespace": name}))
        return dict(requested(room.report()))

    one = total("shop")
    assert one["cpu"] == 205
    assert total("shop", "lab", "lab") == {name: 3 * amount for name, amount in one.items()}
    assert total() == {}
