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
    ("text", "edited"),
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
def test_every_style_is_kept(text, edited):
    assert with_entry(text, ("sizes",), "large", {"vcpus": 4}) == edited


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
    edited = put("sizes: {}\n", value=value)
    assert edited == 'sizes: {large: {a: 4Gi, b: "1e3", c: "yes", d: "a, b", e: "", f: [1, true, null], g: "0x1F"}}\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a:\n  sizes: [a]\n", "a.sizes is no map"),
        ("a: {sizes: text}\n", "a.sizes is no map"),
        ("- sizes\n", "a.sizes is no map"),
        ("x: &x {a: 1}\na: {sizes: *x}\n", "sizes is an alias of what stands elsewhere"),
    ],
)
def test_what_is_no_map_of_its_own_is_left_alone(text, why):
    with pytest.raises(UnwritableError) as caught:
        put(text, path=("a", "sizes"))
    assert str(caught.value) == why


def taken_out(text, new):
    """The text once it is changed into other data."""
    (node,), ((_, old),) = compose(text), Text(text).documents()
    editor = Editor(text)
    editor.change(node, old, new)
    return editor.apply()


ITEM = "list:\n- a: 1\n  # of b\n  b: 2\n  c: 3\n  d: 4\n- e\n"


@pytest.mark.parametrize(
    ("left", "edited"),
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
def test_entries_of_an_item_go_and_the_first_that_stays_is_behind_its_dash(left, edited):
    numbers = {"a": 1, "b": 2, "c": 3, "d": 4}
    assert taken_out(ITEM, {"list": [{name: numbers[name] for name in left}, "e"]}) == edited


@pytest.mark.parametrize(
    ("left", "edited"),
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
def test_entries_on_one_line_go_with_their_commas(left, edited):
    numbers = {"a": 1, "b": 2, "c": 3}
    assert taken_out("x: {a: 1, b: 2, c: 3}  # y\n", {"x": {name: numbers[name] for name in left}}) == edited


@pytest.mark.parametrize(
    ("text", "new", "edited"),
    [
        ("a: 1\nb: 2\n", {"b": 2, "n": "x"}, "n: x\nb: 2\n"),
        ('{"a": 1, "b": 2}', {"b": 2, "n": "x"}, '{"n": "x", "b": 2}'),
        ('{"a": 1, "b": 2}', {"n": {"x": "1"}}, '{"n": {"x": "1"}}'),
        ("a: 1\ntemplate: {}\n", {"n": {"x": "1"}, "template": {}}, 'n:\n  x: "1"\ntemplate: {}\n'),
        ("a:\ntemplate: {}\n", {"a": {"x": "w"}, "template": {}}, "a:\n  x: w\ntemplate: {}\n"),
    ],
)
def test_what_is_added_stands_where_something_goes(text, new, edited):
    assert taken_out(text, new) == edited


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        (
            "a: 1\n# of it\n  # and more\ntemplate:\n    b: 1\n",
            'a: 1\nn:\n    x: "1"\n    w: text\n    z: true\n    e: ""\n# of it\n  # and more\ntemplate:\n    b: 1\n',
        ),
        (
            "# of it\ntemplate:\n b: 1\na: 1\n",
            'n:\n  x: "1"\n  w: text\n  z: true\n  e: ""\n# of it\ntemplate:\n b: 1\na: 1\n',
        ),
        ("{a: 1, template: {b: 1}}", '{a: 1, n: {x: "1", w: text, z: true, e: ""}, template: {b: 1}}'),
        (
            '{\n  "a": 1,\n  "template": {"b": 1}\n}',
            '{\n  "a": 1,\n  "n": {"x": "1", "w": "text", "z": true, "e": ""},\n  "template": {"b": 1}\n}',
        ),
    ],
)
def test_what_is_added_stands_above_the_template_and_its_comments(text, edited):
    n = {"x": "1", "w": "text", "z": True, "e": ""}
    assert taken_out(text, {"a": 1, "n": n, "template": {"b": 1}}) == edited


