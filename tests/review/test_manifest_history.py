"""Thirty changes in a repository with real history, and what each does to the VMs that run in three environments.

`production` runs the newest release, `staging` plugs nothing in (rollout strategy Stage), `lab` runs an older release.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from checkouts import git
from virtcatalog.cli import main
from virtcatalog.review import declared
from virtcatalog.review.verdict import Verdict

ENVIRONMENTS = {
    "production": ("{}", "v1.9.0"),
    "staging": ("{vmRolloutStrategy: Stage}", "v1.9.0"),
    "lab": ("{}", "v1.8.4"),
}
KUBEVIRT = """\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt, namespace: kubevirt}
spec: {configuration: CONFIGURATION}
status: {observedKubeVirtVersion: RELEASE}
"""
TYPES = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: m.small}
spec: {cpu: {guest: 2}, memory: {guest: 4Gi}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: m.large}
spec: {cpu: {guest: 4}, memory: {guest: 8Gi}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterPreference
metadata: {name: server}
spec: {devices: {preferredDiskBus: virtio}, cpu: {preferredCPUTopology: sockets}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterPreference
metadata: {name: old}
spec: {devices: {preferredDiskBus: sata}, cpu: {preferredCPUTopology: sockets}}
---
apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: kept, namespace: shop, labels: {instancetype.kubevirt.io/object-name: m.small}}
revision: 0
data:
  apiVersion: instancetype.kubevirt.io/v1beta1
  kind: VirtualMachineClusterInstancetype
  metadata: {name: m.small}
  spec: {cpu: {guest: 2}, memory: {guest: 4Gi}}
"""
WEB = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: shop}
spec:
  runStrategy: Always
  template:
    metadata: {labels: {app: web}}
    spec:
      domain:
        cpu: {sockets: 2}
        memory: {guest: 2Gi}
        devices:
          disks: [{name: root, disk: {bus: virtio}}]
          interfaces: [{name: default, masquerade: {}}]
      networks: [{name: default, pod: {}}]
      volumes: [{name: root, containerDisk: {image: "registry.example.org/web:1"}}]
"""
DB = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: NAME, namespace: shop}
spec:
  runStrategy: Always
  instancetype: {name: m.small REVISION}
  preference: {name: server}
  template:
    spec:
      domain: {devices: {interfaces: [{name: default, masquerade: {}}]}}
      networks: [{name: default, pod: {}}]
      volumes: [{name: root, containerDisk: {image: "registry.example.org/db:1"}}]
"""
STORE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: store, namespace: shop}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        memory: {guest: 2Gi}
        devices:
          disks: [{name: root, disk: {bus: virtio}}, {name: fixed, disk: {bus: virtio}}]
          interfaces: [{name: default, masquerade: {}}, {name: lan, bridge: {}}]
      networks: [{name: default, pod: {}}, {name: lan, multus: {networkName: blue}}]
      volumes:
        - {name: root, containerDisk: {image: "registry.example.org/store:1"}}
        - {name: fixed, persistentVolumeClaim: {claimName: fixed}}
