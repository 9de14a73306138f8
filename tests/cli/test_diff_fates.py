"""What `virtcatalog diff` tells of single changes: in text of 80 columns, Markdown, JSON, and by its exit status."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner, Result

import otheryaml
from virtcatalog.cli import diff as cli_diff
from virtcatalog.cli import main
from virtcatalog.errors import LEVELS

VM = """
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: shop}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        cpu: {sockets: 2}
        memory: {guest: 4Gi}
        devices:
          disks: [{name: root, disk: {bus: virtio}}]
          interfaces: [{name: default, masquerade: {}}]
      networks: [{name: default, pod: {}}]
      volumes: [{name: root, persistentVolumeClaim: {claimName: root}}]
"""
POOL = """
apiVersion: pool.kubevirt.io/v1beta1
kind: VirtualMachinePool
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  virtualMachineTemplate:
    metadata: {labels: {app: web}}
    spec:
      runStrategy: Always
      template:
        metadata: {labels: {app: web}}
        spec: {domain: {memory: {guest: 1Gi}, devices: {}}}
"""
CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: root, namespace: shop}
spec: {accessModes: [MODE], volumeMode: Block, resources: {requests: {storage: 10Gi}}}
"""
SHARED, OWN = CLAIM.replace("MODE", "ReadWriteMany"), CLAIM.replace("MODE", "ReadWriteOnce")


class Change(NamedTuple):
    """A VM before and after, None where there is none; what is said of it in lines of the text, and how grave it is."""

    old: dict[str, Any] | None
    new: dict[str, Any] | None
    level: str
    sentence: str
    lines: tuple[str, ...]
    claim: str = SHARED


def changed(text: str = VM, **fields: Any) -> dict[str, Any]:
    """The VM with other fields, each by its path below `spec`."""
    manifest: dict[str, Any] = otheryaml.load(text)
    for path, value in fields.items():
        *steps, last = path.split("__")
        place = manifest["spec"]
        for step in steps:
            place = place.setdefault(step, {})
        place[last] = value
    return manifest


