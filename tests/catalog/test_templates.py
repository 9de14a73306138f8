"""VirtualMachineTemplates of a catalog: operating systems x workloads x sizes."""

from types import MappingProxyType

import pytest

from virtcatalog import Cluster, admit
from virtcatalog.errors import CatalogError
from virtcatalog.render.output import render

TYPES = "class: m\nsizes: {small: {vcpus: 1, memory: 4Gi}, large: {vcpus: 4, memory: 16Gi}}\n"
PREFERENCES = "preferences: {linux.one: {displayName: Linux One}, linux.two: , linux.old: {deprecated: {}}}\n"
BASE = {"instancetypes/m.yaml": TYPES, "preferences/linux.yaml": PREFERENCES}
VM = """
  vm:
    spec:
      runStrategy: Halted
      template: {spec: {domain: {devices: {}}}}
"""
HEAD = f"""
defaults:
  displayName: "{{{{ system }}}}, {{{{ workload }}}}, {{{{ size }}}}"
  instancetype: m.{{{{ size }}}}
{VM}"""


def templates(catalog, text, **files):
    return catalog.load(
        BASE | {"templates/linux.yaml": text} | {name.replace("_", "."): content for name, content in files.items()}
    )


def matrix(text):
    return f"{HEAD}sizes: {{small: , large: }}\nworkloads: {{server: , desktop: }}\nsystems:\n{text}"


def text_of(own):
    return f"{HEAD}sizes: {{small: }}\nworkloads: {{server: }}\nsystems:\n  one:\n    preference: linux.one\n{own}"


def one(catalog, own="", **files):
    return templates(catalog, text_of(own), **files)


def test_an_expression_may_have_the_name_of_the_template(catalog):
    template = one(catalog, "    displayName: '{{ name }} of {{ size }}'\n").templates[0].manifest()
    assert "one-server-small of small" in template["metadata"]["annotations"].values()


def test_an_expression_may_name_what_the_template_takes(catalog):
    own = """
    instancetype: m.{{ size }}
    image: "{{ os }}:1"
    description: "{{ instancetype }}, {{ preference }}, {{ image }}"
"""
    assert one(catalog, own).templates[0].description == "m.small, linux.one, one:1"


def test_every_system_has_every_workload_and_size_unless_it_says_which(catalog):
    loaded = templates(
        catalog,
        matrix("  one: {preference: linux.one}\n  two: {preference: linux.two, workloads: {desktop: [large]}}\n"),
    )
    assert [template.name for template in loaded.templates] == [
        "one-server-small",
        "one-server-large",
        "one-desktop-small",
        "one-desktop-large",
        "two-desktop-large",
    ]
    template = loaded.templates[-1].manifest()
    assert template["metadata"] == {
        "name": "two-desktop-large",
        "labels": {
            "flavor.template.kubevirt.io/large": "true",
            "os.template.kubevirt.io/two": "true",
            "workload.template.kubevirt.io/desktop": "true",
        },
        "annotations": {
            "kustomize.toolkit.fluxcd.io/substitute": "disabled",
            "openshift.io/display-name": "two, desktop, large",
        },
    }
    vm = template["spec"]["virtualMachine"]
    assert vm["metadata"] == {"name": "${NAME}"}
    assert vm["spec"]["instancetype"] == {"kind": "VirtualMachineClusterInstancetype", "name": "m.large"}
    assert vm["spec"]["preference"] == {"kind": "VirtualMachineClusterPreference", "name": "linux.two"}


def test_a_vms_name_is_a_parameter_of_its_own(catalog):
    (template,) = one(catalog).templates
    assert template.spec["parameters"] == [
        {"name": "NAME", "generate": "expression", "description": "The VM's name.", "from": "one-[a-z0-9]{6}"}
    ]


