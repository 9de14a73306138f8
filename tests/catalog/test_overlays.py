"""The environments: what they select, and what their patches make of it."""

import pytest

from virtcatalog.catalog.environment import Patch, Selection

P = "instancetype.kubevirt.io/"
TYPES = """
    class: m
    memoryPerVcpu: 4Gi
    sizes:
      small: {vcpus: 1}
      large: {vcpus: 4, deprecated: {replacedBy: m.small}}
    """


def overlay(catalog, text):
    loaded = catalog.load({"overlays.yaml": f"e: {text}\n", "instancetypes/m.yaml": TYPES})
    return loaded, loaded.overlay("e")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{}", ["m.large", "m.small", "linux.one"]),
        ("{deprecated: false}", ["m.small", "linux.one"]),
        ("{select: {names: ['m.*']}}", ["m.large", "m.small"]),
        ("{select: {names: ['*.one', m.large]}}", ["m.large", "linux.one"]),
        ("{select: {kinds: [VirtualMachineClusterPreference]}}", ["linux.one"]),
        (f"{{select: {{labels: {{{P}cpu: '4'}}}}}}", ["m.large"]),
        (f"{{deprecated: false, select: {{labels: {{{P}cpu: '4'}}}}}}", []),
    ],
)
def test_what_an_environment_includes(catalog, text, names):
    loaded, environment = overlay(catalog, text)
    assert [obj["metadata"]["name"] for obj in loaded.objects() if environment.includes(obj)] == names


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("{scope: cluster}", ["VirtualMachineClusterInstancetype", "VirtualMachineClusterPreference"]),
        ("{scope: namespaced, namespace: lab}", ["VirtualMachineInstancetype", "VirtualMachinePreference"]),
        ("{scope: both}", 4),
    ],
)
def test_the_scope_says_which_kinds(catalog, text, kinds):
    _, environment = overlay(catalog, text)
    assert kinds in (len(environment.kinds), list(environment.kinds))


def test_the_release_that_it_runs(catalog):
    assert overlay(catalog, "{kubevirt: v1.9.0}")[1].kubevirt == "v1.9.0"
    assert overlay(catalog, "{}")[1].kubevirt == ""


def test_a_vendor_of_its_own_is_a_label(catalog):
    _, environment = overlay(catalog, "{vendor: lab.example.org, labels: {a: b}, annotations: {C.d/E: d e}}")
    assert environment.labels == {"a": "b", f"{P}vendor": "lab.example.org"}
    assert environment.annotations == {"C.d/E": "d e"}  # Kubernetes judges keys of annotations in lower case


def test_a_patch_is_for_what_it_selects(catalog):
    text = "{patches: [{select: {names: [m.small]}, metadata: {annotations: {a: b}}, spec: {schedulerName: x}}]}"
    loaded, environment = overlay(catalog, text)
    patched = {obj["metadata"]["name"]: environment.patches_for(obj) for obj in loaded.objects()}
    assert patched == {
        "m.small": ({"metadata": {"annotations": {"a": "b"}}, "spec": {"schedulerName": "x"}},),
        "m.large": (),
        "linux.one": (),
    }


def test_patches_take_the_labels_along_that_restate_what_they_change(catalog):
    text = "{patches: [{select: {names: ['m.*']}, spec: {memory: {hugepages: {pageSize: 2Mi}}}}]}"
    _, environment = overlay(catalog, text)
    (patch,) = environment.patches
    assert patch.patch["metadata"] == {"labels": {f"{P}hugepages": "2Mi"}}


def test_patches_take_labels_away_with_what_they_remove(catalog):
    text = "{patches: [{select: {names: [linux.one]}, spec: {requirements: {cpu: null}}}]}"
    _, environment = overlay(catalog, text)
    assert environment.patches[0].patch["metadata"] == {"labels": {f"{P}required-cpu": None}}


def test_a_patch_divides_where_labels_differ(catalog):
    text = "{patches: [{select: {names: ['m.*']}, spec: {cpu: {guest: 4}}}]}"
    _, environment = overlay(catalog, text)
    assert {patch.target.names: patch.patch.get("metadata") for patch in environment.patches} == {
        ("m.small",): {"labels": {f"{P}cpu": "4"}},
        ("m.large",): None,
    }


