"""Whether a running machine migrates to another launcher: each rule at its boundaries, and what is said of it."""

import pytest

import otheryaml
from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.rollout.upgrade import Move, Seen, machine_type, move
from virtcatalog.releases.launchers import Launcher

MIGRATES = Move("migrates")
KNOWN = Seen(machine="m", migrated=False)


def vmi(spec=""):
    read = otheryaml.load(spec) or {}
    domain = {"devices": {}, **read.pop("domain", {})}
    return convert({"spec": {"domain": domain, **read}}, VirtualMachineInstance)


def launcher(versions, takes_in=("m",), q35=""):
    libvirt, qemu = versions.split()
    return Launcher(libvirt=libvirt, qemu=qemu, q35=q35, takes_in=frozenset(takes_in))


def unknown(*reasons):
    return Move("unknown", reasons)


def restart(*reasons):
    return Move("restart", reasons)


BACKWARDS = "whether libvirt {} and QEMU {} take in what newer ones started"


@pytest.mark.parametrize(
    ("old", "new", "moved"),
    [
        ("11.9.0 10.1.0", "11.9.0 10.1.0", MIGRATES),
        ("11.9.0 10.1.0", "11.9.0 10.1.0-2.el9", MIGRATES),
        ("11.9.0 10.1.0-2.el9", "11.9.0 10.1.0-1.el9", unknown(BACKWARDS.format("11.9.0", "10.1.0-1.el9"))),
        ("11.9.0 10.1.0", "11.8.0 10.2.0", unknown(BACKWARDS.format("11.8.0", "10.2.0"))),
        ("11.9.0 10.1.0", "11.9.0-1.el9 10.1.0", MIGRATES),
    ],
)
def test_what_a_newer_launcher_started_may_not_be_taken_in(old, new, moved):
    assert move(vmi(), KNOWN, (), launcher(old), launcher(new)) == moved


def test_what_cannot_migrate_is_restarted():
    one, stuck = launcher("1.0 1.0"), Seen(stuck="no shared storage")
    assert move(vmi(), stuck, (), one, one) == restart("it cannot migrate live: no shared storage")
    assert move(vmi(), stuck, ("a", "b"), one, one) == restart("it cannot migrate live: a", "it cannot migrate live: b")


class TestThreads:
    NEW = "11.9.1-1.el9 10.0.0"
    NEW_ONES = "libvirt 11.9.1 with QEMU 10.0.0"
    REFUSED = restart(f"{NEW_ONES} refuses a host-model CPU with several cores or threads a socket (ht)")

    def moved(self, spec="domain: {cpu: {cores: 2}}", old="11.9.0 9.2.9", new=NEW):
        return move(vmi(spec), KNOWN, (), launcher(old), launcher(new))

    @pytest.mark.parametrize(
        ("old", "new"),
        [("11.9.0 10.0.0", NEW), ("11.9.0 9.2.0", "11.9.1 9.2.9"), ("11.9.0 9.2.9", "11.10.0 10.0.0")],
    )
    def test_of_these_two_alone(self, old, new):
        assert self.moved(old=old, new=new) == MIGRATES

    @pytest.mark.parametrize(
        ("spec", "moved"),
        [
            ("{domain: {cpu: {cores: 2}}}", REFUSED),
            ("{domain: {cpu: {cores: 1, threads: 2}}}", REFUSED),
            ("{domain: {cpu: {threads: 2}}, architecture: amd64}", REFUSED),
            ("{domain: {cpu: {cores: 2, model: host-model}}}", REFUSED),
            ("{domain: {cpu: {cores: 2, features: [{name: x2apic}]}}}", REFUSED),
            ("{domain: {cpu: {sockets: 2}}}", MIGRATES),
            ("{domain: {cpu: {cores: 1, threads: 1}}}", MIGRATES),
            ("{domain: {cpu: {cores: 2, model: host-passthrough}}}", MIGRATES),
            ("{domain: {cpu: {cores: 2, model: host-model}}, architecture: arm64}", MIGRATES),
            ("{domain: {}}", MIGRATES),
            (
                "{domain: {cpu: {cores: 2, model: Haswell}}}",
                unknown(
                    "whether libvirt 11.9.1 with QEMU 10.0.0 takes in several cores or threads a socket of Haswell (ht)"
                ),
            ),
            (
                "{domain: {cpu: {cores: 2, features: [{name: ht}]}}}",
                unknown(f"whether {NEW_ONES} takes in a CPU that names the feature ht itself"),
            ),
        ],
    )
    def test_several_threads_a_socket(self, spec, moved):
        assert self.moved(spec) == moved


