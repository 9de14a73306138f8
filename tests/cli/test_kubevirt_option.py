"""`--kubevirt RELEASE`: every command that expands VMs asks about one release, and says what it overrules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from checkouts import write
from virtcatalog.cli import COMMANDS, main

EFI = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  instancetype: {name: m.small}
  preference: {name: server}
  template: {spec: {domain: {devices: {}, firmware: {bootloader: {efi: {secureBoot: false}}}}}}
"""
FILES = {
    "catalog/catalog.yaml": "name: test\nkubevirt: v1.8.4\nvendor: example.org\n",
    "catalog/overlays.yaml": "old: {kubevirt: v1.8.4}\nany: {}\n",
    "catalog/instancetypes/m.yaml": "class: m\nsizes: {small: {vcpus: 1, memory: 2Gi}}\n",
    "catalog/preferences/linux.yaml": "preferences: {server: {}}\n",
    "catalog/vms.yaml": "web.yaml.j2: {environments: {old: {}, any: {}}}\n",
    "catalog/vms/web.yaml.j2": EFI,
    "vm.yaml": EFI,
    "cr.yaml": (
        "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: kubevirt, namespace: kubevirt}\n"
        "status: {observedKubeVirtVersion: v1.8.4}\n"
    ),
}
OLD, NEW = "/usr/share/OVMF/OVMF_CODE.secboot.fd", "/usr/share/edk2/ovmf/OVMF_CODE.secboot.fd"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)


def run(*arguments: str, status: int = 0) -> Result:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == status, result.output
    return result


def loaders(*arguments: str) -> list[str]:
    """The firmware that `expand` gives to each VM: it is elsewhere before v1.9."""
    return [OLD if OLD in xml else NEW for xml in run("expand", *arguments).stdout.split("<domain ")[1:]]


@pytest.mark.parametrize("command", ["expand", "check", "diff", "explain", "impact", "adopt"])
def test_every_command_that_expands_has_the_same_options(command: str) -> None:
    assert command in COMMANDS
    text = run(command, "--help").stdout
    assert all(f"  {option} " in text for option in ("--kubevirt", "--arch", "--host"))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], [OLD, NEW]),
        (["--kubevirt", "v1.9.0"], [NEW, NEW]),
        (["--kubevirt", "v1.8"], [OLD, OLD]),
        (["-f", "vm.yaml"], [OLD, NEW]),
        (["-f", "vm.yaml", "-e", "any"], [NEW]),
        (["-f", "vm.yaml", "-f", "cr.yaml"], [OLD, OLD]),
        (["-f", "vm.yaml", "-f", "old=cr.yaml"], [OLD, NEW]),
        (["-f", "vm.yaml", "-f", "any=cr.yaml"], [OLD, OLD]),
        (["-f", "any=vm.yaml", "-f", "cr.yaml", "--kubevirt", "v1.9.0"], [NEW]),
    ],
)
def test_the_release_of_the_question_of_the_environment_of_the_cluster(
    arguments: list[str], expected: list[str]
) -> None:
    assert loaders(*arguments) == expected


def test_what_is_overruled_is_told_once() -> None:
    stderr = run("expand", "--kubevirt", "v1.9.0", "-f", "catalog/vms", "-f", "cr.yaml").stderr
    observed = "KubeVirt/kubevirt/kubevirt says v1.8.4 (status.observedKubeVirtVersion)"
    assert [line for line in stderr.splitlines() if "counts" in line] == [
        f"any: KubeVirt v1.9.0 counts, though {observed}",
        f"old: KubeVirt v1.9.0 counts, though overlays.yaml says v1.8.4 and {observed}",
    ]
    assert "counts" not in run("expand").stderr


def test_explain() -> None:
    arguments = ("explain", "-f", "vm.yaml", "--xml", "string(//loader)")
    lines = [line for line in run(*arguments).stdout.splitlines() if line.startswith("string")]
    assert lines == [f"string(//loader) (in old): {OLD}", f"string(//loader) (in any): {NEW}"]
    assert run(*arguments, "-e", "any").stdout.startswith(f"string(//loader) (in any): {NEW}\n")
    assert run(*arguments, "--kubevirt", "v1.8.4").stdout.startswith(f"string(//loader) (in old and any): {OLD}\n")
    by_environment = json.loads(run(*arguments, "-o", "json").stdout)
    assert [(answer["environments"], answer["value"]) for answer in by_environment] == [(["old"], OLD), (["any"], NEW)]


