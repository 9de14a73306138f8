"""`virtcatalog diff` names the lines that change a VM: its own, or those of its type, a patch, the KubeVirt CR."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner

from checkouts import git, write
from virtcatalog.cli import main

CATALOG = {
    "catalog.yaml": "name: test\nkubevirt: v1.9.0\n",
    "components.yaml": """\
        threads:
          spec:
            ioThreadsPolicy: auto
        tablet:
          spec:
            devices:
              preferredInputBus: usb
        """,
    "overlays.yaml": """\
        production:
          scope: cluster
          patches:
            - select: {names: [m.large]}
              spec:
                annotations: {a: b}
        lab: {scope: cluster}
        """,
    "instancetypes/m.yaml": """\
        class: m
        sizes:
          small:
            vcpus: 1
            memory: 2Gi
            components: [threads]
          large: {vcpus: 2, memory: 4Gi, labels: {tier: basic}}
        """,
    "preferences/os.yaml": """\
        preferences:
          server:
            components: [tablet]
            spec:
              devices:
                preferredDiskBus: virtio
        """,
    "vms/web.yaml.j2": """\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {name: web, namespace: shop}
        spec:
          runStrategy: Always
          instancetype: {name: m.small}
          template:
            spec:
              hostname: web
              domain:
                devices: {}
        """,
}


def vm(instancetype: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "db", "namespace": "shop"},
        "spec": {
            "runStrategy": "Always",
            "instancetype": {"name": instancetype},
            "preference": {"name": "server"},
            "template": {
                "spec": {
                    "domain": {"devices": {"disks": [{"name": "root", "disk": {}}]}},
                    "volumes": [{"name": "root", "containerDisk": {"image": "registry.example.org/db"}}],
                }
            },
            **spec,
        },
    }


@pytest.fixture
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    git(".", "init", "-q", "-b", "main")
    write(tmp_path / "catalog", CATALOG)
    git(".", "add", "-A")
    git(".", "commit", "-q", "-m", "first")
    return tmp_path / "catalog"


def change(path: Path, *changes: tuple[str, str]) -> None:
    text = path.read_text()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text)


def diff(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["diff", *arguments])
    assert result.exit_code == 1, result.output
    return result.stdout


def because(name: str, *arguments: str) -> list[str]:
    """The causes of a VM's verdict, as places."""
    report = json.loads(diff("-o", "json", *arguments))
    (verdict,) = [verdict for verdict in report["vms"] if verdict["vm"] == name]
    return [f"{cause['name']} {cause['file']}:{cause['line']}" for cause in verdict["because"]]


@pytest.mark.parametrize(
    ("instancetype", "file", "changes", "expected"),
    [
        (
            "m.small",
            "instancetypes/m.yaml",
            [("vcpus: 1", "vcpus: 3"), ("memory: 2Gi", "memory: 3Gi")],
            ["m.small catalog/instancetypes/m.yaml:4", "m.small catalog/instancetypes/m.yaml:5"],
        ),
        ("m.small", "components.yaml", [("auto", "shared")], ["m.small catalog/components.yaml:3"]),
        ("m.small", "components.yaml", [("InputBus: usb", "InputBus: virtio")], ["server catalog/components.yaml:7"]),
        ("m.small", "preferences/os.yaml", [("Bus: virtio", "Bus: sata")], ["server catalog/preferences/os.yaml:6"]),
        (
            "m.large",
            "overlays.yaml",
            [("annotations: {a: b}", "annotations: {a: b}\n        cpu: {guest: 4}\n        memory: {guest: 8Gi}")],
            ["m.large catalog/overlays.yaml:7", "m.large catalog/overlays.yaml:8"],
        ),
        # A patch that goes leaves the environment that it was in.
        (
            "m.large",
            "overlays.yaml",
            [("    - select: {names: [m.large]}\n      spec:\n        annotations: {a: b}\n", "    []\n")],
            ["m.large catalog/overlays.yaml:1"],
        ),
        # A patch that chooses by a label that the environment replaces cannot be found by it again.
        (
            "m.large",
            "overlays.yaml",
            [
                ("production:\n  scope: cluster", "production:\n  scope: cluster\n  labels: {tier: other}"),
                ("{names: [m.large]}", "{labels: {tier: basic}}"),
                ("annotations: {a: b}", "cpu: {guest: 4}"),
            ],
            ["m.large catalog/overlays.yaml:1"],
        ),
        # A type that goes is where it was.
        (
            "m.large",
            "instancetypes/m.yaml",
            [("  large: {vcpus: 2, memory: 4Gi, labels: {tier: basic}}\n", "")],
            ["m.large catalog/instancetypes/m.yaml:7"],
        ),
    ],
)
def test_the_field_that_changes_an_object(
    catalog: Path, instancetype: str, file: str, changes: list[tuple[str, str]], expected: list[str]
) -> None:
    Path("fleet.json").write_text(json.dumps(vm(instancetype)))
    change(catalog / file, *changes)
    if instancetype == "m.large" and file == "instancetypes/m.yaml":
        change(catalog / "overlays.yaml", ("[m.large]", "[m.small]"))
    assert because("shop/db", "-f", "production=fleet.json") == expected


