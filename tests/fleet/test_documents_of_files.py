"""What becomes of each document of the files that `-f` names: a VM, an object beside VMs, or what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from virtcatalog.errors import ManifestError
from virtcatalog.fleet.files import Fleet
from virtcatalog.fleet.sources import Placed
from virtcatalog.manifests.read import Manifest

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec: {runStrategy: Always, template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}}
"""
TYPE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineInstancetype
metadata: {name: m}
spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
"""
BAD_VM, BAD_TYPE = VM.replace("{name: web}", "{name: [web]}"), TYPE.replace("{name: m}", "{name: [m]}")
UNSERVED = TYPE.replace("v1beta1", "v1alpha9")
WIDGET = "apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: w}\n"
BAD_WIDGET = WIDGET.replace("{name: w}", "[1]")
KUBEVIRT = "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: kubevirt}\n"
NOT_A_MAP = "a.yaml:{}:1: Widget: metadata: must be a map, not a list"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(*documents: str) -> list[Placed]:
    Path("a.yaml").write_text("---\n".join(documents))
    return [Placed("a.yaml", "lab")]


def read(fleet: Fleet) -> list[Manifest]:
    return [vm for share in fleet.shares() for vm in share.manifests()[0]]


def names(vms: list[Manifest]) -> list[str]:
    return [vm.data["metadata"]["name"] for vm in vms]


@pytest.mark.parametrize(
    ("documents", "vms", "objects", "without_vm"),
    [
        ((VM,), ["web"], [], []),
        ((TYPE,), [], ["m"], []),
        ((KUBEVIRT,), [], ["kubevirt"], []),
        ((WIDGET,), [], ["w"], ["a.yaml"]),
        ((WIDGET, TYPE, VM, KUBEVIRT), ["web"], ["w", "m", "kubevirt"], []),
    ],
)
def test_vms_are_read_and_other_objects_stand_beside_them(
    documents: tuple[str, ...], vms: list[str], objects: list[str], without_vm: list[str]
) -> None:
    fleet = Fleet(write(*documents))
    assert names(read(fleet)) == vms
    assert fleet.places == ["lab"]
    assert [(manifest.data["metadata"]["name"], where) for manifest, where in fleet.objects] == [
        (name, "lab") for name in objects
    ]
    assert (fleet.without_vm, fleet.problems) == (without_vm, [])


def test_a_vm_that_cannot_be_read_is_one_beside_the_others() -> None:
    fleet = Fleet(write(BAD_VM, VM))
    assert (fleet.without_vm, fleet.problems) == ([], [])
    assert [[str(problem) for problem in vm.problems] for vm in read(fleet)] == [
        ["a.yaml:3:12: VirtualMachine: metadata.name: must be a string, not a list"],
        [],
    ]


def test_another_document_that_cannot_be_read_changes_no_vm() -> None:
    fleet = Fleet(write(BAD_WIDGET, VM))
    assert (names(read(fleet)), fleet.objects, fleet.without_vm) == (["web"], [], [])
    assert [str(problem) for problem in fleet.problems] == [NOT_A_MAP.format(3)]


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (BAD_TYPE, "a.yaml:7:12: VirtualMachineInstancetype: metadata.name: must be a string, not a list"),
        (
            UNSERVED,
            (
                "a.yaml:5:1: VirtualMachineInstancetype/m: apiVersion: instancetype.kubevirt.io/v1alpha9 of "
                "VirtualMachineInstancetype is not served; use instancetype.kubevirt.io/v1beta1"
            ),
        ),
    ],
)
def test_an_object_that_vms_may_meet_has_to_be_readable(document: str, problem: str) -> None:
    with pytest.raises(ManifestError) as caught:
        Fleet(write(BAD_WIDGET, document, VM))
    assert [str(fault) for fault in caught.value.problems] == [NOT_A_MAP.format(3), problem]
