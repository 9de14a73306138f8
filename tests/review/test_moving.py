"""Which machines migrate to the launcher of another release: the reported cases, and what cannot be told."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

import otheryaml
from virtcatalog import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.pipeline import create_vmi
from virtcatalog.kubevirt.rollout.upgrade import Move, Seen, move
from virtcatalog.releases import RELEASES, find_launcher, find_release
from virtcatalog.releases.launchers import EARLIER, numbers
from virtcatalog.review import moving
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.moving import Machine, Moved, Moves, Observed, groups, machine_of, sentence
from virtcatalog.review.side import Side

V16, V17, V18, V19 = EARLIER[1, 6], *(RELEASES[name].launcher for name in ("v1.7.4", "v1.8.4", "v1.9.0"))
STEADY = Seen(machine="pc-q35-rhel9.6.0", migrated=False, kernel="5.14.0-570.el9.x86_64", guest_kernel="6.8.0-31")


def machine(cpu: str = "{sockets: 2}", *, architecture: str = "amd64", model: str = "virtio", type: str = "q35") -> Any:
    vm = f"""
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: web, namespace: shop}}
spec:
  runStrategy: Always
  template:
    spec:
      architecture: {architecture}
      domain:
        cpu: {cpu}
        memory: {{guest: 2Gi}}
        machine: {{type: {type}}}
        devices: {{interfaces: [{{name: default, masquerade: {{}}, model: {model}}}]}}
      networks: [{{name: default, pod: {{}}}}]
"""
    result = create_vmi(otheryaml.load(vm), Cluster([], release="v1.8.4"))
    assert result.admitted, result.reasons
    return result


def fate(cpu: str = "{sockets: 2}", seen: Seen = STEADY, old: Any = V17, new: Any = V18, **more: str) -> Move:
    return move(machine(cpu, **more).vmi_object, seen, (), old, new)


class TestThreads:
    """harvester/harvester#11615: `extra features: ht`, from v1.7.4 to v1.8.4."""

    @pytest.mark.parametrize("cpu", ["{cores: 2}", "{threads: 2}", "{cores: 4, sockets: 2, model: host-model}"])
    def test_host_model_with_several_threads_a_socket_restarts(self, cpu: str) -> None:
        assert fate(cpu) == Move(
            "restart",
            ("libvirt 11.9.0 with QEMU 10.1.0 refuses a host-model CPU with several cores or threads a socket (ht)",),
        )

    @pytest.mark.parametrize("cpu", ["{sockets: 2}", "{cores: 1}", "{cores: 2, model: host-passthrough}"])
    def test_others_migrate(self, cpu: str) -> None:
        assert fate(cpu) == Move("migrates")

    @pytest.mark.parametrize(
        "cpu", ["{cores: 2, model: Skylake-Server}", "{cores: 2, features: [{name: ht, policy: disable}]}"]
    )
    def test_of_other_cpus_nobody_has_told(self, cpu: str) -> None:
        assert fate(cpu).fate == "unknown"

    def test_libvirt_11_10_takes_them_in(self) -> None:
        assert fate("{cores: 2}", new=V19) == Move("migrates")

    def test_what_qemu_10_started_it_takes_in(self) -> None:
        assert fate("{cores: 2}", Seen(machine="pc-q35-rhel9.8.0", migrated=False), old=V18, new=V19) == Move(
            "migrates"
        )


