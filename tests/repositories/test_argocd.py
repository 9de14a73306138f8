"""Sources of Applications that are not rendered: what holds VMs there is known by all that it is made of."""

from __future__ import annotations

import json
from typing import Any

import pytest
from repository_cases import manifest

from virtcatalog.manifests.folder import held
from virtcatalog.repositories.find import find
from virtcatalog.repositories.model import Environment, Resource

JSONNET = 'local lib = import "lib.libsonnet";\n{apiVersion: "kubevirt.io/v1", kind: "VirtualMachine"} + lib\n'
PLUGIN = {"plugin": {"name": "avp", "env": [{"name": "CORES", "value": "2"}]}}
PATCH = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, labels: {x: 'y'}}\n"
RECURSIVE = {"directory": {"recurse": True}}
BESIDE = {"other/notes.txt": "a", "vms/web.yaml": manifest("vm web"), "vms/more/notes.txt": "a"}
BY_PLUGIN, EVALUATED = ["vms is rendered by a plugin"], ["vms/a.jsonnet, which Argo CD evaluates"]
Data = dict[str, Any]


def opaque(source: Data, files: dict[str, str], path: str = "vms") -> tuple[list[str], list[bytes]]:
    """What is said of a source, and the digests of what it holds."""
    application = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "web", "namespace": "argocd"},
        "spec": {"source": {"repoURL": "https://example.org/fleet.git", "path": path, **source}},
    }
    texts = {"app.json": json.dumps(application), **files}
    repository = find(held({path: text.encode() for path, text in texts.items()}), "repo")
    assert [str(opaque.problem) for opaque in repository.all_opaque] in ([], list(map(str, repository.all_unrendered)))
    sentences = [problem.message.removeprefix("is not rendered: ") for problem in repository.all_unrendered]
    return sentences, [opaque.digest for opaque in repository.all_opaque]


@pytest.mark.parametrize(
    ("source", "files", "path", "sentences", "is_opaque"),
    [
        (PLUGIN, BESIDE, "vms", BY_PLUGIN, True),
        (PLUGIN, {"web.yaml": manifest("vm web")}, ".", [". is rendered by a plugin"], True),
        (PLUGIN, {"vms/a.yaml": "a: b\n", "other.yaml": manifest("vm web")}, "vms", BY_PLUGIN, False),
        ({}, {"vms/a.jsonnet": JSONNET}, "vms", EVALUATED, True),
        ({}, {"vms/a.jsonnet": "{}", "lib.libsonnet": JSONNET}, "vms", EVALUATED, True),
        ({}, {"vms/a.jsonnet": "{}"}, "vms", EVALUATED, False),
        ({}, {"vms/a.yaml": "a: b\n", "vms/more/a.jsonnet": JSONNET, "b.jsonnet": JSONNET}, "vms", [], False),
        (RECURSIVE, {"vms/more/a.jsonnet": JSONNET}, "vms", ["vms/more/a.jsonnet, which Argo CD evaluates"], True),
        (RECURSIVE, {"a.jsonnet": JSONNET, "vms/a.yaml": "a: b\n"}, "vms", [], False),
        (
            {}, {f"vms/{name}.jsonnet": JSONNET for name in "abcd"}, "vms",
            ["vms/a.jsonnet, vms/b.jsonnet, vms/c.jsonnet and 1 more, which Argo CD evaluates"], True,
        ),
    ],
)  # fmt: skip
def test_what_argo_cd_renders_otherwise_is_said(
    source: Data, files: dict[str, str], path: str, sentences: list[str], is_opaque: bool
) -> None:
    texts, digests = opaque(source, files, path)
    assert texts == sentences
    assert bool(digests) == is_opaque


