"""ApplicationSets: which Applications they make of a repository, and what is said of what is not rendered."""

from __future__ import annotations

import json
from typing import Any

import pytest
from repository_cases import manifest

from virtcatalog.manifests.folder import held
from virtcatalog.repositories.find import find
from virtcatalog.repositories.model import Repository

FOLDERS = {f"vms/{name}/vm.yaml": manifest(f"vm {name}") for name in ("db", "web")}
URL = "https://example.org/fleet.git"
TWO = {"list": {"elements": [{"name": "db", "zone": "a"}, {"name": "web", "zone": "b"}]}}
Data = dict[str, Any]


def applications(spec: Data, **files: str) -> Repository:
    """Find what an ApplicationSet deploys, whose Applications are called by `name` and deploy the folder of that."""
    is_go = spec.get("goTemplate")
    name = "{{ .name }}" if is_go else "{{name}}"
    template = {
        "metadata": {"name": name},
        "spec": {"source": {"repoURL": URL, "path": f"vms/{name}"}, "destination": {"namespace": "prod"}},
    }
    data = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": "vms", "namespace": "argocd"},
        "spec": {"template": template, **spec},
    }
    folders = FOLDERS | {"set.yaml": json.dumps(data)} | files
    return find(held({path: text.encode() for path, text in folders.items()}), "repo")


def deployed(found: Repository) -> list[str]:
    return [unit.name for unit in found.environments if unit.kind == "Application" and unit.resources]


@pytest.mark.parametrize(
    ("generators", "names"),
    [
        ([TWO], ["db", "web"]),
        ([{**TWO, "selector": {"matchLabels": {"zone": "a"}}}], ["db"]),
        ([{**TWO, "selector": {"matchLabels": {"name": "db", "zone": "a"}}}], ["db"]),
        ([{**TWO, "selector": {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}}], ["web"]),
        ([{**TWO, "selector": {"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["b"]}]}}], ["db"]),
        ([{**TWO, "selector": {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}}], ["db", "web"]),
        ([{**TWO, "selector": {"matchExpressions": [{"key": "rack", "operator": "Exists"}]}}], []),
        ([{**TWO, "selector": {"matchExpressions": [{"key": "zone", "operator": "DoesNotExist"}]}}], []),
        ([{**TWO, "selector": {"matchExpressions": [{"key": "rack", "operator": "In", "values": ["a"]}]}}], []),
        ([{"list": {"elementsYaml": "[{name: db}, {name: web}, x]"}}], ["db", "web"]),
        ([{"list": {"elements": [{"name": "db"}, "x"], "elementsYaml": "[{name: web}]"}}], ["db", "web"]),
        ([{"merge": {"mergeKeys": ["zone"], "generators": [
            {"list": {"elements": [{"zone": "a"}, {"zone": "b"}]}},
            {"list": {"elements": [
                {"zone": "b", "name": "web"}, {"zone": "b", "name": "db"}, {"zone": "a", "name": "db"},
            ]}},
        ]}}], ["db", "web"]),
        ([{"matrix": {"generators": [
            {"list": {"elements": [{"of": "db"}, {"of": "web"}]}}, {"list": {"elements": [{"name": "{{of}}"}]}},
        ]}}], ["db", "web"]),
        ([{"git": {"files": [{"path": "names/*.yaml"}]}}], ["db", "web"]),
        ([{"git": {"files": [{"path": "names/*.yaml"}, {"path": "names/w*", "exclude": True}]}}], ["db"]),
    ],
)  # fmt: skip
def test_which_applications_generators_make(generators: list[Data], names: list[str]) -> None:
    files = {"names/d.yaml": "name: db\n", "names/w.yaml": "- name: web\n"}
    found = applications({"generators": generators}, **files)
    assert sorted(deployed(found)) == names
    assert (found.all_problems, found.all_unrendered) == ((), ())


@pytest.mark.parametrize(
    ("spec", "files", "said", "names"),
    [
        (
            {"generators": [{"clusters": {"values": {"name": "db"}}, "selector": {"matchLabels": {}}}]},
            {},
            "spec.generators[0].clusters: which clusters there are is not known: its Applications are taken once",
            [],
        ),
        (
            {"generators": [{**TWO, "selector": {"matchExpressions": [{"key": "zone", "operator": "Gt"}]}}]},
            {},
            "spec.generators[0]: selector.matchExpressions is not looked at: all are taken",
            ["db", "web"],
        ),
        (
            {"generators": [{"list": {"elementsYaml": "{name: db}"}}]},
            {},
            "spec.generators[0].list.elementsYaml: is not rendered: it makes no list",
            [],
        ),
        (
            {"generators": [{"list": {"elementsYaml": "{{ .x }}"}}]},
            {},
            "spec.generators[0].list.elementsYaml: is not rendered: it makes no list",
            [],
        ),
        (
            {"generators": [{"git": {"files": [{"path": "names/*"}]}}]},
            {"names/a.yaml": "[1]\n", "names/b.yaml": "name: db\n"},
            "spec.generators[0].git.files: names/a.yaml holds no map",
            ["db"],
        ),
        (
            {"generators": [{"matrix": {"generators": [TWO]}}]},
            {},
            "spec.generators[0].matrix must have two generators",
            [],
        ),
        (
            {"goTemplate": True, "generators": [TWO], "templatePatch": "- a\n"},
            {},
            "spec.templatePatch: what it changes is not rendered: it makes no map",
            ["db", "web"],
        ),
        (
            {"goTemplate": True, "generators": [TWO], "templatePatch": "{{ nothing }}"},
            {},
            "spec.templatePatch: what it changes is not rendered: ",
            ["db", "web"],
        ),
    ],
)
def test_what_is_not_rendered_is_said(spec: Data, files: dict[str, str], said: str, names: list[str]) -> None:
    found = applications(spec, **files)
    texts = [str(problem) for problem in (*found.all_unrendered, *found.all_problems)]
    assert [text for text in texts if said in text] != [], texts
    assert sorted(deployed(found)) == names


@pytest.mark.parametrize("override", [".argocd-source.yaml", ".argocd-source-web.yaml"])
def test_a_file_that_overrides_a_source_must_be_a_map(override: str) -> None:
    found = applications({"generators": [TWO]}, **{f"vms/web/{override}": "- a\n"})
    assert [str(problem) for problem in found.all_problems] == [
        f"repo/vms/web/{override}: must be a map of fields of an Application's source"
    ]


def test_a_set_of_more_applications_than_there_may_be_is_not_rendered(monkeypatch):
    monkeypatch.setattr("virtcatalog.repositories.applicationsets.REPOSITORY_UNITS", 1)
    found = applications({"generators": [TWO]})
    assert deployed(found) == []
    assert [problem.message for problem in found.all_unrendered] == ["is not rendered: makes more than 1 Applications"]
