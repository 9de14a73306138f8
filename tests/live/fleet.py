"""Two hundred VMs in a repository and in a cluster, in twelve states: what KubeVirt stored is made by our own rules."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from virtcatalog.api.decode import to_manifest
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.pin import revision_of
from virtcatalog.kubevirt.rollout.rollout import start
from virtcatalog.kubevirt.rollout.running import Running

STATES = (
    "in-sync",
    "edited",
    "template",
    "type",
    "preference",
    "paused",
    "stopped",
    "pinned",
    "deleted",
    "unmanaged",
    "refused",
    "migrating",
)
#: What `drift` is to say of each.
VERDICTS = {
    "template": "restart",
    "type": "restart",
    "preference": "restart",
    "deleted": "deleted-in-git",
}
NUMBER = 200
SECRET = "swordfish"
GITOPS, TIME, LATER = "kustomize-controller", "2026-03-01T08:00:00Z", "2026-03-02T09:30:00Z"
Data = dict[str, Any]


def _type(name: str, cpus: int, memory: str) -> Data:
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": name},
        "spec": {"cpu": {"guest": cpus}, "memory": {"guest": memory}},
    }


def _preference(name: str, bus: str) -> Data:
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterPreference",
        "metadata": {"name": name},
        "spec": {"devices": {"preferredDiskBus": bus}},
    }


KUBEVIRT = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "KubeVirt",
    "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
    "spec": {"configuration": {}},
    "status": {"observedKubeVirtVersion": "v1.9.0"},
}
TYPES = [_type("small", 1, "2Gi"), _type("large", 4, "8Gi"), _type("grown", 8, "16Gi")]
TYPES[1]["spec"]["ioThreadsPolicy"] = "shared"  # which no machine gets while it runs
PREFERENCES = [_preference("linux", "virtio"), _preference("old-linux", "sata")]
#: The type `grown` as it was when VMs were started with it.
BEFORE = _type("grown", 2, "4Gi")


def state_of(number: int) -> str:
    return STATES[number % len(STATES)]


def name_of(number: int) -> tuple[str, str]:
    return f"team-{number % 5}", f"{state_of(number)}-{number}"


def manifest(number: int) -> Data:
    """A VM as its author writes it."""
    namespace, name = name_of(number)
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": f"app-{number % 7}"}},
        "spec": {
            "runStrategy": "Always",
            "instancetype": {"name": "grown" if state_of(number) == "pinned" else "small"},
            "preference": {"name": "linux"},
            "template": {
                "metadata": {"labels": {"app": f"app-{number % 7}"}},
                "spec": {
                    "hostname": f"host-{number}",
                    "domain": {
                        "devices": {
                            "disks": [{"name": "root", "disk": {}}, {"name": "init", "disk": {}}],
                            "interfaces": [{"name": "default", "masquerade": {}}],
                        }
                    },
                    "networks": [{"name": "default", "pod": {}}],
                    "volumes": [
                        {"name": "root", "containerDisk": {"image": "registry.example.org/os:1"}},
                        {"name": "init", "cloudInitNoCloud": {"userData": f"#cloud-config\npassword: {SECRET}\n"}},
                    ],
                },
            },
        },
    }


def fields_of(data: Any) -> Data:
    """The set of fields of some data as the API server notes it; lists are atomic."""
    if not isinstance(data, dict):
        return {}
    return {f"f:{key}": fields_of(value) for key, value in data.items()}


def managed(manager: str, operation: str, fields: Data, time: str = TIME) -> Data:
    return {
        "manager": manager,
        "operation": operation,
        "apiVersion": "kubevirt.io/v1",
        "time": time,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }


def in_git(number: int) -> Data | None:
    """A VM as Git has it now, None where it is not there."""
    vm, state = manifest(number), state_of(number)
    spec = vm["spec"]
    machine = spec["template"]["spec"]
    match state:
        case "deleted" | "unmanaged":
            return None
        case "template":
            machine["hostname"] = f"renamed-{number}"
        case "type":
            spec["instancetype"]["name"] = "large"
        case "preference":
            spec["preference"]["name"] = "old-linux"
        case "refused":
            machine["domain"]["devices"]["disks"].append({"name": "nothing-there", "disk": {}})
    return vm


class _Stored:
    """What a cluster has of a VM that was created and started: KubeVirt's own objects of it."""

    def __init__(self, number: int) -> None:
        types = [*(kind for kind in TYPES if kind["metadata"]["name"] != "grown"), BEFORE]
        self.cluster = Cluster([KUBEVIRT, *types, *PREFERENCES])
        wanted = manifest(number)
        running = start(wanted, self.cluster)
        assert isinstance(running, Running)
        assert running.vmi is not None
        assert running.started is not None
        self.number, self.written = number, wanted
        self.revisions = [to_manifest(revision) for revision in running.revisions.values() if revision is not None]
        self.vm = to_manifest(running.vm)
        self.vmi = to_manifest(running.vmi)
        uid = f"00000000-0000-4000-8000-{number:012d}"
        self.started: Data = {
            "apiVersion": "apps/v1",
            "kind": "ControllerRevision",
            "metadata": {"name": f"revision-start-vm-{uid}-1", "namespace": wanted["metadata"]["namespace"]},
            "data": {"spec": to_manifest(running.started)},
            "revision": 1,
        }
        self.vm["metadata"] |= {"uid": uid, "generation": 1, "creationTimestamp": TIME}
        self.vm["metadata"]["managedFields"] = [
            managed(GITOPS, "Apply", fields_of({key: wanted[key] for key in ("spec",)})),
            managed(GITOPS, "Update", fields_of(_beyond(self.vm["spec"], wanted["spec"]))),
        ]
        self.vm["status"] |= {"created": True, "ready": True, "printableStatus": "Running", "conditions": []}
        self.vmi["metadata"]["creationTimestamp"] = TIME
        self.vmi["status"] = {
            **self.vmi.get("status", {}),
            "phase": "Running",
            "nodeName": "node-1",
            "virtualMachineRevisionName": self.started["metadata"]["name"],
            "conditions": [{"type": "Ready", "status": "True"}],
        }
        self._draw(uid)

    def _draw(self, uid: str) -> None:
        """What KubeVirt draws at random is not what we draw of the name."""
        for spec in (self.vm["spec"], self.started["data"]["spec"]):
            spec["template"]["spec"]["domain"]["firmware"]["uuid"] = uid
        self.vmi["spec"]["domain"]["firmware"]["uuid"] = uid
        self.vmi["metadata"]["ownerReferences"][0]["uid"] = uid

    def changed(self, manager: str, time: str = LATER) -> Data:
        """The VM's spec, to be changed by a manager; the API server notes another generation."""
        self.vm["metadata"]["generation"] += 1
        self._manager, self._time, self._former = manager, time, copy.deepcopy(self.vm["spec"])
        return self.vm["spec"]

    def note(self, operation: str = "Update") -> None:
        """Note who owns what was changed; nobody else owns it any more."""
        changed = {"f:spec": _changed(self._former, self.vm["spec"])}
        entries = self.vm["metadata"]["managedFields"]
        for entry in entries:
            _disown(entry["fieldsV1"], changed)
        if operation == "Apply":
            entries[0]["time"] = self._time
            _own(entries[0]["fieldsV1"], changed)
        else:
            entries.append(managed(self._manager, operation, changed, self._time))

    def hold(self, which: str, obj: Data) -> None:
        """Store another type or preference for the VM, which its status names."""
        vm = start(self.written, self.cluster)
        assert isinstance(vm, Running)
        find = self.cluster.instancetype if which == "instancetype" else self.cluster.preference
        stored = find(obj["kind"], "", obj["metadata"]["name"])
        assert stored is not None
        revision = revision_of(vm.vm, obj["kind"], stored, f"uid-{obj['metadata']['name']}", 1)
        self.revisions.append(revision)
        reference = {"name": obj["metadata"]["name"], "kind": obj["kind"]}
        held = {"controllerRevisionRef": {"name": revision["metadata"]["name"]}}
        self.vm["status"][f"{which}Ref"] = reference | held

    def require_restart(self) -> None:
        condition = {"type": "RestartRequired", "status": "True", "lastTransitionTime": LATER}
        self.vm["status"]["conditions"].append(condition)

    @property
    def objects(self) -> list[Data]:
        machine = [self.vmi, self.started] if self.vmi else []
        return [self.vm, *machine, *self.revisions]