class TestSegmentation:
    """kubevirt/kubevirt#16386: `Failed to load virtio-net:virtio`, from v1.6.2 to v1.7, on kernels with USO."""

    def seen(self, kernel: str, guest: str = "6.8.0-31-generic") -> Seen:
        return Seen(machine="pc-q35-rhel9.6.0", migrated=False, kernel=kernel, guest_kernel=guest)

    @pytest.mark.parametrize("new", [V17, V19])
    def test_a_guest_that_offloads_udp_restarts(self, new: Any) -> None:
        moved = fate(seen=self.seen("6.8.0-31-generic"), old=V16, new=new)
        assert moved.fate == "restart"
        assert "does not load its NIC: Features unsupported (USO" in moved.reasons[0]

    @pytest.mark.parametrize(
        ("kernel", "guest", "expected"),
        [
            ("5.14.0-570.el9.x86_64", "6.8.0-31-generic", "migrates"),  # the node's kernel has no USO
            ("6.8.0-31-generic", "5.15.0-100-generic", "migrates"),  # the guest's has none
            ("6.8.0-31-generic", "5.14.0-570.el9.x86_64", "unknown"),
            ("6.8.0-31-generic", "", "unknown"),
            ("", "6.8.0-31-generic", "unknown"),
        ],
    )
    def test_node_and_guest_both_need_a_kernel_that_has_it(self, kernel: str, guest: str, expected: str) -> None:
        assert fate(seen=self.seen(kernel, guest), old=V16, new=V17).fate == expected

    def test_what_drivers_of_windows_do_nobody_has_told(self) -> None:
        windows = Seen(machine="pc-q35-rhel9.6.0", migrated=False, kernel="6.8.0", guest="mswindows")
        assert fate(seen=windows, old=V16, new=V17).fate == "unknown"

    def test_other_nics_have_none_of_it(self) -> None:
        assert fate(seen=self.seen("6.8.0"), old=V16, new=V17, model="e1000e") == Move("migrates")

    def test_later_upgrades_are_not_affected(self) -> None:
        assert fate(seen=self.seen("6.8.0"), old=V17, new=V18) == Move("migrates")


class TestWhatNobodyHasTold:
    def test_a_machine_type_of_another_version_of_qemu(self) -> None:
        moved = fate(seen=Seen(machine="pc-q35-rhel8.6.0", migrated=False))
        assert moved.fate == "unknown"
        assert "machine-type.node.kubevirt.io/pc-q35-rhel8.6.0" in moved.reasons[0]
        assert fate(seen=Seen(machine="pc-q35-rhel8.6.0", migrated=False), old=V18, new=V19) == Move("migrates")

    def test_an_alias_stands_for_what_the_old_release_made_of_it(self) -> None:
        assert fate(seen=Seen(migrated=False)) == Move("migrates")

    def test_labels_that_the_pod_of_a_migrated_vm_selects(self) -> None:
        """kubevirt/kubevirt#17812."""
        for migrated, expected in ((True, "unknown"), (None, "unknown"), (False, "migrates")):
            assert fate(seen=Seen(machine="pc-q35-rhel9.6.0", migrated=migrated)).fate == expected
        named = Seen(machine="pc-q35-rhel9.6.0", migrated=True)
        assert fate("{sockets: 2, model: Skylake-Server}", named).fate == "migrates"

    def test_the_way_back(self) -> None:
        assert fate(old=V19, new=V18).fate == "unknown"

    def test_deprecated_features_of_s390x(self) -> None:
        moved = fate(architecture="s390x", type="s390-ccw-virtio", old=V17)
        assert moved.fate == "unknown"
        assert "host-model CPU with deprecated features" in " ".join(moved.reasons)


def test_what_stays_on_its_node_restarts() -> None:
    moved = move(machine().vmi_object, Seen(), ("a host device keeps it",), V18, V19)
    assert moved == Move("restart", ("it cannot migrate live: a host device keeps it",))
    assert fate(seen=Seen(stuck="PVC data is not shared")).fate == "restart"


def test_one_launcher_takes_its_own_machines() -> None:
    assert fate("{cores: 2}", Seen(), V18, V18) == Move("migrates")


def vmi(**status: Any) -> dict[str, Any]:
    kind = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance"}
    spec = {"domain": {"memory": {"guest": "2Gi"}, "devices": {}}}
    return {**kind, "metadata": {"name": "web", "namespace": "shop"}, "spec": spec, "status": status}


NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1"},
    "status": {"nodeInfo": {"kernelVersion": "6.8.0"}},
}


def observed(cpu: str = "{sockets: 2}", old: Any = V17, new: Any = V18, **status: Any) -> Move:
    return Observed([vmi(**status), NODE]).moved("shop/web", Machine(machine(cpu), ()), old, new)


def test_a_vm_may_still_run_under_an_older_launcher() -> None:
    status = {
        "nodeName": "n1",
        "machine": {"type": "pc-q35-rhel9.6.0"},
        "guestOSInfo": {"id": "ubuntu", "kernelRelease": "6.8.0-31-generic"},
    }
    assert observed(**status).fate == "migrates"
    old = observed(**status, launcherContainerImageVersion="quay.io/kubevirt/virt-launcher:v1.6.2")
    assert old.fate == "restart"
    assert "USO" in old.reasons[0]
    new = observed("{cores: 2}", **status, launcherContainerImageVersion="quay.io/kubevirt/virt-launcher:v1.8.4")
    assert new.fate == "migrates"


