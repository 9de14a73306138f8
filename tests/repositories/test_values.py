"""Objects in a chart's values: found wherever they stand, with the lines that they stand in."""

import json
import textwrap
from functools import partial

import pytest

from virtcatalog.manifests.read import Part, unchecked
from virtcatalog.repositories import values as module
from virtcatalog.repositories.values import merged, objects_in, values_at


def release(values):
    """A HelmRelease with such values, which begin in line 5."""
    text = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec:\n  values:\n"
    return unchecked(Part(text + textwrap.indent(textwrap.dedent(values), "    "), "release.yaml"))[0][0]


def documents_of(*values):
    return objects_in([values_at(release(value), ("spec", "values")) for value in values])


def places(documents, field="spec"):
    return [(manifest.name, manifest.place(), manifest.place(field)) for manifest in documents.manifests]


VM = "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: NAME}, spec: {}}"


@pytest.mark.parametrize(
    "values",
    [
        "resources: [VM]",
        "extraObjects:\n- VM",
        "rawResources:\n  db: VM",
        "a:\n  b:\n    c: [[{d: VM}]]",
        "VM",
        "a: {apiVersion: example.org/v1, kind: Wrapper, vms: [VM]}",
        "manifests:\n- apiVersion: v1\n  kind: List\n  items:\n  - VM",
        "- VM",
    ],
)
def test_an_object_is_found_wherever_it_stands(values):
    if values == "- VM":
        assert values_at(release(values), ("spec", "values")) is None
        return
    assert [manifest.name for manifest in documents_of(values.replace("VM", VM.replace("NAME", "db"))).manifests] == [
        "VirtualMachine/db"
    ]


def test_places_are_those_in_the_file():
    documents = documents_of("""\
        extraObjects:
          - apiVersion: kubevirt.io/v1
            kind: VirtualMachine
            metadata:
              name: map
            spec: {}
          - |
            apiVersion: kubevirt.io/v1
            kind: VirtualMachine
            metadata:
              name: text

            spec: {}
            ---
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: second}
            spec: {}
        raw: |-
          # a comment
          apiVersion: cdi.kubevirt.io/v1beta1
          kind: DataVolume
          metadata: {name: third}
          spec: {}
        """)
    assert places(documents) == [
        ("VirtualMachine/map", (6, 9), (10, 9)),
        ("VirtualMachine/text", (12, 9), (17, 9)),
        ("PersistentVolumeClaim/second", (19, 9), (22, 9)),
        ("DataVolume/third", (25, 7), (28, 7)),
    ]


def test_of_a_text_that_is_no_block_the_place_is_its_own():
    text = '"apiVersion: kubevirt.io/v1\\nkind: VirtualMachine\\nmetadata: {name: db}\\nspec: {}"'
    assert places(documents_of(f"a: 1\nextra:\n- {text}\n")) == [("VirtualMachine/db", (7, 7), (7, 7))]


def test_values_in_a_text_hold_texts():
    """An Application's `helm.values`, a ConfigMap's `values.yaml`: places go through both texts."""
    block = "extraObjects:\n- |\n  apiVersion: kubevirt.io/v1\n  kind: VirtualMachine\n  metadata: {name: db}\n"
    manifest = release("inner: |\n" + textwrap.indent(block, "  "))
    values = values_at(manifest, ("spec", "values", "inner"))
    assert places(objects_in([values]), "metadata") == [("VirtualMachine/db", (8, 9), (10, 9))]


def test_what_is_no_object_of_a_known_kind_is_left():
    documents = documents_of(f"""\
        replicas: 1
        target: {{apiVersion: kubevirt.io/v1, kind: VirtualMachine, name: db}}
        config:
          data:
            vm.yaml: "{VM.replace("NAME", "file")}"
        deployment:
          apiVersion: apps/v1
          kind: Deployment
          metadata: {{name: a}}
          spec: {{template: {VM.replace("NAME", "within")}}}
        notes: about apiVersion and kind
        """)
    assert documents.manifests == ()
    assert documents.problems == ()
    assert [str(problem) for problem in documents.unrendered] == [
        "release.yaml:6:5: VirtualMachine: stands in values without metadata: the chart that names it is not rendered"
    ]


