"""Manifests as YAML text: the same as PyYAML writes, and read back as they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from virtcatalog.manifests.document import Text
from virtcatalog.manifests.emit import _dump, dump

TEXTS = """\
a|a b|a: b|a:|a #b|#a|- a|-|?|y|No|ON|null|~|1|1.5|1e3|0x1f|017|12:30|2027-06-01|=|<<|*a|&a|!a|%a|@a|`a|'a'|"a"|a'b|{a}
a, b|[a]|---|...|é|{{ a }}|.inf|a.b-c_d|None|kubevirt.io/v1|1_000""".replace("\n", "|").split("|")
WORDS = st.sampled_from([*TEXTS, "", " ", "a ", " a", "a\nb", "a\n", "\t", "a\tb", "x" * 130])
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    WORDS,
    st.text(max_size=8),
)
DATA = st.recursive(
    LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=3))
)


@given(st.one_of(st.dictionaries(WORDS, DATA), st.lists(DATA)))
def test_it_is_what_pyyaml_writes(data):
    assert dump(data) == _dump(data)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"a": {"b": {}}, "c": []}, "a:\n  b: {}\nc: []\n"),
        ({"a": [{"b": 1, "c": [2]}, [3, [4]]]}, "a:\n- b: 1\n  c:\n  - 2\n- - 3\n  - - 4\n"),
        ({"on": "yes", "n": "1", "t": True}, "'on': 'yes'\n'n': '1'\nt: true\n"),
        ({"a": "x\ny\n"}, "a: |\n  x\n  y\n"),
    ],
)
def test_style(data, text):
    assert dump(data) == text
    assert [each for _, each in Text(text).documents()] == [data]
