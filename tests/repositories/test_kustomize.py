"""Kustomizations: the rules, whose answers are kustomize's own, what is refused, and where fields come from."""

from __future__ import annotations

import json
import sys
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from sampling import thorough
from virtcatalog.catalog.places import Source
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.folder import held
from virtcatalog.manifests.sources import open_folder
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.build import build
from virtcatalog.repositories.kustomize.declared import Added
from virtcatalog.repositories.kustomize.jsonpatch import PatchError, patched
from virtcatalog.repositories.kustomize.lookup import Matcher, look_up, split_field
from virtcatalog.repositories.kustomize.origins import (
    Insertion,
    Merging,
    Part,
    Removal,
    Setting,
    Spot,
    Value,
    has_field,
    steps_of,
)
from virtcatalog.repositories.kustomize.resource import Resource
from virtcatalog.repositories.texts import Texts

sys.path.insert(0, str(Path(__file__).parent.parent / "kustomize"))
from kustomize_judge import cases, difference, drawn, ours

CASES = cases()
FAULTS = YAML(typ="safe").load((Path(__file__).parent / "kustomize_faults.yaml").read_text(encoding="utf-8"))
A = "{apiVersion: x/v1, kind: A, metadata: {name: a}, spec: {b: 1}}\n"


def faults(**files: str) -> str:
    """What is wrong with a tree, and what of it is not built."""
    built = build(held({path: text.encode() for path, text in files.items()}), "x")
    return "\n".join(map(str, (*built.problems, *built.unrendered)))


def kustomization(text: str, **files: str) -> str:
    return faults(**{"kustomization.yaml": text, "a.yaml": A, **files})


@pytest.mark.parametrize(("tree", "answer"), CASES, ids=[tree.name for tree, _ in CASES])
def test_builds_what_kustomize_builds(tree, answer):
    built = ours(tree)
    assert difference(built, answer) == ""
    assert "error" in answer or not built.unrendered


@given(st.integers(1, 1_000_000))
def test_random_trees_are_results_or_problems(seed):
    (tree,) = drawn([seed])
    built = ours(tree)
    assert built == ours(tree) or built.resources  # functions that find places are never equal
    for resource in built.resources:
        json.dumps(resource.data)
        assert resource.place.file.startswith(("base", "overlay"))
        assert resource.field("spec.template.spec").line


@pytest.mark.parametrize("case", FAULTS, ids=[case["fault"].splitlines()[0] for case in FAULTS])
def test_a_fault_is_said_in_a_sentence(case):
    assert kustomization(case["kustomization"], **case.get("files", {})) == case["fault"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "is empty: kustomize refuses a kustomization that says nothing"),
        ("# later\n", "is empty: kustomize refuses a kustomization that says nothing"),
        ("- a\n", "must be one map"),
        ("resources: []\n---\nresources: []\n", "must be one map"),
    ],
)
def test_what_is_no_map_is_no_kustomization(text, fault):
    assert kustomization(text) == f"x/kustomization.yaml: {fault}"


@pytest.mark.parametrize("text", ["- a\n", "a\n"])
def test_flux_takes_no_kustomization_that_is_no_map(text):
    built = build(held({"kustomization.yaml": text.encode()}), "x", is_flux=True)
    assert list(map(str, built.problems)) == ["x/kustomization.yaml: must be one map"]


def test_of_two_kustomizations_in_a_folder_none_is_taken():
    assert kustomization("resources: [a.yaml]\n", **{"kustomization.yml": "resources: [a.yaml]\n"}) == (
        "x/kustomization.yaml: there is kustomization.yml beside it: kustomize takes one of them"
    )


def test_a_patch_that_is_no_text_is_a_fault():
    files = {"kustomization.yaml": b"resources: [a.yaml]\npatches: [{path: p.yaml}]\n", "p.yaml": b"[\xff]"}
    built = build(held({"a.yaml": A.encode(), **files}), "x")
    assert list(map(str, built.problems)) == [
        "x/kustomization.yaml:2:11: patches[0]: operations that begin with [ must be JSON"
    ]