def test_templates_and_broken_objects_are_named():
    documents = documents_of("""\
        extraObjects:
        - |
          apiVersion: kubevirt.io/v1
          kind: VirtualMachine
          metadata:
            name: {{ .Release.Name }}
        - |
          apiVersion: kubevirt.io/v1
          kind: VirtualMachine
           metadata: {}
        """)
    assert [str(problem) for problem in documents.unrendered] == [
        "release.yaml:7:1: is a template of a KubeVirt object, and is not rendered"
    ]
    assert [str(problem)[:30] for problem in documents.problems] == ["release.yaml:14:16: is not YAM"]


def test_later_values_are_laid_over_earlier_ones():
    one, two = VM.replace("NAME", "one"), VM.replace("NAME", "two")
    below = f"list: [{one}]\nmap: {{a: {one}, b: {one}, c: {one}}}\n"
    above = f"list: [{two}]\nmap: {{a: {two.replace('spec: {}', 'spec: {x: 1}')}, b: null, d: {two}}}\n"
    documents = documents_of(below, above)
    assert [manifest.name for manifest in documents.manifests] == [
        f"VirtualMachine/{name}" for name in ("two", "two", "one", "two")
    ]
    assert documents.manifests[1].data["spec"] == {"x": 1}


def test_an_object_may_be_merged_of_two():
    documents = documents_of(f"vm: {VM.replace('NAME', 'db')}", "vm: {spec: {running: true}}")
    assert documents.manifests[0].data["spec"] == {"running": True}
    assert documents.manifests[0].data["kind"] == "VirtualMachine"


def test_merging_is_helms():
    layers = [
        values_at(release(text), ("spec", "values")) for text in ("a: {b: 1, c: 2}\nd: {e: 1}", "a: {c: null}\nd: 3")
    ]
    assert merged(layers) == {"a": {"b": 1}, "d": 3}
    assert merged([*layers, values_at(release("d: {f: 1}"), ("spec", "values"))]) == {"a": {"b": 1}, "d": {"f": 1}}


@pytest.mark.parametrize("write", [json.dumps, partial(json.dumps, indent=2)])
def test_places_in_json_go_through_maps_and_lists(write):
    vm = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "db"}}
    data = {"spec": {"values": {"a": {"b": [vm]}, "c": [[vm]], "d": vm}}}
    text = write({"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", **data})
    documents = objects_in([values_at(unchecked(Part(text, "f"))[0][0], ("spec", "values"))])
    lines = text.splitlines()
    at = [documents.manifests[number].place("metadata.name") for number in range(3)]
    assert all(lines[line - 1][column - 1 :].startswith('"name": "db"') for line, column in at)
    assert len(set(at)) == 3


INLINE = json.dumps("apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: db}\n")


@pytest.mark.parametrize(
    ("values", "count"),
    [
        ("a: TEXT", 1),
        ("a: [TEXT, [TEXT]]", 2),
        ("data: {a: TEXT}", 0),
        ("data: [TEXT]", 0),
        ("data: {a: {b: TEXT}}", 1),
        ("data: {a: [TEXT]}", 1),
        ("stringData: {a: TEXT}", 0),
        ("binaryData: {a: TEXT}", 0),
        ("files: {a: TEXT}", 0),
        ("file: {a: TEXT}", 1),
        ("deep: {data: {a: TEXT}}", 0),
        ("data: {data: {a: TEXT}}", 0),
        ("a: apiVersion and no more", 0),
        ("a: kind and no more", 0),
    ],
)
def test_texts_that_are_files_hold_no_objects(values, count):
    assert len(documents_of(values.replace("TEXT", INLINE)).manifests) == count