def test_of_a_guest_with_windows_nobody_has_told() -> None:
    guest = {"id": "mswindows", "kernelRelease": "10.0.20348"}
    status = {"nodeName": "n1", "machine": {"type": "pc-q35-rhel9.6.0"}, "guestOSInfo": guest}
    version = "quay.io/kubevirt/virt-launcher:v1.6.2"
    assert observed(**status, launcherContainerImageVersion=version).fate == "unknown"


@pytest.mark.parametrize("tag", ["1.7.4-150700.3.24.2", "v1.8.4-qemu-9.1.0", "v1.5.0", "latest"])
def test_of_other_builds_nothing_is_known(tag: str) -> None:
    moved = observed(launcherContainerImageVersion=f"registry.example.org:5000/virt-launcher:{tag}")
    assert moved.fate == "unknown"
    assert f"virt-launcher:{tag}" in moved.reasons[0]


def test_what_a_vmi_says_of_itself_counts() -> None:
    stuck = observed(conditions=[{"type": "LiveMigratable", "status": "False", "message": "PVC data is not shared"}])
    assert stuck == Move("restart", ("it cannot migrate live: PVC data is not shared",))


def test_a_hostile_status_is_no_traceback() -> None:
    for status in ({"conditions": 3}, {"machine": []}, {"guestOSInfo": "x"}, {"migrationState": 1, "nodeName": {}}):
        assert observed(**status).fate in ("migrates", "unknown", "restart")


OLD = "quay.io/kubevirt/virt-launcher:v1.6.2"
RHEL8 = {"machine": {"type": "pc-q35-rhel8.6.0"}}
LABEL = "nodes that have it are labelled machine-type.node.kubevirt.io/pc-q35-rhel8.6.0"
TYPE = f"whether QEMU {V18.qemu} has its machine type: {LABEL}"
NODE_TELLS = "whether its NIC offloads UDP (USO), which QEMU no longer does: the kernel of its node tells"
GUEST_TELLS = "whether the driver of its NIC offloads UDP (USO), which QEMU no longer does: its guest tells"


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({}, Move("migrates")),
        (RHEL8, Move("unknown", (TYPE,))),
        ({"conditions": [{"type": "LiveMigratable", "status": "True", "message": "a"}]}, Move("migrates")),
        ({"conditions": [{"type": "Ready", "status": "False", "message": "a"}]}, Move("migrates")),
        ({"conditions": [{"type": "LiveMigratable", "status": "False", "message": "a", "reason": "b"}]}, Move(
            "restart", ("it cannot migrate live: a",))),
        ({"conditions": [3, {"type": "LiveMigratable", "status": "False", "reason": "b"}]}, Move(
            "restart", ("it cannot migrate live: b",))),
        ({"conditions": [{"type": "LiveMigratable", "status": "False"}]}, Move(
            "restart", ("it cannot migrate live: it says so",))),
        ({"launcherContainerImageVersion": OLD}, Move("unknown", (NODE_TELLS,))),
        ({"launcherContainerImageVersion": OLD, "nodeName": "n1"}, Move("unknown", (GUEST_TELLS,))),
        ({"launcherContainerImageVersion": OLD, "nodeName": "n2"}, Move("unknown", (NODE_TELLS,))),
        ({"launcherContainerImageVersion": OLD, "nodeName": "n3"}, Move("unknown", (NODE_TELLS,))),
        ({"launcherContainerImageVersion": OLD, "nodeName": "n1", "guestOSInfo": {"kernelRelease": "5.4"}}, Move(
            "migrates")),
        ({"launcherContainerImageVersion": OLD, "nodeName": "n1", "guestOSInfo": {
            "id": "mswindows", "kernelRelease": "5.4"}}, Move("unknown", (GUEST_TELLS,))),
        ({"launcherContainerImageVersion": f"{OLD}@sha256:1", "nodeName": "n1"}, Move("unknown", (GUEST_TELLS,))),
        ({"launcherContainerImageVersion": "launcher@sha256:1"}, Move("migrates")),
        ({"launcherContainerImageVersion": "registry:5000/launcher:own"}, Move("unknown", (
            "which libvirt and QEMU its launcher has: registry:5000/launcher:own is of no release known here",))),
    ],
)  # fmt: skip
def test_what_a_vmi_and_its_node_say_of_a_machine(status: dict[str, Any], expected: Move) -> None:
    unknown = {"kind": "Node", "metadata": {"name": "n3"}, "status": {"nodeInfo": {}}}
    others = [NODE, unknown, {"kind": "Pod", "metadata": {"name": "n2"}, "status": NODE["status"]}]
    cluster = Observed([vmi(**status), *others])
    assert cluster.moved("shop/web", Machine(machine(), ()), V17, V18) == expected


