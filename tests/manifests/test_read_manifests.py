"""Manifests from text: what counts as what, and where problems are."""

from __future__ import annotations

import json
import textwrap
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loading import read_manifests
from virtcatalog.api.core import PersistentVolumeClaim, PersistentVolumeClaimSpec
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.errors import ManifestError
from virtcatalog.manifests import builder, syntax
from virtcatalog.manifests.document import Text

CUSTOM = "apiVersion: example.org/v1\nkind: Thing\n"


def value(text: str) -> Any:
    """What a bare YAML scalar or flow collection is read as."""
    return read_manifests(f"{CUSTOM}x: {text}\n")[0].data["x"]


def problems(text: str | bytes) -> list[str]:
    with pytest.raises(ManifestError) as caught:
        read_manifests(text, "f.yaml")
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((word, True) for word in ("true", "True", "yes", "YES", "on", "y", "Y")),
        *((word, False) for word in ("false", "FALSE", "no", "off", "n", "N")),
        *((word, None) for word in ("", "~", "null", "Null")),
        *(
            (word, word)
            for word in ("tRue", "nULL", "yEs", "12:30", "2027-06-01", "2027-06-01T10:00:00Z", "1e400", "=")
        ),
        ("'yes'", "yes"),
        ('"1"', "1"),
        ("!!str 5", "5"),
        ("!!int 5", 5),
        ("!!float 5", 5),
        ("!!binary YQ==", "a"),
        ("!!binary |\n  aGVs\n  bG8=", "hello"),
        ("!!timestamp 2027-6-1", "2027-6-1"),
        ("!!python/name:os.system x", "x"),
        ("!vault 5", "5"),
        ("!!set [5]", [5]),
        ("! 5", "5"),
        ("&x ! 'yes'", "yes"),
        ("!", ""),
        ("08", 8),
        ("017", 15),
        ("0o17", 15),
        ("0x1F", 31),
        ("-0b11", -3),
        ("1_000", 1000),
        ("+5", 5),
        ("2.0", 2),
        ("1e3", 1000),
        (".5", 0.5),
        ("1.5", 1.5),
        ("18446744073709551615", 2**64 - 1),
        ("18446744073709551616", 18446744073709552000),
        ("4Gi", "4Gi"),
        ("[a, {b: c}]", ["a", {"b": "c"}]),
    ],
)
def test_scalars_are_what_kubernetes_reads(text: str, expected: Any) -> None:
    assert value(text) == expected
    assert type(value(text)) is type(expected)


def test_keys_become_strings() -> None:
    assert value("{1: a, yes: b, 1.5: c}") == {"1": "a", "true": "b", "1.5": "c"}
    assert value("{1e6: a, -0.0: b, 16777217.0: c, !x 1: d}") == {
        "1e+06": "a",
        "-0": "b",
        "1.6777216e+07": "c",
        "1": "d",
    }


def test_anchors_and_merge_keys() -> None:
    read = read_manifests(CUSTOM + "a: &a {b: 1, c: 2}\nd: *a\ne: {<<: *a, b: 3}\nf: {b: 4, <<: [*a, {g: 5}]}\n")[
        0
    ].data
    assert read["d"] == {"b": 1, "c": 2}
    assert read["d"] is not read["a"]
    assert read["e"] == {"b": 3, "c": 2}
    assert read["f"] == {"b": 4, "c": 2, "g": 5}


def test_an_anchor_that_is_defined_again_means_the_last_one() -> None:
    """YAML has it so, and Go: of two blocks that were pasted below each other, both may say `&x`."""
    text = f"{CUSTOM}a: &x {{b: 1}}\nc: [*x]\nd: &x 2\ne: *x\n---\n{CUSTOM}j: &x [k]\nl: *x\n"
    first, second = read_manifests(text)
    assert [first.data[key] for key in "acde"] == [{"b": 1}, [{"b": 1}], 2, 2]
    assert (second.data["l"], second.place("l")) == (["k"], (11, 1))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("b: *y", "f.yaml:5:4: is not YAML: there is no anchor for this alias; text that begins with '*' needs quotes"),
        ("b: &x [*x]", "f.yaml:5:4: holds itself through an alias"),
        ("b: " + "[" * 1000, "f.yaml:5:403: is nested more than 200 levels deep"),
        ("b: [", "f.yaml:6:1: is not YAML: the text ends where a value is wanted"),
    ],
)
def test_what_is_wrong_beside_an_anchor_that_is_defined_again(text: str, problem: str) -> None:
    assert problems(f"{CUSTOM}a: &x 1\nc: &x 2\n{text}\n") == [problem]