@pytest.mark.parametrize(
    ("depth", "problem"),
    [
        (300, "x/p.yaml:1:202: is nested more than 200 levels deep"),
        (100_000, "x/kustomization.yaml:2:11: patches[0]: operations that begin with [ must be JSON"),
    ],
)
def test_a_patch_that_is_nested_too_deep_is_a_fault(depth, problem):
    patch = b"[" * depth + b"]" * depth
    files = {"kustomization.yaml": b"resources: [a.yaml]\npatches: [{path: p.yaml}]\n", "p.yaml": patch}
    assert list(map(str, build(held({"a.yaml": A.encode(), **files}), "x").problems)) == [problem]


@pytest.mark.parametrize(
    ("objects", "fault"),
    [
        ("- 1\n", "x/a.yaml:1:1: holds something that is no object"),
        ("{kind: [], metadata: {name: a}}\n", "x/a.yaml:1:1: kind must be a string, not a list"),
        ("{kind: A, metadata: [a]}\n", "x/a.yaml:1:1: metadata must be a map, not a list"),
        ("{kind: A, metadata: {name: [a]}}\n", "x/a.yaml:1:1: metadata.name must be a string, not a list"),
        (
            "{kind: A, metadata: {name: a, labels: a}}\n",
            "x/a.yaml:1:1: metadata.labels must be a map, not the string 'a'",
        ),
        ("{metadata: {name: a}}\n", "x/a.yaml:1:1: kind is required"),
        ("{kind: A}\n", "x/a.yaml:1:1: metadata.name is required"),
        ("{kind: List, items: {a: b}}\n", "x/a.yaml:1:14: items: must be a list"),
    ],
)
def test_an_object_that_is_none_is_named(objects, fault):
    assert kustomization("namespace: a\nnamePrefix: b\nresources: [a.yaml]\n", **{"a.yaml": objects}) == fault


def test_neighbours_of_what_fails_are_built():
    files = {
        "kustomization.yaml": "resources: [gone, https://x.io/y, ../base, a.yaml]\nnamePrefix: p-\n"
        "patches: [{patch: '{kind: A, metadata: {name: none}}'}]\nlabels: [{pairs: {c: d}}]\n",
        "a.yaml": A,
        "../base/kustomization.yaml": "resources: [b.yaml, gone]\n",
        "../base/b.yaml": A.replace("name: a", "name: b"),
    }
    built = build(held({path: text.encode() for path, text in files.items()}), "x")
    assert [resource.data["metadata"] for resource in built.resources] == [
        {"name": f"p-{name}", "labels": {"c": "d"}} for name in ("b", "a")
    ]
    assert [problem.field for problem in built.problems] == ["resources[0]", "resources[1]", "patches[0]"]
    assert [problem.field for problem in built.unrendered] == ["resources[1]"]


PLACES = {
    "kustomization.yaml": """\
resources: [../base]
namePrefix: p-
labels:
  - pairs:
      team: a
patches:
  - target: {kind: VirtualMachine}
    patch: |-
      kind: any
      metadata: {name: any}
      spec:
        cpu:
          cores: 4
        volumes:
          - name: patched
  - path: operations.yaml
    target: {kind: VirtualMachine}
replacements:
  - source: {kind: ConfigMap, name: c, fieldPath: data.size}
    targets:
      - select: {kind: VirtualMachine}
        fieldPaths: [spec.size]
""",
    "operations.yaml": """\
- op: add
  path: /spec/volumes/0
  value:
    name: first
- op: remove
  path: /spec/gone
- op: replace
  path: /spec/other/0
  value: x
""",
    "../base/kustomization.yaml": """\
resources:
  - vm.yaml
namespace: lab
configMapGenerator:
  - name: c
    literals:
      - size=1
""",
    "../base/vm.yaml": """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: vm
spec:
  cpu: {cores: 1, sockets: 2}
  size: "0"
  gone: 1
  other: [a, b]
  volumes: [{name: base}]
""",
}


