"""`virtcatalog verify`: what we say of a machine beside what is there, stage by stage."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from fakeapi import Server, serving

import fleet
from virtcatalog.cli import main
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.live.verify import read_domain, unlike

Data = dict[str, Any]
NAME = "team-0_in-sync-0"


def verify(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["verify", *arguments], prog_name="virtcatalog")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def stages(result: Result) -> dict[str, Any]:
    return {tally["stage"]: tally for tally in json.loads(result.stdout)}


class Lab:
    """One VM that runs, its Pod and its domain: ours, with what others add."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.objects = fleet.cluster_objects(range(1))
        self.vmi = next(obj for obj in self.objects if obj["kind"] == "VirtualMachineInstance")
        vm = next(obj for obj in self.objects if obj["kind"] == "VirtualMachine")
        metadata = {key: value for key, value in vm["metadata"].items() if key != "managedFields"}
        # Redacted, as what is read of a cluster.
        text = json.dumps({**vm, "metadata": metadata}).replace(
            json.dumps(f"#cloud-config\npassword: {fleet.SECRET}\n"), '"redacted"'
        )
        result = expand(json.loads(text), Cluster(self.objects))
        assert result.domain_xml is not None
        assert result.pod is not None
        # libvirt's own: an alias, a seclabel; the scheduler's and the cluster's: a node, tolerations.
        added = "<seclabel type='dynamic' model='selinux'/></domain>"
        self.domain = result.domain_xml.replace("</domain>", added).replace(
            "<memballoon ", "<memballoon acceleration='on' "
        )
        self.pod = result.pod
        self.pod["metadata"]["labels"]["vm.kubevirt.io/name"] = vm["metadata"]["name"]
        self.pod["metadata"] |= {"name": "virt-launcher-x", "namespace": "team-0"}
        self.pod["spec"] |= {"nodeName": "node-1", "tolerations": [{"operator": "Exists"}]}
        self.pod["status"] = {"phase": "Running"}

    def write(self) -> list[str]:
        dump = {
            "apiVersion": "v1",
            "kind": "List",
            "items": [*self.objects, {"apiVersion": "v1", "kind": "Pod"} | self.pod],
        }
        (self.folder / "dump.json").write_text(json.dumps(dump))
        (self.folder / "xml").mkdir(exist_ok=True)
        (self.folder / "xml" / f"{NAME}.xml").write_text(self.domain)
        return ["--live", f"{self.folder}/dump.json", "--domains", f"{self.folder}/xml"]


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def test_what_agrees_agrees_whatever_others_add(lab):
    result = verify(*lab.write(), "-o", "json")
    by_stage = stages(result)
    assert {stage: (tally["compared"], tally["agree"]) for stage, tally in by_stage.items()} == {
        "vmi": (1, 1),
        "pod": (1, 1),
        "domain": (1, 1),
    }, result.stdout
    assert result.exit_code == 0


def test_a_machine_that_is_otherwise_is_told_with_its_field(lab):
    lab.vmi["spec"]["domain"]["machine"]["type"] = "pc-q35-rhel9.6.0"
    (finding,) = stages(verify(*lab.write(), "-o", "json"))["vmi"]["findings"]
    assert finding == {
        "vm": "team-0/in-sync-0",
        "field": "spec.domain.machine.type",
        "ours": "q35",
        "theirs": "pc-q35-rhel9.6.0",
    }


