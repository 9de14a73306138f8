"""components.yaml: who uses what, and what cannot be mixed."""

from types import SimpleNamespace

import pytest

from virtcatalog.catalog.compose import _collect, _sets

LINUX = "preferences: {linux.one: {components: [%s]}}\n"


@pytest.mark.parametrize(
    ("components", "problems"),
    [
        (
            "a: {components: [b]}\nb: {components: [c]}\nc: {components: [a]}\n",
            ["components.yaml:1:18: a.components[0]: components use each other in a circle: a → b → c → a"],
        ),
        (
            "a: {components: [a]}\n",
            ["components.yaml:1:18: a.components[0]: components use each other in a circle: a → a"],
        ),
        (
            "a: {components: [bb]}\nb: {}\n",
            ["components.yaml:1:18: a.components[0]: there is no component 'bb'; did you mean 'b'?"],
        ),
        (
            "a: {components: [b, c]}\nb: {labels: {x: '1'}}\nc: {labels: {x: '2'}}\n",
            ["components.yaml:1:21: a.components[1]: components 'b' and 'c' set labels.x differently"],
        ),
        (
            "a: {spec: {devices: {preferredDiskBuz: x}}}\n",
            ["components.yaml:1:22: a.spec.devices.preferredDiskBuz: unknown field 'preferredDiskBuz'; did you mean"],
        ),
        (
            "a: {spec: {cpu: {dedicatedCPUPlacement: 1}}}\n",
            ["components.yaml:1:18: a.spec.cpu.dedicatedCPUPlacement: must be true or false, not the number 1"],
        ),
        ("a: [1]\n", ["components.yaml:1:1: a: must be a map, not a list"]),
        ("a: {sizes: {}}\n", ["components.yaml:1:5: a.sizes: unknown field 'sizes'"]),
        (
            "a: {labels: {instancetype.kubevirt.io/os-type: x}}\n",
            ["components.yaml:1:14: a.labels[instancetype.kubevirt.io/os-type]: instancetype.kubevirt.io/os-type is"],
        ),
    ],
)
def test_faults_of_components(catalog, components, problems):
    texts = catalog.problems({"components.yaml": components, "preferences/linux.yaml": LINUX % "a"})
    texts = [text for text in texts if text.startswith("components.yaml")]
    assert len(texts) == len(problems)
    assert all(map(str.startswith, texts, problems))


def test_a_clash_is_reported_where_both_are_used(catalog):
    files = {
        "components.yaml": """
            disk: {spec: {devices: {preferredDiskBus: sata}}}
            blk: {spec: {devices: {preferredDiskBus: virtio}}}
            """,
        "preferences/linux.yaml": LINUX % "disk, blk",
    }
    (problem,) = catalog.problems(files)
    assert problem == (
        "preferences/linux.yaml:1:46: preferences[linux.one].components[1]: components 'disk' and 'blk' set "
        "spec.devices.preferredDiskBus differently; set it beside them, or leave one out"
    )


def test_own_fields_settle_a_clash(catalog):
    files = {
        "components.yaml": "a: {requirements: {vcpus: 2}}\nb: {requirements: {vcpus: 4}}\n",
        "preferences/linux.yaml": "preferences: {linux.one: {components: [a, b], requirements: {vcpus: 8}}}\n",
    }
    assert catalog.entry("linux.one", files)["spec"]["requirements"]["cpu"] == {"guest": 8}


def test_the_components_of_two_layers_do_not_clash(catalog):
    files = {
        "components.yaml": "a: {osType: linux}\nb: {osType: windows}\n",
        "preferences/linux.yaml": "defaults: {components: [a]}\npreferences: {linux.one: {components: [b]}}\n",
    }
    assert catalog.entry("linux.one", files)["metadata"]["labels"]["instancetype.kubevirt.io/os-type"] == "windows"


def test_instance_types_mix_in_components_too(catalog):
    files = {
        "components.yaml": "dpdk: {spec: {annotations: {cpu-quota.crio.io: disable}}}\n",
        "instancetypes/m.yaml": "class: m\ncomponents: [dpdk]\nsizes: {s: {vcpus: 1, memory: 1Gi}}\n",
    }
    assert catalog.entry("m.s", files)["spec"]["annotations"] == {"cpu-quota.crio.io": "disable"}


