"""Machines in waves, and the objects by which forklift moves them."""

from __future__ import annotations

from functools import cache

import pytest
from syrupy.assertion import SnapshotAssertion
from vmwares import GIB, bring, machine

from virtcatalog.bring.vmware.forklift import Providers, faults, objects
from virtcatalog.bring.vmware.machine import Disk, Nic
from virtcatalog.bring.vmware.manifest import claim_of
from virtcatalog.bring.vmware.mapping import Mapping, Storage
from virtcatalog.bring.vmware.waves import Limits, Move, Sort, Wave, move_of, waves

PROVIDERS = Providers("mtv", "vsphere")
SORT = Sort(converted=True, on_pod_network=True)
NETWORKS = {"VM Network": "pod", "DMZ": "dmz", "Old": "ignored", "Far": "far/away"}
MAPPING = Mapping(networks=NETWORKS, datastores={"ssd": Storage(storage_class="ceph", volume_mode="Block")})


@cache
def usual():
    return moved()


def wave_of(sort: Sort, moves: list[Move]) -> Wave:
    """Return a wave of these machines."""
    wave = Wave(sort)
    for move in moves:
        wave.add(move)
    return wave


def moved(**fields):
    return move_of(bring(target={"mapping": MAPPING, "namespace": "shop"}, **fields))


def simple(name, **fields):
    """A machine in waves: what it is limited by."""
    return usual()._replace(name=name, key=name, **fields)


def names(limits, *moves):
    return [[move.name for move in wave.moves] for wave in waves(moves, limits)]


def spec(kind, *moves, **mapping):
    manifests = objects(waves(moves, Limits()), Mapping(**{"networks": NETWORKS, **mapping}), PROVIDERS, "shop")
    return [manifest["spec"] for _, manifest in manifests if manifest["kind"] == kind]


class TestWaves:
    def test_without_limits_there_is_one(self):
        assert names(Limits(), simple("a"), simple("b"), simple("c")) == [["a", "b", "c"]]

    def test_they_have_no_more_vms_than_they_may(self):
        assert names(Limits(vms=2), simple("a"), simple("b"), simple("c")) == [["a", "b"], ["c"]]

    def test_what_is_left_of_the_size_of_disks_is_filled(self):
        moves = simple("a", disks=6), simple("b", disks=5), simple("c", disks=4)
        assert names(Limits(disks=10), *moves) == [["a", "c"], ["b"]]

    def test_what_is_larger_than_a_wave_has_one_of_its_own(self):
        moves = simple("a", disks=2), simple("b", disks=99), simple("c", disks=2)
        assert names(Limits(disks=10), *moves) == [["a", "c"], ["b"]]

    def test_they_have_no_more_vms_of_a_host_than_they_may(self):
        moves = [simple(name, host=host) for name, host in zip("abcde", ("x", "x", "y", "", ""), strict=True)]
        assert names(Limits(host=1), *moves) == [["a", "c", "d", "e"], ["b"]]

    def test_a_plan_says_of_all_whether_they_are_converted_and_keep_their_addresses(self):
        moves = [
            simple(name, sort=Sort(converted, on_pod))
            for name, converted, on_pod in (
                ("a", True, True),
                ("b", False, True),
                ("c", True, False),
                ("d", True, True),
            )
        ]
        assert names(Limits(), *moves) == [["a", "d"], ["b"], ["c"]]

    def test_every_vm_is_in_one_wave(self):
        moves = [simple(str(number), disks=number % 7, host=str(number % 3)) for number in range(100)]
        named_waves = names(Limits(vms=9, disks=20, host=4), *moves)
        assert sorted(name for wave in named_waves for name in wave) == sorted(move.name for move in moves)
        for wave in waves(moves, Limits(vms=9, disks=20, host=4)):
            assert len(wave.moves) <= 9
            assert sum(move.disks for move in wave.moves) <= 20


SHARED = "d is shared: forklift moves such a disk with one VM alone, and its claim has one name"
TWO_CARDS = "forklift takes no VM with two cards on the Pod's network: map one of their networks elsewhere"


class TestObstacles:
    @pytest.mark.parametrize(
        ("fields", "obstacle"),
        [
            ({"disks": (Disk("d", GIB, "ssd", "scsi", shared=True),)}, SHARED),
            ({"disks": (Disk("d", GIB, "ssd", "usb"),)}, "d is on usb, which forklift leaves out"),
            ({"disks": (Disk("d", GIB, "ssd"),)}, "a disk's bus is not told, by which forklift numbers disks"),
            ({"disks": (Disk("d", GIB, bus="scsi"),)}, "the datastore of d is not told"),
            ({"nics": (Nic("a", "VM Network"), Nic("b", "VM Network"))}, TWO_CARDS),
        ],
    )
    def test_what_a_plan_would_not_move_so_that_the_vm_finds_its_disks(self, fields, obstacle):
        assert moved(**fields).obstacle == obstacle

    def test_a_vm_that_kubevirt_refuses_is_not_moved(self):
        assert move_of(bring()._replace(hardware=None)).obstacle == "KubeVirt refuses the VM"

    def test_a_usual_machine_has_none(self):
        assert moved().obstacle == ""
        assert moved(nics=(Nic("a", "VM Network"), Nic("b", "Old"), Nic("c", "DMZ"))).obstacle == ""