DEFINED = """
<domain type="kvm">
  <memory unit="b">536870913</memory>
  <os><type arch="x86_64" machine="q35">hvm</type></os>
  <sysinfo type="smbios">
    <system><entry name="uuid">u</entry><entry name="product">None</entry><entry name="sku"/></system>
    <bios/>
  </sysinfo>
  <maxMemory unit="b" slots="0">1073741824</maxMemory>
  <cpu mode="host-model"><numa><cell id="0" cpus="0,1,2,3,7" memory="536870912" unit="b"/></numa></cpu>
  <clock offset="utc"/>
  <features/>
  <devices>
    <disk type="block" device="cdrom"><source/><driver name="qemu" type="raw"/><target dev="sdb" tray="open"/></disk>
    <disk type="block">
      <source dev="/dev/root" name="root"/><target dev="sda" tray="closed"/><alias name="ua-root"/>
      <capacity>1</capacity>
    </disk>
    <controller type="usb" index="0" model="none"/>
    <serial type="unix"><target port="0"/></serial>
    <console type="pty"><target type="serial" port="0"/></console>
  </devices>
</domain>
"""
RUNNING = """
<domain type="kvm" id="1">
  <memory unit="KiB">524289</memory>
  <currentMemory unit="KiB">524289</currentMemory>
  <os><type arch="x86_64" machine="pc-q35-rhel9.6.0">hvm</type></os>
  <sysinfo type="smbios"><system><entry name="product">None</entry><entry name="uuid">u</entry></system></sysinfo>
  <maxMemory unit="KiB">1048576</maxMemory>
  <cpu mode="custom" match="exact" check="full">
    <model fallback="forbid">EPYC</model>
    <numa><cell id="0" cpus="0-3,7" memory="524288" unit="KiB"/></numa>
  </cpu>
  <clock offset="variable" adjustment="0" basis="utc"/>
  <devices>
    <disk type="file" device="cdrom"><driver name="qemu"/><target dev="sdb"/></disk>
    <controller type="pci" index="0" model="pcie-root"><alias name="pcie.0"/></controller>
    <controller type="usb" index="0" model="none"><alias name="usb"/></controller>
    <disk type="block"><source dev="/dev/root" index="1"/><target dev="sda"/><alias name="ua-root"/></disk>
    <serial type="unix"><target type="isa-serial" port="0"/><alias name="serial0"/></serial>
    <console type="unix"><target type="serial" port="0"/><alias name="serial0"/></console>
  </devices>
</domain>
"""


def unlike_places(dumped: str) -> list[str]:
    ours, theirs = (read_domain(text.encode(), "domain") for text in (DEFINED, dumped))
    return [change.place for change in unlike(ours, theirs)]


def test_what_libvirt_writes_otherwise_is_no_difference():
    assert unlike_places(RUNNING) == []


@pytest.mark.parametrize(
    ("was", "now", "place"),
    [
        ('"KiB">524289</memory>', '"KiB">524288</memory>', "memory"),
        ("pc-q35-rhel9.6.0", "pc-i440fx-9.2", "os/type/@machine"),
        ('name="uuid">u', 'name="uuid">v', "sysinfo/system/entry[2]"),
        ('cpus="0-3,7"', 'cpus="0-3,6"', "cpu/numa/cell/@cpus"),
        ('mode="custom"', 'mode="host-passthrough"', "cpu/@mode"),
        ('dev="sda"', 'dev="vda"', "devices/disk[2]/target/@dev"),
        ('model="none"', 'model="qemu-xhci"', "devices/controller[1]/@model"),
        ('<serial type="unix">', '<serial type="pty">', "devices/serial/@type"),
    ],
)
def test_what_runs_otherwise_is(was: str, now: str, place: str):
    assert unlike_places(RUNNING.replace(was, now, 1)) == [place]


def test_a_domain_that_lacks_what_we_say_is_told_with_its_place(lab):
    lab.domain = lab.domain.replace('model="virtio-non-transitional"', 'model="virtio"')
    result = verify(*lab.write(), "-o", "json")
    findings = stages(result)["domain"]["findings"]
    assert findings
    assert {(finding["ours"], finding["theirs"]) for finding in findings} == {("virtio-non-transitional", "virtio")}
    assert result.exit_code == 1


def test_a_pod_that_requests_something_else_is_told(lab):
    (container, *_) = lab.pod["spec"]["containers"]
    container["resources"]["requests"]["memory"] = "1Mi"
    findings = stages(verify(*lab.write(), "-o", "json"))["pod"]["findings"]
    assert [finding["field"] for finding in findings] == ["spec.containers[compute].resources.requests.memory"]


