"""What `virtcatalog diff` tells of the VMs of pools, of ReplicaSets, and of VMIs without a VM: in every form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner, Result
from ruamel.yaml import YAML

from virtcatalog.cli import main

TYPES = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: small}
spec:
  cpu: {guest: 2}
  memory: {guest: 2Gi}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: large}
spec:
  cpu: {guest: 2}
  memory: {guest: 8Gi}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterPreference
metadata: {name: linux}
spec:
  devices:
    preferredDiskBus: virtio
"""
POOL = """\
apiVersion: pool.kubevirt.io/v1beta1
kind: VirtualMachinePool
metadata: {name: web, namespace: shop}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  virtualMachineTemplate:
    metadata: {labels: {app: web}}
    spec:
      runStrategy: Always
      instancetype: {name: small}
      preference: {name: linux}
      dataVolumeTemplates:
      - metadata: {name: root}
        spec:
          source: {blank: {}}
          storage:
            resources: {requests: {storage: 10Gi}}
      template:
        metadata: {labels: {app: web}}
        spec:
          hostname: web
          domain:
            devices:
              disks: [{name: root, disk: {}}]
          volumes: [{name: root, dataVolume: {name: root}}]
"""
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: shop}
spec:
  runStrategy: Always
  instancetype: {name: small}
  template: {spec: {domain: {devices: {}}}}
"""
REPLICA_SET = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceReplicaSet
metadata: {name: canary, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: canary}}
  template:
    metadata: {labels: {app: canary}}
    spec:
      domain: {memory: {guest: 1Gi}, devices: {}}
"""
VMI = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: probe, namespace: shop}
spec:
  domain: {memory: {guest: 1Gi}, devices: {}}
"""
KUBEVIRT = """\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt, namespace: kubevirt}
spec:
  configuration:
    vmRolloutStrategy: LiveUpdate