class TestPlans:
    def test_a_plan_names_machines_by_id_and_their_vms_types_and_claims(self):
        (plan,) = spec("Plan", moved(name="Web 1", id="vm-7"), datastores={"ssd": Storage(storage_class="ceph")})
        assert plan == {
            "provider": {
                "source": {"name": "vsphere", "namespace": "mtv"},
                "destination": {"name": "host", "namespace": "mtv"},
            },
            "targetNamespace": "shop",
            "map": {
                "network": {"name": "shop", "namespace": "mtv"},
                "storage": {"name": "shop", "namespace": "mtv"},
            },
            "type": "cold",
            "targetPowerState": "off",
            "pvcNameTemplate": "{{.TargetVmName}}-disk-{{.DiskIndex}}",
            "pvcNameTemplateUseGenerateName": False,
            "preserveStaticIPs": False,
            "vms": [{"id": "vm-7", "name": "Web 1", "targetName": "web-1", "instanceType": "u1.large"}],
        }

    def test_claims_are_those_that_the_vms_name(self):
        imported = bring(target={"mapping": MAPPING}, name="Web 1", disks=machine().disks * 2)
        (plan,) = spec("Plan", move_of(imported), datastores={"ssd": Storage(storage_class="ceph")})
        filled = [
            plan["pvcNameTemplate"].replace("{{.TargetVmName}}", imported.name).replace("{{.DiskIndex}}", str(index))
            for index in range(2)
        ]
        volumes = imported.vm["spec"]["template"]["spec"]["volumes"]
        assert filled == [volume["persistentVolumeClaim"]["claimName"] for volume in volumes]
        assert filled == [claim_of("web-1", 0), claim_of("web-1", 1)]

    def test_names_of_claims_are_short_enough_for_what_forklift_makes_of_them(self):
        assert len(claim_of(moved(name="x" * 300).name, 99)) <= 46

    def test_addresses_are_kept_where_no_card_is_on_the_pod_network(self):
        (plan,) = spec("Plan", moved(nics=(Nic("a", "DMZ"),)), datastores={"ssd": Storage(storage_class="ceph")})
        assert plan["preserveStaticIPs"] is True

    def test_guests_without_drivers_for_virtio_are_not_converted(self):
        (plan,) = spec("Plan", moved(guests=("winNetStandardGuest",)), datastores={"ssd": Storage(storage_class="c")})
        assert (plan["skipGuestConversion"], plan["useCompatibilityMode"]) == (True, True)

    def test_names_of_plans_are_in_the_order_of_the_waves(self):
        every = [wave_of(SORT, [simple(str(number))]) for number in range(101)]
        plans = [name for name, manifest in objects(every, MAPPING, PROVIDERS, "shop") if manifest["kind"] == "Plan"]
        assert plans == sorted(plans)
        assert plans[0] == "plan-wave-001"


class TestMaps:
    def test_networks_are_the_pods_ones_of_a_namespace_or_ignored(self):
        nics = (Nic("a", "VM Network", network_id="network-1"), Nic("b", "DMZ"), Nic("c", "Old"))
        (network_map,) = spec("NetworkMap", moved(nics=nics), datastores={"ssd": Storage()})
        assert network_map["map"] == [
            {"source": {"name": "DMZ"}, "destination": {"type": "multus", "namespace": "shop", "name": "dmz"}},
            {"source": {"name": "Old"}, "destination": {"type": "ignored"}},
            {"source": {"id": "network-1"}, "destination": {"type": "pod"}},
        ]

    def test_networks_of_one_name_are_all_mapped(self):
        moves = [moved(nics=(Nic("a", "DMZ", network_id=identity),)) for identity in ("n-2", "n-1", "n-2")]
        (network_map,) = spec("NetworkMap", *moves, datastores={"ssd": Storage()})
        assert [pair["source"] for pair in network_map["map"]] == [{"id": "n-1"}, {"id": "n-2"}]

    def test_datastores_become_storage_classes(self):
        (storage_map,) = spec("StorageMap", moved(), datastores=MAPPING.datastores)
        assert storage_map["map"] == [
            {"source": {"name": "ssd"}, "destination": {"storageClass": "ceph", "volumeMode": "Block"}}
        ]

    def test_what_forklift_would_refuse_is_a_fault_of_the_mapping(self):
        mapping = Mapping(networks=NETWORKS, datastores={"ssd": Storage(), "unused": Storage()})
        assert faults(mapping, [moved(nics=(Nic("a", "Far"),))], "shop") == [
            (("networks", "Far"), "forklift takes no NetworkAttachmentDefinition of far: only of shop and default"),
            (("datastores", "ssd", "storageClass"), "forklift asks for a storage class: fill in its name"),
        ]
        assert faults(MAPPING, [moved(nics=(Nic("a", "Far"),))], "far") == []


def test_moves_with_the_objects_by_which_they_are_made(snapshot: SnapshotAssertion) -> None:
    disks = (Disk("d", GIB, "ssd", "scsi", storage_id="ds-1"), Disk("e", 2 * GIB, "hdd", "sata"))
    moves = [
        moved(id="vm-1", host="esx-1", line=4, column=7),
        moved(name="b", nics=(Nic("a", "Far", network_id="n-1"), Nic("b", "Old"), Nic("c", "")), disks=disks),
    ]
    stores = {
        "ssd": Storage(storage_class="ceph", volume_mode="Block", access_mode="ReadWriteMany"),
        "hdd": Storage(storage_class="nfs"),
    }
    single_waves = [
        wave_of(Sort(converted=not number, on_pod_network=not number), [move]) for number, move in enumerate(moves)
    ]
    plain = [
        {**move._asdict(), "networks": sorted(move.networks), "datastores": sorted(move.datastores)} for move in moves
    ]
    mapping = Mapping(networks={**NETWORKS, "Far": "default/away"}, datastores=stores)
    assert (plain, list(objects(single_waves, mapping, PROVIDERS, "shop"))) == snapshot
    assert faults(mapping, moves, "shop") == []