class TestSegmentation:
    OLD, NEW = "10.0.0 9.1.0-19.el9", "10.0.0 9.1.0-20.el9"
    SPEC = "domain: {devices: {interfaces: [{name: a}]}}"
    USED = restart("QEMU 9.1.0-20.el9 does not load its NIC: Features unsupported (USO, of node and guest kernel)")
    OF_NODE = unknown("whether its NIC offloads UDP (USO), which QEMU no longer does: the kernel of its node tells")
    OF_GUEST = unknown("whether the driver of its NIC offloads UDP (USO), which QEMU no longer does: its guest tells")

    def moved(self, spec=SPEC, old=OLD, new=NEW, machine="pc-q35-rhel9.6.0", **seen):
        seen = {"kernel": "6.2.0", "guest_kernel": "6.2.0", **seen}
        observed = Seen(machine=machine, migrated=False, **seen)
        return move(vmi(spec), observed, (), launcher(old), launcher(new))

    @pytest.mark.parametrize(
        ("seen", "moved"),
        [
            ({}, USED),
            ({"kernel": "6.10.3-100.fc39"}, USED),
            ({"kernel": "10.0"}, USED),
            ({"kernel": "6.1.9"}, MIGRATES),
            ({"kernel": "5.14.0-570.el9.x86_64"}, MIGRATES),
            ({"kernel": ""}, OF_NODE),
            ({"kernel": "unknown"}, OF_NODE),
            ({"guest_kernel": "6.1.9"}, MIGRATES),
            ({"guest_kernel": "6.1.9-1.el9"}, OF_GUEST),
            ({"guest_kernel": "6.2.0-1.el9"}, USED),
            ({"guest_kernel": ""}, OF_GUEST),
            ({"guest": "mswindows"}, OF_GUEST),
            ({"guest": "fedora"}, USED),
        ],
    )
    def test_node_and_guest_need_a_kernel_that_has_it(self, seen, moved):
        assert self.moved(**seen) == moved

    @pytest.mark.parametrize(
        ("old", "new"),
        [("10.0.0 9.1.0-20.el9", "10.0.0 9.1.0-21.el9"), ("10.0.0 9.1.0-18.el9", "10.0.0 9.1.0-19.el9")],
    )
    def test_of_these_two_builds_alone(self, old, new):
        assert self.moved(old=old, new=new) == MIGRATES

    @pytest.mark.parametrize(
        ("machine", "moved"), [("pc-q35-rhel9.6.0", USED), ("", USED), ("pc-q35-rhel9.4.0", MIGRATES)]
    )
    def test_of_one_machine_type_alone(self, machine, moved):
        assert self.moved(machine=machine) == moved

    @pytest.mark.parametrize(
        ("spec", "moved"),
        [
            (SPEC, USED),
            (f"{{architecture: amd64, {SPEC}}}", USED),
            (f"{{architecture: arm64, {SPEC}}}", MIGRATES),
            ("domain: {devices: {interfaces: [{name: a, model: virtio}]}}", USED),
            ("domain: {devices: {interfaces: [{name: a, model: e1000e}, {name: b}]}}", USED),
            ("domain: {devices: {interfaces: [{name: a, model: e1000e}]}}", MIGRATES),
            ("domain: {devices: {interfaces: [{name: a, sriov: {}}]}}", MIGRATES),
            ("domain: {devices: {}}", MIGRATES),
        ],
    )
    def test_of_virtio_nics_alone(self, spec, moved):
        assert self.moved(spec) == moved