PLAIN = changed()
MEMORY = "template__spec__domain__memory"
REFUSED = changed(template__spec__networks=[])
CHANGES = {
    "a VM that is switched off": Change(
        PLAIN,
        changed(runStrategy="Halted"),
        "stop",
        "1 of 1 VM: shop/web stopped;",
        ("- stop  shop/web", "requests: shop, spec.runStrategy: 1 VM: -0."),
    ),
    "a VM that is switched on": Change(
        changed(runStrategy="Halted"),
        PLAIN,
        "start",
        "1 of 1 VM: shop/web started;",
        ("+ start  shop/web", "requests: shop, spec.runStrategy: 1 VM: +0."),
    ),
    "a VM whose manifest is deleted": Change(
        PLAIN, None, "delete", "1 of 1 VM: shop/web deleted;", ("- delete  shop/web",)
    ),
    "a VM that is new": Change(None, PLAIN, "create", "1 of 1 VM: shop/web created;", ("+ create  shop/web",)),
    "a VM that is new and refused": Change(
        None, REFUSED, "refused", "1 of 1 VM: shop/web refused;", ("! refused  shop/web",)
    ),
    "a VM that is refused": Change(PLAIN, REFUSED, "refused", "1 of 1 VM: shop/web refused;", ("! refused  shop/web",)),
    "a VM that was refused and is refused otherwise": Change(
        REFUSED,
        changed(template__spec__volumes=[]),
        "refused",
        "1 of 1 VM: shop/web refused;",
        ("! refused  shop/web",),
    ),
    "a VM that waits for a migration": Change(
        PLAIN,
        changed(template__spec__domain__cpu={"sockets": 4}),
        "pending",
        "1 of 1 VM: shop/web cannot migrate and needs a restart by hand;",
        ("~ pending  shop/web", "volume 'root': claim 'root' is not shared: a migration needs ReadWriteMany"),
        claim=OWN,
    ),
    "memory that cannot come live": Change(
        PLAIN,
        changed(template__spec__domain__memory={"guest": "8Gi"}),
        "restart",
        "1 of 1 VM: shop/web needs a restart by hand;",
        ("~ restart  shop/web", "which the VM cannot do", "volume 'root': claim 'root'", "memory 4 → 8 GiB"),
        claim=OWN,
    ),
    "memory that comes with a migration": Change(
        PLAIN,
        changed(template__spec__domain__memory={"guest": "8Gi"}),
        "migrate",
        "1 of 1 VM: shop/web migrates;",
        ("~ migrate  shop/web", "memory 4 → 8 GiB"),
    ),
    "a field that needs a restart": Change(
        PLAIN,
        changed(template__spec__hostname="w"),
        "restart",
        "1 of 1 VM: shop/web needs a restart by hand;",
        ("~ restart  shop/web  because of hostname (new/vm.json:1)", "hostname cannot change while the VM runs"),
    ),
    "another firmware": Change(
        changed(template__spec__domain__firmware={"bootloader": {"efi": {"secureBoot": False}}}),
        changed(template__spec__domain__firmware={"bootloader": {"bios": {}}}),
        "boot",
        "1 of 1 VM: shop/web may not boot after the restart that it needs;",
        (
            "! may not boot after a restart  shop/web",
            "boot: UEFI without Secure Boot → BIOS: a guest that was installed under UEFI does not boot under BIOS",
        ),
    ),
    "a label": Change(
        PLAIN,
        changed(template__metadata={"labels": {"app": "web"}}),
        "changed",
        "none of 1 VM is touched now; at its next start shop/web changes;",
        ("~ changed  shop/web", "labels.app: web is new"),
    ),
    "a pool that restarts its VMs": Change(
        changed(POOL),
        changed(POOL, virtualMachineTemplate__spec__template__spec__hostname="w"),
        "restart",
        "1 of 1 VM or pool: all 2 VMs of pool shop/web restarted automatically now;",
        (
            "~ restart 2 VMs now  pool shop/web",
            "all of its 2 VMs are restarted automatically now",
            "by the pool itself: all at once",
        ),
    ),
    "a pool that leaves its VMs alone": Change(
        changed(POOL, updateStrategy={"unmanaged": {}}),
        changed(POOL, updateStrategy={"unmanaged": {}}, virtualMachineTemplate__spec__template__spec__hostname="w"),
        "kept",
        "none of 1 VM or pool is touched now; all 2 VMs of pool shop/web keep what they have;",
        (
            "= kept  pool shop/web",
            "updateStrategy unmanaged: VMs that exist stay as they are; ",
            "; VMs that it creates from now on: hostname: w is new",
        ),
    ),
    "a pool that shrinks": Change(
        changed(POOL, replicas=4),
        changed(POOL, replicas=2),
        "delete",
        "1 of 1 VM or pool: 2 of the 4 VMs of pool shop/web deleted;",
        (
            "- delete 2 of 4 VMs  pool shop/web",
            "2 of its 4 VMs are deleted; replicas: 4 → 2",
            "shop, spec.replicas: 4 → 2 VMs: -",
        ),
    ),
    "a pool that grows": Change(
        changed(POOL),
        changed(POOL, replicas=3),
        "create",
        "1 of 1 VM or pool: 1 of the 3 VMs of pool shop/web created;",
        ("+ create  pool shop/web", "1 of its 3 VMs is created; replicas: 2 → 3"),
    ),
    "a pool that goes": Change(
        changed(POOL),
        None,
        "delete",
        "1 of 1 VM or pool: all 2 VMs of pool shop/web deleted;",
        ("- delete  pool shop/web", "all of its 2 VMs are deleted"),
    ),
    "a pool that is refused": Change(
        changed(POOL),
        changed(POOL, virtualMachineTemplate__spec__template__spec__hostname="a b"),
        "refused",
        "1 of 1 VM or pool: pool shop/web refused;",
        ("! refused  pool shop/web  because of hostname (new/vm.json:1)",),
    ),
}