@pytest.mark.parametrize(
    ("source", "files", "changed", "is_another"),
    [
        (PLUGIN, BESIDE, {"vms/more/notes.txt": "b"}, True),
        (PLUGIN, BESIDE, {"vms/new.txt": "b"}, True),
        (PLUGIN, BESIDE, {"other/notes.txt": "b"}, False),
        (PLUGIN, BESIDE, {"vms/web.yaml": manifest("vm web cores=4")}, False),  # its own verdict says so
        ({}, {"vms/a.jsonnet": JSONNET, "lib.libsonnet": "{}"}, {"lib.libsonnet": "{a: 1}"}, True),
        ({}, {"vms/a.jsonnet": JSONNET}, {"vms/a.jsonnet": f"{JSONNET}\n"}, True),
        ({}, {"vms/a.jsonnet": JSONNET}, {"vms/b.jsonnet": "{}"}, True),
        ({}, {"vms/a.jsonnet": JSONNET, "other/b.jsonnet": "{}"}, {"other/b.jsonnet": JSONNET}, False),
    ],
)
def test_it_is_another_one_once_what_it_is_made_of_is(
    source: Data, files: dict[str, str], changed: dict[str, str], is_another: bool
) -> None:
    before, after = opaque(source, files)[1], opaque(source, files | changed)[1]
    assert before
    assert (before != after) == is_another


def test_a_plugin_with_other_options_makes_others() -> None:
    other = {"plugin": {"name": "avp", "env": [{"name": "CORES", "value": "4"}]}}
    assert opaque(PLUGIN, BESIDE)[1] != opaque(other, BESIDE)[1]


def place(resource: Resource, field: str) -> str:
    return str(resource.field(field)).removeprefix("repo/")


def application(spec: Data, files: dict[str, str]) -> Environment:
    """What an Application deploys, which stands in `app.yaml` as JSON of one line a key."""
    data = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "web", "namespace": "argocd"},
        "spec": spec,
    }
    texts = {"app.json": json.dumps(data, indent=1), **files}
    repository = find(held({path: text.encode() for path, text in texts.items()}), "repo")
    (unit,) = (unit for unit in repository.environments if unit.kind == "Application")
    return unit


URL = "https://example.org/fleet.git"
FOLDER = {"vms/a.yaml": manifest("vm a"), "vms/b.yaml": manifest("vm b"), "vms/more/c.yaml": manifest("vm c")}
KUSTOMIZED = {"vms/kustomization.yaml": "resources: [a.yaml]\nnamePrefix: own-\n", "vms/a.yaml": manifest("vm a")}


def names(unit: Environment) -> list[str]:
    return [resource.data["metadata"]["name"] for resource in unit.resources]


@pytest.mark.parametrize(
    ("source", "files", "objects"),
    [
        ({"path": "vms"}, FOLDER, ["a", "b"]),
        ({"path": "vms", "directory": {}}, FOLDER, ["a", "b"]),
        ({"path": "vms", "directory": {"recurse": True}}, FOLDER, ["a", "b", "c"]),
        ({"path": "vms", "directory": {"recurse": True, "include": "*c.yaml"}}, FOLDER, ["c"]),
        ({"path": "vms", "directory": {"recurse": True, "include": "more/*"}}, FOLDER, ["c"]),
        ({"path": "vms", "directory": {"exclude": "{a,c}.yaml"}}, FOLDER, ["b"]),
        ({"path": "vms", "directory": {"include": "*.yaml", "exclude": "b*"}}, FOLDER, ["a"]),
        ({"path": "./vms/"}, FOLDER, ["a", "b"]),
        ({"path": "vms"}, KUSTOMIZED, ["own-a"]),
        ({"path": "vms", "kustomize": {"namePrefix": "p-", "nameSuffix": "-s"}}, KUSTOMIZED, ["p-a-s"]),
    ],
)
def test_what_a_source_deploys(source: Data, files: dict[str, str], objects: list[str]) -> None:
    unit = application({"source": {"repoURL": URL, **source}}, files)
    assert names(unit) == objects
    assert (unit.unrendered, unit.problems, unit.failed) == ((), (), False)


