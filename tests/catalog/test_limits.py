"""What a catalog may ask for: its limits, each refused at its place."""

import pytest

from sampling import thorough
from virtcatalog import limits
from virtcatalog.errors import CatalogError
from virtcatalog.render import output

SIZES = "class: m\nmemoryPerVcpu: 4Gi\nsizes: {s: {vcpus: 1}}\n"


def test_annotations_of_an_object_are_as_large_as_kubernetes_takes_them(catalog):
    text = "x" * (limits.ANNOTATION_BYTES - len("a/b" + "é") + 1 - 2)
    assert catalog.load({"instancetypes/m.yaml": SIZES + f"annotations: {{a/b: {text}é}}\n"}).instancetypes
    (problem,) = catalog.problems({"instancetypes/m.yaml": SIZES + f"annotations: {{a/b: {text}éx}}\n"})
    assert problem == (
        "instancetypes/m.yaml:4:1: annotations: "
        "the annotations have 262,145 bytes together, and Kubernetes takes 262,144"
    )


@pytest.mark.parametrize("place", ["annotations", "patches[0].metadata.annotations"])
def test_those_of_an_environment_are_too(catalog, place):
    own = f"annotations: {{a: {'x' * limits.ANNOTATION_BYTES}}}"
    text = f"lab: {{{own}}}\n" if place == "annotations" else f"lab: {{patches: [{{metadata: {{{own}}}}}]}}\n"
    (problem,) = catalog.problems({"overlays.yaml": text})
    assert f"lab.{place}: the annotations have 262,145 bytes together" in problem


@thorough
def test_reading_ends_after_so_many_problems(catalog):
    sizes = ", ".join(f"s{number}: {{vcpu: 1}}" for number in range(2 * limits.PROBLEMS))
    problems = catalog.problems({"instancetypes/m.yaml": f"class: m\nsizes: {{{sizes}}}\n"})
    assert len(problems) == limits.PROBLEMS + 1
    assert any(
        problem.endswith("has 1,000 problems, the first of which are here; there may be more") for problem in problems
    )


def test_what_is_rendered_has_a_limit(catalog, monkeypatch):
    loaded = catalog.load({})
    monkeypatch.setattr(output, "RENDERED_BYTES", 1000)
    with pytest.raises(CatalogError) as caught:
        output.render(loaded)
    (problem,) = caught.value.problems
    assert problem.file.endswith("instancetypes/m.yaml")
    assert problem.message == "with this, the manifests of the catalog have more than 0 MiB"


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (
            "labels: {a/b: '{{ vcpus }}'}",
            "labels[a/b]: must be a string, not the number 1: the filter `string` makes",
        ),
        ("annotations: {a/b: '{{ [1] }}'}", "annotations[a/b]: must be a string, not a list"),
        ("labels: {a/b: '{{ vcpus > 1 }}'}", "labels[a/b]: must be a string, not the boolean false"),
        (
            "displayName: '{{ vcpus }}'",
            "displayName: must be a string, not the number 1: the filter `string` makes",
        ),
        ("description: '{{ {} }}'", "description: must be a string, not a map"),
        ("deprecated: {sunset: '{{ vcpus }}'}", "deprecated.sunset: must be a string, not the number 1"),
        ("deprecated: {replacedBy: '{{ [] }}'}", "deprecated.replacedBy: must be a string, not a list"),
    ],
)
def test_expressions_of_a_wrong_type_have_their_place(catalog, entry, problem):
    text = f"class: m\nsizes: {{s: {{vcpus: 1, memory: 1Gi}}}}\n{entry}\n"
    (text_of_problem,) = catalog.problems({"instancetypes/m.yaml": text})
    assert text_of_problem.startswith("instancetypes/m.yaml:3:")
    assert problem in text_of_problem


@pytest.mark.parametrize(
    ("field", "fault"),
    [("osType", "must be a string, not a list"), ("arch", "must be one of amd64, arm64, s390x, not a list")],
)
def test_expressions_of_a_wrong_type_in_preferences_have_their_place(catalog, field, fault):
    (text_of_problem,) = catalog.problems(
        {"preferences/linux.yaml": f"preferences: {{x: {{{field}: '{{{{ [1] }}}}'}}}}\n"}
    )
    assert f"preferences.x.{field}: {fault}" in text_of_problem


def test_an_empty_kubevirt_is_a_missing_one(catalog):
    assert catalog.problems({"catalog.yaml": "name: x\nkubevirt:\n"}) == ["catalog.yaml:2:1: kubevirt: is required"]


@thorough
def test_patches_of_many_objects_count(catalog):
    sizes = ", ".join(f"s{number}: {{vcpus: 1, memory: 1Gi}}" for number in range(1000))
    patches = ", ".join(["{metadata: {labels: {x: z}}}"] * 1000)
    (problem,) = catalog.problems(
        {"instancetypes/m.yaml": f"class: m\nsizes: {{{sizes}}}\n", "overlays.yaml": f"lab: {{patches: [{patches}]}}\n"}
    )
    assert problem.startswith("overlays.yaml:1:")
    assert "ask for more work than a catalog of its size may" in problem


@thorough
def test_places_of_many_problems_and_what_was_perhaps_meant_do_not_add_up(catalog):
    """A comparison of each name with each would take minutes here."""
    sizes = ", ".join(f"s{number}: {{vcpus: 1, memory: 1Gi}}" for number in range(1500))
    wanted = ", ".join(f"t{number}" for number in range(1500))
    variants = f"variants: {{v: {{sizes: [{wanted}, {'x' * 60_000}]}}}}"
    total, first, *_ = catalog.problems({"instancetypes/m.yaml": f"class: m\nsizes: {{{sizes}}}\n{variants}\n"})
    assert total.endswith(": has 1,000 problems, the first of which are here; there may be more")
    assert first == "instancetypes/m.yaml:3:24: variants.v.sizes[0]: the class has no size 't0'"