@pytest.mark.parametrize(
    ("field", "place"),
    [
        ("", "base/vm.yaml:1:1"),
        ("spec", "base/vm.yaml:5:1"),
        ("spec.cpu.sockets", "base/vm.yaml:6:19"),
        ("spec.cpu.cores", "x/kustomization.yaml:13:11"),
        ("spec.volumes[0].name", "x/operations.yaml:4:5"),
        ("spec.volumes[1].name", "x/kustomization.yaml:15:13"),
        ("spec.gone", "x/operations.yaml:5:3"),
        ("spec.other[0]", "x/operations.yaml:9:3"),
        ("spec.other[1]", "base/vm.yaml:9:14"),
        ("spec.size", "x/kustomization.yaml:22:22"),
        ("metadata.name", "x/kustomization.yaml:2:1"),
        ("metadata.namespace", "base/kustomization.yaml:3:1"),
        ("metadata.labels.team", "x/kustomization.yaml:5:7"),
        (("metadata", "labels", "team"), "x/kustomization.yaml:5:7"),
    ],
)
def test_each_field_has_the_line_that_gives_it(field, place):
    vm, config_map = build(held({path: text.encode() for path, text in PLACES.items()}), "x").resources
    assert str(vm.field(field)) == place
    assert str(config_map.field("data.size")) == "base/kustomization.yaml:7:9"


def test_a_name_that_follows_its_object_has_the_place_that_gives_that_its_name():
    files = {"kustomization.yaml": b"resources: [a.yaml]\n\nnamePrefix: p-\n"}
    files["a.yaml"] = b"""\
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
---
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {volumes: [{name: v, configMap: {name: c}}]}
"""
    _, pod = build(held(files), "x").resources
    assert pod.data["spec"]["volumes"][0]["configMap"]["name"] == "p-c"
    assert str(pod.field("spec.volumes[0].configMap.name")) == "x/kustomization.yaml:3:1"


def test_what_is_added_has_the_place_where_that_is_said():
    files = {"kustomization.yaml": b"resources: [a.yaml]\npatches: [{path: p.yaml}]\n", "a.yaml": A.encode()}
    files["p.yaml"] = A.replace("b: 1", "b: 2, c: 2").encode()
    patch = '{"apiVersion": "x/v1", "kind": "A", "metadata": {"name": "a"}, "spec": {"c": 3}}'
    fields = {"namespace": "lab", "patches": [{"patch": patch}, {"patch": "x"}]}
    added = Added(fields, ("patches",), lambda path: Source("flux.yaml", len(path)))
    built = build(held(files), "x", added=added)
    (resource,) = built.resources
    assert resource.data["spec"] == {"b": 2, "c": 3}
    assert str(resource.field("spec.b")) == "x/p.yaml:1:57"
    assert str(resource.field("spec.c")) == "flux.yaml:5:1"  # patches, 0, patch, spec, c
    assert str(resource.field("metadata.namespace")) == "flux.yaml:1:1"
    assert [str(problem) for problem in built.problems] == [
        "flux.yaml:3:1: patches[2].patch: holds something that is no object"
    ]


def test_an_added_image_has_the_place_where_that_is_said_and_others_have_their_own():
    files = {
        "kustomization.yaml": b"resources: [a.yaml]\nimages:\n- {name: j, newTag: '1'}\n- {name: i, newName: o}\n",
        "a.yaml": A.replace("b: 1", "containers: [{image: i}, {image: j}, {image: k}]").encode(),
    }
    images = [{"name": "i", "newTag": "2"}, {"name": "k", "newTag": "3"}]
    added = Added({"images": images}, (), lambda path: Source("argo.yaml", path[1] + 1, len(path)))
    (resource,) = build(held(files), "x", added=added).resources
    fields = [f"spec.containers[{index}].image" for index in range(3)]
    assert [container["image"] for container in resource.data["spec"]["containers"]] == ["i:2", "j:1", "k:3"]
    assert [str(resource.field(field)) for field in fields] == [
        "argo.yaml:1:2",
        "x/kustomization.yaml:3:3",
        "argo.yaml:2:2",
    ]


