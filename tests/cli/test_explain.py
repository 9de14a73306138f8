"""`virtcatalog explain`: why a field or an element is as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from checkouts import write
from sampling import thorough
from virtcatalog.api.quantity import Quantity
from virtcatalog.cli import main

FILES = {
    "catalog.yaml": "name: test\nkubevirt: v1.9.0\n",
    "components.yaml": "scsi: {spec: {devices: {preferredDiskBus: scsi}}}\n",
    "instancetypes/m.yaml": "class: m\nmemoryPerVcpu: 4Gi\nsizes:\n  small: {vcpus: 2}\n",
    "preferences/linux.yaml": "preferences:\n  linux.one: {components: [scsi]}\n",
    "vms/server.yaml": """\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {name: server}
        spec:
          runStrategy: Always
          instancetype: {name: m.small}
          preference: {name: linux.one}
          template:
            spec:
              domain:
                devices:
                  disks:
                    - {name: first, disk: {}}
                    - {name: second, disk: {bus: sata}}
              volumes:
                - {name: first, containerDisk: {image: example.org/a}}
                - {name: second, containerDisk: {image: example.org/b}}
        """,
}


@pytest.fixture(autouse=True)
def catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "catalog", FILES)


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["explain", "-f", "catalog/vms/server.yaml", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def answer(*arguments: str) -> Any:
    result = run(*arguments, "-o", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def reasons(*arguments: str) -> list[tuple[str, str, str]]:
    return [(reason["kind"], reason["field"], reason["without"]) for reason in answer(*arguments)["reasons"]]


@pytest.mark.parametrize(
    "what",
    [
        ("--field", "devices.disks[0].disk.bus"),
        ("--field", "spec.domain.devices.disks[first].disk.bus"),
        ("--xml", "//disk[1]/target/@bus"),
        ("--xml", "string(//disk[alias/@name='ua-first']/target/@bus)"),
    ],
)
def test_a_value_of_the_preference(what: tuple[str, str]) -> None:
    assert answer(*what)["value"] == "scsi"
    assert reasons(*what) == [("preference", "spec.devices.preferredDiskBus", "sata")]


def test_the_place_is_where_the_catalog_declares_it() -> None:
    (reason,) = answer("--field", "devices.disks[0].disk.bus")["reasons"]
    assert reason["place"].startswith("catalog/components.yaml:1:")
    assert reason["object"] == "linux.one"


def test_a_value_of_the_vm_wins() -> None:
    assert reasons("--xml", "//disk[2]/target/@bus") == [
        ("VM", "spec.template.spec.domain.devices.disks[1].disk.bus", "scsi")
    ]


def test_an_attribute_of_a_device_itself_has_the_reasons_of_that_device() -> None:
    vm = FILES["vms/server.yaml"].replace("second, disk: {bus: sata}", "second, lun: {}")
    vm = vm.replace("containerDisk: {image: example.org/b}", "persistentVolumeClaim: {claimName: b}")
    write(Path("catalog"), {"vms/server.yaml": vm})
    (reason,) = reasons("--xml", "//disk[2]/@device")
    assert reason == ("VM", "spec.template.spec.domain.devices.disks[1].lun", "disk")
    assert reasons("--xml", "//disk[1]/@device") == [("VM", "spec.template.spec", "")]


def test_a_field_that_has_to_be_there_is_given_another_value() -> None:
    (reason,) = answer("--field", "memory.guest")["reasons"]
    assert reason["kind"] == "instance type"
    assert reason["field"] == "spec.memory.guest"
    assert reason["otherwise"] is True


def test_what_nothing_changes_is_kubevirts_own() -> None:
    result = run("--xml", "//vmport")
    assert result.exit_code == 0
    assert "KubeVirt's own" in result.stdout


@pytest.mark.parametrize(
    "field", ["requests.memory", "resources.requests.memory", "spec.containers[0].resources.requests.memory"]
)
def test_the_pods_memory_request_is_a_sum(field: str) -> None:
    document = answer("--pod", field)
    assert document["terms"][0] == {"amount": "8Gi", "cause": "domain.memory.guest"}
    total = Quantity.total(Quantity.parse(term["amount"]) for term in document["terms"])
    assert total == Quantity.parse(document["value"])
    assert [reason["kind"] for reason in document["reasons"]] == ["instance type", "instance type"]


def test_the_sum_is_shown_term_by_term() -> None:
    lines = run("--pod", "requests.memory").stdout.splitlines()
    assert lines[1:3] == ["  = 8,192 MiB  domain.memory.guest", "  +    25 MiB  virt-launcher-monitor"]
    assert "  +    16 MiB  2 vCPUs, 8 MiB each" in lines
    assert "    8,468 MiB  in all" in lines


def test_the_overhead_is_a_sum_too_and_other_fields_are_none() -> None:
    document = answer("--pod", "metadata.annotations[kubevirt.io/memory-overhead-bytes]")
    assert sum(Quantity.parse(term["amount"]).value for term in document["terms"]) == int(document["value"])
    assert "terms" not in answer("--pod", "requests.cpu")
    assert reasons("--pod", "requests.cpu") == [("instance type", "spec.cpu.guest", "400m")]


def test_a_vm_without_a_pod_has_no_field_of_it() -> None:
    server = Path("catalog/vms/server.yaml")
    plugged = "devices: {interfaces: [{name: net, binding: {name: p}}]}\n      networks: [{name: net, pod: {}}]\n"
    text = server.read_text()
    server.write_text(text[: text.index("devices:")] + plugged)
    result = run("--pod", "requests.memory")
    assert result.exit_code == 2
    assert "interfaces[0].binding.name: no Pod is made" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give --field, --xml or --pod"),
        (("--field", "a", "--xml", "b"), "give --field, --xml or --pod"),
        (("--xml", "//["), "is not an XPath: Invalid expression\n"),
        (("--xml", "//disk"), "finds 2 things, name one: <disk "),
        (("--xml", "//nowhere"), "there is nothing at that place: see `virtcatalog expand`\n"),
        (("--pod", "requests.nothing"), "there is nothing at that place: see `virtcatalog expand`\n"),
        (("--field", "devices.nothing"), "there is nothing at that place: see `virtcatalog expand`\n"),
        (("--field", "memory.gest"), "error: there is no 'gest' at that place; did you mean 'guest'?\n"),
        (("--field", "spec.template.spec.domian.cpu"), "there is no 'domian' at that place; did you mean 'domain'?\n"),
        (("--pod", "requests.memry"), "there is no 'memry' at that place; did you mean 'memory'?\n"),
        (("--field", "memory.gest", "--kubevirt", "1.9"), "error: --kubevirt: KubeVirt '1.9' is not modelled; known"),
        (("--field", "a[b"), "is not a field such as devices.disks[0].disk.bus\n"),
        (("--xml", "//vcpu", "--vm", "other"), "holds no VM other"),
    ],
)
def test_questions_that_have_no_answer(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_refused_vm_has_nothing_to_explain() -> None:
    server = Path("catalog/vms/server.yaml")
    server.write_text(server.read_text().replace("bus: sata", "bus: bogus"))
    result = run("--xml", "//vcpu")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[0].endswith(" is none of virtio, scsi, sata, usb (refused by the VM webhook)")


class TestPathsOfFindings:
    def test_are_those_of_the_vmi(self):
        assert answer("--field", "spec.template.spec.domain.memory.guest") == answer("--field", "memory.guest") | {
            "asked": "spec.template.spec.domain.memory.guest"
        }

    def test_of_a_vm_that_is_refused_are_its_own(self):
        file = Path("catalog/vms/server.yaml")
        file.write_text(file.read_text().replace("domain:\n", "domain:\n        memory: {guest: 3Gi}\n", 1))
        result = run("--field", "spec.template.spec.domain.memory.guest")
        assert result.exit_code == 1
        assert result.stdout.startswith("spec.template.spec.domain.memory.guest: 3Gi\n  VM server: ")
        assert "(refused by the VM webhook)" in result.stderr


@thorough
def test_a_vm_with_very_many_fields_is_not_expanded_without_each() -> None:
    disks = "".join(f"        - {{name: d{number}, disk: {{bus: virtio}}}}\n" for number in range(400))
    volumes = "".join(f"      - {{name: d{number}, containerDisk: {{image: x}}}}\n" for number in range(400))
    Path("many.yaml").write_text(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: many}\n"
        "spec:\n  runStrategy: Always\n  template:\n    spec:\n      domain:\n       memory: {guest: 1Gi}\n"
        f"       devices:\n        disks:\n{disks}      volumes:\n{volumes}"
    )
    result = run("-f", "many.yaml", "--vm", "default/many", "--field", "domain.devices")
    assert result.exit_code == 2
    assert "has too many fields to expand it without each of them in turn" in result.stderr


def test_faults_of_files_are_told_in_the_order_of_files() -> None:
    widget = "apiVersion: example.org/v1\nkind: Widget\nmetadata: [1]\n"
    vm = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web}\n"
    spec = "spec: {runStrategy: Always, template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}}\n"
    write("vms", {"a.yaml": widget, "b.yaml": "kind: [\n", "c.yaml": vm + spec})
    result = CliRunner().invoke(main, ["explain", "-f", "vms", "--field", "domain.cpu.cores"])
    assert [line.partition(":")[0] for line in result.stderr.splitlines()] == ["vms/a.yaml", "vms/b.yaml"]
    assert result.exit_code == 2
