"""Entries put into the text of a document."""

from textwrap import dedent

import pytest

from virtcatalog.manifests.document import Text
from virtcatalog.manifests.edits import Edit, Editor, UnwritableError, with_entry
from virtcatalog.manifests.syntax import compose


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


def taken_out(text, new):
    """The text once it is changed into other data."""
    (node,), ((_, old),) = compose(text), Text(text).documents()
    editor = Editor(text)
    editor.change(node, old, new)
    return editor.apply()


ITEM = "list:\n- a: 1\n  # of b\n  b: 2\n  c: 3\n  d: 4\n- e\n"


@pytest.mark.parametrize(
    ("left", "made"),
    [
        ("bcd", "list:\n# of b\n- b: 2\n  c: 3\n  d: 4\n- e\n"),
        ("cd", "list:\n- c: 3\n  d: 4\n- e\n"),
        ("d", "list:\n- d: 4\n- e\n"),
        ("bd", "list:\n# of b\n- b: 2\n  d: 4\n- e\n"),
        ("acd", "list:\n- a: 1\n  # of b\n  c: 3\n  d: 4\n- e\n"),
        ("ad", "list:\n- a: 1\n  # of b\n  d: 4\n- e\n"),
        ("abc", "list:\n- a: 1\n  # of b\n  b: 2\n  c: 3\n- e\n"),
    ],
)
def test_entries_of_an_item_go_and_the_first_that_stays_is_behind_its_dash(left, made):
    numbers = {"a": 1, "b": 2, "c": 3, "d": 4}
    assert taken_out(ITEM, {"list": [{name: numbers[name] for name in left}, "e"]}) == made


@pytest.mark.parametrize(
    ("left", "made"),
    [
        ("bc", "x: {b: 2, c: 3}  # y\n"),
        ("ac", "x: {a: 1, c: 3}  # y\n"),
        ("ab", "x: {a: 1, b: 2}  # y\n"),
        ("a", "x: {a: 1}  # y\n"),
        ("b", "x: {b: 2}  # y\n"),
        ("c", "x: {c: 3}  # y\n"),
        ("", "x: {}  # y\n"),
    ],
)
def test_entries_on_one_line_go_with_their_commas(left, made):
    numbers = {"a": 1, "b": 2, "c": 3}
    assert taken_out("x: {a: 1, b: 2, c: 3}  # y\n", {"x": {name: numbers[name] for name in left}}) == made


@pytest.mark.parametrize(
    ("text", "new", "why"),
    [
        ("a: 1\n", {"a": 2}, "a value would have to change"),
        (
            "a: &x {b: 1, c: 2}\nd: *x\n",
            {"a": {"b": 1, "c": 2}, "d": {"b": 1}},
            "d is an alias of what stands elsewhere",
        ),
    ],
)
def test_what_cannot_be_written_is_told(text, new, why):
    with pytest.raises(UnwritableError) as caught:
        taken_out(text, new)
    assert str(caught.value) == why


def test_edits_may_be_noted_twice_and_not_overlap():
    editor = Editor("abcdef")
    editor.edits = [Edit(2, 3, "X"), Edit(0, 1, ""), Edit(2, 3, "X"), Edit(3, 3, "Y")]
    assert editor.apply() == "bXYdef"
    editor.edits = [Edit(0, 3, ""), Edit(2, 4, "")]
    with pytest.raises(UnwritableError, match=r"^fields that must go overlap in the text$"):
        editor.apply()