def test_an_environment_has_what_it_says(catalog):
    text = (
        "{description: D, kubevirt: v1.9.0, scope: both, namespace: a, templates: b, clusters: [c, d], "
        "namespaces: ['x*'], deprecated: false, select: {names: [m.small], kinds: [VirtualMachineInstancetype], "
        "labels: {l: v}}, labels: {k: v}, vendor: me, annotations: {x: z}}"
    )
    _, environment = overlay(catalog, text.replace("labels: {l: v}", f"labels: {{{P}vendor: example.org}}"))
    assert (environment.name, environment.description, environment.kubevirt, environment.scope) == (
        "e",
        "D",
        "v1.9.0",
        "both",
    )
    assert (environment.namespace, environment.templates, environment.clusters, environment.namespaces) == (
        "a",
        "b",
        ("c", "d"),
        ("x*",),
    )
    assert (environment.deprecated, environment.labels, environment.annotations) == (
        False,
        {"k": "v", f"{P}vendor": "me"},
        {"x": "z"},
    )
    assert (environment.select.names, environment.select.kinds) == (("m.small",), ("VirtualMachineInstancetype",))
    assert environment.select.labels == {f"{P}vendor": "example.org"}


def test_templates_may_lie_where_everything_else_does(catalog):
    _, environment = overlay(catalog, "{scope: namespaced, namespace: a, templates: a}")
    assert (environment.scope, environment.namespace, environment.templates) == ("namespaced", "a", "a")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{scop: both}", "1:5: e.scop: unknown field 'scop'; did you mean 'scope'?"),
        ("{scope: all}", "1:5: e.scope: 'all' is none of cluster, namespaced, both"),
        ("{scope: namespaced}", "1:1: e: the scope is namespaced, and there is no `namespace`"),
        ("{namespace: lab}", "1:5: e.namespace: cluster-wide kinds have no namespace; the scope is cluster"),
        ("{templates: a.b}", "1:5: e.templates: Kubernetes refuses the namespace 'a.b'"),
        (
            "{scope: namespaced, namespace: a, templates: b}",
            "1:38: e.templates: the scope is namespaced: everything lies in `namespace`",
        ),
        (
            "{patches: [{select: {names: ['l*']}, spec: {cpu: {guest: 2}}}]}",
            "1:54: e.patches[0].spec.cpu.guest: unknown",
        ),
        (
            "{patches: [{select: {names: ['m*']}, spec: {preferredTerminationGracePeriodSeconds: 1}}]}",
            (
                "1:48: e.patches[0].spec.preferredTerminationGracePeriodSeconds: "
                "'preferredTerminationGracePeriodSeconds' is a field of preferences, and the patch selects "
                "instance types; give its `select` other `kinds`"
            ),
        ),
        ("{scope: both, namespace: a.b}", "1:18: e.namespace: Kubernetes refuses the namespace 'a.b'"),
        ("{labels: {a: b c}}", "1:14: e.labels.a: Kubernetes refuses the label value 'b c'"),
        (f"{{labels: {{{P}cpu: '1'}}}}", f"1:14: e.labels[{P}cpu]: {P}cpu is derived from `vcpus`; it cannot be set"),
        (f"{{labels: {{{P}vendor: a}}}}", f"1:14: e.labels[{P}vendor]: {P}vendor is derived from the catalog's"),
        ("{kubevirt: '1.9'}", "1:5: e.kubevirt: must be a string such as v1.8.4, not '1.9'"),
        ("{kubevirt: v1.3.0}", "1:5: e.kubevirt: KubeVirt 'v1.3.0' is not modelled; known are"),
        ("{kubevirt: v1.8.4}", "1:5: e.kubevirt: v1.8.4 is older than v1.9, the oldest that catalog.yaml supports"),
        ("{vendor: a b}", "1:5: e.vendor: Kubernetes refuses the label value 'a b'"),
        ("{labels: {Example.org/A: d}}", "1:14: e.labels[Example.org/A]: Kubernetes refuses the key 'Example.org/A'"),
        ("{annotations: {A/b/C: d}}", "1:19: e.annotations[A/b/C]: Kubernetes refuses the key 'a/b/c'"),
        ("{annotations: {a/b/c: d}}", "1:19: e.annotations[a/b/c]: Kubernetes refuses the key 'a/b/c'"),
        ("{select: {names: [m.smal]}}", "1:22: e.select.names[0]: 'm.smal' matches no object of the catalog"),
        ("{select: {kinds: [VirtualMachine]}}", "1:22: e.select.kinds[0]: 'VirtualMachine' is none of"),
        ("{select: {name: m.small}}", "1:14: e.select.name: unknown field 'name'; did you mean 'names'?"),
        ("{patches: [{}]}", "1:15: e.patches[0]: the patch changes nothing"),
        (
            "{patches: [{select: {names: [x]}, spec: {schedulerName: x}}]}",
            "1:33: e.patches[0].select.names[0]: 'x'",
        ),
        ("{patches: [{spec: {schedulerNam: x}}]}", "1:23: e.patches[0].spec.schedulerNam: unknown field"),
        (
            "{patches: [{spec: {schedulerName: x}}]}",
            "1:23: e.patches[0].spec.schedulerName: 'schedulerName' is a",
        ),
        (
            "{patches: [{select: {names: ['m.*']}, spec: {cpu: {guest: null}}}]}",
            "1:55: e.patches[0].spec.cpu.guest: is required",
        ),
        (f"{{patches: [{{metadata: {{labels: {{{P}cpu: '1'}}}}}}]}}", f"1:36: e.patches[0].metadata.labels[{P}cpu]"),
        ("3", "1:1: e: must be a map, not the number 3"),
    ],
)
def test_faults_of_an_environment_have_their_place(catalog, text, problem):
    problems = catalog.problems({"overlays.yaml": f"e: {text}\n"})
    assert problems[0].startswith(f"overlays.yaml:{problem}")
    assert len(problems) == 1


