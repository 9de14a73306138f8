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


def deployed(spec: str, vm: str = VM, version: str = "v1") -> Environment:
    """What a Kustomization with these fields deploys of a folder with one VM."""
    head = f"apiVersion: kustomize.toolkit.fluxcd.io/{version}\nkind: Kustomization\n"
    head += "metadata: {name: apps, namespace: flux}\n"
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


def test_labels_that_are_no_texts_are_lost_to_common_metadata():
    vm = VM.replace("labels: {app: web, team: a}", "labels: {app: web, rank: 1}, annotations: {note: null}")
    assert metadata("commonMetadata: {labels: {c: d}}\n") == {
        "name": "web",
        "labels": {"app": "web", "team": "a", "c": "d"},
    }
    (deployed_vm,) = deployed("commonMetadata: {labels: {c: d}}\n", vm).resources
    assert deployed_vm.data["metadata"] == {"name": "web", "labels": {"c": "d"}, "annotations": {"note": ""}}


def test_common_metadata_comes_after_variables():
    settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '${A}'}\n"
    spec = "commonMetadata: {labels: {c: '${A}'}}\npostBuild: {substitute: {A: b}}\n"
    (setting,) = deployed(spec, settings).resources
    assert setting.data["metadata"] == {"name": "b", "labels": {"c": "${A}"}}


@pytest.mark.parametrize("name", ["a-b", "a.b", "1a", "é", ""])
def test_a_variable_of_another_name_is_a_fault(name: str) -> None:
    unit = deployed(f"postBuild: {{substitute: {{'{name}': x}}}}\n")
    assert (unit.failed, unit.resources) == (True, ())
    assert [(problem.field, problem.message) for problem in unit.problems] == [
        (
            "spec.postBuild.substitute",
            f"has the variable {name!r}: a name has letters, digits and _, and no digit comes first",
        )
    ]


def test_names_are_put_around_and_the_namespace_is_the_targets():
    spec = "targetNamespace: prod\nnamePrefix: p-\nnameSuffix: -s\n"
    assert metadata(spec) == {"name": "p-web-s", "namespace": "prod", "labels": {"app": "web", "team": "a"}}


OLD_MERGE = """\
patchesStrategicMerge:
- {apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: web, labels: {team: b}}}
"""
NO_FIELD = "is no field of kustomize.toolkit.fluxcd.io/v1, which has patches for it"
OLD_JSON = """\
patchesJson6902:
- target: {kind: VirtualMachine, name: web}
  patch: [{op: remove, path: /metadata/labels/app}]
"""


@pytest.mark.parametrize(
    ("patches", "labels"),
    [(OLD_MERGE, {"app": "web", "team": "b"}), (OLD_JSON, {"team": "a"}), (OLD_MERGE + OLD_JSON, {"team": "b"})],
)
@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_patches_of_the_older_apis_are_applied(patches, labels, version):
    (vm,) = deployed(patches, version=version).resources
    assert vm.data["metadata"]["labels"] == labels


@pytest.mark.parametrize(
    ("version", "patches", "fault"),
    [
        ("v1", OLD_MERGE, f"patchesStrategicMerge: {NO_FIELD}"),
        ("v1", OLD_JSON, f"patchesJson6902: {NO_FIELD}"),
        ("v1beta2", "patchesStrategicMerge: [web.yaml]", "patchesStrategicMerge[0]: must be an object, not its text"),
        ("v1beta2", "patchesJson6902: [{patch: x}]", "patchesJson6902[0]: must have a list of operations as its patch"),
    ],
)
def test_patches_that_flux_does_not_take(version, patches, fault):
    unit = deployed(patches, version=version)
    assert (unit.failed, unit.resources) == (True, ())
    assert [f"{problem.field}: {problem.message}" for problem in unit.problems] == [f"spec.{fault}"]


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
        (config_map,) = deployed("postBuild: {substitute: {B: 4}}\n", vm).resources
        assert config_map.data["data"] == {"a": "${B}"}


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


def test_of_an_object_that_cannot_be_read_with_its_variables_the_first_fault_is_named():
    vm = VM.replace("labels: {app: web, team: a}", "labels: {app: a, '${APP}': b}, annotations: {b: a, '${B}': b}")
    unit = deployed("postBuild: {substitute: {APP: app, B: b}}\n", vm)
    assert unit.resources == ()
    fault = "with the variables filled in: the key 'app' is here twice, first in line 6"
    assert [problem.message for problem in unit.problems] == [fault]


def test_variables_that_make_two_documents_of_an_object_leave_none():
    unit = deployed("postBuild: {substitute: {X: '--- #'}}\n", VM.replace("\nspec:", "\n${X}: 1\nspec:"))
    assert unit.resources == ()
    assert [problem.message for problem in unit.problems] == ["with the variables filled in: is no object"]


def environment(files: dict[str, str], name: str = "apps") -> Environment:
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
    unit = environment({"apps.yaml": flux(spec), "apps/web.yaml": VM, **sources})
    assert bool(unit.resources) is is_here
    source = "OCIRepository fleet" if "OCI" in spec else "GitRepository far" if "far" in spec else "None None"
    problems = [("spec.sourceRef", f"{source} is not rendered")]
    assert [(problem.field, problem.message) for problem in unit.unrendered] == ([] if is_here else problems)