def with_configuration(lab, **configuration):
    (kubevirt,) = (obj for obj in lab.objects if obj["kind"] == "KubeVirt")
    changed = {**kubevirt["spec"]["configuration"], **configuration}
    lab.objects.remove(kubevirt)
    lab.objects.append({**kubevirt, "spec": {"configuration": changed}})
    return stages(verify(*lab.write(), "-o", "json"))["pod"]


def test_a_pod_that_virt_controller_would_not_send_now_is_told(lab):
    lab.vmi["spec"]["domain"]["devices"]["gpus"] = [{"name": "g", "deviceName": "example.org/g"}]
    tally = with_configuration(lab, permittedHostDevices={"pciHostDevices": []})
    (finding,) = tally["findings"]
    assert (tally["compared"], finding["vm"], finding["field"], finding["theirs"]) == (
        1,
        "team-0/in-sync-0",
        "",
        "runs",
    )
    assert finding["ours"].startswith("none: spec.template.spec.domain.devices.gpus[0].deviceName: no Pod is made: ")


def test_a_pod_that_is_not_modelled_is_left_out(lab):
    tally = with_configuration(lab, additionalGuestMemoryOverheadRatio="1e300")
    assert (tally["compared"], tally["findings"]) == (0, [])
    assert "'1e300' makes an overhead" in str(tally)


def test_a_report_for_others_has_no_names_and_no_texts(lab):
    lab.vmi["spec"]["hostname"] = "payroll"
    text = verify(*lab.write(), "-o", "markdown").stdout
    assert "spec.hostname" in text
    for word in ("payroll", "team", "in\\-sync", "host\\-0"):
        assert word not in text


LONG = "not supported by virtcatalog: a machine, or a pattern of emulatedMachines, of more than 256 characters"
THREADS = "not supported by virtcatalog: a domain with more than 1,024 IO threads is not made"
CRASH = "KubeVirt v1.9.0 crashes on this VM: it says neither true nor false: set enabled: true"
NO_MAP = "VirtualMachineInstance/team-0/in-sync-0: spec.domain.machine: must be a map, not the number 3"
AGREES = (1, [], [])


def lone(ours: str, theirs: str = "runs") -> tuple[int, list[tuple[str, str, str]], list[str]]:
    """A stage whose only finding is on the machine as a whole."""
    return 0, [("", ours, theirs)], []


def left_out(message: str) -> tuple[int, list[Any], list[str]]:
    """A stage of which nothing can be told."""
    return 0, [], [f"team-0/in-sync-0: {message}"]


@pytest.mark.parametrize(
    ("started", "runs", "expected", "status"),
    [
        (
            {"machine": {"type": "q" * 257}},
            {},
            {"vmi": left_out(f"spec.template.spec.domain.machine.type: {LONG}"), "pod": AGREES, "domain": AGREES},
            2,
        ),
        (
            {"cpu": {"sockets": 2, "maxSockets": 1}},
            {},
            {
                "vmi": lone(
                    "refused: spec.template.spec.domain.cpu.sockets: the instance type decides this: "
                    "remove it from the VM (refused by the VM webhook)"
                ),
                "pod": AGREES,
                "domain": AGREES,
            },
            1,
        ),
        (
            {},
            {"ioThreads": {"supplementalPoolThreadCount": 10**6}, "ioThreadsPolicy": "supplementalPool"},
            {
                "vmi": (
                    0,
                    [
                        ("spec.domain.ioThreads.supplementalPoolThreadCount", None, 10**6),
                        ("spec.domain.ioThreadsPolicy", None, "supplementalPool"),
                    ],
                    [],
                ),
                "domain": left_out(f"spec.domain.ioThreads.supplementalPoolThreadCount: {THREADS}"),
            },
            2,
        ),
        (
            {},
            {"features": {"acpi": {"enabled": True}, "hypervPassthrough": {}}},
            {
                "vmi": (0, [("spec.domain.features.hypervPassthrough", None, {})], []),
                "pod": AGREES,
                "domain": lone(f"none: spec.template.spec.domain.features.hypervPassthrough.enabled: {CRASH}"),
            },
            1,
        ),
        ({}, {"machine": 3}, {"vmi": left_out(NO_MAP), "domain": left_out(NO_MAP)}, 2),
    ],
)
def test_what_a_machine_was_started_with_and_what_runs(
    lab: Lab, started: Data, runs: Data, expected: dict[str, Any], status: int
) -> None:
    revision = next(obj for obj in lab.objects if obj["metadata"]["name"].startswith("revision-start"))
    revision["data"] = copy.deepcopy(revision["data"])
    revision["data"]["spec"]["template"]["spec"]["domain"] |= started
    lab.vmi["spec"]["domain"] |= runs
    result = verify(*lab.write(), "-o", "json")
    assert result.exit_code == status
    assert {
        stage: (
            tally["agree"],
            [(finding["field"], finding["ours"], finding["theirs"]) for finding in tally["findings"]],
            tally["left_out"],
        )
        for stage, tally in stages(result).items()
    } == expected