def test_several_sources_and_one_of_values() -> None:
    sources = [
        {"repoURL": URL, "path": "vms"},
        {"repoURL": URL, "ref": "values"},
        {"repoURL": URL, "path": "vms/more"},
        {"repoURL": URL, "path": "none"},
        {"repoURL": "https://other.example.org/x.git", "path": "."},
    ]
    unit = application({"sources": sources}, FOLDER)
    assert names(unit) == ["a", "b", "c"]
    assert [(problem.field, problem.message) for problem in unit.unrendered] == [
        ("spec.sources[3]", f"is not rendered: none of {URL} is not in this repository"),
        ("spec.sources[4]", "is not rendered: . of https://other.example.org/x.git is not in this repository"),
    ]


def test_of_an_object_of_two_sources_the_last_counts() -> None:
    files = {"one/a.yaml": manifest("vm a cores=1"), "two/a.yaml": manifest("vm a cores=2")}
    unit = application({"sources": [{"repoURL": URL, "path": path} for path in ("one", "two")]}, files)
    assert [place(resource, "") for resource in unit.resources] == ["two/a.yaml:1:1"]


def test_a_dry_source_is_what_is_hydrated() -> None:
    unit = application({"sourceHydrator": {"drySource": {"repoURL": URL, "path": "vms"}}}, FOLDER)
    assert names(unit) == ["a", "b"]


@pytest.mark.parametrize(
    ("destination", "cluster", "namespace"),
    [
        ({}, "", None),
        ({"name": "eu", "namespace": "shop"}, "eu", "shop"),
        ({"server": "https://eu.example.org"}, "https://eu.example.org", None),
        ({"name": "eu", "server": "https://us.example.org"}, "eu", None),
        ({"server": "https://kubernetes.default.svc"}, "in-cluster", None),
        ({"name": "in-cluster"}, "in-cluster", None),
        ({"name": "{{ .cluster }}"}, "", None),
    ],
)
def test_where_it_lands(destination: Data, cluster: str, namespace: str | None) -> None:
    policy = {"automated": {"prune": True}}
    spec = {"source": {"repoURL": URL, "path": "vms"}, "destination": destination, "syncPolicy": policy}
    unit = application(spec, FOLDER)
    assert unit.syncing is not None
    assert (unit.syncing.tool, unit.syncing.kind, unit.syncing.prunes) == ("Argo CD", "Application", True)
    assert (unit.cluster, unit.resources[0].data["metadata"].get("namespace")) == (cluster, namespace)


@pytest.mark.parametrize(
    ("options", "metadata", "template"),
    [
        ({"commonLabels": {"a": "b"}}, {"labels": {"a": "b"}}, {"labels": {"a": "b"}}),
        ({"commonLabels": {"a": "b"}, "labelWithoutSelector": True}, {"labels": {"a": "b"}}, {}),
        (
            {"commonLabels": {"a": "b"}, "labelWithoutSelector": True, "labelIncludeTemplates": True},
            {"labels": {"a": "b"}},
            {"labels": {"a": "b"}},
        ),
        ({"commonAnnotations": {"c": "d"}}, {"annotations": {"c": "d"}}, {"annotations": {"c": "d"}}),
        ({"namespace": "shop"}, {"namespace": "shop"}, {}),
        ({"patches": [{"target": {"kind": "Deployment"}, "patch": PATCH}]}, {"labels": {"x": "y"}}, {}),
        ({"components": ["../part"]}, {"labels": {"part": "yes"}}, {}),
        ({"components": ["../part", "../none"], "ignoreMissingComponents": True}, {"labels": {"part": "yes"}}, {}),
        ({"components": ["none"], "ignoreMissingComponents": True}, {}, {}),
        (
            {"commonLabels": {"a": "${ARGOCD_APP_NAME}-b"}, "labelWithoutSelector": True},
            {"labels": {"a": "web-b"}},
            {},
        ),
        ({"commonAnnotations": {"a": "$b"}}, {"annotations": {"a": "$b"}}, {"annotations": {"a": "$b"}}),
        (
            {"commonAnnotations": {"a": "$b$ARGOCD_APP_NAME"}, "commonAnnotationsEnvsubst": True},
            {"annotations": {"a": "web"}},
            {"annotations": {"a": "web"}},
        ),
    ],
)
def test_what_an_application_adds_to_a_kustomization(options: Data, metadata: Data, template: Data) -> None:
    files = {
        "vms/kustomization.yaml": "resources: [a.yaml]\n",
        "vms/a.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {}}}\n",
        "part/kustomization.yaml": "kind: Component\nlabels: [{pairs: {part: 'yes'}}]\n",
    }
    unit = application({"source": {"repoURL": URL, "path": "vms", "kustomize": options}}, files)
    (resource,) = unit.resources
    assert resource.data["metadata"] == {"name": "a", **metadata}
    assert resource.data["spec"]["template"].get("metadata", {}) == template
    assert unit.problems == ()


