"""`virtcatalog diff --kubevirt OLD NEW`: what an upgrade of KubeVirt does to VM templates and to a fleet."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from click.testing import CliRunner, Result
from syrupy.assertion import SnapshotAssertion

from checkouts import write
from virtcatalog.cli import main

FILES = {
    "catalog/catalog.yaml": "name: test\nkubevirt: v1.9.0\n",
    "catalog/instancetypes/m.yaml": "class: m\nsizes: {small: {vcpus: 1, memory: 2Gi}}\n",
    "catalog/preferences/desktop.yaml": "preferences: {desktop: {spec: {devices: {preferredVideoType: virtio}}}}\n",
}
OLD, NEW = "v1.7.4", "v1.9.0"


def vm(name: str, domain: str = "", **top: str) -> str:
    """A VM with further lines in its domain, and beside its template."""
    lines = [f"{key}: {value}" for key, value in {"runStrategy": "Always", **top}.items()]
    return (
        f"apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: {name}}}\nspec:\n"
        + indent("\n".join(lines), "  ")
        + "\n  template:\n    spec:\n      volumes: [{name: root, containerDisk: {image: example.org/root}}]\n"
        + "      domain:\n        devices: {disks: [{name: root, disk: {bus: virtio}}]}\n"
        + indent(domain, "        ")
        + "\n"
    )


MEMORY = "memory: {guest: 2Gi}"
EFI = f"{MEMORY}\nfirmware: {{bootloader: {{efi: {{secureBoot: false}}}}}}"
CRASH = f"{MEMORY}\nioThreadsPolicy: shared\ncpu: {{cores: 2, dedicatedCpuPlacement: true}}"
FLEET = {
    "plain": vm("plain", MEMORY),
    "efi-1": vm("efi-1", EFI),
    "efi-2": vm("efi-2", EFI),
    "confidential": vm("confidential", f"{EFI}\nlaunchSecurity: {{sev: {{}}}}"),
    "pinned": vm("pinned", CRASH),
    "desk": vm("desk", instancetype="{name: m.small}", preference="{name: desktop}"),
}


@pytest.fixture(autouse=True)
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, {**FILES, "catalog/vms/server.yaml": vm("server", EFI)})
    monkeypatch.chdir(tmp_path)
    return tmp_path / "catalog"


def diff(*arguments: str, fleet: str = "\n---\n".join(FLEET.values()), status: int = 1) -> Result:
    result = CliRunner().invoke(main, ["diff", "-f", "-", *arguments], input=fleet)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == status, result.output
    return result


def verdicts(*arguments: str, **others: Any) -> dict[str, tuple[str, str]]:
    """What happens to each VM now and at its next start, by its name."""
    vms = json.loads(diff(*arguments, "-o", "json", **others).stdout)["vms"]
    return {verdict["vm"].removeprefix("default/"): (verdict["now"], verdict["next"]) for verdict in vms}


@pytest.mark.parametrize("form", ["text", "markdown", "json", "github"])
def test_an_upgrade(snapshot: SnapshotAssertion, form: str) -> None:
    assert diff("--kubevirt", OLD, NEW, "-o", form).stdout == snapshot


def test_a_downgrade_is_the_reverse() -> None:
    up, down = verdicts("--kubevirt", OLD, NEW), verdicts("--kubevirt", NEW, OLD)
    changes = ("unchanged", "changed")
    same = dict.fromkeys(("server", "efi-1", "efi-2", "desk", "plain"), changes)
    assert up == {**same, "confidential": changes, "pinned": ("start", "changed")}
    assert down == {**same, "confidential": ("unchanged", "refused"), "pinned": ("unchanged", "crash")}


def on_a_claim(text: str) -> str:
    """A VM whose Pod is the same under all releases: container disks become volumes without containers."""
    return text.replace("containerDisk: {image: example.org/root}", "persistentVolumeClaim: {claimName: root}")


def test_an_upgrade_that_changes_nothing(catalog: Path) -> None:
    (catalog / "preferences/desktop.yaml").write_text("preferences: {desktop: {}}\n")
    (catalog / "vms/server.yaml").write_text(on_a_claim(vm("server", MEMORY)))
    result = diff("--kubevirt", OLD, NEW, fleet=on_a_claim(vm("plain", MEMORY, runStrategy="Halted")), status=0)
    sentence = "1 VM: nothing changes; 1 VM template: nothing changes; no object changes"
    assert result.stdout.splitlines() == [sentence, "catalog", "KubeVirt: v1.7.4 → v1.9.0", sentence]


def test_a_field_that_begins_to_count_is_a_difference_though_no_vm_uses_it(catalog: Path) -> None:
    (catalog / "vms/server.yaml").write_text(on_a_claim(vm("server", MEMORY)))
    result = diff("--kubevirt", OLD, NEW, fleet=on_a_claim(FLEET["plain"]))
    assert "spec.devices.preferredVideoType: counts from now on, v1.7.4 drops it:" in result.stdout
    assert "1 VM: nothing changes; 1 VM template: nothing changes" in result.stdout


def test_a_refusal_that_names_the_release_is_the_same_under_another_one() -> None:
    new = on_a_claim(FLEET["plain"]).replace("volumes:", "serviceAccountName: app\n      volumes:")
    changed = verdicts("--kubevirt", "v1.7.4", "v1.8.4", fleet=new, status=0)
    assert changed == {}
    assert verdicts("--kubevirt", "v1.8.4", "v1.9.0", fleet=new)["plain"][1] == "changed"


def running(name: str, cpu: str) -> str:
    """A VM on the pod network, and its machine."""
    return f"""\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: {name}, namespace: shop}}