BOMB = CUSTOM + "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "f.yaml:1:1: holds no manifest"),
        ("# nothing\n---\n", "f.yaml:1:1: holds no manifest"),
        ("- a\n", "f.yaml:1:1: a manifest is a map, not a list"),
        ("text\n", "f.yaml:1:1: a manifest is a map, not the string 'text'"),
        (f"{CUSTOM}a:\n\tb: 1\n", "f.yaml:4:1: a tab cannot indent YAML; use spaces"),
        (f"{CUSTOM}a: \0\n", "f.yaml:3:4: the character U+0000 cannot stand in YAML"),
        (f"{CUSTOM}a: \xff\n".encode("latin-1"), "f.yaml:3:4: is not UTF-8 text"),
        (f"{CUSTOM}kind: Other\n", "f.yaml:3:1: the key 'kind' is here twice, first in line 2"),
        (
            '{"apiVersion": "v1", "kind": "a",\n "kind": "b"}',
            "f.yaml:2:2: the key 'kind' is here twice, first in line 1",
        ),
        (f"{CUSTOM}a: .nan\n", "f.yaml:3:4: .nan is not a number that JSON can hold; quote it if it is text"),
        (f"{CUSTOM}a: !!int x\n", "f.yaml:3:4: 'x' is not a YAML int"),
        (f"{CUSTOM}? [a]\n: b\n", "f.yaml:3:3: a key must be a string, not a collection"),
        (f"{CUSTOM}~: b\n", "f.yaml:3:1: a key must be a string, not null"),
        (f"{CUSTOM}<<: 3\n", "f.yaml:3:5: << merges a map or a list of maps"),
        (f"{CUSTOM}a: &a [*a]\n", "f.yaml:3:4: holds itself through an alias"),
        (
            f"{CUSTOM}a: *b\n",
            "f.yaml:3:4: is not YAML: there is no anchor for this alias; text that begins with '*' needs quotes",
        ),
        ("[" * 100_000, "f.yaml:1:400: is nested more than 200 levels deep"),
        ('{"a":' * 100_000, "f.yaml:1:1996: is nested more than 200 levels deep"),
        ('{"a":' * 300 + "1" + "}" * 300, "f.yaml:1:1006: is nested more than 200 levels deep"),
        ("- " * 50_000 + "x", "f.yaml:1:799: is nested more than 200 levels deep"),
        ("kind: Thing\n", "f.yaml:1:1: Thing: apiVersion: is required"),
    ],
)
def test_what_cannot_be_read_is_a_problem_with_its_place(text: str | bytes, problem: str) -> None:
    assert problems(text) == [problem]