@pytest.mark.parametrize(
    ("migration", "fate"), [({"completed": True}, "unknown"), ({}, "migrates"), (None, "migrates")]
)
def test_a_machine_that_has_migrated_selects_labels(migration: Any, fate: str) -> None:
    assert observed(migrationState=migration).fate == fate
    assert Observed([]).moved("shop/web", Machine(machine(), ()), V17, V18).fate == "unknown"


NOTHING = Seen(machine="", migrated=False, stuck="", kernel="", guest_kernel="", guest="")


@pytest.mark.parametrize(
    ("status", "seen"),
    [
        ({}, NOTHING),
        ({"machine": {"type": "pc"}}, replace(NOTHING, machine="pc")),
        ({"migrationState": {"completed": True}}, replace(NOTHING, migrated=True)),
        ({"nodeName": "n1"}, replace(NOTHING, kernel="6.8.0")),
        ({"nodeName": "other"}, NOTHING),
        ({"guestOSInfo": {"kernelRelease": "6.8"}}, replace(NOTHING, guest_kernel="6.8")),
        ({"guestOSInfo": {"id": "ubuntu"}}, replace(NOTHING, guest="ubuntu")),
        ({"machine": {"type": None}, "nodeName": None, "guestOSInfo": {"kernelRelease": None, "id": None}}, NOTHING),
    ],
)
def test_what_is_seen_of_a_machine(status: dict[str, Any], seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving, "move", lambda _vmi, seen, *_others: seen)
    assert Observed([vmi(**status), NODE]).moved("shop/web", Machine(machine(), ()), V17, V18) == seen
    assert Observed([NODE]).moved("shop/web", Machine(machine(), ()), V17, V18) == replace(NOTHING, migrated=None)


RUNS = """
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: shop}
spec:
  runStrategy: Always
  template:
    spec:
      domain: {memory: {guest: 2Gi}, devices: {interfaces: [{name: default, masquerade: {}}]}}
      networks: [{name: default, pod: {}}]
"""
EMPTY = Side(label="side", objects={"": []})


@pytest.mark.parametrize(
    "edits",
    [
        [("Always", "Halted")],
        [("masquerade", "none")],
        [("memory: {guest: 2Gi}, ", "")],
        [
            ("{interfaces:", "{disks: [{name: root, disk: {readonly: true}}], interfaces:"),
            ("networks:", "volumes: [{name: root, containerDisk: {image: guest}}]\n      networks:"),
        ],
    ],
)
def test_a_vm_that_is_off_or_refused_has_no_machine(edits: list[tuple[str, str]]) -> None:
    text = RUNS
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    assert machine_of(otheryaml.load(text), Cluster([])) is None


def test_of_the_machine_of_a_vm_that_is_not_modelled_nothing_is_told() -> None:
    moved = machine_of(otheryaml.load(RUNS.replace("memory:", f"machine: {{type: {'q' * 300}}}, memory:")), Cluster([]))
    assert isinstance(moved, Move)
    assert moved.fate == "unknown"
    assert moved.reasons[0].startswith("spec.template.spec.domain.machine.type: not supported by virtcatalog: ")