spec:
  runStrategy: Always
  template:
    spec:
      domain: {{cpu: {cpu}, {MEMORY}, devices: {{interfaces: [{{name: default, masquerade: {{}}}}]}}}}
      networks: [{{name: default, pod: {{}}}}]
---
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata:
  name: {name}
  namespace: shop
  ownerReferences: [{{apiVersion: kubevirt.io/v1, kind: VirtualMachine, name: {name}, uid: u}}]
spec: {{domain: {{devices: {{}}}}}}
status: {{phase: Running, machine: {{type: pc-q35-rhel9.6.0}}}}
"""


def test_machines_that_migrate_are_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    fleet = running("web", "{sockets: 2}")
    assert "of 1 machine 1 migrates" in diff("--kubevirt", OLD, "v1.8.4", fleet=fleet, status=0).stdout


@pytest.mark.parametrize(
    ("cpu", "level", "status"),
    [
        ("{cores: 2}", "restart", 1),
        ("{cores: 2}", "stop", 0),
        ("{cores: 2, model: Skylake-Server}", "unknown", 1),
        ("{cores: 2, model: Skylake-Server}", "refused", 0),
    ],
)
def test_machines_that_do_not_just_migrate_fail_as_verdicts_do(
    cpu: str, level: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    fleet = running("web", cpu)
    diff("--kubevirt", OLD, "v1.8.4", "--fail-on", level, fleet=fleet, status=status)


class TestInGit:
    """VMs of a folder count as running, where no dump says more of them."""

    @pytest.fixture(autouse=True)
    def repository(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        vms = {"db": vm("db", f"{MEMORY}\ncpu: {{cores: 2}}"), "idle": vm("idle", f"{MEMORY}\ncpu: {{cores: 2}}")}
        vms["idle"] = vms["idle"].replace("Always", "Halted")
        write(tmp_path / "git", {f"vms/{name}.yaml": text for name, text in vms.items()})
        monkeypatch.chdir(tmp_path / "git")

    def upgrade(self, *arguments: str, **more: Any) -> str:
        result = CliRunner().invoke(main, ["diff", "--kubevirt", OLD, "v1.8.4", "-c", ".", *arguments], **more)
        assert result.exit_code in (0, 1)
        return result.stdout

    def test_those_that_are_switched_on_are_told(self) -> None:
        text = " ".join(self.upgrade().split())
        assert "of 1 machine 1 restarts before it migrates" in text
        assert "restarts before it migrates: db: it cannot migrate live: the interface of the pod network" in text

    def test_sarif_has_each_at_its_line(self) -> None:
        (run,) = json.loads(self.upgrade("-o", "sarif"))["runs"]
        (result,) = [result for result in run["results"] if result["ruleId"].startswith("vm-migration")]
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "vm-migration-restart"
        assert result["message"]["text"].startswith("db: restarts before it migrates: it cannot migrate live: ")
        (place,) = result["locations"]
        assert place["physicalLocation"]["artifactLocation"]["uri"] == "vms/db.yaml"
        assert place["physicalLocation"]["region"]["startLine"] == 1

    def test_what_a_dump_says_of_one_counts(self) -> None:
        fleet = running("db", "{sockets: 2}").replace("namespace: shop", "namespace: default")
        report = json.loads(self.upgrade("-f", "-", "-o", "json", input=fleet))
        assert [(moved["vm"], moved["fate"]) for moved in report["migrations"]] == [("default/db", "migrates")]


def test_the_same_release_twice_is_no_upgrade() -> None:
    assert "KubeVirt" not in diff("--kubevirt", NEW, NEW, status=0).stdout


def test_vms_alone_are_compared_without_a_catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    result = diff("--kubevirt", OLD, NEW, fleet=FLEET["efi-1"])
    assert result.stdout.splitlines()[2:4] == ["the VMs given", "KubeVirt: v1.7.4 → v1.9.0"]
    assert "<loader>: /usr/share/OVMF/" in result.stdout
    missing = diff("--kubevirt", OLD, NEW, "--catalog", "none", fleet=FLEET["efi-1"], status=2)
    assert "none: there is no such file or folder" in missing.stderr


def test_two_catalogs_under_two_releases(catalog: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for name in ("catalog.yaml", "instancetypes/m.yaml", "preferences/desktop.yaml"):
        (other / name).parent.mkdir(exist_ok=True)
        (other / name).write_text((catalog / name).read_text().replace("2Gi", "3Gi"))
    desk = {"fleet": FLEET["desk"] + "\n---\n" + FLEET["efi-1"]}
    report = json.loads(diff("catalog", "other", "--kubevirt", OLD, NEW, "-o", "json", **desk).stdout)
    assert {obj["name"] for obj in report["objects"]} == {"m.small"}
    (desk,) = (verdict for verdict in report["vms"] if verdict["vm"] == "default/desk")
    assert desk["next"] == "changed"  # by the release: of the type and preference it keeps what is stored
    assert {line.startswith("if created anew: ") for line in desk["changes"] if "GiB" in line} == {True}
    assert any("video" in line for line in desk["changes"])


def test_a_field_that_the_change_itself_brings_is_none_that_the_upgrade_brings(catalog: Path, tmp_path: Path) -> None:
    for name, text in FILES.items():
        file = tmp_path / name.replace("catalog/", "old/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("{spec: {devices: {preferredVideoType: virtio}}}", "{}"))
    report = json.loads(diff("old", "catalog", "--kubevirt", NEW, OLD, "-o", "json").stdout)
    assert {obj["name"] for obj in report["objects"]} == {"desktop"}
    assert [upgrade["fields"] for upgrade in report["upgrades"]] == [[]]


def test_an_environment_that_gets_another_release(catalog: Path, tmp_path: Path) -> None:
    (catalog / "catalog.yaml").write_text("name: test\nkubevirt: v1.8.4\n")
    (catalog / "preferences/desktop.yaml").write_text("preferences: {desktop: {}}\n")
    (catalog / "vms.yaml").write_text("server.yaml.j2: {environments: {live: {}, lab: {}}}\n")
    (catalog / "vms/server.yaml").rename(catalog / "vms/server.yaml.j2")
    (catalog / "overlays.yaml").write_text("live: {kubevirt: v1.8.4}\nlab: {kubevirt: v1.9.0}\n")
    old = tmp_path / "old"
    catalog.rename(old)
    for file in sorted(old.rglob("*.*")):
        target = catalog / file.relative_to(old)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.read_text().replace("live: {kubevirt: v1.8.4}", "live: {kubevirt: v1.9.0}"))
    result = diff("old", "catalog", fleet=FLEET["plain"])
    assert "KubeVirt in live: v1.8.4 → v1.9.0" in result.stdout
    assert "~ changed  live: 1 VM template server.live" in result.stdout
    assert "<loader>: /usr/share/OVMF/" in result.stdout


@pytest.mark.parametrize(
    ("release", "message"),
    [
        ("v1.6.0", "KubeVirt 'v1.6.0' is not modelled; known are v1.7.4, v1.8.4, v1.9.0"),
        ("1.9", "did you mean v1.9.0?"),
    ],
)
def test_a_release_that_is_not_known(release: str, message: str) -> None:
    assert f"{message}\n" in diff("--kubevirt", release, NEW, status=2).stderr