"""
FILES = {
    "types.yaml": TYPES,
    "web.yaml": WEB,
    "db.yaml": DB.replace("NAME", "db").replace(" REVISION", ""),
    "pinned.yaml": DB.replace("NAME", "pinned").replace(" REVISION", ", revisionName: kept"),
    "store.yaml": STORE,
}
KEPT = {"shop/db": "kept", "shop/pinned": "kept"}
SMALL = "metadata: {name: m.small}\nspec: {cpu: {guest: 2}, memory: {guest: 4Gi}}"
DISKS = "disks: [{name: root, disk: {bus: virtio}}"
PLUGGED = DISKS + ", {name: more, disk: {bus: scsi}}"
ROOT = '- {name: root, containerDisk: {image: "registry.example.org/store:1"}}'
MORE = ROOT + "\n        - {name: more, persistentVolumeClaim: {claimName: more, hotpluggable: true}}"
EVICT = "descheduler.alpha.kubernetes.io/evict: 'true'"
FIXED = "        - {name: fixed, persistentVolumeClaim: {claimName: fixed}}\n"
AFFINITY = """affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}
      domain:"""

Edit = tuple[str, str]
Fates = dict[str, Any]


def web(*kinds: str) -> tuple[Fates, ...]:
    return tuple({"shop/web": kind} if kind else {} for kind in kinds * (3 // len(kinds)))


#: What is changed: the file, text → text; and what becomes of which VM in production, staging and lab.
CHANGES: dict[str, tuple[str, list[Edit], tuple[Fates, ...]]] = {
    "more-sockets": ("web.yaml", [("sockets: 2", "sockets: 4")], web("migrate", "restart", "migrate")),
    "fewer-sockets": ("web.yaml", [("sockets: 2", "sockets: 1")], web("restart")),
    "sockets-beyond-the-limit": ("web.yaml", [("sockets: 2", "sockets: 9")], web("restart")),
    "more-memory": ("web.yaml", [("guest: 2Gi", "guest: 4Gi")], web("migrate", "restart", "migrate")),
    "less-memory": ("web.yaml", [("guest: 2Gi", "guest: 1Gi")], web("restart")),
    "memory-beyond-the-limit": ("web.yaml", [("guest: 2Gi", "guest: 16Gi")], web("restart")),
    "memory-out-of-step": ("web.yaml", [("guest: 2Gi", "guest: 3000M")], web("restart")),
    "hostname": ("web.yaml", [("      domain:", "      hostname: w\n      domain:")], web("restart")),
    "image": ("web.yaml", [("web:1", "web:2")], web("restart")),
    "another-bus": ("web.yaml", [("{bus: virtio}", "{bus: sata}")], web("restart")),
    "node-selector": (
        "web.yaml",
        [("      domain:", "      nodeSelector: {zone: a}\n      domain:")],
        web("live", "restart", "live"),
    ),
    "tolerations": (
        "web.yaml",
        [("      domain:", "      tolerations: [{key: a, operator: Exists}]\n      domain:")],
        web("live", "restart", "live"),
    ),
    "affinity": ("web.yaml", [("domain:", AFFINITY)], web("live", "restart", "live")),
    "descheduler": (
        "web.yaml",
        [
            (
                "metadata: {labels: {app: web}}",
                "metadata: {annotations: {descheduler.alpha.kubernetes.io/evict: 'true'}}",
            )
        ],
        web("live"),
    ),
    "label": ("web.yaml", [("labels: {app: web}", "labels: {app: web, tier: front}")], web("changed")),
    "switched-off": ("web.yaml", [("runStrategy: Always", "runStrategy: Halted")], web("stop")),
    "sockets-above-their-own-limit": (
        "web.yaml",
        [("sockets: 2", "sockets: 2, maxSockets: 1")],
        web("refused"),
    ),
    "memory-above-its-own-limit": (
        "web.yaml",
        [("guest: 2Gi", "guest: 2Gi, maxGuest: 1Gi")],
        web("refused", "restart", "refused"),
    ),
    "disk-without-volume": ("web.yaml", [(DISKS, DISKS + ", {name: none, disk: {bus: virtio}}")], web("refused")),
    "network-without-interface": (
        "web.yaml",
        [("networks: [", "networks: [{name: other, multus: {networkName: blue}}, ")],
        web("refused"),
    ),
    "resize-by-rename": (
        "db.yaml",
        [("m.small", "m.large")],
        ({"shop/db": "migrate"}, {"shop/db": "restart"}, {"shop/db": "migrate"}),
    ),
    # The disk of a volume that names none is made with the machine: no field of the VM tells of it.
    "another-preference": ("db.yaml", [("name: server", "name: old")], ({"shop/db": "changed"},) * 3),
    "no-such-type": ("db.yaml", [("m.small", "m.smal")], ({"shop/db": "refused"},) * 3),
    "of-another-type": ("pinned.yaml", [("m.small", "m.large")], ({"shop/pinned": "refused"},) * 3),
    "type-in-place": ("types.yaml", [(SMALL, SMALL.replace("guest: 2}", "guest: 3}"))], (KEPT,) * 3),
    "type-removed": ("types.yaml", [(TYPES[: TYPES.index("---") + 4], "")], (KEPT,) * 3),
    "preference-in-place": ("types.yaml", [("virtio}, cpu", "scsi}, cpu")], (KEPT,) * 3),
    "volume-plugged-in": (
        "store.yaml",
        [(DISKS, PLUGGED), (ROOT, MORE)],
        ({"shop/store": "live"}, {"shop/store": "live"}, {"shop/store": "changed"}),
    ),
    "volume-gone": (
        "store.yaml",
        [
            (", {name: fixed, disk: {bus: virtio}}", ""),
            ("        - {name: fixed, persistentVolumeClaim: {claimName: fixed}}\n", ""),
        ],
        ({"shop/store": "restart"},) * 3,
    ),
    "another-network": (
        "store.yaml",
        [("networkName: blue", "networkName: red")],
        ({"shop/store": "pending"}, {"shop/store": "pending"}, {"shop/store": "restart"}),
    ),
    "interface-absent": (
        "store.yaml",
        [("{name: lan, bridge: {}}", "{name: lan, bridge: {}, state: absent}")],
        ({"shop/store": "pending"},) * 3,
    ),
    "configuration": (
        "kubevirt.yaml",
        [("configuration: {", "configuration: {virtualMachineOptions: {disableSerialConsoleLog: {}}, ")],
        ({"shop/web": "changed", "shop/db": "changed", "shop/pinned": "changed", "shop/store": "changed"},) * 3,
    ),
}


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a branch for each change, of a main branch that has them all after another in its past."""
    root = tmp_path_factory.mktemp("history")

    git(root, "init", "-q", "-b", "main")
    for environment, (configuration, release) in ENVIRONMENTS.items():
        folder = root / environment
        folder.mkdir()
        kubevirt = KUBEVIRT.replace("CONFIGURATION", configuration).replace("RELEASE", release)
        for name, text in {**FILES, "kubevirt.yaml": kubevirt}.items():
            (folder / name).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "the environments")
    for change, (name, edits, _) in CHANGES.items():
        git(root, "checkout", "-q", "-b", change, "main")
        for environment in ENVIRONMENTS:
            file = root / environment / name
            text = file.read_text()
            for old, new in edits:
                assert text.count(old) == 1, (change, old)
                text = text.replace(old, new)
            file.write_text(text)
        git(root, "commit", "-q", "-a", "-m", change)
    git(root, "checkout", "-q", "main")
    return root


