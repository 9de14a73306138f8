"""`virtcatalog import libvirt`: whole runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from virtcatalog.cli import main
from virtcatalog.limits import XML_BYTES

FOREIGN = Path(__file__).parents[1] / "bring" / "foreign"
CATALOG = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: small}
spec: {cpu: {guest: 2, maxSockets: 2}, memory: {guest: 4Gi}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterPreference
metadata: {name: linux}
spec: {devices: {preferredDiskBus: virtio, preferredRng: {}}}
"""
SMALL = """\
<domain type='kvm'>
  <name>small</name>
  <memory unit='GiB'>4</memory>
  <vcpu>2</vcpu>
  <os><type arch='x86_64' machine='q35'>hvm</type></os>
  <devices>
    <disk type='file' device='disk'><source file='/srv/root.qcow2'/><target dev='vda' bus='virtio'/></disk>
    <rng model='virtio'><backend model='random'>/dev/urandom</backend></rng>
  </devices>
</domain>
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("small.xml").write_text(SMALL)
    Path("win11.xml").write_bytes((FOREIGN / "virt-install-win11.xml").read_bytes())
    Path("catalog.yaml").write_text(CATALOG)


def run(*arguments: str, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(main, ["import", "libvirt", *arguments], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize(
    "arguments",
    [
        ["-f", "small.xml"],
        ["-f", "small.xml", "-o", "report"],
        ["-f", "small.xml", "-c", "catalog.yaml", "--disk", "*=blank:5Gi"],
        ["-f", "win11.xml", "--disk", "sdb=drop", "--run-strategy", "Always"],
        ["-f", "small.xml", "-f", "catalog.yaml", "-f", "missing.xml"],
        ["-f", "."],
    ],
    ids=" ".join,
)
def test_whole_runs(arguments, snapshot):
    result = run(*arguments)
    assert f"exit {result.exit_code}\n{result.stdout}--- stderr\n{result.stderr}" == snapshot


def test_the_domain_may_come_from_standard_input():
    assert run("-f", "-", stdin=SMALL).stdout == run("-f", "small.xml").stdout


def test_json_has_every_part():
    document = json.loads(run("-f", "small.xml", "-o", "json").stdout)
    assert (document["file"], document["name"]) == ("small.xml", "small")
    assert document["counts"] == {"carried": 19, "host": 3, "lost": 0, "unproven": 0}
    assert document["parts"][0] == {
        "path": "@type",
        "line": 1,
        "column": 1,
        "value": "kvm",
        "fate": "carried",
        "why": "",
    }
    assert (document["same"], document["refused"], document["adopted"]) == (False, [], None)
    assert document["vm"]["metadata"]["name"] == "small"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--disk", "x"], "'x' is no rule such as vda=claim:root"),
        (["--network", "br0="], "'br0=' is no rule such as br0=pod"),
        (["--device", "a=b"], "'b' is no resource such as nvidia.com/A400"),
    ],
)
def test_rules_are_usage(arguments, message):
    result = run("-f", "small.xml", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


NICS = "<interface type='bridge'><source bridge='br0'/></interface>" * 2
DEVICE = (
    "<hostdev mode='subsystem' type='pci'><source><address domain='0x0' bus='0x41' slot='0x0' function='0x0'/></source>"
    "</hostdev>"
)
MARK = "<metadata><kubevirt xmlns='http://kubevirt.io'><uid/></kubevirt></metadata>"
DOMAINS = {
    "kubevirt.xml": SMALL.replace("<name>small", f"{MARK}<name>web_small")
    .replace("type='file'", "type='block'")
    .replace("file='/srv/root.qcow2'/>", "dev='/dev/root'/><alias name='ua-root'/>"),
    "nics.xml": SMALL.replace("<devices>", f"<devices>{NICS}"),
    "device.xml": SMALL.replace("<devices>", f"<devices>{DEVICE}"),
    "long.xml": SMALL.replace("/srv/root", f"/{'a' * 30}/root").replace("<vcpu>", f"<title>{'t' * 41}</title><vcpu>"),
    "three.xml": SMALL.replace("<vcpu>2", "<vcpu>3"),
}


@pytest.mark.parametrize(
    "arguments",
    [
        "-f small.xml --disk vda=clone:os/fedora",
        "-f kubevirt.xml",
        "-f kubevirt.xml -o json",
        "-f nics.xml",
        "-f nics.xml --network br0=pod",
        "-f device.xml",
        "-f device.xml --device 0000:41:00.0=nvidia.com/A400 -o report",
        "-f long.xml -f small.xml -o report",
        "-f three.xml -c catalog.yaml",
        "-f folder -q",
        "-f empty",
        "-f missing",
    ],
)
def test_whole_runs_of_small_domains(arguments, snapshot):
    for name, text in DOMAINS.items():
        Path(name).write_text(text)
    for name in ("folder", "empty"):
        Path(name).mkdir()
    Path("folder/a.xml").write_text(SMALL)
    Path("folder/large.xml").write_text("x" * (XML_BYTES + 1))
    Path("folder/notes.txt").write_text("none")
    result = run(*arguments.split())
    assert f"exit {result.exit_code}\n{result.stdout}--- stderr\n{result.stderr}" == snapshot


def test_bombs_go_off_nowhere():
    head = "<?xml version='1.0'?>\n<!DOCTYPE d [<!ENTITY a0 'x'>"
    entities = "".join(f"<!ENTITY a{n + 1} '{f'&a{n};' * 10}'>" for n in range(9))
    Path("bomb.xml").write_text(f"{head}{entities}]>\n<domain>&a9;</domain>\n")
    result = run("-f", "bomb.xml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("bomb.xml:2:1: <!DOCTYPE is not taken")


def test_a_vm_that_is_refused_proves_nothing():
    nic = "<interface type='bridge'><source bridge='br0'/></interface>"
    Path("nics.xml").write_text(SMALL.replace("<devices>", f"<devices>{nic * 2}"))
    result = run("-f", "nics.xml", "--network", "br0=pod")
    assert result.exit_code == 1
    assert "nics.xml: the VM is refused, so that nothing is proven: spec.template.spec: 2 networks" in result.stderr
    assert result.stderr.endswith("none of it is proven\n")


def test_json_has_the_reasons_of_a_refusal():
    Path("nics.xml").write_text(DOMAINS["nics.xml"])
    document = json.loads(run("-f", "nics.xml", "--network", "br0=pod", "-o", "json").stdout)
    message = "2 networks are the pod network, there can be one"
    assert document["refused"] == [{"field": "spec.template.spec", "message": message, "by": "vm"}]
    assert document["counts"] == {"carried": 0, "host": 0, "lost": 0, "unproven": 30}


def test_what_is_not_modelled_is_told_and_the_other_domains_are_made():
    Path("many.xml").write_text(SMALL.replace("<vcpu>2", "<vcpu>100000"))
    result = run("-f", "many.xml", "-f", "small.xml")
    assert result.exit_code == 2
    assert "many.xml: spec.template.spec.domain.cpu: not supported by virtcatalog: " in result.stderr
    assert "name: small" in result.stdout