"""
GROWS = ("types.yaml", "guest: 2Gi", "guest: 3Gi")
BUS = ("types.yaml", "preferredDiskBus: virtio", "preferredDiskBus: scsi")
SIX, TWO = ("pool.yaml", "replicas: 4", "replicas: 6"), ("pool.yaml", "replicas: 4", "replicas: 2")
DISKS = ("pool.yaml", "storage: 10Gi", "storage: 20Gi")
LARGE = ("pool.yaml", "{name: small}", "{name: large}")
HOSTNAME = ("pool.yaml", "hostname: web", "hostname: shop")
UNMANAGED = ("pool.yaml", "  replicas: 4", "  updateStrategy: {unmanaged: {}}\n  replicas: 4")
PRESERVED = (
    "pool.yaml",
    "  replicas: 4",
    "  scaleInStrategy: {proactive: {statePreservation: Offline}}\n  replicas: 4",
)
LEFT_BEHIND = ("pool.yaml", "  replicas: 4", "  scaleInStrategy: {opportunistic: {}}\n  replicas: 4")
STAGE = ("kubevirt.yaml", "LiveUpdate", "Stage")
MANUAL = ("pool.yaml", "runStrategy: Always", "runStrategy: Manual")
FAILURE = ("pool.yaml", "runStrategy: Always", "runStrategy: RerunOnFailure")
SELECTOR = ("pool.yaml", "selector: {matchLabels: {app: web}}", "selector: {matchLabels: {run: web}}")
GONE = ("types.yaml", "{name: small}", "{name: tiny}")

Edit = tuple[str, str, str]


class Change(NamedTuple):
    """What differs between two folders, what both have otherwise than above, and all that is said of it."""

    edits: tuple[Edit, ...]
    sentence: str
    row: str
    words: str
    level: str
    requests: tuple[str, ...] = ()
    standing: tuple[Edit, ...] = ()


OBJECT = "; objects: 1 changed"
NONE = "; no other object changes"
MORE = "memory 2 → 3 GiB; memory hotplug limit 8 → 12 GiB"
CHANGES = {
    "a type that grows: VMs that are there keep it, new ones get it": Change(
        (GROWS,),
        f"none of 1 VM or pool is touched now; all 4 VMs of pool shop/web keep what they have{OBJECT}",
        "= kept  pool shop/web  because of small (types.yaml:6)",
        "all of its 4 VMs keep what they have; "
        f"VMs that it creates from now on, or of which the stored revision is refreshed: {MORE}",
        "kept",
        ("shop, small: 4 VMs: +4 GiB (guest +4 GiB) once created anew",),
    ),
    "a type that grows with the pool: new VMs have the new one now": Change(
        (GROWS, SIX),
        "1 of 1 VM or pool: 2 of the 6 VMs of pool shop/web created; all of its 4 VMs keep what they have" + OBJECT,
        "= kept, create  pool shop/web",
        "2 of its 6 VMs are created, the others keep what they have; replicas: 4 → 6; "
        f"VMs that it creates from now on: {MORE}",
        "kept",
        ("shop, small, spec.replicas: 4 → 6 VMs: +",),
    ),
    "a type that grows while the pool shrinks": Change(
        (GROWS, TWO),
        "1 of 1 VM or pool: 2 of the 4 VMs of pool shop/web deleted with their disks; "
        f"2 of its 4 VMs keep what they have{OBJECT}",
        "- delete 2 of 4 VMs, kept  pool shop/web",
        "2 of its 4 VMs are deleted with their disks, the others keep what they have; replicas: 4 → 2; "
        f"VMs that it creates from now on: {MORE}",
        "delete",
        ("shop, small, spec.replicas: 4 → 2 VMs: -",),
    ),
    "a type that grows while the pool restarts its VMs": Change(
        (GROWS, HOSTNAME),
        f"1 of 1 VM or pool: all 4 VMs of pool shop/web restarted automatically now{OBJECT}",
        "~ restart 4 VMs now  pool shop/web",
        "all of its 4 VMs are restarted automatically now; hostname: web → shop; "
        f"VMs that it creates from now on: {MORE}; by the pool itself: all at once",
        "restart",
        ("shop, hostname, small: 4 VMs: +4 GiB (guest +4 GiB) once created anew",),
    ),
    "other dataVolumeTemplates: all VMs are new, and have the new type": Change(
        (GROWS, DISKS),
        f"1 of 1 VM or pool: all 4 VMs of pool shop/web deleted with their disks and created anew{OBJECT}",
        "- delete, create anew  pool shop/web",
        "all of its 4 VMs are deleted with their disks and created anew; "
        f"a pool replaces VMs when their dataVolumeTemplates change; {MORE}",
        "delete",
        ("spec.dataVolumeTemplates[0].spec.storage.resources.requests.storage: 4 VMs: +4 GiB (guest +4 GiB) now",),
    ),
    "another type: the pool writes it into its VMs, and restarts none": Change(
        (LARGE,),
        f"1 of 1 VM or pool: all 4 VMs of pool shop/web need a restart by hand{NONE}",
        "~ restart  pool shop/web  because of spec.instancetype.name (pool.yaml:11)",
        "all of its 4 VMs need a restart by hand; memory 2 → 8 GiB; ",
        "restart",
    ),
    "another type in a pool that leaves its VMs alone": Change(
        (LARGE,),
        f"none of 1 VM or pool is touched now; all 4 VMs of pool shop/web keep what they have{NONE}",
        "= kept  pool shop/web  because of spec.instancetype.name (pool.yaml:12)",
        "all of its 4 VMs keep what they have; updateStrategy unmanaged: VMs that exist stay as they are; "
        "VMs that it creates from now on: memory 2 → 8 GiB",
        "kept",
        standing=(UNMANAGED,),
    ),
    "a preference that changes": Change(
        (BUS,),
        "none of 1 VM or pool is touched now; all 4 VMs of pool shop/web keep what they have; "
        f"if created anew, all of its 4 VMs may not boot{OBJECT}",
        "= kept, may not boot if created anew  pool shop/web",
        "VMs that it creates from now on, or of which the stored revision is refreshed: boot: boot disk 'root' virtio",
        "kept",
    ),
    "a type that goes while the pool grows": Change(
        (GONE, SIX),
        "1 of 1 VM or pool: 2 of the 6 VMs of pool shop/web refused; all of its 4 VMs keep what they have; "
        "if created anew, none of its 4 VMs can be created; objects: 1 renamed",
        "! refused, kept, cannot be created anew  pool shop/web",
        "2 of its 6 VMs are refused, the others keep what they have; replicas: 4 → 6; "
        "VMs that it creates from now on are refused: VirtualMachineClusterInstancetype 'small' is renamed to 'tiny'",
        "refused",
    ),
    "a type that goes while the pool is refused": Change(
        (GONE, SELECTOR),
        "1 of 1 VM or pool: pool shop/web refused; all of its 4 VMs keep what they have; "
        "if created anew, none of its 4 VMs can be created; objects: 1 renamed",
        "! refused, kept, cannot be created anew  pool shop/web",
        "VMs that it creates from now on are refused: VirtualMachineClusterInstancetype 'small' is renamed to 'tiny'",
        "refused",
    ),
    "a pool that shrinks": Change(
        (TWO,),
        f"1 of 1 VM or pool: 2 of the 4 VMs of pool shop/web deleted with their disks{NONE}",
        "- delete 2 of 4 VMs  pool shop/web  because of spec.replicas (pool.yaml:5)",
        "2 of its 4 VMs are deleted with their disks; replicas: 4 → 2",
        "delete",
        ("shop, spec.replicas: 4 → 2 VMs: -",),
    ),
    "a pool that shrinks and keeps the disks": Change(
        (TWO,),
        f"1 of 1 VM or pool: 2 of the 4 VMs of pool shop/web deleted{NONE}",
        "- delete 2 of 4 VMs  pool shop/web  because of spec.replicas (pool.yaml:6)",
        "2 of its 4 VMs are deleted; replicas: 4 → 2",
        "delete",
        standing=(PRESERVED,),
    ),
    "a pool that does not shrink by itself": Change(
        (TWO,),
        "1 VM: nothing changes; 1 VM differs in Git alone; no other object changes",
        "",
        "",
        "",
        standing=(LEFT_BEHIND,),
    ),
    "a pool whose VMs do not start again by themselves": Change(
        (HOSTNAME,),
        f"1 of 1 VM or pool: all 4 VMs of pool shop/web stopped; at their next start all of its 4 VMs change{NONE}",
        "- stop  pool shop/web  because of hostname (pool.yaml:22)",
        "all of its 4 VMs are stopped; the pool deletes their machines, and runStrategy Manual does not start them "
        "again; hostname: web → shop",
        "stop",
        standing=(MANUAL,),
    ),
    "a pool whose VMs start again where they fail": Change(
        (HOSTNAME,),
        f"1 of 1 VM or pool: all 4 VMs of pool shop/web stopped; at their next start all of its 4 VMs change{NONE}",
        "- stop  pool shop/web  because of hostname (pool.yaml:22)",
        "and runStrategy RerunOnFailure does not start them again",
        "stop",
        standing=(FAILURE,),
    ),
}


def diff(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["diff", "old", "new", "--no-cache", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def put(folder: str, files: dict[str, str], *edits: Edit) -> None:
    Path(folder).mkdir()
    for file, old, new in edits:
        assert old in files[file]
        files = {**files, file: files[file].replace(old, new)}
    for name, content in files.items():
        Path(folder, name).write_text(content)


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", CHANGES)
def test_a_pool_in_all_forms(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    change = CHANGES[name]
    files = {"types.yaml": TYPES, "pool.yaml": POOL}
    put("old", files, *change.standing)
    put("new", files, *change.standing, *change.edits)
    result = diff()
    text = flat(result.stdout)
    assert result.exit_code == 1
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert text.startswith(f"{change.sentence} old → new")
    assert text.endswith(change.sentence)
    assert flat(change.row) in text.replace("new/", "")
    assert change.words in text
    assert [line for line in change.requests if line not in text] == []
    comment = flat(diff("-o", "markdown").stdout.replace("\\", ""))
    assert comment.count(change.sentence) == 2
    report: dict[str, Any] = json.loads(diff("-o", "json").stdout)
    assert report["summary"]["sentence"] == change.sentence
    assert [verdict["level"] for verdict in report["vms"]] == [change.level] * bool(change.level)
    assert diff("--fail-on", "refused").exit_code == (change.level == "refused")
    assert diff("--fail-on", "delete").exit_code == (change.level in ("refused", "delete"))


def test_users_of_a_type_are_counted_as_what_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    vm = f"---\n{VM}"
    put("old", {"types.yaml": TYPES, "pool.yaml": POOL, "vm.yaml": VM})
    put("new", {"types.yaml": TYPES, "pool.yaml": POOL, "vm.yaml": VM}, GROWS)
    assert "1 VM and 1 pool keep a stored revision." in flat(diff("--full").stdout)
    Path("fleet.yaml").write_text(f"{POOL.replace('shop', 'ops')}{vm.replace('shop', 'ops')}")
    assert "2 VMs and 2 pools keep a stored revision." in flat(diff("--full", "-f", "fleet.yaml").stdout)
    for folder in ("old", "new"):
        Path(folder, "vm.yaml").unlink()
    assert " 1 pool keeps a stored revision." in flat(diff("--full").stdout)


def test_the_old_number_and_the_new_one_of_a_pool_are_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put("old", {"types.yaml": TYPES, "pool.yaml": POOL})
    put("new", {"types.yaml": TYPES, "pool.yaml": POOL}, TWO)
    report = json.loads(diff("-o", "json").stdout)
    (verdict,), (line,), (total,) = report["vms"], report["requests"], report["requestTotals"]
    assert (verdict["requests"]["vms_before"], verdict["requests"]["vms"]) == (4, 2)
    assert (line["vms_before"], line["vms"]) == (total["vms_before"], total["vms"]) == (4, 2)
    assert verdict["requests"]["before"]["guest"] == 2 * verdict["requests"]["after"]["guest"]


def test_vmis_without_a_vm_and_of_a_replica_set_have_no_stored_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"kubevirt.yaml": KUBEVIRT, "canary.yaml": REPLICA_SET, "probe.yaml": VMI}
    put("old", files)
    put("new", files, STAGE)
    result = diff()
    text = flat(result.stdout).replace(" because of the KubeVirt CR (new/kubevirt.yaml:6)", "")
    assert result.exit_code == 1
    assert "none of 2 VMs and ReplicaSets is touched now; " in text
    assert (
        "= kept shop/probe a VirtualMachineInstance without a VM is never started again; "
        "if created anew: CPU hotplug limit 4 → none; memory hotplug limit 4 GiB → none"
    ) in text
    assert (
        "= kept ReplicaSet shop/canary all of its 3 VMs keep what they have; "
        "VMIs that it creates from now on: CPU hotplug limit 4 → none; memory hotplug limit 4 GiB → none"
    ) in text
    for form in ("text", "markdown", "json", "html", "sarif", "github"):
        assert "revision" not in diff("-o", form).stdout, form
    levels = {verdict["vm"]: verdict["level"] for verdict in json.loads(diff("-o", "json").stdout)["vms"]}
    assert levels == {"shop/probe": "kept", "shop/canary": "kept"}


def test_files_of_these_tests_are_what_they_look_like() -> None:
    for text in (POOL, REPLICA_SET, VMI, KUBEVIRT):
        assert YAML(typ="safe").load(text)["kind"]