def test_a_folder_without_a_kustomization_is_built_of_what_is_added():
    added = Added({"resources": ["a.yaml"], "namePrefix": "p-"}, ("resources",), lambda path: Source("flux.yaml"))
    built = build(held({"a.yaml": A.encode()}), "x", added=added)
    assert [resource.data["metadata"]["name"] for resource in built.resources] == ["p-a"]
    assert not built.problems


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (1, "an operation must be a map"),
        ({"op": "jump", "path": "/a"}, "there is no operation 'jump'"),
        ({"op": "remove", "path": "/x"}, "there is nothing at /x"),
        ({"op": "remove", "path": "a"}, "'a' is no JSON pointer"),
        ({"op": "add", "path": "/a/b", "value": 1}, "nothing can be put at /a/b"),
        ({"op": "test", "path": "/a", "value": 2}, "the test of /a fails"),
        ({"op": "add", "path": "/l/9", "value": 2}, "nothing can be put at /l/9"),
    ],
)
def test_an_operation_that_cannot_be_carried_out_is_an_error(operation, message):
    with pytest.raises(PatchError) as error:
        patched({"a": 1, "l": []}, [operation], Budget())
    assert str(error.value) == message


@thorough
def test_folders_that_name_each_other_twice_are_not_built_for_ever():
    files = {
        f"l{level}/kustomization.yaml": f"resources: [../l{level + 1}, ../l{level + 1}]\n".encode()
        for level in range(28)
    }
    files |= {"l28/kustomization.yaml": b"namePrefix: a\n", "kustomization.yaml": b"resources: [l0]\n"}
    (problem,) = build(held(files), "x").problems
    assert "asks for more work than one may" in problem.message


def test_what_is_no_text_is_generated_as_base64_and_counts_for_the_hash():
    files = {
        "kustomization.yaml": b"configMapGenerator: [{name: c, files: [b.bin, t=t.txt]}]\n"
        b"secretGenerator: [{name: s, files: [b.bin]}]\n",
        "b.bin": b"\xff\xfe",
        "t.txt": b"hi\n",
    }
    config_map, secret = build(held(files), "x").resources
    assert config_map.data == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c-92tmgccctf"},
        "data": {"t": "hi\n"},
        "binaryData": {"b.bin": "//4="},
    }
    assert (secret.data["metadata"]["name"], secret.data["data"]) == ("s-h4f25k99gf", {"b.bin": "//4="})


def test_an_environment_file_that_is_no_text_is_a_fault():
    files = {"kustomization.yaml": b"configMapGenerator: [{name: c, envs: [e.env]}]\n", "e.env": b"A=1\nB=\xff\n"}
    assert list(map(str, build(held(files), "x").problems)) == [
        "x/kustomization.yaml:1:39: configMapGenerator[0].envs[0]: line 2 of e.env is not UTF-8 text"
    ]


def test_links_that_lead_out_are_faults(tmp_path):
    (tmp_path / "kustomization.yaml").write_text("resources: [a.yaml, far/b.yaml]\n")
    (tmp_path / "a.yaml").symlink_to("/etc/hostname")
    (tmp_path / "far").symlink_to("/etc")
    assert list(map(str, build(open_folder(str(tmp_path)), "x").problems)) == [
        "x/kustomization.yaml:1:13: resources[0]: a.yaml: is a symbolic link that leads out of the folder",
        "x/kustomization.yaml:1:21: resources[1]: far/b.yaml leads out of what may be read",
    ]