BUILT, CHART = {"vms/kustomization.yaml": "resources: [a.yaml]\nnamePrefix: p-\n"}, {"vms/Chart.yaml": "name: vms\n"}


@pytest.mark.parametrize(
    ("source", "files", "name"),
    [
        ({}, BUILT, "p-a"),
        ({}, BUILT | CHART, "p-a"),
        ({"directory": {}}, BUILT, "p-a"),
        ({"directory": {"recurse": False}}, BUILT, "p-a"),
        ({"directory": {"recurse": True, "include": "*a.yaml"}}, BUILT, "a"),
        ({"directory": {"exclude": "kustomization.yaml"}}, BUILT, "a"),
        ({"directory": {"include": "a.yaml"}}, CHART, "a"),
        ({"kustomize": {"nameSuffix": "-s"}, "directory": {}, "helm": {}}, BUILT | CHART, "p-a-s"),
    ],
)
def test_what_a_source_says_of_itself_counts_before_what_is_in_its_folder(
    source: Data, files: dict[str, str], name: str
) -> None:
    files = {"vms/a.yaml": manifest("vm a"), **files}
    (vm,) = application({"source": {"repoURL": URL, "path": "vms", **source}}, files).resources
    assert vm.data["metadata"]["name"] == name


CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
ENDS, ONE = "is not YAML: the text ends where a value is wanted", "must hold one JSON object"
AS_JSON = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}'
BEHIND = "in a line that begins with --- kubectl, Argo CD and Flux take nothing but a comment behind it"
NO_OBJECT = "is no object: Argo CD renders nothing of the folder"


@pytest.mark.parametrize(
    ("files", "problems"),
    [
        ({"b.yaml": "a: b\n"}, []),
        ({"b.yaml": "- a\n"}, []),
        ({"b.yaml": "a: [\n"}, []),
        ({"b.yaml": "kind: x\nmetadata: {}\n--- \na: [\n"}, [f"b.yaml:5: {ENDS}"]),
        ({"b.yaml": f"{CONFIG}---\n---\nnull\n"}, []),
        ({"b.yaml": f"{CONFIG}---\na: b\n"}, [f"b.yaml:5: {NO_OBJECT}"]),
        ({"b.yaml": f"- a\n---\n{CONFIG}"}, [f"b.yaml:1: {NO_OBJECT}"]),
        ({"b.yaml": "apiVersion: v1\nkind: ''\nmetadata: {}\n"}, [f"b.yaml:1: {NO_OBJECT}"]),
        ({"b.yaml": "apiVersion: v1\nmetadata: {}\n# kind: x\n"}, [f"b.yaml:1: {NO_OBJECT}"]),
        ({"b.yaml": "apiVersion: v1\nkind: [\nmetadata:\n"}, [f"b.yaml:4: {ENDS}"]),
        ({"b.yaml": f"{AS_JSON}\n--- {AS_JSON}\n"}, [f"b.yaml:2: {BEHIND}"]),
        ({"b.yaml": f"\n {AS_JSON}\n--- 5\n"}, [f"b.yaml:3: {BEHIND}"]),
        ({"b.yaml": f"{AS_JSON}\n--- # nothing\n{AS_JSON}\n"}, []),
        ({"b.json": "{}"}, []),
        ({"b.json": ""}, [f"b.json:0: {ONE}"]),
        ({"b.json": "[]"}, [f"b.json:0: {ONE}"]),
        ({"b.json": "{} {}"}, [f"b.json:0: {ONE}"]),
        ({"b.json": CONFIG}, [f"b.json:0: {ONE}"]),
        ({"b.txt": "[", "more/b.json": "["}, []),
        ({"b.json": "[]", "c.yaml": "# +argocd:skip-file-rendering\n- a: [\n"}, [f"b.json:0: {ONE}"]),
    ],
)  # fmt: skip
def test_files_of_a_folder_on_which_argo_cd_fails(files: dict[str, str], problems: list[str]) -> None:
    contents = {"vms/a.yaml": manifest("vm a"), **{f"vms/{name}": text for name, text in files.items()}}
    unit = application({"source": {"repoURL": URL, "path": "vms"}}, contents)
    assert [f"{problem.file}:{problem.line}: {problem.message}" for problem in unit.problems] == [
        f"repo/vms/{problem_text}" for problem_text in problems
    ]
    assert unit.failed is bool(problems)