def diff(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["diff", "old", "new", "--no-cache", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def put(folder: str, *manifests: dict[str, Any] | None) -> None:
    Path(folder).mkdir(exist_ok=True)
    for name, manifest in zip(("claim", "vm"), manifests, strict=True):
        if manifest is not None:
            Path(folder, f"{name}.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("name", CHANGES)
def test_all_forms_and_the_exit_status_say_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    change = CHANGES[name]
    claim = otheryaml.load(change.claim)
    put("old", claim, deepcopy(change.old))
    put("new", deepcopy(claim), deepcopy(change.new))
    text = diff().stdout
    assert max(map(len, text.splitlines())) <= 80
    sentence = f"{change.sentence} no other object changes"
    assert text.replace("\n", " ").startswith(f"{sentence} ")
    assert text.replace("\n", " ").endswith(f" {sentence} ")
    unwrapped = " ".join(text.split("\n    "))
    assert [line for line in change.lines if line not in unwrapped] == []
    assert diff("-o", "markdown").stdout.replace("\\", "").count(sentence) == 2
    report = json.loads(diff("-o", "json").stdout)
    assert report["summary"]["sentence"] == sentence
    assert [verdict["level"] for verdict in report["vms"]] == [change.level]
    assert diff("-o", "github").stdout.startswith(f"::notice title=virtcatalog::{sentence}")
    (result,) = json.loads(diff("-o", "sarif").stdout)["runs"][0]["results"]
    assert result["ruleId"] == f"vm-{change.level}"
    assert f"{sentence}" in diff("-o", "html").stdout
    assert diff().exit_code == 1
    graver = LEVELS[LEVELS.index(change.level) - 1] if change.level != LEVELS[0] else ""
    for level in {change.level, graver, "refused", "restart", "start"} - {""}:
        fails = LEVELS.index(change.level) <= LEVELS.index(level)
        assert diff("--fail-on", level).exit_code == int(fails), level


def test_a_wide_terminal_is_used_and_no_more_of_it_than_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    claim = otheryaml.load(OWN)
    more = changed(template__spec__domain__memory={"guest": "8Gi"}, template__spec__hostname="w")
    put("old", claim, PLAIN)
    put("new", claim, more)
    widths = {}
    for columns in (100, 160, 400):
        monkeypatch.setattr(cli_diff, "columns_of_terminal", lambda columns=columns: columns)
        widths[columns] = max(map(len, diff().stdout.splitlines()))
    assert 80 < widths[100] <= 100 < widths[160] <= 160
    assert widths[400] == widths[160]


TYPES = """
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: NAME}
spec: {cpu: {guest: 2}, memory: {guest: 4Gi}}
"""
KUBEVIRT = """
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt, namespace: kubevirt}
spec: {configuration: {instancetype: {referencePolicy: expand}}}
"""
RENAMED = "VirtualMachineClusterInstancetype 'r.small' is renamed to 'hm.small': name that instead"


def named(instancetype: str, **fields: Any) -> dict[str, Any]:
    """The VM, which takes its size from an instance type."""
    manifest = changed(instancetype={"name": instancetype}, **fields)
    domain = manifest["spec"]["template"]["spec"]["domain"]
    del domain["cpu"], domain["memory"]
    return manifest


@pytest.mark.parametrize(
    ("policy", "fields", "row", "sentence"),
    [
        (
            "reference",
            {"template__spec__hostname": "w"},
            "! restart, cannot be created anew shop/web",
            "1 of 1 VM: shop/web needs a restart by hand; if created anew, it cannot be created; ",
        ),
        (
            "reference",
            {"runStrategy": "Halted"},
            "! stop, kept, cannot be created anew shop/web",
            "1 of 1 VM: shop/web stopped; it keeps what it has; if created anew, it cannot be created; ",
        ),
        ("expand", {"template__spec__hostname": "w"}, "! refused shop/web", "1 of 1 VM: shop/web refused; "),
    ],
)
def test_a_vm_that_changes_itself_is_told_of_its_renamed_type_too(
    policy: str, fields: dict[str, Any], row: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder, name, vm in (("old", "r.small", named("r.small")), ("new", "hm.small", named("r.small", **fields))):
        put(folder, otheryaml.load(TYPES.replace("NAME", name)), vm)
        Path(folder, "kubevirt.yaml").write_text(KUBEVIRT.replace("expand", policy))
    text = " ".join(diff().stdout.split())
    assert text.startswith(sentence)
    assert row in text
    assert RENAMED in text
    assert "did you mean" not in text
    (verdict,) = json.loads(diff("-o", "json").stdout)["vms"]
    assert verdict["level"] == "refused"
    assert diff("--fail-on", "refused").exit_code == 1


def test_a_type_that_grows_says_of_vms_in_git_what_their_rows_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    small, large = (otheryaml.load(TYPES.replace("NAME", "r.small")) for _ in range(2))
    large["spec"]["memory"]["guest"] = "8Gi"
    put("old", small, named("r.small"))
    put("new", large, named("r.small", template__spec__hostname="w"))
    text = " ".join(diff("--full").stdout.split())
    assert "if created anew: memory 4 → 8 GiB" in text
    assert "because of hostname (new/vm.json:1), r.small (new/claim.json:1)" in text
    assert "1 VM keeps a stored revision." in text
    Path("new", "vm.json").write_text(json.dumps(named("r.small")))
    text = " ".join(diff("--full").stdout.split())
    assert text.startswith("none of 1 VM is touched now; shop/web keeps what it has;")
    assert "1 VM keeps a stored revision." in text


def test_of_a_vm_that_keeps_its_type_nothing_is_said_where_it_would_be_the_same_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    small, plain = (otheryaml.load(TYPES.replace("NAME", "r.small")) for _ in range(2))
    small["spec"]["cpu"]["maxSockets"] = 8
    put("old", plain, named("r.small"))
    put("new", small, named("r.small"))
    text = diff().stdout
    assert "= kept  shop/web  because of r.small (new/claim.json:1)" in text
    assert "anew" not in text


def test_a_vm_that_follows_a_renamed_type_is_not_told_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put("old", otheryaml.load(TYPES.replace("NAME", "r.small")), named("r.small"))
    put("new", otheryaml.load(TYPES.replace("NAME", "hm.small")), named("hm.small"))
    text = diff("--full").stdout
    assert "refused at the next start" not in text
    assert "1 VM given" not in text
    assert "name that instead" not in diff().stdout


def test_a_new_vm_that_names_what_was_renamed_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put("old", otheryaml.load(TYPES.replace("NAME", "r.small")), None)
    put("new", otheryaml.load(TYPES.replace("NAME", "hm.small")), named("r.small"))
    assert RENAMED in " ".join(diff().stdout.split())