def test_exploding_aliases_are_refused() -> None:
    (problem,) = problems(BOMB)
    assert problem.endswith("aliases stand for more than 100000 values")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [1\nb: 2", "3:4: is not YAML: the '[' here is not closed, or a ',' is missing before line 4"),
        ("a: {b: 1 c: 2}", "3:11: is not YAML: a ',' is missing before this"),
        ("a: 'b\nc: d", '3:4: is not YAML: the "\'" here is not closed'),
        ("a: b: c", "3:5: is not YAML: a second ': ' in one line; quote the text that has it"),
        ("a:b\nc: d", "3:1: is not YAML: this key has no ': ' behind it"),
        ("a: b\n  c: d", "4:4: is not YAML: this line is further right than the one before, which has a value already"),
        (
            "a:\n  b:\n    c: d\n   e: f",
            "6:4: is not YAML: this line fits no map above it, of which the nearest begins in line 4, column 3",
        ),
        ("a: 'b' c", "3:8: is not YAML: quoted text or a bracket ends before this; quote the value as a whole"),
        ("a: @b", "3:4: is not YAML: text cannot begin with '@'; quote it"),
        ("a\nb: c", "3:1: is not YAML: this key has no ': ' behind it"),
        ("a: - b", "3:4: is not YAML: a list begins in the line below its key"),
        ('a: "\\UFFFFFFFF"', "3:7: is not YAML: this escape means no character: it is half of a pair, or too large"),
        ("a: {{ b }}", "3:5: a key must be a string, not a collection; text with {{ }} needs quotes"),
    ],
)
def test_broken_yaml_says_where_and_what_to_mend(text: str, problem: str) -> None:
    assert problems(f"{CUSTOM}{text}\n") == [f"f.yaml:{problem}"]


MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      domain:
        cpu: {cores: four}
        devices:
          disks:
          - name: root
          - disk: {}
