"""What `drift` says of a machine that is not what its VM asks for, though VM and Git agree: it is not in sync."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_drift import drift, one, vms

import fleet

#: Whatever a test looks at, its words are held against a snapshot, too.
pytestmark = pytest.mark.usefixtures("in_words")

Data = dict[str, Any]
Change = Callable[[Data], None]
CLAIM = {"name": "extra", "persistentVolumeClaim": {"claimName": "claim", "hotpluggable": True}}
NIC = {"name": "blue", "bridge": {}}
RESTART = {"type": "RestartRequired", "status": "True", "lastTransitionTime": fleet.LATER}
IMAGE = {"name": "extra", "containerDisk": {"image": "registry.example.org/tools:1"}}


class Lab:
    """One VM, in Git and in its cluster, with its machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        fleet.write_git(folder / "git", range(1))
        git = fleet.in_git(0)
        assert git is not None
        self.git, self.objects = git, fleet.cluster_objects(range(1))
        self.vm, self.vmi = (one(self.objects, kind) for kind in ("VirtualMachine", "VirtualMachineInstance"))

    def change(self, change: Change) -> None:
        """Change the template in Git, which was synced: the VM of the cluster has the same."""
        for vm in (self.git, self.vm):
            change(vm["spec"]["template"]["spec"])

    def strategy(self, strategy: str) -> None:
        for vm in (self.git, self.vm):
            vm["spec"]["runStrategy"] = strategy

    def reasons(self) -> dict[str, Any]:
        """The fields of each reason by its kind, or else its message."""
        (self.folder / "git" / "team-0" / "in-sync-0.yaml").write_text(json.dumps(self.git))
        (self.folder / "lab.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": self.objects}))
        result = drift("-f", f"{self.folder}/git", "--live", f"{self.folder}/lab.json", "-o", "json")
        (vm,) = vms(result).values()
        assert result.exit_code == (1 if vm["reasons"] else 0)
        return {
            reason["kind"]: [field["field"].removeprefix("spec.template.spec.") for field in reason.get("fields", ())]
            or reason["message"]
            for reason in vm["reasons"]
        }


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def plug(spec: Data) -> None:
    spec["domain"]["devices"]["disks"].append({"name": "extra", "disk": {"bus": "scsi"}})
    spec["volumes"].append(CLAIM)


def wire(spec: Data) -> None:
    spec["domain"]["devices"]["interfaces"].append(NIC)
    spec["networks"].append({"name": "blue", "multus": {"networkName": "blue"}})


def test_a_disk_that_only_a_new_machine_gets_waits_for_a_restart(lab):
    def build_in(spec: Data) -> None:
        spec["domain"]["devices"]["disks"].append({"name": "extra", "disk": {}})
        spec["volumes"].append(IMAGE)

    lab.change(build_in)
    lab.vm["status"]["conditions"] = [RESTART]
    assert lab.reasons() == {"restart": ["domain.devices.disks[extra]", "volumes[extra]"]}


class TestVolumes:
    @pytest.mark.parametrize(("phase", "reasons"), [("AttachedToNode", ["volumes[extra]"]), ("Ready", None)])
    def test_a_volume_is_there_when_it_is_ready(self, lab, phase, reasons):
        lab.change(plug)
        assert lab.reasons() == {"following": ["volumes[extra]"]}
        plug(lab.vmi["spec"])
        lab.vmi["status"]["volumeStatus"] = [{"name": "extra", "target": "", "phase": phase, "hotplugVolume": {}}]
        assert lab.reasons() == ({"following": reasons} if reasons else {})

    def test_one_that_the_machine_alone_has_is_gone_with_the_next_start(self, lab):
        plug(lab.vmi["spec"])
        assert lab.reasons() == {"restart": ["volumes[extra]"]}


