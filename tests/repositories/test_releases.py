"""What HelmReleases and Applications deploy, of charts and of their values; helm is a stand-in here."""

import json
from functools import reduce
from hashlib import sha256

import pytest
from repository_cases import HELM_RELEASE, LOCAL_CHART, REMOTE_CHART

from virtcatalog.manifests.folder import held
from virtcatalog.manifests.merge import lay_over
from virtcatalog.repositories import chartvalues, helm
from virtcatalog.repositories.deployers import Deployer
from virtcatalog.repositories.find import find
from virtcatalog.repositories.helm import Charts, Renderer
from virtcatalog.repositories.model import resource
from virtcatalog.repositories.releases import argo_release
from virtcatalog.repositories.tree import Tree

VM = (
    "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: NAME}, "
    "spec: {runStrategy: Manual, template: {spec: {domain: {devices: {}}}}}}"
)


def vm(name):
    return VM.replace("NAME", name)


@pytest.fixture
def rendered(monkeypatch):
    """What helm is asked to render: release, namespace, values and settings; it answers with one VM."""
    calls = []

    def template(program, folder, name, namespace, values, settings):
        own = json.loads((folder / "chart/Chart.yaml").read_text())["name"]
        files = sorted(str(path.relative_to(folder / "chart")) for path in (folder / "chart").rglob("*.yaml"))
        calls.append((own, files, name, namespace, [json.loads(file.read_text()) for file in values], [*settings]))
        return f"---\n# Source: {own}/templates/vm.yaml\n{vm(name)}\n".encode()

    monkeypatch.setattr(helm, "template", template)
    return calls


def environment(files, kind="HelmRelease", program="/helm"):
    repository = find(held({path: text.encode() for path, text in files.items()}), "r", Renderer(lambda: program))
    (unit,) = (environment for environment in repository.environments if environment.kind == kind)
    return unit


def objects(environment):
    return [
        (resource.data["metadata"]["name"], resource.data["metadata"].get("namespace"), str(resource.place))
        for resource in environment.resources
    ]


def unrendered(environment):
    return [str(problem).replace("HelmRelease/shop/vms: ", "") for problem in environment.unrendered]


CHARTS = {"charts/vms/Chart.yaml": "name: vms", "charts/vms/templates/vm.yaml": "", "charts/vms/values.yaml": "a: 1"}


def test_a_chart_of_the_repository_is_rendered(rendered):
    built = environment({"hr.yaml": f"{HELM_RELEASE}{LOCAL_CHART}  values: {{a: 2}}\n", **CHARTS})
    files = ["Chart.yaml", "templates/vm.yaml", "values.yaml"]
    assert rendered == [("vms", files, "vms", "shop", [{"a": 2}], [])]
    assert objects(built) == [("vms", "shop", "r/charts/vms/templates/vm.yaml:1:1")]
    assert built.unrendered == ()


def test_values_come_from_files_config_maps_and_the_release(rendered):
    data = "{values.yaml: 'a: 3', k: 'b: 4'}"
    config_map = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c, namespace: shop}}\ndata: {data}\n"
    chart = LOCAL_CHART.replace("}}}", "}, valuesFiles: [charts/vms/one.yaml, charts/vms/gone.yaml]}}")
    kinds = "ConfigMap, name: c", "ConfigMap, name: c, valuesKey: k", "Secret, name: s"
    more = "  valuesFrom:\n" + "".join(f"  - {{kind: {kind}}}\n" for kind in kinds)
    files = {"hr.yaml": f"{HELM_RELEASE}{chart}{more}  values: {{c: 5}}\n", "c.yaml": config_map, **CHARTS}
    built = environment({**files, "charts/vms/one.yaml": "a: 2\n"})
    ((_, files, _, _, layers, _),) = rendered
    assert layers == [{"a": 3}, {"b": 4}, {"c": 5}]
    assert "values.yaml" in files  # with what valuesFiles say
    assert unrendered(built) == [
        "r/hr.yaml:5:127: spec.chart.spec.valuesFiles[1]: charts/vms/gone.yaml is no file of values in this repository",
        "r/hr.yaml:9:5: spec.valuesFrom[2]: takes values of Secret s, which is not in the repository",
    ]


