"""Two VMs of one key get one answer: the keys differ wherever a preference may do something else."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.adopt.effects import _machine_key, _vmi_key
from virtcatalog.api.decode import decode_manifest
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.manifests.fields import put

DISK = {"name": "root", "disk": {}}
SPEC = {
    "domain": {
        "devices": {"disks": [DISK], "interfaces": [{"name": "default", "masquerade": {}}]},
        "firmware": {"uuid": "11111111-1111-1111-1111-111111111111"},
        "memory": {"guest": "1Gi"},
    },
    "networks": [{"name": "default", "pod": {}}],
    "volumes": [{"name": "root", "containerDisk": {"image": "a"}}],
}
TEMPLATE = ("spec", "template", "spec")
DOMAIN = (*TEMPLATE, "domain")
OTHER_VOLUME = [{"name": "root", "containerDisk": {"image": "b"}}]
OF_A_TYPE: dict[str, Any] = {"instancetype": {"name": "m"}}


def vm(path: tuple[str, ...] = (), value: object = None, **spec: Any) -> VirtualMachine:
    manifest = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "a", "namespace": "n"}}
    whole = manifest | {"spec": {"runStrategy": "Halted", "template": {"metadata": {}, "spec": SPEC}, **spec}}
    decoded = decode_manifest(put(whole, path, value) if path else whole)
    assert isinstance(decoded, VirtualMachine)
    return decoded


def vmi(path: tuple[str, ...] = (), value: object = None) -> VirtualMachineInstance:
    manifest = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance", "metadata": {"name": "a"}}
    whole = manifest | {"spec": SPEC}
    decoded = decode_manifest(put(whole, path, value) if path else whole)
    assert isinstance(decoded, VirtualMachineInstance)
    return decoded


@pytest.mark.parametrize(
    ("path", "value", "same"),
    [
        (("metadata", "name"), "b", True),
        (("metadata", "annotations"), {"kubevirt.io/preference-name": "p"}, True),
        (("metadata", "annotations"), {"kubevirt.io/cluster-preference-name": "p"}, True),
        (("metadata", "annotations"), {"kubevirt.io/instancetype-name": "m"}, True),
        (("metadata", "annotations"), {"kubevirt.io/cluster-instancetype-name": "m"}, True),
        (("metadata", "annotations"), {"hooks.kubevirt.io/hookSidecars": "[]"}, False),
        (("metadata", "labels"), {"a": "b"}, False),
        (("spec", "domain", "memory", "guest"), "2Gi", False),
        (("spec", "volumes"), OTHER_VOLUME, False),
    ],
)
def test_vmis_alike(path: tuple[str, ...], value: object, same: bool) -> None:
    assert (_vmi_key(vmi(path, value)) == _vmi_key(vmi())) is same


@pytest.mark.parametrize(
    ("path", "value", "same", "same_of_a_type"),
    [
        (("metadata", "name"), "b", True, True),
        ((*DOMAIN, "firmware", "uuid"), "22222222-2222-2222-2222-222222222222", True, True),
        ((*DOMAIN, "devices", "disks"), [{**DISK, "cache": "none"}], True, True),
        ((*DOMAIN, "devices", "interfaces"), [{"name": "default", "bridge": {}}], True, True),
        ((*TEMPLATE, "networks"), [{"name": "default", "multus": {"networkName": "x"}}], True, True),
        (("metadata", "namespace"), "other", True, False),
        ((*TEMPLATE, "volumes"), OTHER_VOLUME, True, False),
        (("spec", "dataVolumeTemplates"), [{"metadata": {"name": "d"}, "spec": {}}], True, False),
        (("spec", "instancetype"), {"name": "other"}, False, False),
        ((*DOMAIN, "firmware"), {"bootloader": {"bios": {}}}, False, False),
        ((*DOMAIN, "devices", "rng"), {}, False, False),
        ((*DOMAIN, "memory", "guest"), "2Gi", False, False),
        ((*TEMPLATE, "architecture"), "arm64", False, False),
        (("spec", "template", "metadata", "annotations"), {"a": "b"}, False, False),
    ],
)
def test_vms_alike(path: tuple[str, ...], value: object, same: bool, same_of_a_type: bool) -> None:
    """What decides which instance type a VM gets counts where it has one."""
    assert (_machine_key(vm(path, value)) == _machine_key(vm())) is same
    assert (_machine_key(vm(path, value, **OF_A_TYPE)) == _machine_key(vm(**OF_A_TYPE))) is same_of_a_type