def test_what_is_added_stands_first_where_there_is_no_template():
    assert taken_out("a: 1\nb: 2\n", {"a": 1, "b": 2, "n": {"x": "w"}}) == "n:\n  x: w\na: 1\nb: 2\n"


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ("x:\n- a\n- b\ny: 1\n", "x: []\ny: 1\n"),
        ("x: # why\n- a\n# end\ny: 1\n", "x: [] # why\n# end\ny: 1\n"),
        ("x: &l # why\n  # them\n- a\n# end\ny: 1\n", "x: &l [] # why\n  # them\n# end\ny: 1\n"),
        ("x: !!seq &l\n- a: 1\n  b: 2\n\ny: 1\n", "x: !!seq &l []\n\ny: 1\n"),
        ("x: &l [1, 2] # why\ny: 1\n", "x: &l [] # why\ny: 1\n"),
        ("x: [1,\n  2]\ny: 1\n", "x: []\ny: 1\n"),
    ],
)
def test_nothing_is_left_in_a_list_where_it_stood(text, edited):
    assert taken_out(text, {"x": [], "y": 1}) == edited
    lists = {"[]": "{}", "!!seq": "!!map", "- a: 1": "  a: 1", "- a": "  a: 1", "- b": "  b: 2", "[1": "{1", "2]": "2}"}
    for old, new in lists.items():
        text, edited = text.replace(old, new), edited.replace(old, new)
    assert taken_out(text, {"x": {}, "y": 1}) == edited


@pytest.mark.parametrize(
    ("text", "new", "edited"),
    [
        ("- a\n- b\n", ["b"], "- b\n"),
        ("x:\n- a\n- b # c\n\n- c\n", {"x": ["a", "c"]}, "x:\n- a\n\n- c\n"),
        ("x:\n  -   a\n  - b", {"x": ["a"]}, "x:\n  -   a\n"),
        ("x: [a, b, c]\n", {"x": ["a"]}, "x: [a]\n"),
        ("x: [a, b, c]\n", {"x": ["b", "c"]}, "x: [b, c]\n"),
        ("x: [a, b, c]\n", {"x": ["a", "c"]}, "x: [a, c]\n"),
        ("x:\r\n- a: 1\r\n  # b\r\n\r\n  # c\r\n  b: 2\r\n", {"x": [{"b": 2}]}, "x:\r\n# b\r\n# c\r\n- b: 2\r\n"),
        ("x:\n- a: 1\n  b:\n  - c: 1\n    d: 2\n", {"x": [{"a": 1, "b": [{"c": 1}]}]}, "x:\n- a: 1\n  b:\n  - c: 1\n"),
        ("a: &x {b: 1}\nc: *x\nd: 1\n", {"a": {"b": 1}, "d": 1}, "a: &x {b: 1}\nd: 1\n"),
        ("a: &x {b: 1}\nc: *x # see #a\nd: *x", {"a": {"b": 1}, "c": {"b": 1}}, "a: &x {b: 1}\nc: *x # see #a\n"),
        ("a: {b: &x {c: 1}, d: *x, e: 1}\n", {"a": {"b": {"c": 1}, "e": 1}}, "a: {b: &x {c: 1}, e: 1}\n"),
        ("a: |\n  text\n\nb: 1\n", {"b": 1}, "\nb: 1\n"),
        ("a:\nb: 1\n", {"b": 1}, "b: 1\n"),
        ("a: 1\nb:", {"a": 1}, "a: 1\n"),
        ("a: {}\nb: []\nc: 1\n", {"c": 1}, "c: 1\n"),
        ("a: &x {b: 1}\n<<: *x\n", {"a": {"b": 1}}, "a: &x {b: 1}\n<<: *x\n"),
    ],
)
def test_what_goes_takes_its_lines_or_its_commas_and_nothing_else(text, new, edited):
    assert taken_out(text, new) == edited


@pytest.mark.parametrize(
    ("text", "new", "why"),
    [
        ("a: 1\n", {"a": 2}, "a value would have to change"),
        ("a: {b: 1}\n", {"a": [1]}, "a value would have to change"),
        ("a: [1]\n", {"a": {"b": 1}}, "a value would have to change"),
        ("a: [1]\n", {"a": [2]}, "a value would have to change"),
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
