"""`virtcatalog import objects`: what it writes, says, and leaves alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from syrupy.assertion import SnapshotAssertion

from virtcatalog.cli import main

OWN = "instancetype.kubevirt.io"


def a_type(name: str, vcpus: int, memory: str, **metadata: object) -> dict[str, object]:
    series, _, size = name.partition(".")
    labels = {"cpu": str(vcpus), "memory": memory, "vendor": "example.org"}
    labels |= {"class": series, "size": size} if size else {}
    return {
        "apiVersion": f"{OWN}/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": name, "labels": {f"{OWN}/{key}": value for key, value in labels.items()}, **metadata},
        "spec": {"cpu": {"guest": vcpus}, "memory": {"guest": memory}},
    }


def preference(name: str, bus: str, **labels: str) -> dict[str, object]:
    own = {"os-type": "linux", "vendor": "example.org"} | labels
    return {
        "apiVersion": f"{OWN}/v1beta1",
        "kind": "VirtualMachineClusterPreference",
        "metadata": {"name": name, "labels": {f"{OWN}/{key}": value for key, value in own.items()}},
        "spec": {"devices": {"preferredDiskBus": bus, "preferredRng": {}}},
    }


BUNDLE = [
    *(a_type(f"m.{size}", count, f"{count * 4}Gi") for size, count in (("small", 1), ("medium", 2), ("large", 4))),
    a_type("m.tiny", 1, "512Mi"),
    a_type("web", 2, "2Gi"),
    *(preference(name, "virtio") for name in ("debian", "debian.cloud", "fedora")),
    preference("slackware", "sata"),
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}},
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "house").mkdir()
    monkeypatch.chdir(tmp_path / "house")
    Path("bundle.json").write_text("\n".join(map(json.dumps, BUNDLE)))


def call(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=stdin)


def written() -> dict[str, str]:
    return {str(path): path.read_text() for path in sorted(Path("catalog").rglob("*.yaml"))}


def test_writes_a_catalog_that_builds_the_objects(snapshot: SnapshotAssertion) -> None:
    result = call("import", "objects", "-f", "bundle.json")
    assert result.exit_code == 0, result.stderr
    assert "".join(f"=== {path}\n{text}" for path, text in written().items()) == snapshot(name="files")
    assert result.output == snapshot(name="said")
    assert call("build").exit_code == 0


def test_reads_standard_input_and_kustomize() -> None:
    Path("base").mkdir()
    Path("base/kustomization.yaml").write_text("resources: [types.json]\nnameSuffix: .x\n")
    Path("base/types.json").write_text(json.dumps(a_type("m", 1, "1Gi")))
    result = call("import", "objects", "-f", "base", "-f", "-", "--relabel", stdin=json.dumps(a_type("m.a", 2, "2Gi")))
    assert result.exit_code == 0, result.stderr
    assert "sizes:\n  x: {vcpus: 1}\n  a: {vcpus: 2}\n" in written()["catalog/instancetypes/m.yaml"]


def test_never_replaces_a_file() -> None:
    Path("catalog").mkdir()
    Path("catalog/catalog.yaml").write_text("mine\n")
    result = call("import", "objects", "-f", "bundle.json", "--relabel")
    assert (result.exit_code, written()) == (2, {"catalog/catalog.yaml": "mine\n"})
    assert "catalog has a file catalog.yaml already; choose another --output-dir" in result.stderr


def test_a_folder_that_is_a_link_in_a_circle_is_refused() -> None:
    Path("catalog").symlink_to("catalog")
    result = call("import", "objects", "-f", "bundle.json", "--relabel")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1] == "error: catalog is no folder; name another one for the repository"


def test_writes_nothing_that_gives_other_objects() -> None:
    one = a_type("m.a", 1, "1Gi")
    one["spec"]["cpu"]["guest"] = 2  # type: ignore[index]
    result = call("import", "objects", "-f", "-", stdin=json.dumps(one))
    assert (result.exit_code, written()) == (2, {})
    assert (
        "VirtualMachineClusterInstancetype/m.a: metadata.labels[instancetype.kubevirt.io/cpu]: 1 would be 2 "
        "(a catalog derives it from `vcpus`; --relabel takes that)"
    ) in result.stderr
    result = call("import", "objects", "-f", "-", "--relabel", stdin=json.dumps(one))
    assert result.exit_code == 0
    assert "1 of 1 objects get labels that are derived, or lose others" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (
            ["-f", "-"],
            '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}',
            "no instance type and no preference in -",
        ),
        (["-f", "gone"], "", "gone: there is no such file or folder"),
        (
            ["-f", "-", "--name", "A B"],
            "",
            (
                "Kubernetes refuses the name 'A B': it may have lower-case letters, digits, '-' and '.', and "
                "each part starts and ends with a letter or digit; choose another --name."
            ),
        ),
        (
            ["-f", "-"],
            json.dumps({**a_type("m.a", 1, "1Gi"), "apiVersion": f"{OWN}/v1alpha1"}),
            "`virtcatalog convert`",
        ),
        (["-f", "-"], json.dumps({**a_type("m.a", 1, "1Gi"), "spec": {}}), "spec.cpu: is required"),
    ],
)
def test_wrong_input(arguments: list[str], stdin: str, message: str) -> None:
    result = call("import", "objects", *arguments, stdin=stdin)
    assert (result.exit_code, written()) == (2, {})
    assert f"{message}\n" in result.stderr


def both_scopes(name: str, vcpus: int) -> list[dict[str, object]]:
    """The same type for the cluster and for a namespace."""
    one = a_type(name, vcpus, f"{vcpus}Gi")
    return [one, {**one, "kind": "VirtualMachineInstancetype"}]


def report(*arguments: str, objects: list[dict[str, object]]) -> list[str]:
    result = call("import", "objects", "-f", "-", *arguments, stdin="\n".join(map(json.dumps, objects)))
    assert result.exit_code == 0, result.stderr
    return result.stderr.splitlines()


def test_what_is_in_both_scopes_needs_no_environment() -> None:
    assert report(objects=both_scopes("m.a", 1)) == [
        "catalog: 2 objects in 6 lines; virtcatalog build gives the same",
    ]
    assert sorted(written()) == ["catalog/catalog.yaml", "catalog/instancetypes/m.yaml"]


def test_what_is_in_one_scope_is_in_an_environment_of_it() -> None:
    both, (_, namespaced) = both_scopes("m.a", 1), both_scopes("m.b", 2)
    same = "virtcatalog build gives the same in the"
    assert report("--output-dir", "one", objects=[both[0]]) == [f"one: 1 object in 7 lines; {same} environment cluster"]
    assert report("--output-dir", "two", objects=[*both, namespaced]) == [
        f"two: 3 objects in 13 lines; {same} environments cluster, namespaced"
    ]


@pytest.mark.parametrize(
    ("output", "name"),
    [
        ("Our House", "our-house"),
        ("catalog", "house"),
        ("-a.b_c-", "a.b-c"),
        ("---", "catalog"),
    ],
)
def test_a_catalog_is_called_as_its_folder(output: str, name: str) -> None:
    result = call("import", "objects", "-f", "bundle.json", "--output-dir", output)
    assert result.exit_code == 0, result.stderr
    assert Path(output, "catalog.yaml").read_text().splitlines()[0] == f"name: {name}"


def test_what_is_left_out_is_counted_by_kind() -> None:
    others = [
        {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}}
        for kind, name in (("Secret", "a"), ("ConfigMap", "a"), ("ConfigMap", "b"))
    ]
    assert report(objects=[*both_scopes("m.a", 1), *others])[0] == (
        "left out: 3 objects of other kinds (ConfigMap, Secret)"
    )