def test_impact() -> None:
    Path("catalog/preferences/linux.yaml").write_text("preferences: {server: {spec: {devices: {preferredRng: {}}}}}\n")
    for release, path in (("v1.8.4", OLD), ("v1.9.0", NEW)):
        (answer,) = json.loads(run("impact", "server", "-o", "json", "--kubevirt", release, status=1).stdout)
        assert [use["name"] for use in answer["uses"]] == ["web.old", "web.any"]
        assert path not in answer["without"][0]["diff"]


def test_adopt() -> None:
    own = EFI.replace("instancetype: {name: m.small}", "").replace("preference: {name: server}", "")
    Path("vm.yaml").write_text(
        own.replace("devices: {}", "cpu: {sockets: 2}, memory: {guest: 2Gi}, devices: {video: {type: virtio}}")
    )
    Path("types.yaml").write_text(
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\n"
        "metadata: {name: small}\nspec: {cpu: {guest: 2}, memory: {guest: 2Gi}}\n"
    )
    arguments = ("adopt", "-f", "vm.yaml", "--catalog", "types.yaml", "--kubevirt")
    assert "name: small" in run(*arguments, "v1.9.0").stdout
    assert "needs the feature gate VideoConfig, which is off" in run(*arguments, "v1.8.4", status=1).stderr


def test_check() -> None:
    assert run("check").stdout == ""
    Path("catalog/overlays.yaml").write_text("old: {}\nany: {}\n")
    Path("catalog/catalog.yaml").write_text("name: test\nkubevirt: v1.9.0\nvendor: example.org\n")
    Path("catalog/preferences/linux.yaml").write_text(
        "preferences: {server: {spec: {devices: {preferredVideoType: vga}}}}\n"
    )
    assert run("check").stdout == ""
    assert "[error: newer-than-release]" in run("check", "--kubevirt", "v1.8.4", status=1).stdout


@pytest.mark.parametrize(
    "command", ["expand", "check", "adopt -f vm.yaml", "impact server", "explain -f vm.yaml --xml x"]
)
def test_a_release_that_is_not_known(command: str) -> None:
    assert "KubeVirt 'v2.0' is not modelled" in run(*command.split(), "--kubevirt", "v2.0", status=2).stderr


NOT_MODELLED = "KubeVirt 'v1.8.99' is not modelled; known are v1.7.4, v1.8.4, v1.9.0; did you mean v1.8.4?"


@pytest.mark.parametrize(
    ("command", "file", "text"),
    [
        ("expand -f vm.yaml --kubevirt v1.8.99", "", ""),
        ("diff catalog catalog --kubevirt v1.7.4 v1.8.99", "", ""),
        ("expand -f vm.yaml", "virtcatalog.toml", "kubevirt = 'v1.8.99'\n"),
        ("expand -f vm.yaml", "pyproject.toml", "[tool.virtcatalog]\nkubevirt = 'v1.8.99'\n"),
        ("build", "catalog/catalog.yaml", "name: test\nkubevirt: v1.8.99\n"),
        ("build", "catalog/overlays.yaml", "old: {kubevirt: v1.8.99}\nany: {}\n"),
        ("expand -f vm.yaml -f cr.yaml -e any", "cr.yaml", FILES["cr.yaml"].replace("v1.8.4", "v1.8.99")),
    ],
)
def test_an_unknown_release_is_an_error_wherever_it_is_named(command, file, text):
    if file:
        Path(file).write_text(text)
    assert NOT_MODELLED in run(*command.split(), status=2).stderr


@pytest.mark.parametrize("release", ["v1.10.0", "v1.8.99"])
def test_check_says_where_an_unknown_release_stands(release):
    Path("catalog/catalog.yaml").write_text(f"name: test\nkubevirt: {release}\n")
    message = (
        f"catalog/catalog.yaml:2:1: kubevirt: KubeVirt '{release}' is not modelled; known are v1.7.4, v1.8.4, v1.9.0"
    )
    assert message in run("check", status=1).stdout