def test_what_stands_above_the_repository_is_a_fault_with_flux_too():
    built = build(held({"kustomization.yaml": b"resources: [../../../b.yaml]\n"}), "x", is_flux=True)
    assert list(map(str, built.problems)) == [
        "x/kustomization.yaml:1:13: resources[0]: ../../../b.yaml leads out of what may be read"
    ]


def test_an_added_patch_may_stand_in_a_file_that_is_not_there():
    added = Added(
        {"patches": [{"patch": A.replace("b: 1", "c: 2")}]}, ("patches",), lambda path: Source("x/flux.yaml", 3)
    )
    built = build(held({"kustomization.yaml": b"resources: [a.yaml]\n", "a.yaml": A.encode()}), "x", added=added)
    (resource,) = built.resources
    assert (resource.data["spec"], built.problems) == ({"b": 1, "c": 2}, ())


def test_a_field_of_an_item_that_merges_is_where_its_item_has_it():
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
    files = {
        "kustomization.yaml": "resources: [pod.yaml]\npatches: [{path: one.yaml}, {path: two.yaml}]\n",
        "pod.yaml": f"{pod}  - {{name: gone}}\n  - {{name: a, image: a}}\n  - {{name: b, image: b, tty: true}}\n",
        "one.yaml": f"{pod}  - {{$patch: delete, name: gone}}\n  - {{name: new, image: n}}\n"
        "  - {name: b, image: c}\n",
        "two.yaml": f"{pod}  - {{name: a, tty: true}}\n  - {{name: new, env: [{{name: e, value: x}}]}}\n",
    }
    (resource,) = build(held({path: text.encode() for path, text in files.items()}), "x").resources
    assert resource.data["spec"]["containers"] == [
        {"name": "a", "image": "a", "tty": True},
        {"name": "new", "image": "n", "env": [{"name": "e", "value": "x"}]},
        {"name": "b", "image": "c", "tty": True},
    ]
    fields = ("[0].image", "[0].tty", "[1]", "[1].image", "[1].env[0].value", "[2]", "[2].image", "[2].tty")
    assert [str(resource.field(f"spec.containers{field}")) for field in fields] == [
        *("x/pod.yaml:7:15", "x/two.yaml:6:15", "x/one.yaml:7:5", "x/one.yaml:7:17", "x/two.yaml:7:33"),
        *("x/pod.yaml:8:5", "x/one.yaml:8:15", "x/pod.yaml:8:25"),
    ]


SPOT = Spot(Text("", "p.yaml"))
MERGING = Merging(
    {
        "a": Part("a", "a", {"b": Part("b", "b"), "c": Part("c", "c", {})}),
        "new": Part(None, "new", {"b": Part(None, "b")}),
        "l": Part("l", "l"),
        "items": Part("items", "items", {0: Part(None, 1), 1: Part(2, 0, {"b": Part("b", "b")}), 2: Part(0, None)}),
    },
    SPOT,
)