def test_a_pod_that_does_not_run_and_a_domain_that_is_no_xml_are_not_compared(lab: Lab) -> None:
    lab.pod["status"]["phase"] = "Failed"
    lab.domain = "<a>"
    by_stage = stages(verify(*lab.write(), "-o", "json"))
    assert [*by_stage] == ["vmi", "domain"]
    assert by_stage["domain"]["left_out"] == [
        "team-0/in-sync-0: the domain of team-0/in-sync-0:1:4: is not XML: Premature end of data in tag a line 1"
    ]
    (lab.folder / "xml" / f"{NAME}.xml").unlink()
    result = verify("--live", f"{lab.folder}/dump.json", "--domains", f"{lab.folder}/xml", "-o", "json")
    assert stages(result)["domain"]["left_out"] == ["team-0/in-sync-0: there is no dumpxml of it"]


def test_what_cannot_be_compared_is_no_agreement(lab):
    lab.objects = [obj for obj in lab.objects if not obj["metadata"]["name"].startswith("revision-start")]
    result = verify(*lab.write())
    assert result.exit_code == 2
    assert "not compared: team-0/in-sync-0: what it was started with is not known" in result.stderr


def test_nothing_that_runs_is_no_agreement(tmp_path):
    (tmp_path / "dump.json").write_text(json.dumps(fleet.KUBEVIRT))
    assert verify("--live", f"{tmp_path}/dump.json").exit_code == 2


def test_a_dry_run_is_the_only_request_that_is_no_get(tmp_path):
    fleet.write_git(tmp_path / "git", range(12))
    server = Server(fleet.cluster_objects(range(12)))
    with serving(server, tmp_path) as file:
        result = verify("-f", f"{tmp_path}/git", "--kubeconfig", file, "-o", "json")
    assert set(server.verbs) == {"GET", "dry run"}
    admission = stages(result)["admission"]
    assert (admission["compared"], admission["agree"]) == (10, 10), admission


def with_a_dry_run_that_gets(status: int, folder: Path) -> Result:
    fleet.write_git(folder / "git", range(1))
    manifest = folder / "git" / "team-0" / "in-sync-0.yaml"
    manifest.write_text(manifest.read_text().replace("in-sync-0", "refused-0"))
    with serving(Server(fleet.cluster_objects(range(1)), refusal=status), folder) as file:
        return verify("-f", f"{folder}/git", "--kubeconfig", file, "-o", "json")


@pytest.mark.parametrize("status", [400, 403, 409, 422])
def test_an_api_server_that_says_otherwise_is_told(tmp_path: Path, status: int) -> None:
    result = with_a_dry_run_that_gets(status, tmp_path)
    (finding,) = stages(result)["admission"]["findings"]
    assert (finding["ours"], finding["theirs"], result.exit_code) == ("taken", "the webhook says no", 1)


@pytest.mark.parametrize("status", [401, 404])
def test_an_api_server_that_could_not_judge_a_vm_has_refused_none(tmp_path: Path, status: int) -> None:
    result = with_a_dry_run_that_gets(status, tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"the webhook says no ({status})" in result.stderr
