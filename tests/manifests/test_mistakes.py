"""What is said of a text that is not YAML, at the place where it is to be mended."""

from __future__ import annotations

import importlib.util
import sys

import pytest
from syrupy.assertion import SnapshotAssertion

from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests import syntax
from virtcatalog.manifests.document import Text

TEXTS = {
    "a bracket": "a: [1, 2\nb: 3\n",
    "a bracket in the last line": "a: [1, 2",
    "a brace": "a: {b: 1\nc: 2\n",
    "a quote": 'a: "b\nc: d\n',
    "an apostrophe": "a: 'b\nc: d\n",
    "a comma within a list": "a: [1 {b: 2}]\n",
    "a comma between lines of JSON": '{\n "a": 1\n "b": 2\n}\n',
    "JSON that ends early": '{\n "a": [1,\n',
    "no colon": "a: 1\nb\nc: 2\n",
    "a key without a colon above another": "a\nb: 1\n",
    "two colons": "a: b: c\n",
    "two colons behind a word": "a: text with b: c\n",
    "too far right": "a: 1\n  b: 2\n",
    "too far right below a word": "a\n  b: 2\n",
    "fits no map": "a:\n    b: 1\n  c: 2\n",
    "quoted text and more": 'a: "b" c\n',
    "a bracket and more": "a: [b] c\n",
    "a value is wanted": "a: ]\n",
    "a value is wanted at the end": "a: [b, ",
    "an at sign": "a: @b\n",
    "a backtick": "a: `b`\n",
    "a percent sign": "a: %b\n",
    "an unknown escape": 'a: "\\d"\n',
    "an alias without an anchor": "a: *b\n",
    "an asterisk": "a: *.example.org\n",
    "an asterisk and a name": "a: [b, *c.d]\n",
    "an ampersand": "a: & b\n",
    "an unclosed bracket in later lines": "a:\n  b: [1,\n  2\nc: 3\n",
    "a no-break space": "a: 1\n\u00a0b: c: d\n",
    "a low quote": "- \u201ea: b: c\n",
    "a colon at the start": "a: 1\n: b: c\n",
    "a tag without an end": "a: !<b\n",
    "a list behind its key": "a: - b\n",
    "an item without a dash": "a:\n- b\nc\n- d\n",
    "an item further left": "a:\n  - b\n - c\n",
    "further left than the first": "  a: 1\nb: 2\n",
    "a directive without a start": "%YAML 1.1\na: 1\n",
    "further left, below a directive and its start": "%YAML 1.1\n---\n  a: 1\nb: 2\n",
    "behind a document's end": "a: 1\n...\nb: [\n",
    "a tab": "a:\n\tb: 1\n",
    "a tab within": "a: 1\n  \tb: 1\n",
    "curled quotes": "a: \u201cb: c\u201d\n",
    "a conflict": "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> topic\n",
    "a key twice": "a: 1\nb: 2\na: 3\n",
    "a merge of a word": "a: 1\n<<: b\n",
    "a tag that does not fit": "a: !!int b\n",
    "infinity": "a: .inf\n",
    "a key that is null": "~: 1\n",
    "a key that is a list": "[a]: 1\n",
    "braces of a template": "a: {{ b }}\n",
    "itself": "a: &a [*a]\n",
    "an alias without an anchor, behind one that is defined again": "a: &x 1\nb: &x 2\nc: *y\n",
    "a key that is a map": "{a: 1}: 1\n",
    "a key that is a map in a block": "? a: 1\n: 2\n",
    "a conflict's middle": "a: 1\n=======\nb: 2\n",
    "a conflict's end": "a: 1\n>>>>>>> topic\n",
    "single curled quotes": "a: \u2018b: c\u2019\n",
    "guillemets": "a:  \u00abb: c\u00bb\n",
    "a float": "a: !!float b\n",
    "a word where a tag says that there is a number": "a: !!float yes\nb: !!int no\n",
    "an integer that only looks like an octal one": "a: !!int 019\n",
    "bytes that are no text": "a: !!binary /w==\nb: !!binary a b=\n",
    "a time with a tag": "a: !!timestamp 2027-02-29\nb: !!timestamp 2027-2-28\n",
    "an escaped slash": 'a: ["\\/", "\\\\/", \'\\/\']\n',
    "keys that merge": "a: {<<: {b: 1}, <<: {c: 2}}\n",
    "a key beyond 64 bits": "18446744073709551615: a\n",
    "a whole float": "a: !!float 1\nb: !!int 1.5\n",
    "not a number": "a: .NaN\n",
    "a null with a tag": "a: !!null b\nc: !!null ~\n",
    "a bool with a tag": "a: !!bool 1\nc: !!bool yes\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_mistake_is_told_where_it_is_to_be_mended(text: str, snapshot: SnapshotAssertion) -> None:
    read = Text(text)
    list(read.documents())
    assert [f"{problem.line}:{problem.column}: {problem.message}" for problem in read.problems] == snapshot


@pytest.mark.parametrize(
    "last", ["b: [&x 2, &x 3, *x]\n", "b: [c:d]\n", "b: [c:d, &x 2, &x 3, *x]\n"], ids=["anchors", "colons", "both"]
)
def test_documents_before_one_that_is_read_another_way_are_there_once(last: str) -> None:
    read = Text(f"a: &x 1\n---\na: 2\n---\n{last}")
    documents = [data for _, data in read.documents()]
    assert (documents[:2], len(documents), read.problems) == ([{"a": 1}, {"a": 2}], 3, [])


def test_without_the_c_parser_nothing_is_read_and_what_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ruamel.yaml.cyaml", None)
    spec = importlib.util.spec_from_file_location("syntax_without_clib", syntax.__file__)
    assert spec is not None
    assert spec.loader is not None
    with pytest.raises(VirtcatalogError) as refused:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    assert str(refused.value) == (
        "YAML cannot be read: import of ruamel.yaml.cyaml halted; None in sys.modules; "
        "install ruamel.yaml and ruamel.yaml.clib"
    )
