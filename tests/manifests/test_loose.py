"""Text as virtctl's decoder reads it."""

import pytest

from virtcatalog.errors import ManifestError
from virtcatalog.manifests.loose import LooseText


def read(text):
    return [(reading.data, reading.of_yaml) for reading in LooseText(text, "t.yaml").readings()]


def data(text):
    return read(text)[-1][0]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("a: 1\n---\nb: 2\n", {"a": 1}),
        ("---\na: 1\n---\nb: 2\n", {"a": 1}),
        ("# only this\n---\nb: 2\n", None),
        ("---\n---\nb: 2\n", None),
        ("--- # comment\na: 1\n", {"a": 1}),
        ("a: |\n  x\n--- \nb: 2\n", {"a": "x\n"}),
        ("a: 1\r\n---\r\nb: 2\r\n", {"a": 1}),
    ],
)
def test_only_the_first_document_is_read(text, first):
    assert data(text) == first


@pytest.mark.parametrize("text", ["---\n--- {b: 2}\n", "--- # comment\na: 1\n--- # b\n"])
def test_what_stands_behind_a_separator_counts_unless_it_is_a_comment(text):
    if "#" in text:
        assert data(text) == {"a": 1}
    else:
        with pytest.raises(ManifestError) as caught:
            read(text)
        assert str(caught.value) == "t.yaml:2:1: after --- stands '{b: 2}': put it on a line of its own"


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ('{"a": NaN}', [({"a": "NaN"}, True)]),
        ('{"a": 1', None),
        ('{"a": 1,}', [({"a": 1}, True)]),
        ('[{"a": 1.0}]', [([{"a": 1.0}], True)]),
        ('{"a": 1}\n--- b\n', None),
    ],
)
def test_what_is_no_json_is_read_as_yaml(text, readings):
    if readings is None:
        with pytest.raises(ManifestError):
            read(text)
    else:
        assert read(text) == readings


def test_json_that_is_nested_too_deep_is_told():
    with pytest.raises(ManifestError) as caught:
        next(LooseText('{"a":' * 202 + "1" + "}" * 202, "t.json").readings())
    assert str(caught.value) == "t.json:1:1: is nested more than 200 levels deep"


def test_json_is_read_as_json_first():
    assert next(LooseText('{"a": 1}{"b": ', "t.json").readings()) == ({"a": 1}, False)
    assert read('\n  {"a": 1.0}') == [({"a": 1.0}, False), ({"a": 1.0}, True)]
    assert read("{a: 1}") == [({"a": 1}, True)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("16777217.0", 16777217.0),
        ("5.0", 5.0),
        ("1e3", 1000.0),
        ("18446744073709551615", 2**64 - 1),
        ("18446744073709551616", 2.0**64),
        ("+9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("0b11", 3),
        ("0o17", 15),
        ("-0X1f", -31),
        ("~", None),
        (".inf", float("inf")),
        ("!!float 5", 5.0),
        ("!!bool yes", True),
        ("!!null ~", None),
        ("!!int 010", 8),
        ("!!binary |\n  aGVs\n  bG8=", "hello"),
        ("!!set [a]", ["a"]),
        ("'5'", "5"),
        ("!!timestamp 2024-01-01", "2024-01-01"),
        ("+9223372036854775808", 2.0**63),
        ("5", 5),
        ("0x1F", 31),
        ("010", 8),
        ("1_000", 1000),
        ("0777", 511),
        ("0199999", 199999.0),
        ("yes", True),
        ("2024-01-01", "2024-01-01"),
        ("!foo 5", "5"),
        ("!!str 5", "5"),
        ("!!binary aGVsbG8=", "hello"),
        ("!foo {a: b}", {"a": "b"}),
    ],
)
def test_scalars_keep_whether_they_are_floats(text, value):
    read_value = data(f"a: {text}\n")["a"]
    assert (type(read_value), read_value) == (type(value), value)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        *((".inf", ".inf"), ("-.inf", "-.inf"), (".nan", ".nan"), ("'1.0'", "1.0"), ("!foo 1", "1"), ("no", "false")),
        ("5", "5"),
        ("true", "true"),
        ("3.14159265358979", "3.1415927"),
        ("1e6", "1e+06"),
    ],
)
def test_keys_are_texts(key, text):
    assert data(f"{key}: x\n") == {text: "x"}


def test_the_last_of_two_keys_counts_and_both_are_told():
    text = LooseText("a: 1\nb: {c: 1, c: 2}\na: 3\n", "t.yaml")
    assert next(text.readings()).data == {"a": 3, "b": {"c": 2}}
    assert [str(problem) for problem in text.repeated] == [
        "t.yaml:2:11: the key 'c' is here twice, first in line 2: this one counts",
        "t.yaml:3:1: the key 'a' is here twice, first in line 1: this one counts",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.yaml: is empty: there is nothing to read"),
        (f"a: 1\n--- {'b' * 80}\n", f"t.yaml:2:1: after --- stands '{'b' * 60}': put it on a line of its own"),
        ("a: 1\n--- b: 2\n", "t.yaml:2:1: after --- stands 'b: 2': put it on a line of its own"),
        ("? ~\n: x\n", "a key must be a string, not null"),
        ("a: !!binary '%'\n", "t.yaml:1:4: is not base64 of a text, as the tag !!binary says"),
        (b"\xff", "is not UTF-8 text"),
    ],
)
def test_what_cannot_be_read_has_a_place(text, message, snapshot):
    with pytest.raises(ManifestError) as error:
        read(text)
    assert message in str(error.value)
    assert str(error.value) == snapshot


def test_a_fault_is_placed_by_its_path():
    text = LooseText("a:\n  b: 1\n", "t.yaml")
    assert str(text.at_path(("a", "b"), "no")) == "t.yaml:2:3: a.b: no"
    assert str(text.at_field("a", "no", at="a.b")) == "t.yaml:2:3: a: no"
