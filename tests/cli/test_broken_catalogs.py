"""One mistake in a new repository: what `check` prints, which is its place, what is wrong, and nothing that follows."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from syrupy.assertion import SnapshotAssertion

from checkouts import write
from virtcatalog.cli import main
from virtcatalog.scaffold.content import contents

STD, LINUX = "catalog/instancetypes/std.yaml", "catalog/preferences/linux.yaml"
COMPONENTS, OVERLAYS = "catalog/components.yaml", "catalog/overlays.yaml"
CATALOG, VM = "catalog/catalog.yaml", "catalog/vms/web-server.yaml"
MEDIUM = "medium: {vcpus: 2}"
FILES = contents("house", package="virtcatalog==1.0.0")

#: What somebody meant to write, the file, and what stands there instead.
CASES = {
    "a tab for indentation": (STD, "  small:", "\tsmall:"),
    "class is missing": (STD, "class: std\n", ""),
    "class in capitals": (STD, "class: std", "class: STD"),
    "class M": (STD, "class: std", "class: M"),
    "sizes is a list": (
        STD,
        "sizes:\n  small: {vcpus: 1}\n  medium: {vcpus: 2}\n  large: {vcpus: 4}\n  xlarge: {vcpus: 8}",
        "sizes: [small, medium]",
    ),
    "sizes is missing": (STD, "sizes:", "size:"),
    "vcpus is text": (STD, MEDIUM, "medium: {vcpus: two}"),
    "vcpus is zero": (STD, MEDIUM, "medium: {vcpus: 0}"),
    "vcpus is negative": (STD, MEDIUM, "medium: {vcpus: -2}"),
    "vcpus is misspelt": (STD, MEDIUM, "medium: {vcpu: 2}"),
    "memory is negative": (STD, MEDIUM, "medium: {vcpus: 2, memory: -4Gi}"),
    "memory in GB": (STD, MEDIUM, "medium: {vcpus: 2, memory: 4GB}"),
    "memory without unit": (STD, MEDIUM, "medium: {vcpus: 2, memory: 4}"),
    "memory is decimal": (STD, "memoryPerVcpu: 4Gi", "memoryPerVcpu: 4G"),
    "memory is zero": (STD, "memoryPerVcpu: 4Gi", "memoryPerVcpu: 0"),
    "memory is missing": (STD, "memoryPerVcpu: 4Gi\n", ""),
    "a size twice": (STD, "  large: {vcpus: 4}", "  medium: {vcpus: 4}"),
    "a brace is open": (STD, MEDIUM, "medium: {vcpus: 2"),
    "huge pages of an odd size": (STD, "sizes:", "spec: {memory: {hugepages: {pageSize: 4Mi}}}\nsizes:"),
    "a spec field is misspelt": (STD, "sizes:", "spec: {cpu: {dedicatedCpuPlacement: true}}\nsizes:"),
    "a spec field of a wrong type": (STD, "sizes:", "spec: {cpu: {dedicatedCPUPlacement: 'yes'}}\nsizes:"),
    "an unknown GPU field": (STD, "sizes:", "spec: {gpus: [{nam: gpu0, deviceName: nvidia.com/A10}]}\nsizes:"),
    "an empty file": (STD, FILES[STD], ""),
    "two documents": (STD, FILES[STD], "class: a\n---\nclass: b\n"),
    "something else": (STD, FILES[STD], "a: &a [x,x]\nb: &b [*a,*a]\n"),
    "displayName is a list": (STD, "displayName: Standard", "displayName: [Standard]"),
    "the schema comment alone": (STD, FILES[STD], "# nothing\n"),
    "osType is misspelt": (LINUX, "osType: linux", "osType: linus"),
    "arch is misspelt": (LINUX, "arch: amd64", "arch: amd46"),
    "a component is not there": (LINUX, "[disk-virtio, nic-virtio, rng]", "[disk-virtio, nic-virtoi, rng]"),
    "a component's field is misspelt": (COMPONENTS, "preferredDiskBus: virtio", "preferredDiskBuss: virtio"),
    "a component's value is misspelt": (
        COMPONENTS,
        "preferredInterfaceModel: virtio",
        "preferredInterfaceModel: virtoi",
    ),
    "a component with a wrong bus": (COMPONENTS, "preferredDiskBus: virtio", "preferredDiskBus: ide"),
    "a component's type is wrong": (COMPONENTS, "preferredRng: {}", "preferredRng: true"),
    "requirements misspelt": (
        LINUX,
        "requirements: {vcpus: 1, memory: 512Mi}",
        "requirement: {vcpus: 1, memory: 512Mi}",
    ),
    "required memory without unit letters": (LINUX, "memory: 512Mi", "memory: 512MB"),
    "a preference twice": (LINUX, "  linux.fedora:", "  linux.debian:"),
    "an illegal name": (LINUX, "  linux.fedora:", "  linux_fedora:"),
    "an overlay selects what is not there": (OVERLAYS, "scope: cluster", "scope: cluster\n  select: {names: ['z.*']}"),
    "an overlay's scope is misspelt": (OVERLAYS, "scope: cluster", "scope: clusterwide"),
    "a namespaced overlay without namespace": (OVERLAYS, "  namespace: virt-lab\n", ""),
    "a patch selects nothing": (
        OVERLAYS,
        "scope: cluster",
        "scope: cluster\n  patches: [{select: {names: ['std.huge']}, spec: {cpu: {guest: 4}}}]",
    ),
    "kubevirt's release is unknown": (CATALOG, "kubevirt: v1.7.0", "kubevirt: v2.0.0"),
    "kubevirt's release is a number": (CATALOG, "kubevirt: v1.7.0", "kubevirt: 1.7"),
    "the catalog's name is missing": (CATALOG, "name: house\n", ""),
    "a key of the catalog is misspelt": (CATALOG, "vendor:", "vendr:"),
    "a VM's type is not there": (VM, "{name: std.medium}", "{name: std.medum}"),
    "a VM's preference is not there": (VM, "{name: linux.debian}", "{name: linux.debain}"),
    "a VM's field is misspelt": (VM, "runStrategy: Always", "runStrategie: Always"),
    "a VM's strategy is misspelt": (VM, "runStrategy: Always", "runStrategy: always"),
    "a VM is too small for its preference": (LINUX, "memory: 512Mi", "memory: 64Gi"),
    "an expression that fails": (STD, "sizes:", "spec: {memory: {guest: '{{ vcpus * }}'}}\nsizes:"),
    "an expression that names nothing": (STD, "sizes:", "spec: {memory: {guest: '{{ vcpu * 4 }}Gi'}}\nsizes:"),
    "deprecated by what is not there": (STD, "sizes:", "deprecated: {replacedBy: std2, sunset: 2027-01-01}\nsizes:"),
    "a sunset that is no date": (STD, "sizes:", "deprecated: {sunset: soon}\nsizes:"),
    "extends what comes with the program, misspelt": (
        CATALOG,
        "vendor: example.com",
        "vendor: example.com\nextends: common-instancetype",
    ),
    "a list in place of components": (COMPONENTS, FILES[COMPONENTS], "- disk-virtio\n"),
    "a component without spec": (COMPONENTS, "{spec: {devices: {preferredRng: {}}}}", "{devices: {preferredRng: {}}}"),
    "a component that is empty": (COMPONENTS, "rng: {spec: {devices: {preferredRng: {}}}}", "rng:"),
    "one component without brackets": (LINUX, "[disk-virtio, nic-virtio, rng]", "disk-virtio"),
    "preferences among instance types": (STD, FILES[STD], FILES[LINUX]),
    "a VM among instance types": (STD, FILES[STD], FILES[VM].partition("---")[0]),
    "a manifest among instance types": (
        STD,
        FILES[STD],
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\n",
    ),
    "a size is not indented": (STD, "  medium: {vcpus: 2}", "medium: {vcpus: 2}"),
    "a size is indented too far": (STD, "  medium: {vcpus: 2}", "   medium: {vcpus: 2}"),
    "a space behind a colon is missing": (STD, "class: std", "class:std"),
    "a quote is open": (STD, "displayName: Standard", 'displayName: "Standard'),
    "a colon in a text": (STD, "displayName: Standard", "displayName: Standard: all"),
    "an at sign": (STD, "displayName: Standard", "displayName: @home"),
    "an alias without an anchor": (STD, "{vcpus: 2}", "*small"),
    "an expression without quotes": (STD, "displayName: Standard", "displayName: {{ class }}"),
    "a size without anything": (STD, "medium: {vcpus: 2}", "medium:"),
    "vcpus in quotes": (STD, MEDIUM, "medium: {vcpus: '2'}"),
    "a number with a comma": (STD, MEDIUM, "medium: {vcpus: 2, memory: '4,5Gi'}"),
    "too many vcpus": (STD, MEDIUM, "medium: {vcpus: 99999999999}"),
    "an overlay's key is misspelt": (OVERLAYS, "  namespace: virt-lab", "  namespaces: virt-lab"),
    "an overlay's release is too new": (OVERLAYS, "scope: cluster", "scope: cluster\n  kubevirt: v1.10"),
    "a patch's field is misspelt": (
        OVERLAYS,
        "scope: cluster",
        "scope: cluster\n  patches: [{select: {names: ['std.*']}, spec: {cpu: {guests: 4}}}]",
    ),
    "a topology is misspelt": (
        LINUX,
        "displayName: Debian",
        "displayName: Debian\n    spec: {cpu: {preferredCPUTopology: spreads}}",
    ),
    "a VM's kind is misspelt": (VM, "kind: VirtualMachine", "kind: VirtualMachin"),
    "a VM's claim with a wrong access mode": (VM, "[ReadWriteMany]", "[ReadWriteMayn]"),
    "a VM without its network": (VM, "        - name: default\n          pod", "        - name: defalt\n          pod"),
    "a VM that says its memory": (VM, "domain:", "domain:\n        memory: {guest: 4Gi}"),
    "a VM of an old API": (VM, "kubevirt.io/v1", "kubevirt.io/v1alpha1"),
    "extends a catalog that is not there": (CATALOG, "vendor: example.com", "vendor: example.com\nextends: ../base"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_it_prints(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion):
    file, meant, written = CASES[name]
    write(tmp_path, FILES)
    assert meant in FILES[file]
    (tmp_path / file).write_text(FILES[file].replace(meant, written, 1))
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["check"])
    assert result.exit_code == 1
    assert result.stdout + result.stderr == snapshot