class TestInterfaces:
    @pytest.mark.parametrize(("source", "waits"), [("multus-status", True), ("domain, multus-status", False)])
    def test_an_interface_is_there_when_the_domain_has_it(self, lab, source, waits):
        lab.change(wire)
        assert lab.reasons() == {"migration": ["domain.devices.interfaces[blue]"]}
        wire(lab.vmi["spec"])
        names = (("default", "domain"), ("blue", source))
        lab.vmi["status"]["interfaces"] = [{"name": name, "infoSource": source} for name, source in names]
        assert ("migration" in lab.reasons()) is waits

    @pytest.fixture
    def moved(self, lab) -> Lab:
        """A VM that was started on one network and is to be on another."""
        revision = next(obj for obj in lab.objects if obj["metadata"]["name"].startswith("revision-start"))
        revision["data"] = copy.deepcopy(revision["data"])
        lab.change(wire)
        for spec in (lab.vmi["spec"], revision["data"]["spec"]["template"]["spec"]):
            wire(spec)
        names = ("default", "blue")
        lab.vmi["status"]["interfaces"] = [{"name": name, "infoSource": "domain, multus-status"} for name in names]
        assert lab.reasons() == {}
        lab.change(lambda spec: spec["networks"][-1]["multus"].update(networkName="green"))
        return lab

    @pytest.mark.parametrize("status", ["True", "False"])
    def test_another_network_comes_with_a_migration(self, moved, status):
        assert moved.reasons() == {"migration": ["networks[blue].multus.networkName"]}
        moved.vmi["spec"]["networks"][-1]["multus"]["networkName"] = "green"
        assert moved.reasons() == {}
        required = {"type": "MigrationRequired", "status": status, "lastTransitionTime": fleet.LATER}
        moved.vmi["status"]["conditions"].append(required)
        assert moved.reasons() == {"migration": "KubeVirt has set MigrationRequired"}

    def test_another_network_waits_for_a_restart_without_the_gate(self, moved):
        gates = {"disabledFeatureGates": ["LiveUpdateNADRef"]}
        kubevirt = one(moved.objects, "KubeVirt")
        changed = {**kubevirt, "spec": {"configuration": {"developerConfiguration": gates}}}
        moved.objects[moved.objects.index(kubevirt)] = changed
        moved.vm["status"]["conditions"] = [RESTART]
        assert [*moved.reasons()] == ["restart"]


class TestAmounts:
    def test_sockets_that_were_raised_and_taken_back_wait_for_a_restart(self, lab):
        lab.vmi["spec"]["domain"]["cpu"]["sockets"] = 2
        lab.vm["status"]["conditions"] = [RESTART]
        assert lab.reasons() == {"restart": ["domain.cpu.sockets"]}

    def test_memory_that_was_raised_and_taken_back_waits_for_a_migration(self, lab):
        lab.vmi["spec"]["domain"]["memory"]["guest"] = "4Gi"
        assert lab.reasons() == {"migration": ["domain.memory.guest"]}

    def test_what_libvirt_rounds_is_no_difference(self, lab):
        lab.vmi["status"]["memory"] = {"guestAtBoot": "2Gi", "guestCurrent": "2097153Ki"}
        assert lab.reasons() == {}


@pytest.mark.parametrize("key", ["nodeSelector", "tolerations", "affinity"])
def test_where_it_may_run_is_followed_at_once(lab, key):
    values = {
        "nodeSelector": {"zone": "a"},
        "tolerations": [{"key": "gpu", "operator": "Exists"}],
        "affinity": {"podAntiAffinity": {}},
    }
    lab.change(lambda spec: spec.update({key: values[key]}))
    fields = lab.reasons()["following"]
    assert all(field.startswith(key) for field in fields)
    lab.vmi["spec"][key] = values[key]
    assert lab.reasons() == {}


def test_a_label_of_the_template_comes_with_the_next_start(lab):
    for vm in (lab.git, lab.vm):
        vm["spec"]["template"]["metadata"]["labels"]["tier"] = "web"
    assert lab.reasons() == {"restart": ["spec.template.metadata.labels.tier"]}
    lab.vmi["metadata"]["labels"]["tier"] = "web"
    assert lab.reasons() == {}