@pytest.mark.parametrize(
    ("directory", "names"),
    [
        ({}, ["a"]),
        ({"recurse": True}, ["a", "b"]),
        ({"include": "b*"}, []),
        ({"recurse": True, "include": "*b.yaml"}, ["b"]),
        ({"recurse": True, "exclude": "more/*"}, ["a"]),
    ],
)
def test_which_files_of_a_folder_are_taken(directory: Data, names: list[str]) -> None:
    skipped = f"# +argocd:skip-file-rendering\n{manifest('vm c')}"
    files = {"vms/a.yaml": manifest("vm a"), "vms/more/b.yaml": manifest("vm b"), "vms/c.yaml": skipped}
    unit = application({"source": {"repoURL": URL, "path": "vms", "directory": directory}}, files)
    assert [resource.data["metadata"]["name"] for resource in unit.resources] == names


def test_jsonnet_is_taken_as_other_files_are() -> None:
    files = {"vms/a.jsonnet": JSONNET, "vms/b.jsonnet": f"// +argocd:skip-file-rendering\n{JSONNET}"}
    source = {"repoURL": URL, "path": "vms"}
    assert [problem.message for problem in application({"source": source}, files).unrendered] == [
        "is not rendered: vms/a.jsonnet, which Argo CD evaluates"
    ]
    source["directory"] = {"exclude": "*.jsonnet"}
    assert application({"source": source}, files).unrendered == ()


def test_of_several_sources_one_that_says_nothing_counts_too() -> None:
    sources = [{"repoURL": URL, "path": "vms", "directory": {}}]
    (vm,) = application({"sources": sources}, {"vms/a.yaml": manifest("vm a"), **CHART}).resources
    assert vm.data["metadata"]["name"] == "a"


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ({"kustomize": {"namePrefix": "p-"}}, "spec.source.kustomize: is there, and no kustomization in vms"),
        (
            {"kustomize": {"namePrefix": "p-"}, "directory": {"recurse": True}},
            "spec.source: has kustomize and directory: Argo CD takes one of them",
        ),
        ({"helm": {"values": "a: 1"}, **PLUGIN}, "spec.source: has helm and plugin: Argo CD takes one of them"),
    ],
)
def test_a_source_that_argo_cd_cannot_render_fails(source: Data, fault: str) -> None:
    unit = application({"source": {"repoURL": URL, "path": "vms", **source}}, {"vms/a.yaml": manifest("vm a")})
    assert (unit.failed, unit.resources) == (True, ())
    assert [f"{problem.field}: {problem.message}" for problem in unit.problems] == [fault]


def test_what_is_added_has_its_place_in_the_application() -> None:
    options = {"namePrefix": "p-", "commonLabels": {"a": "b"}, "commonAnnotations": {"c": "d"}}
    (vm,) = application({"source": {"repoURL": URL, "path": "vms", "kustomize": options}}, KUSTOMIZED).resources
    fields = ("metadata.name", "metadata.labels.a", "metadata.annotations.c", "spec")
    assert [place(vm, field) for field in fields] == [
        "app.json:13:5", "app.json:15:6", "app.json:18:6", "vms/a.yaml:5:1",
    ]  # fmt: skip


