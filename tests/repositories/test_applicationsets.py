"""ApplicationSets: which Applications they make of a repository, and what is said of what is not rendered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from repository_cases import manifest

from virtcatalog.catalog.places import Source
from virtcatalog.manifests.folder import held
from virtcatalog.repositories.applicationsets import Generated
from virtcatalog.repositories.applicationsets import applications as made_by
from virtcatalog.repositories.clusters import IN_CLUSTER, Cluster
from virtcatalog.repositories.deployers import Deployer
from virtcatalog.repositories.find import find
from virtcatalog.repositories.model import Repository, Resource
from virtcatalog.repositories.tree import Tree

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


def deployed(repository: Repository) -> list[str]:
    return [unit.name for unit in repository.environments if unit.kind == "Application" and unit.resources]


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
                {"zone": "b", "name": "web"}, {"zone": "c", "name": "db"}, {"zone": "a", "name": "db"},
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
    repository = applications({"generators": generators}, **files)
    assert sorted(deployed(repository)) == names
    assert (repository.all_problems, repository.all_unrendered) == ((), ())


@pytest.mark.parametrize(
    ("spec", "files", "sentence", "names"),
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
            "spec.generators[0].selector.matchExpressions[0].operator: 'Gt' is none of In, NotIn, Exists, DoesNotExist",
            [],
        ),
        (
            {"generators": [{**TWO, "selector": {"matchLabels": {"a b": "x"}}}]},
            {},
            (
                "spec: is not rendered: spec.generators[0].selector.matchLabels: not a label's key: the name 'a b' "
                "must consist of letters, digits, '-', '_' and '.', and start and end with a letter or digit"
            ),
            [],
        ),
        (
            {
                "generators": [
                    {
                        "matrix": {
                            "generators": [
                                {"clusters": {}},
                                {**TWO, "selector": {"matchLabels": {"name": "{{ name }}"}}},
                            ]
                        }
                    }
                ]
            },
            {},
            "spec.generators[0].matrix.generators[1].selector: is not looked at: what it takes is not known",
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
            {
                "goTemplate": True,
                "goTemplateOptions": ["missingkey=error"],
                "generators": [
                    {"merge": {"mergeKeys": ["name"], "generators": [TWO, {"list": {"elementsYaml": "{}"}}]}}
                ],
                "template": {
                    "metadata": {"name": "{{ .name }}", "labels": {"size": "{{ .size }}"}},
                    "spec": {"source": {"repoURL": URL, "path": "vms/{{ .name }}"}},
                },
            },
            {},
            "spec.generators[0].merge.generators[1].list.elementsYaml: is not rendered: it makes no list",
            ["db", "web"],
        ),
        (
            {"generators": [{"git": {"files": [{"path": "names/*"}]}}]},
            {"names/a.yaml": "[1]\n", "names/b.yaml": "name: db\n"},
            "spec.generators[0].git.files: names/a.yaml holds no map",
            [],
        ),
        (
            {"generators": [{"git": {"files": [{"path": "names/*"}]}}]},
            {"names/a.yaml": "{\n", "names/b.yaml": "name: db\n"},
            "spec.generators[0].git.files: names/a.yaml holds no map",
            [],
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
            "spec.templatePatch: what it changes is not rendered: the template {{nothing}} is not supported",
            ["db", "web"],
        ),
    ],
)
def test_what_is_not_rendered_is_said(spec: Data, files: dict[str, str], sentence: str, names: list[str]) -> None:
    repository = applications(spec, **files)
    texts = [str(problem) for problem in (*repository.all_unrendered, *repository.all_problems)]
    assert [text for text in texts if text.endswith(sentence)] != [], texts
    assert sorted(deployed(repository)) == names


@pytest.mark.parametrize("override", [".argocd-source.yaml", ".argocd-source-web.yaml"])
def test_a_file_that_overrides_a_source_must_be_a_map(override: str) -> None:
    repository = applications({"generators": [TWO]}, **{f"vms/web/{override}": "- a\n"})
    assert [str(problem) for problem in repository.all_problems] == [
        f"repo/vms/web/{override}: must be a map of fields of an Application's source"
    ]


def test_a_set_of_more_applications_than_there_may_be_is_not_rendered(monkeypatch):
    monkeypatch.setattr("virtcatalog.repositories.applicationsets.REPOSITORY_UNITS", 1)
    repository = applications({"generators": [TWO]})
    assert deployed(repository) == []
    assert [problem.message for problem in repository.all_unrendered] == [
        "is not rendered: makes more than 1 Applications"
    ]


EU = Cluster("EU 1", "https://eu.example.org", {"zone": "a", "tier": "1"}, {"note": "x"}, "shop")
US = Cluster("us", "https://us.example.org", {"zone": "b"})
FILES = {
    "apps/Web_1/size.yaml": "cores: 2\nbytes: 1000000\nlabels: {zone: a}\n",
    "apps/db/size.yaml": "cores: 4\n",
    "apps/db/a.txt": "",
    "empty/a.json": "null",
    "empty/b.yaml": "# nothing\n",
    "own.yaml": "values: {b: x, c: z}\n",
}
BASENAMES = "{{path}} {{path[1]}} {{path.basename}} {{path.basenameNormalized}} {{path.filename}}"
AT_NAME = {"source": {"path": "vms/{{name}}"}}
OF_CLUSTERS = (
    "{{name}} {{nameNormalized}} {{server}} {{project}} {{metadata.labels.zone}} {{metadata.annotations.note}}"
)


def texts_of(text: str, generators: list[Any], *, is_go: bool = False, clusters: Sequence[Cluster] = ()) -> list[str]:
    """What a text in the template becomes in each Application."""
    template = {"metadata": {"name": "a"}, "spec": {"project": text}}
    spec = {"generators": generators, "goTemplate": is_go, "template": template}
    data = {"metadata": {"name": "vms", "namespace": "argocd"}, "spec": spec}
    tree = Tree(held({path: text.encode() for path, text in FILES.items()}), "repo")
    generated = made_by(Deployer(Resource(data, lambda field: Source(f"set.yaml#{field}"))), tree, clusters)
    assert generated.unrendered == ()
    return [application.data["spec"]["project"] for application in generated.applications]


@pytest.mark.parametrize(
    ("text", "generators", "texts"),
    [
        ("{{name}}", ["x", TWO], ["db", "web"]),
        ("{{name}}", [TWO, TWO], ["db", "web", "db", "web"]),
        ("{{name}}", [{"list": {"elements": [{}]}}], ["{{name}}"]),
        ("{{name}}", [{"list": {**TWO["list"], "template": {"spec": {"project": "{{zone}}"}}}}], ["a", "b"]),
        (BASENAMES, [{"git": {"directories": [{"path": "apps/*"}]}}], [
            "apps/Web_1 Web_1 Web_1 web-1 {{path.filename}}", "apps/db db db db {{path.filename}}",
        ]),
        (BASENAMES, [{"git": {"directories": [{"path": "apps/*"}, {"path": "apps/db", "exclude": True}]}}], [
            "apps/Web_1 Web_1 Web_1 web-1 {{path.filename}}",
        ]),
        ("{{path}}", [{"git": {"directories": [{"path": "apps"}, {"path": "[a"}, "x", {}]}}], ["apps"]),
        ("{{path}}", [{"git": {"directories": [{"path": "/apps/"}, {"path": "none"}]}}], []),
        ("{{path}} {{cores}}", [{"git": {"files": [{"path": "./apps/db"}]}}], ["apps/db 4"]),
        ("{{path}}", [{"git": {"files": [{"path": "empty/*"}]}}], ["empty", "empty"]),
        (f"{BASENAMES} {{{{path.filenameNormalized}}}} {{{{cores}}}} {{{{bytes}}}} {{{{labels.zone}}}}", [
            {"git": {"files": [{"path": "apps/*/size.yaml"}]}},
        ], [
            "apps/Web_1 Web_1 Web_1 web-1 size.yaml size.yaml 2 1e+06 a",
            "apps/db db db db size.yaml size.yaml 4 {{bytes}} {{labels.zone}}",
        ]),
        ("{{app.path}} {{app.path[0]}} {{app.path.basename}} {{app.path.filename}} {{path}}", [
            {"git": {"files": [{"path": "apps/db/*"}], "pathParamPrefix": "app"}},
        ], ["apps/db apps db size.yaml {{path}}"]),
        ("{{values.size}}", [{"git": {"directories": [{"path": "apps/*"}], "values": {"size": "{{path[1]}}-1"}}}], [
            "Web_1-1", "db-1",
        ]),
        ("{{name}} {{zone}} {{extra}}", [{"merge": {"mergeKeys": ["name"], "generators": [
            TWO, {"list": {"elements": [{"name": "db", "zone": "c"}]}},
            {"list": {"elements": [{"name": "db", "extra": "x"}, {"name": "us", "extra": "y"}]}},
        ]}}], ["db c x", "web b {{extra}}"]),
        ("{{name}} {{of}}", [{"matrix": {"generators": [
            TWO, "x", {"list": {"elements": [{"of": "1"}, {"of": "2"}]}},
        ]}}], ["db 1", "db 2", "web 1", "web 2"]),
        ("{{values.b}}", [{"matrix": {"generators": [
            {"list": {"elements": [{"values": {"a": "1", "c": "2"}}]}},
            {"list": {"elements": [{"values": {"a": "1", "b": "{{values.c}}"}}]}},
        ]}}], ["2"]),
        ("{{values.b}} {{values.c}}", [{"git": {
            "files": [{"path": "own.yaml"}], "values": {"b": "{{values.b}}-1"},
        }}], ["x-1 z"]),
        ("{{path}} {{path.basename}} {{path.basenameNormalized}} {{path[0]}}", [
            {"git": {"files": [{"path": "own.yaml"}]}},
        ], [". .  ."]),
    ],
)  # fmt: skip
def test_what_generators_put_into_a_template(text: str, generators: list[Any], texts: list[str]) -> None:
    assert texts_of(text, generators) == texts


@pytest.mark.parametrize(
    ("text", "generators", "texts"),
    [
        (
            "{{ .path.path }} {{ .path.basename }} {{ .path.basenameNormalized }} {{ index .path.segments 1 }}",
            [{"git": {"directories": [{"path": "apps/*"}]}}],
            ["apps/Web_1 Web_1 web-1 Web_1", "apps/db db db db"],
        ),
        (
            "{{ .app.path.path }} {{ .app.path.filename }} {{ .app.path.filenameNormalized }} {{ .cores }}",
            [{"git": {"files": [{"path": "apps/db/*"}], "pathParamPrefix": "app"}}],
            ["apps/db size.yaml size.yaml 4"],
        ),
        ("{{ .path.filename }}", [{"git": {"directories": [{"path": "apps"}]}}], ["<no value>"]),
        (
            "{{ .name }} {{ .of.a }} {{ .of.b }} {{ .more }}",
            [
                {
                    "matrix": {
                        "generators": [
                            {"list": {"elements": [{"name": "a", "of": {"a": 1}}]}},
                            {
                                "list": {
                                    "elements": [
                                        {"name": "b", "of": {"a": 2, "b": 3}, "more": "{{ .name }}{{ .more }}"}
                                    ]
                                }
                            },
                        ]
                    }
                }
            ],
            ["a 1 3 a<no value>"],
        ),
        (
            "{{ .name }} {{ .of.a }} {{ .of.b }}",
            [
                {
                    "merge": {
                        "mergeKeys": ["key"],
                        "generators": [
                            {"list": {"elements": [{"key": {"x": 1}, "name": "a", "of": {"a": 1, "b": 1}}]}},
                            {
                                "list": {
                                    "elements": [
                                        {"key": {"x": 1}, "name": "b", "of": {"a": 2}},
                                        {"key": {"x": 2}, "name": "c"},
                                    ]
                                }
                            },
                        ],
                    }
                }
            ],
            ["b 2 1"],
        ),
    ],
)
def test_what_generators_put_into_a_template_of_go(text: str, generators: list[Any], texts: list[str]) -> None:
    assert texts_of(text, generators, is_go=True) == texts


@pytest.mark.parametrize(
    ("generator", "clusters", "texts"),
    [
        ({}, (EU, US), [
            f"in-cluster in-cluster {IN_CLUSTER}  {{{{metadata.labels.zone}}}} {{{{metadata.annotations.note}}}}",
            "EU 1 eu-1 https://eu.example.org shop a x",
            "us us https://us.example.org  b {{metadata.annotations.note}}",
        ]),
        ({}, (Cluster("here", IN_CLUSTER, {"zone": "c"}, {"note": "y"}),), [
            "here here https://kubernetes.default.svc  c y",
        ]),
        ({"selector": {"matchLabels": {"zone": "a"}}}, (EU, US), ["EU 1 eu-1 https://eu.example.org shop a x"]),
        ({"selector": {"matchLabels": {"zone": "c"}}}, (EU, US), []),
        ({"selector": {"matchLabels": {}}}, (Cluster("here", IN_CLUSTER, {"zone": "c"}, {"note": "y"}),), [
            "here here https://kubernetes.default.svc  c y",
        ]),
        ({"selector": {"matchExpressions": []}}, (US,), [
            f"in-cluster in-cluster {IN_CLUSTER}  {{{{metadata.labels.zone}}}} {{{{metadata.annotations.note}}}}",
            "us us https://us.example.org  b {{metadata.annotations.note}}",
        ]),
    ],
)  # fmt: skip
def test_clusters_of_which_there_are_secrets(generator: Data, clusters: Sequence[Cluster], texts: list[str]) -> None:
    assert texts_of(OF_CLUSTERS, [{"clusters": generator}], clusters=clusters) == texts


def test_clusters_of_a_flat_list_make_one_application() -> None:
    text = "{{clusters.0.name}} {{clusters.1.name}} {{clusters.2.name}}"
    assert texts_of(text, [{"clusters": {"flatList": True}}], clusters=(EU, US)) == ["in-cluster EU 1 us"]


@pytest.mark.parametrize(
    ("options", "outcome"),
    [
        ([], ["<no value>"]),
        (["missingkey=default"], ["<no value>"]),
        (["missingkey=zero"], ["is not rendered: a template needs .x.y, and there is no y"]),
        (["missingkey=error"], ["is not rendered: a template needs .x.y, and there is no x"]),
        (["missingkey=error", "missingkey=invalid"], ["<no value>"]),
    ],
)
def test_options_say_what_becomes_of_a_parameter_that_there_is_not(options: list[str], outcome: list[str]) -> None:
    template = {"metadata": {"name": "a"}, "spec": {"project": "{{ .x.y }}"}}
    generators = [{"list": {"elements": [{"name": "a"}]}}]
    spec = {"generators": generators, "goTemplate": True, "goTemplateOptions": options, "template": template}
    data = {"metadata": {"name": "vms"}, "spec": spec}
    generated = made_by(Deployer(Resource(data, lambda field: Source("set.yaml"))), Tree(held({}), "repo"))
    projects = [application.data["spec"]["project"] for application in generated.applications]
    assert [*projects, *(problem.message for problem in generated.unrendered)] == outcome


def test_without_parameters_templates_stay() -> None:
    assert texts_of("{{ .name }}", [{"list": {"elements": [{}, {"name": "a"}]}}], is_go=True) == ["{{ .name }}", "a"]


def test_labels_are_selected_by_what_may_be_their_values_and_parameters_by_any() -> None:
    values = {"matchExpressions": [{"key": "name", "operator": "NotIn", "values": ["a b"]}]}
    assert texts_of("{{name}}", [{**TWO, "selector": values}]) == ["db", "web"]
    with pytest.raises(AssertionError, match="'a b' must consist of letters"):
        texts_of("{{name}}", [{"clusters": {"selector": values}}], clusters=(EU,))


def test_an_application_is_what_the_template_says_with_the_patch_over_it() -> None:
    template = {"metadata": {"name": "{{ .name }}", "labels": {}}, "spec": {"source": {"path": "x"}, "project": "a"}}
    patch = "spec: {source: {path: 'vms/{{ .name }}'}, project: b}\n"
    spec = {"generators": [TWO], "goTemplate": True, "template": template, "templatePatch": patch}
    data = {"metadata": {"name": "vms", "namespace": "argocd"}, "spec": spec}
    deployer = Deployer(Resource(data, lambda field: Source(f"set.yaml#{field}")))
    first, _ = made_by(deployer, Tree(held({}), "repo")).applications
    assert first.data == {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"namespace": "argocd", "name": "db"},
        "spec": {"source": {"path": "vms/db"}, "project": "a"},
    }
    fields = ("spec.source.path", "spec.project", "")
    assert [first.field(field).file for field in fields] == [
        "set.yaml#spec.templatePatch", "set.yaml#spec.template.spec.project", "set.yaml#",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("template", "generators", "sentence"),
    [
        ({"metadata": "x", "spec": AT_NAME}, [TWO], "is not rendered: metadata and spec of the template must be maps"),
        (
            {"spec": {"sources": ["x", {"path": "./vms"}, {"path": "none"}]}},
            [{"matrix": {"generators": [TWO, TWO, TWO]}}],
            "is not rendered: spec.generators[0].matrix must have two generators",
        ),
        (
            {"spec": {"source": {"path": "vms"}}},
            [{"matrix": {"generators": [TWO, {"list": {"elements": [{"zone": "c"}]}}]}}],
            "is not rendered: spec.generators[0].matrix has two values of zone: 'a' and 'c'",
        ),
        (
            {"spec": {"source": {"path": "vms"}}},
            [{"merge": {"mergeKeys": ["name"], "generators": [TWO]}}],
            "is not rendered: spec.generators[0].merge must have two generators, or more",
        ),
        (
            {"spec": {"source": {"path": "vms"}}},
            [{"merge": {"generators": [TWO, TWO]}}],
            "is not rendered: spec.generators[0].merge must have mergeKeys",
        ),
        (
            {"spec": {"source": {"path": "vms"}}},
            [{"merge": {"mergeKeys": ["of"], "generators": [TWO, {"list": {"elements": [{"of": "x"}]}}]}}],
            """is not rendered: spec.generators[0].merge has several sets of parameters with {"of": null}""",
        ),
        (
            {"spec": {"source": {"path": "vms"}}},
            [{"list": {"elements": [{"name": "a"}, {"name": 1}]}}],
            "is not rendered: spec.generators[0].list.elements[1].name must be a string where goTemplate is not on",
        ),
        (
            {"spec": {"source": {"path": "vms"}}},
            [{"list": {"elements": [{"name": "a", "values": {"on": True}}]}}],
            "is not rendered: spec.generators[0].list.elements[0].values.on must be a string where goTemplate",
        ),
    ],
)
def test_a_set_that_is_not_rendered_says_why_and_is_known_by_all_that_it_is_made_of(
    template: Data, generators: list[Any], sentence: str
) -> None:
    def opaque(template: Data, vm: str = manifest("vm a")) -> Generated:
        data = {"metadata": {"name": "vms"}, "spec": {"template": template, "generators": generators}}
        tree = Tree(held({"vms/a.yaml": vm.encode()}), "repo")
        return made_by(Deployer(Resource(data, lambda field: Source("set.yaml", 1, 1))), tree)

    generated = opaque(template)
    assert generated.applications == ()
    assert [problem.message[: len(sentence)] for problem in generated.unrendered] == [sentence]
    assert [opaque_part.problem for opaque_part in generated.opaque] == list(generated.unrendered)
    assert generated.opaque[0].digest == opaque(template).opaque[0].digest
    assert generated.opaque[0].digest != opaque({**template, "other": {}}).opaque[0].digest
    assert opaque(template, "a: 1\n").opaque == ()
    assert opaque({**template, "spec": {"source": {"path": "other"}}}).opaque == ()


@pytest.mark.parametrize(
    ("spec", "own", "may"),
    [
        ({}, {"spec": {"source": {"path": "vms/{{name}}"}}}, True),
        ({}, {"spec": {"sources": [{"path": "none"}, {"path": "vms"}]}}, True),
        ({}, {"spec": {"source": {"path": "none"}}}, False),
        ({}, {}, False),
        ({"templatePatch": "spec: {source: {path: {{ .at }}}}"}, {}, True),
        ({"templatePatch": "spec: {project: vms}"}, {}, False),
    ],
)
def test_vms_may_be_where_a_generators_template_or_a_patch_says(spec: Data, own: Data, *, may: bool) -> None:
    elements = {"elements": [{"name": "a"}, {"name": 1}], "template": own}
    template = {"spec": {"source": {"path": "other"}}}
    data = {"metadata": {"name": "vms"}, "spec": {"template": template, "generators": [{"list": elements}], **spec}}
    tree = Tree(held({"vms/a.yaml": manifest("vm a").encode()}), "repo")
    generated = made_by(Deployer(Resource(data, lambda field: Source("set.yaml", 1, 1))), tree)
    assert bool(generated.opaque) is may


def test_a_set_with_a_number_that_go_has_not_is_not_rendered() -> None:
    generators = [{"list": {"elements": [{"name": "a", "size": 10**400}]}}]
    template = {"metadata": {"name": "{{ .name }}"}, "spec": AT_NAME}
    data = {
        "metadata": {"name": "vms"},
        "spec": {"goTemplate": True, "generators": generators, "template": template},
    }
    generated = made_by(Deployer(Resource(data, lambda field: Source("set.json", 1, 1))), Tree(held({}), "repo"))
    assert [problem.message for problem in generated.unrendered] == [
        "is not rendered: spec.generators[0].list.elements[0] has a number beyond 64 bits"
    ]