@pytest.mark.parametrize(
    ("names", "ignores", "defaults", "missing"),
    [
        ("one.yaml", "", '{"a": 2, "b": null}', 0),
        ("one.yaml, two.yaml", "", '{"a": {"x": null}, "b": null}', 0),
        ("empty.yaml", "", "a: 1", 0),
        ("gone.yaml", "", "a: 1", 1),
        ("gone.yaml, one.yaml", ", ignoreMissingValuesFiles: true", '{"a": 2, "b": null}', 0),
        ("gone.yaml", ", ignoreMissingValueFiles: true", "a: 1", 1),
        ("list.yaml", ", ignoreMissingValuesFiles: true", "a: 1", 1),
    ],
)
def test_values_files_of_a_release_take_the_place_of_the_charts_own(monkeypatch, names, ignores, defaults, missing):
    files = {"one": "a: 2\nb: null\n", "two": "a: {x: null}\n", "empty": "# nothing\n", "list": "- a\n"}
    layers = []

    def template(_program, folder, _name, _namespace, values, _settings):
        layers.append(((folder / "chart/values.yaml").read_text(), [*values]))
        return b""

    monkeypatch.setattr(helm, "template", template)
    chart = LOCAL_CHART.replace("}}}", f"}}, valuesFiles: [{names}]{ignores}}}}}")
    files = {f"{name}.yaml": text for name, text in files.items()}
    built = environment({"hr.yaml": f"{HELM_RELEASE}{chart}", **CHARTS, **files})
    assert (layers, len(built.unrendered)) == ([(defaults, [])], missing)


@pytest.mark.parametrize(
    ("spec", "name", "namespace"),
    [
        ("", "vms", "shop"),
        ("  targetNamespace: other\n", "other-vms", "other"),
        ("  releaseName: own\n  targetNamespace: other\n", "own", "other"),
        (f"  releaseName: {'n' * 60}\n", f"{'n' * 40}-fb886b452111", "shop"),
    ],
)
def test_the_name_and_namespace_of_a_release(rendered, spec, name, namespace):
    built = environment({"hr.yaml": f"{HELM_RELEASE}{LOCAL_CHART}{spec}", **CHARTS})
    assert [obj[:2] for obj in objects(built)] == [(name, namespace)]


def test_of_a_remote_chart_the_objects_in_its_values_count():
    values = f"  values:\n    extraObjects:\n    - {vm('one')}\n    - |\n      {vm('two')}\n"
    built = environment({"hr.yaml": f"{HELM_RELEASE}{REMOTE_CHART}{values}"})
    assert objects(built) == [("one", "shop", "r/hr.yaml:8:7"), ("two", "shop", "r/hr.yaml:10:7")]
    assert unrendered(built) == [
        "r/hr.yaml:5:3: spec.chart: the chart app is not rendered: it is not in the repository"
    ]


def test_without_helm_a_chart_is_named():
    built = environment({"hr.yaml": f"{HELM_RELEASE}{LOCAL_CHART}", **CHARTS}, program="")
    assert (objects(built), unrendered(built)) == (
        [],
        ["r/hr.yaml:5:3: spec.chart: the chart ./charts/vms is not rendered: there is no helm in the PATH"],
    )


def test_post_renderers_that_may_patch_what_is_not_rendered_are_named():
    """The patch names an object that the chart may make: a change of it is noticed where there are VMs."""
    patch = "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: other}, spec: {running: RUNNING}}"
    own = f"  values: {{extraObjects: [{vm('one')}]}}\n"
    own += f"  postRenderers: [{{kustomize: {{patches: [{{patch: '{patch}'}}]}}}}]\n"
    environments = [
        environment({"hr.yaml": f"{HELM_RELEASE}{REMOTE_CHART}{own}".replace("RUNNING", running)})
        for running in ("true", "false")
    ]
    assert objects(environments[0]) == [("one", "shop", "r/hr.yaml:6:27")]
    assert unrendered(environments[0])[1:] == [
        "r/hr.yaml:7:3: spec.postRenderers: are not applied to what the chart renders"
    ]
    assert environments[0].opaque != environments[1].opaque


APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: app, namespace: argocd}
spec:
  source:
    path: charts/vms
    helm:
"""


def argo(spec, files=CHARTS, at="charts/vms"):
    files = {"app.yaml": APPLICATION + spec, **files}
    tree = Tree(held({path: text.encode() for path, text in files.items()}), "r")
    (application,) = map(resource, tree.documents("app.yaml").manifests)
    return argo_release(Deployer(application), ("source",), tree, Charts(lambda: "/helm"), at, "shop")


def test_an_applications_values_and_parameters(rendered):
    spec = """\
      releaseName: own
      valueFiles: [one.yaml, /top.yaml, $values/env/a.yaml, ../gone.yaml]
      values: |
        a: 3
      parameters: [{name: b.c, value: "1,2"}, {name: d, value: "7", forceString: true}]
"""
    built = argo(spec, {**CHARTS, "charts/vms/one.yaml": "a: 1", "top.yaml": "a: 2", "env/a.yaml": "a: 4"})
    ((_, files, name, namespace, layers, settings),) = rendered
    assert (name, namespace, layers) == ("own", "shop", [{"a": 1}, {"a": 2}, {"a": 4}, {"a": 3}])
    assert settings == ["--set=b.c=1\\,2", "--set-string=d=7"]
    assert "values.yaml" in files
    (missing,) = built.unrendered
    assert str(missing).startswith("r/app.yaml:9:61: Application/argocd/app: spec.source.helm.valueFiles[3]: ")
    assert missing.message == "../gone.yaml is no file of values in this repository"


def test_what_argo_cd_knows_is_filled_in_into_paths_and_parameters(rendered):
    spec = """\
      valueFiles: [$ARGOCD_APP_NAME.yaml, "/env/${ARGOCD_APP_NAME}.yaml"]
      parameters:
      - {name: a, value: $ARGOCD_APP_NAME-$ARGOCD_APP_SOURCE_PATH}
      - {name: b, value: "$6$s", forceString: true}