def test_a_patch_that_goes_is_a_cause_beside_the_line_of_the_type(catalog: Path) -> None:
    Path("fleet.json").write_text(json.dumps(vm("m.large")))
    patch = "    - select: {names: [m.large]}\n      spec:\n        annotations: {a: b}\n"
    change(catalog / "overlays.yaml", (patch, "    []\n"))
    change(catalog / "instancetypes/m.yaml", ("memory: 4Gi", "memory: 8Gi"))
    assert because("shop/db", "-f", "production=fleet.json") == [
        "m.large catalog/overlays.yaml:1",
        "m.large catalog/instancetypes/m.yaml:7",
    ]


def test_lines_of_one_file_are_told_together(catalog: Path) -> None:
    Path("fleet.json").write_text(json.dumps(vm("m.small")))
    change(catalog / "instancetypes/m.yaml", ("vcpus: 1", "vcpus: 3"), ("memory: 2Gi", "memory: 3Gi"))
    text = " ".join(diff("-f", "production=fleet.json").split())
    assert "because of m.small (catalog/instancetypes/m.yaml:4, 5)" in text
    assert "m.small `catalog/instancetypes/m.yaml:4, 5`" in diff("-o", "markdown", "-f", "production=fleet.json")
    assert "m.small (catalog/instancetypes/m.yaml:4, 5)" in diff("-o", "html", "-f", "production=fleet.json")


def test_the_fields_of_a_vm_template(catalog: Path) -> None:
    change(catalog / "vms/web.yaml.j2", ("hostname: web", "hostname: www"), ("devices: {}", "devices: {rng: {}}"))
    assert sorted(because("web", "-e", "production")) == [
        "domain.devices.rng catalog/vms/web.yaml.j2:11",
        "hostname catalog/vms/web.yaml.j2:9",
    ]


def folder(name: str, *texts: str) -> None:
    Path(name).mkdir()
    Path(name, "all.yaml").write_text("---\n".join(map(dedent, texts)))


VM = """\
    apiVersion: kubevirt.io/v1
    kind: VirtualMachine
    metadata: {name: web, namespace: shop}
    spec:
      runStrategy: Always
      template:
        spec:
          hostname: web
          domain:
            memory:
              guest: 1Gi
            devices: {disks: [{name: root, disk: {bus: virtio}}]}
          volumes:
          - name: root
            persistentVolumeClaim: {claimName: root}
    """
CR = """\
    apiVersion: kubevirt.io/v1
    kind: KubeVirt
    metadata: {name: kubevirt, namespace: kubevirt}
    spec:
      configuration:
        cpuModel: Haswell
    """
CLAIM = """\
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata: {name: root, namespace: shop}
    spec:
      volumeMode: Filesystem
      resources: {requests: {storage: 1Gi}}
    """


def test_the_fields_of_a_vm_those_first_that_its_reasons_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder("old", CLAIM, VM)
    folder("new", CLAIM, VM.replace("guest: 1Gi", "guest: 2Gi").replace("hostname: web", "hostname: www"))
    assert because("shop/web", "old", "new") == ["hostname new/all.yaml:15", "domain.memory.guest new/all.yaml:18"]


def test_the_kubevirt_cr_of_a_folder_and_of_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder("old", VM, CR)
    folder("new", VM, CR.replace("Haswell", "Skylake-Server"))
    assert because("shop/web", "old", "new") == ["the KubeVirt CR new/all.yaml:22"]
    Path("a.yaml").write_text(dedent(CR))
    Path("b.yaml").write_text(dedent(CR.replace("Haswell", "Skylake-Server")))
    Path("same").mkdir()
    Path("same/vm.yaml").write_text(dedent(VM))
    assert because("shop/web", "same", "same", "--config", "a.yaml", "b.yaml") == ["the KubeVirt CR b.yaml:6"]


def test_a_claim_that_a_vm_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder("old", VM, CLAIM, CLAIM.replace("name: root", "name: other"))
    changed = CLAIM.replace("1Gi", "2Gi")
    folder("new", VM, changed, changed.replace("name: root", "name: other"))
    assert because("shop/web", "old", "new") == ["PersistentVolumeClaim root new/all.yaml:22"]


EFI = VM.replace(
    "            memory:", "            firmware: {bootloader: {efi: {secureBoot: false}}}\n            memory:"
)


def test_a_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder("same", EFI)
    assert because("shop/web", "same", "same", "--kubevirt", "v1.8.4", "v1.9.0") == ["KubeVirt v1.8.4 → v1.9.0 :0"]


def test_a_release_beside_a_preference_that_it_deploys_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    fedora = EFI.replace("guest: 1Gi", "guest: 4Gi")
    folder("same", fedora.replace("  template:", "  preference: {name: fedora}\n      template:", 1))
    causes = because("shop/web", "same", "same", "--kubevirt", "v1.8.4", "v1.9.0")
    assert [cause.partition(" catalog/")[0] for cause in causes] == ["KubeVirt v1.8.4 → v1.9.0 :0", "fedora :0"]