def _beyond(stored: Any, written: Any) -> Data:
    """What was stored beyond what was written, as a spec."""
    rest = {}
    for key, value in stored.items():
        if key not in written:
            rest[key] = value
        elif isinstance(value, dict) and isinstance(written[key], dict):
            inner = _beyond(value, written[key])
            if inner:
                rest[key] = inner
    return rest


def _changed(old: Data, new: Data) -> Data:
    fields = {}
    for key, value in new.items():
        if key not in old:
            fields[f"f:{key}"] = fields_of(value)
        elif value != old[key]:
            both = isinstance(value, dict) and isinstance(old[key], dict)
            fields[f"f:{key}"] = _changed(old[key], value) if both else {}
    return fields


def _disown(fields: Data, changed: Data) -> None:
    for key, below in changed.items():
        if key in fields:
            if below and fields[key]:
                _disown(fields[key], below)
            if not below or not fields[key]:
                del fields[key]


def _own(fields: Data, changed: Data) -> None:
    for key, below in changed.items():
        if below:
            _own(fields.setdefault(key, {}), below)
        else:
            fields[key] = {}


def in_cluster(number: int) -> list[Data]:
    """What the cluster has of a VM."""
    stored, state = _Stored(number), state_of(number)
    match state:
        case "edited":
            spec = stored.changed("kubectl-edit")["template"]["spec"]
            # What Git has not, and what Git has otherwise.
            spec |= {"terminationGracePeriodSeconds": 5} if number % 24 == 1 else {"hostname": "by-hand"}
            stored.note()
            stored.require_restart()
        case "template":
            stored.changed(GITOPS)["template"]["spec"]["hostname"] = f"renamed-{number}"
            stored.note("Apply")
            stored.require_restart()
        case "type":
            stored.changed(GITOPS)["instancetype"]["name"] = "large"
            stored.note("Apply")
            stored.hold("instancetype", TYPES[1])
            stored.require_restart()
        case "preference":
            stored.changed(GITOPS)["preference"]["name"] = "old-linux"
            stored.note("Apply")
            stored.hold("preference", PREFERENCES[1])
            stored.require_restart()
        case "paused":
            condition = {"type": "Paused", "status": "True", "reason": "PausedByUser", "lastTransitionTime": LATER}
            stored.vmi["status"]["conditions"].append(condition)
        case "stopped":
            stored.changed("virt-api")["runStrategy"] = "Halted"
            stored.note()
            stored.vm["status"] |= {"created": False, "ready": False, "printableStatus": "Stopped"}
            stored.vmi = {}
        case "unmanaged":
            stored.vm["metadata"]["managedFields"] = [managed("kubectl-create", "Update", {"f:spec": {}})]
        case "migrating":
            move = {"startTimestamp": LATER, "sourceNode": "node-1", "targetNode": "node-2"}
            stored.vmi["status"]["migrationState"] = move
    return stored.objects