def test_of_components_that_cannot_be_read_nothing_is_missed(catalog):
    problems = catalog.problems({"components.yaml": "a: [\n", "preferences/linux.yaml": LINUX % "a"})
    assert len(problems) == 1
    assert problems[0].startswith("components.yaml:2:1: is not YAML")


SIZE = "{vcpus: 1, memory: 1Gi}"
DERIVED = "{labels: {instancetype.kubevirt.io/vendor: me}}"


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        ("catalog.yaml", "name: x\nkubevirt: v1.9.0\ninstancetypes: %s\n", "3:26: instancetypes."),
        ("catalog.yaml", "name: x\nkubevirt: v1.9.0\npreferences: %s\n", "3:24: preferences."),
        ("components.yaml", "a: %s\n", "1:14: a."),
        (
            "instancetypes/m.yaml",
            "class: m\nsizes: {s: {vcpus: 1, memory: 1Gi}}\nvariants: {v: %s}\n",
            "3:25: variants.v.",
        ),
        ("instancetypes/m.yaml", "class: m\nmemoryPerVcpu: 1Gi\nsizes: {s: %s}\n", "3:22: sizes.s."),
        ("preferences/linux.yaml", "defaults: %s\npreferences: {x: }\n", "1:21: defaults."),
        ("preferences/linux.yaml", "variants: {v: %s}\npreferences: {x: {variants: {v: }}}\n", "1:25: variants.v."),
        ("preferences/linux.yaml", "preferences: {x: %s}\n", "1:28: preferences.x."),
        (
            "preferences/linux.yaml",
            "preferences: {x: {variants: {v: %s}}}\n",
            "1:43: preferences.x.variants.v.",
        ),
    ],
)
def test_no_fragment_sets_a_derived_label(catalog, file, text, place):
    problems = [problem for problem in catalog.problems({file: text % DERIVED}) if "derived" in problem]
    label = "instancetype.kubevirt.io/vendor"
    assert problems == [
        f"{file}:{place}labels[{label}]: {label} is derived from the catalog's `vendor` and cannot be set by hand"
    ]


@pytest.mark.parametrize(
    ("own", "sets"),
    [
        ({}, False),
        ({"other": {"b": 1}}, False),
        ({"a": {}}, False),
        ({"a": {"other": 1}}, False),
        ({"a": {"b": {}}}, False),
        ({"a": {"b": {"c": 1}}}, False),
        ({"a": {"b": 1}}, True),
        ({"a": {"b": [1]}}, True),
        ({"a": {"b": None}}, True),
        ({"a": None}, True),
        ({"a": 1}, True),
    ],
)
def test_what_a_layer_decides_itself(own, sets):
    """A map decides nothing of what else is in it; what stands in the place of a map decides all of it."""
    assert _sets(own, ("a", "b")) is sets


@pytest.mark.parametrize(
    ("fragments", "leaves"),
    [
        ([{"a": {"b": 1}}, {"a": {"c": 2}}], {("a", "b"): 1, ("a", "c"): 2}),
        ([{"a": {"b": 1}}, {"a": {"b": 2}}], {("a", "b"): 2}),
        ([{"a": 1}, {"a": {"b": {"c": 2}}}], {("a", "b", "c"): 2}),
        ([{"a": {}}, {"a": {"b": 2}}], {("a", "b"): 2}),
        ([{"a": {"b": {}}}, {"a": {"b": {"c": 2}}}], {("a", "b", "c"): 2}),
        ([{"a": {"b": 1}}, {"a": 2}], {("a",): 2}),
        ([{"a": {"b": 1}}, {"a": None}], {("a",): None}),
        ([{"a": {"b": 1}}, {"a": {}}], {("a", "b"): 1, ("a",): {}}),
        ([{"a": {"b": 1}, "c": 3}, {"a": [2]}], {("c",): 3, ("a",): [2]}),
    ],
)
def test_the_leaves_of_fragments_over_each_other(fragments, leaves):
    """A map goes into a map, an empty one leaves it as it is, and whatever else takes its place."""
    collected = {}
    for fragment in fragments:
        _collect(collected, (), fragment, SimpleNamespace(spend=lambda _: None))
    assert collected == leaves