def test_a_path_that_is_no_folder_is_said() -> None:
    unit = environment({"apps.yaml": flux(from_("flux-system", "./none")), "apps/web.yaml": VM})
    assert [(problem.field, problem.message) for problem in unit.unrendered] == [
        ("spec.path", "./none is no folder of this repository")
    ]
    assert unit.resources == ()


@pytest.mark.parametrize("path", ["../apps", "/apps", "apps/../../apps/", "./none/../apps"])
def test_no_path_leads_out_of_the_repository(path: str) -> None:
    unit = environment({"apps.yaml": flux(from_("flux-system", path)), "apps/web.yaml": VM})
    assert [resource.data["metadata"]["name"] for resource in unit.resources] == ["web"]


def test_what_flux_takes_of_a_folder_without_a_kustomization() -> None:
    files = {
        "apps.yaml": flux(from_("flux-system")),
        "apps/b.yaml": VM.replace("web", "b"),
        "apps/a.yml": VM.replace("web", "a"),
        "apps/c.json": '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "c"}}',
        "apps/notes.yaml": "# none yet\n",
        "apps/deep/er/d.yaml": VM.replace("web", "d"),
        "apps/own/kustomization.yaml": "resources: [e.yaml, below]\nnamePrefix: p-\n",
        "apps/own/e.yaml": VM.replace("web", "e"),
        "apps/own/f.yaml": VM.replace("web", "f"),
        "apps/own/below/kustomization.yaml": "resources: [g.yaml]\n",
        "apps/own/below/g.yaml": VM.replace("web", "g"),
        "apps/ownother/h.yaml": VM.replace("web", "h"),
    }
    names = [resource.data["metadata"]["name"] for resource in environment(files).resources]
    assert sorted(names) == ["a", "b", "d", "h", "p-e", "p-g"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: b\n", "kind is required"),
        ("- 1\n", "holds something that is no object"),
        ("apiVersion: v2\nname: chart\n", "kind is required"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n", "metadata.name is required"),
    ],
)
def test_flux_builds_nothing_of_a_folder_with_a_file_that_holds_no_object(text: str, fault: str) -> None:
    unit = environment({"apps.yaml": flux(from_("flux-system")), "apps/web.yaml": VM, "apps/notes.yaml": text})
    assert unit.failed
    ((file, message),) = [(problem.file, problem.message) for problem in unit.problems]
    assert file == "x/apps/notes.yaml"
    assert message == fault


KUSTOMIZATION = "apps/kustomization.yaml"
SHARED = {"shared/web.yaml": VM, "shared/patch.yaml": VM.replace("Always", "Manual")}


@pytest.mark.parametrize(
    ("own", "spec", "metadata"),
    [
        ("resources: [../shared/web.yaml]\n", "", {"name": "web", "labels": {"app": "web", "team": "a"}}),
        (
            "resources: [web.yaml]\nunknown: 1\nlabel: {a: b}\n",
            "",
            {"name": "web", "labels": {"app": "web", "team": "a"}},
        ),
        ("resources: [web.yaml]\nnameSuffix: 5\n", "", {"name": "web5", "labels": {"app": "web", "team": "a"}}),
        ("resources: [web.yaml]\nnamespace: yes\n", ", namePrefix: p-", {"name": "p-web", "namespace": "true"}),
        (
            "resources: [web.yaml]\ncommonLabels: {team: no, n: 1}\n",
            "",
            {"name": "web", "labels": {"app": "web", "team": "false", "false": "1"}},
        ),
        ("resources: [web.yaml]\n---\nresources: []\n", "", {"name": "web"}),
    ],
)
def test_flux_reads_a_kustomization_less_strictly_than_kustomize(own: str, spec: str, metadata: object) -> None:
    files = {"apps.yaml": flux(from_("flux-system") + spec), "apps/web.yaml": VM, KUSTOMIZATION: own, **SHARED}
    unit = environment(files)
    assert unit.problems == ()
    (vm,) = unit.resources
    assert {key: vm.data["metadata"][key] for key in metadata} == metadata


def test_patches_may_be_files_beside_the_folder() -> None:
    own = "resources: [web.yaml]\npatches: [{path: ../shared/patch.yaml}]\n"
    (vm,) = environment(
        {"apps.yaml": flux(from_("flux-system")), "apps/web.yaml": VM, KUSTOMIZATION: own, **SHARED}
    ).resources
    assert vm.data["spec"]["runStrategy"] == "Manual"


def test_a_patch_above_the_repository_is_no_symbolic_link() -> None:
    own = "resources: [web.yaml]\npatches: [{path: ../../../patch.yaml}]\n"
    (problem,) = environment(
        {"apps.yaml": flux(from_("flux-system")), "apps/web.yaml": VM, KUSTOMIZATION: own}
    ).problems
    assert problem.message == "../../../patch.yaml leads out of what may be read"


