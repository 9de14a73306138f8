"""Manifests as YAML text: one spelling, and read back as they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from virtcatalog.manifests.document import Text
from virtcatalog.manifests.emit import _dump, dump, flow, join
from virtcatalog.manifests.scalars import json_number

TEXTS = """\
a|a b|a: b|a:|a #b|#a|- a|-|?|y|No|ON|null|~|1|1.5|1e3|0x1f|017|12:30|2027-06-01|=|<<|*a|&a|!a|%a|@a|`a|'a'|"a"|a'b|{a}
a, b|[a]|---|...|é|{{ a }}|.inf|a.b-c_d|None|kubevirt.io/v1|1_000""".replace("\n", "|").split("|")
WORDS = st.sampled_from([*TEXTS, "", " ", "a ", " a", "a\nb", "a\n", "\t", "a\tb", "x" * 130])
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),  # of others, YAML has the nearest float
    st.floats(allow_nan=False, allow_infinity=False),
    WORDS,
    st.text(max_size=8),
)
DATA = st.recursive(
    LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=3))
)


@given(st.one_of(st.dictionaries(WORDS, DATA), st.lists(DATA)))
def test_what_is_written_quickly_is_what_the_library_writes(data):
    assert dump(data) == _dump(data)


@given(st.one_of(st.dictionaries(WORDS, DATA), st.lists(DATA)))
def test_it_is_read_back_as_it_was(data):
    source = Text(f"# \n{dump(data)}")
    assert (source.problems, [document for _, document in source.documents()]) == ([], [_as_json(data)])


def _as_json(data):
    """The data with whole floats as integers: JSON has one kind of number."""
    if isinstance(data, dict):
        return {key: _as_json(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_as_json(value) for value in data]
    return json_number(data)


AMBIGUOUS = """\
on y No null ~ 1 -7 0 017 09_ 0b1_ 0b_ 0x_f 1_000 12:30 1:2:3 190:20:30.15 1.5 1_0. 1.e+5 .5 .5_0 .5e-3 0x1F +12 1e3
.inf .NaN 0o-6 2027-06-01 2027-6-1 2027-6-1T1:2:3 2027-06-01T10:00:00Z 2027-06-01t10:00:00.5-01:30 = <<"""
CLEAR = "1:60 12:3x 2027-6-1x 027-06-01 1.2.3 0b2 v1 0o8 ._5 1.5e5x == < tRue nULL x=1 a:b"


@pytest.mark.parametrize("word", AMBIGUOUS.split())
def test_what_a_reader_may_take_for_something_else_is_quoted(word):
    assert dump({"a": word, "b": f"{word}\n"}) == f"a: '{word}'\nb: |\n  {word}\n"


@pytest.mark.parametrize("end", ["\x85", "\u2028", "\u2029"])
def test_what_ends_a_line_to_some_readers_alone_is_escaped(end):
    escape = {"\x85": "\\N", "\u2028": "\\L", "\u2029": "\\P"}[end]
    assert dump({"a": f"c{end}d\n"}) == f'a: "c{escape}d\\n"\n'
    assert flow({f"a{end}b": 1}) == f'{{"a\\u{ord(end):04x}b": 1}}'


def test_a_text_of_one_line_stands_on_one_however_long_it_is():
    text = f"{'x ' * 2**19}x x x:"
    assert dump({"a": {"b": text}}) == f"a:\n  b: '{text}'\n"


@pytest.mark.parametrize("word", CLEAR.split())
def test_other_words_are_bare(word):
    assert dump({"a": word}) == f"a: {word}\n"


def test_numbers_are_written_as_every_reader_takes_them():
    assert dump([1e100, 1.5e-7, 2.5, -0.1, None]) == "- 1.0e+100\n- 1.5e-07\n- 2.5\n- -0.1\n- null\n"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"a": {"b": {}}, "c": []}, "a:\n  b: {}\nc: []\n"),
        ({"a": [{"b": 1, "c": [2]}, [3, [4]]]}, "a:\n- b: 1\n  c:\n  - 2\n- - 3\n  - - 4\n"),
        ({"on": "yes", "n": "1", "t": True}, "'on': 'yes'\n'n': '1'\nt: true\n"),
        ({"a": "x\ny\n"}, "a: |\n  x\n  y\n"),
        ({"a": "::error::x"}, 'a: "::error::x"\n'),
        ({"a": "x\n::error::y\n"}, 'a: "x\\n::error::y\\n"\n'),
        ({"a": "##[x] y", "b": "z"}, 'a: "\\x23#[x] y"\nb: z\n'),
        ({"k" * 100: "x" * 100, "k" * 101: "x" * 101}, f"{'k' * 100}: {'x' * 100}\n{'k' * 101}: {'x' * 101}\n"),
        ({"k\nl": 1, "m": 2}, "? |-\n  k\n  l\n: 1\nm: 2\n"),
        ({"a": "x\ty", "b": "x \ny"}, 'a: "x\\ty"\nb: "x \\ny"\n'),
        ({"a": "x\n\n", "b": "\nx"}, "a: |+\n  x\n\nb: |2-\n\n  x\n"),
        ({"a": {"b": "x\n\ny"}, "c": ["x\n  y\n"]}, "a:\n  b: |-\n    x\n\n    y\nc:\n- |\n  x\n    y\n"),
        ({"a": ["", None, False, {}, [], -1, "no"]}, "a:\n- ''\n- null\n- false\n- {}\n- []\n- -1\n- 'no'\n"),
        (
            {"a": "[x", "b": "\xe4", "c": " x", "d": "x: z", "e": "x #z"},
            ("a: '[x'\nb: \xe4\nc: ' x'\nd: 'x: z'\ne: 'x #z'\n"),
        ),
        ({"a": "True", "b": "oFF", "c": "nonE", "d": "None"}, "a: 'True'\nb: oFF\nc: nonE\nd: None\n"),
        ({}, "{}\n"),
        ([], "[]\n"),
    ],
)
def test_style(data, text):
    assert dump(data) == text
    assert [document for _, document in Text(text).documents()] == [data]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            {"a": [1, None, True, 2.5, 1e100], "b c": {}, "on": []},
            '{a: [1, null, true, 2.5, 1.0e+100], b c: {}, "on": []}',
        ),
        *((text, text) for text in ("x", "x y", "a (b) c", "a/b-c_d.e", "4Gi", "1.2.3", "a b.")),
        *((text, f'"{text}"') for text in ("yes", "NULL", "1", "12:30", ".5", "a,b", "a: b", "", "(a", "a ", "\xe4")),
        ('a"b\n', '"a\\"b\\n"'),
    ],
)
def test_values_on_one_line(value, text):
    assert flow(value) == text
    assert [document for _, document in Text(f"a: {text}").documents()] == [{"a": value}]


def test_documents_are_joined_by_a_line():
    assert join(["a\n", "b\n"]) == "a\n---\nb\n"
