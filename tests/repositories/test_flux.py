"""What a Kustomization of Flux adds to what it deploys: metadata, names, patches and variables."""

from __future__ import annotations

import textwrap

import pytest

from virtcatalog.manifests.folder import held
from virtcatalog.repositories.find import find
from virtcatalog.repositories.model import Environment

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, labels: {app: web, team: a}}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        devices: {}
        cpu:
          cores: 1
"""


def deployed(spec: str, vm: str = VM) -> Environment:
    """What a Kustomization with these fields deploys of a folder with one VM."""
    head = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux}\n"
    own = "spec:\n  path: ./apps\n  sourceRef: {kind: GitRepository, name: flux-system}\n"
    text = head + own + textwrap.indent(textwrap.dedent(spec), "  ")
    files = {"apps.yaml": text.encode(), "apps/web.yaml": vm.encode()}
    return next(unit for unit in find(held(files), "x").environments if unit.name == "apps")


def metadata(spec: str) -> object:
    (vm,) = deployed(spec).resources
    return vm.data["metadata"]


def test_common_metadata_wins_over_that_of_the_object():
    assert metadata("commonMetadata: {labels: {team: b, tier: c}, annotations: {d: e}}\n") == {
        "name": "web",
        "labels": {"app": "web", "team": "b", "tier": "c"},
        "annotations": {"d": "e"},
    }
    assert metadata("commonMetadata: {annotations: {d: e}}\n") == {
        "name": "web",
        "labels": {"app": "web", "team": "a"},
        "annotations": {"d": "e"},
    }
    assert metadata("commonMetadata: {}\n") == {"name": "web", "labels": {"app": "web", "team": "a"}}


def test_names_are_put_around_and_the_namespace_is_the_targets():
    spec = "targetNamespace: prod\nnamePrefix: p-\nnameSuffix: -s\n"
    assert metadata(spec) == {"name": "p-web-s", "namespace": "prod", "labels": {"app": "web", "team": "a"}}


def test_a_json_patch_of_the_old_field_is_applied():
    (vm,) = deployed("""\
        patchesJson6902:
        - target: {kind: VirtualMachine, name: web}
          patch: [{op: remove, path: /metadata/labels}]
        """).resources
    assert vm.data["metadata"] == {"name": "web"}


def test_a_strategic_merge_patch_of_the_old_field_is_an_object():
    vm = "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: web, labels: {team: b}}}"
    assert metadata(f"patchesStrategicMerge: [{vm}]\n")["labels"] == {"app": "web", "team": "b"}
    assert metadata(f"patchesStrategicMerge: ['{vm}']\n")["labels"] == {"app": "web", "team": "b"}


def test_variables_are_filled_in_as_yaml():
    vm = VM.replace("cores: 1", "cores: ${CORES}")
    (filled,) = deployed("postBuild: {substitute: {CORES: 4}}\n", vm).resources
    assert filled.data["spec"]["template"]["spec"]["domain"]["cpu"] == {"cores": 4}


def test_an_object_that_opts_out_keeps_its_variables():
    for key in ("labels", "annotations"):
        vm = f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: a, {key}: {{kustomize.toolkit.fluxcd.io/substitute: disabled}}}}
data: {{a: "${{B}}"}}
"""
        (kept,) = deployed("postBuild: {substitute: {B: 4}}\n", vm).resources
        assert kept.data["data"] == {"a": "${B}"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("${CORES}", "with the variables filled in: is not YAML: the text ends where a value is wanted"),
        ("${CORES", r"bad substitution: '${CORES\n'"),
    ],
)
def test_an_object_that_is_none_with_its_variables_filled_in_is_a_problem(text, fault):
    unit = deployed("postBuild: {substitute: {CORES: '{'}}\n", VM.replace("cores: 1", f"cores: {text}"))
    assert unit.resources == ()
    assert list(map(str, unit.problems)) == [f"x/apps/web.yaml:1:1: VirtualMachine/web: {fault}"]


def found(files: dict[str, str], name: str = "apps") -> Environment:
    repository = find(held({path: text.encode() for path, text in files.items()}), "x")
    return next(unit for unit in repository.environments if unit.name == name)