def test_a_key_of_an_annotation_is_judged_in_lower_case(catalog):
    _, environment = overlay(catalog, "{annotations: {Example.org/Note: x}}")
    assert environment.annotations == {"Example.org/Note": "x"}


def test_a_patch_must_select_something_that_the_environment_has(catalog):
    text = "{select: {names: [linux.one]}, patches: [{select: {names: [m.small]}, spec: {schedulerName: x}}]}"
    assert catalog.problems({"overlays.yaml": f"e: {text}\n"}) == [
        "overlays.yaml:1:45: e.patches[0]: the patch selects no object of the environment"
    ]


def test_names_of_environments_are_names(catalog):
    (problem,) = catalog.problems({"overlays.yaml": "Lab/x: {}\n"})
    assert problem.startswith("overlays.yaml:1:1: [Lab/x]: Kubernetes refuses the name 'Lab/x'")


@pytest.mark.parametrize(
    ("field", "sets"),
    [
        ("spec", True),
        ("spec.memory", True),
        ("spec.memory.guest", True),
        ("spec.memory.guest.more", True),
        ("spec.memory.hugepages", False),
        ("spec.cpu", True),
        ("spec.cpu.guest", True),
        ("spec.gpus[0].name", True),
        ("spec.devices", False),
        ("metadata.labels[a.b/c]", True),
        ("metadata.labels.d", False),
    ],
)
def test_which_fields_a_patch_sets_or_takes_away(field, sets):
    spec = {"memory": {"guest": "1Gi"}, "cpu": None, "gpus": [{"name": "a"}]}
    patch = Patch(target=Selection(), patch={"spec": spec, "metadata": {"labels": {"a.b/c": "x"}}})
    assert patch.sets(field) is sets


def test_an_environment_that_is_not_there(catalog):
    loaded, _ = overlay(catalog, "{}")
    with pytest.raises(KeyError, match=r"^'f'$"):
        loaded.overlay("f")


def test_catalogs_that_say_the_same_are_equal(catalog):
    text = "{patches: [{spec: {schedulerName: s}}], select: {names: ['m.*']}}"
    (one, lab), (other, same) = overlay(catalog, text), overlay(catalog, text)
    assert one.instancetypes == other.instancetypes
    assert lab == same
    assert len({entry.declared for entry in (*one.instancetypes, *other.instancetypes)}) == 1
    assert lab != overlay(catalog, "{}")[1]