@pytest.mark.parametrize(
    ("change", "path", "before"),
    [
        (Setting(("a",), SPOT), ("a", "b"), SPOT),
        (Setting(("a", "b"), SPOT), ("a",), ("a",)),
        (Setting(("a", "b"), SPOT), ("a", "c"), ("a", "c")),
        (Insertion(("l", 1), SPOT), ("l", 0, "x"), ("l", 0, "x")),
        (Insertion(("l", 1), SPOT), ("l", 1, "x"), SPOT.within("x")),
        (Insertion(("l", 1), SPOT), ("l", 2, "x"), ("l", 1, "x")),
        (Insertion(("l", 1), SPOT), ("l",), ("l",)),
        (Insertion(("l", 1), SPOT), ("m", 2), ("m", 2)),
        (Insertion(("l", 1), SPOT), ("l", "x"), ("l", "x")),
        (Removal(("l", 1), SPOT), ("l", 0, "x"), ("l", 0, "x")),
        (Removal(("l", 1), SPOT), ("l", 1, "x"), ("l", 2, "x")),
        (Removal(("l", 1), SPOT), ("l", 4), ("l", 5)),
        (Removal(("l", 1), SPOT), ("l",), ("l",)),
        (Removal(("l", 1), SPOT), ("m", 1), ("m", 1)),
        (Removal(("m", "k"), SPOT), ("m", "k", "x"), SPOT),
        (Removal(("m", "k"), SPOT), ("m", "j"), ("m", "j")),
        (Value(("a", 0), SPOT), ("a", 0, "b"), SPOT.within("b")),
        (Value(("a", 0), SPOT), ("a", 1), ("a", 1)),
        (Value((), SPOT), ("a", 1), SPOT.within("a", 1)),
        (MERGING, ("a",), ("a",)),
        (MERGING, ("a", "b"), SPOT.within("a", "b")),
        (MERGING, ("a", "c"), SPOT.within("a", "c")),
        (MERGING, ("a", "d"), ("a", "d")),
        (MERGING, ("new",), SPOT.within("new")),
        (MERGING, ("new", "b"), SPOT.within("new", "b")),
        (MERGING, ("new", "d"), SPOT.within("new", "d")),
        (MERGING, ("l", 0, "b"), SPOT.within("l", 0, "b")),
        (MERGING, ("x", 0), ("x", 0)),
        (MERGING, ("items",), ("items",)),
        (MERGING, ("items", 0), SPOT.within("items", 1)),
        (MERGING, ("items", 0, "b"), SPOT.within("items", 1, "b")),
        (MERGING, ("items", 1), ("items", 2)),
        (MERGING, ("items", 1, "b"), SPOT.within("items", 0, "b")),
        (MERGING, ("items", 1, "d"), ("items", 2, "d")),
        (MERGING, ("items", 2), ("items", 0)),
        (MERGING, ("items", 2, "b"), ("items", 0, "b")),
    ],
)
def test_where_a_field_is_from_by_the_change_that_was_made(change, path, before):
    assert change.trace(path) == before


@pytest.mark.parametrize(
    ("field", "steps", "is_there"),
    [
        ("", (), True),
        ("a", ("a",), True),
        ("a.b.c", ("a", "b.c"), True),
        ("a.b.d", ("a", "b", "d"), False),
        ("l[1].x", ("l", 1, "x"), True),
        ("l[2]", ("l", 2), False),
        ("l[1].y.z", ("l", 1, "y", "z"), False),
        ("a[b.c]", ("a", "b.c"), True),
        ("none", ("none",), False),
    ],
)
def test_the_steps_of_a_field(field, steps, is_there):
    data = {"a": {"b.c": 1}, "l": [0, {"x": 1}]}
    assert steps_of(field, data) == steps
    assert has_field(data, field) is is_there


def test_the_place_of_a_text_in_a_text_is_indented():
    text = Text("a: 1\nb: {c: 2}\n", "f.yaml")
    assert Spot(text).within("b", "c").place() == (2, 5)
    assert str(Spot(text, 0, ("b",), 4).within("c").source) == "f.yaml:2:9"
    assert str(Spot(text, elsewhere=lambda path: Source("g.yaml", len(path))).within("b", "c").source) == "g.yaml:2:1"
    assert str(Spot(text, elsewhere=lambda path: None).within("b", "c").source) == "f.yaml:2:5"


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("spec.a", ["spec", "a"]),
        ("spec.[a.b/c]", ["spec", "a.b/c"]),
        ("spec.[a.b.c=d.e].f", ["spec", "[a.b.c=d.e]", "f"]),
        ("spec.[a=b].f", ["spec", "[a=b]", "f"]),
        ("spec.[a", ["spec", "a"]),
        (r"spec.a\.b.c", ["spec", "a.b", "c"]),
        (".spec.a", ["spec", "a"]),
    ],
)
def test_the_steps_of_a_path_of_replacements(path, steps):
    assert split_field(path) == steps


