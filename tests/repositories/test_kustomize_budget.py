"""What a kustomize tree may ask for: a few words that name each object, or each other, again and again."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import thorough
from virtcatalog.errors import ManifestError, VirtcatalogError
from virtcatalog.limits import KUSTOMIZE_WORK
from virtcatalog.manifests.folder import held
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.build import build
from virtcatalog.repositories.kustomize.files import Reading
from virtcatalog.repositories.kustomize.pattern import Pattern, PatternError
from virtcatalog.repositories.kustomize.selectors import Selector, SelectorError

ONE = "{apiVersion: v1, kind: A, metadata: {name: a}, spec: {}}\n"
MANY = "".join(f"---\n{{kind: A, metadata: {{name: s{number}}}}}\n" for number in range(1200))
WIDE = "{kind: A, metadata: {name: a}, spec: {" + ", ".join(f"k{number}: 1" for number in range(5000)) + "}}\n"


def built(kustomization, objects=ONE, work=KUSTOMIZE_WORK, **others):
    files = {"kustomization.yaml": f"resources: [objects]\n{kustomization}\n", "objects": objects, **others}
    objects, unrendered, problems = build(
        held({path: text.encode() for path, text in files.items()}), "x", reading=Reading(work)
    )
    assert not unrendered
    if problems:
        raise ManifestError(*problems)
    return [resource.data for resource in objects]


def operations(*listed):
    return {"kustomization": "patches: [{target: {}, path: p}]", "p": json.dumps(listed)}


def times(count, text):
    return ", ".join([text] * count)


TREES = {
    "copies": operations(
        {"op": "add", "path": "/spec/a", "value": []},
        *[{"op": "copy", "from": "/spec/a", "path": "/spec/a/-"}] * 40,
    ),
    "files": {"kustomization": f"bases: [{times(12_000, 'objects')}]", "objects": MANY},
    "patches": {
        "kustomization": "patches: ["
        + times(1000, "{patch: '{kind: A, metadata: {name: a}}', target: {name: 's.*x'}}")
        + "]",
        "objects": MANY,
    },
    "merges": {
        "kustomization": "patches: ["
        + times(1000, "{patch: '{kind: A, metadata: {name: a}, spec: {a: 1}}', target: {}}")
        + "]",
        "objects": WIDE,
    },
    "names": {
        "kustomization": "patchesStrategicMerge: [" + times(1000, "'{kind: A, metadata: {name: s1}}'") + "]",
        "objects": MANY,
    },
    "labels": {"kustomization": "commonLabels: {" + ", ".join(f"k{i}: x" for i in range(4000)) + "}", "objects": MANY},
    "prefixes": {"kustomization": f"namePrefix: {'x' * 60_000}", "objects": MANY},
    "images": {"kustomization": f"images: [{times(1000, '{name: a, newTag: b}')}]", "objects": MANY},
    "replacements": {
        "kustomization": "replacements: ["
        + times(1000, "{sourceValue: x, targets: [{select: {kind: A}, fieldPaths: [metadata.name]}]}")
        + "]",
        "objects": MANY,
    },
    "generators": {
        "kustomization": f"configMapGenerator: [{times(20_000, '{name: a, files: [objects]}')}]",
        "objects": MANY,
    },
    "selectors": {
        "kustomization": f"labels: [{times(1000, '{pairs: {a: b}, includeSelectors: true}')}]",
        "objects": MANY,
    },
    "components": {
        "kustomization": "components: [" + times(5000, "c") + "]",
        "objects": MANY,
        "c/kustomization.yaml": "kind: Component\n",
    },
}


@pytest.mark.parametrize("name", TREES)
def test_what_is_asked_for_again_and_again_counts(name):
    with pytest.raises(VirtcatalogError, match="asks for more work than one may"):
        built(**TREES[name], work=KUSTOMIZE_WORK // 10)  # the whole takes a second


@pytest.mark.parametrize("extensions", [{}, {"x-kubernetes-annotation": ""}])
def test_definitions_that_others_refer_to_count_each_time(extensions):
    references = [{name: {"$ref": f"x.L{level}", **extensions} for name in ("a", "b")} for level in range(1, 21)]
    schema = {f"x.L{level}": {"properties": properties} for level, properties in enumerate(references)}
    schema["x.A"] = {"properties": {"kind": {}, "apiVersion": {}, "metadata": {}, "spec": {"$ref": "x.L0"}}}
    with pytest.raises(VirtcatalogError, match="asks for more work than one may"):
        built("crds: [c.json]", work=KUSTOMIZE_WORK // 10, **{"c.json": json.dumps(schema)})


def test_a_file_that_is_named_twice_is_there_once():
    with pytest.raises(ManifestError, match=r"bases\[1\]: has A/a, which is there already"):
        built("bases: [objects, objects]")


@pytest.mark.parametrize("op", ["copy", "move"])
def test_operations_nest_no_deeper_than_what_is_read(op):
    additions = [{"op": "add", "path": f"/spec/a{number}", "value": {}} for number in range(300)]
    into = [{"op": op, "from": f"/spec/a{number}", "path": f"/spec/a{number + 1}/x"} for number in range(299)]
    with pytest.raises(VirtcatalogError, match="a patch makes more than 200 levels of maps and lists"):
        built(**operations(*additions, *into))


def test_patterns_are_matched_without_trying_again():
    name = "a" * 60
    patch = "{kind: A, metadata: {name: a}, spec: {b: 1}}"
    target = f"patches: [{{patch: '{patch}', target: {{name: '{'a?' * 60}{name}'}}}}]"
    (manifest,) = built(target, ONE.replace("name: a", f"name: {name}"))
    assert manifest["spec"] == {"b": 1}


@thorough
def test_a_long_name_with_a_long_pattern_counts():
    target = f"patches: [{{patch: '{{kind: A, metadata: {{name: a}}}}', target: {{name: '{'(a|a?)*' * 18}'}}}}]"
    with pytest.raises(VirtcatalogError, match="asks for more work than one may"):
        built(target, ONE.replace("name: a", f"name: {'a' * 60_000}"))


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        ("a{2}", "has {, which is not supported there"),
        ("(?i)a", "has (?, which is not supported"),
        ("a**", "repeats a repetition"),
        ("*a", "has *, which is not supported there"),
        ("(a", "has a ( without its )"),
        ("a)", "has a ) without its ("),
        ("[a", "ends too early"),
        ("[b-a]", "has the range b-a"),
        ("[[:alpha:]]", "has [: in brackets, which is not supported"),
        (r"\b", r"has \b, which is not supported"),
        ("(a)" * 3 + "(" * 21 + ")" * 21, "has more than 20 parentheses within each other"),
        ("a" * 301, "is longer than 300 characters"),
    ],
)
def test_patterns_that_are_not_supported(pattern, what):
    with pytest.raises(PatternError) as caught:
        Pattern(pattern, lambda _: None)
    assert str(caught.value) == f"the pattern {pattern[:80]!r} {what}"


@pytest.mark.parametrize(
    "selector", ["a,", ",a", "a,,b", "-a=b", "a=-b", "a=b c", "a in (b-)", "a/b/c", "!a=b", "\u00e9", "a>1"]
)
@pytest.mark.parametrize("of", ["labelSelector", "annotationSelector"])
def test_selectors_that_kubernetes_does_not_take_and_of_numbers(selector, of):
    with pytest.raises(SelectorError) as caught:
        Selector({of: selector}, Budget())
    assert str(caught.value) == f"the selector {selector!r} is not supported"


@pytest.mark.parametrize(
    ("pattern", "values", "others"),
    [
        ("small|linux", ["small", "linux"], ["smalllinux", "xsmall", "small\n"]),
        ("VirtualMachine.*", ["VirtualMachine", "VirtualMachinePool"], ["MyVirtualMachine"]),
        (r"a\.b", ["a.b"], ["axb"]),
        ("[a-c]+[^-x]", ["abcd", "a."], ["ax", "a-", "a"]),
        ("^(web|db)-?[0-9]*$", ["web", "db-1", "db12"], ["web-x", "dbb"]),
        ("a.b", ["axb", "a\rb"], ["ab", "a\nb", "axxb"]),
        ("(ab)*c??", ["", "abab", "abc"], ["aba", "cc"]),
        ("(a)" * 3 + "(" * 20 + "b" + ")" * 20, ["aaab"], ["aaa"]),
    ],
)
def test_patterns_match_whole_values(pattern, values, others):
    read = Pattern(pattern, lambda _: None)
    assert [value for value in (*values, *others) if read.matches(value)] == values


@given(st.text("ab.|*+?()[^-$]", max_size=12), st.lists(st.text("ab-[", max_size=6)))
def test_patterns_match_what_those_of_the_standard_library_match(pattern, values):
    try:
        ours, theirs = Pattern(pattern, lambda _: None), re.compile(pattern)
    except (PatternError, re.error):  # what either refuses beside what is wrong: \d here, a** and ^* there
        return
    assert [ours.matches(value) for value in values] == [theirs.fullmatch(value) is not None for value in values]