"""


def test_problems_of_all_documents_with_file_line_and_column() -> None:
    assert problems(
        f"{MACHINE}---\n{CUSTOM}---\napiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\ndata: {{a: 1}}\n"
    ) == [
        (
            "f.yaml:8:15: VirtualMachine/shop/web: spec.template.spec.domain.cpu.cores:"
            " must be an integer, not the string 'four'"
        ),
        "f.yaml:12:13: VirtualMachine/shop/web: spec.template.spec.domain.devices.disks[1].name: is required",
        "f.yaml:20:8: Secret/s: data.a: must be a string, not the number 1",
    ]


def test_documents_before_a_fault_of_syntax_are_checked_too() -> None:
    assert [line.partition(": ")[0] for line in problems(f"{MACHINE}---\na: [\n")] == [
        "f.yaml:8:15",
        "f.yaml:12:13",
        "f.yaml:15:1",
    ]


def test_kinds_of_ours_are_typed_kubernetes_kinds_checked_and_others_left_alone() -> None:
    text = f"""\
        apiVersion: kubevirt.io/v1alpha3
        kind: VirtualMachine
        metadata: {{name: web}}
        spec: {{template: {{spec: {{domain: {{devices: {{}}}}}}}}}}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: Role
        metadata: {{name: r}}
        rules: [{{apiGroups: [""], resources: [pods], verbs: [get]}}]
        ---
        {CUSTOM.replace(chr(10), chr(10) + " " * 8)}
        ---
        apiVersion: kustomize.config.k8s.io/v1beta1
        kind: Kustomization
        """
    manifests = read_manifests(textwrap.dedent(text))
    assert [type(manifest.object) for manifest in manifests] == [VirtualMachine, type(None), type(None), type(None)]
    assert [manifest.name for manifest in manifests] == ["VirtualMachine/web", "Role/r", "Thing", "Kustomization"]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("dta: {}", "3:1: Secret: dta: unknown field 'dta'; did you mean 'data'?"),
        ("data: []", "3:1: Secret: data: must be a map, not a list"),
        (
            "metadata: {ownerReferences: [{name: a, uid: b, kind: C}]}",
            "3:30: Secret: metadata.ownerReferences[0].apiVersion: is required",
        ),
    ],
)
def test_kubernetes_own_kinds_follow_its_schemas(body: str, problem: str) -> None:
    assert problems(f"apiVersion: v1\nkind: Secret\n{body}\n")[0] == f"f.yaml:{problem}"


def test_an_object_needs_a_name() -> None:
    assert problems(
        MACHINE.replace("{name: web, namespace: shop}", "{}").replace("four", "4").replace("disk: {}", "name: b")
    ) == ["f.yaml:3:1: VirtualMachine: metadata.name: is required"]


def test_lists_are_taken_apart() -> None:
    text = """\
        apiVersion: v1
        kind: List
        metadata: {resourceVersion: ""}
        items:
        - {apiVersion: example.org/v1, kind: Thing, metadata: {name: a}}
        - apiVersion: v1
          kind: List
          items:
          - {apiVersion: example.org/v1, kind: Thing, metadata: {name: b}}
        """
    manifests = read_manifests(textwrap.dedent(text))
    assert [manifest.name for manifest in manifests] == ["Thing/a", "Thing/b"]
    assert manifests[1].place("metadata.name") == (9, 58)


@pytest.mark.parametrize("depth", [4, 5, 99])
def test_lists_in_lists_are_taken_apart_however_deep(depth: int) -> None:
    manifest: Any = {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "a"}}
    for _ in range(depth):
        manifest = {"apiVersion": "v1", "kind": "List", "items": [manifest]}
    assert [manifest.name for manifest in read_manifests(json.dumps(manifest))] == ["Thing/a"]


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ("items: x", "f.yaml:3:1: List: items: must be a list, not the string 'x'"),
        ("items: {}", "f.yaml:3:1: List: items: must be a list, not a map"),
        ("metadata: {}", "f.yaml:1:1: List: items: is required"),
    ],
)
def test_a_list_has_items(items: str, problem: str) -> None:
    assert problems(f"apiVersion: v1\nkind: List\n{items}\n") == [problem]


@pytest.mark.parametrize("items", ["null", "[]"])
def test_a_list_may_have_no_item(items: str) -> None:
    assert problems(f"apiVersion: v1\nkind: List\nitems: {items}\n") == ["f.yaml:1:1: holds no manifest"]


def test_items_of_a_typed_list_take_its_kind() -> None:
    text = """\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachineList
        items:
        - metadata: {name: a}
          spec: {template: {}}
        - metadata: {name: b}
          spec: {running: 1, template: {}}
        """
    assert problems(textwrap.dedent(text)) == [
        "f.yaml:7:10: VirtualMachine/b: spec.running: must be true or false, not the number 1"
    ]


def test_json_and_streams_of_json() -> None:
    text = (
        '{"apiVersion": "a.b/v1", "kind": "A", "x": 2.0, "y": "\\ud83d\\ude00"}\n{"apiVersion": "a.b/v1", "kind": "B"}'
    )
    first, second = read_manifests(text)
    assert (first.data["x"], first.data["y"], second.name) == (2, "😀", "B")


def test_places_of_fields() -> None:
    manifest = read_manifests("# top\n" + MACHINE.replace("four", "4").replace("disk: {}", "name: b"))[0]
    assert manifest.place("spec.template.spec.domain.devices.disks[1].name") == (13, 13)
    assert manifest.place(("spec", "template", "spec", "domain", "cpu", "cores")) == (9, 15)
    assert manifest.place("spec.template.spec.domain.cpu.threads") == (9, 9)
    assert manifest.place() == (2, 1)


def test_places_of_keys_with_dots() -> None:
    manifest = read_manifests(f"{CUSTOM}metadata:\n  labels:\n    app: a\n    app.example.org/x: b\n")[0]
    assert manifest.place("metadata.labels[app.example.org/x]") == (6, 5)
    assert manifest.place("metadata.labels.app.example.org/x") == (6, 5)


texts = st.text(st.sampled_from("{}[]:,-? \n\t'\"&*!|>#%@`~ab1.<é\0\ud800"), max_size=60)


@given(st.one_of(texts, st.binary(max_size=40)))
def test_no_text_gives_anything_but_manifests_or_problems(text: str | bytes) -> None:
    try:
        problems = []
        assert read_manifests(text)
    except ManifestError as error:
        problems = [*error.problems]
    assert all(problem.line and problem.column for problem in problems)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a " + "y" * 1000 + "\nb: [" + "*a, " * 5000 + "]\n",
        "a: &a [" + "y" * 1000 + "]\nb: [" + "*a, " * 5000 + "]\n",
        "a: &a {" + "y" * 1000 + ": 1}\nb: [" + "*a, " * 5000 + "]\n",
    ],
    ids=["scalar", "in a list", "key"],
)
def test_text_that_aliases_repeat_is_counted(text: str) -> None:
    (problem,) = problems(CUSTOM + text)
    assert problem.endswith("aliases stand for more than 4194304 characters")


def test_lists_that_aliases_repeat_are_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    text = CUSTOM + "a: &a [" + "y" * 100 + "]\nb: [" + "*a, " * 10 + "]\n"
    monkeypatch.setattr(builder, "YAML_ALIASED_CHARACTERS", 1000)
    assert len(read_manifests(text)) == 1
    monkeypatch.setattr(builder, "YAML_ALIASED_CHARACTERS", 995)
    (problem,) = problems(text)
    assert problem.endswith("aliases stand for more than 995 characters")


@pytest.mark.parametrize(
    ("opening", "closing"), [("[", "]"), ("{a: ", "}"), ("- ", ""), ('{"a":', "}"), ('{"a":1.0,"b":', "}")]
)
@pytest.mark.parametrize(("before", "around"), [("", 0), ("- &x 1\n- &x 2\n- ", 1)], ids=["once", "anchors"])
def test_collections_nest_two_hundred_levels_below_a_document(
    before: str, around: int, opening: str, closing: str
) -> None:
    """Also where the text is read again, since an anchor is defined again."""
    for levels, number in ((201, 1), (202, 0)):
        inner = levels - around
        text = Text(f"{before}{opening * inner}1{closing * inner}")
        assert len(list(text.documents())) == number
        assert [problem.message for problem in text.problems] == ["is nested more than 200 levels deep"] * (1 - number)


@pytest.mark.parametrize(
    ("text", "number", "problems"),
    [
        ("[a, b, c, d]", 1, []),
        ("[a, b, c, d, e]", 0, ["<input>:1:1: holds more than 5 values"]),
        ("{a: b, c: d}", 1, []),
        ("{a: b, c: d, e: f}", 0, ["<input>:1:1: holds more than 5 values"]),
        ("[&x a, &x b, c, d]", 1, []),
        ("[&x a, &x b, c, d, e]", 0, ["<input>:1:20: holds more than 5 values"]),
        ("[a]\n---\n[b, c]", 2, []),
        ("[a]\n---\n[b, c, d, e, f]", 1, ["<input>:3:1: holds more than 5 values"]),
    ],
)
def test_values_are_counted_over_all_documents_of_a_text(
    monkeypatch: pytest.MonkeyPatch, text: str, number: int, problems: list[str]
) -> None:
    monkeypatch.setattr(syntax, "YAML_VALUES", 5)
    source = Text(text)
    assert len(list(source.documents())) == number
    assert [str(problem) for problem in source.problems] == problems


@pytest.mark.parametrize(("levels", "number"), [(200, 1), (201, 0)])
def test_aliases_nest_two_hundred_levels_deep(levels: int, number: int) -> None:
    text = Text("a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, levels)))
    assert len(list(text.documents())) == number
    assert [str(problem) for problem in text.problems] == ["<input>:1:5: is nested more than 200 levels deep"] * (
        1 - number
    )


def test_values_that_aliases_stand_for_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    text = CUSTOM + "a: &a {b: 1, c: [2]}\nd: *a\ne: {<<: *a}\n"
    monkeypatch.setattr(builder, "YAML_ALIASED_VALUES", 12)
    assert len(read_manifests(text)) == 1
    monkeypatch.setattr(builder, "YAML_ALIASED_VALUES", 11)
    assert problems(text) == ["f.yaml:3:18: aliases stand for more than 11 values"]


def test_values_of_a_document_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "YAML_VALUES", 1000)
    assert len(read_manifests(CUSTOM + "metadata: {name: a}\na: [" + "x," * 500 + "]\n")) == 1
    assert problems(CUSTOM + "a: [" + "x," * 1500 + "]\n") == ["f.yaml:3:4: holds more than 1000 values"]


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("[a:b]", ["a:b"]),
        ("{image: example.com/x:1, 'q:r': s:t, u: \"v:w\"}", {"image": "example.com/x:1", "q:r": "s:t", "u": "v:w"}),
        ("{a: http://[b]}", None),
        ('{"a":1, b: [c:d, e], "f g":h}', {"a": 1, "b": ["c:d", "e"], "f g": "h"}),
        ("- {a: b:c, d: 12:30}\n- e: !!str 1:2\n  # f:g\n", [{"a": "b:c", "d": "12:30"}, {"e": "1:2"}]),
        ("- [a:b]\n- |\n  c:d\n", [["a:b"], "c:d\n"]),
        ("[&x a:b, *x, !<tag:yaml.org,2002:str> 3]", ["a:b", "a:b", "3"]),
        ("%TAG !e! tag:yaml.org,2002:\n---\n[a:b, !e!str 3]", ["a:b", "3"]),
        ("x: 1\n---\n[\ue000a:b]", ["\ue000a:b"]),
    ],
)
def test_a_colon_within_a_word_is_part_of_it(text: str, data: object) -> None:
    source = Text(text, "f.yaml")
    documents = [document for _, document in source.documents()]
    assert (documents[-1] if documents else None) == data
    assert bool(source.problems) == (data is None)


def test_places_behind_a_colon_within_a_word_are_true() -> None:
    assert Text("a: {b: c:d, e:\n  f:g:h, i: 1}").place(0, "a.i") == (2, 10)


@pytest.mark.parametrize("kind", ["K" * 300, "K" * 100_000])
def test_a_kind_of_any_length_is_somebodys_own(kind: str) -> None:
    (manifest,) = read_manifests(f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: x}}\n")
    assert manifest.data["kind"] == kind


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n",
        '{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}',
        "{apiVersion: v1, kind: Secret, metadata: {name: a}}",
    ],
    ids=["block", "JSON", "flow"],
)
def test_a_manifest_knows_how_long_the_text_is_that_it_stands_in(text: str) -> None:
    (manifest,) = read_manifests(text)
    manifest.place("metadata.name")
    assert manifest.size == len(text)


@pytest.mark.parametrize(
    ("manifest", "messages"),
    [
        ("kind: Node\nmetadata: {name: a}\nstatus: []\n", ["4:1: Node/a: status: must be a map, not a list"]),
        ("kind: Node\nmetadata: {name: a, x: 1}\n", ["3:21: Node/a: metadata.x: unknown field 'x'"]),
        (
            "kind: Node\nmetadata: {name: a}\nspec: {taints: [{}], x: 1}\n",
            [
                "4:17: Node/a: spec.taints[0].effect: is required",
                "4:17: Node/a: spec.taints[0].key: is required",
            ],
        ),
        ("kind: Node\nmetadata: [a]\n", ["3:1: Node: metadata: must be a map, not a list"]),
        (
            "kind: X\nmetadata: {generateName: 1, namespace: [a], name: 2}\n",
            [
                "3:12: X: metadata.generateName: must be a string, not the number 1",
                "3:29: X: metadata.namespace: must be a string, not a list",
                "3:45: X: metadata.name: must be a string, not the number 2",
            ],
        ),
        (
            "kind: PersistentVolumeClaim\nmetadata: {name: a}\nspec: 1\n",
            ["4:1: PersistentVolumeClaim/a: spec: must be a map, not the number 1"],
        ),
        ("kind: PersistentVolumeClaim\nspec: {}\n", ["1:1: PersistentVolumeClaim: metadata.name: is required"]),
    ],
)
def test_what_is_wrong_with_objects_that_vms_meet_is_told(manifest: str, messages: list[str]) -> None:
    assert problems(f"apiVersion: v1\n{manifest}") == [f"f.yaml:{message}" for message in messages]


def test_what_is_newer_in_objects_that_others_write_is_left_out() -> None:
    text = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\nspec: {volumeName: b, newer: 1}\n"
    (claim,) = read_manifests(text)
    assert isinstance(claim.object, PersistentVolumeClaim)
    assert claim.object.spec == PersistentVolumeClaimSpec(volume_name="b")


def test_a_vm_may_have_its_name_generated() -> None:
    text = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {generateName: a-}\nspec: {template: {}}\n"
    assert [type(manifest.object) for manifest in read_manifests(text)] == [VirtualMachine]