@pytest.mark.parametrize(
    ("path", "value", "at"),
    [
        ("m.x", 1, ("m", "x")),
        ("m..x", 1, ("m", "x")),
        ("m. x ", 1, ("m", "x")),
        ("m.y", None, ("m", "y")),
        ("m.y.z", None, ("m", "y")),
        ("l.0", "a", ("l", 0)),
        ("l.-", "b", ("l", 1)),
        ("l.2", None, ("l", 2)),
        ("l.[=b]", "b", ("l", 1)),
        ("l.[=c]", None, ("l", -1)),
        ("k.[n=5].v", 6, ("k", 1, "v")),
        ("k.[n=true].v", 7, ("k", 2, "v")),
        ("k.[v=6].n", 5, ("k", 1, "n")),
        ("k.[o=].n", None, ("k", -1)),
    ],
)
def test_what_stands_at_a_path(path, value, at):
    data = {"m": {"x": 1}, "l": ["a", "b"], "k": [{"n": "x"}, {"n": 5, "v": 6}, {"n": True, "v": 7}, 3]}
    assert look_up(data, split_field(path)) == (value, at)


@pytest.mark.parametrize(
    ("path", "create", "places", "created", "typed"),
    [
        ("m.x", None, [("m", "x")], {}, []),
        ("m.none", None, [], {}, []),
        ("m.none.deep", None, [], {}, []),
        ("m.null", None, [("m", "null")], {}, []),
        ("m.null.deep", None, [], {}, []),
        ("m.null", "new", [("m", "null")], {"m": {"x": 1, "null": "new"}}, ["new"]),
        ("m.a.b", "new", [("m", "a", "b")], {"m": {"x": 1, "null": None, "a": {"b": "new"}}}, ["new"]),
        ("m.a.0", "new", [("m", "a", 0)], {"m": {"x": 1, "null": None, "a": ["new"]}}, ["new"]),
        ("m.a.[=z]", "new", [("m", "a", 0)], {"m": {"x": 1, "null": None, "a": ["z"]}}, ["z"]),
        (
            "m.a.[n=5].v",
            "new",
            [("m", "a", 0, "v")],
            {"m": {"x": 1, "null": None, "a": [{"n": 5, "v": "new"}]}},
            [5, "new"],
        ),
        ("l.1", None, [("l", 1)], {}, []),
        ("l.2", "new", [("l", 2)], {"l": ["a", "ab", "new"]}, ["new"]),
        ("l.*", None, [("l", 0), ("l", 1)], {}, []),
        ("l.[=a]", None, [("l", 0), ("l", 1)], {}, []),
        ("l.[=^a$]", None, [("l", 0)], {}, []),
        ("k.*.v", None, [("k", 0, "v"), ("k", 1, "v")], {}, []),
        ("k.[n=y|z].v", None, [("k", 1, "v")], {}, []),
        ("k.[n=q].v", None, [], {}, []),
    ],
)
def test_the_places_that_a_path_leads_to(path, create, places, created, typed):
    data = {
        "m": {"x": 1, "null": None}, "l": ["a", "ab"], "k": [{"n": "x", "v": 1}, {"n": "y", "v": 2}],
    }  # fmt: skip
    expected = {**json.loads(json.dumps(data)), **created}
    matcher = Matcher(split_field(path), Budget(), None if create is None else lambda: create)
    matches = matcher.matches(data)
    assert [at for _, _, at in matches] == places
    assert data == expected
    for holder, key, at in matches:
        assert holder[key] == reduce(getitem, at, data)
    assert [reduce(getitem, at, data) for at in matcher.created] == typed