def touched(change: str, environment: str) -> dict[str, str]:
    """The VMs that are touched, and what becomes of them: now, or at their next start if nothing happens now."""
    result = CliRunner().invoke(main, ["diff", f"main...{change}", "-c", environment, "-o", "json"])
    assert result.exit_code in (0, 1), result.output
    report = json.loads(result.stdout)
    assert sum(report["summary"]["now"].values()) == report["summary"]["vms"] == 4
    return {
        verdict["vm"]: verdict["now"] if verdict["now"] != "unchanged" else verdict["next"] for verdict in report["vms"]
    }


@pytest.mark.parametrize("change", CHANGES)
def test_each_change_does_to_each_vm_what_kubevirt_does(
    history: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    monkeypatch.chdir(history)
    expected = dict(zip(ENVIRONMENTS, CHANGES[change][2], strict=True))
    assert {environment: touched(change, environment) for environment in ENVIRONMENTS} == expected


@pytest.mark.parametrize("change", CHANGES)
def test_a_judge_that_says_nothing_is_found_out(history: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    monkeypatch.chdir(history)
    monkeypatch.setattr(declared, "judge_applied", lambda *_: Verdict())
    monkeypatch.setattr(declared, "judge", lambda *_, **_options: Verdict())
    assert {environment: touched(change, environment) for environment in ENVIRONMENTS} != dict(
        zip(ENVIRONMENTS, CHANGES[change][2], strict=True)
    )


def test_there_are_thirty_changes_and_most_verdicts() -> None:
    assert len(CHANGES) >= 30
    kinds = {kind for _, _, expected in CHANGES.values() for fates in expected for kind in fates.values()}
    assert kinds == {"refused", "stop", "restart", "pending", "migrate", "live", "changed", "kept"}
