"""Which instance type and preference a VM adopts, what goes, what stays."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from inline_vms import PREFERENCE, machine, named, of_size

from virtcatalog.adopt.candidates import Candidates
from virtcatalog.adopt.fleet import Adoption, adopt
from virtcatalog.adopt.report import explain
from virtcatalog.api.findings import field_path
from virtcatalog.kubevirt.pipeline import expand

SMALL = "{cpu: {sockets: 2}, memory: {guest: 4Gi}, devices: {}}"
LINUX = """
cpu: {sockets: 2, model: host-passthrough}
memory: {guest: 4Gi}
devices:
  rng: {}
  disks: [{name: root, disk: {bus: virtio}}]
"""
WINDOWS = """
cpu: {cores: 2, sockets: 1, threads: 1}
memory: {guest: 4Gi}
clock: {utc: {}, timer: {hpet: {present: false}, hyperv: {}}}
features: {acpi: {}, hyperv: {relaxed: {}, vapic: {}, spinlocks: {spinlocks: 8191}}}
firmware: {bootloader: {efi: {secureBoot: false}}}
devices:
  autoattachInputDevice: true
  disks: [{name: root, disk: {bus: sata}}]
  interfaces: [{name: default, model: e1000e, masquerade: {}}]
"""
VOLUME = "volumes: [{name: root, containerDisk: {image: 'example.org/guest:1'}}]"
NETWORK = "networks: [{name: default, pod: {}}]"


def names(adoption: Adoption) -> tuple[str | None, str | None]:
    assert adoption.shrunk is not None
    instancetype, preference = adoption.shrunk.names
    return instancetype and instancetype.name, preference and preference.name


def domain_of(adoption: Adoption) -> dict[str, Any]:
    assert adoption.shrunk is not None
    domain: dict[str, Any] = adoption.shrunk.manifest["spec"]["template"]["spec"]["domain"]
    return domain


def test_cpu_and_memory_become_an_instance_type(adopting):
    adoption = adopting(SMALL)
    assert (adoption.outcome, names(adoption), domain_of(adoption)) == ("adopted", ("small", None), {"devices": {}})


def test_guest_settings_become_a_preference(adopting):
    adoption = adopting(LINUX, VOLUME)
    assert names(adoption) == ("small", "linux")
    assert domain_of(adoption) == {"cpu": {"model": "host-passthrough"}, "devices": {"disks": [{"name": "root"}]}}


def test_the_preference_lays_out_the_vcpus(adopting):
    adoption = adopting(WINDOWS, f"{VOLUME}\n{NETWORK}\nterminationGracePeriodSeconds: 3600")
    assert names(adoption) == ("small", "windows")
    assert domain_of(adoption) == {
        "devices": {"disks": [{"name": "root"}], "interfaces": [{"name": "default", "masquerade": {}}]}
    }
    assert "terminationGracePeriodSeconds" not in adoption.shrunk.manifest["spec"]["template"]["spec"]


@pytest.mark.parametrize("domain", [SMALL, LINUX, WINDOWS])
def test_the_domain_is_the_same_and_the_input_is_not_touched(domain, candidates):
    vm = machine(domain, f"{VOLUME}\n{NETWORK}" if "interfaces" in domain else VOLUME)
    before = copy.deepcopy(vm)
    shrunk = adopt(vm, candidates).shrunk
    assert vm == before
    xml = expand(vm, candidates.cluster).domain_xml
    assert xml is not None
    assert expand(shrunk.manifest, candidates.cluster).domain_xml == xml


def test_a_preference_that_changes_the_domain_is_not_adopted(adopting):
    """`linux` would give the VM a random number generator."""
    adoption = adopting(LINUX.replace("rng: {}", ""), VOLUME)
    assert names(adoption) == ("small", None)
    assert domain_of(adoption)["devices"]["disks"] == [{"name": "root", "disk": {"bus": "virtio"}}]


def test_what_the_objects_say_otherwise_stays_and_why_is_told(adopting):
    adoption = adopting(WINDOWS, f"{VOLUME}\n{NETWORK}\nterminationGracePeriodSeconds: 30")
    assert [
        (field_path(remaining.path), remaining.value, remaining.instead) for remaining in adoption.shrunk.remaining
    ] == [("spec.template.spec.terminationGracePeriodSeconds", 30, 3600)]


def test_of_a_list_only_the_items_fields_go(adopting):
    two = LINUX.replace("}}]", "}}, {name: data, disk: {bus: sata}}]")
    rest = "volumes: [{name: root, containerDisk: {image: 'a:1'}}, {name: data, containerDisk: {image: 'a:1'}}]"
    disks = domain_of(adopting(two, rest))["devices"]["disks"]
    assert disks == [{"name": "root"}, {"name": "data", "disk": {"bus": "sata"}}]


def test_every_removed_field_names_the_object_and_its_field(adopting):
    removed = adopting(LINUX, VOLUME).shrunk.removed
    assert {(field_path(one.path).rpartition("domain.")[2], one.by.name, one.source) for one in removed} == {
        ("cpu.sockets", "small", "cpu.guest"),
        ("memory.guest", "small", "memory.guest"),
        ("devices.rng", "linux", "devices.preferredRng"),
        ("devices.disks[0].disk.bus", "linux", "devices.preferredDiskBus"),
    }


def test_limits_of_hotplug_that_follow_from_the_instance_type_go(adopting):
    domain = "{cpu: {sockets: 2, maxSockets: 8}, memory: {guest: 4Gi, maxGuest: 16Gi}, devices: {}}"
    assert domain_of(adopting(domain)) == {"devices": {}}


def test_other_limits_of_hotplug_stay(adopting):
    domain = "{cpu: {sockets: 2, maxSockets: 6}, memory: {guest: 4Gi, maxGuest: 12Gi}, devices: {}}"
    assert domain_of(adopting(domain)) == {
        "cpu": {"maxSockets": 6},
        "memory": {"maxGuest": "12Gi"},
        "devices": {},
    }


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        ("{cpu: {sockets: 2, dedicatedCpuPlacement: true}, memory: {guest: 4Gi}, devices: {}}", "small-dedicated"),
        ("{cpu: {sockets: 8, maxSockets: 8}, memory: {guest: 32Gi}, devices: {}}", "large"),
        (
            "{cpu: {sockets: 2}, memory: {guest: 4Gi}, resources: {requests: {memory: 2Gi}}, devices: {}}",
            "small-overcommitted",
        ),
        ("{resources: {requests: {memory: 4Gi, cpu: 2}}, devices: {}}", "small"),
        ("{cpu: {sockets: 2}, resources: {requests: {memory: 4Gi}, limits: {memory: 4Gi}}, devices: {}}", "small"),
    ],
)
def test_the_instance_type_is_found_by_what_it_gives(domain, expected, adopting):
    adoption = adopting(domain)
    assert (adoption.outcome, names(adoption)[0]) == ("adopted", expected)


def test_what_changes_outside_the_domain_is_told(adopting):
    outside = adopting(
        "{cpu: {sockets: 2}, memory: {guest: 4Gi}, resources: {limits: {cpu: 2}}, devices: {}}"
    ).shrunk.outside
    changed = {one.field.rpartition("domain.")[2]: one.new for one in outside}
    assert changed["resources.limits.cpu"] is None


def test_an_instance_type_that_places_the_vm_elsewhere_is_not_taken(adopting):
    domain = "{cpu: {sockets: 3}, memory: {guest: 4Gi}, devices: {}}"
    assert names(adopting(domain, "nodeSelector: {zone: a}"))[0] == "placed"
    assert adopting(domain, "nodeSelector: {zone: b}").outcome == "nearest"


class TestNearest:
    def test_nothing_exact_gives_the_nearest_and_the_differences(self, adopting):
        adoption = adopting("{cpu: {sockets: 2}, memory: {guest: 3Gi}, devices: {}}")
        assert (adoption.outcome, names(adoption)[0]) == ("nearest", "small")
        places = {one.place: (one.old, one.new) for one in adoption.shrunk.domain}
        assert places["memory"] == (str(3 * 2**30), str(4 * 2**30))

    @pytest.mark.parametrize(
        ("domain", "nearest"),
        [
            ("{cpu: {sockets: 2}, memory: {guest: 5Gi}, devices: {}}", "large"),
            ("{cpu: {sockets: 4}, memory: {guest: 4Gi}, devices: {}}", "large"),
            ("{cpu: {cores: 4, sockets: 1}, memory: {guest: 4Gi}, devices: {}}", "large"),
            ("{cpu: {sockets: 12}, memory: {guest: 4Gi}, devices: {}}", "large"),
            ("{cpu: {sockets: 1}, memory: {guest: 40Gi}, devices: {}}", "large"),
        ],
    )
    def test_the_nearest_lacks_nothing_or_else_little(self, domain, nearest, adopting):
        adoption = adopting(domain)
        assert (adoption.outcome, names(adoption)[0]) == ("nearest", nearest)

    def test_of_two_as_near_it_is_the_one_that_requests_as_much(self, adopting):
        domain = "{cpu: {sockets: 2}, memory: {guest: 3Gi}, RESOURCESdevices: {}}"
        assert names(adopting(domain.replace("RESOURCES", "")))[0] == "small"
        all_of_it = domain.replace("RESOURCES", "resources: {requests: {memory: 3Gi}}, ")
        assert names(adopting(all_of_it))[0] == "small"
        overcommitted = domain.replace("RESOURCES", "resources: {requests: {memory: 2Gi}}, ")
        assert names(adopting(overcommitted))[0] == "small-overcommitted"

    def test_what_many_vcpus_have_in_common_is_told_once(self, adopting):
        lines = list(explain(adopting("{cpu: {sockets: 5}, memory: {guest: 32Gi}, devices: {}}")))
        places = [line for line in lines if "domain: vcpus/" in line]
        assert [line.rpartition(", ")[2] for line in places] == [
            "and 2 more of vcpus/vcpu/@enabled",
            "and 11 more of vcpus/vcpu",
        ]

    @staticmethod
    def only(**spec: Any) -> Candidates:
        size = {"cpu": {"guest": 4}, "memory": {"guest": "8Gi"}}
        version, kind = "instancetype.kubevirt.io/v1beta1", "VirtualMachineClusterInstancetype"
        return Candidates([{"apiVersion": version, "kind": kind, "metadata": {"name": "only"}, "spec": size | spec}])

    def test_that_each_would_place_it_elsewhere_is_said(self):
        adoption = adopt(machine(SMALL, "nodeSelector: {zone: b}"), self.only(nodeSelector={"zone": "a"}))
        assert (adoption.outcome, adoption.shrunk, adoption.reasons) == ("nearest", None, ())
        assert "\n".join(explain(adoption)) == (
            "nothing of the catalog can be adopted: "
            "no instance type that the VM may name leaves its placement and annotations as they are"
        )

    def test_why_kubevirt_would_refuse_the_nearest_is_said(self):
        adoption = adopt(machine(SMALL), self.only(cpu={"guest": 4, "isolateEmulatorThread": True}))
        assert (adoption.outcome, adoption.shrunk) == ("nearest", None)
        (reason,) = adoption.reasons
        assert reason.message.startswith("with VirtualMachineClusterInstancetype only: ")
        assert "each of its instance types" in next(explain(adoption))

    def test_beside_the_nearest_size_is_the_preference_that_says_the_most(self, adopting):
        adoption = adopting(LINUX.replace("4Gi", "3Gi"), VOLUME)
        assert (adoption.outcome, names(adoption)) == ("nearest", ("small", "linux"))
        assert {one.place.split("/")[0] for one in adoption.shrunk.domain} <= {"memory", "maxMemory"}

    def test_a_vm_without_cpu_hotplug_is_not_given_any(self, adopting):
        """KubeVirt has no hotplug for a VM that gives cores without sockets."""
        adoption = adopting("{cpu: {cores: 2}, memory: {guest: 4Gi}, devices: {}}")
        assert adoption.outcome == "nearest"
        assert adoption.shrunk.added == [("spec", "template", "spec", "domain", "cpu", "maxSockets")]


class TestHalves:
    def test_a_vm_with_an_instance_type_gets_a_preference(self, adopting):
        domain = "{devices: {rng: {}, disks: [{name: root, disk: {bus: virtio}}]}}"
        adoption = adopting(domain, VOLUME, spec="instancetype: {name: small}")
        assert (adoption.outcome, names(adoption)) == ("adopted", (None, "linux"))
        assert adoption.shrunk.manifest["spec"]["instancetype"] == {"name": "small"}

    def test_a_vm_with_a_preference_gets_an_instance_type(self, adopting):
        domain = "{cpu: {cores: 2, sockets: 1, threads: 1}, memory: {guest: 4Gi}, devices: {}}"
        assert adopting(SMALL, spec="preference: {name: linux}").outcome == "adopted"
        assert names(adopting(domain, spec="preference: {name: windows}")) == ("small", None)

    def test_a_vm_with_both_has_nothing_to_adopt(self, adopting):
        adoption = adopting("{devices: {}}", spec="instancetype: {name: small}\npreference: {name: linux}")
        assert (adoption.outcome, adoption.shrunk) == ("unchanged", None)

    def test_nor_has_one_that_no_preference_makes_smaller(self, adopting):
        assert adopting("{devices: {}}", spec="instancetype: {name: small}").outcome == "unchanged"


class TestRefusals:
    def test_a_refused_vm_says_why(self, adopting):
        adoption = adopting("{cpu: {sockets: 2}, memory: {guest: 4Gi}, devices: {disks: [{name: gone}]}}")
        assert (adoption.outcome, adoption.shrunk) == ("refused", None)
        assert [reason.field for reason in adoption.reasons] == ["spec.template.spec.domain.devices.disks[0].name"]

    def test_requirements_are_kept(self, adopting):
        """`windows` requires two vCPUs, and `small` has them; a VM with one finds no pair with it."""
        one = WINDOWS.replace("cores: 2", "cores: 1")
        assert adopting(one, f"{VOLUME}\n{NETWORK}").outcome == "nearest"

    @pytest.mark.parametrize("kind", ["VirtualMachineInstance", "VirtualMachineInstanceReplicaSet"])
    def test_kinds_that_name_no_instance_type_are_not_supported(self, kind, candidates):
        adoption = adopt({"kind": kind, "metadata": {"name": "vm"}}, candidates)
        assert (adoption.outcome, adoption.before) == ("unsupported", 2)
        assert [(reason.field, reason.message) for reason in adoption.reasons] == [
            ("kind", f"a {kind} has no field for an instance type or preference; VirtualMachines and their pools have")
        ]

    @pytest.mark.parametrize(
        ("template", "outcome", "field"),
        [
            ({"disks": [{"name": "gone"}]}, "refused", "domain.devices.disks[0].name"),
            ({"interfaces": [{"name": "default", "slirp": {}}]}, "refused", "domain.devices.interfaces[0]"),
        ],
    )
    def test_fields_of_a_pools_vms_are_those_of_the_pool(self, template, outcome, field, candidates):
        vm = machine(
            "{cpu: {sockets: 2}, memory: {guest: 4Gi}, devices: {}}", NETWORK if "interfaces" in template else ""
        )
        vm["spec"]["template"]["spec"]["domain"]["devices"] = template
        pool = {
            "apiVersion": "pool.kubevirt.io/v1beta1",
            "kind": "VirtualMachinePool",
            "metadata": {"name": "pool"},
            "spec": {
                "replicas": 2,
                "selector": {"matchLabels": {"a": "b"}},
                "virtualMachineTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": vm["spec"]},
            },
        }
        adoption = adopt(pool, candidates)
        assert adoption.outcome == outcome
        assert [reason.field for reason in adoption.reasons] == [
            f"spec.virtualMachineTemplate.spec.template.spec.{field}"
        ]


class TestTies:
    @staticmethod
    def catalog(*objects: tuple[str, str, dict[str, Any]]) -> Candidates:
        spec = {"cpu": {"guest": 2}, "memory": {"guest": "4Gi"}}
        version = "instancetype.kubevirt.io/v1beta1"
        return Candidates(
            {"apiVersion": version, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}
            for kind, name, metadata in objects
        )

    def test_one_that_is_not_deprecated_then_by_name(self):
        kind = "VirtualMachineClusterInstancetype"
        deprecated = {"labels": {"instancetype.kubevirt.io/deprecated": "true"}}
        candidates = self.catalog((kind, "a", deprecated), (kind, "c", {}), (kind, "b", {}))
        assert names(adopt(machine(SMALL), candidates))[0] == "b"

    def test_a_namespaced_one_where_there_is_no_other(self):
        kind = "VirtualMachineInstancetype"
        candidates = self.catalog((kind, "a", {"namespace": "other"}), (kind, "b", {"namespace": "mine"}))
        adoption = adopt(machine(SMALL, metadata="{name: vm, namespace: mine}"), candidates)
        assert adoption.shrunk.manifest["spec"]["instancetype"] == {"kind": kind, "name": "b"}

    def test_a_cluster_wide_one_before_it(self):
        cluster = ("VirtualMachineClusterInstancetype", "z", {})
        candidates = self.catalog(("VirtualMachineInstancetype", "a", {}), cluster)
        assert names(adopt(machine(SMALL), candidates))[0] == "z"

    def test_a_preference_that_the_vm_speaks_of(self):
        version = "instancetype.kubevirt.io/v1beta1"
        specs = {
            "VirtualMachineClusterPreference": {"devices": {"preferredDiskBus": "virtio", "preferredRng": {}}},
            "VirtualMachineClusterInstancetype": {"cpu": {"guest": 2}, "memory": {"guest": "4Gi"}},
        }
        candidates = Candidates(
            {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}
            for kind, spec in specs.items()
            for name in ("alpine", "fedora")
        )
        vm = machine(LINUX, VOLUME.replace("guest:1", "fedora:41"))
        assert names(adopt(vm, candidates))[1] == "fedora"


@pytest.mark.parametrize(
    ("devices", "preferred", "left"),
    [
        ("rng: {}, tpm: {}", "preferredRng", {"tpm": {}}),
        ("rng: {}", "preferredRng", None),
        ("rng: {}, tpm: {}", "preferredTPM", {"rng": {}}),
    ],
)
def test_a_preference_is_named_where_the_manifest_grows_no_longer_by_that(
    devices: str, preferred: str, left: dict[str, Any] | None
) -> None:
    """Its name and an empty map are as long as what it gives."""
    vm = machine(f"{{cpu: {{sockets: 2}}, memory: {{guest: 4Gi}}, devices: {{{devices}}}}}")
    candidates = Candidates([of_size("small"), named(PREFERENCE, "p", {"devices": {preferred: {}}})])
    adoption = adopt(vm, candidates)
    assert names(adoption) == ("small", "p" if left else None)
    assert adoption.shrunk is not None
    domain = adoption.shrunk.manifest["spec"]["template"]["spec"]["domain"]
    assert domain == {"devices": left or {"rng": {}}}