def flux(spec: str, name: str = "apps", namespace: str = "flux") -> str:
    head = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
    return f"{head}metadata: {{name: {name}, namespace: {namespace}}}\nspec: {{{spec}}}\n"


def source(name: str, url: str, namespace: str = "flux", ignore: str = "") -> str:
    head = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\n"
    return f"{head}metadata: {{name: {name}, namespace: {namespace}}}\nspec: {{url: '{url}'{ignore}}}\n"


def from_(name: str, path: str = "./apps") -> str:
    return f"path: {path}, sourceRef: {{kind: GitRepository, name: {name}}}"


OURS, OTHERS = source("fleet", "https://git.example.org/fleet"), source("far", "https://git.example.org/far")


@pytest.mark.parametrize(
    ("spec", "sources", "is_here"),
    [
        (from_("flux-system"), {}, True),
        (from_("unknown"), {}, True),
        (from_("fleet"), {"a.yaml": OURS}, True),
        (from_("far"), {"a.yaml": OURS, "b.yaml": OTHERS, "c.yaml": flux(from_("fleet"), "c")}, True),
        (
            from_("far"),
            {
                "a.yaml": OURS,
                "b.yaml": OTHERS,
                "c.yaml": flux(from_("fleet"), "c"),
                "d.yaml": flux(from_("fleet"), "d"),
            },
            False,
        ),
        (
            from_("far"),
            {"a.yaml": source("flux-system", "ssh://git@git.example.org/fleet.git"), "b.yaml": OTHERS},
            False,
        ),
        (
            from_("fleet"),
            {"a.yaml": source("flux-system", "ssh://git@git.example.org/fleet.git"), "b.yaml": OURS},
            True,
        ),
        (from_("flux-system"), {"b.yaml": OTHERS}, True),
        (from_("far"), {"b.yaml": source("far", "https://git.example.org/far", "other")}, True),
        ("path: ./apps, sourceRef: {kind: OCIRepository, name: fleet}", {}, False),
        ("path: ./apps", {}, False),
    ],
)
def test_whose_files_a_kustomization_deploys(spec: str, sources: dict[str, str], is_here: bool) -> None:
    unit = found({"apps.yaml": flux(spec), "apps/web.yaml": VM, **sources})
    assert bool(unit.resources) is is_here
    source = "OCIRepository fleet" if "OCI" in spec else "GitRepository far" if "far" in spec else "None None"
    said = [("spec.sourceRef", f"{source} is not rendered")]
    assert [(problem.field, problem.message) for problem in unit.unrendered] == ([] if is_here else said)


@pytest.mark.parametrize(("path", "shown"), [("./none", "./none"), ("../apps", "../apps")])
def test_a_path_that_is_no_folder_is_said(path: str, shown: str) -> None:
    unit = found({"apps.yaml": flux(from_("flux-system", path)), "apps/web.yaml": VM})
    assert [(problem.field, problem.message) for problem in unit.unrendered] == [
        ("spec.path", f"{shown} is no folder of this repository")
    ]
    assert unit.resources == ()


def test_what_flux_takes_of_a_folder_without_a_kustomization() -> None:
    files = {
        "apps.yaml": flux(from_("flux-system")),
        "apps/b.yaml": VM.replace("web", "b"),
        "apps/a.yml": VM.replace("web", "a"),
        "apps/c.json": '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "c"}}',
        "apps/notes.yaml": "a: b\n",
        "apps/deep/er/d.yaml": VM.replace("web", "d"),
        "apps/own/kustomization.yaml": "resources: [e.yaml, below]\nnamePrefix: p-\n",
        "apps/own/e.yaml": VM.replace("web", "e"),
        "apps/own/f.yaml": VM.replace("web", "f"),
        "apps/own/below/kustomization.yaml": "resources: [g.yaml]\n",
        "apps/own/below/g.yaml": VM.replace("web", "g"),
        "apps/ownother/h.yaml": VM.replace("web", "h"),
    }
    names = [resource.data["metadata"]["name"] for resource in found(files).resources]
    assert sorted(names) == ["a", "b", "d", "h", "p-e", "p-g"]