def cluster_objects(numbers: range = range(NUMBER)) -> list[Data]:
    """All that the cluster has."""
    return [KUBEVIRT, *TYPES, *PREFERENCES, *(obj for number in numbers for obj in in_cluster(number))]


def write_git(folder: Path, numbers: range = range(NUMBER)) -> None:
    """Write the repository."""
    folder.mkdir(parents=True)
    (folder / "types.json").write_text(_list([*TYPES, *PREFERENCES]))
    for number in numbers:
        vm = in_git(number)
        if vm is not None:
            place = folder / vm["metadata"]["namespace"]
            place.mkdir(exist_ok=True)
            (place / f"{vm['metadata']['name']}.yaml").write_text(json.dumps(vm, indent=1))


def _list(items: list[Data]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=1)


def write_dump(file: Path, numbers: range = range(NUMBER)) -> None:
    """Write what `kubectl get -o json --show-managed-fields` prints."""
    file.write_text(_list(cluster_objects(numbers)))


def expected(number: int) -> str:
    """What `drift` is to say of a VM."""
    return VERDICTS.get(state_of(number), state_of(number))


#: What is said of VMs beside their fields, where a test wants to know.
sentences: list[str] | None = None


def heard(vms: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The VMs of a report, of which all that is said is noted."""
    for vm in vms if sentences is not None else ():
        sentences.extend(f"{reason['kind']}: {reason['message']}" for reason in vm["reasons"] if reason.get("message"))
        sentences.extend(f"noise: {noise['field']}: {noise['why']}" for noise in vm.get("noise", ()))
    return vms