@pytest.mark.parametrize(
    ("operations", "result"),
    [
        ([{"op": "add", "path": "/l/-1", "value": "z"}], {"l": ["a", "b", "z"], "m": {"x": 1}}),
        ([{"op": "add", "path": "/l/-3", "value": "z"}], {"l": ["z", "a", "b"], "m": {"x": 1}}),
        ([{"op": "add", "path": "/l/2", "value": "z"}], {"l": ["a", "b", "z"], "m": {"x": 1}}),
        ([{"op": "remove", "path": "/l/-1"}], {"l": ["a"], "m": {"x": 1}}),
        ([{"op": "replace", "path": "/l/-2", "value": 5}], {"l": [5, "b"], "m": {"x": 1}}),
        ([{"op": "copy", "from": "/m", "path": "/n"}, {"op": "add", "path": "/n/y", "value": 2}],
         {"l": ["a", "b"], "m": {"x": 1}, "n": {"x": 1, "y": 2}}),
        ([{"op": "move", "from": "/l/0", "path": "/m/~1~0"}], {"l": ["b"], "m": {"x": 1, "/~": "a"}}),
        ([{"op": "test", "path": "/m/none", "value": None}, {"op": "test", "path": "/l/1", "value": "b"}],
         {"l": ["a", "b"], "m": {"x": 1}}),
    ],
)  # fmt: skip
def test_operations_leave_what_they_are_given(operations, result):
    data = {"l": ["a", "b"], "m": {"x": 1}}
    assert patched(data, operations, Budget()) == (result, [])
    assert data == {"l": ["a", "b"], "m": {"x": 1}}


@pytest.mark.parametrize("data", [{}, {"metadata": None}, {"metadata": "x"}])
def test_an_object_without_metadata_gets_some(data):
    resource = Resource(data, SPOT)
    resource.metadata["name"] = "a"
    assert data == {"metadata": {"name": "a"}}


def test_operations_say_what_they_changed():
    operations = [
        {"op": "add", "path": "/l/0", "value": "z"},
        {"op": "add", "path": "/m/y", "value": 1},
        {"op": "replace", "path": "/l/-1", "value": 5},
        {"op": "remove", "path": "/l/1"},
        {"op": "copy", "from": "/m/x", "path": "/l/-"},
        {"op": "move", "from": "/m/x", "path": "/m/z"},
        {"op": "test", "path": "/m/z", "value": 1},
        {"op": "replace", "path": "", "value": {"a": 1}},
    ]
    assert patched({"l": ["a", "b"], "m": {"x": 1}}, operations, Budget(), SPOT) == (
        {"a": 1},
        [
            Insertion(("l", 0), SPOT.within(0, "value")),
            Value(("m", "y"), SPOT.within(1, "value")),
            Value(("l", 2), SPOT.within(2, "value")),
            Removal(("l", 1), SPOT.within(3)),
            Insertion(("l", 2), SPOT.within(4)),
            Value(("m", "z"), SPOT.within(5)),
            Value((), SPOT.within(7, "value")),
        ],
    )


FOLDED = "kustomize folds lines that begin with a tab, or are empty at the end, otherwise: write | for >"


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ('"\\N"', "4:7: kustomize does not keep the character U+0085"),
        ("{'<<': {b: 1}}", "4:8: kustomize takes the key << for one that merges, also in quotes"),
        (">1\n  a\n \tb\n", f"4:7: {FOLDED}"),
        (">+\n a\n\n", f"4:7: {FOLDED}"),
        ("|1\n \ta\n", "4:7: kustomize fails on a block of text that begins with a tab"),
        ("{0x1f: b}", "4:8: kustomize takes no key that is no text: quote '0x1f'"),
    ],
)
def test_what_kustomize_would_make_something_else_of_is_refused(spec, problem):
    text = f"apiVersion: x/v1\nkind: A\nmetadata: {{name: a}}\nspec: {spec}\n"
    parsed, _ = Texts().parsed(text.encode(), "a.yaml", objects=True)
    assert [f"{fault.line}:{fault.column}: {fault.message}" for fault in parsed.problems] == [problem]
