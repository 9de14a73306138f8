"""The writer of elements."""

from xml.etree.ElementTree import XML

import pytest
from hypothesis import given
from hypothesis import strategies as st

from virtcatalog.kubevirt.launcher.xml import (
    Element,
    Shared,
    SubElement,
    _Escaped,
    by_tag,
    leaf,
    own,
    own_copies,
    shared,
    write,
)


def test_the_layout():
    root = Element("a", {"x": "1"})
    inner = SubElement(root, "b", y="2", z="3")
    SubElement(inner, "c").text = "text"
    SubElement(root, "d")
    assert write(root) == '<a x="1">\n  <b y="2" z="3">\n    <c>text</c>\n  </b>\n  <d/>\n</a>\n'


def test_a_comment_is_the_first_line_within():
    root = Element("a")
    SubElement(root, "b")
    assert write(root, "about -- this") == "<a>\n  <!-- about - - this -->\n  <b/>\n</a>\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a&b", "a&amp;b"),
        ("a<b", "a&lt;b"),
        ("a>b", "a&gt;b"),
        ("<>", "&lt;&gt;"),
        ('"', "&quot;"),
        ("\t\n\r", "&#9;&#10;&#13;"),
    ],
)
def test_markup_is_escaped(text, written):
    root = Element("a", x=text)
    root.text = text
    assert write(root) == f'<a x="{written}">{written}</a>\n'


@pytest.mark.parametrize("char", ["\0", "\x1f", "\ud800", "\ufffe"])
def test_what_xml_cannot_hold_is_replaced(char):
    root = Element("a", x=f"1{char}2")
    assert write(root) == '<a x="1\N{REPLACEMENT CHARACTER}2"/>\n'


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff")))
def test_any_text_comes_back_as_it_went(text):
    root = Element("a", x=text)
    root.text = text
    read = XML(write(root))
    assert (read.get("x"), read.text or "") == (text, text)


def test_a_shared_element_is_made_once_for_the_same_parts():
    assert leaf("a", "text", x="1") is leaf("a", "text", x="1")
    assert leaf("a", "text") is not leaf("a", text="text")
    assert shared("b", leaf("a"), y="2") is shared("b", leaf("a"), y="2")
    assert write(shared("b", leaf("a", "text", x="1"), y="2")) == '<b y="2">\n  <a x="1">text</a>\n</b>\n'


def test_a_shared_element_holds_nothing_that_may_yet_change():
    with pytest.raises(AssertionError):
        shared("b", Element("a"))


@given(st.lists(st.sampled_from(["own", "shared"]), max_size=5))
def test_shared_elements_are_written_as_any_others_however_deep_they_are(kinds):
    root, plain = shared("c", leaf("d", "text")), Element("c")
    SubElement(plain, "d").text = "text"
    for kind in kinds:
        if kind == "shared" and isinstance(root, Shared):
            root = shared("b", root, leaf("a", x="1"), root)
        else:
            root = own("b", root, leaf("a", x="1"), root)
        copy = Element("b")
        copy.extend([plain, Element("a", x="1"), plain])
        plain = copy
    assert write(root) == write(root) == write(plain)


def test_own_copies_share_nothing():
    unchanged = shared("d", leaf("e"))
    root = own("root", unchanged)
    text = write(root)
    own_copies(root)
    assert write(root) == text
    root[0][0].set("changed", "yes")
    assert unchanged[0].get("changed") is None


def test_shared_elements_have_no_room_for_more():
    """There are many of them."""
    assert not hasattr(leaf("a"), "__dict__")


def test_short_texts_are_remembered_escaped_and_not_too_many_of_them():
    escaped = _Escaped()
    assert (escaped["<" * 36], escaped["<" * 37]) == ("&lt;" * 36, "&lt;" * 37)
    assert list(escaped) == ["<" * 36]
    for number in range(4095):
        escaped[str(number)]
    assert len(escaped) == 4096
    assert escaped["&"] == "&amp;"
    assert list(escaped) == ["&"]


@pytest.mark.parametrize(("text", "written"), [("#", "#"), ("##", "&#35;#"), ("##[x]", "&#35;#[x]"), ("a#b", "a#b")])
def test_no_text_is_a_command_to_the_runner_of_a_ci_job(text, written):
    assert write(leaf("a", text)) == f"<a>{written}</a>\n"


def test_children_by_their_tags():
    parent = own("a", leaf("b", "1"), leaf("c"), leaf("b", "2"))
    assert {tag: [child.text for child in children] for tag, children in by_tag(parent).items()} == {
        "b": ["1", "2"],
        "c": [None],
    }