"""
    built = argo(spec, {**CHARTS, "charts/vms/app.yaml": "a: 1", "env/app.yaml": "a: 2"})
    ((_, _, _, _, layers, settings),) = rendered
    assert (layers, settings, built.unrendered) == (
        [{"a": 1}, {"a": 2}],
        ["--set=a=app-charts/vms", "--set-string=b="],
        (),
    )


def test_of_parameters_with_one_name_the_last_counts(rendered):
    argo("      parameters: [{name: a, value: '{b},c'}, {name: a, value: d}, {name: a, value: e, forceString: true}]\n")
    ((_, _, _, _, _, settings),) = rendered
    assert settings == ["--set=a=d", "--set-string=a=e"]


def test_objects_in_an_applications_values():
    built = argo(f"      values: |\n        extra:\n        - {vm('db')}\n", at=None)
    assert [(resource.data["metadata"], str(resource.place)) for resource in built.resources] == [
        ({"name": "db", "namespace": "shop"}, "r/app.yaml:10:11")
    ]


def test_values_that_are_none_are_named():
    built = argo("      values: |\n        - a\n", at=None)
    assert "r/app.yaml:8:7: Application/argocd/app: spec.source.helm.values: is no map of values" in [
        str(problem) for problem in built.unrendered
    ]


def lone(files, program="/helm"):
    repository = find(held({path: text.encode() for path, text in files.items()}, "r"), "r", Renderer(lambda: program))
    return [environment for environment in repository.environments if environment.kind == "chart"]


OWN = {**CHARTS, "charts/vms/templates/vm.yaml": "apiVersion: kubevirt.io/v1\n"}


def test_a_chart_that_nothing_deploys_is_rendered_as_it_is_and_with_each_file_of_values(rendered):
    environments = lone({**OWN, "charts/vms/values-prod.yaml": "a: 2", "charts/vms/lab.values.yml": "a: 3"})
    assert [(chart.name, str(chart.place)) for chart in environments] == [
        ("vms", "r/charts/vms/Chart.yaml:1:1"),
        ("vms (lab.values.yml)", "r/charts/vms/lab.values.yml:1:1"),
        ("vms (values-prod.yaml)", "r/charts/vms/values-prod.yaml:1:1"),
    ]
    assert [layers for *_, layers, _ in rendered] == [[], [{"a": 3}], [{"a": 2}]]
    assert [obj[0] for environment in environments for obj in objects(environment)] == ["vms"] * 3


def test_a_chart_without_vms_or_that_is_deployed_is_none_of_these(rendered):
    assert lone(CHARTS) == []
    assert lone({**OWN, "hr.yaml": f"{HELM_RELEASE}{LOCAL_CHART}"}) == []
    within = {f"charts/vms/charts/{path}": text for path, text in OWN.items()}
    assert [chart.name for chart in lone({**OWN, **within})] == ["vms"]


def test_what_a_chart_that_is_not_rendered_is_made_of():
    """It changes with the chart, its values and the release, and with nothing else."""

    def opaque(**changes):
        files = {"hr.yaml": f"{HELM_RELEASE}{LOCAL_CHART}  values: {{a: 2}}\n", **OWN}
        (part,) = environment({**files, **changes}, program="").opaque
        return part.digest

    other = f"{HELM_RELEASE}{LOCAL_CHART}  values: {{a: 3}}\n"
    same = opaque()
    assert opaque(**{"other.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"}) == same
    for changes in ({"hr.yaml": other}, {"charts/vms/values.yaml": "a: 9"}, {"charts/vms/templates/b.yaml": "a: 1"}):
        assert opaque(**changes) != same


def test_a_chart_without_vms_hides_none():
    assert environment({"hr.yaml": f"{HELM_RELEASE}{LOCAL_CHART}", **CHARTS}, program="").opaque == ()
    assert environment({"hr.yaml": f"{HELM_RELEASE}{REMOTE_CHART}"}).opaque == ()


def test_parameters_from_files(rendered):
    files = {**CHARTS, "charts/vms/a.txt": "{x},\\"}
    built = argo("      fileParameters: [{name: a, path: a.txt}, {name: b, path: b.txt}]\n", files)
    (problem,) = built.unrendered
    assert problem.field == "spec.source.helm.fileParameters[1]"
    assert problem.message == "b.txt is no file in this repository that can be given"
    assert rendered[0][-1] == ["--set-string=a=\\{x\\}\\,\\\\"]


def test_a_parameter_that_is_a_list_has_commas(rendered):
    argo("      parameters: [{name: a, value: '{x,y}'}, {name: b, value: 'x,y\\,z'}]\n", CHARTS)
    assert rendered[0][-1] == ["--set=a={x,y}", "--set=b=x\\,y\\,z"]


@pytest.mark.parametrize(
    ("text", "literal", "value"),
    [("4", "", 4), ("'4'", "", "4"), ("true", "", True), ("04", "", "04"), ("a{b", ", literal: true", "a{b")],
)
def test_a_reference_sets_one_value_at_a_path(rendered, text, literal, value):
    setting = (
        f"apiVersion: v1\nkind: Secret\nmetadata: {{name: s, namespace: shop}}\nstringData: {{k: {json.dumps(text)}}}\n"
    )
    more = f"  valuesFrom: [{{kind: Secret, name: s, valuesKey: k, targetPath: vm.cores{literal}}}]\n"
    built = environment(
        {"hr.yaml": f"{HELM_RELEASE}{LOCAL_CHART}{more}  values: {{a: 5}}\n", "s.yaml": setting, **CHARTS}
    )
    assert rendered[0][4] == [{"vm": {"cores": value}}, {"a": 5}]
    assert unrendered(built) == []


def test_a_value_that_cannot_be_set_is_named(rendered):
    setting = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\ndata: {k: 'VALUE'}\n"
    more = "  valuesFrom: [{kind: ConfigMap, name: c, valuesKey: k, targetPath: 'a[-1]'}]\n"
    one, two = (
        environment({"hr.yaml": f"{HELM_RELEASE}{LOCAL_CHART}{more}", "c.yaml": setting.replace("VALUE", value), **OWN})
        for value in "12"
    )
    why = "which Flux cannot set at a[-1]: [-1] is no index"
    assert unrendered(one) == [f"r/hr.yaml:6:16: spec.valuesFrom[0]: takes values of ConfigMap c, {why}"]
    assert one.opaque != two.opaque


def test_values_of_a_secret_that_is_not_base64_are_named(rendered):
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: c, namespace: shop}\ndata: {values.yaml: 'a: 1'}\n"
    more = "  valuesFrom: [{kind: Secret, name: c}]\n"
    built = environment({"hr.yaml": f"{HELM_RELEASE}{LOCAL_CHART}{more}", "c.yaml": secret, **OWN})
    (problem,) = unrendered(built)
    assert problem.startswith(
        "r/hr.yaml:6:16: spec.valuesFrom[0]: takes values of Secret c, whose data[values.yaml] is "
    )
    assert problem.endswith(" not base64, so that no cluster takes the Secret: plain text belongs below stringData")


SETTING = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\ndata: DATA\n"


def referring(rendered, reference, data, setting=SETTING):
    """The layers of values that helm gets for one reference of a HelmRelease, and what is said."""
    rendered.clear()
    more = f"  valuesFrom: [{{kind: ConfigMap, name: c, {reference}}}]\n"
    files = {"hr.yaml": f"{HELM_RELEASE}{LOCAL_CHART}{more}", "c.yaml": setting.replace("DATA", json.dumps(data))}
    built = environment({**files, **OWN})
    sentences = [problem.message for problem in built.unrendered]
    assert [opaque.problem for opaque in built.opaque] == list(built.unrendered)
    return rendered[0][4], sentences


@pytest.mark.parametrize(
    ("reference", "data", "layers"),
    [
        ("", {"values.yaml": "a: 1"}, [{"a": 1}]),
        ("", {"values.yaml": "# nothing"}, [{}]),
        ("valuesKey: k", {"k": "a: 1", "values.yaml": "a: 2"}, [{"a": 1}]),
        ("targetPath: a.b", {"values.yaml": "x"}, [{"a": {"b": "x"}}]),
        ("targetPath: a, valuesKey: k", {"k": "12"}, [{"a": 12}]),
        ("targetPath: a, valuesKey: k", {"k": "'true'"}, [{"a": "true"}]),
        ("targetPath: a, valuesKey: k", {"k": '"5"'}, [{"a": "5"}]),
        ("targetPath: a, valuesKey: k", {"k": "'5\""}, [{"a": "'5\""}]),
        ("targetPath: a, valuesKey: k", {"k": "'"}, [{"a": ""}]),
        ("targetPath: a, valuesKey: k", {"k": "1,b=2"}, [{"a": 1, "b": 2}]),
        ("targetPath: 'a.b[1]', valuesKey: k", {"k": "{x}"}, [{"a": {"b": [None, ["x"]]}}]),
        ("targetPath: a, valuesKey: k, literal: true", {"k": "{1},\\[2]'"}, [{"a": "{1},\\[2]'"}]),
        ("targetPath: a, valuesKey: k, literal: true", {"k": "5"}, [{"a": "5"}]),
    ],
)
def test_what_a_reference_gives(rendered, reference, data, layers):
    assert referring(rendered, reference, data) == (layers, [])


@pytest.mark.parametrize(
    ("reference", "data", "why"),
    [
        ("valuesKey: k", {"values.yaml": "a: 2"}, "has no k"),
        ("targetPath: a, valuesKey: none", {"k": "x"}, "has no none"),
        ("", {"values.yaml": "- a"}, "are no map"),
        ("targetPath: a, valuesKey: k", {"k": "1,2"}, "Flux cannot set at a: 2 has no value"),
    ],
)
def test_what_a_reference_cannot_give_is_named(rendered, reference, data, why):
    assert referring(rendered, reference, data) == ([], [f"takes values of ConfigMap c, which {why}"])


@pytest.mark.parametrize(
    ("references", "own", "values"),
    [
        (["valuesKey: v"], "{a: {x: 1}}", {"a": {"x": 1, "w": 2}}),
        (["valuesKey: v"], "{a: 1}", {"a": 1}),
        (["valuesKey: k, targetPath: a"], "{a: 1}", {"a": 1}),
        (["valuesKey: k, targetPath: a.x"], "{a: {x: 1}}", {"a": {"x": 4}}),
        (["valuesKey: k, targetPath: 'b[0]'"], "{b: [1]}", {"b": [4]}),
        (["valuesKey: k, targetPath: 'b[1]'"], "{b: [1]}", {"b": [1]}),
        (["valuesKey: v", "valuesKey: k, targetPath: a.x"], "{a: {x: 1}}", {"a": {"x": 1, "w": 2}}),
        (["valuesKey: k, targetPath: a.x"] * 2, "{a: {x: 1}}", {"a": {"x": 4}}),
        (["valuesKey: k, targetPath: a.x", "valuesKey: k, targetPath: a.z"], "{a: {z: 1}}", {"a": {"x": 4, "z": 1}}),
        (["valuesKey: k, targetPath: a.x"], "{a: null}", None),
    ],
)
def test_what_is_set_counts_before_the_releases_own_values_only_where_it_is_set_in_these(
    rendered, references, own, values
):
    """Flux says in its API that it always does."""
    setting = SETTING.replace("DATA", json.dumps({"k": "4", "v": "a: {x: 2, w: 2}"}))
    more = "  valuesFrom:\n" + "".join(f"  - {{kind: ConfigMap, name: c, {reference}}}\n" for reference in references)
    release = f"{HELM_RELEASE}{LOCAL_CHART}{more}  values: {own}\n"
    built = environment({"hr.yaml": release, "c.yaml": setting, **CHARTS})
    merged = reduce(lay_over, rendered[0][4])
    assert (None if built.unrendered else merged) == values


def test_a_reference_that_is_not_there_is_named_unless_it_is_optional(rendered):
    other = SETTING.replace("name: c", "name: d")
    assert referring(rendered, "optional: true", {}, other) == ([], [])
    assert referring(rendered, "optional: true", {}) == ([], [])
    assert referring(rendered, "optional: true", {"values.yaml": "a"}) == (
        [],
        ["takes values of ConfigMap c, which are no map"],
    )
    for optional in ("", "optional: false", "optional: 'true'"):
        layers, sentences = referring_to_none(rendered, optional, other)
        assert (layers, sentences) == ([], ["takes values of ConfigMap c, which is not in the repository"])


def referring_to_none(rendered, reference, setting):
    rendered.clear()
    more = f"  valuesFrom: [{{kind: ConfigMap, name: c, {reference}}}]\n"
    built = environment({"hr.yaml": f"{HELM_RELEASE}{LOCAL_CHART}{more}", "c.yaml": setting, **OWN})
    return rendered[0][4], [problem.message for problem in built.unrendered]


@pytest.mark.parametrize(
    ("length", "name"),
    [
        (53, "n" * 53),
        (54, f"{'n' * 40}-{sha256(b'n' * 54).hexdigest()[:12]}"),
    ],
)
def test_a_name_that_is_too_long_ends_with_a_digest(rendered, length, name):
    environment({"hr.yaml": f"{HELM_RELEASE}{LOCAL_CHART}  releaseName: {'n' * length}\n", **CHARTS})
    assert rendered[0][2] == name


@pytest.mark.parametrize(
    ("spec", "layers"),
    [
        ("      values: 'a: 1'\n      valuesObject: {a: 2}\n", [{"a": 2}]),
        ("      values: 'a: 1'\n      valuesObject: x\n", [{"a": 1}]),
        ("      values: '  '\n", [{}]),
        ("      valueFiles: [gone.yaml]\n      ignoreMissingValueFiles: true\n", []),
        ("      valueFiles: [empty.yaml, ./one.yaml]\n", [{"a": 1}]),
        ("      valueFiles: ['$values/top.yaml', /top.yaml, ./one.yaml]\n", [{"a": 2}, {"a": 2}, {"a": 1}]),
    ],
)
def test_the_values_of_an_application(rendered, spec, layers):
    files = {"charts/vms/one.yaml": "a: 1", "charts/vms/empty.yaml": "# nothing", "top.yaml": "a: 2"}
    built = argo(spec, {**CHARTS, **files})
    ((_, _, name, namespace, rendered_layers, _),) = rendered
    assert (name, namespace, rendered_layers, built.unrendered) == ("app", "shop", layers, ())


def test_a_file_that_holds_no_values_is_not_one_that_may_be_missing(rendered):
    spec = "      valueFiles: [charts.txt]\n      ignoreMissingValueFiles: true\n      valuesObject: {a: 1}\n"
    (problem,) = argo(spec, {**CHARTS, "charts/vms/charts.txt": "x"}).unrendered
    assert problem.message == "charts.txt is no file of values in this repository"


def test_a_release_has_its_own_namespace_and_parameters(rendered):
    spec = "      namespace: own\n      parameters: [x, {name: a}, {name: b, value: 5}, {name: c, value: 'd,e\\,{f'}]\n"
    built = argo(spec)
    ((_, _, _, namespace, _, settings),) = rendered
    assert (namespace, settings) == ("own", ["--set=a=", "--set=b=5", "--set=c=d\\,e\\,{f"])
    assert [resource.data["metadata"]["namespace"] for resource in built.resources] == ["own"]
    assert (built.folders, built.problems, built.failed) == (("charts/vms",), (), False)


def test_what_is_no_file_of_parameters_is_named(rendered, monkeypatch):
    monkeypatch.setattr(chartvalues, "SET_FILE_BYTES", 3)
    names = ("ok.txt", "long.txt", "../../../out", "bytes.txt")
    listed = ", ".join(f"{{name: p, path: {name}}}" for name in names)
    files = {**CHARTS, "charts/vms/ok.txt": "a,b", "charts/vms/long.txt": "abcd"}
    texts = {"app.yaml": f"{APPLICATION}      fileParameters: [{listed}, x, {{name: q}}]\n", **files}
    contents = {path: text.encode() for path, text in texts.items()} | {"charts/vms/bytes.txt": b"\xff"}
    tree = Tree(held(contents), "r")
    (application,) = map(resource, tree.documents("app.yaml").manifests)
    built = argo_release(Deployer(application), ("source",), tree, Charts(lambda: "/helm"), "charts/vms", "shop")
    no_file = "is no file in this repository that can be given"
    assert [(problem.field.rpartition(".")[2], problem.message) for problem in built.unrendered] == [
        ("fileParameters[1]", f"long.txt {no_file}"),
        ("fileParameters[2]", f"../../../out {no_file}"),
        ("fileParameters[3]", f"bytes.txt {no_file}"),
        ("fileParameters[4]", f" {no_file}"),
        ("fileParameters[5]", f" {no_file}"),
    ]
    assert rendered[0][-1] == ["--set-string=p=a\\,b"]


PATCHES = """\
  postRenderers:
  - other: {}
  - kustomize:
      patches:
      - patch: |
          apiVersion: kubevirt.io/v1
          kind: VirtualMachine
          metadata: {name: vms, labels: {one: a}}
      patchesStrategicMerge:
      - {apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: vms, labels: {two: b}}}
      patchesJson6902:
      - target: {group: kubevirt.io, version: v1, kind: VirtualMachine, name: vms}
        patch: [{op: add, path: /metadata/labels/three, value: c}]
      namePrefix: none-
      images: []
  - kustomize:
      patches:
      - {target: {kind: VirtualMachine}, patch: '[{"op": "add", "path": "/spec/template/spec/hostname", "value": "h"}]'}
  - x
