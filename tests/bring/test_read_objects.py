"""What is wrong with objects from which a catalog is to be made, each with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from virtcatalog.bring.objects.read import collected, kustomized, nothing
from virtcatalog.errors import ManifestError

TYPE = "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\n"
GOOD = TYPE + "metadata: {name: a}\nspec: {cpu: {guest: 1}, memory: {guest: 1Gi}}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: b: c\n", ["x.yaml:1:5: is not YAML: a second ': ' in one line; quote the text that has it"]),
        (f"{GOOD}---\na: [\n", ["x.yaml:7:1: is not YAML: the text ends where a value is wanted"]),
        (TYPE + "metadata: {name: a}\nspec: {cpu: {guest: x}, memory: {guest: 1Gi}}\n", None),
        (TYPE + "metadata: {}\nspec: {cpu: {guest: 1}, memory: {guest: 1Gi}}\n", None),
        (TYPE + "metadata: {name: A}\nspec: {cpu: {guest: 1}, memory: {guest: 1Gi}}\n", None),
        (TYPE + "metadata: {name: a, labels: {x: a b}}\nspec: {cpu: {guest: 1}, memory: {guest: 1Gi}}\n", None),
        (TYPE + "metadata: {name: a}\nspec: {cpu: {guest: 1}}\n", None),
        ("kind: ConfigMap\n", None),
    ],
)
def test_each_fault_of_a_file_is_told_once(text, expected, snapshot):
    with pytest.raises(ManifestError) as caught:
        collected([("x.yaml", text.encode())], [])
    problems = [str(problem) for problem in caught.value.problems]
    assert len(problems) == len({*problems})
    assert problems == (snapshot if expected is None else expected)


@pytest.mark.parametrize(
    "data",
    [
        {"metadata": {"name": "A"}, "spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}},
        {"metadata": {"name": "a"}, "spec": {"cpu": {"guest": "x"}}},
        {"metadata": {}, "spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}},
    ],
)
def test_faults_of_what_kustomize_built_name_the_folder(data, snapshot):
    kind = {"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachineClusterInstancetype"}
    with pytest.raises(ManifestError) as caught:
        collected([], [("folder", [{**kind, **data}])])
    assert [str(problem) for problem in caught.value.problems] == snapshot


KUSTOMIZATION = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"


@pytest.mark.parametrize("end", ["", "/"])
def test_a_kustomization_is_built(tmp_path: Path, end: str) -> None:
    (tmp_path / "kustomization.yaml").write_text(f"{KUSTOMIZATION}namePrefix: my-\nresources: [type.yaml]\n")
    (tmp_path / "type.yaml").write_text(GOOD)
    assert kustomized(f"{tmp_path}{end}") == [
        {
            "apiVersion": "instancetype.kubevirt.io/v1beta1",
            "kind": "VirtualMachineClusterInstancetype",
            "metadata": {"name": "my-a"},
            "spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}},
        }
    ]


def test_files_and_other_folders_are_none(tmp_path: Path) -> None:
    (tmp_path / "type.yaml").write_text(GOOD)
    assert kustomized(str(tmp_path)) is None
    assert kustomized(str(tmp_path / "type.yaml")) is None
    assert kustomized(str(tmp_path / "nowhere")) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "resources: [gone.yaml]\n",
            "FOLDER/kustomization.yaml:3:13: resources[0]: there is no file and no kustomization at gone.yaml",
        ),
        (
            "helmCharts: [{name: x}]\n",
            "FOLDER/kustomization.yaml:3:14: helmCharts[0]: the Helm chart x is not rendered",
        ),
    ],
)
def test_what_kustomize_cannot_build_is_told(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "kustomization.yaml").write_text(KUSTOMIZATION + text)
    with pytest.raises(ManifestError) as raised:
        kustomized(f"{tmp_path}/")
    assert str(raised.value).replace(str(tmp_path), "FOLDER") == expected


def test_sources_without_an_object_are_named() -> None:
    assert str(nothing(["a", "b.yaml"])) == "no instance type and no preference in a, b.yaml"