TOO_MUCH = "ask for more work than a catalog of its size may"
ENVIRONMENTS = "".join(f"e{number}: {{}}\n" for number in range(1500))


def test_objects_of_many_environments_count(catalog):
    sizes = ", ".join(f"s{number}: {{vcpus: 1, memory: 1Gi}}" for number in range(20))
    few = {"instancetypes/m.yaml": f"class: m\nsizes: {{{sizes}}}\n", "overlays.yaml": "a: {}\nb: {}\n"}
    assert len(catalog.load(few).overlays) == 2
    (problem,) = catalog.problems({**few, "overlays.yaml": ENVIRONMENTS})
    assert problem.startswith("overlays.yaml:")
    assert TOO_MUCH in problem


def test_vms_in_many_environments_count(catalog):
    spec = "{template: {spec: {domain: {devices: {}}}}}"
    vm = f"apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: v}}\nspec: {spec}\n"
    files = {"instancetypes/m.yaml": SIZES, **{f"vms/{number}.yaml": vm for number in range(20)}}
    assert len(catalog.load(files | {"overlays.yaml": "a: {}\n"}).vms) == 20
    (problem,) = catalog.problems(files | {"overlays.yaml": ENVIRONMENTS})
    assert problem.startswith("vms/")
    assert TOO_MUCH in problem


@thorough
def test_a_template_that_is_too_much_work_ends_the_reading(catalog):
    vm = f"metadata: {{name: v}}\nspec: {{template: {{spec: {{domain: {{devices: {{}}}}}}}}}}\n# {'x' * 10_000}\n"
    environments = f"{{environments: {{{', '.join(f'e{number}: {{}}' for number in range(1500))}}}}}"
    files = {
        "instancetypes/m.yaml": SIZES,
        "overlays.yaml": ENVIRONMENTS,
        "vms/big.yaml.j2": f"apiVersion: kubevirt.io/v1\nkind: VirtualMachine\n{vm}",
        "vms/next.yaml.j2": f"apiVersion: kubevirt.io/v1\nkind: VirtualMachine\n{vm}",
        "vms.yaml": f"big.yaml.j2: {environments}\nnext.yaml.j2: {environments}\n",
    }
    (problem,) = catalog.problems(files)
    assert problem.startswith("vms/big.yaml.j2:")
    assert TOO_MUCH in problem


def test_templates_in_many_environments_count(catalog):
    sets = ", ".join(f"t{number}: {{}}" for number in range(40))
    files = {
        "catalog.yaml": "name: x\nkubevirt: v1.9.0\n",
        "instancetypes/m.yaml": SIZES,
        "preferences/l.yaml": "preferences: {own: {}}\n",
        "templates/l.yaml": (
            "sizes: {s: {instancetype: m.s}}\nworkloads: {w: {}}\nsystems: {l: {preference: own, "
            f"workloads: {{w: [s]}}, vm: {{spec: {{template: {{spec: {{domain: {{}}}}}}}}}}, tests: {{{sets}}}}}}}\n"
        ),
    }
    assert len(catalog.load(files | {"overlays.yaml": "a: {templates: vms}\n"}).vms) == 41
    environments = "".join(f"e{number}: {{templates: vms}}\n" for number in range(1500))
    (problem,) = catalog.problems(files | {"overlays.yaml": environments})
    assert problem.startswith("templates/l.yaml:")
    assert TOO_MUCH in problem


def test_labels_of_an_environment_count_for_each_object(catalog):
    sizes = ", ".join(f"s{number}: {{vcpus: 1, memory: 1Gi}}" for number in range(1000))
    labels = ", ".join(f"a.b/k{number}: x" for number in range(3000))
    (problem,) = catalog.problems(
        {"instancetypes/m.yaml": f"class: m\nsizes: {{{sizes}}}\n", "overlays.yaml": f"lab: {{labels: {{{labels}}}}}\n"}
    )
    assert problem.startswith("overlays.yaml:1:")
    assert TOO_MUCH in problem


def chain(levels, times=1):
    """Components of which each uses the next."""
    return (
        "".join(f"c{n}: {{components: [{', '.join([f'c{n + 1}'] * times)}]}}\n" for n in range(levels))
        + f"c{levels}: {{}}\n"
    )


@thorough
def test_components_use_each_other_some_levels_deep(catalog):
    files = {"instancetypes/m.yaml": SIZES + "components: [c0]\n"}
    assert catalog.load(files | {"components.yaml": chain(40)}).instancetypes
    problems = catalog.problems(files | {"components.yaml": chain(2000)})
    assert any("uses components that use others, more than 50 levels of them" in problem for problem in problems)


def test_components_that_stand_for_many_count(catalog):
    """Each of these uses the next one twice: the first stands for a billion."""
    files = {"instancetypes/m.yaml": SIZES + "components: [c0]\n", "components.yaml": chain(30, 2)}
    assert any(TOO_MUCH in problem for problem in catalog.problems(files))


@thorough
def test_components_that_are_held_against_each_other_count(catalog):
    names = [f"c{number}" for number in range(600)]
    components = "".join(f"{name}: {{labels: {{a.b/{name}: x}}}}\n" for name in names)
    sizes = ", ".join(
        f"s{number}: {{vcpus: 1, memory: 1Gi, components: [{', '.join(names[number:])}]}}" for number in range(20)
    )
    files = {"instancetypes/m.yaml": f"class: m\nsizes: {{{sizes}}}\n", "components.yaml": components}
    assert any(TOO_MUCH in problem for problem in catalog.problems(files))