"""


OLD_RELEASE = HELM_RELEASE.replace("toolkit.fluxcd.io/v2\n", "toolkit.fluxcd.io/v2beta2\n")


def test_post_renderers_patch_what_the_chart_makes_one_after_another(rendered):
    built = environment({"hr.yaml": f"{OLD_RELEASE}{LOCAL_CHART}{PATCHES}", **CHARTS})
    assert built.problems == ()
    (vm,) = built.resources
    assert vm.data["metadata"] == {
        "name": "vms", "namespace": "shop", "labels": {"one": "a", "two": "b", "three": "c"},
    }  # fmt: skip
    assert vm.data["spec"]["template"]["spec"]["hostname"] == "h"
    labels = (f"metadata.labels.{key}" for key in ("one", "two", "three"))
    fields = ("", "spec.runStrategy", *labels, "spec.template.spec.hostname")
    assert [str(vm.field(field)) for field in fields] == [
        "r/charts/vms/templates/vm.yaml:1:1",
        "r/charts/vms/templates/vm.yaml:1:1",
        "r/hr.yaml:13:42",
        "r/hr.yaml:15:91",
        "r/hr.yaml:18:57",
        "r/hr.yaml:23:42",
    ]


@pytest.mark.parametrize(
    ("version", "patches", "fault"),
    [
        ("v2", "patchesJson6902: []", ": is no field of helm.toolkit.fluxcd.io/v2, which has patches for it"),
        ("v2beta2", "patchesStrategicMerge: ['{kind: A}']", "[0]: must be an object, not its text"),
        ("v2beta1", "patchesJson6902: [{patch: '[]'}]", "[0]: must have a list of operations as its patch"),
        ("v2beta2", "patchesJson6902: [x]", "[0]: must have a list of operations as its patch"),
    ],
)
def test_post_renderers_of_the_older_apis_are_objects(rendered, version, patches, fault):
    head = HELM_RELEASE.replace("toolkit.fluxcd.io/v2\n", f"toolkit.fluxcd.io/{version}\n")
    built = environment({"hr.yaml": f"{head}{LOCAL_CHART}  postRenderers: [{{kustomize: {{{patches}}}}}]\n", **CHARTS})
    assert (built.failed, built.resources) == (True, ())
    (problem,) = built.problems
    assert (
        f"{problem.field}: {problem.message}" == f"spec.postRenderers[0].kustomize.{patches.partition(':')[0]}{fault}"
    )


def test_a_release_gives_labels_and_annotations_to_all_after_its_post_renderers(rendered):
    patch = "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: vms, labels: {one: a, two: b}}}"
    spec = f"  postRenderers: [{{kustomize: {{patches: [{{patch: '{patch}'}}]}}}}]\n"
    spec += "  commonMetadata: {labels: {two: c}, annotations: {d: e}}\n"
    (vm,) = environment({"hr.yaml": f"{HELM_RELEASE}{LOCAL_CHART}{spec}", **CHARTS}).resources
    assert vm.data["metadata"]["labels"] == {"one": "a", "two": "c"}
    assert vm.data["metadata"]["annotations"] == {"d": "e"}


def test_post_renderers_that_fail_fail_the_release(rendered):
    patch = "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: other}}"
    spec = f"  postRenderers: [{{kustomize: {{patches: [{{patch: '{patch}'}}]}}}}]\n"
    built = environment({"hr.yaml": f"{HELM_RELEASE}{LOCAL_CHART}{spec}", **CHARTS})
    assert built.failed
    assert [str(problem) for problem in built.problems] == [
        "r/hr.yaml:6:42: patches[0]: VirtualMachine/other is the name of no object"
    ]


@pytest.mark.parametrize(
    ("file", "is_one"),
    [
        ("values-a.yaml", True),
        ("values_a.yml", True),
        ("values.a.yaml", True),
        ("a-values.yaml", True),
        ("a_values.yaml", True),
        ("a.values.yml", True),
        ("values.yml", False),
        ("valuesa.yaml", False),
        ("avalues.yaml", False),
        ("values-a.json", False),
        ("a-values-b.yaml", False),
    ],
)
def test_what_is_a_file_of_values_beside_a_chart(rendered, file, is_one):
    charts = lone({**OWN, f"charts/vms/{file}": "a: 1\n"})
    assert [chart.name for chart in charts] == ["vms", *([f"vms ({file})"] if is_one else [])]


def test_a_chart_is_rendered_with_twenty_files_of_values_at_most(rendered):
    files = {f"charts/vms/values-{number:02}.yaml": f"a: {number}\n" for number in range(21)}
    assert [chart.name for chart in lone({**OWN, **files})][-1] == "vms (values-19.yaml)"


@pytest.mark.parametrize(
    ("at", "name"),
    [("charts/Web_1.x", "web-1-x"), ("---", "chart"), ("a" * 60, "a" * 53), ("", "chart")],
)
def test_a_chart_that_nothing_deploys_has_a_name_of_its_folder(rendered, at, name):
    prefix = f"{at}/" if at else ""
    lone({f"{prefix}Chart.yaml": "name: vms", f"{prefix}templates/vm.yaml": "apiVersion: kubevirt.io/v1\n"})
    assert [call[2:4] for call in rendered] == [(name, "")]
