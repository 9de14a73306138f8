"""One mistake, one message, at its place: what follows from it is not told, and what was meant is."""

from textwrap import dedent

import pytest
from tests.catalog.conftest import BASE

#: Files that name what others declare: where these are broken, they say nothing.
NAMING = {
    "templates/linux.yaml": """\
        systems: {fedora: {preference: linux.one, image: registry.example.org/fedora}}
        workloads: {server: {instancetype: "m.{{ size }}"}}
        sizes: {small: {}, large: {}}
        """,
    "overlays.yaml": "lab: {select: {names: ['m.*']}}\n",
}
TYPES = dedent(BASE["instancetypes/m.yaml"])
PREFERENCES = "preferences:\n  linux.one: {%s}\n"
NAME = "it may have lower-case letters, digits, '-' and '.', and each part starts and ends with a letter or digit"
AMOUNT = "is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9"
MODELLED = "is not modelled; known are v1.7.4, v1.8.4, v1.9.0"


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        (
            "instancetypes/m.yaml",
            TYPES.replace("  large", "\tlarge"),
            "5:1: a tab cannot indent YAML; use spaces",
        ),
        ("instancetypes/m.yaml", TYPES.replace("class: m\n", ""), "1:1: class: is required"),
        (
            "instancetypes/m.yaml",
            TYPES.replace("class: m\n", "class: M\n"),
            f"1:1: class: Kubernetes refuses the name 'M': {NAME}",
        ),
        (
            "instancetypes/m.yaml",
            TYPES.replace("sizes:", "size:"),
            "3:1: size: unknown field 'size'; did you mean 'sizes'?",
        ),
        (
            "instancetypes/m.yaml",
            TYPES.replace("memoryPerVcpu: 4Gi", "memoryPerVcpu: 0"),
            "2:1: memoryPerVcpu: the memory must be more than 0, not 0",
        ),
        (
            "instancetypes/m.yaml",
            TYPES.replace("memoryPerVcpu: 4Gi\n", ""),
            "2:1: sizes: small has no `memory`, and its class no `memoryPerVcpu`",
        ),
        (
            "instancetypes/m.yaml",
            TYPES.replace("small:", "Small:"),
            f"4:3: sizes.Small: Kubernetes refuses the name 'm.Small': {NAME}",
        ),
        (
            "instancetypes/m.yaml",
            TYPES.replace("small: {vcpus: 1}", "small: {vcpus: 1, memory: 4GB}"),
            f"4:21: sizes.small.memory: '4GB' {AMOUNT}; did you mean 4Gi?",
        ),
        (
            "instancetypes/m.yaml",
            TYPES.replace("small: {vcpus: 1}", "small: {vcpus: 1, memory: -4Gi}"),
            "4:21: sizes.small.memory: the memory must be more than 0, not -4Gi",
        ),
        (
            "instancetypes/m.yaml",
            TYPES.replace("memoryPerVcpu: 4Gi", "memoryPerVcpu:"),
            "2:1: memoryPerVcpu: has no value, and not every size has `memory`",
        ),
        (
            "instancetypes/m.yaml",
            TYPES.replace("memoryPerVcpu: 4Gi", "memoryPerVcpu: '4,5Gi'"),
            f"2:1: memoryPerVcpu: '4,5Gi' {AMOUNT}; did you mean 4.5Gi?",
        ),
        (
            "instancetypes/m.yaml",
            "class: m\nmemoryPerVcpu: 4Gi\nsizes: {}\n",
            "3:1: sizes: is empty: a class has a size at least",
        ),
        (
            "instancetypes/m.yaml",
            "class: m\nmemoryPerVcpu: 4Gi\nsizes:\n- small: {vcpus: 1}\n",
            "3:1: sizes: must be a map, not a list: leave out the '-' before each key",
        ),
        (
            "instancetypes/m.yaml",
            TYPES.replace("small: {", "small:{"),
            "4:3: sizes[small:{vcpus]: must be a map, not the string '1}'; a space is missing behind 'small:'",
        ),
        (
            "instancetypes/z.yaml",
            TYPES,
            "4:3: sizes.small: 'm.small' is declared twice, first at instancetypes/m.yaml:4:3, and 1 more of this file",
        ),
        (
            "instancetypes/m.yaml",
            TYPES.replace("sizes:\n", "<<<<<<< HEAD\nsizes:\n"),
            "3:1: is not YAML: git has left a conflict of a merge here; resolve it",
        ),
        (
            "instancetypes/m.yaml",
            TYPES.replace("memoryPerVcpu: ", "memoryPerVcpu:\u00a0"),
            "2:1: is not YAML: this line has a no-break space; type an ordinary one",
        ),
        (
            "instancetypes/m.yaml",
            f"{TYPES}description: \u201cFor all: of us\u201d\n",
            "6:22: is not YAML: \u201c is no quote to YAML; type ' or \"",
        ),
        ("overlay.yaml", "lab: {}\n", " is not read; did you mean 'overlays.yaml'?"),
        (
            "m.yaml",
            TYPES,
            (
                " is not read; a catalog has catalog.yaml, components.yaml, overlays.yaml, vms.yaml, prices.yaml "
                "and the files in instancetypes/, preferences/, templates/, vms/"
            ),
        ),
        (
            "overlays.yaml",
            "lab: {patches: [{select: {names: ['m.*']}, spec: {devices: {preferredDiskBus: sata}}}]}\n",
            (
                "1:51: lab.patches[0].spec.devices: 'devices' is a field of preferences, and the patch selects "
                "instance types; give its `select` other `kinds`"
            ),
        ),
        (
            "preferences/linux.yaml",
            PREFERENCES % "arch: amd46",
            "2:15: preferences[linux.one].arch: 'amd46' is none of amd64, arm64, s390x; did you mean 'amd64'?",
        ),
        (
            "preferences/linux.yaml",
            PREFERENCES % "requirements: {memory: 256mb}",
            f"2:30: preferences[linux.one].requirements.memory: '256mb' {AMOUNT}; did you mean 256Mi?",
        ),
        (
            "catalog.yaml",
            BASE["catalog.yaml"].replace("v1.9.0", "v2.0.0"),
            f"3:1: kubevirt: KubeVirt 'v2.0.0' {MODELLED}",
        ),
        ("overlays.yaml", "lab: {kubevirt: v2.0.0}\n", f"1:7: lab.kubevirt: KubeVirt 'v2.0.0' {MODELLED}"),
    ],
)
def test_a_mistake_is_told_once(catalog, file, text, problem):
    assert catalog.problems({**NAMING, file: text}) == [f"{file}:{problem}"]


def test_the_files_that_name_others_are_sound(catalog):
    assert {template.instancetype for template in catalog.load(NAMING).templates} == {"m.small", "m.large"}


def test_a_name_that_nothing_declares_is_told_when_all_is_declared(catalog):
    (problem,) = catalog.problems({**NAMING, "overlays.yaml": "lab: {select: {names: ['q.*']}}\n"})
    assert problem == "overlays.yaml:1:24: lab.select.names[0]: 'q.*' matches no object of the catalog"


def test_a_name_that_nothing_declares_is_told_of_each_replacement(catalog):
    text = "preferences: {a: {deprecated: {replacedBy: q}}, b: {deprecated: {replacedBy: r}}}\n"
    assert [problem.partition(": ")[2] for problem in catalog.problems({"preferences/linux.yaml": text})] == [
        "preferences.a.deprecated.replacedBy: 'q' is no object of the catalog",
        "preferences.b.deprecated.replacedBy: 'r' is no object of the catalog",
    ]
