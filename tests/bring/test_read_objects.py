"""What is wrong with objects from which a catalog is to be made, each with its place."""

from __future__ import annotations

import pytest

from virtcatalog.bring.objects.read import collected
from virtcatalog.errors import ManifestError

TYPE = "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\n"
GOOD = TYPE + "metadata: {name: a}\nspec: {cpu: {guest: 1}, memory: {guest: 1Gi}}\n"


@pytest.mark.parametrize(
    ("text", "told"),
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
def test_each_fault_of_a_file_is_told_once(text, told, snapshot):
    with pytest.raises(ManifestError) as caught:
        collected([("x.yaml", text.encode())], [])
    found = [str(problem) for problem in caught.value.problems]
    assert len(found) == len({*found})
    assert found == (snapshot if told is None else told)


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