class TestPhases:
    @pytest.mark.parametrize("phase", ["Pending", "Scheduling", "Scheduled", "Failed", "Succeeded", "Unknown", None])
    def test_a_machine_that_is_to_run_and_does_not_is_no_sync(self, lab, phase):
        lab.vmi["status"]["phase"] = phase
        assert lab.reasons() == {"down": f"the phase of its machine is {phase or 'unknown'}: Running"}

    @pytest.mark.parametrize(
        ("strategy", "phase", "kinds"),
        [
            ("RerunOnFailure", "Succeeded", []),
            ("RerunOnFailure", "Failed", ["down"]),
            ("Once", "Failed", []),
            ("Manual", "Scheduling", ["down"]),
            ("Halted", "Succeeded", []),
            ("Halted", "Running", ["stopping"]),
        ],
    )
    def test_who_may_end_has_ended(self, lab, strategy, phase, kinds):
        lab.strategy(strategy)
        lab.vmi["status"]["phase"] = phase
        assert [*lab.reasons()] == kinds

    @pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
    def test_what_only_a_new_machine_gets_does_not_wait_for_one_that_has_ended(self, lab, phase):
        lab.strategy("Manual")
        lab.change(lambda spec: spec.update(hostname="other"))
        lab.vmi["status"]["phase"] = phase
        assert lab.reasons() == {}

    def test_a_machine_that_is_being_stopped_is_told(self, lab):
        lab.vmi["metadata"]["deletionTimestamp"] = fleet.LATER
        assert lab.reasons() == {"stopping": "its machine is still there"}

    def test_a_machine_that_cannot_follow_is_told(self, lab):
        failed = {"type": "Synchronized", "status": "False", "message": "no such disk"}
        lab.vmi["status"]["conditions"].append(failed)
        assert lab.reasons() == {"domain": "its machine cannot follow: no such disk"}


class TestNoMachine:
    @pytest.fixture
    def off(self, lab: Lab) -> Lab:
        lab.objects.remove(lab.vmi)
        lab.vm["status"] |= {"created": False, "printableStatus": "Stopped"}
        return lab

    @pytest.mark.parametrize(
        ("strategy", "status", "kinds"),
        [
            ("Always", {}, ["down"]),
            ("Once", {}, ["down"]),
            ("RerunOnFailure", {"runStrategy": "Always"}, ["down"]),
            ("RerunOnFailure", {"runStrategy": "RerunOnFailure"}, []),
            ("Manual", {}, []),
            ("Manual", {"stateChangeRequests": [{"action": "Start"}]}, ["down"]),
            ("Halted", {}, []),
        ],
    )
    def test_a_vm_that_virt_controller_is_to_start_is_no_sync(self, off, strategy, status, kinds):
        off.strategy(strategy)
        off.vm["status"] |= status
        assert [*off.reasons()] == kinds

    def test_a_machine_of_its_name_that_is_anothers_is_none_of_its(self, lab):
        lab.vmi["metadata"]["ownerReferences"][0] |= {"kind": "VirtualMachineInstanceReplicaSet", "uid": "other"}
        assert lab.reasons() == {
            "down": "its runStrategy is Always, and there is no machine: Running; "
            "the VirtualMachineInstance of its name is that of another VirtualMachineInstanceReplicaSet"
        }

    def test_one_that_nothing_controls_is_adopted(self, lab):
        del lab.vmi["metadata"]["ownerReferences"]
        assert lab.reasons() == {}


@pytest.mark.parametrize("kind", ["Failure", "ManualRecoveryRequired"])
def test_what_virt_controller_cannot_do_is_told(lab, kind):
    failed = {"type": kind, "status": "True", "reason": "FailedCreate", "message": "no DataVolume may be created"}
    lab.vm["status"]["conditions"] = [failed]
    assert lab.reasons() == {"following": "virt-controller gets no further: no DataVolume may be created"}
    lab.vm["status"]["conditions"] = [failed | {"status": "False"}]
    assert lab.reasons() == {}


class TestTypes:
    def test_a_type_that_git_has_otherwise_waits_to_be_synced(self, lab):
        types = lab.folder / "git" / "types.json"
        types.write_text(
            types.read_text().replace('"guest": 1,', '"guest": 3,').replace('"guest": 1\n', '"guest": 3\n')
        )
        assert lab.reasons() == {"behind": ["spec.cpu.guest"]}

    def test_one_that_the_cluster_has_lost_waits_to_be_synced(self, lab):
        header = {"apiVersion": "virtcatalog.dev/v1", "kind": "ClusterDump", "cluster": "lab", "gaps": []}
        lab.objects[:] = [header, *(obj for obj in lab.objects if obj["metadata"]["name"] != "small")]
        assert lab.reasons() == {"behind": "its instancetype small is only in Git"}