def upgrade(*objects: dict[str, Any], old: str = "v1.8.4", new: str = "v1.9.0") -> Comparison:
    conditions = [Conditions(release=find_release(name)) for name in (old, new)]
    return Comparison((EMPTY, EMPTY), "lab", (conditions[0], conditions[1]), objects)


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ((), ["shop/web"]),
        ((("runStrategy: Always", "runStrategy: Halted"),), []),
        ((("{memory:", "{cpu: {sockets: 2, maxSockets: 1}, memory:"),), []),
    ],
)
def test_machines_that_run_move(changes: tuple[tuple[str, str], ...], names: list[str]) -> None:
    text = RUNS
    for old, new in changes:
        text = text.replace(old, new)
    running = vmi() | {"status": {"migrationState": {}}}
    moves = [*Moves().of(otheryaml.load(text), ["shop/web", "shop/db"], upgrade(running), "vms.yaml:3")]
    assert moves == [Moved(vm=name, environment="lab", place="vms.yaml:3", fate="migrates") for name in names]


LONG = "a machine, or a pattern of emulatedMachines, of more than 256 characters"


def test_of_a_machine_that_is_not_modelled_nothing_is_known() -> None:
    vm = otheryaml.load(RUNS.replace("{memory: ", f"{{machine: {{type: {'q' * 257}}}, memory: "))
    (moved,) = Moves().of(vm, ["shop/web"], upgrade())
    assert (moved.fate, moved.place, moved.reasons) == ("unknown", "", (
        f"spec.template.spec.domain.machine.type: not supported by virtcatalog: {LONG}",
    ))  # fmt: skip


def test_within_one_release_nothing_moves() -> None:
    assert [*Moves().of(otheryaml.load(RUNS), ["shop/web"], upgrade(new="v1.8.4"))] == []


def test_a_vmi_without_a_vm_runs_whatever_the_cluster_says() -> None:
    alone = vmi()
    assert [moved.vm for moved in Moves().of(alone, ["shop/other"], upgrade(vmi()))] == ["shop/other"]
    pool = {"kind": "VirtualMachinePool"}
    assert [*Moves().of({**otheryaml.load(RUNS), **pool}, ["shop/other"], upgrade(vmi()))] == []


def test_vms_without_a_machine_do_not_migrate() -> None:
    assert Observed([vmi()]).runs("shop/web")
    assert not Observed([vmi()]).runs("shop/other")
    assert Observed([]).runs("shop/other")


def test_in_words() -> None:
    moves = [Moved(vm=f"a/{number}", fate="migrates") for number in range(3)]
    moves += [Moved(vm=f"b/{number}", fate="unknown", reasons=("x",)) for number in range(2)]
    moves.append(Moved(vm="c/1", fate="restart", reasons=("y",)))
    assert sentence(moves) == (
        "of 6 machines 1 restarts before it migrates, 2 cannot be told whether they migrate, "
        "3 migrate to the new launcher"
    )
    assert groups(moves) == [("restart", ("y",), ["c/1"]), ("unknown", ("x",), ["b/0", "b/1"])]
    more = [*moves, *(Moved(vm=name, fate="restart", reasons=("z",)) for name in ("a/2", "a/1"))]
    more += [Moved(vm="b/9", fate="restart", reasons=("zz",))]
    assert groups(more)[:3] == [
        ("restart", ("z",), ["a/2", "a/1"]),
        ("restart", ("zz",), ["b/9"]),
        ("restart", ("y",), ["c/1"]),
    ]
    assert (sentence([]), groups([])) == ("", [])


@pytest.mark.parametrize(
    ("fate", "of_one", "of_two"),
    [
        ("restart", "restarts before it migrates", "restart before they migrate"),
        ("unknown", "cannot be told whether it migrates", "cannot be told whether they migrate"),
        ("migrates", "migrates to the new launcher", "migrate to the new launcher"),
    ],
)
def test_one_machine_and_two_in_words(fate: Any, of_one: str, of_two: str) -> None:
    moves = [Moved(vm=name, fate=fate) for name in "ab"]
    assert sentence(moves[:1]) == f"of 1 machine 1 {of_one}"
    assert sentence(moves) == f"of 2 machines 2 {of_two}"


def test_launchers() -> None:
    assert find_launcher("v1.7.2") == V17
    assert find_launcher("v1.6.6") == V16
    assert find_launcher("v1.7") is None
    assert numbers("10.1.0-20.el9") == (10, 1, 0, 20)
    assert numbers("9.1.0-19.el9") < numbers("9.1.0-20.el9") < numbers("10.1.0-10.el9")