class TestMachine:
    UNKNOWN = unknown("which machine type it runs with: status.machine of its VMI tells")
    NOT_KNOWN_THERE = unknown(
        "whether QEMU 9.2.0-1.el9 has its machine type: "
        "nodes that have it are labelled machine-type.node.kubevirt.io/old"
    )

    @pytest.mark.parametrize(
        ("machine", "new", "moved"),
        [
            ("m", "10.0.0 9.2.0-1.el9", MIGRATES),
            ("old", "10.0.0 9.1.0-2.el9", MIGRATES),
            ("old", "10.0.0 9.2.0-1.el9", NOT_KNOWN_THERE),
            ("", "10.0.0 9.2.0-1.el9", UNKNOWN),
            ("q35", "10.0.0 9.2.0-1.el9", UNKNOWN),
        ],
    )
    def test_the_new_qemu_has_to_know_it(self, machine, new, moved):
        seen = Seen(machine=machine, migrated=False)
        assert move(vmi(), seen, (), launcher("10.0.0 9.1.0-1.el9"), launcher(new)) == moved

    @pytest.mark.parametrize(
        ("domain", "seen", "q35", "expected"),
        [
            ("", "", "pc-q35-9", "pc-q35-9"),
            ("{machine: {type: q35}}", "", "pc-q35-9", "pc-q35-9"),
            ("{machine: {type: q35}}", "", "", "q35"),
            ("", "", "", ""),
            ("{machine: {type: pc-q35-8}}", "", "pc-q35-9", "pc-q35-8"),
            ("{machine: {type: pc-q35-8}}", "pc-q35-7", "pc-q35-9", "pc-q35-7"),
        ],
    )
    def test_an_alias_stands_for_what_the_old_launcher_made_of_it(self, domain, seen, q35, expected):
        spec = f"domain: {domain}" if domain else ""
        assert machine_type(vmi(spec), Seen(machine=seen), launcher("1.0 1.0", q35=q35)) == expected


class TestSelectors:
    MIGRATED = unknown(
        "whether new nodes have all labels cpu-feature.node.kubevirt.io/… that its Pod selects since it migrated "
        "(host-model)"
    )
    PERHAPS = unknown("whether it has migrated since its start, as its CPU is host-model: status of its VMI tells")

    @pytest.mark.parametrize(
        ("spec", "migrated", "new", "moved"),
        [
            ("", True, "10.0.0 9.2.0", MIGRATED),
            ("domain: {cpu: {model: host-model}}", True, "10.1.0 9.1.0", MIGRATED),
            ("domain: {cpu: {sockets: 2}}", None, "10.0.0 9.2.0", PERHAPS),
            ("", False, "10.0.0 9.2.0", MIGRATES),
            ("", True, "10.0.0-1.el9 9.1.0-1.el9", MIGRATES),
            ("architecture: arm64", True, "10.0.0 9.2.0", MIGRATES),
            ("architecture: s390x", True, "10.0.0 9.2.0", MIGRATED),
            ("domain: {cpu: {model: Haswell}}", True, "10.0.0 9.2.0", MIGRATES),
        ],
    )
    def test_the_pod_of_a_migrated_host_model_vm_keeps_its_labels(self, spec, migrated, new, moved):
        seen = Seen(machine="m", migrated=migrated)
        assert move(vmi(spec), seen, (), launcher("10.0.0 9.1.0"), launcher(new)) == moved


@pytest.mark.parametrize(
    ("spec", "old", "new", "loses"),
    [
        ("{architecture: s390x}", "11.5.0", "11.6.0-2.el9", True),
        ("{architecture: s390x, domain: {cpu: {model: host-model}}}", "11.5.0", "11.6.0-2.el9", True),
        ("{architecture: s390x, domain: {cpu: {model: z14}}}", "11.5.0", "11.6.0-2.el9", False),
        ("{architecture: amd64}", "11.5.0", "11.6.0-2.el9", False),
        ("{architecture: s390x}", "11.6.0", "11.7.0-2.el9", False),
        ("{architecture: s390x}", "11.4.0", "11.5.9-2.el9", False),
    ],
)
def test_a_host_model_cpu_of_s390x_loses_features_with_libvirt_11_6(spec, old, new, loses):
    message = "whether libvirt 11.6.0 takes in a host-model CPU with deprecated features"
    moved = move(vmi(spec), KNOWN, (), launcher(f"{old} 9.1.0"), launcher(f"{new} 9.1.0"))
    assert moved == (unknown(message) if loses else MIGRATES)


def test_a_reason_to_restart_hides_what_is_not_known():
    seen = Seen(machine="old", migrated=True)
    moved = move(vmi("domain: {cpu: {cores: 2}}"), seen, (), launcher("11.9.0 9.2.0"), launcher("11.9.0 10.0.0"))
    assert moved == restart(
        "libvirt 11.9.0 with QEMU 10.0.0 refuses a host-model CPU with several cores or threads a socket (ht)"
    )
