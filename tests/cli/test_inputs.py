"""What `-f` and `-c` name: files with and without an environment, catalogs, trees, and what lies beside VMs."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkouts import write
from virtcatalog.cli.inputs import catalog_objects, companions, load_any, placed, read
from virtcatalog.cli.vms import Batch
from virtcatalog.errors import ManifestError, Problem, VirtcatalogError
from virtcatalog.fleet.files import Fleet
from virtcatalog.fleet.outcome import Located, problem_at, unplaced
from virtcatalog.fleet.sources import Placed

SECRET = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\n"
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: NAME}
spec: {runStrategy: Always, template: {spec: {domain: {devices: {}}}}}
"""
CATALOG = {
    "catalog.yaml": "name: c\nkubevirt: v1.9.0\n",
    "overlays.yaml": "lab: {}\n",
    "instancetypes/m.yaml": "class: m\nmemoryPerVcpu: 1Gi\nsizes: {small: {vcpus: 1}}\n",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def named(text: str, name: str) -> str:
    return text.replace("NAME", name)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("vm.yaml", Placed("vm.yaml")),
        ("lab=vm.yaml", Placed("vm.yaml", "lab")),
        ("lab=a=b.yaml", Placed("a=b.yaml", "lab")),
        ("there=vm.yaml", Placed("there=vm.yaml")),
        ("lab=", Placed("lab=")),
        ("=vm.yaml", Placed("=vm.yaml")),
        ("a/b=vm.yaml", Placed("a/b=vm.yaml")),
        ("-", Placed("-")),
        ("lab=-", Placed("-", "lab")),
    ],
)
def test_a_source_may_have_an_environment(source: str, expected: Placed) -> None:
    write(".", {"there=vm.yaml": ""})
    assert placed(source) == expected


def test_all_manifests_of_files_and_folders_are_read_and_all_problems_told() -> None:
    write(".", {"f/a.yaml": named(SECRET, "a"), "f/b.yaml": "kind: [\n", "c.yaml": named(SECRET, "c")})
    expected = [
        "f/b.yaml:2:1: is not YAML: the text ends where a value is wanted",
        "gone: there is no such file or folder",
    ]
    with pytest.raises(ManifestError) as caught:
        read(["f", "gone", "c.yaml"])
    assert list(map(str, caught.value.problems)) == expected
    assert [manifest.name for manifest in read(["f/a.yaml", "c.yaml"])] == ["ConfigMap/a", "ConfigMap/c"]


def test_vms_are_no_companions() -> None:
    write(".", {"a.yaml": f"{named(SECRET, 'a')}---\n{named(VM, 'b')}"})
    assert [companion.name for companion in companions(["lab=a.yaml"])] == ["ConfigMap/a"]


@pytest.mark.parametrize(
    ("files", "source", "names"),
    [
        ({}, None, []),
        (CATALOG, "catalog", ["m.small", "m.small"]),
        (CATALOG, None, ["m.small", "m.small"]),
        ({"x.yaml": "kind: 7\n"}, None, []),
        ({"x.yaml": named(SECRET, "x")}, "catalog", ["x"]),
        ({"x.yaml": named(SECRET, "x")}, "catalog/x.yaml", ["x"]),
    ],
)
def test_objects_of_a_catalog_or_of_manifests(files: dict[str, str], source: str | None, names: list[str]) -> None:
    write(".", {f"catalog/{path}": text for path, text in files.items()})
    assert [obj["metadata"]["name"] for obj in catalog_objects(source)] == names


@pytest.mark.parametrize(
    ("source", "environments", "name"), [(None, [], "c"), ("catalog", ["lab"], "c"), ("elsewhere", [], None)]
)
def test_a_catalog_may_be_there(source: str | None, environments: list[str], name: str | None) -> None:
    write(".", {f"catalog/{path}": text for path, text in CATALOG.items()})
    catalog = load_any(source, environments)
    assert (catalog and catalog.name) == name


@pytest.mark.parametrize(
    ("source", "environment", "message"),
    [
        (None, "lob", "there is no environment 'lob' in catalog; did you mean 'lab'?"),
        ("elsewhere", "lab", "there is no environment 'lab' in elsewhere"),
    ],
)
def test_it_has_to_have_the_environments(source: str | None, environment: str, message: str) -> None:
    write(".", {f"catalog/{path}": text for path, text in CATALOG.items()})
    with pytest.raises(VirtcatalogError) as caught:
        load_any(source, [environment])
    assert str(caught.value) == message


def test_a_batch_has_its_vms_and_those_of_its_files() -> None:
    odd = named(VM, "odd").replace("Always", "[]")
    write(".", {"a.yaml": "---\n".join([named(VM, "b"), odd, named(VM, "c")])})
    own = unplaced({"kind": "VirtualMachine", "metadata": {"name": "a"}})
    batch = Batch([own], [], fleet=Fleet([Placed("a.yaml")]))
    assert batch.number == 4
    problems: list[Problem] = []
    assert [vm.manifest["metadata"]["name"] for vm in batch.readable(problems)] == ["a", "b", "c"]
    assert [problem.field for problem in problems] == ["spec.runStrategy"]
    alone = batch._replace(fleet=None)
    assert (alone.number, list(alone.readable([]))) == (1, [own])
    assert Batch([], [])[2:] == ("", "", (), False, None)


def test_a_manifest_has_its_place_or_none() -> None:
    manifest = {"kind": "ConfigMap", "metadata": {"name": "a", "namespace": "n"}}
    assert str(problem_at("f.yaml", 3, 4, manifest, "data", "is odd")) == "f.yaml:3:4: ConfigMap/n/a: data: is odd"
    located = unplaced(manifest)
    assert isinstance(located, Located)
    assert (located.manifest, str(located.problem("data", "is odd"))) == (manifest, "ConfigMap/n/a: data: is odd")