def test_layers_lie_over_each_other_from_defaults_to_system(catalog):
    text = """
defaults:
  labels: {a: default, b: default, c: default, d: default}
  instancetype: m.small
  vm: {spec: {runStrategy: Manual}}
sizes: {small: {labels: {b: size, c: size, d: size}}}
workloads: {server: {labels: {c: workload, d: workload}, vm: {spec: {template: {spec: {domain: {devices: {}}}}}}}}
systems: {one: {labels: {d: system}, vm: {spec: {runStrategy: null, running: false}}}}
"""
    (template,) = templates(catalog, text).templates
    assert {key: template.labels[key] for key in "abcd"} == {
        "a": "default",
        "b": "size",
        "c": "workload",
        "d": "system",
    }
    assert template.spec["virtualMachine"]["spec"].keys() == {"instancetype", "running", "template"}


def test_references_to_parameters_are_no_expressions(catalog):
    own = """
    parameters: {CPUS: {value: "2"}, TEXT: {value: "{{ os }}"}}
    vm:
      metadata: {annotations: {a: "${TEXT}-{{ size }}"}}
      spec: {template: {spec: {terminationGracePeriodSeconds: "${{CPUS}}"}}}
"""
    (template,) = one(catalog, own).templates
    vm = template.spec["virtualMachine"]
    assert vm["metadata"]["annotations"] == {"a": "${TEXT}-small"}
    assert vm["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] == "${{CPUS}}"
    assert template.spec["parameters"][2] == {"name": "TEXT", "value": "one"}


ENDED = "and a value is put in as it is: write what it means"


@pytest.mark.parametrize(
    ("own", "places"),
    [
        (
            "    instancetype: m.smal\n",
            ["15:5: systems.one.instancetype: the catalog has no instance type 'm.smal'; did you mean 'm.small'?"],
        ),
        (
            "    workloads: {serve: }\n",
            ["15:17: systems.one.workloads.serve: there is no workload 'serve'; did you mean 'server'?"],
        ),
        (
            "    workloads: {server: [big]}\n",
            ["15:26: systems.one.workloads.server[0]: there is no size 'big'"],
        ),
        (
            "    message: ${NAMES}\n",
            [
                "15:5: systems.one.message: refers to the parameter NAMES, which is not defined; did you mean 'NAME'?",
            ],
        ),
        (
            "    parameters: {A: {value: x}}\n",
            ["15:18: systems.one.parameters.A: A is defined but nothing refers to it"],
        ),
        (
            "    parameters: {A: {value: x, from: '[a-z]'}}\n    message: ${A}\n",
            [
                (
                    "15:32: systems.one.parameters.A.from: "
                    "must hold an expression such as vm-[a-z0-9]{5}, not the string '[a-z]'"
                ),
            ],
        ),
        (
            "    parameters: {A: {value: '${B}'}, B: {value: '${A}'}}\n    message: ${A}${B}\n",
            [
                f"15:22: systems.one.parameters.A.value: refers to B, {ENDED}; B refers to A in turn",
                f"15:42: systems.one.parameters.B.value: refers to A, {ENDED}; A refers to B in turn",
            ],
        ),
        (
            "    vm: {spec: {bogus: 1}}\n",
            ["15:17: systems.one.vm.spec.bogus: makes no VirtualMachine: it has no field spec.bogus"],
        ),
        (
            "    parameters: {A: {required: true}}\n    message: ${A}\n",
            [
                (
                    "15:18: systems.one.parameters.A.value: "
                    "a required parameter without a value or generator: nobody checks the VM that the template makes"
                ),
            ],
        ),
        (
            "    tests: {a: {B: x}}\n",
            ["15:13: systems.one.tests.a: spec.parameters: the template has no parameter 'B': it has NAME"],
        ),
        (
            "    parameter: {}\n",
            ["15:5: systems.one.parameter: unknown field 'parameter'; did you mean 'parameters'?"],
        ),
        (
            "    displayName: '{{ nothing }}'\n",
            ["15:5: systems.one.displayName: the expression uses 'nothing', which is unknown here"],
        ),
    ],
)
def test_what_is_wrong_has_a_place(catalog, own, places):
    problems = catalog.problems(BASE | {"templates/linux.yaml": text_of(own)})
    assert problems == [f"templates/linux.yaml:{place}" for place in places]


@pytest.mark.parametrize(
    ("name", "places"),
    [
        (
            "'{{ os }}_{{ size }}'",
            [
                f"{line}:3: systems.{system}: Kubernetes refuses the name '{system}_{size}': it may have lower-case "
                "letters, digits, '-' and '.', and each part starts and ends with a letter or digit"
                for line, system in ((13, "one"), (14, "two"))
                for size in ("large", "small")
            ],
        ),
        ("'{{ nothing }}'", ["1:1: name: the expression uses 'nothing', which is unknown here"]),
        (
            "same",
            [
                f"{line}:3: systems.{system}: 'same' is declared twice, first at templates/linux.yaml:13:3"
                for line, system in ((13, "one"), (14, "two"))
            ],
        ),
    ],
)
def test_names_of_templates_are_looked_at(catalog, name, places):
    systems = "  one: {preference: linux.one}\n  two: {preference: linux.two}\n"
    problems = catalog.problems(BASE | {"templates/linux.yaml": f"name: {name}{matrix(systems)}"})
    assert list(dict.fromkeys(problems)) == [f"templates/linux.yaml:{place}" for place in places]


def test_a_label_that_kubernetes_refuses_is_told_at_its_place(catalog):
    problems = catalog.problems(BASE | {"templates/linux.yaml": text_of("    labels: {'a b': x}\n")})
    assert [problem.partition(": Kubernetes refuses")[0] for problem in problems] == [
        "templates/linux.yaml:15:14: systems.one.labels[a b]"
    ]


def test_references_between_values_are_told_with_sets_too(catalog):
    own = "    parameters: {A: {value: '${NAME}'}}\n    message: ${A}\n    tests: {a: {A: x}}\n"
    problems = catalog.problems(BASE | {"templates/linux.yaml": text_of(own)})
    assert problems == [f"templates/linux.yaml:15:22: systems.one.parameters.A.value: refers to NAME, {ENDED}"]


def test_few_words_cannot_ask_for_very_many(catalog):
    names = ", ".join(f"n{number}: " for number in range(60))
    text = f"{HEAD}sizes: {{small: }}\nworkloads: {{{names}}}\nsystems: {{{names}}}\n"
    (problem,) = catalog.problems(BASE | {"templates/linux.yaml": text})
    assert "templates/linux.yaml" in problem


def test_every_template_is_admitted(catalog):
    loaded = templates(catalog, matrix("  one: {preference: linux.one}\n"))
    assert [admit(template.manifest(), Cluster([])) for template in loaded.templates] == [[]] * 4


class TestVms:
    def test_the_defaults_and_every_set_of_values_make_one(self, catalog):
        loaded = one(catalog, "    tests: {named: {NAME: db-1}}\n")
        assert [vm.key for vm in loaded.vms] == ["templates.one-server-small", "templates.one-server-small.named"]
        assert loaded.vms[1].manifest["metadata"]["name"] == "db-1"
        assert loaded.vms[0].manifest["metadata"]["name"].startswith("one-")
        assert loaded.vms == one(catalog, "    tests: {named: {NAME: db-1}}\n").vms

    def test_generated_names_differ(self, catalog):
        loaded = templates(catalog, matrix("  one: {preference: linux.one}\n"))
        assert len({vm.name for vm in loaded.vms}) == 4

    def test_a_required_value_comes_from_the_sets(self, catalog):
        own = "    parameters: {A: {required: true}}\n    message: ${A}\n    tests: {a: {A: x}}\n"
        assert [vm.key for vm in one(catalog, own).vms] == ["templates.one-server-small.a"]

    def test_a_field_is_found_where_it_is_declared(self, catalog):
        (vm,) = one(catalog, "    vm: {spec: {template: {spec: {hostname: a}}}}\n").vms
        assert vm.origin.field("spec.template.spec.hostname").line == 15
        assert vm.origin.field("spec.runStrategy").line == 8


class TestEnvironments:
    OVERLAYS = """\
all: {kubevirt: v1.9.0, templates: vm-templates}
own: {kubevirt: v1.9.0, scope: namespaced, namespace: lab}
older: {kubevirt: v1.8.4, templates: vm-templates}
nowhere: {kubevirt: v1.9.0}
without: {kubevirt: v1.9.0, templates: vm-templates, select: {names: ["linux.*"]}}
"""
    FILES = MappingProxyType({"catalog_yaml": "name: test\nkubevirt: v1.8.0\n", "overlays_yaml": OVERLAYS})

    def test_a_template_is_where_it_is_served_and_its_type_and_preference_are(self, catalog):
        loaded = one(catalog, **self.FILES)
        assert [template.environments for template in loaded.templates] == [("all", "own")]
        assert [(vm.key, vm.environments) for vm in loaded.vms] == [
            ("templates.one-server-small.all", ("all",)),
            ("templates.one-server-small.own", ("own",)),
        ]

    def test_deprecated_preferences_take_their_templates_along(self, catalog):
        text = matrix("  old: {preference: linux.old, workloads: {server: [small]}}\n")
        overlays = "new: {kubevirt: v1.9.0, templates: t, deprecated: false}\nall: {kubevirt: v1.9.0, templates: t}\n"
        (template,) = templates(catalog, text, overlays_yaml=overlays).templates
        assert template.environments == ("all",)

    def test_a_namespace_of_its_own_has_its_own_kinds(self, catalog):
        loaded = one(catalog, **self.FILES)
        (there,) = loaded.template_objects("all")
        (own,) = loaded.template_objects("own")
        assert [namespace["metadata"]["namespace"] for namespace in (there, own)] == ["vm-templates", "lab"]
        spec = own["spec"]["virtualMachine"]["spec"]
        assert [spec[part]["kind"] for part in ("instancetype", "preference")] == [
            "VirtualMachineInstancetype",
            "VirtualMachinePreference",
        ]
        assert loaded.template_objects("older") == []

    def test_flux_leaves_references_alone(self, catalog):
        loaded = one(catalog)
        assert loaded.templates[0].annotations["kustomize.toolkit.fluxcd.io/substitute"] == "disabled"


def test_the_tree_has_them_apart_from_what_older_clusters_sync(catalog):
    tree = render(one(catalog, **TestEnvironments.FILES))
    assert "VirtualMachineTemplate" not in tree["base/kustomization.yaml"]
    assert tree["base/VirtualMachineTemplate/kustomization.yaml"].endswith("resources:\n- one-server-small.yaml\n")
    assert "../../base/VirtualMachineTemplate" in tree["overlays/all/kustomization.yaml"]
    assert "VirtualMachineTemplate" not in tree["overlays/older/kustomization.yaml"]
    assert "kind: VirtualMachineTemplate\n" in tree["bundles/test-virtualmachinetemplates-bundle.yaml"]
    assert "one-server-small" in tree["catalog.json"]
    assert "| `one` | server | [small](base/VirtualMachineTemplate/one-server-small.yaml) |" in tree["README.md"]


def test_a_tree_without_templates_says_nothing_of_them(catalog):
    tree = render(catalog.load({"instancetypes/m.yaml": TYPES}))
    assert not [path for path, text in tree.items() if "emplate" in path or "VirtualMachineTemplate" in text]


def test_a_type_that_many_templates_lack_is_told_for_their_place(catalog):
    shared = matrix("  one: {preference: linux.one}\n  two: {preference: linux.two}\n")
    with pytest.raises(CatalogError) as error:
        templates(
            catalog,
            shared.replace("m.{{ size }}", "gone"),
            overlays_yaml="all: {kubevirt: v1.9.0, templates: t}\n",
            catalog_yaml="name: test\nkubevirt: v1.8.0\n",
        )
    assert [problem.message for problem in error.value.problems] == ["the catalog has no instance type 'gone'"]
