"""Entries put into the text of a document."""

from textwrap import dedent

import pytest

from virtcatalog.manifests.edits import UnwritableError, with_entry


def put(text, path=("sizes",), name="large", value=None):
    return with_entry(dedent(text), path, name, {"vcpus": 4} if value is None else value)


def test_an_entry_goes_behind_the_last_one_and_comments_stay_where_they_are():
    assert put("""\
        # the class
        sizes:
          # the first
          small: {vcpus: 1}  # one
          medium:
            vcpus: 2  # two
          # the end
        name: x
    """) == dedent("""\
        # the class
        sizes:
          # the first
          small: {vcpus: 1}  # one
          medium:
            vcpus: 2  # two
          large: {vcpus: 4}
          # the end
        name: x
    """)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("sizes: {small: {vcpus: 1}}\n", "sizes: {small: {vcpus: 1}, large: {vcpus: 4}}\n"),
        ('{"sizes": {"small": {}}}', '{"sizes": {"small": {}, "large": {"vcpus": 4}}}'),
        ("sizes: {}\n", "sizes: {large: {vcpus: 4}}\n"),
        ("sizes:\nname: x\n", "sizes: {large: {vcpus: 4}}\nname: x\n"),
        ("sizes:  # none\n", "sizes: {large: {vcpus: 4}}  # none\n"),
        ("name: x\n", "name: x\nsizes: {large: {vcpus: 4}}\n"),
        ("sizes:\n  small: |-\n    a\n\nname: x\n", "sizes:\n  small: |-\n    a\n  large: {vcpus: 4}\n\nname: x\n"),
        ("sizes:\n  small: 1", "sizes:\n  small: 1\n  large: {vcpus: 4}\n"),
        ("sizes:\r\n  small: 1\r\n", "sizes:\r\n  small: 1\r\n  large: {vcpus: 4}\r\n"),
        ("sizes:\n  small:\n", "sizes:\n  small:\n  large: {vcpus: 4}\n"),
        ("---\nsizes:\n  small: 1\n...\n", "---\nsizes:\n  small: 1\n  large: {vcpus: 4}\n...\n"),
    ],
)
def test_every_style_is_kept(text, made):
    assert with_entry(text, ("sizes",), "large", {"vcpus": 4}) == made


def test_the_path_may_be_long_or_empty():
    assert put("a: {b: {c: {}}}\n", path=("a", "b")) == "a: {b: {c: {}, large: {vcpus: 4}}}\n"
    assert put("a: {x: 1}\n", path=("a", "b")) == "a: {x: 1, b: {large: {vcpus: 4}}}\n"
    assert put("a: 1\n", path=()) == "a: 1\nlarge: {vcpus: 4}\n"


def test_what_is_too_wide_is_a_block():
    value = {"spec": {"annotations": {"a": "x" * 100}}, "memory": "4Gi"}
    assert put("sizes:\n  small: 1\n", value=value).splitlines()[2:] == [
        "  large:",
        "    spec:",
        "      annotations:",
        f"        a: {'x' * 100}",
        "    memory: 4Gi",
    ]


def test_texts_are_quoted_where_they_would_be_something_else():
    value = {"a": "4Gi", "b": "1e3", "c": "yes", "d": "a, b", "e": "", "f": [1, True, None], "g": "0x1F"}
    made = put("sizes: {}\n", value=value)
    assert made == 'sizes: {large: {a: 4Gi, b: "1e3", c: "yes", d: "a, b", e: "", f: [1, true, null], g: "0x1F"}}\n'


@pytest.mark.parametrize("text", ["sizes: [a]\n", "sizes: text\n", "- sizes\n", "x: &x {a: 1}\nsizes: *x\n"])
def test_what_is_no_map_of_its_own_is_left_alone(text):
    with pytest.raises(UnwritableError):
        put(text)