def test_the_root_may_be_deployed() -> None:
    files = {
        "apps.yaml": flux(from_("flux-system", "./")),
        "web.yaml": VM,
        "k/kustomization.yaml": "resources: [v.yaml]\n",
    }
    files["k/v.yaml"] = VM.replace("web", "v")
    names = [resource.data["metadata"]["name"] for resource in found(files).resources]
    assert sorted(names) == ["apps", "v", "web"]


def test_a_file_that_cannot_be_read_is_a_fault_of_the_unit() -> None:
    unit = found({"apps.yaml": flux(from_("flux-system")), "apps/web.yaml": VM, "apps/broken.yaml": "apiVersion: [\n"})
    assert unit.failed
    assert [str(problem) for problem in unit.problems] == [
        "x/apps/broken.yaml:2:1: is not YAML: the text ends where a value is wanted"
    ]


@pytest.mark.parametrize(
    ("field", "place"),
    [
        ("metadata.namespace", "x/apps.yaml:7:3"),
        ("metadata.name", "x/apps.yaml:8:3"),
        ("metadata.labels.team", "x/apps.yaml:15:20"),
        ("spec.runStrategy", "x/apps/web.yaml:5:3"),
    ],
)
def test_what_is_added_has_its_place_in_the_kustomization(field: str, place: str) -> None:
    spec = """\
        targetNamespace: prod
        namePrefix: p-
        patches:
          - target: {kind: VirtualMachine}
            patch: |
              kind: VirtualMachine
              metadata:
                name: any
                labels: {team: c}
        """
    (vm,) = deployed(spec).resources
    assert str(vm.field(field)) == place


SETTINGS = "apiVersion: v1\nkind: KIND\nmetadata: {name: NAME, namespace: flux}\n"
BOTH = "[{kind: ConfigMap, name: one}, {kind: Secret, name: two}]"
USING = f'postBuild: {{substituteFrom: {BOTH}, substitute: {{C: "in\\nline"}}}}'
VARIABLES = VM.replace("team: a}}", "team: a}, annotations: {all: '${A} ${B} ${C} ${D}'}}")


def substituted(*settings: str, vm: str = VARIABLES, using: str = USING) -> Environment:
    files = {f"s{number}.yaml": text for number, text in enumerate(settings)}
    return found({"apps.yaml": flux(f"{from_('flux-system')}, {using}"), "apps/web.yaml": vm, **files})


ONE = SETTINGS.replace("KIND", "ConfigMap").replace("NAME", "one") + 'data: {A: one, B: "o\\nne", C: one}\n'
TWO = SETTINGS.replace("KIND", "Secret").replace("NAME", "two") + "stringData: {B: two, C: two}\n"
SEALED = TWO.replace("{B: two, C: two}", "{B: 'ENC[x]'}\nsops: {mac: x}")


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ((ONE, TWO), "one two inline"),
        ((ONE,), "one one inline ${D}"),
        ((TWO,), "${A} two inline ${D}"),
        ((), "${A} ${B} inline ${D}"),
        ((ONE, SEALED), "one one inline ${D}"),
        ((ONE.replace("namespace: flux", "namespace: other"), TWO), "${A} two inline ${D}"),
    ],
)
def test_variables_come_of_settings_in_order_and_of_the_kustomization_last(
    settings: tuple[str, ...], text: str
) -> None:
    unit = substituted(*settings)
    assert unit.problems == ()
    (vm,) = unit.resources
    assert vm.data["metadata"]["annotations"]["all"] == text


def test_encrypted_variables_of_a_vm_are_known_by_what_they_are_encrypted_to() -> None:
    vm = VM.replace("cores: 1", "cores: ${B}")
    (opaque,) = substituted(ONE, SEALED, vm=vm, using=USING.replace("one", "none")).opaque
    assert (opaque.problem.field, opaque.problem.message) == (
        "spec.postBuild.substituteFrom[1]",
        "takes values of Secret two, which is encrypted",
    )
    (other,) = substituted(ONE, SEALED.replace("ENC[x]", "ENC[y]"), vm=vm, using=USING.replace("one", "none")).opaque
    assert other.digest != opaque.digest
    (everywhere,) = substituted(
        SEALED, SEALED.replace(", namespace: flux", ""), vm=vm, using=USING.replace("one", "none")
    ).opaque
    assert everywhere == opaque
    assert substituted(SEALED, vm=VARIABLES, using=USING.replace("one", "none")).opaque == ()
