"""Dumps of clusters as they are written: which objects they hold, and what is no object."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from virtcatalog.errors import ManifestError
from virtcatalog.live.reading import read_snapshot
from virtcatalog.live.sound import is_sound


def vm(name: str = "web") -> str:
    metadata = {"name": name, "namespace": "shop"}
    return json.dumps({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata, "spec": {}})


WITHOUT_KIND = '{"metadata": {"name": "web", "namespace": "shop"}, "spec": {}}'
NODE = '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}}'
LIST = '{"apiVersion": "v1", "kind": "List", "items": [%s]}'
LIST_OF_VMS = '{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineList", "items": [%s]}'
YAML = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web, namespace: shop}\nspec: {}\n"


def nested(levels: int) -> str:
    """A list in lists, which has its own metadata."""
    inner = LIST.replace('"items"', '"metadata": {}, "items"')
    return inner if levels == 1 else inner % nested(levels - 1)


def objects(*paths: Path) -> list[str]:
    """The kinds and names of what a dump holds."""
    snapshot = read_snapshot([str(path) for path in paths])
    return [*snapshot.names, *(f"{other['kind']}/{other['metadata']['name']}" for other in snapshot.others)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (vm(), ["shop/web"]),
        ("\ufeff" + vm(), ["shop/web"]),
        (" \n" * 5000 + vm(), ["shop/web"]),
        (vm() + vm("db"), ["shop/web", "shop/db"]),
        (LIST % f"{vm()}, {NODE}, {vm('db')}", ["shop/web", "shop/db", "Node/node-1"]),
        (LIST % LIST % f"{NODE}", ["Node/node-1"]),
        (nested(20) % f"{NODE}, {vm()}", ["shop/web", "Node/node-1"]),
        (nested(20) % "", []),
        (LIST % LIST_OF_VMS % WITHOUT_KIND, ["shop/web"]),
        (LIST_OF_VMS % WITHOUT_KIND, ["shop/web"]),
        (YAML, ["shop/web"]),
        (f"{YAML}---\n{NODE}\n---\n{vm('db')}\n", ["shop/web", "shop/db", "Node/node-1"]),
        (f"apiVersion: v1\nkind: List\nitems:\n- {vm()}\n- {NODE}\n", ["shop/web", "Node/node-1"]),
        ("kind: Pod\nmetadata: {name: a}\n", []),
    ],
)
def test_a_dump_is_json_or_yaml_and_lists_are_taken_apart(tmp_path: Path, text: str, expected: list[str]) -> None:
    dump = tmp_path / "lab.json"
    dump.write_text(text, encoding="utf-8")
    assert objects(dump) == expected


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (LIST % "3", ["lab.json:1:48: a manifest is a map, not the number 3"]),
        (LIST % f"{vm()}, 3, [], {NODE}", [
            "lab.json:1:170: a manifest is a map, not the number 3", "lab.json:1:173: a manifest is a map, not a list",
        ]),
        (vm().replace("{}", "[" * 300 + "]" * 300), ["lab.json:1:318: is nested more than 200 levels deep"]),
        (LIST % vm().replace("{}", "[" * 100_000), ["lab.json:1:561: is nested more than 200 levels deep"]),
        ("3", ["lab.json:1:1: a manifest is a map, not the number 3"]),
        (f"{YAML}---\n- 3\n", ["lab.json:6:1: a manifest is a map, not a list"]),
        ('{"a": }', ["lab.json:1:1: apiVersion: is required", "lab.json:1:1: kind: is required"]),
        ('{"a": 1}', ["lab.json:1:1: apiVersion: is required", "lab.json:1:1: kind: is required"]),
        (LIST.replace("[%s]", "3"), ["lab.json:1:38: List: items: must be a list, not the number 3"]),
        (LIST % LIST.replace("[%s]", "{}"), ["lab.json:1:85: List: items: must be a list, not a map"]),
        ("", ["lab.json:1:1: holds no manifest"]),
        (LIST % "", ["lab.json:1:1: holds no manifest"]),
    ],
)  # fmt: skip
def test_what_is_no_object_is_named(tmp_path: Path, text: str, problems: list[str]) -> None:
    dump = tmp_path / "lab.json"
    dump.write_text(text, encoding="utf-8")
    with pytest.raises(ManifestError) as caught:
        objects(dump)
    assert [str(problem).removeprefix(f"{tmp_path}/") for problem in caught.value.problems] == problems


def test_a_dump_is_called_by_its_file_and_several_are_the_cluster(tmp_path: Path) -> None:
    for name in ("lab", "more"):
        (tmp_path / f"{name}.json").write_text(vm(name))
    paths = [f"{tmp_path}/lab.json", f"{tmp_path}/more.json"]
    alone, both = read_snapshot(paths[:1]), read_snapshot(paths)
    assert (alone.label, list(alone.names)) == ("lab", ["shop/lab"])
    assert (both.label, list(both.names)) == ("the cluster", ["shop/lab", "shop/more"])


def test_a_folder_has_a_dump_in_each_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "vms.yaml").write_text(YAML)
    (tmp_path / "lab" / "nodes.json").write_text(LIST % NODE)
    snapshot = read_snapshot([f"{tmp_path}/lab"])
    assert objects(tmp_path / "lab") == ["shop/web", "Node/node-1"]
    assert snapshot.label == "lab"


def test_a_dump_comes_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(vm().encode())))
    snapshot = read_snapshot(["-"])
    assert (snapshot.label, list(snapshot.names)) == ("the cluster", ["shop/web"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[3]")))
    with pytest.raises(ManifestError, match=r"^<stdin>:1:1: a manifest is a map, not a list$"):
        read_snapshot(["-"])


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ManifestError) as caught:
        objects(tmp_path / "no.json", tmp_path / "none.json")
    assert [str(problem).removeprefix(f"{tmp_path}/") for problem in caught.value.problems] == [
        "no.json: there is no such file or folder",
        "none.json: there is no such file or folder",
    ]


@pytest.mark.parametrize(
    "part",
    [
        {"metadata": {"labels": []}},
        {"metadata": {"annotations": "a"}},
        {"metadata": {"labels": {"a": 1}}},
        {"metadata": {"annotations": {"a": None}}},
        {"metadata": {"namespace": 1}},
        {"metadata": {"ownerReferences": {}}},
        {"metadata": {"managedFields": {}}},
        {"spec": []},
        {"data": []},
        {"status": []},
        {"status": {"conditions": {}}},
    ],
)
def test_what_no_api_server_makes_is_not_sound(part):
    assert is_sound({"metadata": {}})
    assert not is_sound({"metadata": {}, **part})