def test_files_of_a_folder_that_override_its_source() -> None:
    override = "kustomize:\n  nameSuffix: -s\n  namePrefix: null\npath: other\nrepoURL: x\n"
    files = {
        **KUSTOMIZED,
        "vms/.argocd-source.yaml": override,
        "vms/.argocd-source-web.yaml": "kustomize: {commonLabels: {a: b}}\n",
        "vms/.argocd-source-db.yaml": "kustomize: {commonLabels: {a: c}}\n",
    }
    options = {"namePrefix": "p-", "commonAnnotations": {"c": "d"}}
    (vm,) = application({"source": {"repoURL": URL, "path": "vms", "kustomize": options}}, files).resources
    assert vm.data["metadata"] == {"name": "own-a-s", "labels": {"a": "b"}, "annotations": {"c": "d"}}
    fields = ("metadata.name", "metadata.labels.a", "metadata.annotations.c")
    assert [place(vm, field) for field in fields] == [
        "vms/.argocd-source.yaml:2:3", "vms/.argocd-source-web.yaml:1:28", "app.json:15:6",
    ]  # fmt: skip


def test_a_chart_that_a_base_of_a_kustomization_inflates_is_known_by_what_it_is_made_of() -> None:
    def opaque(**changes: str) -> list[bytes]:
        files = {
            "vms/kustomization.yaml": "resources: [../base, ../plain]\n",
            "plain/kustomization.yaml": "namePrefix: a\n",
            "plain/charts/y/templates/vm.yaml": manifest("vm y"),
            "base/kustomization.yaml": "helmGlobals: {chartHome: ../charts}\n"
            "helmCharts: [{name: x, valuesFile: v.yaml}]\n",
            "base/v.yaml": "a: 1\n",
            "charts/x/Chart.yaml": "name: x\n",
            "charts/x/templates/vm.yaml": manifest("vm x"),
            "other.txt": "a",
        }
        unit = application({"source": {"repoURL": URL, "path": "vms"}}, files | changes)
        return [part.digest for part in unit.opaque]

    same = opaque()
    assert len(same) == 1
    assert opaque(**{"other.txt": "b"}) == opaque(**{"plain/kustomization.yaml": "namePrefix: b\n"}) == same
    for changes in ({"base/v.yaml": "a: 2\n"}, {"charts/x/templates/vm.yaml": manifest("vm y")}):
        assert opaque(**changes) != same
    assert opaque(**{"charts/x/templates/vm.yaml": "a: 1\n"}) == []


@pytest.mark.parametrize(
    ("files", "problems"),
    [
        (
            {"a.yaml": PATCH + "---\na: b: c\n"},
            ["repo/vms/a.yaml:5:5: is not YAML: a second ': ' in one line; quote the text that has it"],
        ),
        (
            {"a.yaml": PATCH + "---\nkind: {a: .inf}\n"},
            ["repo/vms/a.yaml:5:11: .inf is not a number that JSON can hold; quote it if it is text"],
        ),
        ({"a.yaml": PATCH + "--- # ours\n---\n~\n"}, []),
        ({"a.yaml": PATCH + "---\nkind: {b: 1, b: 2}\n"}, []),
        ({"a.yaml": "kind: {b: 1, b: 2}\n"}, []),
        ({"a.json": '{"kind": "A",}\n'}, ["repo/vms/a.json: must hold one JSON object"]),
        ({"a.json": "{kind: A}\n"}, ["repo/vms/a.json: must hold one JSON object"]),
        ({"a.json": '{"kind": "A", "kind": "A"}\n'}, []),
    ],
)
def test_argo_cd_fails_on_what_is_no_yaml_or_json(files: dict[str, str], problems: list[str]) -> None:
    in_folder = {f"vms/{path}": text for path, text in files.items()}
    unit = application({"source": {"repoURL": URL, "path": "vms"}}, in_folder)
    assert (list(map(str, unit.problems)), unit.failed) == (problems, bool(problems))