@pytest.mark.parametrize("own", ["", "{}\n", "resources: []\n"])
def test_a_kustomization_that_says_nothing_is_one_to_flux(own: str) -> None:
    unit = environment({"apps.yaml": flux(from_("flux-system")), "apps/web.yaml": VM, KUSTOMIZATION: own})
    assert (unit.resources, unit.problems) == ((), ())


def test_what_comes_without_resources_notes_its_origin() -> None:
    own = "configMapGenerator: [{name: c, literals: [a=b]}]\ngeneratorOptions: {disableNameSuffixHash: true}\n"
    (generated,) = environment({"apps.yaml": flux(from_("flux-system")), KUSTOMIZATION: own}).resources
    assert generated.data["metadata"]["annotations"] == {
        "config.kubernetes.io/origin": "configuredIn: kustomization.yaml\nconfiguredBy:\n"
        "  apiVersion: builtin\n  kind: ConfigMapGenerator\n"
    }


POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: a}, {name: b, image: b}]}\n"


def test_an_image_takes_the_place_of_the_one_of_that_name() -> None:
    own = "resources: [p.yaml]\nimages: [{name: a, newTag: '1'}, {name: b, newTag: '1'}]\n"
    spec = f"{from_('flux-system')}, images: [{{name: b, newTag: '2'}}]"
    (pod,) = environment({"apps.yaml": flux(spec), "apps/p.yaml": POD, KUSTOMIZATION: own}).resources
    assert [container["image"] for container in pod.data["spec"]["containers"]] == ["a:1", "b:2"]


COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: c-\n"


@pytest.mark.parametrize(
    ("components", "name", "faults"),
    [
        ("[../c], ignoreMissingComponents: true", "c-web", []),
        ("[../c, none], ignoreMissingComponents: true", "c-web", []),
        ("[none], ignoreMissingComponents: true", "web", []),
        ("[none]", "web", ["there is no file and no kustomization at none"]),
        ("['https://example.org/c']", None, ["https://example.org/c must be a relative path"]),
        ("[/c], ignoreMissingComponents: true", None, ["/c must be a relative path"]),
    ],
)
def test_components_are_relative_and_may_be_missing(components: str, name: str | None, faults: list[str]) -> None:
    spec = f"{from_('flux-system')}, components: {components}"
    unit = environment({"apps.yaml": flux(spec), "apps/web.yaml": VM, "c/kustomization.yaml": COMPONENT})
    assert [problem.message for problem in unit.problems] == faults
    assert [resource.data["metadata"]["name"] for resource in unit.resources] == ([name] if name else [])


def test_the_root_may_be_deployed() -> None:
    files = {
        "apps.yaml": flux(from_("flux-system", "./")),
        "web.yaml": VM,
        "k/kustomization.yaml": "resources: [v.yaml]\n",
    }
    files["k/v.yaml"] = VM.replace("web", "v")
    names = [resource.data["metadata"]["name"] for resource in environment(files).resources]
    assert sorted(names) == ["apps", "v", "web"]


def test_a_file_that_cannot_be_read_is_a_fault_of_the_unit() -> None:
    unit = environment(
        {"apps.yaml": flux(from_("flux-system")), "apps/web.yaml": VM, "apps/broken.yaml": "apiVersion: [\n"}
    )
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
    return environment({"apps.yaml": flux(f"{from_('flux-system')}, {using}"), "apps/web.yaml": vm, **files})


ONE = SETTINGS.replace("KIND", "ConfigMap").replace("NAME", "one") + 'data: {A: one, B: "o\\nne", C: one}\n'
TWO = SETTINGS.replace("KIND", "Secret").replace("NAME", "two") + "stringData: {B: two, C: two}\n"
SEALED = TWO.replace("{B: two, C: two}", "{B: 'ENC[x]'}\nsops: {mac: x}")


def test_names_of_variables_do_not_matter_where_all_are_kept() -> None:
    vm = VM.replace("team: a", "kustomize.toolkit.fluxcd.io/substitute: disabled")
    assert deployed("postBuild: {substitute: {a-b: x}}\n", vm).problems == ()


def test_a_key_of_a_setting_that_is_no_name_of_a_variable_is_a_fault() -> None:
    unit = substituted(ONE.replace("C: one", "values.yaml: one"), TWO)
    assert (unit.failed, unit.resources) == (True, ())
    assert [problem.field for problem in unit.problems] == ["spec.postBuild.substituteFrom"]


def test_a_secret_of_variables_that_is_not_base64_is_named() -> None:
    unit = substituted(ONE, TWO.replace("stringData: {B: two, C: two}", "data: {B: dHdv, C: two}"))
    assert (unit.failed, unit.resources) == (True, ())
    (problem,) = unit.problems
    assert (problem.file, problem.line, problem.object, problem.field) == ("x/s1.yaml", 4, "Secret/flux/two", "data.C")
    assert problem.message == "is not base64, so that no cluster takes the Secret: plain text belongs below stringData"


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ((ONE, TWO), "one two inline"),
        ((ONE, TWO.replace("stringData: {B: two, C: two}", "data: {B: dHdv}")), "one two inline"),
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