def test_values_hold_only_so_much(monkeypatch):
    text = f"a: {{b: c}}\nd: {VM.replace('NAME', 'db')}\n"
    monkeypatch.setattr(module, "VALUES_WORK", 4)  # the values, a, b and d
    assert [manifest.name for manifest in documents_of(text).manifests] == ["VirtualMachine/db"]
    monkeypatch.setattr(module, "VALUES_WORK", 3)
    documents = documents_of(text)
    assert documents.manifests == ()
    assert [str(problem) for problem in documents.problems] == [
        "release.yaml:6:5: HelmRelease: spec.values.d: the values hold more than 3 maps, lists and texts"
    ]


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("values: |\n  a: 1\n", {"a": 1}),
        ("values: |\n  # nothing\n  ---\n  a: 1\n", {"a": 1}),
        ("values: |\n  a: 1\n  ---\n  b: 2\n", {"a": 1}),
        ("values: |\n  a: [\n  ---\n  b: 2\n", None),
        ("values: 'a: 1'\n", {"a": 1}),
        ('values: "a: 1\\n---\\nb: 2"\n', {"a": 1}),
        ("values: {a: 1}\n", {"a": 1}),
        ("values: |\n  - a\n", None),
        ("values: ''\n", {}),
        ("values: '# nothing'\n", {}),
        ("values: [a]\n", None),
        ("values: 5\n", None),
        ("other: {a: 1}\n", None),
        ("- a\n", None),
    ],
)
def test_values_are_a_map_or_a_text_with_one(text, data):
    value = values_at(unchecked(Part(text, "f.yaml"))[0][0], ("values",))
    assert (value and value.data) == data


def test_in_a_text_in_one_line_all_places_are_the_texts():
    value = values_at(unchecked(Part('a: 1\nvalues: "x: {y: 1}"\n', "f.yaml"))[0][0], ("values",))
    assert (value.path, value.manifest.file, value.manifest.place("x.y")) == ((), "f.yaml", (2, 1))
    inner = value.manifest.within({"y": 1}, ("x",))
    assert (inner.data, inner.file, inner.place("y")) == ({"y": 1}, "f.yaml", (2, 1))


def test_broken_objects_and_templates_in_a_text_in_one_line_are_named_where_it_stands():
    broken = json.dumps("apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: [\n")
    templated = json.dumps("apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: {{ .x }}}\n")
    documents = documents_of(f"a: {broken}\nb: {templated}\n")
    assert [str(problem) for problem in documents.problems] == [
        "release.yaml:5:5: HelmRelease: spec.values.a: is not YAML: the text ends where a value is wanted"
    ]
    sentence = "is a template of a KubeVirt object, and is not rendered"
    assert [str(problem) for problem in documents.unrendered] == [
        f"release.yaml:6:5: HelmRelease: spec.values.b: {sentence}"
    ]
    assert [opaque.problem for opaque in documents.opaque] == list(documents.unrendered)


def test_an_object_without_metadata_is_known_by_what_it_says():
    def opaque(spec):
        (found_one,) = documents_of(f"vm: {{apiVersion: kubevirt.io/v1, kind: VirtualMachine, spec: {spec}}}").opaque
        return found_one

    one = opaque("{template: {spec: {domain: {}}}}")
    assert str(one.problem) == (
        "release.yaml:5:5: VirtualMachine: stands in values without metadata: the chart that names it is not rendered"
    )
    assert one.digest != opaque("{template: {spec: {domain: {a: 1}}}}").digest


def test_what_lies_below_a_text_or_null_does_not_count():
    below, text, null = f"a: {VM.replace('NAME', 'db')}", "a: x", "a: null"
    assert documents_of(below, text).manifests == ()
    assert documents_of(below, null).manifests == ()
    assert [manifest.name for manifest in documents_of(text, below).manifests] == ["VirtualMachine/db"]
    assert documents_of(below, text, "a: {spec: {}}").manifests == ()
