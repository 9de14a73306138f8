"""Files of objects of old APIs, whole: what they become, what is said of each change, and what cannot be converted."""

from __future__ import annotations

import json
from base64 import b64encode
from textwrap import dedent

import pytest
from syrupy.assertion import SnapshotAssertion

from virtcatalog.bring.convert.files import convert_files
from virtcatalog.errors import ManifestError


def documents(*texts: str) -> bytes:
    return "---\n".join(map(dedent, texts)).encode()


def converted(*texts: str, memory: str = "") -> list[str]:
    """The new text of a file, and the changes of its objects."""
    (file,) = convert_files({"old.yaml": documents(*texts)}, memory)
    assert not file.loose
    changes = [
        f"{manifest.name}: {change.field}: {change.sentence}"
        for manifest, result in file.objects
        for change in result.changes
    ]
    return [*file.new.splitlines(), *changes]


def refused(*texts: str) -> list[str]:
    with pytest.raises(ManifestError) as error:
        convert_files({"old.yaml": documents(*texts)})
    return str(error.value).splitlines()


def vm(spec: str, version: str = "v1", more: str = "") -> str:
    return f"apiVersion: kubevirt.io/{version}\nkind: VirtualMachine\nmetadata: {{name: v}}\nspec: {spec}\n{more}"


def flavor(rest: str) -> str:
    return f"apiVersion: flavor.kubevirt.io/v1alpha1\nkind: VirtualMachineFlavor\nmetadata: {{name: f}}\n{rest}\n"


def preset(spec: str) -> str:
    kind = "VirtualMachineInstancePreset"
    return f"apiVersion: kubevirt.io/v1alpha3\nkind: {kind}\nmetadata: {{name: p}}\nspec: {spec}\n"


def revision(name: str, data: object, **metadata: object) -> str:
    head = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": {"name": name, **metadata}}
    return json.dumps({**head, "data": data, "revision": 1}) + "\n"


def encoded(spec: object) -> str:
    return b64encode(json.dumps(spec).encode()).decode()


TEMPLATE = "template: {spec: {domain: {devices: {}}}}"


def test_flavors(snapshot: SnapshotAssertion) -> None:
    assert (
        converted(
            flavor("spec: {cpu: {cores: 2, model: Haswell}, memory: {hugepages: {pageSize: 2Mi}}}"),
            flavor("spec: {cpu: {guest: 3, sockets: 9}, memory: {guest: 1Gi}}"),
            flavor(
                "profiles: [{zeal: 1, name: a, ardor: 2, default: false, cpu: {features: []}}, {cpu: {threads: 2}}]"
            ),
            memory="4Gi",
        )
        == snapshot
    )


def test_what_a_vm_says_of_its_flavor(snapshot: SnapshotAssertion) -> None:
    assert (
        converted(
            flavor("profiles: [{name: a}, {name: b, default: true}]"),
            "apiVersion: flavor.kubevirt.io/v1alpha1\nkind: VirtualMachineClusterFlavor\nmetadata: {name: f}\n"
            "profiles: [{name: a, default: true}]\n",
            *(
                vm(f"{{flavor: {{{kind}name: {name}{profile}}}, {TEMPLATE}}}")
                for kind in ("kind: virtualmachineflavors, ", "")
                for name, profile in (("f", ""), ("f", ", profile: a"), ("f", ", profile: b"), ("g", ", profile: a"))
            ),
            vm(f"{{flavor: {{kind: Strange, name: f}}, instancetype: {{name: x}}, {TEMPLATE}}}"),
            vm(f"{{flavor: {{kind: Strange, name: f}}, {TEMPLATE}}}"),
            memory="1Gi",
        )
        == snapshot
    )


def test_vms(snapshot: SnapshotAssertion) -> None:
    volume = "{apiVersion: cdi.kubevirt.io/VERSION, metadata: {name: d}, spec: {source: {blank: {}}, storage: {}}}"
    versions = [volume.replace("VERSION", version) for version in ("v1alpha1", "v1beta1", "v1alpha9")]
    assert (
        converted(
            vm(f"{{running: true, dataVolumeTemplates: [{', '.join(versions)}], {TEMPLATE}}}"),
            vm(f"{{running: true, liveUpdateFeatures: {{affinity: {{}}, memory: {{}}}}, {TEMPLATE}}}"),
            vm(f"{{running: true, liveUpdateFeatures: null, {TEMPLATE}}}"),
            vm(f"{{Running: true, running: false, {TEMPLATE}}}", "v1alpha3"),
            vm(f"{{running: true, {TEMPLATE}}}", "v1alpha2", "status: {conditions: [], unknown: 4}\nbeside: 5\n"),
        )
        == snapshot
    )


def test_what_cannot_be_converted(snapshot: SnapshotAssertion) -> None:
    version = "instancetype.kubevirt.io/v1alpha1"
    assert (
        refused(
            "apiVersion: kubevirt.io/v1alpha1\nkind: Spice\nmetadata: {name: s}\n",
            flavor("profiles: [{name: a, memory: 1}, 4]"),
            flavor("profiles: [4]"),
            flavor("profiles: 4"),
            flavor("profiles: [{name: a, cpu: {cores: many}}]"),
            flavor("spec: {cpu: {sockets: 99999999999, cores: 2}, memory: {guest: 1Gi}}"),
            flavor("spec: {cpu: {guest: 2}, memory: 4}"),
            preset("{domain: {cpu: {cores: many}}}"),
            revision("r", {"apiVersion": version, "spec": "e30=\n"}),
            revision("r", {"apiVersion": version, "spec": encoded([])}),
            revision("r", {"apiVersion": version, "spec": encoded({"cpu": {"guest": "2"}, "memory": {"guest": 1}})}),
            revision("r", {"apiVersion": version, "spec": "[" * 100_000}),
            vm("{template: 4}"),
            vm("{flavor: {name: 3}, template: {spec: 4}}"),
        )
        == snapshot
    )


def test_a_file_that_cannot_be_read_is_told_beside_those_that_cannot_be_converted() -> None:
    files = {
        "a.yaml": documents(flavor("profiles: []"), "a: [\n"),
        "b.yaml": b"",
        "c.yaml": documents(vm(f"{{running: true, {TEMPLATE}}}", "v1alpha3"), "a: [\n"),
    }
    with pytest.raises(ManifestError) as error:
        convert_files(files)
    assert sorted(problem.file for problem in error.value.problems) == ["a.yaml", "a.yaml", "b.yaml", "c.yaml"]


def test_lists_in_lists_are_converted_however_deep() -> None:
    text = "{apiVersion: kubevirt.io/v1alpha3, kind: VirtualMachineInstance, spec: {domain: {devices: {}}}}"
    for _ in range(6):
        text = f"{{apiVersion: v1, kind: List, items: [{text}]}}"
    new, *changes = converted(text)
    assert new == text.replace("kubevirt.io/v1alpha3", '"kubevirt.io/v1"')
    assert changes == ["VirtualMachineInstance: apiVersion: changed: kubevirt.io/v1alpha3 → kubevirt.io/v1"]
